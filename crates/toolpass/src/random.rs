//! Bytes nobody can guess: keys of sessions, ids of fences.
//!
//! Separate because the system may have none to give, and nothing that needs them may go on then.

use ring::rand::{SecureRandom as _, SystemRandom};

/// The system has no randomness to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system has no random bytes to give")]
pub struct NoRandomness;

/// So many bytes.
/// Errors: [`NoRandomness`].
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map(|()| bytes).map_err(|_| NoRandomness)
}
