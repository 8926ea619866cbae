//! The canonical request: what was handed over, read once, with what is wrong with it kept beside.
//!
//! Reading never fails, because a request that cannot be read must be refused with the right code, and which one depends on
//! whose host it is. Three kinds of trouble are kept apart: of the host ([`WireRequest::host_problem`], refused anywhere), of the
//! rest ([`WireRequest::problem`]), and what only a known connection refuses ([`WireRequest::problem_on_connection`]).
//! INVARIANT: everything is read at most once; a body is looked at only when something asks for it.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use toolpass_core::effect::Effect;
use toolpass_core::quoted::clipped;

use crate::body::kind::ContentType;
use crate::body::limits::Limits;
use crate::body::multipart::Parts;
use crate::field::{Field, Unresolved};
use crate::headers::Headers;
use crate::host::{self, HostProblem};
use crate::json::{Json, JsonProblem};
use crate::method;
use crate::path::PathSegments;
use crate::query::Pairs;
use crate::raw::{RawBody, RawRequest};
use crate::table::Quirks;

mod content;

/// One request as it will be sent.
pub struct WireRequest {
    scheme: Scheme,
    host: String,
    port: u16,
    method: Cow<'static, str>,
    target: String,
    path_length: usize,
    headers: Headers,
    body: Body,
    limits: Limits,
    path: Result<PathSegments, Unresolved>,
    host_problem: Option<String>,
    head_problem: Option<Unresolved>,
    lazy: Lazy,
}

/// The protocol of a request. A WebSocket upgrade is a request of the HTTP it upgrades.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Clear text.
    Http,
    /// Over TLS.
    Https,
    /// Another protocol, in lower case.
    Other(String),
}

enum Body {
    None,
    Bytes(Vec<u8>),
    Unread(Unresolved),
}

/// What is read when it is first asked for.
#[derive(Default)]
struct Lazy {
    query: OnceLock<Result<Pairs, Unresolved>>,
    content_type: OnceLock<ContentType>,
    decoded: OnceLock<Result<Vec<u8>, Unresolved>>,
    json: OnceLock<Result<Json, JsonProblem>>,
    form: OnceLock<Result<Pairs, Unresolved>>,
    multipart: OnceLock<Result<Parts, Unresolved>>,
    problem: OnceLock<Option<Unresolved>>,
    semicolon: OnceLock<Option<Unresolved>>,
    digest: OnceLock<[u8; 32]>,
    sending: OnceLock<[u8; 32]>,
}

impl Scheme {
    /// Read a scheme, of whatever case.
    pub fn parse(text: &str) -> Scheme {
        match text.to_ascii_lowercase() {
            scheme if scheme == "https" || scheme == "wss" => Scheme::Https,
            scheme if scheme == "http" || scheme == "ws" => Scheme::Http,
            scheme => Scheme::Other(scheme),
        }
    }

    /// The scheme's name.
    pub fn as_str(&self) -> &str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Other(name) => name,
        }
    }

    /// The port a URL of this scheme has when it names none; 0 where none is known.
    pub fn default_port(&self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
            Scheme::Other(_) => 0,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl WireRequest {
    /// Read a request.
    pub fn read(raw: RawRequest<'_>, limits: &Limits) -> WireRequest {
        let scheme = Scheme::parse(raw.scheme);
        let port = raw.port.unwrap_or_else(|| scheme.default_port());
        let headers = Headers::read(&raw.headers);
        let (host, host_problem) = match host::canonical(raw.host) {
            Ok(host) => {
                let problem = named_host_problem(&headers, &host, port);
                (host.into_owned(), problem)
            }
            Err(problem) => (String::new(), Some(problem.to_string())),
        };
        let target = if raw.target.starts_with('?') {
            format!("/{}", raw.target)
        } else {
            raw.target.to_owned()
        };
        let path_length = target.find('?').unwrap_or(target.len());
        let method = method::canonical(raw.method);
        let body = Body::read(raw.body, &headers, limits);
        let head_problem = method::problem(&method)
            .or_else(|| target_problem(&target))
            .or_else(|| headers.problem().cloned())
            .or_else(|| {
                headers
                    .has_any(&method::OVERRIDE_HEADERS)
                    .then(|| method::overridden("a header"))
            })
            .or_else(|| length_problem(&headers, raw.body));
        let path = PathSegments::read(target.get(..path_length).unwrap_or(""));
        WireRequest {
            scheme,
            host,
            port,
            method,
            target,
            path_length,
            headers,
            body,
            path,
            host_problem,
            head_problem,
            limits: *limits,
            lazy: Lazy::default(),
        }
    }

    /// The scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The canonical host, an IPv6 address without brackets; empty when [`WireRequest::host_problem`] says it has none.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port it connects to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the port is the scheme's own.
    pub fn is_default_port(&self) -> bool {
        self.port == self.scheme.default_port()
    }

    /// The host, with the port when that is not the scheme's own.
    pub fn host_key(&self) -> String {
        match (self.is_default_port(), self.host.contains(':')) {
            (true, _) => self.host.clone(),
            (false, false) => format!("{}:{}", self.host, self.port),
            (false, true) => format!("[{}]:{}", self.host, self.port),
        }
    }

    /// The method, in upper case.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path as sent.
    pub fn raw_path(&self) -> &str {
        match self.target.get(..self.path_length) {
            Some("") | None => "/",
            Some(path) => path,
        }
    }

    /// Path and query as sent.
    pub fn raw_target(&self) -> &str {
        if self.target.is_empty() {
            "/"
        } else {
            &self.target
        }
    }

    /// The body as sent, for whoever hands the request on to be read elsewhere.
    pub fn raw_body(&self) -> RawBody<'_> {
        match &self.body {
            Body::None => RawBody::None,
            Body::Bytes(bytes) => RawBody::Bytes(bytes),
            Body::Unread(_) => RawBody::Unread,
        }
    }

    /// The segments of the path.
    /// Errors: the rule that the path breaks; [`WireRequest::problem`] says the same.
    pub fn path(&self) -> Result<&PathSegments, &Unresolved> {
        self.path.as_ref()
    }

    /// The headers.
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// How long the query is, in bytes as sent.
    pub fn query_len(&self) -> usize {
        self.raw_query().len()
    }

    /// `METHOD scheme://host[:port]/path` for messages: never the query, no control characters, at most 200 characters.
    pub fn describe(&self) -> String {
        self.describe_with(|path| path.into())
    }

    /// The same, the path as `shown` makes it: a secret is taken out before the text is cut, or its beginning would stay.
    pub fn describe_with<'s>(&'s self, shown: impl FnOnce(&'s str) -> Cow<'s, str>) -> String {
        let (open, close) = if self.host.contains(':') {
            ("[", "]")
        } else {
            ("", "")
        };
        let port = if matches!(self.port, 0 | 80 | 443) {
            String::new()
        } else {
            format!(":{}", self.port)
        };
        let host = if self.host.is_empty() {
            "(unreadable host)"
        } else {
            &self.host
        };
        let path = shown(self.raw_path().split('#').next().unwrap_or("/"));
        clipped(
            &format!(
                "{} {}://{open}{host}{close}{port}{path}",
                self.method, self.scheme
            ),
            MAX_DESCRIPTION,
        )
    }

    /// The effect the method has by itself. A protocol upgrade is at least a write: nobody sees what follows it.
    pub fn effect(&self) -> Effect {
        let effect = Effect::of_method(&self.method);
        if self.headers.has_any(&["upgrade"]) {
            effect.max(Effect::Write)
        } else {
            effect
        }
    }

    /// Whether it has a body, read or not.
    pub fn has_body(&self) -> bool {
        !matches!(self.body, Body::None)
    }

    /// How long the body is, as far as it was read.
    pub fn body_len(&self) -> usize {
        match &self.body {
            Body::Bytes(bytes) => bytes.len(),
            Body::None | Body::Unread(_) => 0,
        }
    }

    /// Why the request does not name one host. Refused on any host.
    pub fn host_problem(&self) -> Option<&str> {
        self.host_problem.as_deref()
    }

    /// Why two servers could read the request differently, whoever they are.
    pub fn problem(&self) -> Option<&Unresolved> {
        let semicolon = || {
            self.lazy
                .semicolon
                .get_or_init(|| self.semicolon_problem(false))
                .as_ref()
        };
        self.plain_problem().or_else(semicolon)
    }

    /// Why a connection with these quirks refuses to have the request read at all.
    pub fn problem_on_connection(&self, quirks: &Quirks) -> Option<Unresolved> {
        // Where the method says nothing, no body overrides it; what is read in the body is still read in one way or not at all.
        let problem = match quirks.ignores_method {
            true => self.problem_above_body(),
            false => self.plain_problem().cloned(),
        };
        if problem.is_some() {
            return problem;
        }
        if let Some(problem) = self.semicolon_problem(quirks.allows_semicolon) {
            return Some(problem);
        }
        if self.headers.has_any(&REROUTING_HEADERS) {
            return Some(Unresolved::new(
                "a header such as `x-forwarded-host` or `x-original-url` names another target",
            ));
        }
        let is_gapped = self.path.as_ref().is_ok_and(PathSegments::is_gapped);
        (is_gapped && self.effect() != Effect::Read)
            .then(|| Unresolved::new("the path of a write has an empty segment"))
    }

    /// What makes two requests of a call the same: method, scheme, host, port, path, query and body.
    pub fn digest(&self) -> [u8; 32] {
        *self.lazy.digest.get_or_init(|| {
            let mut hash = Sha256::new();
            let port = self.port.to_be_bytes();
            put(&mut hash, self.method.as_bytes());
            put(&mut hash, self.scheme.as_str().as_bytes());
            put(&mut hash, self.host.as_bytes());
            put(&mut hash, &port);
            put(&mut hash, self.target.as_bytes());
            match &self.body {
                Body::None => put(&mut hash, b"none"),
                Body::Unread(_) => put(&mut hash, b"unread"),
                Body::Bytes(bytes) => {
                    put(&mut hash, b"bytes");
                    put(&mut hash, bytes);
                }
            }
            hash.finalize().into()
        })
    }

    /// What makes what two layers of a client hand over one sending: [`WireRequest::digest`], and every header but those that
    /// lower layers add for the transport alone. What those could change is [`WireRequest::is_plain`]'s to say.
    pub fn sending(&self) -> [u8; 32] {
        *self.lazy.sending.get_or_init(|| {
            let mut headers: Vec<(&str, &str)> = self
                .headers
                .iter()
                .filter(|(name, _)| !OF_TRANSPORT.contains(name))
                .collect();
            // Repeats of one name stay in their order.
            headers.sort_by_key(|(name, _)| *name);
            let mut hash = Sha256::new();
            put(&mut hash, &self.digest());
            for (name, value) in headers {
                put(&mut hash, name.as_bytes());
                put(&mut hash, value.as_bytes());
            }
            hash.finalize().into()
        })
    }

    /// Whether the request is read in full and in one way only, so that its [`WireRequest::sending`] is all there is to it.
    pub fn is_plain(&self) -> bool {
        self.host_problem.is_none()
            && self.problem().is_none()
            && !matches!(self.body, Body::Unread(_))
    }

    fn raw_query(&self) -> &str {
        self.target.get(self.path_length + 1..).unwrap_or("")
    }

    fn plain_problem(&self) -> Option<&Unresolved> {
        let problem = || self.problem_above_body().or_else(|| self.body_problem());
        self.lazy.problem.get_or_init(problem).as_ref()
    }

    fn problem_above_body(&self) -> Option<Unresolved> {
        let path = || self.path.as_ref().err().cloned();
        self.head_problem
            .clone()
            .or_else(path)
            .or_else(|| self.query_problem())
    }

    fn semicolon_problem(&self, is_allowed: bool) -> Option<Unresolved> {
        let is_there = self.path.as_ref().is_ok_and(PathSegments::has_semicolon);
        (is_there && !is_allowed)
            .then(|| Unresolved::new("the path holds a `;`, at which some servers cut a segment"))
    }

    fn query_problem(&self) -> Option<Unresolved> {
        match self.pairs_of_query() {
            Ok(pairs) => method::is_in_pairs(pairs).then(|| method::overridden("the query")),
            Err(problem) => Some(problem.clone()),
        }
    }
}

/// Shows what [`WireRequest::describe`] shows.
impl fmt::Debug for WireRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WireRequest({})", self.describe())
    }
}

impl Body {
    fn read(raw: RawBody<'_>, headers: &Headers, limits: &Limits) -> Body {
        let is_announced = headers.content_length().is_some_and(|length| length > 0)
            || headers.has_any(&["transfer-encoding"]);
        match raw {
            RawBody::None if is_announced => Body::Unread(Unresolved::new(
                "the headers announce a body that was not seen",
            )),
            RawBody::None | RawBody::Bytes([]) => Body::None,
            RawBody::Bytes(bytes) if bytes.len() > limits.body_bytes => {
                Body::Unread(Unresolved::new("the body is longer than the limit"))
            }
            RawBody::Bytes(bytes) => Body::Bytes(bytes.to_vec()),
            RawBody::Unread => {
                Body::Unread(Unresolved::new("the body is streamed and was not read"))
            }
        }
    }
}

/// Hash a part with its length before it.
fn put(hash: &mut Sha256, bytes: &[u8]) {
    hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
    hash.update(bytes);
}

/// Every `Host` and `:authority` names the host it connects to, and there is at most one of each.
fn named_host_problem(headers: &Headers, host: &str, port: u16) -> Option<String> {
    for name in ["host", ":authority"] {
        match headers.one(name) {
            Field::Absent => {}
            Field::Present(text) => match host::with_port(text) {
                Ok((named, named_port))
                    if named == host && named_port.is_none_or(|named_port| named_port == port) => {}
                Ok(_) => {
                    return Some(format!(
                        "`{name}` names another host than the one it connects to"
                    ));
                }
                Err(problem) => return Some(named_problem(name, problem)),
            },
            Field::Ambiguous(problem) | Field::Unread(problem) => return Some(problem.to_string()),
        }
    }
    None
}

fn named_problem(name: &str, problem: HostProblem) -> String {
    format!("`{name}` names no host: {problem}")
}

fn target_problem(target: &str) -> Option<Unresolved> {
    if target.len() > MAX_TARGET {
        return Some(Unresolved::new(format!(
            "the path and query are longer than {MAX_TARGET} bytes"
        )));
    }
    if !target.is_empty() && !target.starts_with('/') {
        return Some(Unresolved::new("the target of the request is not a path"));
    }
    if target.bytes().any(|b| b <= b' ' || b >= 0x7f || b == b'#') {
        return Some(Unresolved::new(
            "the target of the request holds a space, a control character, `#`, or a letter that is not ASCII",
        ));
    }
    None
}

fn length_problem(headers: &Headers, body: RawBody<'_>) -> Option<Unresolved> {
    let RawBody::Bytes(bytes) = body else {
        return None;
    };
    let differs = headers
        .content_length()
        .is_some_and(|announced| u64::try_from(bytes.len()) != Ok(announced));
    differs.then(|| Unresolved::new("`content-length` is not the length of the body"))
}

/// Headers by which a proxy or framework in front of a vendor takes another host or path than the request's own.
const REROUTING_HEADERS: [&str; 5] = [
    "forwarded",
    "x-forwarded-host",
    "x-forwarded-prefix",
    "x-original-url",
    "x-rewrite-url",
];

/// Headers that clients add or change below the layer at which a request is put together, and that say nothing of what it does.
const OF_TRANSPORT: [&str; 10] = [
    ":authority",
    "accept-encoding",
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "transfer-encoding",
    "user-agent",
];

const MAX_DESCRIPTION: usize = 200;
const MAX_TARGET: usize = 64 << 10;

#[cfg(test)]
mod tests;
