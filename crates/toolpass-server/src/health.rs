//! Probes: does the process answer, is it ready for more, and what became of each connection's last probe.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use futures_util::future::{BoxFuture, FutureExt, ready};
use http::StatusCode;
use serde::Serialize;
use toolpass_config::server::Scope;
use toolpass_core::clock::Wall;
use toolpass_engine::lookup::ProbeReport;
use toolpass_engine::stamp::rfc3339;

use crate::exchange::Asked;
use crate::reply::{Form, Reply};

/// What the last probes came to.
#[derive(Debug, Default)]
pub(crate) struct Probes(Mutex<BTreeMap<String, Probed>>);

/// What a connection's last probes came to.
#[derive(Clone, Debug, Default, Serialize)]
struct Probed {
    #[serde(skip_serializing_if = "Option::is_none")]
    last_ok: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<&'static str>,
    warnings: usize,
}

#[derive(Serialize)]
struct Status {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    connections: Option<BTreeMap<String, Probed>>,
}

impl Probes {
    /// Note what a probe came to.
    pub(crate) fn note(&self, report: &ProbeReport, now: Wall) {
        let mut probes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let probed = probes.entry(report.id.clone()).or_default();
        match &report.result {
            Ok(found) => {
                probed.last_ok = Some(rfc3339(now));
                probed.last_error = None;
                probed.warnings = found.warnings.len();
            }
            Err(decision) => probed.last_error = Some(decision.code().as_str()),
        }
    }

    fn all(&self) -> BTreeMap<String, Probed> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// `/healthz`, `/livez`: the process answers.
pub(crate) fn process(_: Asked) -> BoxFuture<'static, Reply> {
    ready(told(StatusCode::OK, "ok", None)).boxed()
}

/// `/readyz`: it takes more. With `verbose=1`, to a key with the scope `admin`, also what the last probes came to.
pub(crate) fn readiness(asked: Asked) -> BoxFuture<'static, Reply> {
    let is_verbose = asked
        .head
        .uri
        .query()
        .is_some_and(|query| query.split('&').any(|pair| pair == "verbose=1"));
    let connections = if is_verbose {
        match asked.needs(Scope::Admin, Form::Coded) {
            Ok(()) => Some(asked.app.probes.all()),
            Err(refused) => return ready(*refused).boxed(),
        }
    } else {
        None
    };
    let reply = if asked.app.draining.load(Ordering::Acquire) {
        told(StatusCode::SERVICE_UNAVAILABLE, "draining", connections)
    } else if asked.app.is_losing_lines(&asked.live) {
        told(
            StatusCode::SERVICE_UNAVAILABLE,
            "the decision log cannot be written",
            connections,
        )
    } else {
        told(StatusCode::OK, "ok", connections)
    };
    ready(reply).boxed()
}

fn told(
    code: StatusCode,
    status: &'static str,
    connections: Option<BTreeMap<String, Probed>>,
) -> Reply {
    Reply::json(
        code,
        &Status {
            status,
            connections,
        },
    )
}
