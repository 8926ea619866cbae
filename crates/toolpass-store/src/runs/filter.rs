//! Which runs are asked for.
//!
//! What a database has an index for is a column of it; the rest (free text, what a reader may see) is looked for in the runs
//! that are left, by whoever asks.

use std::time::Duration;

/// Conditions that all have to hold; empty: every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The person.
    pub user: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// What the process calls itself.
    pub server: Option<String>,
    /// A connection, or a host that belongs to none.
    pub system: Option<String>,
    /// The event's id.
    pub id: Option<String>,
    /// The outcomes the page shows as one: `ran`, `refused`, `failed`, `running`, `handoff`.
    pub group: Option<&'static str>,
    /// One outcome of a group.
    pub outcome: Option<&'static str>,
    /// Not earlier.
    pub from: Option<Duration>,
    /// Earlier.
    pub to: Option<Duration>,
}

/// The words for outcomes: a group, or one outcome within a group.
const WORDS: &[(&str, &str, Option<&str>)] = &[
    ("ran", "ran", None),
    ("refused", "refused", None),
    ("failed", "failed", None),
    ("running", "running", None),
    ("handoff", "handoff", None),
    ("allow", "ran", None),
    ("deny", "refused", None),
    ("unknown", "failed", None),
    ("cancelled", "failed", Some("cancelled")),
    ("handoff_refused", "refused", Some("handoff_refused")),
    ("late", "handoff", Some("late")),
    ("raised", "failed", Some("raised")),
    ("return", "handoff", Some("return")),
    ("started", "running", Some("started")),
];

impl Filter {
    /// Want what a word for an outcome stands for.
    /// Errors: the words there are.
    pub fn want_outcome(&mut self, word: &str) -> Result<(), String> {
        let Some((_, group, outcome)) = WORDS.iter().find(|(known, ..)| *known == word) else {
            let known: Vec<&str> = WORDS.iter().map(|(known, ..)| *known).collect();
            return Err(known.join(", "));
        };
        (self.group, self.outcome) = (Some(*group), *outcome);
        Ok(())
    }
}

/// The group of an outcome. What came after its call had ended is refused when it has a code.
pub(crate) fn group(outcome: &str, has_code: bool) -> &'static str {
    match outcome {
        "late" if has_code => "refused",
        "ran" => "ran",
        "refused" | "handoff_refused" => "refused",
        "raised" | "cancelled" => "failed",
        "started" => "running",
        _ => "handoff",
    }
}
