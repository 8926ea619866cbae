//! The server that is asked: its checks and its look-ups, and which host is which of its connections.
//!
//! Separate because what a far end says is not believed easily: an allow counts only as the whole, unambiguous answer of status
//! 200. Whatever else it says, or does not say, is no allow.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolpass_core::clock::Clock;
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::Resource;
use toolpass_core::secret::Secret;
use toolpass_guard::settings::KnownSystems;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::json;
use toolpass_http::path::PathBuilder;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::response::Response;
use toolpass_http::transport::{BuildError, Transport, TransportSettings};
use toolpass_http::url::Url;
use toolpass_wire::observe::Systems;

/// A server. Cheap to clone.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    clock: Arc<dyn Clock>,
    systems: KnownSystems,
}

impl Remote {
    /// The server at an address, asked with this key. `systems` are its connections, as requests are attributed to them.
    /// Errors: as of [`Transport::new`].
    pub fn new(
        url: Url,
        key: Secret,
        systems: Systems,
        clock: Arc<dyn Clock>,
    ) -> Result<Remote, BuildError> {
        let transport = Transport::new(TransportSettings {
            own_host: Some(url.host().to_owned()),
            timeout: PATIENCE,
            environment: ProxyEnvironment::from_env(),
            ..TransportSettings::default()
        })?;
        let bearer = Bearer::new(Arc::new(move || Ok(key.clone())));
        Ok(Remote {
            client: Client::new(transport, url).with_auth(Arc::new(bearer)),
            clock,
            systems: KnownSystems::Known(Arc::new(systems)),
        })
    }

    pub(crate) fn systems(&self) -> KnownSystems {
        self.systems.clone()
    }

    /// The answer to a question. A server that gives none has not allowed it.
    pub(crate) async fn check(&self, question: &Question) -> Decision {
        let answered = self.post(["v1", "check"].into(), &asked(question)).await;
        let decided = answered.and_then(|answer| decision(&answer));
        decided.unwrap_or_else(NoAnswer::decision)
    }

    /// Where a pointer leads; nothing when it leads nowhere.
    /// Errors: the decision that says why that could not be found out.
    pub(crate) async fn resolve(
        &self,
        connection: &str,
        pointer: &Pointer,
        freshness: Freshness,
    ) -> Result<Option<Resource>, Decision> {
        let body = json!({
            "connection": connection,
            "fresh": freshness.fresh,
            "pointer": {"kind": pointer.kind, "value": pointer.value, "parts": pointer.parts},
        });
        let answered = self.post(["v1", "resolve"].into(), &body).await;
        let found = answered.and_then(|answer| resource(&answer));
        found.map_err(NoAnswer::decision)
    }

    async fn post(&self, path: PathBuilder, body: &Value) -> Result<Response, NoAnswer> {
        let context = Context::new(Arc::clone(&self.clock), PATIENCE, Freshness::default());
        let request = self.client.post(path).json(body).once();
        let request = request.accept_status(&(400..600).collect::<Vec<u16>>());
        let answer = request.send(&context.without_evidence()).await;
        answer.map_err(|error| NoAnswer {
            code: error.code(),
            text: format!("the server: {error}"),
        })
    }
}

/// A question as it is put.
fn asked(question: &Question) -> Value {
    let mut body = json!({
        "user": question.user,
        "connection": question.connection,
        "action": question.action,
        "resource": question.resource,
        "groups": question.groups,
        "facts": question.facts,
        "fresh": question.freshness.fresh,
    });
    let mut set = |name: &str, value: Value| {
        if let Value::Object(members) = &mut body {
            members.insert(name.to_owned(), value);
        }
    };
    if let Some(age) = question.freshness.max_age {
        set("max_age", json!(age.as_secs_f64()));
    }
    if let Some(token) = &question.token {
        set("token", json!(String::from_utf8_lossy(token.expose())));
    }
    body
}

/// Why a server decided nothing.
struct NoAnswer {
    code: Code,
    text: String,
}

impl NoAnswer {
    fn unclear(text: &str) -> NoAnswer {
        NoAnswer {
            code: Code::UpstreamError,
            text: text.to_owned(),
        }
    }

    /// As a decision; never an allow.
    fn decision(self) -> Decision {
        Decision::unknown(self.code, self.text)
    }
}

/// The decision of an answer.
fn decision(answer: &Response) -> Result<Decision, NoAnswer> {
    let said = members(answer)?;
    let code = Code::parse(text(&said, "code"));
    let code =
        code.ok_or_else(|| NoAnswer::unclear("the server gave no decision with a known code"))?;
    if text(&said, "decision") != code.outcome().as_str() {
        let why = "the server's decision and its code do not agree";
        return Err(NoAnswer::unclear(why));
    }
    if code.outcome() == Outcome::Allow && answer.status != 200 {
        let why = "the server allowed with another status than 200";
        return Err(NoAnswer::unclear(why));
    }
    let mut decision = Decision::new(code, text(&said, "text"));
    text(&said, "identity").clone_into(&mut decision.identity);
    text(&said, "id").clone_into(&mut decision.id);
    decision.cached = said.get("cached") == Some(&Value::Bool(true));
    Ok(decision)
}

/// The resource of an answer; nothing when there is none.
fn resource(answer: &Response) -> Result<Option<Resource>, NoAnswer> {
    let said = members(answer)?;
    if answer.status != 200 || said.contains_key("code") {
        return Err(NoAnswer {
            code: Code::parse(text(&said, "code")).unwrap_or(Code::UpstreamError),
            text: text(&said, "text").to_owned(),
        });
    }
    match said.get("resource") {
        Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Resource::parse(text)
            .map(Some)
            .map_err(|error| NoAnswer::unclear(&error.to_string())),
        Some(_) | None => Err(NoAnswer::unclear("the server named nothing")),
    }
}

/// The members of an answer.
fn members(answer: &Response) -> Result<Map<String, Value>, NoAnswer> {
    let whole = serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body).is_ok();
    let Some(Value::Object(members)) = json::parse(&answer.body).ok().filter(|_| whole) else {
        let why = "the server's answer is no JSON object";
        return Err(NoAnswer::unclear(why));
    };
    for name in ["code", "decision"] {
        let spellings = members.keys().filter(|key| key.eq_ignore_ascii_case(name));
        if spellings.count() > 1 {
            let why = "the server's answer says something twice";
            return Err(NoAnswer::unclear(why));
        }
    }
    Ok(members)
}

fn text<'m>(members: &'m Map<String, Value>, name: &str) -> &'m str {
    members
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.client.base().map(ToString::to_string))
            .finish_non_exhaustive()
    }
}

/// How long the server is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
