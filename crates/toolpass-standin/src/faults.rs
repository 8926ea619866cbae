//! How a stand-in misbehaves on demand: rules by path prefix, and the bodies that never end well.
//!
//! Rules are tried in order; the first that matches and is not used up is applied, before any credential is looked at.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame};
use hyper::{Response, StatusCode};
use serde::{Deserialize, Serialize};
use tokio::time::Sleep;

/// What happens instead of an answer.
///
/// In JSON: a word (`"hang"`), or an object with one member (`{"status": {"status": 429, "headers": {"Retry-After": "1"}}}`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The connection is closed without an answer.
    Close,
    /// 200 and a JSON body without an end.
    Endless,
    /// Nothing, for ever.
    Hang,
    /// 200 and a body that is not JSON though it says so.
    MalformedJson,
    /// A redirection.
    Redirect {
        /// 301, 302, 303, 307 or 308.
        status: u16,
        /// The `Location`, as it is sent.
        location: String,
    },
    /// 200 and a body whose bytes come one by one.
    SlowDrip {
        /// Milliseconds between two bytes.
        every_ms: u64,
        /// The body; a long JSON one when empty.
        #[serde(default)]
        body: String,
    },
    /// An answer given in full.
    Status {
        /// The status.
        status: u16,
        /// Header fields.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// The body; a JSON object with a `message` when absent.
        #[serde(default)]
        body: Option<String>,
    },
    /// 200 and a body shorter than its `Content-Length` says, then the connection is closed.
    Truncated,
}

/// When a fault happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultRule {
    /// The start of the path, without the system's own prefix (`/repos/acme`, never `/api/v3/repos/acme`).
    pub prefix: String,
    /// Only this method, upper case; any when absent.
    #[serde(default)]
    pub method: Option<String>,
    /// How many matching requests pass unharmed first.
    #[serde(default)]
    pub skip: u32,
    /// How many requests it meets; all when absent.
    #[serde(default)]
    pub times: Option<u32>,
    /// What happens.
    pub fault: Fault,
}

/// The rules in force.
#[derive(Default)]
pub struct FaultBook {
    rules: Mutex<Vec<FaultRule>>,
}

/// A response body: whole, or one of those that try a client's patience.
pub(crate) enum FaultyBody {
    Drip {
        rest: Bytes,
        pause: Duration,
        sleep: Pin<Box<Sleep>>,
    },
    Endless {
        started: bool,
    },
    Short {
        first: Option<Bytes>,
        flushed: bool,
    },
    Whole(Option<Bytes>),
}

/// The connection ends without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the stand-in closes the connection")]
pub(crate) struct Closed;

impl FaultRule {
    /// A rule for every request whose path starts with `prefix`.
    pub fn on(prefix: &str, fault: Fault) -> FaultRule {
        FaultRule {
            prefix: prefix.to_owned(),
            method: None,
            skip: 0,
            times: None,
            fault,
        }
    }
}

impl Fault {
    /// Its name, for the journal.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::Close => "close",
            Fault::Endless => "endless",
            Fault::Hang => "hang",
            Fault::MalformedJson => "malformed_json",
            Fault::Redirect { .. } => "redirect",
            Fault::SlowDrip { .. } => "slow_drip",
            Fault::Status { .. } => "status",
            Fault::Truncated => "truncated",
        }
    }
}

impl FaultBook {
    /// Add a rule behind the others.
    pub fn add(&self, rule: FaultRule) {
        self.lock().push(rule);
    }

    /// Replace all rules.
    pub fn replace(&self, rules: Vec<FaultRule>) {
        *self.lock() = rules;
    }

    /// The rules, with what is left of their counts.
    pub fn rules(&self) -> Vec<FaultRule> {
        self.lock().clone()
    }

    /// The fault that meets this request; uses up the rule's counts.
    pub(crate) fn take(&self, method: &str, local_path: &str) -> Option<Fault> {
        let mut rules = self.lock();
        for rule in rules.iter_mut() {
            let matches = local_path.starts_with(&rule.prefix)
                && rule.method.as_deref().is_none_or(|wanted| wanted == method);
            if !matches || rule.times == Some(0) {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            if let Some(times) = rule.times.as_mut() {
                *times -= 1;
            }
            return Some(rule.fault.clone());
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FaultRule>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Do what the fault says; `Closed` when that is to give no answer at all.
pub(crate) async fn respond(fault: Fault) -> Result<Response<FaultyBody>, Closed> {
    match fault {
        Fault::Close => Err(Closed),
        Fault::Endless => Ok(response(200, &[], FaultyBody::Endless { started: false })),
        Fault::Hang => std::future::pending().await,
        Fault::MalformedJson => Ok(response(
            200,
            &[],
            FaultyBody::whole(br#"{"id": 1, "permissions": {"admin": tru"#.as_slice()),
        )),
        Fault::Redirect { status, location } => Ok(response(
            status,
            &[("location", location)],
            FaultyBody::Whole(None),
        )),
        Fault::SlowDrip { every_ms, body } => Ok(response(200, &[], drip(every_ms, body))),
        Fault::Status {
            status,
            headers,
            body,
        } => {
            let body = body.unwrap_or_else(|| {
                format!(r#"{{"message":"stand-in fault","status":"{status}"}}"#)
            });
            let headers: Vec<(&str, String)> = headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone()))
                .collect();
            Ok(response(status, &headers, FaultyBody::whole(body)))
        }
        Fault::Truncated => {
            let first = Some(Bytes::from_static(br#"{"id": 1, "#));
            Ok(response(
                200,
                &[("content-length", "4096".to_owned())],
                FaultyBody::Short {
                    first,
                    flushed: false,
                },
            ))
        }
    }
}

fn response(status: u16, headers: &[(&str, String)], body: FaultyBody) -> Response<FaultyBody> {
    let mut builder = Response::builder()
        .status(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        builder = builder.header("content-type", "application/json; charset=utf-8");
    }
    for (name, value) in headers {
        builder = builder.header(*name, value.as_str());
    }
    builder.body(body).unwrap_or_else(|_| unanswerable())
}

/// A rule whose header cannot be sent: says so instead of hiding it.
fn unanswerable() -> Response<FaultyBody> {
    let mut response = Response::new(FaultyBody::whole(
        br#"{"message":"the fault's headers cannot be sent"}"#.as_slice(),
    ));
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response
}

fn drip(every_ms: u64, body: String) -> FaultyBody {
    let body = if body.is_empty() {
        format!(r#"{{"id": 1, "padding": "{}"}}"#, "x".repeat(4096))
    } else {
        body
    };
    let pause = Duration::from_millis(every_ms);
    FaultyBody::Drip {
        rest: Bytes::from(body),
        pause,
        sleep: Box::pin(tokio::time::sleep(pause)),
    }
}

impl FaultyBody {
    pub(crate) fn whole(body: impl Into<Bytes>) -> FaultyBody {
        FaultyBody::Whole(Some(body.into()))
    }
}

impl Body for FaultyBody {
    type Data = Bytes;
    type Error = Closed;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Closed>>> {
        match self.get_mut() {
            FaultyBody::Drip { rest, pause, sleep } => {
                if rest.is_empty() {
                    return Poll::Ready(None);
                }
                if sleep.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                sleep.set(tokio::time::sleep(*pause));
                Poll::Ready(Some(Ok(Frame::data(rest.split_to(1)))))
            }
            FaultyBody::Endless { started } => {
                let chunk = if *started { ENDLESS_CHUNK } else { b"[0" };
                *started = true;
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(chunk)))))
            }
            FaultyBody::Short { first, flushed } => {
                if first.is_none() && !*flushed {
                    // One turn of waiting lets the server send what it has before the connection is cut.
                    *flushed = true;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(Some(first.take().map(Frame::data).ok_or(Closed)))
            }
            FaultyBody::Whole(body) => Poll::Ready(body.take().map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            FaultyBody::Whole(body) => hyper::body::SizeHint::with_exact(
                body.as_ref().map_or(0, |bytes| bytes.len() as u64),
            ),
            FaultyBody::Drip { .. } | FaultyBody::Endless { .. } | FaultyBody::Short { .. } => {
                hyper::body::SizeHint::default()
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, FaultyBody::Whole(None))
    }
}

const ENDLESS_CHUNK: &[u8] = &[b' '; 16 * 1024];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_skipped_then_used_up() {
        let book = FaultBook::default();
        book.add(FaultRule {
            skip: 1,
            times: Some(1),
            ..FaultRule::on("/repos", Fault::Hang)
        });
        assert_eq!(book.take("GET", "/orgs/acme"), None);
        assert_eq!(book.take("GET", "/repos/acme/shop"), None);
        assert_eq!(book.take("GET", "/repos/acme/shop"), Some(Fault::Hang));
        assert_eq!(book.take("GET", "/repos/acme/shop"), None);
    }

    #[test]
    fn a_rule_may_name_the_method() {
        let book = FaultBook::default();
        book.add(FaultRule {
            method: Some("POST".to_owned()),
            ..FaultRule::on("/", Fault::Close)
        });
        assert_eq!(book.take("GET", "/graphql"), None);
        assert_eq!(book.take("POST", "/graphql"), Some(Fault::Close));
    }

    #[test]
    fn faults_are_readable_json() {
        let rule: FaultRule =
            serde_json::from_str(r#"{"prefix":"/graphql","fault":{"status":{"status":429,"headers":{"Retry-After":"7"}}}}"#).unwrap();
        assert_eq!(rule.fault.name(), "status");
        let rule: FaultRule = serde_json::from_str(r#"{"prefix":"/","fault":"hang"}"#).unwrap();
        assert_eq!(rule.fault, Fault::Hang);
    }
}
