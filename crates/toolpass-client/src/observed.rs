//! A request that a server names, with its tables: how it is sent there, and what the answer says.
//!
//! Separate from the asking because it is pure. Sent is the canonical request, without what proves who somebody is.
//! INVARIANT: an answer that is not wholly understood names nothing, and a request that is not named does not leave.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_wire::extract::{Need, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::observe::{RowInfo, Served, Systems};
use toolpass_wire::raw::RawBody;
use toolpass_wire::request::WireRequest;
use toolpass_wire::table::Audience;

use crate::answers::{Answer, failure, member, no_answer, object};

/// The body that asks what a request is. Nobody is asked about it there: that is done, rule by rule, here.
pub fn question(request: &WireRequest) -> Vec<u8> {
    let (path, query) = match request.raw_target().split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (request.raw_target(), None),
    };
    let headers: Vec<[&str; 2]> = request
        .headers()
        .iter()
        .filter(|(name, _)| !may_be_secret(name))
        .map(|(name, value)| [name, value])
        .collect();
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.into(), value);
    put("as", json!("agent"));
    put("scheme", json!(request.scheme().as_str()));
    put("host", json!(request.host()));
    put("port", json!(request.port()));
    put("method", json!(request.method()));
    put("path", json!(if path.is_empty() { "/" } else { path }));
    if let Some(query) = query {
        put("query", json!(query));
    }
    put("headers", json!(headers));
    match request.raw_body() {
        RawBody::None => {}
        RawBody::Bytes(bytes) => {
            put("body", json!(STANDARD.encode(bytes)));
        }
        RawBody::Unread => {
            put("unread", json!(true));
        }
    }
    Value::Object(members).to_string().into_bytes()
}

/// What the answer says. `systems` are those the request could belong to, here.
/// Errors: why it says nothing.
pub fn read(answer: &Answer<'_>, systems: &Systems) -> Result<Served, Box<Decision>> {
    if answer.status != 200 {
        return Err(Box::new(failure(answer)));
    }
    object(answer.body)
        .and_then(|members| served(&members, systems))
        .map_err(|why| Box::new(no_answer(answer.status, why)))
}

fn served(members: &[(String, Json)], systems: &Systems) -> Result<Served, &'static str> {
    let text = |name: &str| {
        member(members, name)
            .and_then(Json::as_str)
            .map(str::to_owned)
    };
    let is = |name: &str| match member(members, name) {
        None => Ok(false),
        Some(Json::Bool(is)) => Ok(*is),
        Some(_) => Err("it says something that is neither true nor false"),
    };
    let effect = text("effect").and_then(|text| Effect::parse(&text));
    let effect = effect.ok_or("it does not say what the request does")?;
    let checks = match member(members, "checks") {
        Some(Json::Array(checks)) if checks.len() <= MAX_CHECKS => checks,
        Some(_) | None => return Err("it has no list of checks"),
    };
    let problems = [
        text("host_mismatch").map(|reason| Served::HostMismatch { reason }),
        text("ambiguous").map(|_| Served::Ambiguous),
        text("unresolved").map(|reason| Served::Unresolved {
            effect,
            reason: Unresolved::new(reason),
        }),
        is("unmapped")?.then_some(Served::Unmapped { effect }),
    ];
    let mut problems = problems.into_iter().flatten();
    match (problems.next(), problems.next(), checks.as_slice()) {
        _ if is("unknown_host")? => Err("it knows no connection at this host any more"),
        (Some(problem), None, []) => Ok(problem),
        (None, _, [_, ..]) => mapped(checks, effect, systems),
        _ => Err("it says several things at once, or nothing"),
    }
}

fn mapped(checks: &[Json], effect: Effect, systems: &Systems) -> Result<Served, &'static str> {
    let mut row = RowInfo {
        method: "*".into(),
        template: "".into(),
        sends_out: None,
        untrusted_output: false,
        sensitive: false,
        agent_sight: false,
        agent_only: None,
        fields: Vec::new(),
    };
    let mut needs = Vec::with_capacity(checks.len());
    let mut strongest = effect;
    for check in checks {
        let members = check.as_object().ok_or("a check in it is no object")?;
        let need = one(members, systems)?;
        strongest = strongest.max(need.0.effect);
        needs.push(need);
        let flag = |name: &str| member(members, name).and_then(Json::as_bool);
        let flag = |name: &str| flag(name).ok_or("a check in it lacks a flag");
        if flag("sends_out")? {
            let word = member(members, "audience").and_then(Json::as_str);
            let told = Audience::ALL
                .into_iter()
                .find(|audience| Some(audience.as_str()) == word);
            // Of one that is not told, the widest.
            row.sends_out = Some(told.unwrap_or(Audience::Public));
        }
        row.untrusted_output |= flag("untrusted_output")?;
        row.sensitive |= flag("sensitive")?;
        row.agent_sight |= flag("agent_sight")?;
        if let Some(why) = member(members, "agent_only") {
            let why = why.as_str().ok_or("a check in it has no readable reason")?;
            row.agent_only = Some(why.to_owned().into());
        }
    }
    Ok(Served::Mapped {
        row,
        needs,
        effect: strongest,
    })
}

fn one(members: &[(String, Json)], systems: &Systems) -> Result<(Need, usize), &'static str> {
    let text = |name: &str| match member(members, name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err("a check in it has a member of another type"),
    };
    let connection = text("connection")?.ok_or("a check in it names no connection")?;
    let owner = systems
        .iter()
        .position(|system| system.connection == connection)
        .ok_or("a check in it names a connection that is not known here")?;
    let action = text("action")?;
    let target = match text("resource")? {
        Some(resource) => {
            Resource::parse(&resource).map_err(|_| "a check in it names no usable resource")?;
            Some(Target::Resource(resource))
        }
        None if action.is_some() => return Err("a check in it names nothing to act on"),
        None => None,
    };
    let effect = text("effect")?.and_then(|text| Effect::parse(&text));
    let facts = match member(members, "facts") {
        None => Facts::new(),
        Some(Json::Object(facts)) => {
            let facts = facts.iter();
            let facts = facts.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
            facts
                .collect::<Option<Facts>>()
                .ok_or("a check in it has unreadable facts")?
        }
        Some(_) => return Err("a check in it has unreadable facts"),
    };
    let need = Need {
        action: action.map(Into::into),
        target,
        effect: effect.ok_or("a check in it does not say what it does")?,
        facts,
    };
    Ok((need, owner))
}

/// Whether a header may prove who somebody is. No table reads such a one, and none leaves this process for another server than its
/// own.
fn may_be_secret(name: &str) -> bool {
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// Parts of the names of headers, in lower case.
const SECRET_PARTS: &[&str] = &[
    "auth", "cookie", "cred", "key", "pass", "secret", "session", "sign", "token",
];
const MAX_CHECKS: usize = 1000;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolpass_core::codes::Code;
    use toolpass_wire::body::limits::Limits;
    use toolpass_wire::observe::System;
    use toolpass_wire::raw::RawRequest;

    use super::*;

    fn systems() -> Systems {
        Systems::new(vec![System {
            connection: "gh".into(),
            integration: "github",
            table: None,
            endpoints: Vec::new(),
            owns: Arc::new(|_| true),
            private: false,
            strict_reads: false,
            is_served: true,
            vendor_hosts: &[],
        }])
    }

    fn of(status: u16, body: &str) -> Result<Served, Box<Decision>> {
        let answer = Answer {
            status,
            body: body.as_bytes(),
            retry_after: None,
        };
        read(&answer, &systems())
    }

    #[test]
    fn what_proves_who_somebody_is_stays_here() {
        let raw = RawRequest {
            scheme: "https",
            host: "api.example",
            port: Some(8443),
            method: "post",
            target: "/a?b=c",
            headers: vec![
                ("Authorization", b"Bearer hunter2"),
                ("Cookie", b"hunter2"),
                ("Private-Token", b"hunter2"),
                ("X-Api-Key", b"hunter2"),
                ("X-Vault-Token", b"hunter2"),
                ("Proxy-Authorization", b"hunter2"),
                ("Content-Type", b"application/json"),
                ("X-HTTP-Method-Override", b"DELETE"),
            ],
            body: RawBody::Bytes(b"{}"),
        };
        let request = WireRequest::read(raw, &Limits::default());
        let sent = String::from_utf8(question(&request)).unwrap();
        assert!(!sent.contains("hunter2"), "{sent}");
        let sent: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(
            sent,
            json!({
                "as": "agent", "scheme": "https", "host": "api.example", "port": 8443, "method": "POST",
                "path": "/a", "query": "b=c", "body": "e30=",
                "headers": [["content-type", "application/json"], ["x-http-method-override", "DELETE"]],
            })
        );
    }

    const CHECK: &str = r#"{"connection":"gh","integration":"github","action":"pr.create","resource":"repo:a/b","effect":"write","sends_out":true,"audience":"org","untrusted_output":false,"sensitive":false,"agent_sight":false,"private":false,"strict_reads":false,"facts":{"x":"y"}}"#;

    #[test]
    fn what_a_server_names() {
        let body = format!("{{\"checks\":[{CHECK}],\"effect\":\"read\"}}");
        let Ok(Served::Mapped { row, needs, effect }) = of(200, &body) else {
            panic!()
        };
        assert_eq!(
            (row.sends_out, effect),
            (Some(Audience::Org), Effect::Write)
        );
        assert_eq!((needs[0].1, needs[0].0.facts["x"].as_str()), (0, "y"));
        let untold = body.replace(",\"audience\":\"org\"", "");
        let Ok(Served::Mapped { row, .. }) = of(200, &untold) else {
            panic!()
        };
        assert_eq!(row.sends_out, Some(Audience::Public));
        for (body, expected) in [
            (
                r#"{"checks":[],"effect":"write","unmapped":true}"#,
                Served::Unmapped {
                    effect: Effect::Write,
                },
            ),
            (
                r#"{"checks":[],"effect":"read","ambiguous":"two"}"#,
                Served::Ambiguous,
            ),
            (
                r#"{"checks":[],"effect":"read","host_mismatch":"x"}"#,
                Served::HostMismatch { reason: "x".into() },
            ),
        ] {
            assert_eq!(of(200, body), Ok(expected));
        }
    }

    #[test]
    fn what_is_not_wholly_understood_names_nothing() {
        for (status, body) in [
            (201, format!("{{\"checks\":[{CHECK}],\"effect\":\"read\"}}")),
            (200, format!("{{\"checks\":[{CHECK}]}}")),
            (200, format!("{{\"checks\":[{CHECK}],\"effect\":\"none\"}}")),
            (
                200,
                format!("{{\"checks\":[{CHECK}],\"effect\":\"read\",\"unmapped\":true}}"),
            ),
            (
                200,
                format!("{{\"checks\":[{CHECK}],\"effect\":\"read\",\"unmapped\":1}}"),
            ),
            (
                200,
                format!("{{\"checks\":[{CHECK},1],\"effect\":\"read\"}}"),
            ),
            (200, "{\"checks\":[],\"effect\":\"read\"}".into()),
            (
                200,
                "{\"checks\":[],\"effect\":\"read\",\"unknown_host\":true}".into(),
            ),
            (
                200,
                "{\"checks\":[],\"effect\":\"read\",\"unmapped\":true,\"unresolved\":\"x\"}".into(),
            ),
            (
                200,
                format!(
                    "{{\"checks\":[{}],\"effect\":\"read\"}}",
                    CHECK.replace("\"gh\"", "\"other\"")
                ),
            ),
            (
                200,
                format!(
                    "{{\"checks\":[{}],\"effect\":\"read\"}}",
                    CHECK.replace(",\"resource\":\"repo:a/b\"", "")
                ),
            ),
            (
                200,
                format!(
                    "{{\"checks\":[{}],\"effect\":\"read\"}}",
                    CHECK.replace("repo:a/b", "Repo:x")
                ),
            ),
            (
                200,
                format!(
                    "{{\"checks\":[{}],\"effect\":\"read\"}}",
                    CHECK.replace(",\"sensitive\":false", "")
                ),
            ),
            (
                200,
                format!(
                    "{{\"checks\":[{}],\"effect\":\"read\"}}",
                    CHECK.replace("\"effect\":\"write\"", "\"effect\":\"rite\"")
                ),
            ),
            (
                200,
                format!(
                    "{{\"checks\":[{}],\"effect\":\"read\"}}",
                    CHECK.replace("\"write\"", "\"write\",\"effect\":\"read\"")
                ),
            ),
        ] {
            let found = of(status, &body);
            assert_eq!(
                found.map_err(|decision| decision.code()),
                Err(Code::ClientError),
                "{body}"
            );
        }
        let refused = of(403, "{\"code\":\"unauthorized\",\"error\":\"x\"}");
        assert_eq!(
            refused.map_err(|decision| decision.code()),
            Err(Code::Unauthorized)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_answer_panics(body in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = read(&Answer { status: 200, body: &body, retry_after: None }, &systems());
        }
    }
}
