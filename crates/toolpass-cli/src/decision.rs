//! A decision, as the command prints it.

use serde::Serialize;
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_engine::stamp::rfc3339;

use crate::exit::{Exit, Stop};
use crate::output::Page;

/// The line of a decision: whole, or the two members there have always been.
/// Errors: none for our values.
pub(crate) fn json(decision: &Decision, is_v1: bool) -> Result<Page, Stop> {
    let body = Body {
        decision: decision.outcome().as_str(),
        reason: decision.reason(),
    };
    if is_v1 {
        return Page::json(&body);
    }
    Page::json(&Whole {
        body,
        identity: &decision.identity,
        status: decision.status,
        id: &decision.id,
        as_of: decision.as_of.map(rfc3339),
        retry_after_ms: decision.retry_after_ms,
    })
}

/// The exit a decision stands for.
pub(crate) fn exit(decision: &Decision) -> Exit {
    match decision.outcome() {
        Outcome::Allow => Exit::Done,
        Outcome::Deny => Exit::Denied,
        Outcome::Unknown => Exit::Unknown,
    }
}

/// The two members there have always been.
#[derive(Serialize)]
struct Body {
    decision: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    body: Body,
    #[serde(skip_serializing_if = "str::is_empty")]
    identity: &'a str,
    status: u16,
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}
