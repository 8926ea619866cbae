//! A store for the tests of this crate: the sessions of several processes, in one map.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::Session;
use super::kept::Kept;
use super::ledger::Times;
use super::stored::{Answer, Operation, Outcome, Place, PrintsOf, StoreId};

/// A store that can be told to fail.
#[derive(Default)]
pub(crate) struct TestStore {
    pub(crate) sessions: HashMap<Arc<str>, Stored>,
    pub(crate) people: HashMap<Arc<str>, Times>,
    /// Operations it was asked, by name.
    pub(crate) asked: Vec<&'static str>,
    /// The number of operations after which it does not answer any more.
    pub(crate) breaks_after: Option<usize>,
    pub(crate) now: Duration,
}

#[derive(Default)]
pub(crate) struct Stored {
    kept: Kept,
    outside: HashSet<u64>,
    trusted: HashSet<u64>,
}

impl TestStore {
    pub(crate) const ID: StoreId = StoreId(7);

    pub(crate) fn place(&self, session: &Session) -> Place {
        Place {
            store: TestStore::ID,
            session: format!("{}/{}", session.user(), session.conversation()).into(),
            person: session.user().into(),
            hash_key: [9; 16],
        }
    }

    pub(crate) fn kept(&self, session: &Session) -> Kept {
        let found = self.sessions.get(&self.place(session).session);
        found.map(|stored| stored.kept.clone()).unwrap_or_default()
    }

    pub(crate) fn answer(
        &mut self,
        place: &Place,
        operation: &Operation,
    ) -> Result<Answer, String> {
        if self
            .breaks_after
            .is_some_and(|after| self.asked.len() >= after)
        {
            return Err("ConnectionRefused".into());
        }
        self.asked.push(name(operation));
        let stored = self.sessions.entry(Arc::clone(&place.session)).or_default();
        let times = self.people.entry(Arc::clone(&place.person)).or_default();
        let outcome = match operation {
            Operation::Matches(prints) => {
                let known = |set: &HashSet<u64>| {
                    prints
                        .iter()
                        .copied()
                        .filter(|print| set.contains(print))
                        .collect()
                };
                Outcome::Known {
                    outside: known(&stored.outside),
                    trusted: known(&stored.trusted),
                }
            }
            Operation::Record {
                of,
                prints,
                capacity,
            } => {
                let room = stored.kept.room(*of, *capacity);
                let set = match of {
                    PrintsOf::Outside => &mut stored.outside,
                    PrintsOf::Trusted => &mut stored.trusted,
                };
                let new: HashSet<u64> = prints
                    .iter()
                    .copied()
                    .filter(|print| !set.contains(print))
                    .collect();
                let added: Vec<u64> = new.iter().copied().take(room).collect();
                set.extend(&added);
                stored
                    .kept
                    .added(*of, added.len(), added.len() == new.len());
                Outcome::Done
            }
            _ => stored.kept.apply(times, operation, self.now),
        };
        Ok(stored.kept.answer(outcome))
    }
}

fn name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Get => "get",
        Operation::Mark(_) => "mark",
        Operation::Matches(_) => "matches",
        Operation::Record {
            of: PrintsOf::Outside,
            ..
        } => "record",
        Operation::Record {
            of: PrintsOf::Trusted,
            ..
        } => "trust",
        Operation::Release(_) => "release",
        Operation::Reserve { .. } => "reserve",
    }
}
