//! What a process with tools says to a server: its questions ([`remote`]), and the calls of its tools ([`report`]).
//!
//! INVARIANT: what a server says is an allow only where it says nothing else; reporting delays no call and changes no outcome;
//! a key is sent over TLS or on this machine, nowhere else.

pub mod address;
pub mod answers;
pub mod observed;
pub mod remote;
pub mod report;
mod spool;
pub mod target;
