//! What is read from Slack: which call answers which read, what a refusal means, and what a record says.
//!
//! | file | holds |
//! |---|---|
//! | `read` | every read as a value: its method, its arguments, the scope it needs |
//! | `records` | the answers, read strictly into plain structs |
//! | `failure` | what `ok: false` and a status mean |
//! | `slack` | the asking: credential, pages, look-ups shared by checks |

pub mod failure;
pub mod read;
pub mod records;
pub mod slack;
