//! The session as a mirror of what a store keeps: where it is, what is asked, and what is learnt.
//!
//! Separate from the session's own state, which is the same wherever it is kept.

use std::collections::HashSet;

use super::stored::Unanswered;
use super::{
    Answer, Elsewhere, Home, Marks, Needs, Operation, Outcome, Place, PrintsOf, Remembers, Session,
    Slots, StoreId, Ticket, lock,
};
use crate::taint::record::Argument;

impl Session {
    /// What a call in a toolkit of this store needs of the session; with none, its home is this process from now on.
    /// Errors: [`Elsewhere`].
    pub(crate) fn needs(&self, store: Option<StoreId>) -> Result<Needs, Elsewhere> {
        match (store, self.0.home.get()) {
            (None, _) => match self.0.home.get_or_init(|| Home::Here) {
                Home::Here => Ok(Needs::Nothing),
                Home::Store(_) => Err(Elsewhere::Store),
            },
            (Some(_), None) => Ok(Needs::Place),
            (Some(_), Some(Home::Here)) => Err(Elsewhere::Here),
            (Some(store), Some(Home::Store(place))) if place.store == store => Ok(Needs::Store),
            (Some(_), Some(Home::Store(_))) => Err(Elsewhere::Store),
        }
    }

    /// Its home is this place, unless it has one already.
    /// Errors: [`Elsewhere`], when that is another.
    pub fn settle(&self, place: Place) -> Result<(), Elsewhere> {
        let store = place.store;
        // A record that was begun has another key.
        if self.0.home.get().is_none() && self.known().record.is_some() {
            return Err(Elsewhere::Here);
        }
        match self.0.home.get_or_init(|| Home::Store(place)) {
            Home::Here => Err(Elsewhere::Here),
            Home::Store(place) if place.store == store => Ok(()),
            Home::Store(_) => Err(Elsewhere::Store),
        }
    }

    /// Where a store keeps it; nothing for a session of this process.
    pub fn place(&self) -> Option<&Place> {
        match self.0.home.get() {
            Some(Home::Store(place)) => Some(place),
            Some(Home::Here) | None => None,
        }
    }

    /// What a store calls its conversation.
    pub fn conversation(&self) -> &str {
        &self.0.conversation
    }

    /// What a store is to be told of before anything is asked of it: slots owed, and trusted text.
    pub(crate) fn untold(&self) -> Vec<Operation> {
        let (trusted, unseen) = {
            let mut outside = self.outside();
            if !outside.trusted.is_empty() {
                self.record_of(&mut outside);
            }
            (outside.untold.clone(), outside.unseen.clone())
        };
        let told = [(PrintsOf::Trusted, trusted), (PrintsOf::Outside, unseen)];
        let told = told.into_iter().filter(|(_, prints)| !prints.is_empty());
        let told = told.map(|(of, prints)| Operation::Record {
            of,
            prints,
            capacity: self.0.memory.capacity,
        });
        self.owed().into_iter().chain(told).collect()
    }

    /// Tell the store of outside text before the next call: for text that nobody was given and that a call has to be made to get.
    pub fn tell_later(&self, operation: &Operation) {
        if let Operation::Record {
            of: PrintsOf::Outside,
            prints,
            ..
        } = operation
        {
            self.outside().unseen.extend(prints);
        }
    }

    /// What has to be given back and is not yet: for whoever was not asked to, because the call was given up.
    pub fn owed(&self) -> Option<Operation> {
        let owed = lock(&self.0.owed);
        (!owed.is_empty()).then(|| Operation::Release(owed.clone()))
    }

    pub(crate) fn owe(&self, ticket: Ticket) {
        lock(&self.0.owed).push(ticket);
    }

    /// What has to be found out about the fingerprints of these arguments: none of them when there is nothing to compare with.
    pub(crate) fn question(&self, arguments: &[Argument<'_>]) -> Operation {
        if arguments.iter().all(|argument| argument.texts.is_empty()) {
            return Operation::Get;
        }
        self.record_of(&mut self.outside());
        let known = self.known();
        let asked = known.record.as_ref().map(|record| record.asked(arguments));
        Operation::Matches(asked.unwrap_or_default())
    }

    /// Take the answer to an operation. A slot is there when it was taken.
    /// Errors: [`Unanswered`]. A slot that may have been taken is owed then.
    pub(crate) fn answered(
        &self,
        operation: &Operation,
        answered: Result<Answer, String>,
    ) -> Result<Option<Slots>, Unanswered> {
        let answer = match answered {
            Ok(answer) if answer.answers(operation) => answer,
            other => {
                if let Operation::Reserve { ticket, .. } = operation {
                    self.owe(*ticket);
                }
                let wrong = "it answered something else than it was asked";
                return Err(Unanswered::Failed(
                    other.err().unwrap_or_else(|| wrong.into()),
                ));
            }
        };
        self.learn(operation, &answer);
        match (operation, answer.outcome) {
            (Operation::Reserve { .. }, Outcome::Exhausted(cap)) => Err(Unanswered::Exhausted(cap)),
            (Operation::Reserve { ticket, .. }, _) => Ok(Some(Slots::of_store(self, *ticket))),
            _ => Ok(None),
        }
    }

    /// Learn what the store answered to an operation.
    pub fn learn(&self, operation: &Operation, answer: &Answer) {
        self.note(answer.marks);
        let mut outside = self.outside();
        match answer.remembers {
            Remembers::Nothing => {}
            Remembers::Some => self.record_of(&mut outside).note_elsewhere(),
            Remembers::TooMuch => self.record_of(&mut outside).lose(),
        }
        match (operation, &answer.outcome) {
            (
                Operation::Matches(_),
                Outcome::Known {
                    outside: seen,
                    trusted,
                },
            ) => {
                let record = self.record_of(&mut outside);
                record.trust_prints(trusted);
                record.record_prints(seen);
            }
            (Operation::Record { of, prints, .. }, Outcome::Done) => {
                let untold = match of {
                    PrintsOf::Outside => &mut outside.unseen,
                    PrintsOf::Trusted => &mut outside.untold,
                };
                if !untold.is_empty() {
                    let told: HashSet<u64> = prints.iter().copied().collect();
                    untold.retain(|print| !told.contains(print));
                }
            }
            (Operation::Release(tickets), Outcome::Done) => {
                lock(&self.0.owed).retain(|owed| !tickets.contains(owed));
            }
            (Operation::Get, Outcome::Counts(counts)) => {
                *lock(&self.0.counts) = counts.iter().cloned().collect();
            }
            _ => {}
        }
    }

    /// It goes on after it was forgotten, but for what it had seen: what outside text said is not known any more.
    pub fn revive(&self, marks: Marks) {
        self.note(marks);
        if marks.untrusted {
            self.record_of(&mut self.outside()).lose();
        }
    }

    /// Note what the store says was seen. Whose private data it was, and who else may read it, is not known here.
    fn note(&self, marks: Marks) {
        if marks.untrusted {
            self.mark_untrusted();
        }
        if marks.private {
            self.mark_private::<&str>(ELSEWHERE, &[]);
        }
    }
}

/// What stands for private data of which a store only knows that it was read.
const ELSEWHERE: &str = "private data of this conversation";

impl Answer {
    /// Whether this can be an answer to `operation`: one that is not refuses.
    pub fn answers(&self, operation: &Operation) -> bool {
        match (&self.outcome, operation) {
            (Outcome::Counts(_), Operation::Get)
            | (Outcome::Known { .. }, Operation::Matches(_))
            | (Outcome::Exhausted(_), Operation::Reserve { .. }) => true,
            (Outcome::Done, Operation::Mark(marks)) => self.marks.include(*marks),
            (
                Outcome::Done,
                Operation::Record { .. } | Operation::Release(_) | Operation::Reserve { .. },
            ) => true,
            (Outcome::Done, Operation::Get | Operation::Matches(_))
            | (Outcome::Counts(_) | Outcome::Known { .. } | Outcome::Exhausted(_), _) => false,
        }
    }
}
