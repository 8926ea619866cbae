//! An event as JSON within a bound: cut where it is too long, and saying so, for it must never be left out.
//!
//! Whoever chooses arguments, or makes a body send very many requests, decides how long an event is. Separate from the event
//! because only those who keep events have a bound: the live page and the audit file.

use toolpass_core::clock::Wall;

use super::{AuditEvent, ObservedAction};
use crate::json::quote;

/// How many requests a cut event keeps: the first ones and the last ones.
const KEPT_ENDS: usize = 10;

/// How many characters a cut event keeps of a text.
const KEPT_TEXT: usize = 500;

/// The smallest bound: a cut event without requests is shorter.
pub const MIN_BOUND: usize = 64 * 1024;

impl AuditEvent {
    /// The event as one line of JSON of at most `max` bytes, which is at least [`MIN_BOUND`]. One that is longer loses its
    /// arguments and most of its requests, and has a member `cut` that says so.
    pub fn to_json_within(&self, max: usize, time: fn(Wall) -> String) -> String {
        let mut text = self.to_json(time);
        if text.len() > max {
            text = cut(self, time, true);
        }
        if text.len() > max {
            text = cut(self, time, false);
        }
        text
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{CallOutcome, Counts};

    fn event(text: &str, requests: usize) -> AuditEvent {
        let request = ObservedAction {
            path: text.to_owned(),
            ..ObservedAction::default()
        };
        AuditEvent {
            id: "id".to_owned(),
            parent: None,
            time: Wall(std::time::Duration::ZERO),
            tool: text.to_owned(),
            effect: None,
            outcome: CallOutcome::Ran,
            code: None,
            reason: Some(text.to_owned()),
            session: Some(text.to_owned()),
            user: Some(text.to_owned()),
            arguments: Some(quote(text)),
            authorization: Some(text.to_owned()),
            entitled: None,
            duration_us: 1,
            counts: Counts::default(),
            revoked_during_call: None,
            actions: vec![request; requests],
        }
    }

    #[test]
    fn no_event_is_longer_than_the_smallest_bound() {
        let long = "<\u{1f600}".repeat(40_000);
        for (text, requests) in [(long.as_str(), 0), (&long, 50), ("x", 100_000)] {
            let cut = event(text, requests).to_json_within(MIN_BOUND, |_| String::new());
            assert!(cut.len() <= MIN_BOUND, "{}", cut.len());
            assert!(cut.contains(&format!("\"cut\":\"the event has {requests} requests")));
        }
    }

    #[test]
    fn what_fits_is_whole() {
        let event = event("x", 3);
        let whole = event.to_json(|_| String::new());
        assert_eq!(event.to_json_within(MIN_BOUND, |_| String::new()), whole);
    }
}
