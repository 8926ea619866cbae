//! What a body is given: its way to the network, on whose authority it goes.
//!
//! Separate from `call` because a body may keep sending from tasks of its own; each request is looked at by itself.
//! INVARIANT: a request leaves only under a permit of the guard, and what leaves is what was read.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use toolpass_core::question::Freshness;
use toolpass_guard::call::Call;
use toolpass_guard::refusal::Refusal;
use toolpass_guard::request::{RequestCheck, RequestNext, RequestPermit};
use toolpass_guard::settings::ActAs;
use toolpass_http::budget;
use toolpass_http::plain::Plain;
use toolpass_local::addresses::locate;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

use crate::toolkit::Shared;
use crate::value::NoCallables;

/// A running call, as its body sees it. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    pub(crate) shared: Arc<Shared>,
    pub(crate) call: Arc<Call>,
    /// The innermost block, if any.
    block: Option<ActAs>,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// It is none: an address or a header that cannot be sent.
    #[error("the request cannot be sent: {0}")]
    Invalid(toolpass_http::error::Error),
    /// It was refused, and did not leave. The call is refused too, whatever its body does.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// It was let through, and the system gave no answer.
    #[error(transparent)]
    Unsent(toolpass_http::error::Error),
}

impl Context {
    pub(crate) fn new(shared: &Arc<Shared>, call: &Arc<Call>) -> Context {
        Context {
            shared: Arc::clone(shared),
            call: Arc::clone(call),
            block: None,
        }
    }

    /// The same, for requests that are the agent's own errand: the person is not asked about.
    #[must_use]
    pub fn as_agent(&self) -> Context {
        Context {
            block: Some(ActAs::Agent),
            ..self.clone()
        }
    }

    /// The same, for requests on the person's authority.
    #[must_use]
    pub fn as_user(&self) -> Context {
        Context {
            block: Some(ActAs::User),
            ..self.clone()
        }
    }

    /// Send a request, if it may leave. A redirect is not followed; an error status is an answer.
    /// Errors: [`RequestError`].
    pub async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, RequestError> {
        let plain = Plain::new(request).map_err(RequestError::Invalid)?;
        let permit = self.permit(&plain).await.map_err(Box::new);
        let permit = permit.map_err(RequestError::Refused)?;
        let clock = Arc::clone(&self.shared.clock);
        let budget = budget::Context::new(clock, self.shared.patience, Freshness::default());
        let answer = plain
            .send(&self.shared.transport, &budget.without_evidence())
            .await;
        permit.sent(self.shared.clock.monotonic());
        answer.map_err(RequestError::Unsent)
    }

    /// Ask whether a request may leave.
    async fn permit(&self, plain: &Plain) -> Result<RequestPermit, Refusal> {
        let request = Arc::new(read(plain));
        let mut check = RequestCheck::new(&self.call, self.block, request, self.now());
        let decided = loop {
            let (rest, next) = check.next(&NoCallables, self.now());
            check = match (rest, next) {
                (_, RequestNext::Pass(permit)) => break Ok(permit),
                (_, RequestNext::Refuse(refusal)) => break Err(refusal),
                (Some(mut rest), RequestNext::Ask(question)) => {
                    let decision = self.shared.remote.server().check(&question).await;
                    rest.answer_decision(&question, &decision, self.now());
                    rest
                }
                (Some(mut rest), RequestNext::Locate { host, port }) => {
                    rest.answer_addresses(&self.locate(&host, port).await);
                    rest
                }
                (
                    Some(mut rest),
                    RequestNext::Resolve {
                        connection,
                        freshness,
                        pointer,
                    },
                ) => {
                    let remote = &self.shared.remote;
                    let server = remote.server();
                    rest.answer_resource(server.resolve(&connection, &pointer, freshness).await);
                    rest
                }
                (
                    Some(mut rest),
                    RequestNext::See {
                        connection,
                        resource,
                    },
                ) => {
                    let server = self.shared.remote.server();
                    rest.answer_visibility(server.visibility(&connection, &resource).await);
                    rest
                }
                (Some(mut rest), RequestNext::Observe { .. }) => {
                    let (request, systems) = (Arc::clone(rest.request()), rest.systems().cloned());
                    let server = self.shared.remote.server();
                    let named = match systems {
                        Some(systems) => server.observe(&request, &systems).await,
                        None => break Err(rest.crashed("NoEndpoints")),
                    };
                    rest.answer_served(named);
                    rest
                }
                (Some(rest), RequestNext::Session(..)) => break Err(rest.crashed(NO_STORE)),
                (None, _) => break Err(self.call.check_crashed(ASKED_TOO_LATE)),
            };
        };
        for event in self.call.late_events(self.now()) {
            self.shared.emit(&event);
        }
        decided
    }

    async fn locate(&self, host: &str, port: u16) -> Vec<std::net::IpAddr> {
        let shared = &self.shared;
        match self.call.systems() {
            Some(systems) => {
                let looked = shared.remote.looked(systems);
                locate(systems, &looked, &*shared.clock, host, port).await
            }
            None => Vec::new(),
        }
    }

    fn now(&self) -> toolpass_core::clock::Monotonic {
        self.shared.clock.monotonic()
    }
}

/// The request as it will leave, read once.
fn read(plain: &Plain) -> WireRequest {
    let url = plain.url();
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let authority = url.authority();
    let own = std::iter::once(("host", authority.as_bytes()));
    let headers = plain.headers().iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
    let raw = RawRequest {
        scheme: url.scheme().as_str(),
        host: url.host(),
        port: Some(url.port()),
        method: plain.method().as_str(),
        target: &target,
        headers: own.chain(headers).collect(),
        body: if plain.body().is_empty() {
            RawBody::None
        } else {
            RawBody::Bytes(plain.body())
        },
    };
    WireRequest::read(raw, &Limits::default())
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("tool", &self.call.tool.name)
            .field("block", &self.block)
            .finish_non_exhaustive()
    }
}

/// What is named in a refusal where the guard asks for what this face has not.
pub(crate) const NO_STORE: &str = "NoSessionStore";
const ASKED_TOO_LATE: &str = "AskedTooLate";
