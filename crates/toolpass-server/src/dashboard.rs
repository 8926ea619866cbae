//! `/dashboard/`: the page of all runs, for people. Its files are the live page's; what it shows needs a key.
//!
//! | file | answers |
//! |---|---|
//! | `query` | which runs are asked for |
//! | `rows` | those of them that the key may see |
//! | `stream` | runs as they come |
//! | `export` | all that fit, as a file |
//!
//! INVARIANT: a key is never read from a path or a query; every answer has the safety headers.

mod export;
mod query;
mod rows;
mod stream;

use futures_util::future::{BoxFuture, FutureExt, ready};
use http::StatusCode;
use http::header::{HeaderName, HeaderValue, LOCATION};
use toolpass_config::server::Scope;
use toolpass_core::codes::Code;
use toolpass_page::answer::{Answer, Kind};
use toolpass_page::assets;
use toolpass_page::reply::{CONTENT_POLICY, SAFETY};

pub(crate) use export::file;
pub(crate) use query::{NAMES, schema};
pub(crate) use stream::news;

use crate::access::ApiKey;
use crate::endpoints::{Access, Endpoint, Method};
use crate::exchange::Asked;
use crate::live::Live;
use crate::reply::{Form, JSON, Reply};
use crate::runs::{Reported, unavailable};
use query::{Query, Wanted};
use rows::{MOST, Rows};

/// The row of every file of the page, which is described nowhere: it is for browsers.
pub(crate) const PAGE: Endpoint = Endpoint {
    path: "/dashboard/",
    method: Method::Get,
    access: Access::Open,
    max_body: 0,
    form: Form::Coded,
    takes: None,
    gives: None,
    also: &[],
    is_admin: false,
    summary: "The page of all runs",
    answer: page,
};

/// Whether a path is one of the page's files, or leads to it.
pub(crate) fn is_page(path: &str) -> bool {
    let is_bare = |rest: &str| rest.is_empty() || rest == DECISIONS;
    path.strip_prefix(ROOT).is_some_and(is_bare)
        || named(path).is_some_and(|name| assets::find(name).is_some())
}

/// The name of a file under one of the page's two addresses: of runs, of decisions. `None` for an address without its slash.
fn named(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(ROOT)?;
    let rest = rest.strip_prefix(DECISIONS).unwrap_or(rest);
    rest.strip_prefix('/')
}

/// Whether decisions are asked for, not runs.
fn is_of_decisions(asked: &Asked) -> bool {
    let rest = asked.head.uri.path().strip_prefix(ROOT);
    rest.is_some_and(|rest| rest.starts_with(DECISIONS))
}

/// What is shown under the address that was asked for.
fn shelf(asked: &Asked) -> &Reported {
    if is_of_decisions(asked) {
        &asked.app.decisions.kept
    } else {
        &asked.app.runs
    }
}

fn page(asked: Asked) -> BoxFuture<'static, Reply> {
    let path = asked.head.uri.path();
    let name = named(path);
    let reply = match name.and_then(assets::find) {
        _ if is_off(&asked) => not_found(),
        None => {
            let to = if is_of_decisions(&asked) {
                "/dashboard/decisions/"
            } else {
                "/dashboard/"
            };
            Reply::text(StatusCode::PERMANENT_REDIRECT, &format!("see {to}"))
                .with(LOCATION, HeaderValue::from_static(to))
        }
        Some(asset) => {
            let reply = Reply::new(StatusCode::OK, asset.kind, asset.body);
            if asset.kind == assets::HTML {
                let policy = HeaderValue::from_static(CONTENT_POLICY);
                reply.with(HeaderName::from_static("content-security-policy"), policy)
            } else {
                reply
            }
        }
    };
    ready(safe(reply)).boxed()
}

/// Answer `/dashboard/events`.
pub(crate) fn events(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        if let Some(reply) = turned_away(&asked) {
            return reply;
        }
        safe(match Query::read(asked.head.uri.query()) {
            Ok(query) => answer(&asked, &query).await,
            Err(text) => invalid(&text),
        })
    }
    .boxed()
}

async fn answer(asked: &Asked, query: &Query) -> Reply {
    let found = async {
        Ok(match query.wanted {
            Wanted::Since(since) => {
                let rows = Rows::past(asked, query, since).await?;
                let next = rows.last.unwrap_or(since);
                (rows, next)
            }
            Wanted::Newest(before) => {
                // What comes meanwhile is asked for next.
                let next = shelf(asked).store.last().await?;
                (Rows::newest(asked, query, before, MOST).await?, next)
            }
        })
    };
    match found.await {
        Ok((rows, next)) => Reply::new(StatusCode::OK, JSON, told(asked, &asked.live, rows, next)),
        Err(error) => unavailable(error),
    }
}

/// Rows in the form both pages read.
fn told(asked: &Asked, live: &Live, rows: Rows, next: u64) -> String {
    let actions = rows.actions();
    Answer {
        kind: if is_of_decisions(asked) {
            Kind::Decisions
        } else {
            Kind::Dashboard
        },
        epoch: shelf(asked).store.epoch(),
        rows: rows.rows.iter().map(|row| row.kept.numbered()).collect(),
        actions: actions.iter().map(String::as_str).collect(),
        next,
        older: rows.older,
    }
    .to_json(|action| phrase(live, action))
}

/// The words of an action's integration for it.
fn phrase(live: &Live, action: &str) -> Option<&'static str> {
    let (system, name) = action.split_once(':')?;
    let mut known = live.config.connections.iter();
    let connection = known.find(|one| one.integration.name() == system)?;
    let mut actions = connection.integration.actions().iter();
    actions
        .find(|spec| spec.name == name)
        .map(|spec| spec.phrase)
}

/// An answer with the safety headers.
fn safe(mut reply: Reply) -> Reply {
    for (name, value) in SAFETY {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            reply = reply.with(name, HeaderValue::from_static(value));
        }
    }
    reply
}

fn is_off(asked: &Asked) -> bool {
    !asked.live.config.server.dashboard
}

/// The answer to who asks for what is shown where there is no dashboard, or from a page of another site: a client's certificate goes
/// along with what that page asks for, unlike a key.
fn turned_away(asked: &Asked) -> Option<Reply> {
    if is_off(asked) {
        return Some(safe(not_found()));
    }
    let site = asked.head.headers.get("sec-fetch-site");
    if site.is_some_and(|site| site == "cross-site" || site == "same-site") {
        let text = "asked for by a page of another origin";
        let reply = Reply::wrong(Form::Coded, StatusCode::FORBIDDEN, Code::Unauthorized, text);
        return Some(safe(reply));
    }
    None
}

fn not_found() -> Reply {
    Reply::text(StatusCode::NOT_FOUND, "not found")
}

fn invalid(text: &str) -> Reply {
    let status = StatusCode::BAD_REQUEST;
    Reply::wrong(Form::Coded, status, Code::InvalidRequest, text)
}

/// Whether the key still opens the page, with the same limits: keys are replaced while a stream or a file goes on, by a file and
/// by a reload.
fn still_opens(asked: &Asked) -> bool {
    let live = asked.app.present.get();
    let is_same = |now: &ApiKey| asked.key.as_ref().is_some_and(|then| now.sees_as(then));
    live.config.server.dashboard
        && asked
            .admitted_now(&live, Scope::Dashboard)
            .is_some_and(|now| is_same(&now))
}

const ROOT: &str = "/dashboard";
/// Under it, the same page of decisions.
const DECISIONS: &str = "/decisions";
