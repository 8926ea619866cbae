//! `/v1/check` and `/v1/check/batch`: questions with everything the engine takes, answers with everything it knows.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use serde::Serialize;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Freshness, Question};
use toolpass_engine::engine::MAX_BATCH;
use toolpass_engine::stamp::rfc3339;
use toolpass_wire::json::Json;

use crate::check::person;
use crate::exchange::{Asked, NotAsked};
use crate::members::{Members, Names, json, kind};
use crate::reply::{Form, Reply, status_of};

/// A decision with everything that is known of it.
#[derive(Serialize)]
pub(crate) struct Told {
    decision: &'static str,
    code: &'static str,
    text: String,
    reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    identity: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
    cached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

#[derive(Serialize)]
struct Results {
    results: Vec<Told>,
}

/// What is asked of a batch.
struct Batch {
    /// The question of each item, or what is wrong with it.
    items: Vec<Result<Question, String>>,
    patience: Option<Duration>,
}

impl Told {
    /// A decision.
    pub(crate) fn of(decision: &Decision) -> Told {
        Told {
            decision: decision.outcome().as_str(),
            code: decision.code().as_str(),
            text: decision.text().to_owned(),
            reason: decision.reason(),
            identity: decision.identity.clone(),
            id: decision.id.clone(),
            as_of: decision.as_of.map(rfc3339),
            cached: decision.cached,
            retry_after_ms: decision.retry_after_ms,
        }
    }
}

/// Answer `/v1/check`.
pub(crate) fn one(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let question = json(&asked.body).and_then(|body| question("the request", body, FIELDS));
        match question {
            Ok(question) => match asked.ask(question).await {
                Ok(decision) => Reply::json(status_of(&decision), &Told::of(&decision)),
                Err(refused) => refused.reply(Form::Full),
            },
            Err(text) => invalid(Form::Full, &text),
        }
    }
    .boxed()
}

/// Answer `/v1/check/batch`.
pub(crate) fn many(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let batch = match json(&asked.body).and_then(batch) {
            Ok(batch) => batch,
            Err(text) => return invalid(Form::Coded, &text),
        };
        match asked.ask_many(batch.items, batch.patience).await {
            Ok(decisions) => {
                let results = decisions.iter().map(Told::of).collect();
                Reply::json(StatusCode::OK, &Results { results })
            }
            Err(refused) => refused.reply(Form::Coded),
        }
    }
    .boxed()
}

/// What cannot be asked, as an item's own answer.
pub(crate) fn undecided(refused: &NotAsked) -> Decision {
    let (status, code, text, wait) = refused.told();
    let mut decision = Decision::unknown(code, text);
    decision.status = status.as_u16();
    decision.retry_after_ms = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    decision
}

/// A malformed item, as its own answer.
pub(crate) fn malformed(text: &str) -> Decision {
    let mut decision = Decision::unknown(Code::InvalidRequest, text);
    decision.status = StatusCode::BAD_REQUEST.as_u16();
    decision
}

/// Seconds, whole or with a fraction.
/// Errors: what is accepted.
pub(crate) fn seconds(members: &mut Members, name: &str) -> Result<Option<Duration>, String> {
    let Some(given) = members.take(name) else {
        return Ok(None);
    };
    let number = given
        .as_number()
        .and_then(|digits| digits.parse::<f64>().ok());
    match number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(duration) if duration <= LONGEST => Ok(Some(duration)),
        Some(_) | None => Err(members.wrong(name, &given, "seconds from 0 to 86400")),
    }
}

fn question(
    what: &'static str,
    body: Json,
    fields: &'static [&'static str],
) -> Result<Question, String> {
    let mut members = Members::of(what, body, fields, Names::Exact)?;
    let mut question = person(&mut members)?;
    question.freshness = Freshness {
        fresh: members.flag("fresh")?,
        max_age: seconds(&mut members, "max_age")?,
    };
    question.facts = facts(&mut members)?;
    Ok(question)
}

fn facts(members: &mut Members) -> Result<Facts, String> {
    let given = match members.take("facts") {
        None => return Ok(Facts::new()),
        Some(Json::Object(given)) if given.len() <= MAX_FACTS => given,
        Some(Json::Object(_)) => {
            return Err(format!("facts: expected at most {MAX_FACTS} members"));
        }
        Some(other) => return Err(members.wrong("facts", &other, "an object of strings")),
    };
    let facts = given.into_iter().map(|(name, value)| match value {
        Json::String(text) if name.len() <= MAX_FACT_BYTES && text.len() <= MAX_FACT_BYTES => {
            Ok((name, text))
        }
        Json::String(_) => Err(format!(
            "facts: a member is longer than {MAX_FACT_BYTES} bytes"
        )),
        other => Err(members.wrong("facts", &other, "only strings in the object")),
    });
    facts.collect()
}

fn batch(body: Json) -> Result<Batch, String> {
    let mut members = Members::of("the request", body, BATCH_FIELDS, Names::Exact)?;
    let patience = match members.take("timeout_ms") {
        None => None,
        Some(given) => {
            let millis = given
                .as_number()
                .and_then(|digits| digits.parse::<u64>().ok());
            match millis.filter(|millis| (1..=MAX_TIMEOUT_MS).contains(millis)) {
                Some(millis) => Some(Duration::from_millis(millis)),
                None => {
                    return Err(members.wrong(
                        "timeout_ms",
                        &given,
                        "milliseconds from 1 to 300000",
                    ));
                }
            }
        }
    };
    let defaults = match members.take("defaults") {
        None => Vec::new(),
        Some(defaults) => {
            // What is wrong with them is wrong with the request, also when no item takes them.
            question("the defaults", defaults.clone(), FIELDS)?;
            match defaults {
                Json::Object(defaults) => defaults,
                other => return Err(members.wrong("defaults", &other, "an object")),
            }
        }
    };
    let checks = match members.take("checks") {
        Some(Json::Array(checks)) => checks,
        None => return Err("the field \"checks\" is missing".into()),
        Some(other) => return Err(members.wrong("checks", &other, "a list")),
    };
    if checks.len() > MAX_BATCH {
        return Err(format!(
            "checks: expected at most {MAX_BATCH}, got {}",
            checks.len()
        ));
    }
    let items = checks.into_iter().map(|item| match item {
        Json::Object(own) => question("the check", Json::Object(completed(own, &defaults)), FIELDS),
        other => Err(format!("a check is {}, expected an object", kind(&other))),
    });
    Ok(Batch {
        items: items.collect(),
        patience,
    })
}

/// An item's members, and the defaults of those it does not give.
fn completed(mut own: Vec<(String, Json)>, defaults: &[(String, Json)]) -> Vec<(String, Json)> {
    for (name, value) in defaults {
        match own.iter_mut().find(|(given, _)| given == name) {
            Some((_, given)) if given.is_null() => *given = value.clone(),
            Some(_) => {}
            None => own.push((name.clone(), value.clone())),
        }
    }
    own
}

fn invalid(form: Form, text: &str) -> Reply {
    Reply::wrong(form, StatusCode::BAD_REQUEST, Code::InvalidRequest, text)
}

const BATCH_FIELDS: &[&str] = &["checks", "defaults", "timeout_ms"];
const FIELDS: &[&str] = &[
    "action",
    "connection",
    "facts",
    "fresh",
    "groups",
    "max_age",
    "resource",
    "token",
    "user",
];
const LONGEST: Duration = Duration::from_secs(86_400);
const MAX_FACTS: usize = 32;
const MAX_FACT_BYTES: usize = 4096;
const MAX_TIMEOUT_MS: u64 = 300_000;
