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
use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_engine::histogram::{Histogram, Reading};
use toolpass_local::expiry;

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
    /// How long its own responses took.
    upstream_seconds: Histogram,
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
            if let Some(took) = call.took {
                counters.upstream_seconds.observe(took);
            }
        }
        counters.seconds.observe(took);
    }

    /// The page.
    pub(crate) fn page(&self, live: &Live, otlp_lost: u64, now: Wall) -> String {
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
            page.histogram("toolpass_check_seconds", id, &counters.seconds.read());
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
        page.about(
            "toolpass_upstream_seconds",
            "histogram",
            "How long responses of the systems took, of those asked for a check.",
        );
        for (id, counters) in &connections {
            page.histogram(
                "toolpass_upstream_seconds",
                id,
                &counters.upstream_seconds.read(),
            );
        }
        caches(&mut page, live, &connections);
        systems(&mut page, live, now);
        self.process(&mut page, live, otlp_lost);
        page.text
    }

    fn process(&self, page: &mut Page, live: &Live, otlp_lost: u64) {
        let single = [
            (
                "toolpass_decision_log_errors_total",
                "counter",
                "Lines of the decision log that could not be written.",
                live.engine.lost_log_lines(),
            ),
            (
                "toolpass_decision_log_otlp_lost_total",
                "counter",
                "Lines that a collector did not take.",
                otlp_lost,
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

/// What is kept and what had to be asked.
fn caches(page: &mut Page, live: &Live, connections: &BTreeMap<String, Arc<Counters>>) {
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
        page.line("toolpass_cache_hits_total", &of_connection(id), sum(stored));
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
            &of_connection(id),
            sum(asked),
        );
    }
    let counts = live.engine.cache_counts();
    page.about(
        "toolpass_cache_evictions_total",
        "counter",
        "What was dropped from a cache for lack of room.",
    );
    for one in &counts {
        let label = format!("cache=\"{}\"", one.cache);
        page.line("toolpass_cache_evictions_total", &label, one.evictions);
    }
    page.about(
        "toolpass_cache_entries",
        "gauge",
        "What a cache holds, expired ones included.",
    );
    for one in &counts {
        let label = format!("cache=\"{}\"", one.cache);
        page.line("toolpass_cache_entries", &label, one.entries as u64);
    }
}

/// How the systems fare, and for how long their credentials last.
fn systems(page: &mut Page, live: &Live, now: Wall) {
    let counts = live.engine.counts();
    page.about(
        "toolpass_inflight",
        "gauge",
        "Checks that ask a system or wait to.",
    );
    for one in &counts {
        let label = of_connection(&one.connection);
        page.line("toolpass_inflight", &label, one.in_flight as u64);
    }
    page.about(
        "toolpass_queue_seconds",
        "histogram",
        "How long checks waited for their turn to ask a system.",
    );
    for one in &counts {
        page.histogram("toolpass_queue_seconds", &one.connection, &one.queued);
    }
    page.about(
        "toolpass_breaker_state",
        "gauge",
        "1 while a connection's circuit is open.",
    );
    for one in &counts {
        let label = of_connection(&one.connection);
        page.line(
            "toolpass_breaker_state",
            &label,
            u64::from(one.circuit_open),
        );
    }
    page.about(
        "toolpass_credential_expiry_seconds",
        "gauge",
        "For how long a credential still lasts, where it or its system says; 0 when it has ended.",
    );
    for (id, at) in endings(live) {
        let left = at.0.saturating_sub(now.0).as_secs();
        page.line(
            "toolpass_credential_expiry_seconds",
            &of_connection(&id),
            left,
        );
    }
}

/// The first moment at which a credential of each connection ends, where that is known.
fn endings(live: &Live) -> BTreeMap<String, Wall> {
    let told = live.engine.counts().into_iter();
    let told = told.filter_map(|one| Some((one.connection, one.credential_ends?)));
    let read = live.config.connections.iter().flat_map(|connection| {
        let endings = expiry::of_secrets(connection).into_iter();
        endings.map(|ending| (connection.id.clone(), ending.at))
    });
    let mut endings = BTreeMap::new();
    for (id, at) in told.chain(read) {
        let first = endings.entry(id).or_insert(at);
        *first = at.min(*first);
    }
    endings
}

fn of_connection(id: &str) -> String {
    format!("connection=\"{id}\"")
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
    let app = &asked.app;
    let otlp_lost = app.otlp.as_ref().map_or(0, |otlp| otlp.lost());
    let page = app.metrics.page(&asked.live, otlp_lost, app.clock.wall());
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

    fn histogram(&mut self, name: &str, connection: &str, read: &Reading) {
        let label = of_connection(connection);
        let bucket = format!("{name}_bucket");
        for (bound, count) in &read.up_to {
            self.line(&bucket, &format!("{label},le=\"{bound}\""), *count);
        }
        self.line(&bucket, &format!("{label},le=\"+Inf\""), read.count);
        let (whole, rest) = (read.micros / 1_000_000, read.micros % 1_000_000);
        let _ = writeln!(self.text, "{name}_sum{{{label}}} {whole}.{rest:06}");
        self.line(&format!("{name}_count"), &label, read.count);
    }
}

impl Default for Counters {
    fn default() -> Counters {
        let by_code = || Code::ALL.iter().map(|_| AtomicU64::new(0)).collect();
        Counters {
            checks: [by_code(), by_code()],
            upstream: Default::default(),
            seconds: Histogram::default(),
            upstream_seconds: Histogram::default(),
        }
    }
}
