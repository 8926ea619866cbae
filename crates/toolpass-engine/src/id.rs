//! Ids of decisions: UUIDs of version 7, so they sort by time.
//!
//! Their random part is a keyed hash of a counter and the process: unique without asking the system for random bytes at
//! every check. An id identifies a line of the decision log; it is not a secret.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use toolpass_core::clock::Wall;
use uuid::{Builder, Uuid};

/// Makes ids.
#[derive(Debug)]
pub(crate) struct Ids {
    keys: RandomState,
    // Two processes hold the same keys when one was forked from the other.
    process: u32,
    made: AtomicU64,
}

impl Ids {
    /// Ids of this process.
    pub(crate) fn new() -> Ids {
        Ids {
            keys: RandomState::new(),
            process: std::process::id(),
            made: AtomicU64::new(0),
        }
    }

    /// The next id, of this moment.
    pub(crate) fn next(&self, now: Wall) -> String {
        let count = self.made.fetch_add(1, Ordering::Relaxed);
        let high = self.keys.hash_one((count, self.process, 0_u8));
        let low = self.keys.hash_one((count, self.process, 1_u8));
        let [_, _, _, _, _, _, a, b] = high.to_le_bytes();
        let [c, d, e, f, g, h, i, j] = low.to_le_bytes();
        let millis = u64::try_from(now.0.as_millis()).unwrap_or(u64::MAX);
        let uuid = Builder::from_unix_timestamp_millis(millis, &[a, b, c, d, e, f, g, h, i, j])
            .into_uuid();
        let mut text = Uuid::encode_buffer();
        uuid.hyphenated().encode_lower(&mut text).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use super::*;

    #[test]
    fn ids_are_version_seven_and_unique() {
        let ids = Ids::new();
        let now = Wall(Duration::from_millis(1_900_000_000_123));
        let made: HashSet<_> = (0..10_000).map(|_| ids.next(now)).collect();
        assert_eq!(made.len(), 10_000);
        for id in made.iter().take(100) {
            assert!(id.starts_with("01ba60d3-387b-7"), "{id}");
        }
        assert!(ids.next(now) < ids.next(Wall(now.0 + Duration::from_secs(1))));
    }
}
