//! A request that no call is known for, in a process that says it runs tools and nothing else.
//!
//! Separate from the rules at a request, all of which ask what a call may: here nobody knows whose request it is, so nobody can
//! be asked. A request to a host of no connection is the process's own affair.
//! INVARIANT: what goes to a connection is told as for a request of a call. What only may go to one does.

use toolpass_core::clock::Wall;
use toolpass_core::codes::RefusalCode;
use toolpass_wire::observe::{Observation, Systems};
use toolpass_wire::request::WireRequest;

use crate::audit::{AuditEvent, CallOutcome, Counts, ObservedAction};
use crate::call::new_id;
use crate::redact::Secrets;
use crate::refusal::Refusal;
use crate::settings::{Settings, Unattributed};
use crate::wording;

/// What stands where an event names the tool.
pub const NO_TOOL: &str = "(no call)";

/// Where such a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Anywhere.
    Anywhere,
    /// A thread that was born while the bodies of several calls ran.
    Several,
}

/// What becomes of it.
#[derive(Debug)]
pub enum Judged {
    /// It leaves, and is an event.
    Noted(Box<AuditEvent>),
    /// It leaves, and that is all.
    Passed,
    /// It does not leave.
    Refused(Refusal, Box<AuditEvent>),
}

/// Judge a request by one toolkit's settings and the systems it knows, if it was told any. `secrets` are not shown.
pub fn judge(
    (settings, systems): (&Settings, Option<&Systems>),
    request: &WireRequest,
    from: From,
    secrets: &Secrets,
    now: Wall,
) -> Judged {
    let (Some(unattributed), true) = (settings.unattributed, settings.intercept) else {
        return Judged::Passed;
    };
    let refuses_all = from == From::Several && settings.strict;
    let action = match connection_of(systems, request) {
        None if !refuses_all => return Judged::Passed,
        None => Connection::default(),
        Some(found) => found,
    };
    let described = request.describe_with(|path| secrets.redact(path).into_owned().into());
    let reason = wording::unattributed(&described, from == From::Several);
    let reason = secrets.redact(&reason).into_owned();
    let refuses = refuses_all || unattributed == Unattributed::Refuse;
    let (code, reason) = if refuses {
        (Some(RefusalCode::CheckError), Some(reason))
    } else {
        (None, None)
    };
    let action = ObservedAction {
        time: Some(now),
        method: request.method().into(),
        host: request.host_key(),
        path: secrets.redact(request.raw_path()).into_owned(),
        effect: Some(request.effect()),
        allowed: !refuses,
        connection: action.id,
        integration: action.integration,
        code,
        reason: reason.clone(),
        ..ObservedAction::default()
    };
    let event = Box::new(event(action.clone(), now));
    match (code, reason) {
        (Some(code), Some(reason)) => {
            let tool = NO_TOOL.into();
            let action = Some(Box::new(action));
            let refusal = Refusal {
                code,
                tool,
                reason,
                action,
            };
            Judged::Refused(refusal, event)
        }
        (None, _) | (_, None) => Judged::Noted(event),
    }
}

/// What is known of the connection a request leads to.
#[derive(Default)]
struct Connection {
    id: Option<String>,
    integration: Option<String>,
}

/// The connection whose host a request goes to; nothing where it goes to none.
fn connection_of(systems: Option<&Systems>, request: &WireRequest) -> Option<Connection> {
    let Some(systems) = systems else {
        // Any host may be one's.
        return Some(Connection::default());
    };
    let candidates = match systems.observe(request) {
        Observation::UnknownHost {
            other_name: None, ..
        } => return None,
        Observation::HostMismatch { .. } | Observation::UnknownHost { .. } => Vec::new(),
        Observation::Mapped { systems, .. }
        | Observation::Served { systems }
        | Observation::Unmapped { systems, .. }
        | Observation::Unresolved { systems, .. } => systems,
    };
    let mut found = Connection::default();
    if let [only] = candidates.as_slice()
        && let Some(system) = systems.get(*only)
    {
        found.id = Some(system.connection.clone());
        found.integration = Some(system.integration.to_owned());
    }
    Some(found)
}

fn event(action: ObservedAction, now: Wall) -> AuditEvent {
    AuditEvent {
        id: new_id(now),
        parent: None,
        time: now,
        tool: NO_TOOL.into(),
        effect: None,
        outcome: CallOutcome::Unattributed,
        code: action.code,
        reason: action.reason.clone(),
        session: None,
        user: None,
        arguments: None,
        authorization: None,
        entitled: None,
        duration_us: 0,
        counts: Counts::default(),
        revoked_during_call: None,
        actions: vec![action],
    }
}
