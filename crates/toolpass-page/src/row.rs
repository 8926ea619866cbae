//! What a page keeps of one call: its event as JSON, capped, and what is needed to find and explain it.
//!
//! Separate from the event because a page lives in memory for as long as its process: one row has a limit of its own.

use toolpass_core::clock::Wall;
use toolpass_guard::audit::AuditEvent;

/// The longest row, in bytes of JSON. What is longer loses its arguments and most of its requests.
pub const MAX_ROW: usize = 64 * 1024;

/// How many different actions are kept of a row's requests.
const MAX_ACTIONS: usize = 20;

/// One call as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The event's id; a call that runs has the one its event will have.
    pub id: String,
    /// One JSON object, not empty.
    pub text: String,
    /// The actions of its requests (`integration:action`), each once.
    pub actions: Vec<String>,
}

impl Row {
    /// The row of an event; `time` writes a time.
    pub fn of(event: &AuditEvent, time: fn(Wall) -> String) -> Row {
        let text = event.to_json_within(MAX_ROW, time);
        let mut actions: Vec<String> = event
            .actions
            .iter()
            .filter_map(|request| request.action.clone())
            .collect();
        actions.sort_unstable();
        actions.dedup();
        actions.truncate(MAX_ACTIONS);
        Row {
            id: event.id.clone(),
            text,
            actions,
        }
    }

    /// The row with its number as its first member.
    pub fn numbered(&self, seq: u64) -> String {
        let members = self.text.strip_prefix('{').unwrap_or("}");
        format!("{{\"seq\":{seq},{members}")
    }

    /// How much it counts against the bound of a page.
    pub fn weight(&self) -> usize {
        let actions: usize = self.actions.iter().map(String::len).sum();
        self.text.len() + self.id.len() + actions
    }
}
