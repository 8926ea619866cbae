//! What the benches measure: one engine, one table, one request and one tool, built once.
//!
//! Separate from the measuring so that clippy and the compiler see it in every check of the workspace.

pub mod call;
pub mod question;
pub mod request;
