//! Tools in Rust, against a server and a GitHub on loopback: what runs, what is refused, and what arrived.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod calls;
mod house;
mod requests;
