//! What every integration owes, whatever its system: trouble upstream ends as unknown with the right code, a fresh answer is
//! true, and nothing that is asked or answered leaks.
//!
//! A vendor's `tests/behavior.rs` describes one question its stand-in allows and one change of the world that takes it away; the suite
//! does the rest over a real socket. Timeouts are short budgets, never measured.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_integration::connection::Connection;
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::server::Running;

use crate::ask::{Ask, decide};

/// One integration on its stand-in.
pub struct Subject<'a> {
    /// Serves the system.
    pub standin: &'a mut Running,
    /// Makes a new connection to it: no caches, no tokens.
    pub connect: &'a dyn Fn(&Running) -> Arc<dyn Connection>,
    /// A question the world allows.
    pub allowed: Ask<'a>,
    /// Path prefixes of what a check and an identity look-up read: each is made to fail in turn.
    pub reads: &'a [&'a str],
    /// Makes the world deny the question.
    pub take_away: &'a dyn Fn(&Running),
    /// Makes the system refuse the credential it gave out or was configured with.
    pub revoke: &'a dyn Fn(&Running),
    /// Texts that may stand in no answer: credentials, and what bodies hold.
    pub secrets: &'a [&'a str],
}

/// Run the whole suite.
/// Errors: everything that is not as it should be.
pub async fn owes(subject: Subject<'_>) -> Result<(), String> {
    let mut problems = Vec::new();
    let seen = answer(&subject, &(subject.connect)(subject.standin), ORDINARY).await;
    if seen.outcome() != Outcome::Allow {
        return Err(format!(
            "the world must allow the question, found {}",
            seen.reason()
        ));
    }
    for read in subject.reads {
        for (trouble, fault, codes) in troubles() {
            problems.extend(troubled(&subject, read, trouble, fault, codes).await.err());
        }
    }
    problems.extend(fresh(&subject).await.err());
    problems.extend(revoked(&subject).await.err());
    problems.extend(gone(subject).await.err());
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

/// What goes wrong, and the codes it may end in.
fn troubles() -> Vec<(&'static str, Fault, &'static [Code])> {
    let status = |status: u16, headers: &[(&str, &str)]| Fault::Status {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect::<BTreeMap<_, _>>(),
        body: Some(LEAKY_BODY.to_owned()),
    };
    vec![
        ("no answer", Fault::Hang, &[Code::UpstreamTimeout]),
        (
            "a slow drip",
            Fault::SlowDrip {
                every_ms: 50,
                body: String::new(),
            },
            &[Code::UpstreamTimeout],
        ),
        (
            "an endless body",
            Fault::Endless,
            &[Code::UpstreamError, Code::UpstreamTimeout],
        ),
        (
            "a cut body",
            Fault::Truncated,
            &[Code::UpstreamError, Code::UpstreamTimeout],
        ),
        (
            "a closed connection",
            Fault::Close,
            &[Code::UpstreamError, Code::UpstreamTimeout],
        ),
        ("bad JSON", Fault::MalformedJson, &[Code::UpstreamError]),
        ("401", status(401, &[]), &[Code::CredentialRejected]),
        (
            "403",
            status(403, &[]),
            &[Code::CredentialRejected, Code::Unsupported],
        ),
        (
            "429",
            status(429, &[("Retry-After", "60")]),
            &[Code::UpstreamRateLimited],
        ),
        ("500", status(500, &[]), &[Code::UpstreamError]),
        (
            "a login page",
            status(200, &[("Content-Type", "text/html")]),
            &[Code::UpstreamError],
        ),
    ]
}

async fn troubled(
    subject: &Subject<'_>,
    read: &str,
    trouble: &str,
    fault: Fault,
    codes: &[Code],
) -> Result<(), String> {
    subject.standin.reset();
    subject.standin.fault(FaultRule::on(read, fault));
    let connection = (subject.connect)(subject.standin);
    let decision = answer(subject, &connection, SHORT).await;
    let met = subject
        .standin
        .requests()
        .iter()
        .any(|entry| entry.fault.is_some());
    subject.standin.reset();
    if !met {
        return Err(format!("{trouble} at {read}: no request met it"));
    }
    if !codes.contains(&decision.code()) {
        return Err(format!(
            "{trouble} at {read}: expected one of {codes:?}, found {}",
            decision.reason()
        ));
    }
    leaks_nothing(subject, trouble, &decision)?;
    // Nothing of the trouble is remembered by a new connection to the well system.
    let after = answer(subject, &(subject.connect)(subject.standin), ORDINARY).await;
    if after.outcome() == Outcome::Allow {
        Ok(())
    } else {
        Err(format!(
            "after {trouble} at {read}: found {}",
            after.reason()
        ))
    }
}

/// A change upstream is seen by the next check of the same connection.
async fn fresh(subject: &Subject<'_>) -> Result<(), String> {
    subject.standin.reset();
    let connection = (subject.connect)(subject.standin);
    let before = answer(subject, &connection, ORDINARY).await;
    (subject.take_away)(subject.standin);
    let after = answer(subject, &connection, ORDINARY).await;
    subject.standin.reset();
    match (before.outcome(), after.outcome()) {
        (Outcome::Allow, Outcome::Deny) => Ok(()),
        _ => Err(format!(
            "a right taken away: found {}, then {}",
            before.reason(),
            after.reason()
        )),
    }
}

/// A credential revoked between two checks ends in an answer or an honest unknown, never in a deny.
async fn revoked(subject: &Subject<'_>) -> Result<(), String> {
    subject.standin.reset();
    let connection = (subject.connect)(subject.standin);
    answer(subject, &connection, ORDINARY).await;
    (subject.revoke)(subject.standin);
    let decision = answer(subject, &connection, ORDINARY).await;
    subject.standin.reset();
    leaks_nothing(subject, "a revoked credential", &decision)?;
    match decision.code() {
        Code::Allowed | Code::CredentialRejected => Ok(()),
        _ => Err(format!("a revoked credential: found {}", decision.reason())),
    }
}

/// A system that is not there.
async fn gone(subject: Subject<'_>) -> Result<(), String> {
    subject.standin.stop();
    let decision = answer(&subject, &(subject.connect)(subject.standin), SHORT).await;
    match decision.code() {
        Code::UpstreamError | Code::UpstreamTimeout => {
            leaks_nothing(&subject, "a refused connection", &decision)
        }
        _ => Err(format!("a refused connection: found {}", decision.reason())),
    }
}

async fn answer(
    subject: &Subject<'_>,
    connection: &Arc<dyn Connection>,
    budget: Duration,
) -> Decision {
    decide(connection.as_ref(), subject.allowed, Facts::new(), budget).await
}

fn leaks_nothing(subject: &Subject<'_>, trouble: &str, decision: &Decision) -> Result<(), String> {
    let shown = format!("{decision:?}");
    let mut secrets = subject.secrets.iter().copied().chain([LEAKY]);
    match secrets.find(|secret| shown.contains(secret)) {
        Some(_) => Err(format!(
            "{trouble}: the answer holds something that may not be shown"
        )),
        None => Ok(()),
    }
}

/// A word of an error body that may stand in no reason.
const LEAKY: &str = "upstream-body-7f3a";
const LEAKY_BODY: &str = r#"{"message": "upstream-body-7f3a"}"#;
const ORDINARY: Duration = Duration::from_secs(20);
/// Longer than two answers of a well stand-in, shorter than the patience of a test.
const SHORT: Duration = Duration::from_millis(700);
