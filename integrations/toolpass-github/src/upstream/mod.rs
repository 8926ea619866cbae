//! What is read from GitHub, and with which credential.
//!
//! | file | holds |
//! |---|---|
//! | `read` | every read the rules may ask for: address, permission |
//! | `records` | what its answer says, strictly |
//! | `github` | making a read: clients, how many at once |
//! | `graphql` | the queries, and what their errors mean |
//! | `app` | the GitHub App: assertion, installation, token |
//! | `failure` | what a refusal means |

pub mod app;
pub mod failure;
pub mod github;
pub mod graphql;
pub mod read;
pub mod records;
