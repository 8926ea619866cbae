//! Where sessions are kept when one process is not all: their counts, flags and keyed fingerprints, never a text. Beside them, and
//! apart from them, in [`runs`]: the calls that toolkits report to a server, with the names and texts in them.
//!
//! A store does three things: it finds a session's place ([`Sessions::place`]), applies an operation of the guard to it at once or
//! not at all ([`Sessions::apply`]), and forgets what nobody used for long. What an operation means is said in
//! [`toolpass_guard::session::kept`], for all stores alike; a backend only reads, writes back, and keeps sets of numbers.
//! INVARIANT: nothing that a store does not answer in time counts as answered. No name of a person reaches a store of sessions: they and
//! people are keyed hashes.

pub mod asked;
mod backend;
mod document;
#[cfg(feature = "sqlite")]
mod locked;
pub mod memory;
mod naming;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod runs;
#[cfg(feature = "server")]
pub mod server;
mod sessions;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(feature = "valkey")]
pub mod valkey;
pub mod wire;

pub use backend::{Backend, Doing, StoreError};
pub use naming::{Who, place};
pub use sessions::Sessions;
