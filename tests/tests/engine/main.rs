//! The engine over real sockets: systems that fail, come back and flap, and providers of ID tokens that are not to be believed.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

mod faults;
mod oidc;
