//! One session as a store keeps it, and what each operation does to it.
//!
//! Pure, so that every store answers alike: a store reads this, applies an operation, and writes it back, at once or not at all.
//! Fingerprints are in sets of the store's own, since there may be a million of them; what is known here is how many.
//! INVARIANT: a ticket is given back at most once, and only what it took.

use std::time::Duration;

use super::caps::Cap;
use super::ledger::{Counts, Ticket, Times, give_back, take};
use super::stored::{Answer, Marks, Operation, Outcome, PrintsOf, Remembers};

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What it has seen.
    pub marks: Marks,
    /// How many fingerprints of outside text there are.
    pub outside: usize,
    /// How many of trusted text.
    pub trusted: usize,
    /// Whether there was more outside text than room.
    pub too_much: bool,
    /// What was counted.
    pub counts: Counts,
    /// What can still be given back, oldest first.
    pub held: Vec<Held>,
}

/// What was taken at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its name.
    pub ticket: Ticket,
    /// What was taken.
    pub caps: Vec<Cap>,
    /// When.
    pub at: Duration,
}

/// How long, and how many of, what was taken can be given back. Later it is spent, as it is when a process dies that took it.
const MAX_HELD: usize = 256;
const HELD_FOR: Duration = Duration::from_secs(600);

impl Kept {
    /// Apply an operation, the fingerprints apart: what a store was asked of those, it knows itself. `times` are the person's,
    /// `now` the time of the store.
    pub fn apply(&mut self, times: &mut Times, operation: &Operation, now: Duration) -> Outcome {
        match operation {
            Operation::Get => Outcome::Counts(
                self.counts
                    .iter()
                    .map(|(key, count)| (key.clone(), count))
                    .collect(),
            ),
            Operation::Mark(marks) => {
                self.marks = self.marks.and(*marks);
                Outcome::Done
            }
            Operation::Matches(_) => Outcome::Known {
                outside: Vec::new(),
                trusted: Vec::new(),
            },
            Operation::Record { .. } => Outcome::Done,
            Operation::Release(tickets) => {
                for ticket in tickets {
                    self.release(times, *ticket);
                }
                Outcome::Done
            }
            Operation::Reserve { ticket, caps } => self.reserve(times, *ticket, caps, now),
        }
    }

    /// How many more fingerprints may be added.
    pub fn room(&self, of: PrintsOf, capacity: usize) -> usize {
        capacity.saturating_sub(match of {
            PrintsOf::Outside => self.outside,
            PrintsOf::Trusted => self.trusted,
        })
    }

    /// So many were added of those that had to be. What did not fit of trusted text is not trusted.
    pub fn added(&mut self, of: PrintsOf, added: usize, all: bool) {
        match of {
            PrintsOf::Outside => {
                self.outside = self.outside.saturating_add(added);
                self.too_much |= !all;
            }
            PrintsOf::Trusted => self.trusted = self.trusted.saturating_add(added),
        }
    }

    /// The answer, now that `outcome` came of it.
    pub fn answer(&self, outcome: Outcome) -> Answer {
        Answer {
            marks: self.marks,
            remembers: match (self.too_much, self.outside) {
                (true, _) => Remembers::TooMuch,
                (false, 0) => Remembers::Nothing,
                (false, _) => Remembers::Some,
            },
            outcome,
        }
    }

    fn reserve(
        &mut self,
        times: &mut Times,
        ticket: Ticket,
        caps: &[Cap],
        now: Duration,
    ) -> Outcome {
        // Asked twice, as by a client that lost the first answer, it is taken once.
        if self.held.iter().any(|held| held.ticket == ticket) {
            return Outcome::Done;
        }
        if let Err(cap) = take(&mut self.counts, times, caps, ticket, now) {
            return Outcome::Exhausted(cap.clone());
        }
        self.held
            .retain(|held| now.saturating_sub(held.at) < HELD_FOR);
        if self.held.len() >= MAX_HELD {
            self.held.remove(0);
        }
        self.held.push(Held {
            ticket,
            caps: caps.to_vec(),
            at: now,
        });
        Outcome::Done
    }

    fn release(&mut self, times: &mut Times, ticket: Ticket) {
        if let Some(at) = self.held.iter().position(|held| held.ticket == ticket) {
            let held = self.held.remove(at);
            give_back(&mut self.counts, times, &held.caps, ticket);
        }
    }
}

#[cfg(test)]
#[path = "kept/tests.rs"]
mod tests;
