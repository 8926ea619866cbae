//! What a vendor owes: keys, actions, routes, and a connection that answers.
//!
//! A system is one crate of one shape (see `ARCHITECTURE.md`): data in [`actions!`] and [`routes!`] rows, typed upstream
//! calls, and rules that are pure functions of fetched facts. This crate holds the contract and the two macros, and nothing
//! of any vendor.
//! INVARIANT: an integration never makes an allow out of a failure. Failures are [`Failure`], which the engine alone turns
//! into a decision.

pub mod actions;
pub mod answers;
pub mod cache;
pub mod connection;
pub mod crash;
pub mod failure;
pub mod fields;
pub mod integration;
pub mod oidc;
pub mod parts;
mod rows;
pub mod turns;

pub use toolpass_core as core;
pub use toolpass_http as http;
pub use toolpass_wire as wire;
