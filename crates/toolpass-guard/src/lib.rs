//! A tool call, from its first check to its audit event, and each request its body makes.
//!
//! Pure and synchronous: a state machine that says what it must know next and takes the answer. Whoever drives it (the
//! Python face today) asks the engine, calls the application's callables, and runs the body; sync and async drivers share
//! this one body of logic. [`pipeline`] is the order of checks around a call, [`request`] the order at a request, and
//! nothing but order; each check is a file of its own.
//! INVARIANT: a body runs only with a [`call::Permit`], a request leaves only with a [`request::RequestPermit`]. Both have
//! private constructors, cannot be cloned, and are consumed by use.

pub mod again;
pub mod arguments;
pub mod audit;
pub mod authority;
pub mod authorization;
pub mod budget;
pub mod call;
pub mod entitlements;
pub mod exfiltration;
pub mod extract;
pub mod fence;
pub mod handle;
pub mod header;
pub mod hint;
pub mod json;
pub mod output;
pub mod pipeline;
pub mod privacy;
pub mod process;
pub mod redact;
pub mod refusal;
pub mod request;
pub mod scope;
pub mod session;
pub mod settings;
pub mod taint;
pub mod tool;
pub mod unattributed;
pub mod value;
mod wording;
