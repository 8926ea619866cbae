//! Sessions in this process, behind the same interface: for a server of its own, and for tests of what every store owes.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolpass_core::clock::Clock;
use toolpass_guard::session::kept::Kept;
use toolpass_guard::session::ledger::Times;
use toolpass_guard::session::stored::{Answer, Operation, Outcome, Place, PrintsOf};

use crate::backend::{Backend, Doing, StoreError};

/// A store in memory.
pub struct Memory {
    clock: Arc<dyn Clock>,
    idle: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<Arc<str>, Entry>,
    people: HashMap<Arc<str>, Times>,
    secret: Option<[u8; 32]>,
}

#[derive(Default)]
struct Entry {
    kept: Kept,
    outside: HashSet<u64>,
    trusted: HashSet<u64>,
    touched: Duration,
}

impl Memory {
    /// A store that forgets a session that nobody used for `idle`.
    pub fn new(clock: Arc<dyn Clock>, idle: Duration) -> Memory {
        Memory {
            clock,
            idle,
            state: Mutex::default(),
        }
    }

    fn apply_now(&self, place: &Place, operation: &Operation) -> Answer {
        let now = self.clock.monotonic().0;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State {
            sessions, people, ..
        } = &mut *state;
        sessions.retain(|_, entry| now.saturating_sub(entry.touched) < self.idle);
        people.retain(|_, times| !times.forget(now));
        let entry = sessions.entry(Arc::clone(&place.session)).or_default();
        entry.touched = now;
        let times = people.entry(Arc::clone(&place.person)).or_default();
        let outcome = match operation {
            Operation::Matches(prints) => entry.known(prints),
            Operation::Record {
                of,
                prints,
                capacity,
            } => {
                entry.record(*of, prints, *capacity);
                Outcome::Done
            }
            Operation::Get
            | Operation::Mark(_)
            | Operation::Release(_)
            | Operation::Reserve { .. } => entry.kept.apply(times, operation, now),
        };
        entry.kept.answer(outcome)
    }
}

impl Entry {
    fn known(&self, prints: &[u64]) -> Outcome {
        let known = |set: &HashSet<u64>| {
            let prints = prints.iter().copied();
            prints.filter(|print| set.contains(print)).collect()
        };
        Outcome::Known {
            outside: known(&self.outside),
            trusted: known(&self.trusted),
        }
    }

    fn record(&mut self, of: PrintsOf, prints: &[u64], capacity: usize) {
        let room = self.kept.room(of, capacity);
        let set = match of {
            PrintsOf::Outside => &mut self.outside,
            PrintsOf::Trusted => &mut self.trusted,
        };
        let new: HashSet<u64> = prints
            .iter()
            .copied()
            .filter(|print| !set.contains(print))
            .collect();
        let added = new.len().min(room);
        set.extend(new.iter().take(added));
        self.kept.added(of, added, added == new.len());
    }
}

impl Backend for Memory {
    fn apply<'a>(&'a self, place: &'a Place, operation: &'a Operation) -> Doing<'a, Answer> {
        Box::pin(async { Ok(self.apply_now(place, operation)) })
    }

    fn secret<'a>(&'a self, fresh: [u8; 32]) -> Doing<'a, [u8; 32]> {
        Box::pin(async move {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            Ok::<_, StoreError>(*state.secret.get_or_insert(fresh))
        })
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
