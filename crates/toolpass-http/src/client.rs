//! A client of one base address: makes requests, sends them until an answer counts, and notes what was read.
//!
//! Separate from the transport because this is policy: which header proves who we are, which failure is tried again,
//! which answer is an error, what goes into evidence.
//!
//! INVARIANT: evidence holds the answer the caller is told about and no other; nothing waits past the check's budget.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, ETAG, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use sha2::{Digest, Sha256};
use toolpass_core::clock::Wall;
use toolpass_core::evidence::UpstreamCall;

use crate::auth::{AuthHeader, Authorize};
use crate::budget::Context;
use crate::error::{Error, Kind};
use crate::path::PathBuilder;
use crate::request::{Prepared, Request};
use crate::response::Response;
use crate::transport::{Received, Transport};
use crate::url::Url;
use crate::{random, retry};

/// A client. Cheap to clone.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    base: Option<Url>,
    transport: Transport,
    headers: HeaderMap,
    auth: Option<Arc<dyn Authorize>>,
}

impl Client {
    /// A client whose paths lie under `base`.
    pub fn new(transport: Transport, base: Url) -> Client {
        Client::with(transport, Some(base))
    }

    /// A client that takes whole addresses only; its evidence always names the host.
    pub fn without_base(transport: Transport) -> Client {
        Client::with(transport, None)
    }

    /// The same, proving who it is with `auth`.
    pub fn with_auth(mut self, auth: Arc<dyn Authorize>) -> Client {
        Arc::make_mut(&mut self.0).auth = Some(auth);
        self
    }

    /// The same, sending this header with every request that does not set it.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Client {
        Arc::make_mut(&mut self.0).headers.insert(name, value);
        self
    }

    /// The base address.
    pub fn base(&self) -> Option<&Url> {
        self.0.base.as_ref()
    }

    /// A GET.
    pub fn get(&self, path: impl Into<PathBuilder>) -> Request {
        self.request(Method::GET, path)
    }

    /// A POST.
    pub fn post(&self, path: impl Into<PathBuilder>) -> Request {
        self.request(Method::POST, path)
    }

    /// Any method.
    pub fn request(&self, method: Method, path: impl Into<PathBuilder>) -> Request {
        Request::relative(self.clone(), method, path.into())
    }

    /// A HEAD of a whole address, as [`Client::absolute`].
    pub fn head(&self, url: Url) -> Request {
        self.absolute(Method::HEAD, url)
    }

    /// A request to a whole address that an operator or a vendor's documentation gave.
    pub fn absolute(&self, method: Method, url: Url) -> Request {
        Request::absolute(self.clone(), method, url)
    }

    /// A GET of an address learned from an answer: it may not lead to loopback, link-local or metadata addresses unless
    /// the connection's own host does. The client's credential goes along, so use one whose credential that host may see.
    pub fn learned(&self, url: Url) -> Request {
        Request::absolute(self.clone(), Method::GET, url).learned()
    }

    pub(crate) fn default_headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    fn with(transport: Transport, base: Option<Url>) -> Client {
        let headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("application/json")),
            (
                USER_AGENT,
                HeaderValue::from_static(concat!("toolpass/", env!("CARGO_PKG_VERSION"))),
            ),
        ]);
        Client(Arc::new(Inner {
            base,
            transport,
            headers,
            auth: None,
        }))
    }

    /// Send until an answer counts.
    pub(crate) async fn send(&self, ctx: &Context, prepared: &Prepared) -> Result<Response, Error> {
        self.wait_for_pause(ctx, prepared).await?;
        let mut retries = 0;
        let mut renewed = false;
        loop {
            let attempt = self.attempt(ctx, prepared, retries).await?;
            let failure = match failure_of(prepared, &attempt, ctx.wall()) {
                Some(failure) => failure,
                None => return self.answer(ctx, prepared, attempt, None),
            };
            self.0
                .transport
                .pace()
                .learn(prepared.url().host(), &failure, ctx.now());
            if failure.status() == Some(401)
                && self.drop_credential(&attempt)
                && prepared.idempotent
                && !renewed
            {
                renewed = true;
                continue;
            }
            let wait = retry::wait_before_next(&failure, retries, random::unit())
                .filter(|_| prepared.idempotent);
            let Some(wait) = wait.filter(|_| self.0.transport.pace().take_retry()) else {
                return self.answer(ctx, prepared, attempt, Some(failure));
            };
            if ctx.remaining() <= wait {
                self.record(ctx, prepared, &attempt);
                return Err(Error::deadline_after(&failure));
            }
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// Respect a pause another request was asked for: a short one is waited for, a long one is the answer.
    async fn wait_for_pause(&self, ctx: &Context, prepared: &Prepared) -> Result<(), Error> {
        let Some((left, failure)) = self
            .0
            .transport
            .pace()
            .begin(prepared.url().host(), ctx.now())
        else {
            return Ok(());
        };
        if left > retry::MAX_WAIT || left >= ctx.remaining() {
            return Err(failure);
        }
        tokio::time::sleep(left).await;
        Ok(())
    }

    /// One attempt. The outer error is one that no repetition helps: there is no credential to send.
    async fn attempt(
        &self,
        ctx: &Context,
        prepared: &Prepared,
        retries: u32,
    ) -> Result<Attempt, Error> {
        let mut out = prepared.out.clone();
        let used = match &self.0.auth {
            Some(auth) => {
                let ctx = ctx.without_evidence();
                let made = ctx.within(auth.authorize(&ctx)).await;
                Some(made.unwrap_or_else(|| Err(Error::new(Kind::Deadline, NO_TIME_FOR_AUTH)))?)
            }
            None => None,
        };
        if let Some(used) = &used {
            out.headers.insert(used.name(), used.value().clone());
        }
        let began = ctx.now();
        let result = self.0.transport.exchange(ctx, &out).await;
        let result = result.map_err(|error| error.of_request(&out.method, &out.url));
        let took = ctx.now().since(began);
        let duration_ms = took.as_millis() as u64;
        let (method, host, path, attempt) = (
            out.method.as_str(),
            out.url.host(),
            out.url.path(),
            retries + 1,
        );
        match &result {
            Ok(received) => tracing::debug!(
                method,
                host,
                path,
                attempt,
                duration_ms,
                status = received.status,
                "upstream request"
            ),
            Err(error) => tracing::debug!(
                method,
                host,
                path,
                attempt,
                duration_ms,
                "upstream request failed: {error}"
            ),
        }
        Ok(Attempt { used, result, took })
    }

    /// Whether there is another credential to try after the one that was refused, which is dropped.
    fn drop_credential(&self, attempt: &Attempt) -> bool {
        match (&self.0.auth, &attempt.used) {
            (Some(auth), Some(used)) if auth.refreshable() => {
                auth.invalidate(used);
                true
            }
            _ => false,
        }
    }

    /// What the caller is told: the answer, when there is none or an accepted failure, else the failure.
    fn answer(
        &self,
        ctx: &Context,
        prepared: &Prepared,
        attempt: Attempt,
        failure: Option<Error>,
    ) -> Result<Response, Error> {
        self.record(ctx, prepared, &attempt);
        match (attempt.result, failure) {
            (Ok(received), Some(failure)) if !prepared.accepts(received.status) => Err(failure),
            (Ok(received), _) => Ok(Response::new(prepared, self.0.base.as_ref(), received)),
            (Err(error), _) => Err(error),
        }
    }

    fn record(&self, ctx: &Context, prepared: &Prepared, attempt: &Attempt) {
        let Ok(received) = &attempt.result else {
            return;
        };
        let took = attempt.took;
        let url = prepared.url();
        let left_base = !self
            .0
            .base
            .as_ref()
            .is_some_and(|base| base.same_origin(url));
        let etag = etag_of(&received.headers);
        let digest = etag.is_none() && !received.body.is_empty();
        ctx.recorder().record(UpstreamCall {
            method: prepared.out.method.as_str().into(),
            path: url.path().into(),
            host: left_base.then(|| url.authority()),
            status: received.status,
            sha256: digest.then(|| hex(&Sha256::digest(&received.body))),
            etag,
            cached: false,
            shared: false,
            took: Some(took),
        });
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.0.base)
            .finish_non_exhaustive()
    }
}

struct Attempt {
    used: Option<AuthHeader>,
    result: Result<Received, Error>,
    took: Duration,
}

/// The failure an attempt stands for, accepted or not; none when it is an answer.
fn failure_of(prepared: &Prepared, attempt: &Attempt, wall: Wall) -> Option<Error> {
    let received = match &attempt.result {
        Ok(received) if received.status < 400 => return None,
        Ok(received) => received,
        Err(error) => return Some(error.clone()),
    };
    let asked = received
        .headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    let error = Error::new(
        Kind::Status(received.status),
        format!("status {}", received.status),
    )
    .of_request(&prepared.out.method, prepared.url())
    .with_retry_after(asked.and_then(|value| retry::parse_retry_after(value, wall)))
    .with_answer(received.headers.clone(), &received.body);
    Some(error)
}

fn etag_of(headers: &HeaderMap) -> Option<String> {
    let etag = headers.get(ETAG)?.to_str().ok()?;
    let fits = !etag.is_empty() && etag.len() <= 128 && etag.bytes().all(|b| b.is_ascii_graphic());
    fits.then(|| etag.to_owned())
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

const NO_TIME_FOR_AUTH: &str = "the check's time was spent while getting a credential";
