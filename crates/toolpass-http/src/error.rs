//! What an upstream call fails with: one opaque error that knows its code.
//!
//! Separate so that the mapping from failure to code exists once. A caller asks [`Error::code`]; an integration that gives
//! a status a meaning of its own asks [`Error::status`] and [`Error::body_prefix`] first.
//!
//! INVARIANT: neither `Display` nor `Debug` shows a query, userinfo, a header or a body; a code here never allows or denies.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use toolpass_core::codes::{Code, Outcome};

use crate::secrets::SecretError;
use crate::url::Url;

/// A failed upstream call. Cheap to clone, because one failure may reach many waiters.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: Kind,
    text: String,
    retry_after: Option<Duration>,
    answer: Option<Answer>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// What is kept of the answer behind a status error.
#[derive(Clone)]
struct Answer {
    headers: HeaderMap,
    body_prefix: Bytes,
}

/// What went wrong. One code each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A certificate or the name in it could not be verified.
    Certificate,
    /// A code given by who raised it.
    Coded(Code),
    /// Refused, reset, no such host, a failed handshake, a cut answer.
    Connection,
    /// The budget of the check is spent.
    Deadline,
    /// An answer that does not say what it should.
    Malformed,
    /// A proxy that cannot be used, or said no.
    Proxy,
    /// A request that must not or cannot be built.
    Request,
    /// An HTTP status of 400 or above.
    Status(u16),
    /// The connection's own time limit passed.
    Timeout,
    /// A body over the limit.
    TooLarge,
}

impl Error {
    /// An error with a code of the caller's choice, for token sources and integrations.
    /// A code that would allow or deny becomes `upstream_error`: a failure decides nothing.
    pub fn coded(code: Code, text: impl Into<String>) -> Error {
        let code = if code.outcome() == Outcome::Unknown {
            code
        } else {
            Code::UpstreamError
        };
        Error::new(Kind::Coded(code), text)
    }

    /// An answer that does not have the form its vendor documents.
    pub fn malformed(text: impl Into<String>) -> Error {
        Error::new(Kind::Malformed, text)
    }

    /// The code a decision gets from this failure.
    pub fn code(&self) -> Code {
        match self.0.kind {
            Kind::Coded(code) => code,
            Kind::Deadline | Kind::Timeout => Code::UpstreamTimeout,
            Kind::Status(401) => Code::CredentialRejected,
            Kind::Status(429) => Code::UpstreamRateLimited,
            Kind::Certificate
            | Kind::Connection
            | Kind::Malformed
            | Kind::Proxy
            | Kind::Request
            | Kind::Status(_)
            | Kind::TooLarge => Code::UpstreamError,
        }
    }

    /// The HTTP status, when the system answered with an error status.
    pub fn status(&self) -> Option<u16> {
        match self.0.kind {
            Kind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The first 256 bytes of the answer's body, for the integration's own classification; never to be shown.
    pub fn body_prefix(&self) -> &[u8] {
        self.0
            .answer
            .as_ref()
            .map_or(&[], |answer| &answer.body_prefix)
    }

    /// The headers of the answer, when there was one.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.answer.as_ref().map(|answer| &answer.headers)
    }

    /// When asking again is worth it, as far as the system said.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the caller's own budget ended it: others that waited for the same thing may still have time.
    pub fn is_deadline(&self) -> bool {
        self.0.kind == Kind::Deadline
    }

    /// Whether the system, or the way to it, is failing as a whole: no connection, no answer in time, a status of 500 or
    /// above. Never an answer about one user or resource.
    pub fn is_outage(&self) -> bool {
        match self.0.kind {
            Kind::Certificate | Kind::Connection | Kind::Proxy | Kind::Timeout => true,
            Kind::Status(status) => status >= 500,
            Kind::Coded(_) | Kind::Deadline | Kind::Malformed | Kind::Request | Kind::TooLarge => {
                false
            }
        }
    }

    /// This error with another code and text; what it came from stays for the log.
    pub fn recoded(&self, code: Code, text: impl Into<String>) -> Error {
        let mut error = Error::coded(code, text);
        let inner = Arc::make_mut(&mut error.0);
        inner.retry_after = self.0.retry_after;
        inner.source = Some(Arc::new(self.clone()));
        error
    }

    pub(crate) fn new(kind: Kind, text: impl Into<String>) -> Error {
        Error(Arc::new(Inner {
            kind,
            text: text.into(),
            retry_after: None,
            answer: None,
            source: None,
        }))
    }

    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Error {
        Arc::make_mut(&mut self.0).source = Some(Arc::new(source));
        self
    }

    pub(crate) fn with_retry_after(mut self, after: Option<Duration>) -> Error {
        Arc::make_mut(&mut self.0).retry_after = after;
        self
    }

    pub(crate) fn with_answer(mut self, headers: HeaderMap, body: &Bytes) -> Error {
        let body_prefix = body.slice(..body.len().min(BODY_PREFIX_BYTES));
        // A copy, so that 256 bytes do not keep 10 MiB alive.
        let body_prefix = Bytes::copy_from_slice(&body_prefix);
        Arc::make_mut(&mut self.0).answer = Some(Answer {
            headers,
            body_prefix,
        });
        self
    }

    /// The same, its text beginning with which request it was.
    pub(crate) fn of_request(mut self, method: &http::Method, url: &Url) -> Error {
        let text = format!("{method} {url}: {}", self.0.text);
        Arc::make_mut(&mut self.0).text = text;
        self
    }

    pub(crate) fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The budget ended while waiting to ask again after `last`.
    pub(crate) fn deadline_after(last: &Error) -> Error {
        Error::new(
            Kind::Deadline,
            format!("no time left to ask again after: {last}"),
        )
        .with_retry_after(last.retry_after())
        .with_source(last.clone())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("text", &self.0.text)
            .finish_non_exhaustive()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<SecretError> for Error {
    fn from(error: SecretError) -> Error {
        Error::coded(Code::CredentialRejected, error.to_string())
    }
}

const BODY_PREFIX_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_code() {
        let rows = [
            (Kind::Certificate, Code::UpstreamError),
            (Kind::Coded(Code::NotConfigured), Code::NotConfigured),
            (Kind::Connection, Code::UpstreamError),
            (Kind::Deadline, Code::UpstreamTimeout),
            (Kind::Malformed, Code::UpstreamError),
            (Kind::Proxy, Code::UpstreamError),
            (Kind::Request, Code::UpstreamError),
            (Kind::Status(400), Code::UpstreamError),
            (Kind::Status(401), Code::CredentialRejected),
            (Kind::Status(403), Code::UpstreamError),
            (Kind::Status(429), Code::UpstreamRateLimited),
            (Kind::Status(503), Code::UpstreamError),
            (Kind::Timeout, Code::UpstreamTimeout),
            (Kind::TooLarge, Code::UpstreamError),
        ];
        for (kind, code) in rows {
            assert_eq!(Error::new(kind, "x").code(), code, "{kind:?}");
        }
    }

    #[test]
    fn an_answer_about_one_thing_is_no_outage() {
        for (kind, outage) in [
            (Kind::Connection, true),
            (Kind::Timeout, true),
            (Kind::Status(503), true),
            (Kind::Status(404), false),
            (Kind::Status(429), false),
            (Kind::Deadline, false),
            (Kind::Coded(Code::UpstreamError), false),
        ] {
            assert_eq!(Error::new(kind, "x").is_outage(), outage, "{kind:?}");
        }
    }

    #[test]
    fn a_failure_decides_nothing() {
        assert_eq!(Error::coded(Code::Allowed, "x").code(), Code::UpstreamError);
        assert_eq!(Error::coded(Code::Denied, "x").code(), Code::UpstreamError);
        let limited =
            Error::new(Kind::Status(429), "x").with_retry_after(Some(Duration::from_secs(3)));
        let recoded = limited.recoded(Code::Denied, "y");
        assert_eq!(
            (recoded.code(), recoded.retry_after()),
            (Code::UpstreamError, Some(Duration::from_secs(3)))
        );
    }

    #[test]
    fn the_body_is_kept_short_and_never_shown() {
        let body = Bytes::from(vec![b's'; 1000]);
        let error = Error::new(Kind::Status(500), "GET https://h/p: status 500")
            .with_answer(HeaderMap::new(), &body);
        assert_eq!(error.body_prefix().len(), 256);
        assert!(!format!("{error} {error:?}").contains("ss"));
    }
}
