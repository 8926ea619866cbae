//! What the engine promises, against a scripted system and a clock that moves only when told to.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod answers;
mod batch;
mod crash;
mod explained;
mod forgotten;
mod fresh;
mod limits;
mod lookups;
mod recorded;
mod scripted;
mod validation;
