//! `/v1/observe`: one request of a remote toolkit, named by this server's tables and, as the user, asked of the engine.
//!
//! For a toolkit whose own tables differ from the server's. The request is read exactly as a hook's would be; what the
//! answers mean for it is the toolkit's to decide.
//! INVARIANT: a request that carries credentials is refused: they have no business here.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use serde::Serialize;
use toolpass_core::codes::Code;
use toolpass_core::effect::Effect;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::resource::Resource;
use toolpass_core::user::Token;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::extract::{Need, Target};
use toolpass_wire::json::Json;
use toolpass_wire::observe::{Observation, RowInfo};
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;
use toolpass_wire::table::Audience;

use crate::exchange::{Asked, NotAsked};
use crate::members::{Members, Names, json};
use crate::reply::{Form, Reply};

/// What a request is.
#[derive(Serialize, Default)]
struct Observed {
    checks: Vec<Check>,
    effect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unmapped: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ambiguous: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_mismatch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown_host: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private: Option<bool>,
}

/// One pair that must be allowed.
#[derive(Serialize)]
struct Check {
    connection: String,
    integration: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    effect: &'static str,
    sends_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    audience: Option<&'static str>,
    untrusted_output: bool,
    sensitive: bool,
    agent_sight: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_only: Option<String>,
    private: bool,
    strict_reads: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<String, String>,
}

/// What a body says.
struct Sent {
    scheme: String,
    host: String,
    port: Option<u16>,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    unread: bool,
    person: Question,
    as_user: bool,
    fresh: Vec<Effect>,
}

/// Answer `/v1/observe`.
pub(crate) fn request(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let sent = match json(&asked.body).and_then(read) {
            Ok(sent) => sent,
            Err(text) => {
                return Reply::wrong(
                    Form::Coded,
                    StatusCode::BAD_REQUEST,
                    Code::InvalidRequest,
                    &text,
                );
            }
        };
        match observed(&asked, &sent).await {
            Ok(observed) => Reply::json(StatusCode::OK, &observed),
            Err(refused) => refused.reply(Form::Coded),
        }
    }
    .boxed()
}

async fn observed(asked: &Asked, sent: &Sent) -> Result<Observed, NotAsked> {
    let raw = RawRequest {
        scheme: &sent.scheme,
        host: &sent.host,
        port: sent.port,
        method: &sent.method,
        target: &sent.target,
        headers: sent
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect(),
        body: match &sent.body {
            _ if sent.unread => RawBody::Unread,
            Some(bytes) => RawBody::Bytes(bytes),
            None => RawBody::None,
        },
    };
    let request = WireRequest::read(raw, &Limits::default());
    let systems = &asked.live.systems;
    let is_private = |indices: &[usize]| {
        indices
            .iter()
            .any(|index| systems.get(*index).is_some_and(|system| system.private))
    };
    Ok(match systems.observe(&request) {
        Observation::HostMismatch { reason } => Observed {
            effect: request.effect().as_str(),
            host_mismatch: Some(reason),
            ..Observed::default()
        },
        Observation::UnknownHost {
            counts_as_write, ..
        } => Observed {
            effect: if counts_as_write {
                Effect::Write
            } else {
                request.effect()
            }
            .as_str(),
            unknown_host: Some(true),
            ..Observed::default()
        },
        // Its own tables are here, whatever is asked.
        Observation::Served { .. } => Observed {
            effect: Effect::Write.as_str(),
            unresolved: Some("its tables are elsewhere".into()),
            ..Observed::default()
        },
        Observation::Unmapped { systems, effect } => Observed {
            effect: effect.as_str(),
            unmapped: Some(true),
            private: Some(is_private(&systems)),
            ..Observed::default()
        },
        Observation::Unresolved {
            systems,
            effect,
            reason,
            ..
        } => Observed {
            effect: effect.as_str(),
            unresolved: Some(reason.to_string()),
            private: Some(is_private(&systems)),
            ..Observed::default()
        },
        Observation::Mapped {
            systems,
            row,
            needs,
            effect,
        } => {
            let mut observed = Observed {
                effect: effect.as_str(),
                ..Observed::default()
            };
            for need in &needs {
                match check(asked, sent, &systems, &row, need).await? {
                    Ok(check) => observed.checks.push(check),
                    Err(problem) => {
                        // What is not clear of one pair is not clear of the request.
                        observed.checks.clear();
                        match problem {
                            Problem::Ambiguous(text) => observed.ambiguous = Some(text),
                            Problem::Unresolved(text) => observed.unresolved = Some(text),
                        }
                        return Ok(observed);
                    }
                }
            }
            observed
        }
    })
}

/// Why a pair cannot be named.
enum Problem {
    Ambiguous(String),
    Unresolved(String),
}

/// One pair: whose it is, what it acts on, and what the engine says of it.
async fn check(
    asked: &Asked,
    sent: &Sent,
    candidates: &[usize],
    row: &RowInfo,
    need: &Need,
) -> Result<Result<Check, Problem>, NotAsked> {
    let named = match place(asked, candidates, need).await? {
        Ok(named) => named,
        Err(problem) => return Ok(Err(problem)),
    };
    let Some(system) = asked.live.systems.get(named.system) else {
        return Ok(Err(Problem::Unresolved(
            "the connection is not there".into(),
        )));
    };
    asked.may_look_up(&Question {
        connection: system.connection.clone(),
        ..Question::default()
    })?;
    let mut check = Check {
        connection: system.connection.clone(),
        integration: system.integration,
        action: need.action.as_deref().map(str::to_owned),
        resource: named.resource,
        effect: need.effect.as_str(),
        sends_out: row.sends_out.is_some(),
        audience: row.sends_out.map(Audience::as_str),
        untrusted_output: row.untrusted_output,
        sensitive: row.sensitive,
        agent_sight: row.agent_sight,
        agent_only: row.agent_only.as_deref().map(str::to_owned),
        private: system.private,
        strict_reads: system.strict_reads,
        decision: None,
        reason: None,
        facts: need.facts.clone(),
    };
    let (Some(action), Some(resource), true) = (&check.action, &check.resource, sent.as_user)
    else {
        return Ok(Ok(check));
    };
    let question = Question {
        connection: check.connection.clone(),
        action: action.clone(),
        resource: resource.clone(),
        facts: need.facts.clone(),
        freshness: Freshness {
            fresh: sent.fresh.contains(&need.effect) || row.sensitive,
            max_age: None,
        },
        ..sent.person.clone()
    };
    let decision = asked.ask(question).await?;
    check.decision = Some(decision.outcome().as_str());
    check.reason = Some(decision.reason());
    Ok(Ok(check))
}

/// A system and the resource in it.
struct Named {
    system: usize,
    resource: Option<String>,
}

async fn place(
    asked: &Asked,
    candidates: &[usize],
    need: &Need,
) -> Result<Result<Named, Problem>, NotAsked> {
    let systems = &asked.live.systems;
    let parsed = match &need.target {
        None => None,
        Some(Target::Resource(text)) => match Resource::parse(text) {
            Ok(resource) => Some(resource),
            Err(error) => return Ok(Err(Problem::Unresolved(error.to_string()))),
        },
        Some(Target::Pointer(pointer)) => {
            let [only] = candidates else {
                return Ok(Err(Problem::Ambiguous(
                    "a pointer to be looked up in several connections".into(),
                )));
            };
            let Some(system) = systems.get(*only) else {
                return Ok(Err(Problem::Unresolved(
                    "the connection is not there".into(),
                )));
            };
            let question = Question {
                connection: system.connection.clone(),
                ..Question::default()
            };
            asked.may_look_up(&question)?;
            let _place = asked.place(&system.connection)?;
            let looking =
                asked
                    .live
                    .engine
                    .resolve(&system.connection, pointer, Freshness::default());
            match asked.unless_gone(looking).await? {
                Ok(Some(resource)) => Some(resource),
                Ok(None) => {
                    return Ok(Err(Problem::Unresolved(
                        "what it names is not there".into(),
                    )));
                }
                Err(decision) => return Ok(Err(Problem::Unresolved(decision.reason()))),
            }
        }
    };
    let chosen = match (&parsed, candidates) {
        (_, [only]) => Ok(*only),
        (Some(resource), _) => systems
            .select(candidates, resource)
            .map_err(|error| error.to_string()),
        (None, [first, ..]) => Ok(*first),
        (None, []) => Err("no connection".into()),
    };
    Ok(chosen
        .map(|system| Named {
            system,
            resource: parsed.map(|resource| resource.as_str().to_owned()),
        })
        .map_err(Problem::Ambiguous))
}

fn read(body: Json) -> Result<Sent, String> {
    let mut members = Members::of("the request", body, FIELDS, Names::Exact)?;
    let token = members.text("token")?;
    let mut headers = Vec::new();
    for (name, value) in headers_of(&mut members)? {
        if CREDENTIALS
            .iter()
            .any(|header| name.eq_ignore_ascii_case(header))
        {
            return Err(format!(
                "headers: {name} carries credentials, which are never sent here"
            ));
        }
        headers.push((name, value));
    }
    let body = match members.text_if_given("body")? {
        None => None,
        Some(text) => Some(STANDARD.decode(text).map_err(|_| "body: expected base64")?),
    };
    let query = members.text_if_given("query")?;
    let mut target = members.required_text("path")?;
    if let Some(query) = query {
        target.push('?');
        target.push_str(&query);
    }
    Ok(Sent {
        scheme: members.required_text("scheme")?,
        host: members.required_text("host")?,
        port: port(&mut members)?,
        method: members.required_text("method")?,
        target,
        headers,
        body,
        unread: members.flag("unread")?,
        as_user: match members.text_if_given("as")?.as_deref() {
            None | Some("user") => true,
            Some("agent") => false,
            Some(_) => return Err("as: expected \"user\" or \"agent\"".into()),
        },
        fresh: effects(&members.texts("fresh")?)?,
        person: Question {
            user: members.text("user")?,
            groups: members.texts("groups")?,
            token: Token::parse(&token).map_err(|error| format!("token: {error}"))?,
            ..Question::default()
        },
    })
}

fn headers_of(members: &mut Members) -> Result<Vec<(String, String)>, String> {
    let items = match members.take("headers") {
        None => return Ok(Vec::new()),
        Some(Json::Array(items)) => items,
        Some(other) => return Err(members.wrong("headers", &other, "a list of [name, value]")),
    };
    let pairs = items.iter().map(|item| match item.as_array() {
        Some([Json::String(name), Json::String(value)]) => Ok((name.clone(), value.clone())),
        _ => Err(members.wrong("headers", item, "a list of [name, value]")),
    });
    pairs.collect()
}

fn port(members: &mut Members) -> Result<Option<u16>, String> {
    match members.take("port") {
        None => Ok(None),
        Some(given) => match given.as_number().and_then(|digits| digits.parse().ok()) {
            Some(port) => Ok(Some(port)),
            None => Err(members.wrong("port", &given, "a port")),
        },
    }
}

fn effects(names: &[String]) -> Result<Vec<Effect>, String> {
    let parsed: Option<Vec<Effect>> = names.iter().map(|name| Effect::parse(name)).collect();
    parsed.ok_or_else(|| "fresh: expected effects among read, write and destructive".into())
}

/// Headers that no toolkit sends here.
const CREDENTIALS: &[&str] = &[
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
];

const FIELDS: &[&str] = &[
    "as", "body", "fresh", "groups", "headers", "host", "method", "path", "port", "query",
    "scheme", "token", "unread", "user",
];
