//! The paths of the OpenID AuthZEN Authorization API 1.0: evaluation, evaluations, metadata.
//!
//! A subject is a user, an action its name, a resource `type:id` with its properties as the query; the connection stands in the
//! resource's properties or in the context, and need not when there is but one. Members that are not known are ignored, as
//! the standard wants. No searches: who may do what in another system cannot be listed honestly.
//! INVARIANT: `true` only for an allow.
//! SOURCE: openid.net/specs/authorization-api-1_0.html, read 2026-11-30.

use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HOST};
use serde::Serialize;
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Freshness, Question};
use toolpass_engine::engine::MAX_BATCH;
use toolpass_engine::stamp::rfc3339;
use toolpass_wire::json::Json;

use crate::exchange::Asked;
use crate::members::{json, kind};
use crate::reply::{Form, Reply};
use crate::v1::malformed;

/// An answer.
#[derive(Serialize)]
struct Evaluated {
    decision: bool,
    context: Context,
}

#[derive(Serialize, Default)]
struct Context {
    reason_code: &'static str,
    reason: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ItemError>,
}

#[derive(Serialize)]
struct ItemError {
    status: u16,
    message: String,
}

#[derive(Serialize)]
struct Evaluations {
    evaluations: Vec<Evaluated>,
}

#[derive(Serialize)]
struct Metadata {
    policy_decision_point: String,
    access_evaluation_endpoint: String,
    access_evaluations_endpoint: String,
}

/// When a list of evaluations ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Semantic {
    All,
    UntilDeny,
    UntilPermit,
}

/// What names of the server the questions need.
struct Names<'a> {
    /// The connection of who names none.
    only: Option<&'a str>,
    /// The mail domain of a subject that is no e-mail.
    domain: Option<&'a str>,
}

/// Answer `/access/v1/evaluation`.
pub(crate) fn evaluation(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        if let Some(reply) = refused(&asked) {
            return reply;
        }
        match object(&asked.body) {
            Ok(body) => single(&asked, &body).await,
            Err(text) => invalid(&text),
        }
    }
    .boxed()
}

/// Answer `/access/v1/evaluations`.
pub(crate) fn evaluations(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        if let Some(reply) = refused(&asked) {
            return reply;
        }
        let body = match object(&asked.body) {
            Ok(body) => body,
            Err(text) => return invalid(&text),
        };
        let items = match body.get("evaluations") {
            None => return single(&asked, &body).await,
            Some(Json::Array(items)) if items.is_empty() => return single(&asked, &body).await,
            Some(Json::Array(items)) if items.len() <= MAX_BATCH => items,
            Some(Json::Array(_)) => {
                return invalid(&format!("expected at most {MAX_BATCH} evaluations"));
            }
            Some(other) => return invalid(&wrong("evaluations", other, "a list")),
        };
        match semantic(&body) {
            Ok(semantic) => several(&asked, &body, items, semantic).await,
            Err(text) => invalid(&text),
        }
    }
    .boxed()
}

/// Answer `/.well-known/authzen-configuration`.
pub(crate) fn metadata(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        if !asked.live.config.server.authzen {
            return Reply::text(StatusCode::NOT_FOUND, "not found");
        }
        let base = base(&asked);
        Reply::json(
            StatusCode::OK,
            &Metadata {
                access_evaluation_endpoint: format!("{base}/access/v1/evaluation"),
                access_evaluations_endpoint: format!("{base}/access/v1/evaluations"),
                policy_decision_point: base,
            },
        )
    }
    .boxed()
}

/// The answer where AuthZEN is switched off, or where the body is said to be something else than JSON.
fn refused(asked: &Asked) -> Option<Reply> {
    if !asked.live.config.server.authzen {
        return Some(Reply::text(StatusCode::NOT_FOUND, "not found"));
    }
    let mut types = asked.head.headers.get_all(CONTENT_TYPE).iter();
    let is_json = |value: &http::HeaderValue| {
        let text = value.to_str().unwrap_or_default();
        let kind = text.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json")
    };
    match (types.next(), types.next()) {
        (Some(one), None) if is_json(one) => None,
        _ => Some(invalid("expected a Content-Type of application/json")),
    }
}

async fn single(asked: &Asked, body: &Json) -> Reply {
    let question = match question(&names(asked), |name| body.get(name)) {
        Ok(question) => question,
        Err(text) => return invalid(&text),
    };
    match asked.ask(question).await {
        Ok(decision) => Reply::json(StatusCode::OK, &evaluated(&decision)),
        Err(refused) => refused.reply(Form::Coded),
    }
}

async fn several(asked: &Asked, body: &Json, items: &[Json], semantic: Semantic) -> Reply {
    if let Some(other) = items.iter().find(|item| item.as_object().is_none()) {
        return invalid(&wrong("an evaluation", other, "an object"));
    }
    // What is wrong with a default is wrong with the request, not with the items that take it.
    for name in ["subject", "action", "resource", "context"] {
        match body.get(name) {
            None | Some(Json::Null | Json::Object(_)) => {}
            Some(other) => return invalid(&wrong(name, other, "an object")),
        }
    }
    let names = names(asked);
    let questions = items
        .iter()
        .map(|item| question(&names, |name| item.get(name).or_else(|| body.get(name))));
    let questions: Vec<Result<Question, String>> = questions.collect();
    let mut evaluations = Vec::with_capacity(questions.len());
    if semantic == Semantic::All {
        match asked.ask_many(questions, None).await {
            Ok(decisions) => evaluations.extend(decisions.iter().map(evaluated)),
            Err(refused) => return refused.reply(Form::Coded),
        }
        return Reply::json(StatusCode::OK, &Evaluations { evaluations });
    }
    for question in questions {
        let decision = match question {
            Ok(question) => match asked.ask(question).await {
                Ok(decision) => decision,
                Err(refused) => crate::v1::undecided(&refused),
            },
            Err(text) => malformed(&text),
        };
        let evaluated = evaluated(&decision);
        let ends = evaluated.decision == (semantic == Semantic::UntilPermit);
        evaluations.push(evaluated);
        if ends {
            break;
        }
    }
    Reply::json(StatusCode::OK, &Evaluations { evaluations })
}

fn evaluated(decision: &Decision) -> Evaluated {
    let status = decision.status;
    let error = (status != StatusCode::OK.as_u16()).then(|| ItemError {
        status,
        message: decision.text().to_owned(),
    });
    Evaluated {
        decision: decision.outcome() == Outcome::Allow,
        context: Context {
            reason_code: decision.code().as_str(),
            reason: decision.text().to_owned(),
            outcome: decision.outcome().as_str(),
            id: decision.id.clone(),
            as_of: decision.as_of.map(rfc3339),
            error,
        },
    }
}

fn names(asked: &Asked) -> Names<'_> {
    let covered = |id: &&str| {
        asked
            .key
            .as_ref()
            .is_none_or(|key| key.covers_connection(id))
    };
    let ids = asked
        .live
        .config
        .connections
        .iter()
        .map(|one| one.id.as_str());
    let mut ids = ids.filter(covered);
    Names {
        only: ids.next().filter(|_| ids.next().is_none()),
        domain: asked.live.config.server.authzen_domain.as_deref(),
    }
}

fn object(body: &[u8]) -> Result<Json, String> {
    match json(body)? {
        object @ Json::Object(_) => Ok(object),
        other => Err(wrong("the request", &other, "an object")),
    }
}

fn semantic(body: &Json) -> Result<Semantic, String> {
    let options = match body.get("options") {
        None | Some(Json::Null) => return Ok(Semantic::All),
        Some(options @ Json::Object(_)) => options,
        Some(other) => return Err(wrong("options", other, "an object")),
    };
    match options.get("evaluations_semantic") {
        None => Ok(Semantic::All),
        Some(Json::String(text)) => match text.as_str() {
            "execute_all" => Ok(Semantic::All),
            "deny_on_first_deny" => Ok(Semantic::UntilDeny),
            "permit_on_first_permit" => Ok(Semantic::UntilPermit),
            _ => Err("evaluations_semantic: expected execute_all, deny_on_first_deny or permit_on_first_permit".into()),
        },
        Some(other) => Err(wrong("evaluations_semantic", other, "a string")),
    }
}

/// The question of one evaluation, whose members `get` finds.
/// Errors: what is missing or wrong.
fn question<'j>(
    names: &Names<'_>,
    get: impl Fn(&str) -> Option<&'j Json>,
) -> Result<Question, String> {
    let part = |name: &str| match get(name) {
        Some(part @ Json::Object(_)) => Ok(part),
        None => Err(format!("{name} is missing")),
        Some(other) => Err(wrong(name, other, "an object")),
    };
    let (subject, action, resource) = (part("subject")?, part("action")?, part("resource")?);
    let context = match get("context") {
        None | Some(Json::Null) => None,
        Some(context @ Json::Object(_)) => Some(context),
        Some(other) => return Err(wrong("context", other, "an object")),
    };
    if text("subject.type", subject.get("type"))? != "user" {
        return Err("subject.type: expected \"user\"".into());
    }
    let properties = properties("resource.properties", resource)?;
    let mut facts = Facts::new();
    take_facts(
        &mut facts,
        "subject",
        self::properties("subject.properties", subject)?,
    );
    take_facts(
        &mut facts,
        "action",
        self::properties("action.properties", action)?,
    );
    Ok(Question {
        user: user(text("subject.id", subject.get("id"))?, names.domain),
        groups: groups(subject)?,
        token: None,
        connection: connection(names, properties, context)?,
        action: text("action.name", action.get("name"))?.to_owned(),
        resource: resource_text(
            text("resource.type", resource.get("type"))?,
            text("resource.id", resource.get("id"))?,
            properties,
        )?,
        facts,
        freshness: freshness(context)?,
    })
}

fn text<'j>(name: &str, value: Option<&'j Json>) -> Result<&'j str, String> {
    match value {
        Some(Json::String(text)) => Ok(text),
        None => Err(format!("{name} is missing")),
        Some(other) => Err(wrong(name, other, "a string")),
    }
}

fn properties<'j>(name: &str, of: &'j Json) -> Result<&'j [(String, Json)], String> {
    match of.get("properties") {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Object(members)) => Ok(members),
        Some(other) => Err(wrong(name, other, "an object")),
    }
}

/// A subject as an e-mail: a plain name is one of the configured domain.
fn user(id: &str, domain: Option<&str>) -> String {
    match domain {
        Some(domain) if !id.is_empty() && !id.contains('@') => format!("{id}@{domain}"),
        _ => id.to_owned(),
    }
}

fn groups(subject: &Json) -> Result<Vec<String>, String> {
    let given = subject
        .get("properties")
        .and_then(|properties| properties.get("groups"));
    let items = match given {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(Json::Array(items)) => items,
        Some(other) => {
            return Err(wrong(
                "subject.properties.groups",
                other,
                "a list of strings",
            ));
        }
    };
    items
        .iter()
        .map(|item| text("a group", Some(item)).map(str::to_owned))
        .collect()
}

fn connection(
    names: &Names<'_>,
    properties: &[(String, Json)],
    context: Option<&Json>,
) -> Result<String, String> {
    let in_properties = properties
        .iter()
        .find(|(name, _)| name == CONNECTION)
        .map(|(_, value)| value);
    let in_context = context.and_then(|context| context.get(CONNECTION));
    let named = |value| text("connection", Some(value));
    match (in_properties.map(named).transpose()?, in_context.map(named).transpose()?) {
        (Some(one), Some(other)) if one != other => {
            Err("the resource's properties and the context name different connections".into())
        }
        (Some(one), _) | (None, Some(one)) => Ok(one.to_owned()),
        (None, None) => names.only.map(str::to_owned).ok_or_else(|| {
            "no connection is named; expected one as resource.properties.connection or context.connection".into()
        }),
    }
}

fn freshness(context: Option<&Json>) -> Result<Freshness, String> {
    let fresh = match context.and_then(|context| context.get("fresh")) {
        None | Some(Json::Null) => false,
        Some(Json::Bool(fresh)) => *fresh,
        Some(other) => return Err(wrong("context.fresh", other, "true or false")),
    };
    let max_age = match context.and_then(|context| context.get("max_age")) {
        None | Some(Json::Null) => None,
        Some(given) => {
            let seconds = given
                .as_number()
                .and_then(|digits| digits.parse::<f64>().ok());
            let age =
                seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok());
            Some(age.ok_or_else(|| wrong("context.max_age", given, "seconds"))?)
        }
    };
    Ok(Freshness { fresh, max_age })
}

/// `type:id?query`, where the query is the properties, in the order of their names. No value can reach into another part.
fn resource_text(kind: &str, id: &str, properties: &[(String, Json)]) -> Result<String, String> {
    if id.contains('?') || kind.contains([':', '?']) {
        return Err("resource: `?` and, in the type, `:` cannot stand in a resource; what belongs to it are its properties".into());
    }
    let mut pairs = Vec::new();
    for (name, value) in properties.iter().filter(|(name, _)| name != CONNECTION) {
        let Some(value) = value.scalar() else {
            return Err(wrong(
                "resource.properties",
                value,
                "only strings, numbers and booleans",
            ));
        };
        pairs.push(format!("{}={}", encoded(name), encoded(value)));
    }
    pairs.sort_unstable();
    let head = if id.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}:{id}")
    };
    Ok(if pairs.is_empty() {
        head
    } else {
        format!("{head}?{}", pairs.join("&"))
    })
}

/// The scalar properties of the subject and the action, for an integration that reads them.
fn take_facts(facts: &mut Facts, of: &str, properties: &[(String, Json)]) {
    for (name, value) in properties.iter().filter(|(name, _)| name != "groups") {
        if let Some(text) = value.scalar() {
            facts.insert(format!("{of}.{name}"), text.to_owned());
        }
    }
}

fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b'@')
        {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Where the client reached the server, as far as it says so in a form that can be repeated.
fn base(asked: &Asked) -> String {
    let named = asked
        .head
        .headers
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let named = named.or_else(|| asked.head.uri.authority().map(http::uri::Authority::as_str));
    let fits = |host: &&str| {
        let is_plain =
            |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']');
        !host.is_empty() && host.len() <= 255 && host.bytes().all(is_plain)
    };
    let scheme = if asked.is_secure() { "https" } else { "http" };
    format!("{scheme}://{}", named.filter(fits).unwrap_or("localhost"))
}

fn wrong(name: &str, found: &Json, expected: &str) -> String {
    format!("{name} is or holds {}, expected {expected}", kind(found))
}

fn invalid(text: &str) -> Reply {
    Reply::wrong(
        Form::Coded,
        StatusCode::BAD_REQUEST,
        Code::InvalidRequest,
        text,
    )
}

const CONNECTION: &str = "connection";

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(body: &str) -> Result<Question, String> {
        let body = object(body.as_bytes())?;
        let names = Names {
            only: Some("gh"),
            domain: Some("example.com"),
        };
        question(&names, |name| body.get(name))
    }

    #[test]
    fn entities_become_a_question() {
        let question = asked(
            r#"{"subject":{"type":"user","id":"dana@acme.com","properties":{"groups":["a"],"role":"x"}},
                "action":{"name":"pr.merge","properties":{"soft":true}},
                "resource":{"type":"repo","id":"acme/shop","properties":{"connection":"git","branch":"a&b=c?d %","n":1}},
                "context":{"fresh":true,"max_age":1.5,"ip":"1.1.1.1"},"new":1}"#,
        )
        .unwrap();
        assert_eq!(question.user, "dana@acme.com");
        assert_eq!(question.connection, "git");
        assert_eq!(
            question.resource,
            "repo:acme/shop?branch=a%26b%3Dc%3Fd%20%25&n=1"
        );
        assert_eq!(
            (question.action.as_str(), question.groups),
            ("pr.merge", vec!["a".to_owned()])
        );
        assert_eq!(
            question.facts.get("action.soft").map(String::as_str),
            Some("true")
        );
        assert_eq!(
            question.freshness.max_age,
            Some(std::time::Duration::from_millis(1500))
        );
        let plain = asked(r#"{"subject":{"type":"user","id":"dana"},"action":{"name":"x"},"resource":{"type":"global","id":""}}"#).unwrap();
        assert_eq!(
            (plain.user.as_str(), plain.connection.as_str()),
            ("dana@example.com", "gh")
        );
        assert_eq!(plain.resource, "global");
    }

    #[test]
    fn what_is_no_question() {
        let whole = r#"{"subject":{"type":"user","id":"a@b"},"action":{"name":"x"},"resource":{"type":"t","id":"i"},"context":{}}"#;
        assert!(asked(whole).is_ok());
        for (part, instead, expected) in [
            (r#""type":"user""#, r#""type":"group""#, "subject.type"),
            (r#""type":"user","#, "", "subject.type is missing"),
            (r#""name":"x""#, r#""name":1"#, "action.name"),
            (r#""id":"i""#, r#""id":"i?branch=main""#, "`?`"),
            (r#""type":"t""#, r#""type":"t:u""#, "`:`"),
            (
                r#""id":"i""#,
                r#""id":"i","properties":[]"#,
                "resource.properties",
            ),
            (
                r#""id":"i""#,
                r#""id":"i","properties":{"a":{}}"#,
                "resource.properties",
            ),
            (r#""context":{}"#, r#""context":[]"#, "context"),
            (
                r#""context":{}"#,
                r#""context":{"fresh":1}"#,
                "context.fresh",
            ),
            (
                r#""context":{}"#,
                r#""context":{"max_age":-1}"#,
                "context.max_age",
            ),
            (
                r#""id":"i"},"context":{}"#,
                r#""id":"i","properties":{"connection":"a"}},"context":{"connection":"b"}"#,
                "different connections",
            ),
        ] {
            let body = whole.replacen(part, instead, 1);
            assert_ne!(body, whole);
            let found = asked(&body).unwrap_err();
            assert!(found.contains(expected), "{body}: {found}");
        }
        let names = Names {
            only: None,
            domain: None,
        };
        let body = object(whole.as_bytes()).unwrap();
        assert!(
            question(&names, |name| body.get(name))
                .unwrap_err()
                .contains("no connection is named")
        );
    }
}
