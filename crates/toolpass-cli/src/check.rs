//! `toolpass check`: one question, asked of the system itself, and its decision.
//!
//! The exit is the decision's, so a script needs no more. Only the connection asked and those it references are built.

use jiff::Timestamp;
use serde::Serialize;
use toolpass_core::clock::Wall;
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::evidence::UpstreamCall;
use toolpass_core::question::{Freshness, Question};
use toolpass_local::Which;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::Page;
use crate::{input, local};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let question = question(arguments)?;
    let config = input::config_without_traces(arguments)?;
    let engine = local::engine(&config, Which::Only(&question.connection))?;
    let decision = local::wait(engine.check(&question))?;
    let explain = arguments.is_on("explain");
    let page = match arguments.value("json") {
        Some("v1") => Page::json(&Body {
            decision: decision.outcome().as_str(),
            reason: decision.reason(),
        })?,
        Some("true") => Page::json(&whole(&decision, explain))?,
        _ => shown(&decision, explain),
    };
    let exit = match decision.outcome() {
        Outcome::Allow => Exit::Done,
        Outcome::Deny => Exit::Denied,
        Outcome::Unknown => Exit::Unknown,
    };
    Ok(Done { page, exit })
}

/// The question of the flags.
/// Errors: every required flag that is missing, at once.
fn question(arguments: &Arguments) -> Result<Question, Stop> {
    let missing: Vec<_> = REQUIRED
        .iter()
        .filter(|flag| arguments.value(flag).is_none_or(str::is_empty))
        .map(|flag| format!("-{flag}"))
        .collect();
    if !missing.is_empty() {
        return Err(Stop::Usage(format!("required: {}", missing.join(", "))));
    }
    let text = |flag| arguments.value(flag).unwrap_or_default().to_owned();
    Ok(Question {
        user: text("user"),
        groups: arguments.all("group").map(str::to_owned).collect(),
        connection: text("connection"),
        action: text("action"),
        resource: text("resource"),
        freshness: Freshness {
            fresh: arguments.is_on("fresh"),
            max_age: None,
        },
        ..Question::default()
    })
}

fn shown(decision: &Decision, explain: bool) -> Page {
    let mut page = Page::new();
    page.line(decision.outcome().as_str());
    page.line(&format!("  {}", decision.reason()));
    if explain {
        let identity = Some(decision.identity.as_str()).filter(|identity| !identity.is_empty());
        page.line(&format!(
            "  identity  {}",
            identity.unwrap_or("none was found")
        ));
        for call in &decision.evidence.upstream {
            let from = match (call.cached, call.shared) {
                (true, _) => "  from a stored look-up",
                (false, true) => "  made for another question",
                (false, false) => "",
            };
            let host = call.host.as_deref().unwrap_or_default();
            page.line(&format!(
                "  call      {} {host}{}  {}{from}",
                call.method, call.path, call.status
            ));
        }
    }
    page
}

/// The two members there have always been.
#[derive(Serialize)]
struct Body<'a> {
    decision: &'a str,
    reason: String,
}

/// A decision on the wire.
#[derive(Serialize)]
struct Whole<'a> {
    decision: &'a str,
    reason: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    identity: &'a str,
    status: u16,
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<Call<'a>>>,
}

/// A call the decision rests on.
#[derive(Serialize)]
struct Call<'a> {
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    path: &'a str,
    status: u16,
    cached: bool,
    shared: bool,
}

fn whole(decision: &Decision, explain: bool) -> Whole<'_> {
    Whole {
        decision: decision.outcome().as_str(),
        reason: decision.reason(),
        identity: &decision.identity,
        status: decision.status,
        id: &decision.id,
        as_of: decision.as_of.map(rfc3339),
        retry_after_ms: decision.retry_after_ms,
        calls: explain.then(|| decision.evidence.upstream.iter().map(called).collect()),
    }
}

fn called(call: &UpstreamCall) -> Call<'_> {
    Call {
        method: &call.method,
        host: call.host.as_deref(),
        path: &call.path,
        status: call.status,
        cached: call.cached,
        shared: call.shared,
    }
}

fn rfc3339(time: Wall) -> String {
    let seconds = i64::try_from(time.0.as_secs()).unwrap_or(i64::MAX);
    let nanos = i32::try_from(time.0.subsec_nanos()).unwrap_or(0);
    Timestamp::new(seconds, nanos)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}

const REQUIRED: [&str; 4] = ["connection", "user", "action", "resource"];
