//! Table: every path there is, one row each. Routing, limits, keys and the OpenAPI description are made from these rows.

use futures_util::future::BoxFuture;
use toolpass_config::server::Scope;

use crate::exchange::Asked;
use crate::reply::{Form, Reply};
use crate::{
    admin, authzen, catalog, check, dashboard, health, metrics, observe, openapi, runs, sessions,
    v1,
};

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
    /// The schema of its body.
    pub(crate) takes: Option<&'static str>,
    /// The schema of its answer; plain text without one.
    pub(crate) gives: Option<&'static str>,
    /// Statuses it also has, beyond those its other columns say.
    pub(crate) also: &'static [u16],
    /// Whether it is served at the second address too, and nothing else there.
    pub(crate) is_admin: bool,
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
    let mut plain = ENDPOINTS.iter().filter(|endpoint| endpoint.path != SESSION);
    let listed = plain.find(|endpoint| endpoint.path == path);
    let session = || ENDPOINTS.iter().find(|endpoint| endpoint.path == SESSION);
    let of_session = || sessions::is_one(path).then(session).flatten();
    let page = || dashboard::is_page(path).then_some(&dashboard::PAGE);
    listed.or_else(of_session).or_else(page)
}

/// The rows, by path.
#[rustfmt::skip]
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint { path: "/.well-known/authzen-configuration", method: Method::Get,  access: Access::Open,                max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("AuthzenMetadata"), also: &[404],      is_admin: false, summary: "Say where the AuthZEN paths are",                        answer: authzen::metadata },
    Endpoint { path: "/access/v1/evaluation",              method: Method::Post, access: Access::Scope(Scope::Check), max_body: CHECK_BYTES,   form: Form::Coded,    takes: Some("Evaluation"),   gives: Some("Evaluated"),       also: &[404],      is_admin: false, summary: "Answer one AuthZEN evaluation",                          answer: authzen::evaluation },
    Endpoint { path: "/access/v1/evaluations",             method: Method::Post, access: Access::Scope(Scope::Check), max_body: BATCH_BYTES,   form: Form::Coded,    takes: Some("Evaluations"),  gives: Some("EvaluatedMany"),   also: &[404],      is_admin: false, summary: "Answer several AuthZEN evaluations",                     answer: authzen::evaluations },
    Endpoint { path: "/check",                             method: Method::Post, access: Access::Scope(Scope::Check), max_body: CHECK_BYTES,   form: Form::Decision, takes: Some("Question"),     gives: Some("Decision"),        also: &[],         is_admin: false, summary: "Ask whether a user may do something",                    answer: check::plain },
    Endpoint { path: "/dashboard/decisions/events",                  method: Method::Get,  access: Access::Scope(Scope::Dashboard), max_body: 0,         form: Form::Coded,    takes: None,                 gives: Some("Events"),          also: &[400, 404, 503], is_admin: false, summary: "List decisions, newest 500 first to be had",   answer: dashboard::events },
    Endpoint { path: "/dashboard/decisions/events/stream",           method: Method::Get,  access: Access::Scope(Scope::Dashboard), max_body: 0,         form: Form::Coded,    takes: None,                 gives: None,                    also: &[400, 404, 503], is_admin: false, summary: "Decisions as they come, as server-sent events",       answer: dashboard::news },
    Endpoint { path: "/dashboard/decisions/export",                  method: Method::Get,  access: Access::Scope(Scope::Dashboard), max_body: 0,         form: Form::Coded,    takes: None,                 gives: None,                    also: &[400, 404], is_admin: false, summary: "Decisions as a file, CSV or JSON lines",              answer: dashboard::file },
    Endpoint { path: "/dashboard/events",                  method: Method::Get,  access: Access::Scope(Scope::Dashboard), max_body: 0,         form: Form::Coded,    takes: None,                 gives: Some("Events"),          also: &[400, 404, 503], is_admin: false, summary: "List reported runs, newest 500 first to be had",   answer: dashboard::events },
    Endpoint { path: "/dashboard/events/stream",           method: Method::Get,  access: Access::Scope(Scope::Dashboard), max_body: 0,         form: Form::Coded,    takes: None,                 gives: None,                    also: &[400, 404, 503], is_admin: false, summary: "Reported runs as they come, as server-sent events",       answer: dashboard::news },
    Endpoint { path: "/dashboard/export",                  method: Method::Get,  access: Access::Scope(Scope::Dashboard), max_body: 0,         form: Form::Coded,    takes: None,                 gives: None,                    also: &[400, 404], is_admin: false, summary: "Reported runs as a file, CSV or JSON lines",              answer: dashboard::file },
    Endpoint { path: "/healthz",                           method: Method::Get,  access: Access::Open,                max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("Status"),          also: &[],         is_admin: true,  summary: "Say that the process answers",                           answer: health::process },
    Endpoint { path: "/livez",                             method: Method::Get,  access: Access::Open,                max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("Status"),          also: &[],         is_admin: true,  summary: "Say that the process answers",                           answer: health::process },
    Endpoint { path: "/metrics",                           method: Method::Get,  access: Access::Open,                max_body: 0,             form: Form::Coded,    takes: None,                 gives: None,                    also: &[401, 404], is_admin: true,  summary: "How the process fares, for Prometheus",                  answer: metrics::page },
    Endpoint { path: "/readyz",                            method: Method::Get,  access: Access::Open,                max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("Status"),          also: &[401, 503], is_admin: true,  summary: "Say whether it takes more",                              answer: health::readiness },
    Endpoint { path: "/runs",                              method: Method::Post, access: Access::Scope(Scope::Report), max_body: RUNS_BYTES,   form: Form::Coded,    takes: Some("Reported"),     gives: Some("Accepted"),        also: &[202],      is_admin: false, summary: "Report calls of tools",                                  answer: runs::report },
    Endpoint { path: "/v1/check",                          method: Method::Post, access: Access::Scope(Scope::Check), max_body: CHECK_BYTES,   form: Form::Full,     takes: Some("FullQuestion"), gives: Some("FullDecision"),    also: &[],         is_admin: false, summary: "Ask, and be told everything about the answer",           answer: v1::one },
    Endpoint { path: "/v1/check/batch",                    method: Method::Post, access: Access::Scope(Scope::Check), max_body: BATCH_BYTES,   form: Form::Coded,    takes: Some("Batch"),        gives: Some("Results"),         also: &[],         is_admin: false, summary: "Ask up to a hundred questions at once",                  answer: v1::many },
    Endpoint { path: "/v1/connections",                    method: Method::Get,  access: Access::Scope(Scope::Check), max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("Connections"),     also: &[],         is_admin: false, summary: "List the connections and their actions",                 answer: catalog::connections },
    Endpoint { path: "/v1/endpoints",                      method: Method::Get,  access: Access::Scope(Scope::Check), max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("Endpoints"),       also: &[304],      is_admin: false, summary: "Say where connections are reached, for remote toolkits", answer: catalog::endpoints },
    Endpoint { path: "/v1/invalidate",                     method: Method::Post, access: Access::Scope(Scope::Admin), max_body: CHECK_BYTES,   form: Form::Coded,    takes: Some("Forget"),       gives: Some("Forgotten"),       also: &[],         is_admin: false, summary: "Forget what is known of a connection or a user",         answer: admin::invalidate },
    Endpoint { path: "/v1/observe",                        method: Method::Post, access: Access::Scope(Scope::Check), max_body: OBSERVE_BYTES, form: Form::Coded,    takes: Some("Request"),      gives: Some("Observed"),        also: &[],         is_admin: false, summary: "Say what a request is and whether it is allowed",        answer: observe::request },
    Endpoint { path: "/v1/openapi.json",                   method: Method::Get,  access: Access::Open,                max_body: 0,             form: Form::Coded,    takes: None,                 gives: Some("Description"),     also: &[],         is_admin: false, summary: "This description",                                       answer: openapi::description },
    Endpoint { path: "/v1/resolve",                        method: Method::Post, access: Access::Scope(Scope::Check), max_body: CHECK_BYTES,   form: Form::Coded,    takes: Some("Pointed"),      gives: Some("Resolved"),        also: &[],         is_admin: false, summary: "Look up what a request names by a number or id",         answer: admin::resolve },
    Endpoint { path: "/v1/sessions/{id}",                  method: Method::Post, access: Access::Scope(Scope::Report), max_body: RUNS_BYTES,  form: Form::Coded,    takes: Some("SessionAsked"), gives: Some("SessionKept"),     also: &[404, 503], is_admin: false, summary: "Count, mark and remember of a session of toolkits",       answer: sessions::apply },
    Endpoint { path: "/v1/visibility",                     method: Method::Post, access: Access::Scope(Scope::Check), max_body: CHECK_BYTES,   form: Form::Coded,    takes: Some("Visited"),      gives: Some("Visible"),         also: &[],         is_admin: false, summary: "Say who can read a resource",                            answer: admin::visibility },
];

/// The one path that names something.
const SESSION: &str = "/v1/sessions/{id}";
const BATCH_BYTES: usize = 1024 * 1024;
const CHECK_BYTES: usize = 64 * 1024;
const OBSERVE_BYTES: usize = 12 * 1024 * 1024;
const RUNS_BYTES: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        assert!(ENDPOINTS.windows(2).all(|pair| pair[0].path < pair[1].path));
    }
}
