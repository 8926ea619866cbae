//! One request from its head to its line in the log: the order of checks, and nothing an endpoint decides.
//!
//! The order: what the gate said of the head, the path, the method, the key, its scope, the size, the body, the endpoint.
//! INVARIANT: a request is answered, also when it cannot be read; every answer is logged once, without users, bodies or keys.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ALLOW, CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, SERVER, WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use tokio::time::Instant;
use toolpass_config::server::{CallerGroups, Network, Scope};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_engine::caller::Caller;
use toolpass_engine::explain::Explanation;
use toolpass_engine::options;

use crate::access::ApiKey;
use crate::endpoints::{self, Access, Endpoint};
use crate::gate::head::Fault;
use crate::gate::{Answering, Talk};
use crate::live::Live;
use crate::load::Place;
use crate::reply::{Body, Form, Reply};
use crate::server::App;
use crate::{listen, trace, v1};

/// Who is connected.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// The address of the socket's other end.
    pub(crate) peer: SocketAddr,
    /// Whether the connection is encrypted.
    pub(crate) secure: bool,
    /// Whether it came by the second address.
    pub(crate) by_admin: bool,
    /// The names in its verified certificate.
    pub(crate) certificate: Arc<[String]>,
    /// Of an HTTP/1.1 connection: what the gate says.
    pub(crate) talk: Option<Arc<Talk>>,
}

/// A request that reached its endpoint.
pub(crate) struct Asked {
    pub(crate) app: Arc<App>,
    pub(crate) live: Arc<Live>,
    /// Whose key was shown; nobody's where none is needed.
    pub(crate) key: Option<Arc<ApiKey>>,
    pub(crate) head: Parts,
    pub(crate) body: Bytes,
    pub(crate) remote: IpAddr,
    secure: bool,
    by_admin: bool,
    certificate: Arc<[String]>,
    talk: Option<Arc<Talk>>,
}

/// Why a question was not put to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotAsked {
    /// The key does not cover it.
    Forbidden(String),
    /// The client went away.
    Gone,
    /// The key has asked too often.
    TooOften(Duration),
    /// Too much is being asked.
    TooMuch,
}

/// An answer's body, and that it is still being sent.
pub(crate) struct Held {
    body: Body,
    _answering: Option<Answering>,
}

/// Answer a request.
pub(crate) async fn answer(
    app: Arc<App>,
    client: Client,
    fault: Option<Fault>,
    answering: Option<Answering>,
    request: Request<Incoming>,
) -> Response<Held> {
    let began = Instant::now();
    let (head, body) = request.into_parts();
    let (method, path) = (head.method.clone(), head.uri.path().to_owned());
    let id = trace::request_id(&head.headers);
    let traced = trace::trace_id(&head.headers).map(str::to_owned);
    let live = app.present.get();
    let remote = remote(&client, &head, live.trusted());
    let reply = reply(&app, live, &client, remote, fault, head, body).await;
    let mut response = reply.response;
    let headers = response.headers_mut();
    headers.insert(SERVER, HeaderValue::from_static("toolpass"));
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(HeaderName::from_static(trace::REQUEST_ID), id);
    }
    if fault.is_some() {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    tracing::info!(
        method = method.as_str(),
        path,
        status = response.status().as_u16(),
        duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        remote = %remote,
        request_id = id,
        trace_id = traced,
        "request"
    );
    response.map(|body| Held {
        body,
        _answering: answering,
    })
}

async fn reply(
    app: &Arc<App>,
    live: Arc<Live>,
    client: &Client,
    remote: IpAddr,
    fault: Option<Fault>,
    head: Parts,
    body: Incoming,
) -> Reply {
    let endpoint = endpoints::of(head.uri.path());
    let form = endpoint.map_or(Form::Coded, |endpoint| endpoint.form);
    match fault {
        Some(Fault::Head) => {
            return invalid(form, StatusCode::BAD_REQUEST, "this is no HTTP request");
        }
        Some(Fault::TooLarge) => {
            let text = "the headers are larger than 16 KiB";
            return invalid(form, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, text);
        }
        Some(Fault::Body(_)) | None => {}
    }
    let Some(endpoint) = endpoint.filter(|endpoint| endpoint.is_admin || !client.by_admin) else {
        return Reply::text(StatusCode::NOT_FOUND, "not found");
    };
    if !endpoint.method.takes(&head.method) {
        let allowed = endpoint.method.allowed();
        let text = format!("the method is not allowed here; expected {allowed}");
        return invalid(form, StatusCode::METHOD_NOT_ALLOWED, &text)
            .with(ALLOW, HeaderValue::from_static(allowed));
    }
    let key = match admitted(endpoint, &live, &head, &client.certificate) {
        Ok(key) => key,
        Err(refused) => return *refused,
    };
    let is_large = endpoint.max_body > LARGE_BODY;
    let large = is_large.then(|| app.large_bodies.try_acquire()).transpose();
    let Ok(_large) = large else {
        return NotAsked::TooMuch.reply(form);
    };
    let body = match read(body, endpoint.max_body, fault, client).await {
        Ok(body) => body,
        Err((status, text)) => {
            return invalid(form, status, &text)
                .with(CONNECTION, HeaderValue::from_static("close"));
        }
    };
    let secure = client.secure || forwarded_secure(client, &head, live.trusted());
    let asked = Asked {
        app: Arc::clone(app),
        live,
        key,
        head,
        body,
        remote,
        secure,
        by_admin: client.by_admin,
        certificate: Arc::clone(&client.certificate),
        talk: client.talk.clone(),
    };
    (endpoint.answer)(asked).await
}

fn invalid(form: Form, status: StatusCode, text: &str) -> Reply {
    Reply::wrong(form, status, Code::InvalidRequest, text)
}

/// The key, where one is needed.
/// Errors: the answer to who has none.
fn admitted(
    endpoint: &Endpoint,
    live: &Live,
    head: &Parts,
    certificate: &[String],
) -> Result<Option<Arc<ApiKey>>, Box<Reply>> {
    match endpoint.access {
        Access::Open => Ok(None),
        Access::Scope(scope) => keyed(live, head, certificate, scope, endpoint.form).map(Some),
    }
}

/// The key of a request, when it has this scope.
/// Errors: the answer to who has none.
fn keyed(
    live: &Live,
    head: &Parts,
    certificate: &[String],
    scope: Scope,
    form: Form,
) -> Result<Arc<ApiKey>, Box<Reply>> {
    let unauthorized = |status, text: &str| Reply::wrong(form, status, Code::Unauthorized, text);
    let key = live
        .keys
        .of(&head.headers, certificate)
        .map_err(|refused| {
            let reply = unauthorized(StatusCode::UNAUTHORIZED, &refused.to_string());
            let realm = HeaderValue::from_static("Bearer realm=\"toolpass\"");
            Box::new(reply.with(WWW_AUTHENTICATE, realm))
        })?;
    if !key.has(scope) {
        let text = format!("the API key does not have the scope `{}`", scope.as_str());
        return Err(Box::new(unauthorized(StatusCode::FORBIDDEN, &text)));
    }
    Ok(Arc::clone(key))
}

/// The whole body.
/// Errors: the status and text of the answer; the connection is closed with it.
async fn read(
    body: Incoming,
    most: usize,
    fault: Option<Fault>,
    client: &Client,
) -> Result<Bytes, (StatusCode, String)> {
    if most == 0 {
        return Ok(Bytes::new());
    }
    let too_large = || {
        let text = format!("the body is larger than {} KiB", most / 1024);
        (StatusCode::PAYLOAD_TOO_LARGE, text)
    };
    let unreadable = |why: &str| {
        (
            StatusCode::BAD_REQUEST,
            format!("the body cannot be read: {why}"),
        )
    };
    if let Some(Fault::Body(why)) = fault {
        return Err(unreadable(why));
    }
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let whole = Limited::new(body, most).collect();
    match tokio::time::timeout(BODY_PATIENCE, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            let said = client.talk.as_ref().and_then(|talk| talk.broken());
            Err(unreadable(said.unwrap_or("it is broken off")))
        }
        Err(_) => Err(unreadable("it did not come in time")),
    }
}

/// Whether a proxy that is believed says that it was reached encrypted.
fn forwarded_secure(client: &Client, head: &Parts, trusted: &[Network]) -> bool {
    let peer = listen::plain(client.peer.ip());
    trusted.iter().any(|network| network.holds(peer))
        && head
            .headers
            .get("x-forwarded-proto")
            .is_some_and(|proto| proto == "https")
}

/// The client's address: of the socket, or what a proxy that is believed says.
fn remote(client: &Client, head: &Parts, trusted: &[Network]) -> IpAddr {
    let peer = listen::plain(client.peer.ip());
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.holds(*address));
    if !is_trusted(&peer) {
        return peer;
    }
    let lines = head.headers.get_all("x-forwarded-for").iter();
    let texts = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    let mut named: Vec<Option<IpAddr>> = texts
        .map(|text| text.trim().parse().ok().map(listen::plain))
        .collect();
    named.reverse();
    // From the nearest outwards: the first that is no proxy of ours. What cannot be read ends what can be believed.
    let mut nearest = peer;
    for address in named {
        let Some(address) = address else { break };
        nearest = address;
        if !is_trusted(&address) {
            break;
        }
    }
    nearest
}

impl Asked {
    /// Put a question to the engine, as far as the key covers it and there is room.
    /// Errors: [`NotAsked`].
    pub(crate) async fn ask(&self, question: Question) -> Result<Decision, NotAsked> {
        self.may_ask(&question)?;
        let caller = self.caller(None);
        if let Some(stored) = self.live.engine.try_cached_for(&question, &caller) {
            self.app
                .metrics
                .count(&question.connection, &stored, Duration::ZERO);
            return Ok(stored);
        }
        let _place = self.place(&question.connection)?;
        let began = Instant::now();
        let told = self
            .unless_gone(self.live.engine.explain(&question, &caller))
            .await?;
        self.note(&question, &told);
        let decision = told.decision;
        self.app
            .metrics
            .count(&question.connection, &decision, began.elapsed());
        Ok(decision)
    }

    /// Put several questions at once. What is wrong with one is its own answer.
    /// Errors: there is no room, or the client went away.
    pub(crate) async fn ask_many(
        &self,
        items: Vec<Result<Question, String>>,
        patience: Option<Duration>,
    ) -> Result<Vec<Decision>, NotAsked> {
        let mut questions = Vec::with_capacity(items.len());
        let mut places = BTreeMap::new();
        let refused: Vec<Option<Decision>> = items
            .into_iter()
            .map(|item| match item {
                Err(text) => Some(v1::malformed(&text)),
                Ok(question) => match self.may_ask(&question) {
                    Err(refused) => Some(v1::undecided(&refused)),
                    Ok(()) => {
                        questions.push(question);
                        None
                    }
                },
            })
            .collect();
        for question in &questions {
            if !places.contains_key(&question.connection) {
                places.insert(
                    question.connection.clone(),
                    self.place(&question.connection)?,
                );
            }
        }
        let (caller, began) = (self.caller(patience), Instant::now());
        let asking = self.live.engine.check_many_for(&questions, &caller);
        // More than the engine takes at once does not get here.
        let decisions = self.unless_gone(asking).await?.unwrap_or_default();
        for (question, decision) in questions.iter().zip(&decisions) {
            self.app
                .metrics
                .count(&question.connection, decision, began.elapsed());
            self.note(
                question,
                &Explanation {
                    decision: decision.clone(),
                    integration: self.integration(&question.connection),
                    steps: Vec::new(),
                    took: began.elapsed(),
                },
            );
        }
        let mut decisions = decisions.into_iter();
        let lost = || v1::malformed("the question was not asked");
        let answers = refused.into_iter().map(|refused| match refused {
            Some(refused) => refused,
            None => decisions.next().unwrap_or_else(lost),
        });
        Ok(answers.collect())
    }

    /// Wait for something, as long as the client does.
    /// Errors: it went away.
    pub(crate) async fn unless_gone<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, NotAsked> {
        let gone = async {
            match &self.talk {
                Some(talk) => talk.gone().await,
                // Of HTTP/2, whoever answers is dropped.
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = gone => Err(NotAsked::Gone),
        }
    }

    /// Take a place for asking a connection.
    /// Errors: there is none.
    pub(crate) fn place(&self, connection: &str) -> Result<Place, NotAsked> {
        self.live.load.enter(connection).map_err(|_| {
            self.app.metrics.shed_checks.fetch_add(1, Ordering::Relaxed);
            NotAsked::TooMuch
        })
    }

    /// Whether the key covers a question, and has not asked too often.
    /// Errors: it does not, or has.
    pub(crate) fn may_ask(&self, question: &Question) -> Result<(), NotAsked> {
        let Some(key) = &self.key else { return Ok(()) };
        covered(key, question)?;
        match &key.rate {
            Some(rate) => rate.take(Instant::now()).map_err(NotAsked::TooOften),
            None => Ok(()),
        }
    }

    /// Whether the key covers a connection that something is looked up in, and has not asked too often.
    /// Errors: it does not, or has.
    pub(crate) fn may_look_up(&self, question: &Question) -> Result<(), NotAsked> {
        let Some(key) = &self.key else { return Ok(()) };
        covered_connection(key, &question.connection)?;
        match &key.rate {
            Some(rate) => rate.take(Instant::now()).map_err(NotAsked::TooOften),
            None => Ok(()),
        }
    }

    /// Demand a key with this scope, where the path alone does not.
    /// Errors: the answer to who has none.
    pub(crate) fn needs(&self, scope: Scope, form: Form) -> Result<(), Box<Reply>> {
        keyed(&self.live, &self.head, &self.certificate, scope, form).map(drop)
    }

    /// The key of this request by what is valid now, when it has this scope.
    pub(crate) fn admitted_now(&self, live: &Live, scope: Scope) -> Option<Arc<ApiKey>> {
        keyed(live, &self.head, &self.certificate, scope, Form::Coded).ok()
    }

    /// Whether the client came by the second address.
    pub(crate) fn is_admin_listener(&self) -> bool {
        self.by_admin
    }

    /// Whether the client reached the server, or the proxy in front of it that is believed, encrypted.
    pub(crate) fn is_secure(&self) -> bool {
        self.secure
    }

    fn note(&self, question: &Question, told: &Explanation) {
        let key = self.key.as_ref().map_or("", |key| &key.name);
        let app = &self.app;
        app.decisions.note(&self.live, key, question, told, app);
    }

    /// The product of a connection; empty when there is none of that name.
    fn integration(&self, connection: &str) -> &'static str {
        let mut all = self.live.config.connections.iter();
        all.find(|one| one.id == connection)
            .map_or("", |one| one.integration.name())
    }

    fn caller(&self, patience: Option<Duration>) -> Caller {
        let groups = self
            .key
            .as_ref()
            .map_or(CallerGroups::Accept, |key| key.caller_groups);
        Caller {
            remote: Some(self.remote.to_string()),
            name: self.key.as_ref().map(|key| key.name.clone()),
            trace_id: trace::trace_id(&self.head.headers).map(str::to_owned),
            groups: match groups {
                CallerGroups::Accept => options::CallerGroups::Accept,
                CallerGroups::Ignore => options::CallerGroups::Ignore,
                CallerGroups::Refuse => options::CallerGroups::Refuse,
            },
            patience,
        }
    }
}

/// Whether a key covers a question.
/// Errors: it does not.
fn covered(key: &ApiKey, question: &Question) -> Result<(), NotAsked> {
    covered_connection(key, &question.connection)?;
    if !key.covers_user(&question.user) {
        return Err(NotAsked::Forbidden(
            "the API key does not cover this user".into(),
        ));
    }
    Ok(())
}

fn covered_connection(key: &ApiKey, connection: &str) -> Result<(), NotAsked> {
    if key.covers_connection(connection) {
        return Ok(());
    }
    let text = "the API key does not cover this connection";
    Err(NotAsked::Forbidden(text.into()))
}

impl NotAsked {
    /// The status, code, text, and when to ask again.
    pub(crate) fn told(&self) -> (StatusCode, Code, String, Option<Duration>) {
        match self {
            NotAsked::Forbidden(text) => (
                StatusCode::FORBIDDEN,
                Code::Unauthorized,
                text.clone(),
                None,
            ),
            NotAsked::Gone => {
                let status = StatusCode::from_u16(CLIENT_GONE).unwrap_or(StatusCode::BAD_REQUEST);
                (
                    status,
                    Code::UpstreamError,
                    "the client went away".into(),
                    None,
                )
            }
            NotAsked::TooOften(wait) => {
                let text = "this API key asks too often".into();
                (
                    StatusCode::TOO_MANY_REQUESTS,
                    Code::Overloaded,
                    text,
                    Some(*wait),
                )
            }
            NotAsked::TooMuch => {
                let text = "too many checks are in flight".into();
                (
                    StatusCode::SERVICE_UNAVAILABLE,
                    Code::Overloaded,
                    text,
                    Some(RETRY_SOON),
                )
            }
        }
    }

    /// The answer.
    pub(crate) fn reply(&self, form: Form) -> Reply {
        let (status, code, text, wait) = self.told();
        let reply = Reply::wrong(form, status, code, &text);
        match wait {
            Some(wait) => {
                let seconds = wait
                    .as_secs()
                    .saturating_add(u64::from(wait.subsec_nanos() > 0))
                    .max(1);
                reply.with(RETRY_AFTER, HeaderValue::from(seconds))
            }
            None => reply,
        }
    }
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = <Body as http_body::Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// What others log when a client closes before it is answered; nobody is there to see it.
const CLIENT_GONE: u16 = 499;
const LARGE_BODY: usize = 1024 * 1024;
const BODY_PATIENCE: Duration = Duration::from_secs(15);
const RETRY_SOON: Duration = Duration::from_secs(1);
