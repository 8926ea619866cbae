//! The stand-ins from outside: one test program, one file per concern.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

mod credentials;
mod faults;
mod github;
mod jira;
mod linear;
mod process;
mod slack;
mod support;
