//! Which reads are new enough, and which of two answers is the newer: the rules of a cache as pure functions.
//!
//! Three dates matter. *own*: when the answer's own read began. *oldest*: the oldest stored look-up it rests on, else own.
//! *judged*: oldest as a fresh check judges it, where a bulk listing within its own fresh maximum age adds no age.
//!
//! INVARIANT: older knowledge never replaces newer, in whatever order fills finish. A fresh question is served only by a
//! read that began after it was asked, by a fresh fill in flight, or by a bulk listing within its fresh maximum age.

use std::time::Duration;

use toolpass_core::clock::Monotonic;
use toolpass_core::question::Freshness;
use toolpass_http::budget::ReadAt;

/// Whether a fill was started by a fresh question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Its nested look-ups take nothing stored.
    Fresh,
    /// Its nested look-ups may be stored ones.
    Ordinary,
}

/// The dates of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dates {
    pub(super) own: Monotonic,
    pub(super) read: ReadAt,
}

impl Dates {
    /// The dates of an answer whose own read began at `own` and rests on `nested` look-ups.
    pub(super) fn new(own: Monotonic, nested: Option<ReadAt>) -> Dates {
        let read = ReadAt::at(own);
        Dates {
            own,
            read: nested.map_or(read, |nested| nested.older(read)),
        }
    }

    /// Whether this answer, of a fill of `class`, is dropped for the `present` one.
    pub(super) fn yields_to(&self, present: &Dates, class: Class) -> bool {
        match class {
            Class::Fresh => (present.read.judged, present.own) > (self.read.judged, self.own),
            Class::Ordinary => (present.read.oldest, present.own) > (self.read.oldest, self.own),
        }
    }
}

/// How new the answer to one question must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    asked: Monotonic,
    fresh: bool,
    not_before: Option<Monotonic>,
}

impl Need {
    /// The need of a question asked at `asked`.
    pub(super) fn new(freshness: Freshness, asked: Monotonic) -> Need {
        Need {
            asked,
            fresh: freshness.fresh,
            not_before: freshness.max_age.map(|age| asked.minus(age)),
        }
    }

    /// The class of a fill this question starts. A maximum age of zero takes nothing stored, so it is as good as fresh.
    pub(super) fn class(&self) -> Class {
        let takes_nothing_stored = self.not_before.is_some_and(|bound| bound >= self.asked);
        if self.fresh || takes_nothing_stored {
            Class::Fresh
        } else {
            Class::Ordinary
        }
    }

    /// Whether a stored answer of this age will do; `bulk` is the cache's own fresh maximum age.
    pub(super) fn takes(&self, read: ReadAt, now: Monotonic, bulk: Option<Duration>) -> bool {
        let new_enough = self.not_before.is_none_or(|bound| read.oldest >= bound);
        let in_bulk = bulk.is_some_and(|age| now.since(read.judged) < age);
        new_enough && (!self.fresh || read.judged >= self.asked || in_bulk)
    }

    /// Whether waiting for a fill in flight is worth it.
    pub(super) fn joins(&self, class: Class, began: Monotonic) -> bool {
        let new_enough = self.not_before.is_none_or(|bound| began >= bound);
        new_enough && (!self.fresh || class == Class::Fresh || began >= self.asked)
    }

    /// Whether the answer of a joined fill will do.
    pub(super) fn accepts(
        &self,
        class: Class,
        read: ReadAt,
        now: Monotonic,
        bulk: Option<Duration>,
    ) -> bool {
        let new_enough = self.not_before.is_none_or(|bound| read.oldest >= bound);
        new_enough && (class == Class::Fresh || self.takes(read, now, bulk))
    }
}

/// What taking a stored answer does to the age of the one who takes it.
pub(super) fn inherited(read: ReadAt, now: Monotonic, bulk: Option<Duration>) -> ReadAt {
    let in_bulk = bulk.is_some_and(|age| now.since(read.judged) < age);
    ReadAt {
        oldest: read.oldest,
        judged: if in_bulk { now } else { read.judged },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: u64) -> Monotonic {
        Monotonic(Duration::from_secs(seconds))
    }

    fn need(fresh: bool, max_age: Option<u64>, asked: u64) -> Need {
        Need::new(
            Freshness {
                fresh,
                max_age: max_age.map(Duration::from_secs),
            },
            at(asked),
        )
    }

    #[test]
    fn what_a_question_takes() {
        let bulk = Some(Duration::from_secs(60));
        let rows = [
            // fresh, max age, asked at 100; read at; bulk; taken
            (false, None, 1, None, true),
            (true, None, 99, None, false),
            (true, None, 100, None, true),
            (true, None, 50, bulk, true),
            (true, None, 40, bulk, false),
            (false, Some(10), 90, None, true),
            (false, Some(10), 89, None, false),
            (false, Some(0), 99, bulk, false),
            (true, Some(0), 50, bulk, false),
            (true, Some(10), 95, None, false),
        ];
        for (fresh, max_age, read, bulk, taken) in rows {
            let found = need(fresh, max_age, 100).takes(ReadAt::at(at(read)), at(100), bulk);
            assert_eq!(
                found, taken,
                "fresh {fresh} max_age {max_age:?} read {read} bulk {bulk:?}"
            );
        }
    }

    #[test]
    fn a_fresh_question_joins_any_fresh_fill_and_a_bound_one_only_later_ones() {
        assert!(need(true, None, 100).joins(Class::Fresh, at(1)));
        assert!(!need(true, None, 100).joins(Class::Ordinary, at(99)));
        assert!(need(true, None, 100).joins(Class::Ordinary, at(100)));
        assert!(!need(false, Some(0), 100).joins(Class::Fresh, at(99)));
        assert!(!need(true, Some(0), 100).joins(Class::Fresh, at(99)));
        assert!(need(false, None, 100).joins(Class::Ordinary, at(1)));
    }

    #[test]
    fn a_listing_within_its_fresh_maximum_adds_no_judged_age() {
        let bulk = Some(Duration::from_secs(60));
        let read = ReadAt::at(at(50));
        assert_eq!(
            inherited(read, at(100), bulk),
            ReadAt {
                oldest: at(50),
                judged: at(100)
            }
        );
        assert_eq!(inherited(read, at(111), bulk), read);
        assert_eq!(inherited(read, at(51), None), read);
    }

    fn dates() -> impl Strategy<Value = Dates> {
        (0_u64..20, proptest::option::of(0_u64..20))
            .prop_map(|(own, nested)| Dates::new(at(own), nested.map(|n| ReadAt::at(at(n)))))
    }

    proptest! {
        #[test]
        fn whatever_the_order_the_same_answer_stays(answers in proptest::collection::vec(dates(), 1..8), swap in 0_usize..8) {
            let last = |answers: &[Dates]| {
                answers.iter().copied().reduce(|present, new| {
                    if new.yields_to(&present, Class::Ordinary) { present } else { new }
                })
            };
            let mut other = answers.clone();
            other.rotate_left(swap % answers.len());
            prop_assert_eq!(last(&answers), last(&other));
        }

        #[test]
        fn a_fresh_question_never_takes_an_older_read(asked in 0_u64..50, read in 0_u64..50, now in 50_u64..60) {
            let taken = need(true, None, asked).takes(ReadAt::at(at(read)), at(now), None);
            prop_assert_eq!(taken, read >= asked);
        }
    }
}
