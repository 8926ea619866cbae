//! What a page keeps of one call: its event as JSON, capped, and what is needed to find and explain it.
//!
//! Separate from the event because a page lives in memory for as long as its process: one row has a limit of its own.

use toolpass_core::clock::Wall;
use toolpass_guard::audit::{AuditEvent, ObservedAction};
use toolpass_guard::json::quote;

/// The longest row, in bytes of JSON. What is longer loses its arguments and most of its requests.
pub const MAX_ROW: usize = 64 * 1024;

/// How many requests a cut row keeps: the first ones and the last ones.
const KEPT_ENDS: usize = 10;

/// How many characters a cut row keeps of a text.
const KEPT_TEXT: usize = 500;

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
        let mut text = event.to_json(time);
        if text.len() > MAX_ROW {
            text = cut(event, time, true);
        }
        if text.len() > MAX_ROW {
            text = cut(event, time, false);
        }
        let mut actions: Vec<String> = event
            .actions
            .iter()
            .filter_map(|request| request.action.clone())
            .collect();
        actions.sort_unstable();
        actions.dedup();
        actions.truncate(2 * KEPT_ENDS);
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

/// An event without its arguments, with its texts shortened, with some of its requests or none, and a member that says so.
fn cut(event: &AuditEvent, time: fn(Wall) -> String, with_requests: bool) -> String {
    let requests = event.actions.len();
    let ends = if with_requests { KEPT_ENDS } else { 0 };
    let mut kept: Vec<ObservedAction> = event.actions.iter().take(ends).map(short).collect();
    let rest = requests.saturating_sub(ends).min(ends);
    kept.extend(event.actions.iter().skip(requests - rest).map(short));
    let note = format!("the event has {requests} requests and is too long to be kept whole");
    let event = AuditEvent {
        tool: clip(&event.tool),
        reason: event.reason.as_deref().map(clip),
        session: event.session.as_deref().map(clip),
        user: event.user.as_deref().map(clip),
        authorization: event.authorization.as_deref().map(clip),
        arguments: None,
        actions: kept,
        id: event.id.clone(),
        parent: event.parent.clone(),
        ..*event
    };
    let mut text = event.to_json(time);
    text.pop();
    format!("{text},\"cut\":{}}}", quote(&note))
}

fn short(request: &ObservedAction) -> ObservedAction {
    ObservedAction {
        method: clip(&request.method),
        host: clip(&request.host),
        path: clip(&request.path),
        action: request.action.as_deref().map(clip),
        resource: request.resource.as_deref().map(clip),
        reason: request.reason.as_deref().map(clip),
        ..request.clone()
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(KEPT_TEXT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
