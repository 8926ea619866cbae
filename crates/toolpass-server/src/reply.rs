//! An answer, and the forms an error has.
//!
//! INVARIANT: every answer says its content type, and none but static files may be stored by anybody.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};
use serde::Serialize;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;

use crate::v1::Told;

/// A body: bytes, or a stream of them.
pub(crate) type Body = Either<Full<Bytes>, UnsyncBoxBody<Bytes, Infallible>>;

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) response: Response<Body>,
}

/// The form in which an endpoint says that something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `{"code":…,"error":…}`.
    Coded,
    /// A decision: `{"decision":"unknown","reason":…}`.
    Decision,
    /// A decision with everything that is known of it.
    Full,
}

/// A decision as `/check` gives it.
#[derive(Serialize)]
struct DecisionBody<'a> {
    decision: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    identity: &'a str,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    error: &'a str,
}

impl Reply {
    /// These bytes, of this type.
    pub(crate) fn new(
        status: StatusCode,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Reply {
        let mut response = Response::new(Either::Left(Full::new(body.into())));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Reply { response }
    }

    /// A value as JSON, and a line end.
    pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Reply {
        let mut body = Vec::with_capacity(256);
        match serde_json::to_writer(&mut body, value) {
            Ok(()) => {
                body.push(b'\n');
                Reply::new(status, JSON, body)
            }
            Err(_) => Reply::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                JSON,
                "{\"error\":\"the answer could not be written\"}\n",
            ),
        }
    }

    /// A line of text.
    pub(crate) fn text(status: StatusCode, text: &str) -> Reply {
        Reply::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }

    /// Something is wrong.
    pub(crate) fn wrong(form: Form, status: StatusCode, code: Code, text: &str) -> Reply {
        match form {
            Form::Coded => Reply::json(
                status,
                &ErrorBody {
                    code: code.as_str(),
                    error: text,
                },
            ),
            Form::Decision | Form::Full => {
                let mut decision = Decision::unknown(code, text);
                decision.status = status.as_u16();
                if form == Form::Full {
                    Reply::json(status, &Told::of(&decision))
                } else {
                    Reply::decision(&decision)
                }
            }
        }
    }

    /// A decision with its own status.
    pub(crate) fn decision(decision: &Decision) -> Reply {
        let body = DecisionBody {
            decision: decision.outcome().as_str(),
            reason: &decision.reason(),
            identity: &decision.identity,
        };
        Reply::json(status_of(decision), &body)
    }

    /// The same, with a header.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Reply {
        self.response.headers_mut().insert(name, value);
        self
    }
}

/// The status a decision is answered with.
pub(crate) fn status_of(decision: &Decision) -> StatusCode {
    StatusCode::from_u16(decision.status).unwrap_or(StatusCode::OK)
}

/// The type of JSON.
pub(crate) const JSON: &str = "application/json";
