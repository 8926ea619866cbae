//! A session, and a person's windows, as the text that is kept of them.
//!
//! INVARIANT: a text that cannot be read in full is damage, never an empty session.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolpass_guard::session::kept::{Held, Kept};
use toolpass_guard::session::ledger::{Moment, Ticket, Times};
use toolpass_guard::session::stored::Marks;

use crate::backend::StoreError;
use crate::wire::{CapForm, KeyForm, Per};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Session {
    v: u8,
    untrusted: bool,
    private: bool,
    outside: usize,
    trusted: usize,
    too_much: bool,
    counts: Vec<(KeyForm, u32)>,
    held: Vec<HeldForm>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct HeldForm {
    ticket: String,
    caps: Vec<CapForm>,
    at: u64,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Person {
    v: u8,
    times: Vec<(KeyForm, Per, Vec<MomentForm>)>,
}

/// When, in milliseconds, and under which ticket.
type MomentForm = (u64, String);

const VERSION: u8 = 1;

/// What is written of a session.
pub(crate) fn of_session(kept: &Kept) -> Result<String, StoreError> {
    let session = Session {
        v: VERSION,
        untrusted: kept.marks.untrusted,
        private: kept.marks.private,
        outside: kept.outside,
        trusted: kept.trusted,
        too_much: kept.too_much,
        counts: kept
            .counts
            .iter()
            .map(|(key, count)| (KeyForm::of(key), count))
            .collect(),
        held: kept.held.iter().map(HeldForm::of).collect(),
    };
    serde_json::to_string(&session).map_err(|_| StoreError::Damaged)
}

/// What was written of a session; a new one when nothing was.
pub(crate) fn session(text: Option<&str>) -> Result<Kept, StoreError> {
    let Some(text) = text else {
        return Ok(Kept::default());
    };
    let session: Session = serde_json::from_str(text).map_err(|_| StoreError::Damaged)?;
    if session.v != VERSION {
        return Err(StoreError::Damaged);
    }
    let counts = session.counts.into_iter();
    let counts = counts.map(|(key, count)| Some((key.read()?, count)));
    let held = session.held.into_iter().map(HeldForm::read);
    Ok(Kept {
        marks: Marks {
            untrusted: session.untrusted,
            private: session.private,
        },
        outside: session.outside,
        trusted: session.trusted,
        too_much: session.too_much,
        counts: counts.collect::<Option<_>>().ok_or(StoreError::Damaged)?,
        held: held.collect::<Option<_>>().ok_or(StoreError::Damaged)?,
    })
}

/// What is written of a person; nothing when there is nothing to remember.
pub(crate) fn of_person(times: &Times) -> Result<Option<String>, StoreError> {
    let times: Vec<_> = times
        .iter()
        .filter(|(.., moments)| !moments.is_empty())
        .map(|(key, window, moments)| {
            let moments = moments.iter();
            let moments = moments.map(|moment| (millis(moment.at), ticket_text(moment.ticket)));
            (KeyForm::of(key), Per::of(window), moments.collect())
        })
        .collect();
    if times.is_empty() {
        return Ok(None);
    }
    let person = Person { v: VERSION, times };
    serde_json::to_string(&person)
        .map(Some)
        .map_err(|_| StoreError::Damaged)
}

/// What was written of a person.
pub(crate) fn person(text: Option<&str>) -> Result<Times, StoreError> {
    let mut times = Times::default();
    let Some(text) = text else { return Ok(times) };
    let person: Person = serde_json::from_str(text).map_err(|_| StoreError::Damaged)?;
    if person.v != VERSION {
        return Err(StoreError::Damaged);
    }
    for (key, per, moments) in person.times {
        let moments = moments.into_iter().map(|(at, ticket)| {
            Some(Moment {
                at: Duration::from_millis(at),
                ticket: ticket_of(&ticket)?,
            })
        });
        let moments = moments.collect::<Option<_>>().ok_or(StoreError::Damaged)?;
        times.insert(key.read().ok_or(StoreError::Damaged)?, per.read(), moments);
    }
    Ok(times)
}

impl HeldForm {
    fn of(held: &Held) -> HeldForm {
        HeldForm {
            ticket: ticket_text(held.ticket),
            caps: held.caps.iter().map(CapForm::of).collect(),
            at: millis(held.at),
        }
    }

    fn read(self) -> Option<Held> {
        Some(Held {
            ticket: ticket_of(&self.ticket)?,
            caps: self
                .caps
                .into_iter()
                .map(CapForm::read)
                .collect::<Option<_>>()?,
            at: Duration::from_millis(self.at),
        })
    }
}

fn millis(at: Duration) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn ticket_text(ticket: Ticket) -> String {
    format!("{:032x}", ticket.0)
}

pub(crate) fn ticket_of(text: &str) -> Option<Ticket> {
    let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u128::from_str_radix(text, 16)
        .ok()
        .filter(|_| plain)
        .map(Ticket)
}
