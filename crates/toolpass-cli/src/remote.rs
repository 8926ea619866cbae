//! One question put to a server: `check -server`.
//!
//! Separate from `check.rs` because what a far end says is not believed easily: an allow counts only as the whole, unambiguous answer of
//! status 200. Anything else that is no clear decision is no decision.
//!
//! INVARIANT: the key is sent to the address given and nowhere else: no redirect is followed, nothing is sent twice.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolpass_config::url;
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::duration;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::secret::SecretRef;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::clock::SystemClock;
use toolpass_http::json;
use toolpass_http::path::PathBuilder;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::transport::{Transport, TransportSettings};
use toolpass_http::url::Url;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::local;
use crate::output::Page;

/// The flags that go with a server only.
pub(crate) const OWN: [&str; 3] = ["api-key", "ca-file", "timeout"];

/// Ask the server of `-server`.
/// Errors: the flags are wrong, or it gave no clear decision.
pub(crate) fn ask(arguments: &Arguments, server: &str, question: &Question) -> Result<Done, Stop> {
    if arguments.value("config").is_some() {
        return Err(Stop::Usage("-config does not go with -server".into()));
    }
    if arguments.is_on("explain") {
        return Err(Stop::Usage("-explain does not go with -server".into()));
    }
    let client = client(arguments, server)?;
    // The older path knows no age.
    let path: PathBuilder = match question.freshness.max_age {
        Some(_) => ["v1", "check"].into(),
        None => ["check"].into(),
    };
    let request = client
        .post(path)
        .json(&body(question))
        .once()
        .accept_status(&(400..600).collect::<Vec<u16>>());
    let timeout = timeout(arguments)?;
    let answered = local::wait(async {
        let ctx = Context::new(Arc::new(SystemClock), timeout, Freshness::default());
        request.send(&ctx).await
    })?;
    let answer = answered.map_err(|error| Stop::Failed(error.to_string()))?;
    let said = read(answer.status, &answer.body)
        .map_err(|why| Stop::Failed(format!("the server gave no decision: {why}")))?;
    let page = match arguments.value("json") {
        Some("v1") => {
            Page::json(&json!({"decision": said.outcome.as_str(), "reason": said.reason}))?
        }
        Some("true") => Page::json(&said.whole)?,
        _ => {
            let mut page = Page::new();
            page.line(said.outcome.as_str());
            page.line(&format!("  {}", said.reason));
            page
        }
    };
    let exit = match said.outcome {
        Outcome::Allow => Exit::Done,
        Outcome::Deny => Exit::Denied,
        Outcome::Unknown => Exit::Unknown,
    };
    Ok(Done { page, exit })
}

/// A clear answer.
#[derive(Debug)]
struct Said {
    outcome: Outcome,
    reason: String,
    whole: Map<String, Value>,
}

/// Read a decision.
/// Errors: why it is none.
fn read(status: u16, body: &[u8]) -> Result<Said, String> {
    if body.len() > MAX_BODY_BYTES {
        return Err("the answer is larger than 64 KiB".into());
    }
    let is_one_value = serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
    let answer = json::parse(body).ok().filter(|_| is_one_value);
    let Some(Value::Object(answer)) = answer else {
        return Err(format!("status {status}, and no JSON object"));
    };
    for name in ["decision", "reason"] {
        let spellings = answer.keys().filter(|key| key.eq_ignore_ascii_case(name));
        if spellings.count() > 1 {
            return Err(format!("`{name}` stands twice in different spellings"));
        }
    }
    let outcome = match answer.get("decision").and_then(Value::as_str) {
        Some("allow") => Outcome::Allow,
        Some("deny") => Outcome::Deny,
        Some("unknown") => Outcome::Unknown,
        Some(_) | None => {
            return Err(format!(
                "status {status}, and no `decision` of allow, deny or unknown"
            ));
        }
    };
    let reason = match answer.get("reason") {
        Some(Value::String(reason)) => reason.clone(),
        None => String::new(),
        Some(_) => return Err("its `reason` is no text".into()),
    };
    if outcome == Outcome::Allow {
        let code = reason.split(':').next().map(str::trim);
        if status != 200 {
            return Err(format!("an allow with status {status}"));
        }
        if code != Some(Code::Allowed.as_str()) {
            return Err("an allow whose reason is another".into());
        }
    }
    let known = answer
        .into_iter()
        .filter(|(name, _)| MEMBERS.contains(&name.as_str()));
    let mut whole: Map<String, Value> = known.collect();
    whole.insert("status".into(), status.into());
    Ok(Said {
        outcome,
        reason,
        whole,
    })
}

fn body(question: &Question) -> Value {
    let mut body = json!({
        "user": question.user,
        "connection": question.connection,
        "action": question.action,
        "resource": question.resource,
    });
    let mut set = |name: &str, value: Value| {
        if let Value::Object(members) = &mut body {
            members.insert(name.to_owned(), value);
        }
    };
    if !question.groups.is_empty() {
        set("groups", json!(question.groups));
    }
    if question.freshness.fresh {
        set("fresh", json!(true));
    }
    if let Some(age) = question.freshness.max_age {
        set("max_age", json!(age.as_secs_f64()));
    }
    if let Some(token) = &question.token {
        set("token", json!(String::from_utf8_lossy(token.expose())));
    }
    body
}

/// A client of the server, which shows its key.
/// Errors: the address, the key's reference or the certificates.
fn client(arguments: &Arguments, server: &str) -> Result<Client, Stop> {
    let base = server.trim_end_matches('/');
    let base = base.strip_suffix("/check").unwrap_or(base);
    let base = url::normalised(base).map_err(|why| Stop::Usage(format!("-server: {why}")))?;
    let base = Url::parse(&base).map_err(|why| Stop::Usage(format!("-server: {why}")))?;
    let reference = arguments.value("api-key").unwrap_or("env:TOOLPASS_API_KEY");
    let reference = SecretRef::parse(reference).map_err(|_| {
        Stop::Usage(
            "-api-key: expected `env:NAME` or `file:PATH`; the key itself is not accepted".into(),
        )
    })?;
    toolpass_http::secrets::read(&reference)
        .map_err(|error| Stop::Failed(format!("-api-key: {error}")))?;
    let ca_pem = match arguments.value("ca-file") {
        Some(path) => Some(
            std::fs::read(path)
                .map_err(|error| Stop::Failed(format!("-ca-file `{path}`: {error}")))?,
        ),
        None => None,
    };
    let settings = TransportSettings {
        ca_pem,
        own_host: Some(base.host().to_owned()),
        timeout: timeout(arguments)?,
        environment: ProxyEnvironment::from_env(),
        ..TransportSettings::default()
    };
    let transport =
        Transport::new(settings).map_err(|error| Stop::Failed(format!("-ca-file: {error}")))?;
    Ok(Client::new(transport, base).with_auth(Arc::new(Bearer::from_ref(reference))))
}

fn timeout(arguments: &Arguments) -> Result<Duration, Stop> {
    let given = arguments.value("timeout").unwrap_or("60s");
    let read = duration::parse(given).ok().filter(|time| !time.is_zero());
    read.ok_or_else(|| Stop::Usage("-timeout: expected a duration above 0, such as `60s`".into()))
}

const MAX_BODY_BYTES: usize = 64 * 1024;
const MEMBERS: [&str; 6] = [
    "decision",
    "reason",
    "identity",
    "id",
    "as_of",
    "retry_after_ms",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_far_end_may_say() {
        let check = |status: u16, body: &str, expected: &str| {
            let found = read(status, body.as_bytes());
            let found = found.map_or_else(|why| why, |said| said.outcome.as_str().to_owned());
            assert!(found.contains(expected), "{status} {body}: {found}");
        };
        let allow = r#"{"decision":"allow","reason":"allowed: yes"}"#;
        check(200, allow, "allow");
        check(200, r#"{"decision":"deny","reason":"denied: no"}"#, "deny");
        check(403, r#"{"decision":"deny","reason":"denied: no"}"#, "deny");
        check(
            503,
            r#"{"decision":"unknown","reason":"overloaded"}"#,
            "unknown",
        );
        check(200, r#"{"decision":"unknown"}"#, "unknown");
        for status in [201, 204, 302, 401, 500] {
            check(status, allow, "an allow with status");
        }
        check(
            200,
            r#"{"decision":"allow","reason":"denied: no"}"#,
            "another",
        );
        check(200, r#"{"decision":"allow"}"#, "another");
        check(
            200,
            r#"{"decision":"deny","Decision":"allow","reason":"allowed"}"#,
            "twice",
        );
        check(
            200,
            r#"{"DECISION":"allow","reason":"allowed"}"#,
            "no `decision`",
        );
        check(
            200,
            r#"{"decision":"deny","decision":"allow","reason":"allowed"}"#,
            "no JSON object",
        );
        check(200, &format!("{allow}{allow}"), "no JSON object");
        check(
            200,
            r#"{"decision":"Allow","reason":"allowed"}"#,
            "no `decision`",
        );
        check(
            200,
            r#"{"decision":true,"reason":"allowed"}"#,
            "no `decision`",
        );
        check(200, r#"{"decision":"allow","reason":7}"#, "no text");
        check(200, "[]", "no JSON object");
        check(200, "<html>", "no JSON object");
        check(200, "", "no JSON object");
        check(
            200,
            &format!(
                "{{\"decision\":\"allow\",\"x\":\"{}\"}}",
                "x".repeat(70_000)
            ),
            "64 KiB",
        );
    }
}
