//! `/metrics`: how the process fares, in the text format of Prometheus.
//!
//! Counters live as long as the process, across reloads. Labels come from closed sets and from the ids of connections; never
//! from users, resources or what clients send.
//! SOURCE: prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, ready};
use http::StatusCode;
use toolpass_config::server::{Metrics as Readers, Scope};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;

use crate::exchange::Asked;
use crate::live::Live;
use crate::reply::{Form, Reply};

/// The counters of the process.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    connections: RwLock<BTreeMap<String, Arc<Counters>>>,
    pub(crate) rejected_connections: AtomicU64,
    pub(crate) shed_checks: AtomicU64,
    pub(crate) reloads_failed: AtomicU64,
    pub(crate) reloaded_at: AtomicU64,
    pub(crate) runs_dropped: AtomicU64,
    pub(crate) runs_received: AtomicU64,
}

/// The counters of one connection.
#[derive(Debug)]
struct Counters {
    /// By code, first those that were asked, then those that were stored.
    checks: [Vec<AtomicU64>; 2],
    /// Responses of the system, by the first digit of their status.
    upstream: [AtomicU64; 6],
    seconds: Histogram,
}

#[derive(Debug)]
struct Histogram {
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl Metrics {
    /// Make room for these connections. What is not there is not counted, so no client can add a label.
    pub(crate) fn know<'a>(&self, ids: impl Iterator<Item = &'a str>) {
        let mut connections = self
            .connections
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            connections.entry(id.to_owned()).or_default();
        }
    }

    /// Count an answered check.
    pub(crate) fn count(&self, connection: &str, decision: &Decision, took: Duration) {
        let counters = {
            let connections = self
                .connections
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            match connections.get(connection) {
                Some(counters) => Arc::clone(counters),
                None => return,
            }
        };
        let [asked, stored] = &counters.checks;
        let checks = if decision.cached { stored } else { asked };
        if let Some(counter) = checks.get(decision.code() as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        let own = decision
            .evidence
            .upstream
            .iter()
            .filter(|call| !call.cached && !call.shared);
        for call in own {
            let class = usize::from(call.status / 100).min(counters.upstream.len() - 1);
            if let Some(counter) = counters.upstream.get(class) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }
        counters.seconds.observe(took);
    }

    /// The page.
    pub(crate) fn page(&self, live: &Live) -> String {
        let mut page = Page::default();
        let connections = self
            .connections
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        page.about("toolpass_checks_total", "counter", "Checks answered.");
        for (id, counters) in &connections {
            for (checks, cached) in counters.checks.iter().zip(["false", "true"]) {
                for (code, count) in Code::ALL.iter().zip(checks) {
                    let count = count.load(Ordering::Relaxed);
                    if count > 0 {
                        let outcome = code.outcome().as_str();
                        page.line(
                            "toolpass_checks_total",
                            &format!("connection=\"{id}\",outcome=\"{outcome}\",code=\"{code}\",cached=\"{cached}\""),
                            count,
                        );
                    }
                }
            }
        }
        page.about(
            "toolpass_check_seconds",
            "histogram",
            "How long checks took.",
        );
        for (id, counters) in &connections {
            counters
                .seconds
                .page(&mut page, "toolpass_check_seconds", id);
        }
        page.about(
            "toolpass_upstream_requests_total",
            "counter",
            "Responses of the systems asked.",
        );
        for (id, counters) in &connections {
            for (class, count) in counters.upstream.iter().enumerate().skip(1) {
                let label = format!("connection=\"{id}\",status_class=\"{class}xx\"");
                page.line(
                    "toolpass_upstream_requests_total",
                    &label,
                    count.load(Ordering::Relaxed),
                );
            }
        }
        self.engine(&mut page, live, &connections);
        page.text
    }

    fn engine(&self, page: &mut Page, live: &Live, connections: &BTreeMap<String, Arc<Counters>>) {
        let sum = |counts: &[AtomicU64]| {
            counts
                .iter()
                .map(|count| count.load(Ordering::Relaxed))
                .sum()
        };
        page.about(
            "toolpass_cache_hits_total",
            "counter",
            "Checks answered by a stored decision.",
        );
        for (id, counters) in connections {
            let [_, stored] = &counters.checks;
            page.line(
                "toolpass_cache_hits_total",
                &format!("connection=\"{id}\""),
                sum(stored),
            );
        }
        page.about(
            "toolpass_cache_misses_total",
            "counter",
            "Checks not answered by a stored decision.",
        );
        for (id, counters) in connections {
            let [asked, _] = &counters.checks;
            page.line(
                "toolpass_cache_misses_total",
                &format!("connection=\"{id}\""),
                sum(asked),
            );
        }
        let counts = live.engine.counts();
        page.about(
            "toolpass_inflight",
            "gauge",
            "Checks that ask a system or wait to.",
        );
        for one in &counts {
            let label = format!("connection=\"{}\"", one.connection);
            page.line("toolpass_inflight", &label, one.in_flight as u64);
        }
        page.about(
            "toolpass_breaker_state",
            "gauge",
            "1 while a connection's circuit is open.",
        );
        for one in &counts {
            let label = format!("connection=\"{}\"", one.connection);
            page.line(
                "toolpass_breaker_state",
                &label,
                u64::from(one.circuit_open),
            );
        }
        let single = [
            (
                "toolpass_decision_log_errors_total",
                "counter",
                "Lines of the decision log that could not be written.",
                live.engine.lost_log_lines(),
            ),
            (
                "toolpass_rejected_connections_total",
                "counter",
                "Clients turned away because too many were connected.",
                self.rejected_connections.load(Ordering::Relaxed),
            ),
            (
                "toolpass_shed_checks_total",
                "counter",
                "Checks turned away because too many were in flight.",
                self.shed_checks.load(Ordering::Relaxed),
            ),
            (
                "toolpass_config_reload_success",
                "gauge",
                "1 when the last reload of the configuration was taken.",
                u64::from(self.reloads_failed.load(Ordering::Relaxed) == 0),
            ),
            (
                "toolpass_config_reload_timestamp",
                "gauge",
                "When the present configuration was loaded, in seconds since 1970.",
                self.reloaded_at.load(Ordering::Relaxed),
            ),
            (
                "toolpass_runs_received_total",
                "counter",
                "Runs that were reported and kept.",
                self.runs_received.load(Ordering::Relaxed),
            ),
            (
                "toolpass_runs_dropped_total",
                "counter",
                "Runs that those who report say they could not keep.",
                self.runs_dropped.load(Ordering::Relaxed),
            ),
        ];
        for (name, kind, help, value) in single {
            page.about(name, kind, help);
            page.line(name, "", value);
        }
    }
}

/// Answer `/metrics`.
pub(crate) fn page(asked: Asked) -> BoxFuture<'static, Reply> {
    let reply = match asked.live.config.server.metrics {
        Readers::Off => Reply::text(StatusCode::NOT_FOUND, "not found"),
        Readers::Open => text(&asked),
        Readers::Admin if asked.is_admin_listener() => text(&asked),
        Readers::Admin => match asked.needs(Scope::Admin, Form::Coded) {
            Ok(()) => text(&asked),
            Err(refused) => *refused,
        },
    };
    ready(reply).boxed()
}

fn text(asked: &Asked) -> Reply {
    let page = asked.app.metrics.page(&asked.live);
    Reply::new(
        StatusCode::OK,
        "text/plain; version=0.0.4; charset=utf-8",
        page,
    )
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn about(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: u64) {
        let _ = if labels.is_empty() {
            writeln!(self.text, "{name} {value}")
        } else {
            writeln!(self.text, "{name}{{{labels}}} {value}")
        };
    }
}

impl Default for Counters {
    fn default() -> Counters {
        let by_code = || Code::ALL.iter().map(|_| AtomicU64::new(0)).collect();
        Counters {
            checks: [by_code(), by_code()],
            upstream: Default::default(),
            seconds: Histogram {
                buckets: Default::default(),
                count: AtomicU64::new(0),
                micros: AtomicU64::new(0),
            },
        }
    }
}

impl Histogram {
    fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some((_, bucket)) = BOUNDS
            .iter()
            .zip(&self.buckets)
            .find(|((bound, _), _)| micros <= *bound)
        {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn page(&self, page: &mut Page, name: &str, connection: &str) {
        let mut up_to = 0;
        for ((_, bound), bucket) in BOUNDS.iter().zip(&self.buckets) {
            up_to += bucket.load(Ordering::Relaxed);
            let label = format!("connection=\"{connection}\",le=\"{bound}\"");
            page.line(&format!("{name}_bucket"), &label, up_to);
        }
        let count = self.count.load(Ordering::Relaxed).max(up_to);
        let label = format!("connection=\"{connection}\"");
        page.line(
            &format!("{name}_bucket"),
            &format!("{label},le=\"+Inf\""),
            count,
        );
        let micros = self.micros.load(Ordering::Relaxed);
        let (whole, rest) = (micros / 1_000_000, micros % 1_000_000);
        let _ = writeln!(page.text, "{name}_sum{{{label}}} {whole}.{rest:06}");
        page.line(&format!("{name}_count"), &label, count);
    }
}

/// Microseconds, and the same in seconds as the page has them.
const BOUNDS: [(u64, &str); 12] = [
    (100, "0.0001"),
    (500, "0.0005"),
    (1_000, "0.001"),
    (5_000, "0.005"),
    (25_000, "0.025"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (5_000_000, "5"),
    (10_000_000, "10"),
];
