//! The server over real sockets: what it answers byte for byte, and how it ends.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod authzen;
mod bytes;
mod check;
mod client;
mod decisions;
mod encrypted;
mod full;
mod observing;
mod record;
mod reloading;
mod running;
mod runs;
mod stopping;
mod v1;
