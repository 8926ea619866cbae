//! One request from its head to its line in the log: the order of checks, and nothing an endpoint decides.
//!
//! The order: what the gate said of the head, the path, the method, the key, its scope, the size, the body, the endpoint.
//! INVARIANT: a request is answered, also when it cannot be read; every answer is logged once, without users, bodies or keys.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
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
use toolpass_config::server::{CallerGroups, Network};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;

use crate::access::ApiKey;
use crate::endpoints::{self, Access, Endpoint};
use crate::gate::head::Fault;
use crate::gate::{Answering, Talk};
use crate::live::Live;
use crate::reply::{Body, Form, Reply};
use crate::server::App;
use crate::{listen, trace};

/// Who is connected.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// The address of the socket's other end.
    pub(crate) peer: SocketAddr,
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
    let Some(endpoint) = endpoint else {
        return Reply::text(StatusCode::NOT_FOUND, "not found");
    };
    if !endpoint.method.takes(&head.method) {
        let allowed = endpoint.method.allowed();
        let text = format!("the method is not allowed here; expected {allowed}");
        return invalid(form, StatusCode::METHOD_NOT_ALLOWED, &text)
            .with(ALLOW, HeaderValue::from_static(allowed));
    }
    let key = match admitted(endpoint, &live, &head) {
        Ok(key) => key,
        Err(refused) => return *refused,
    };
    let body = match read(body, endpoint.max_body, fault, client).await {
        Ok(body) => body,
        Err((status, text)) => {
            return invalid(form, status, &text)
                .with(CONNECTION, HeaderValue::from_static("close"));
        }
    };
    let asked = Asked {
        app: Arc::clone(app),
        live,
        key,
        head,
        body,
        remote,
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
) -> Result<Option<Arc<ApiKey>>, Box<Reply>> {
    let Access::Scope(scope) = endpoint.access else {
        return Ok(None);
    };
    let unauthorized =
        |status, text: &str| Reply::wrong(endpoint.form, status, Code::Unauthorized, text);
    let key = live.keys.of(&head.headers).map_err(|refused| {
        let reply = unauthorized(StatusCode::UNAUTHORIZED, &refused.to_string());
        let realm = HeaderValue::from_static("Bearer realm=\"toolpass\"");
        Box::new(reply.with(WWW_AUTHENTICATE, realm))
    })?;
    if !key.has(scope) {
        let text = format!("the API key does not have the scope `{}`", scope.as_str());
        return Err(Box::new(unauthorized(StatusCode::FORBIDDEN, &text)));
    }
    Ok(Some(Arc::clone(key)))
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
    pub(crate) async fn ask(&self, mut question: Question) -> Result<Decision, NotAsked> {
        if let Some(key) = &self.key {
            covered(key, &question)?;
            if let Some(rate) = &key.rate {
                rate.take(Instant::now()).map_err(NotAsked::TooOften)?;
            }
            if let Some(refused) = groups(key.caller_groups, &mut question) {
                return Ok(refused);
            }
        }
        if let Some(stored) = self.live.engine.try_cached(&question) {
            return Ok(stored);
        }
        let _place = self
            .live
            .load
            .enter(&question.connection)
            .map_err(|_| NotAsked::TooMuch)?;
        tokio::select! {
            biased;
            decision = self.live.engine.check(&question) => Ok(decision),
            () = self.gone() => Err(NotAsked::Gone),
        }
    }

    /// Ends when the client has gone.
    pub(crate) async fn gone(&self) {
        match &self.talk {
            Some(talk) => talk.gone().await,
            // Of HTTP/2, whoever answers is dropped.
            None => std::future::pending().await,
        }
    }
}

/// Whether a key covers a question.
/// Errors: it does not.
pub(crate) fn covered(key: &ApiKey, question: &Question) -> Result<(), NotAsked> {
    if !key.covers_connection(&question.connection) {
        return Err(NotAsked::Forbidden(
            "the API key does not cover this connection".into(),
        ));
    }
    if !key.covers_user(&question.user) {
        return Err(NotAsked::Forbidden(
            "the API key does not cover this user".into(),
        ));
    }
    Ok(())
}

/// Do with a caller's groups what the key says; the answer when they are refused.
fn groups(policy: CallerGroups, question: &mut Question) -> Option<Decision> {
    match policy {
        CallerGroups::Accept => None,
        CallerGroups::Ignore => {
            question.groups.clear();
            None
        }
        CallerGroups::Refuse if question.groups.is_empty() => None,
        CallerGroups::Refuse => {
            let text = "groups: this API key may not send groups";
            let mut refused = Decision::unknown(Code::InvalidRequest, text);
            refused.status = StatusCode::BAD_REQUEST.as_u16();
            Some(refused)
        }
    }
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
const BODY_PATIENCE: Duration = Duration::from_secs(15);
const RETRY_SOON: Duration = Duration::from_secs(1);
