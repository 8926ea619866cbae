//! What is read from Linear: its queries, what its errors mean, and a strict reading of each record.
//!
//! | file | holds |
//! |---|---|
//! | `read` | every read a decision may rest on, as a value, and its query |
//! | `linear` | asking the API, with our credential |
//! | `failure` | what its errors mean |
//! | `records` | its records as plain structs |

pub mod failure;
pub mod linear;
pub mod read;
pub mod records;
