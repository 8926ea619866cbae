//! An engine that is reached through a server: questions sent, answers read.
//!
//! What an answer means is [`crate::answers`]'s; this is the edge. A question is asked once: who retries is who asked. Only a kept
//! connection that the server had closed meanwhile is replaced.
//! INVARIANT: whatever goes wrong on the way is `client_error` with status 0, which is unknown. No redirect is followed, for the key
//! would go along.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolpass_core::clock::Clock;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::{Resource, Visibility};
use toolpass_core::secret::Secret;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::path::PathBuilder;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::request::Request;
use toolpass_http::transport::{BuildError, Transport, TransportSettings};
use toolpass_http::url::Url;
use toolpass_wire::observe::{Served, Systems};
use toolpass_wire::request::WireRequest;

use crate::answers::{self, Answer, Told};
use crate::{address, observed};

/// How a server is reached.
#[derive(Clone)]
pub struct RemoteSettings {
    /// Its base address; see [`address::server`].
    pub url: Url,
    /// The key that is shown.
    pub key: Secret,
    /// How long one question may take.
    pub timeout: Duration,
    /// Certificates that are trusted instead of the system's.
    pub ca_pem: Option<Vec<u8>>,
    /// The environment's proxies.
    pub environment: ProxyEnvironment,
}

/// A server that is asked.
pub struct Remote {
    client: Client,
    clock: Arc<dyn Clock>,
    shown: String,
    timeout: Duration,
}

/// What was told of connections, and the tag it is known by.
#[derive(Clone, Debug)]
pub enum Endpoints {
    /// This.
    New {
        /// What was told.
        told: Told,
        /// Its tag.
        tag: Option<String>,
    },
    /// What is known already.
    Same,
}

impl Remote {
    /// A client of a server. No network is touched.
    /// Errors: certificates that are none.
    pub fn new(settings: RemoteSettings, clock: Arc<dyn Clock>) -> Result<Remote, BuildError> {
        let RemoteSettings {
            url,
            key,
            timeout,
            ca_pem,
            environment,
        } = settings;
        let shown = address::shown(&url);
        let transport = Transport::new(TransportSettings {
            ca_pem,
            own_host: Some(url.host().to_owned()),
            timeout,
            environment,
            ..TransportSettings::default()
        })?;
        let bearer = Bearer::new(Arc::new(move || Ok(key.clone())));
        Ok(Remote {
            client: Client::new(transport, url).with_auth(Arc::new(bearer)),
            clock,
            shown,
            timeout,
        })
    }

    /// Its address, as it is shown.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Ask one question. `/check` takes all but `max_age` and facts, and every server has it.
    pub async fn check(&self, question: &Question) -> Decision {
        let is_plain = question.facts.is_empty() && question.freshness.max_age.is_none();
        let path: &[&str] = if is_plain {
            &["check"]
        } else {
            &["v1", "check"]
        };
        let body = Value::Object(asked(question));
        self.post(
            path,
            body.to_string().into_bytes(),
            self.timeout,
            |answer, _| answers::decision(answer),
        )
        .await
        .unwrap_or_else(|failed| *failed)
    }

    /// Ask many questions at once. The server waits for all of them no longer than `patience`.
    pub async fn check_many(
        &self,
        questions: &[Question],
        patience: Option<Duration>,
    ) -> Vec<Decision> {
        if questions.is_empty() {
            return Vec::new();
        }
        let checks: Vec<Value> = questions
            .iter()
            .map(|question| Value::Object(asked(question)))
            .collect();
        let mut body = json!({ "checks": checks });
        if let (Some(patience), Some(members)) = (patience, body.as_object_mut()) {
            let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
            members.insert(
                "timeout_ms".into(),
                json!(millis.clamp(1, MOST_PATIENCE_MS)),
            );
        }
        let budget = patience.map_or(self.timeout, |patience| {
            self.timeout.max(patience.saturating_add(ON_THE_WAY))
        });
        let body = body.to_string().into_bytes();
        let count = questions.len();
        self.post(&["v1", "check", "batch"], body, budget, |answer, _| {
            answers::decisions(answer, count)
        })
        .await
        .unwrap_or_else(|failed| vec![*failed; count])
    }

    /// Look up where a pointer leads.
    /// Errors: why it cannot be said.
    pub async fn resolve(
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
        let body = body.to_string().into_bytes();
        self.post(&["v1", "resolve"], body, self.timeout, |answer, _| {
            answers::resolved(answer)
        })
        .await
        .and_then(|read| read)
        .map_err(|failed| *failed)
    }

    /// Find out who can read a resource.
    /// Errors: why it cannot be said.
    pub async fn visibility(
        &self,
        connection: &str,
        resource: &Resource,
    ) -> Result<Option<Visibility>, Decision> {
        let body = json!({"connection": connection, "resource": resource.as_str()});
        let body = body.to_string().into_bytes();
        self.post(&["v1", "visibility"], body, self.timeout, |answer, _| {
            answers::seen(answer)
        })
        .await
        .and_then(|read| read)
        .map_err(|failed| *failed)
    }

    /// Have a request named that is attributed to one of `systems`.
    /// Errors: why it is not.
    pub async fn observe(
        &self,
        request: &WireRequest,
        systems: &Systems,
    ) -> Result<Served, Decision> {
        let body = observed::question(request);
        self.post(&["v1", "observe"], body, self.timeout, |answer, _| {
            observed::read(answer, systems)
        })
        .await
        .and_then(|read| read)
        .map_err(|failed| *failed)
    }

    /// Ask where connections are reached, unless that is still what `tag` stands for.
    /// Errors: why nothing was told.
    pub async fn endpoints(&self, tag: Option<&str>) -> Result<Endpoints, Decision> {
        let mut request = self.client.get(["v1", "endpoints"]);
        if let Some(tag) = tag {
            request = request.header("if-none-match", tag);
        }
        let is_known = tag.is_some();
        self.send(request.once(), self.timeout, |answer, headers| {
            if answer.status == 304 && is_known {
                return Ok(Endpoints::Same);
            }
            let tag = headers.get(http::header::ETAG);
            let tag = tag.and_then(|tag| tag.to_str().ok()).map(str::to_owned);
            answers::told(answer).map(|told| Endpoints::New { told, tag })
        })
        .await
        .and_then(|read| read)
        .map_err(|failed| *failed)
    }

    /// Apply an operation to a session that the server keeps: its answer, as JSON.
    /// Errors: why there is none.
    pub async fn session(&self, session: &str, operation: Vec<u8>) -> Result<String, Decision> {
        let path = ["v1", "sessions", session];
        self.post(&path, operation, self.timeout, |answer, _| {
            if answer.status != 200 {
                return Err(Box::new(answers::failure(answer)));
            }
            let text = std::str::from_utf8(answer.body).map(str::to_owned);
            text.map_err(|_| Box::new(answers::no_answer(answer.status, "it is no UTF-8")))
        })
        .await
        .and_then(|read| read)
        .map_err(|failed| *failed)
    }

    async fn post<T>(
        &self,
        path: &[&str],
        body: Vec<u8>,
        budget: Duration,
        read: impl FnOnce(&Answer<'_>, &http::HeaderMap) -> T,
    ) -> Result<T, Box<Decision>> {
        let request = self
            .client
            .post(PathBuilder::new().segments(path.iter().copied()))
            .body("application/json", body);
        self.send(request.once(), budget, read).await
    }

    async fn send<T>(
        &self,
        request: Request,
        budget: Duration,
        read: impl FnOnce(&Answer<'_>, &http::HeaderMap) -> T,
    ) -> Result<T, Box<Decision>> {
        let context = Context::new(Arc::clone(&self.clock), budget, Freshness::default());
        let sent = request
            .harmless()
            .accept_all()
            .send(&context.without_evidence())
            .await;
        match sent {
            Ok(came) => {
                let answer = Answer {
                    status: came.status,
                    body: &came.body,
                    retry_after: seconds(&came.headers),
                };
                Ok(read(&answer, &came.headers))
            }
            Err(error) => Err(Box::new(self.unreached(&error))),
        }
    }

    fn unreached(&self, error: &toolpass_http::error::Error) -> Decision {
        let mut decision = Decision::unknown(
            Code::ClientError,
            format!("the server {} was not reached: {error}", self.shown),
        );
        decision.status = 0;
        decision.retry_after_ms = error
            .retry_after()
            .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        decision
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.shown)
            .finish_non_exhaustive()
    }
}

/// A question as it is sent: what is not asked for is not there.
fn asked(question: &Question) -> Map<String, Value> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.into(), value);
    put("user", json!(question.user));
    put("connection", json!(question.connection));
    put("action", json!(question.action));
    put("resource", json!(question.resource));
    if !question.groups.is_empty() {
        put("groups", json!(question.groups));
    }
    if question.freshness.fresh {
        put("fresh", json!(true));
    }
    if let Some(age) = question.freshness.max_age {
        put("max_age", json!(age.as_secs_f64().min(LONGEST_AGE)));
    }
    if let Some(token) = &question.token {
        put("token", json!(String::from_utf8_lossy(token.expose())));
    }
    if !question.facts.is_empty() {
        put("facts", json!(question.facts));
    }
    members
}

fn seconds(headers: &http::HeaderMap) -> Option<Duration> {
    let told = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
    told.parse().ok().map(Duration::from_secs)
}

/// What a batch may take beyond the time it is given, on its way.
const ON_THE_WAY: Duration = Duration::from_secs(2);
const MOST_PATIENCE_MS: u64 = 300_000;
/// What a server takes for an age at most, in seconds; an older answer is as good.
const LONGEST_AGE: f64 = 86_400.0;
