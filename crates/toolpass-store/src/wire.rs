//! Operations and answers as JSON: what a store of the application's own is given and gives, and what a server will be sent.
//!
//! Separate from the guard's values, which promise nothing to anybody outside. Shape: an object whose `op` is `get`, `mark`,
//! `matches`, `record`, `release` or `reserve`. INVARIANT: an answer that is not wholly understood is none.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolpass_core::effect::Effect;
use toolpass_guard::session::caps::{Cap, Key, Limit, Window};
use toolpass_guard::session::stored::{Answer, Marks, Operation, Outcome, PrintsOf, Remembers};

use crate::document::{ticket_of, ticket_text};

/// An operation, and the person whose windows it may touch.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// How the session stands.
    Get {},
    /// It has seen this.
    Mark {
        /// Outside text.
        untrusted: bool,
        /// Private data.
        private: bool,
    },
    /// Which are known.
    Matches {
        /// Fingerprints.
        hashes: Vec<u64>,
    },
    /// Remember.
    Record {
        /// Of what.
        of: Of,
        /// Fingerprints.
        hashes: Vec<u64>,
        /// How many of a kind are kept at most.
        capacity: usize,
    },
    /// Give back.
    Release {
        /// Whose windows.
        person: String,
        /// What reservations were called.
        tickets: Vec<String>,
    },
    /// Take, all or none.
    Reserve {
        /// Whose windows.
        person: String,
        /// What the reservation is called.
        ticket: String,
        /// What is taken.
        caps: Vec<CapForm>,
    },
}

/// What fingerprints are of.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// Outside text.
    Outside,
    /// Trusted text.
    Trusted,
}

/// A key: `{"tool": ..}`, `{"effect": ..}`, or `{"tool": .., "action": ..}`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeyForm {
    /// A tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// An action of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// An effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
}

/// A key, how often at most, and within which time.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CapForm {
    /// What is counted.
    pub key: KeyForm,
    /// How often at most.
    pub at_most: u32,
    /// Within which time; none: in the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<Per>,
}

/// A window of time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Per {
    Second,
    Minute,
    Hour,
    Day,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    untrusted: bool,
    private: bool,
    remembers: RemembersForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<Count>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known: Option<Known>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exhausted: Option<CapForm>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum RemembersForm {
    Nothing,
    Some,
    TooMuch,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Count {
    key: KeyForm,
    count: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Known {
    outside: Vec<u64>,
    trusted: Vec<u64>,
}

/// An operation on the session of this person, as JSON.
pub fn request(operation: &Operation, person: &str) -> Request {
    match operation {
        Operation::Get => Request::Get {},
        Operation::Mark(marks) => Request::Mark {
            untrusted: marks.untrusted,
            private: marks.private,
        },
        Operation::Matches(prints) => Request::Matches {
            hashes: prints.clone(),
        },
        Operation::Record {
            of,
            prints,
            capacity,
        } => Request::Record {
            of: match of {
                PrintsOf::Outside => Of::Outside,
                PrintsOf::Trusted => Of::Trusted,
            },
            hashes: prints.clone(),
            capacity: *capacity,
        },
        Operation::Release(tickets) => Request::Release {
            person: person.into(),
            tickets: tickets.iter().copied().map(ticket_text).collect(),
        },
        Operation::Reserve { ticket, caps } => Request::Reserve {
            person: person.into(),
            ticket: ticket_text(*ticket),
            caps: caps.iter().map(CapForm::of).collect(),
        },
    }
}

/// The operation that a request asks for, and the person it names.
pub fn operation(request: Request) -> Option<(Operation, Option<String>)> {
    Some(match request {
        Request::Get {} => (Operation::Get, None),
        Request::Mark { untrusted, private } => {
            (Operation::Mark(Marks { untrusted, private }), None)
        }
        Request::Matches { hashes } => (Operation::Matches(hashes), None),
        Request::Record {
            of,
            hashes,
            capacity,
        } => {
            let of = match of {
                Of::Outside => PrintsOf::Outside,
                Of::Trusted => PrintsOf::Trusted,
            };
            let prints = hashes;
            (
                Operation::Record {
                    of,
                    prints,
                    capacity,
                },
                None,
            )
        }
        Request::Release { person, tickets } => {
            let tickets = tickets.iter().map(|text| ticket_of(text));
            (
                Operation::Release(tickets.collect::<Option<_>>()?),
                Some(person),
            )
        }
        Request::Reserve {
            person,
            ticket,
            caps,
        } => {
            let caps = caps.into_iter().map(CapForm::read).collect::<Option<_>>()?;
            let ticket = ticket_of(&ticket)?;
            (Operation::Reserve { ticket, caps }, Some(person))
        }
    })
}

/// An answer, as JSON.
pub fn reply(answer: &Answer) -> Value {
    let mut reply = Reply {
        untrusted: answer.marks.untrusted,
        private: answer.marks.private,
        remembers: match answer.remembers {
            Remembers::Nothing => RemembersForm::Nothing,
            Remembers::Some => RemembersForm::Some,
            Remembers::TooMuch => RemembersForm::TooMuch,
        },
        counts: None,
        known: None,
        exhausted: None,
    };
    match &answer.outcome {
        Outcome::Counts(counts) => {
            let count = |(key, count): &(Key, u32)| Count {
                key: KeyForm::of(key),
                count: *count,
            };
            reply.counts = Some(counts.iter().map(count).collect());
        }
        Outcome::Done => {}
        Outcome::Exhausted(cap) => reply.exhausted = Some(CapForm::of(cap)),
        Outcome::Known { outside, trusted } => {
            reply.known = Some(Known {
                outside: outside.clone(),
                trusted: trusted.clone(),
            });
        }
    }
    serde_json::to_value(reply).unwrap_or_default()
}

/// The answer that a JSON text holds.
pub fn answer(text: &str) -> Option<Answer> {
    let reply: Reply = serde_json::from_str(text).ok()?;
    let outcome = match (reply.counts, reply.known, reply.exhausted) {
        (None, None, None) => Outcome::Done,
        (Some(counts), None, None) => {
            let counts = counts.into_iter();
            let counts = counts.map(|count| Some((count.key.read()?, count.count)));
            Outcome::Counts(counts.collect::<Option<_>>()?)
        }
        (None, Some(known), None) => Outcome::Known {
            outside: known.outside,
            trusted: known.trusted,
        },
        (None, None, Some(cap)) => Outcome::Exhausted(cap.read()?),
        _ => return None,
    };
    Some(Answer {
        marks: Marks {
            untrusted: reply.untrusted,
            private: reply.private,
        },
        remembers: match reply.remembers {
            RemembersForm::Nothing => Remembers::Nothing,
            RemembersForm::Some => Remembers::Some,
            RemembersForm::TooMuch => Remembers::TooMuch,
        },
        outcome,
    })
}

impl KeyForm {
    pub(crate) fn of(key: &Key) -> KeyForm {
        match key {
            Key::Action { tool, action } => KeyForm {
                tool: Some(tool.clone()),
                action: Some(action.clone()),
                effect: None,
            },
            Key::Effect(effect) => KeyForm {
                effect: Some(effect.as_str().into()),
                ..KeyForm::default()
            },
            Key::Tool(tool) => KeyForm {
                tool: Some(tool.clone()),
                ..KeyForm::default()
            },
        }
    }

    pub(crate) fn read(self) -> Option<Key> {
        match (self.tool, self.action, self.effect) {
            (Some(tool), Some(action), None) => Some(Key::Action { tool, action }),
            (Some(tool), None, None) => Some(Key::Tool(tool)),
            (None, None, Some(effect)) => Effect::parse(&effect).map(Key::Effect),
            _ => None,
        }
    }
}

impl CapForm {
    pub(crate) fn of(cap: &Cap) -> CapForm {
        CapForm {
            key: KeyForm::of(&cap.key),
            at_most: cap.limit.at_most,
            per: cap.limit.per.map(Per::of),
        }
    }

    pub(crate) fn read(self) -> Option<Cap> {
        Some(Cap {
            key: self.key.read()?,
            limit: Limit {
                at_most: self.at_most,
                per: self.per.map(Per::read),
            },
        })
    }
}

impl Per {
    pub(crate) fn of(window: Window) -> Per {
        match window {
            Window::Second => Per::Second,
            Window::Minute => Per::Minute,
            Window::Hour => Per::Hour,
            Window::Day => Per::Day,
        }
    }

    pub(crate) fn read(self) -> Window {
        match self {
            Per::Second => Window::Second,
            Per::Minute => Window::Minute,
            Per::Hour => Window::Hour,
            Per::Day => Window::Day,
        }
    }
}
