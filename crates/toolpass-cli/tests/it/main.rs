//! The command as its user sees it: what stands on standard output and on standard error, and the exit.
//!
//! Whole outputs are compared with literal texts. A run has a folder of its own to work in and no variable that toolpass reads,
//! so the only details of the machine are ids and times, which are replaced, as are versions of tables.

#![expect(clippy::unwrap_used, reason = "tests")]

mod audit;
mod batch;
mod catalog;
mod check;
mod completion;
mod demo;
mod doctor;
mod entitlements;
#[cfg(unix)]
mod gateway;
mod github;
mod init;
mod probe;
mod remote;
mod replay;
mod routes;
mod serve;
mod serve_runs;
mod shape;
mod support;
mod validate;
