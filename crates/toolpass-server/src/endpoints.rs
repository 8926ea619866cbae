//! Every path there is: one row each. Routing, limits, keys and the OpenAPI description are made from these rows.

use futures_util::future::BoxFuture;
use toolpass_config::server::Scope;

use crate::exchange::Asked;
use crate::reply::{Form, Reply};
use crate::{check, health};

/// One path.
pub(crate) struct Endpoint {
    /// The path, whole.
    pub(crate) path: &'static str,
    /// What it takes.
    pub(crate) method: Method,
    /// Who may ask.
    pub(crate) access: Access,
    /// The largest body; none is read when 0.
    pub(crate) max_body: usize,
    /// How it says that something is wrong.
    pub(crate) form: Form,
    /// What it does, for the description.
    pub(crate) summary: &'static str,
    /// What answers.
    pub(crate) answer: fn(Asked) -> BoxFuture<'static, Reply>,
}

/// What a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// GET, and HEAD.
    Get,
    /// POST.
    Post,
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody.
    Open,
    /// Who has a key with this scope.
    Scope(Scope),
}

impl Method {
    /// The `Allow` header.
    pub(crate) fn allowed(self) -> &'static str {
        match self {
            Method::Get => "GET, HEAD",
            Method::Post => "POST",
        }
    }

    /// Whether a request's method is it.
    pub(crate) fn takes(self, method: &http::Method) -> bool {
        match self {
            Method::Get => *method == http::Method::GET || *method == http::Method::HEAD,
            Method::Post => *method == http::Method::POST,
        }
    }
}

/// The row of a path.
pub(crate) fn of(path: &str) -> Option<&'static Endpoint> {
    ENDPOINTS.iter().find(|endpoint| endpoint.path == path)
}

/// The rows, by path.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/check",
        method: Method::Post,
        access: Access::Scope(Scope::Check),
        max_body: CHECK_BYTES,
        form: Form::Decision,
        summary: "Ask whether a user may do something",
        answer: check::plain,
    },
    Endpoint {
        path: "/healthz",
        method: Method::Get,
        access: Access::Open,
        max_body: 0,
        form: Form::Coded,
        summary: "Say that the process answers",
        answer: health::process,
    },
];

const CHECK_BYTES: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        assert!(ENDPOINTS.windows(2).all(|pair| pair[0].path < pair[1].path));
    }
}
