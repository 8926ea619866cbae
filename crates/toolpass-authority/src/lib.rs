//! An authority that leaves its process: a chain of small signed grants, made offline, checked offline.
//!
//! Separate from `toolpass-guard`, which says what a caveat means and holds a call against it: here is only who signed what
//! about whom, for how long, and who may use it. A caveat is a JSON object here, read by a function the verifier gives, so this
//! crate never decides what is allowed.
//!
//! One hop is one compact JWS (RFC 7515), signed with Ed25519; hops are joined by `~`, the root first. A child is signed by the
//! key its parent was bound to (RFC 7800), commits to the parent's exact bytes, and may only shorten, narrow and append.
//! Caveats of all hops hold together; none is ever compared with another, so there is no comparison that could be wrong.
//!
//! | step | file |
//! |---|---|
//! | make a root, add a hop | [`seal`] |
//! | check a chain | [`verify`] |
//! | prove that one holds it, check the proof | [`proof`] |
//! | what came back: slots spent, what was seen | [`receipt`] |
//! | what was taken back | [`revoked`] |
//! | keys | [`key`], [`roots`] |
//!
//! Sources: RFC 7515 (JWS), 7519 (JWT), 7638 (thumbprint), 7800 (`cnf`), 8037 (Ed25519), 9396 (`authorization_details`), 9449
//! (proof of possession).

pub mod claims;
pub mod invalid;
pub mod key;
pub mod proof;
pub mod receipt;
pub mod revoked;
pub mod roots;
pub mod seal;
pub mod verify;

mod jws;
mod members;
