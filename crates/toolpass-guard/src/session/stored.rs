//! Sessions that a store keeps: what is asked of the store, and what it answers. Plain values; whoever drives the guard carries
//! them there and back.
//!
//! In this process such a session is a mirror: it learns what the store knows before anything is decided, and tells the store
//! before anything happens. INVARIANT: an operation that was not answered refuses; the mirror never knows less taint after an
//! answer than before.

use std::fmt;
use std::sync::Arc;

use super::caps::{Cap, Key};
use super::ledger::Ticket;

/// Which store, in this process: two toolkits of one store have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreId(pub u64);

/// Where a store keeps a session. The names are keyed hashes: a store knows no person by name.
#[derive(Clone)]
pub struct Place {
    /// The store.
    pub store: StoreId,
    /// The session: person, groups and conversation.
    pub session: Arc<str>,
    /// The person, whose windows of time go over all sessions.
    pub person: Arc<str>,
    /// What the fingerprints of the session are made with, in every process.
    pub hash_key: [u8; 16],
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("store", &self.store)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// What a session has seen. Never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Outside text.
    pub untrusted: bool,
    /// Private data.
    pub private: bool,
}

impl Marks {
    /// Whether all of `other` is marked.
    pub fn include(self, other: Marks) -> bool {
        (self.untrusted || !other.untrusted) && (self.private || !other.private)
    }

    /// Both.
    pub fn and(self, other: Marks) -> Marks {
        Marks {
            untrusted: self.untrusted || other.untrusted,
            private: self.private || other.private,
        }
    }
}

/// What text fingerprints are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintsOf {
    /// Outside text.
    Outside,
    /// Text that is never held against a call.
    Trusted,
}

/// What is asked of a store about one session. Each is done at once or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// How it stands, and every count.
    Get,
    /// It has seen this.
    Mark(Marks),
    /// Which of these fingerprints are known.
    Matches(Vec<u64>),
    /// Remember fingerprints, up to `capacity` of a kind; what no longer fits of outside text is remembered as too much.
    Record {
        /// Of what.
        of: PrintsOf,
        /// The fingerprints.
        prints: Vec<u64>,
        /// How many are kept at most.
        capacity: usize,
    },
    /// Give back what these tickets took, as far as it is not given back already.
    Release(Vec<Ticket>),
    /// Take one of each cap, all or none.
    Reserve {
        /// To give it back with.
        ticket: Ticket,
        /// The caps.
        caps: Vec<Cap>,
    },
}

/// What a store remembers of outside text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remembers {
    /// There was none.
    #[default]
    Nothing,
    /// Fingerprints of it.
    Some,
    /// More than there is room for.
    TooMuch,
}

/// What a store answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What the session has seen, this operation included.
    pub marks: Marks,
    /// What is remembered of outside text, this operation included.
    pub remembers: Remembers,
    /// What the operation came to.
    pub outcome: Outcome,
}

/// What an operation came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Every count: of [`Operation::Get`].
    Counts(Vec<(Key, u32)>),
    /// It is done.
    #[default]
    Done,
    /// This cap is reached, so nothing was taken: of [`Operation::Reserve`].
    Exhausted(Cap),
    /// Which are known: of [`Operation::Matches`].
    Known {
        /// Of outside text.
        outside: Vec<u64>,
        /// Of trusted text.
        trusted: Vec<u64>,
    },
}

/// Why an operation did not come to what it was for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// A cap is reached.
    Exhausted(Cap),
    /// The store did not answer: the kind of failure.
    Failed(String),
}

/// A ticket that nobody has, in whatever process.
pub(crate) fn new_ticket() -> Ticket {
    Ticket(uuid::Uuid::now_v7().as_u128())
}

/// Operations to be done in order before a check goes on, and the one that is under way.
#[derive(Debug, Default)]
pub(crate) struct Errands {
    planned: std::collections::VecDeque<Operation>,
    under_way: Option<Arc<Operation>>,
}

impl Errands {
    pub(crate) fn plan(&mut self, operation: Operation) {
        self.planned.push_back(operation);
    }

    pub(crate) fn clear(&mut self) {
        self.planned.clear();
        self.under_way = None;
    }

    pub(crate) fn next(&mut self) -> Option<Arc<Operation>> {
        let next = Arc::new(self.planned.pop_front()?);
        self.under_way = Some(Arc::clone(&next));
        Some(next)
    }

    pub(crate) fn done(&mut self) -> Option<Arc<Operation>> {
        self.under_way.take()
    }
}
