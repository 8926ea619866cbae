//! How many checks came to which code, per connection: what a metrics page shows.

use std::sync::atomic::{AtomicU64, Ordering};

use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;

use crate::histogram::Reading;

/// The counters of one connection.
#[derive(Debug)]
pub(crate) struct Counters {
    by_code: Box<[AtomicU64]>,
    cached: AtomicU64,
}

/// A reading of one connection's counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The connection's id.
    pub connection: String,
    /// Checks answered, by code; codes that never came up are left out.
    pub by_code: Vec<(Code, u64)>,
    /// How many of them came from the decision cache.
    pub cached: u64,
    /// Checks that are asking the system, or wait to.
    pub in_flight: usize,
    /// Whether the circuit is open.
    pub circuit_open: bool,
    /// How long checks waited for their turn.
    pub queued: Reading,
    /// When the system ends the credential, as it said last; none when it said nothing.
    pub credential_ends: Option<Wall>,
}

/// A reading of one cache, which all connections share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheCounts {
    /// What is kept in it.
    pub cache: &'static str,
    /// How much of it is kept, expired ones included.
    pub entries: usize,
    /// How often something was dropped for lack of room.
    pub evictions: u64,
}

impl Default for Counters {
    fn default() -> Counters {
        let by_code = Code::ALL.iter().map(|_| AtomicU64::new(0)).collect();
        Counters {
            by_code,
            cached: AtomicU64::new(0),
        }
    }
}

impl Counters {
    /// Count one answered check.
    pub(crate) fn count(&self, decision: &Decision) {
        if let Some(counter) = self.by_code.get(decision.code() as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        if decision.cached {
            self.cached.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Checks answered, by code.
    pub(crate) fn by_code(&self) -> Vec<(Code, u64)> {
        let counted = Code::ALL.iter().zip(&self.by_code);
        counted
            .map(|(code, count)| (*code, count.load(Ordering::Relaxed)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// Checks answered from the decision cache.
    pub(crate) fn cached(&self) -> u64 {
        self.cached.load(Ordering::Relaxed)
    }
}
