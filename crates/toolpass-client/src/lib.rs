//! What a process with tools says to a server: the calls of its tools ([`report`]).
//!
//! INVARIANT: nothing here delays a call or changes how it ends; a key is sent over TLS or on this machine, nowhere else.

pub mod report;
mod spool;
pub mod target;
