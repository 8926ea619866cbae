//! Random numbers, for spreading waits and for ids.
//!
//! Separate because the system's source may fail, and each use has its own safe answer to that.

use ring::rand::{SecureRandom, SystemRandom};

/// A number in 0..=1; the middle when the system has no randomness to give: it only spreads waits.
pub(crate) fn unit() -> f64 {
    let mut bytes = [0_u8; 4];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.5,
    }
}

/// 128 bits that nobody can guess; none when the system has no randomness to give.
pub(crate) fn id() -> Option<[u8; 16]> {
    let mut bytes = [0_u8; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes)
}
