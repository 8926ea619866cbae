//! The windows of time of this process: when each person's keys were counted, over all sessions in memory.
//!
//! Shared by every toolkit without a store, so that a new session, or a toolkit configured anew, gives nobody new slots.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolpass_core::clock::Monotonic;

use super::ledger::{Ticket, Times};

/// Every person's windows.
#[derive(Default)]
pub struct Windows {
    of_people: Mutex<HashMap<String, Times>>,
    tickets: AtomicU64,
}

/// From so many people on, those without a moment left are forgotten.
const MANY: usize = 1024;

impl Windows {
    /// A ticket that nobody has.
    pub(super) fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::Relaxed).into())
    }

    /// Do something with a person's windows.
    pub(super) fn of<T>(&self, user: &str, now: Monotonic, act: impl FnOnce(&mut Times) -> T) -> T {
        let mut people = self.people();
        if people.len() >= MANY && !people.contains_key(user) {
            people.retain(|_, times| !times.forget(now.0));
        }
        act(people.entry(user.to_owned()).or_default())
    }

    /// Do something with a person's windows, if there are any.
    pub(super) fn give_back(&self, user: &str, act: impl FnOnce(&mut Times)) {
        act(self.people().entry(user.to_owned()).or_default());
    }

    fn people(&self) -> MutexGuard<'_, HashMap<String, Times>> {
        self.of_people
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Windows").finish_non_exhaustive()
    }
}
