//! Since when what was read counts again, after something was forgotten.
//!
//! The engine's own caches drop what is forgotten. The caches of integrations hold listings and look-ups the engine cannot see;
//! a question asked afterwards takes nothing of them that was read before, as if it had a maximum age. So no integration needs
//! to do anything for it.
//!
//! INVARIANT: a moment only moves forward, and forgetting too much to remember by name forgets for everyone.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolpass_core::clock::Monotonic;
use toolpass_core::question::Freshness;

/// The moments.
#[derive(Debug, Default)]
pub(crate) struct Forgotten(Mutex<Moments>);

#[derive(Debug, Default)]
struct Moments {
    all: Option<Monotonic>,
    by_connection: HashMap<u32, Monotonic>,
    by_user: HashMap<(Option<u32>, String), Monotonic>,
}

impl Forgotten {
    /// Forget what was read before `now` of a connection, of a user in one spelling, of a user in a connection, or of all.
    pub(crate) fn note(&self, connection: Option<u32>, user: Option<&str>, now: Monotonic) {
        let mut moments = self.lock();
        match (connection, user) {
            (None, None) => moments.all = moments.all.max(Some(now)),
            (Some(connection), None) => {
                moments.by_connection.insert(connection, now);
            }
            (connection, Some(user)) => {
                if moments.by_user.len() >= MAX_USERS {
                    moments.by_user.clear();
                    moments.all = moments.all.max(Some(now));
                }
                moments.by_user.insert((connection, user.to_owned()), now);
            }
        }
    }

    /// The freshness of a question about this user in this connection, asked at `asked`, which wants `freshness`.
    pub(crate) fn bounded(
        &self,
        connection: u32,
        user: &str,
        freshness: Freshness,
        asked: Monotonic,
    ) -> Freshness {
        let Some(since) = self.lock().since(connection, user) else {
            return freshness;
        };
        let age = asked.since(since);
        Freshness {
            max_age: Some(freshness.max_age.map_or(age, |own| own.min(age))),
            ..freshness
        }
    }

    fn lock(&self) -> MutexGuard<'_, Moments> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moments {
    fn since(&self, connection: u32, user: &str) -> Option<Monotonic> {
        let mut since = self.all.max(self.by_connection.get(&connection).copied());
        if !self.by_user.is_empty() {
            for of in [None, Some(connection)] {
                since = since.max(self.by_user.get(&(of, user.to_owned())).copied());
            }
        }
        since
    }
}

/// More are not told apart.
const MAX_USERS: usize = 10_000;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> Monotonic {
        Monotonic(Duration::from_secs(seconds))
    }

    fn age(forgotten: &Forgotten, connection: u32, user: &str) -> Option<u64> {
        let bounded = forgotten.bounded(connection, user, Freshness::default(), at(100));
        bounded.max_age.map(|age| age.as_secs())
    }

    #[test]
    fn who_is_forgotten_where() {
        let forgotten = Forgotten::default();
        assert_eq!(age(&forgotten, 1, "dana@b"), None);
        forgotten.note(Some(1), Some("dana@b"), at(10));
        forgotten.note(None, Some("eve@b"), at(20));
        assert_eq!(age(&forgotten, 1, "dana@b"), Some(90));
        assert_eq!(age(&forgotten, 2, "dana@b"), None);
        assert_eq!(age(&forgotten, 2, "eve@b"), Some(80));
        forgotten.note(Some(2), None, at(30));
        assert_eq!(age(&forgotten, 2, "eve@b"), Some(70));
        assert_eq!(age(&forgotten, 2, "mallory@b"), Some(70));
        forgotten.note(None, None, at(40));
        assert_eq!(age(&forgotten, 1, "dana@b"), Some(60));
    }

    #[test]
    fn the_stricter_bound_counts() {
        let forgotten = Forgotten::default();
        forgotten.note(None, None, at(40));
        let own = |seconds| Freshness {
            fresh: true,
            max_age: Some(Duration::from_secs(seconds)),
        };
        for (own_age, expected) in [(5, 5), (90, 60)] {
            let bounded = forgotten.bounded(1, "a@b", own(own_age), at(100));
            assert_eq!(bounded, own(expected));
        }
    }

    #[test]
    fn more_than_can_be_remembered_by_name_is_forgotten_for_all() {
        let forgotten = Forgotten::default();
        for n in 0..=MAX_USERS {
            forgotten.note(None, Some(&format!("u{n}@b")), at(50));
        }
        assert_eq!(age(&forgotten, 1, "somebody@else"), Some(50));
    }
}
