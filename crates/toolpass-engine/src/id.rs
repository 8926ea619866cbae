//! Ids of decisions: UUIDs of version 7, so they sort by time.
//!
//! Their random part is a keyed hash of a counter and the process: unique without asking the system for random bytes at
//! every check. An id identifies a line of the decision log; it is not a secret.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use toolpass_core::clock::Wall;
use uuid::Builder;

/// Makes ids.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    keys: RandomState,
    made: AtomicU64,
}

impl Ids {
    /// The next id, of this moment.
    pub(crate) fn next(&self, now: Wall) -> String {
        let count = self.made.fetch_add(1, Ordering::Relaxed);
        // The process counts: after a fork two of them hold the same keys and counter.
        let process = std::process::id();
        let high = self.keys.hash_one((count, process, 0_u8));
        let low = self.keys.hash_one((count, process, 1_u8));
        let [_, _, _, _, _, _, a, b] = high.to_le_bytes();
        let [c, d, e, f, g, h, i, j] = low.to_le_bytes();
        let millis = u64::try_from(now.0.as_millis()).unwrap_or(u64::MAX);
        let uuid = Builder::from_unix_timestamp_millis(millis, &[a, b, c, d, e, f, g, h, i, j])
            .into_uuid();
        uuid.hyphenated().to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use super::*;

    #[test]
    fn ids_are_version_seven_and_unique() {
        let ids = Ids::default();
        let now = Wall(Duration::from_millis(1_900_000_000_123));
        let made: HashSet<_> = (0..10_000).map(|_| ids.next(now)).collect();
        assert_eq!(made.len(), 10_000);
        for id in made.iter().take(100) {
            assert!(id.starts_with("01ba60d3-387b-7"), "{id}");
        }
        assert!(ids.next(now) < ids.next(Wall(now.0 + Duration::from_secs(1))));
    }
}
