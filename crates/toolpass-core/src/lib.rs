//! The vocabulary of toolpass: what is asked, about what, for whom, and every answer there can be.
//!
//! Separate from all else so that each crate speaks of the same things in the same types. Nothing here reads a clock, a
//! file or the network, nothing is async, nothing logs: every function is a pure one and can be fuzzed at full speed.
//! INVARIANT: no type of this crate is serialisable; whoever stands at a boundary has its own struct.

pub mod action;
pub mod clock;
pub mod codes;
pub mod decision;
pub mod duration;
pub mod effect;
pub mod email;
pub mod evidence;
pub mod fields;
pub mod glob;
pub mod question;
pub mod quoted;
pub mod resource;
pub mod secret;
pub mod template;
pub mod text;
pub mod user;
