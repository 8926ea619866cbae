//! A check, from question to decision.
//!
//! [`engine::Engine`] is the policy decision point: it validates a question, looks it up among the decisions it keeps, finds
//! out who the user is in the system asked about, asks that system, and says how old and how sure the answer is. The order is
//! `pipeline.rs`; how a failure becomes an answer is `outcome.rs`, the only such place.
//!
//! Deliberately absent: any vendor, YAML, HTTP serving, and the tool call around a check.
//!
//! INVARIANT: a check never fails and never panics; what cannot be found out is an `unknown` decision. Unknown decisions are
//! never stored. Every answered check leaves one line in the decision log.

pub mod caller;
pub mod counts;
mod decisions;
pub mod engine;
pub mod explain;
mod forgotten;
pub mod histogram;
mod id;
mod identity;
mod key;
mod life;
mod limits;
pub mod log;
pub mod lookup;
pub mod oidc;
pub mod options;
mod outcome;
mod pipeline;
mod record;
pub mod stamp;
mod validate;
