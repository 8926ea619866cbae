//! Lines of the decision log, sent to an OpenTelemetry collector as well: OTLP over HTTP, in JSON.
//!
//! A queue of its own, so that no answer waits for a collector; what it does not take now is sent again, and what does not fit is lost
//! oldest first and counted. The log itself is the record; this is a copy of it. Written out here, since the one message needs no more.
//! INVARIANT: a copy is what the log says, masked alike. Nothing is sent but over TLS or on this machine.
//! SOURCE: opentelemetry.io/docs/specs/otlp ("OTLP/HTTP", "Failures"); opentelemetry-proto, examples/logs.json.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::sync::Notify;
use toolpass_core::clock::{Clock, Wall};
use toolpass_core::question::Freshness;
use toolpass_core::secret::SecretRef;
use toolpass_engine::log::Line;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::secrets;
use toolpass_http::transport::{Transport, TransportSettings};
use toolpass_http::url::Url;

/// Sends copies of lines to one collector.
pub(crate) struct Exporter {
    client: Client,
    clock: Arc<dyn Clock>,
    queue: Mutex<VecDeque<Record>>,
    lost: AtomicU64,
    wake: Notify,
    /// Held by whoever sends, so that a batch that is under way is waited for at the end.
    turn: tokio::sync::Mutex<()>,
}

/// A line that waits.
#[derive(Clone, Debug)]
struct Record {
    at: Wall,
    text: String,
    trace_id: Option<String>,
}

/// What became of a batch.
enum Sent {
    Done,
    Later(Option<Duration>),
    Never,
}

impl Exporter {
    /// An exporter that has not begun. `base` is the collector's address, below which `/v1/logs` takes lines.
    /// Errors: what is wrong with the address, or with the headers that `OTEL_EXPORTER_OTLP_HEADERS` gives.
    pub(crate) fn new(base: &str, clock: Arc<dyn Clock>) -> Result<Exporter, String> {
        let base = Url::parse(base).map_err(|error| error.to_string())?;
        let settings = TransportSettings {
            timeout: PATIENCE,
            own_host: Some(base.host().to_owned()),
            environment: ProxyEnvironment::from_env(),
            ..TransportSettings::default()
        };
        let transport = Transport::new(settings).map_err(|error| error.to_string())?;
        let mut client = Client::new(transport, base);
        // Unset is none: the collector asks for nothing.
        if let Ok(given) = secrets::read(&SecretRef::Env(HEADERS.into())) {
            let given = std::str::from_utf8(given.expose()).unwrap_or_default();
            for (name, value) in headers(given)? {
                client = client.with_header(name, value);
            }
        }
        Ok(Exporter {
            client,
            clock,
            queue: Mutex::default(),
            lost: AtomicU64::new(0),
            wake: Notify::new(),
            turn: tokio::sync::Mutex::new(()),
        })
    }

    /// Put a line in. Takes one short lock.
    pub(crate) fn push(&self, line: &Line<'_>) {
        let mut queue = self.queue();
        if queue.len() >= MAX_WAITING {
            queue.pop_front();
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        queue.push_back(Record {
            at: line.time,
            text: line.text.trim_end().to_owned(),
            trace_id: line.trace_id.map(str::to_owned),
        });
        drop(queue);
        self.wake.notify_one();
    }

    /// How many lines were not sent and never will be.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Send what comes.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut pause = FIRST_PAUSE;
        let mut is_told = false;
        loop {
            while self.queue().is_empty() {
                self.wake.notified().await;
            }
            tokio::time::sleep(GATHER).await;
            match self.send(PATIENCE).await {
                Some(Sent::Later(told)) => {
                    if !is_told {
                        tracing::warn!(
                            "the collector of `decision_log_otlp` takes no lines now; they are kept and sent later"
                        );
                        is_told = true;
                    }
                    tokio::time::sleep(told.unwrap_or(pause).min(LONGEST_PAUSE)).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Some(Sent::Never) if !is_told => {
                    tracing::warn!(
                        "the collector of `decision_log_otlp` refuses lines; they are left out"
                    );
                    is_told = true;
                }
                Some(Sent::Done) => {
                    is_told = false;
                    pause = FIRST_PAUSE;
                }
                Some(Sent::Never) | None => {}
            }
        }
    }

    /// Send what is left, each batch once.
    pub(crate) async fn finish(&self, within: Duration) {
        let all =
            async { while let Some(Sent::Done | Sent::Never) = self.send(LAST_PATIENCE).await {} };
        if tokio::time::timeout(within, all).await.is_err() || !self.queue().is_empty() {
            tracing::warn!("lines for the collector of `decision_log_otlp` are left unsent");
        }
    }

    /// Send one batch. `None`: there is nothing.
    async fn send(&self, patience: Duration) -> Option<Sent> {
        let _turn = self.turn.lock().await;
        let batch: Vec<Record> = {
            let mut queue = self.queue();
            let count = queue.len().min(MAX_BATCH);
            queue.drain(..count).collect()
        };
        if batch.is_empty() {
            return None;
        }
        let body = message(&batch).to_string().into_bytes();
        let sent = self.post(body, patience).await;
        match sent {
            Sent::Done => {}
            Sent::Never => {
                self.lost.fetch_add(batch.len() as u64, Ordering::Relaxed);
            }
            Sent::Later(_) => {
                let mut queue = self.queue();
                for record in batch.into_iter().rev() {
                    queue.push_front(record);
                }
                let beyond = queue.len().saturating_sub(MAX_WAITING);
                queue.drain(..beyond);
                self.lost.fetch_add(beyond as u64, Ordering::Relaxed);
            }
        }
        Some(sent)
    }

    async fn post(&self, body: Vec<u8>, patience: Duration) -> Sent {
        let context = Context::new(Arc::clone(&self.clock), patience, Freshness::default());
        let request = self.client.post(["v1", "logs"]);
        let request = request.body("application/json", body).once().accept_4xx();
        match request.send(&context.without_evidence()).await {
            Ok(answer) if (200..300).contains(&answer.status) => Sent::Done,
            Ok(answer) if answer.status == 429 => Sent::Later(None),
            Ok(_) => Sent::Never,
            Err(error) => Sent::Later(error.retry_after()),
        }
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Record>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One export request.
fn message(batch: &[Record]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let records: Vec<Value> = batch.iter().map(record).collect();
    json!({"resourceLogs": [{
        "resource": {"attributes": [attribute("service.name", "toolpass"), attribute("service.version", version)]},
        "scopeLogs": [{"scope": {"name": "toolpass.decisions", "version": version}, "logRecords": records}],
    }]})
}

fn record(record: &Record) -> Value {
    let mut told = json!({
        // 64 bits are text in this form of JSON.
        "timeUnixNano": record.at.0.as_nanos().to_string(),
        "severityNumber": 9,
        "severityText": "INFO",
        "eventName": "toolpass.decision",
        "body": {"stringValue": record.text},
    });
    let is_id = |id: &&String| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let (Some(id), Some(members)) =
        (record.trace_id.as_ref().filter(is_id), told.as_object_mut())
    {
        members.insert("traceId".to_owned(), id.clone().into());
    }
    told
}

/// Headers as OpenTelemetry writes them: `name=value,name=value`, values percent-encoded.
/// Errors: which one is none; values are never repeated.
fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let pairs = text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty());
    let read = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').ok_or_else(|| {
            format!("{HEADERS}: expected `name=value` pairs, separated by commas")
        })?;
        let name = name.trim();
        let wrong = || format!("{HEADERS}: `{}` is no header", name.escape_debug());
        let value = percent_encoding::percent_decode_str(value.trim());
        let mut value =
            HeaderValue::from_bytes(&value.collect::<Vec<u8>>()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        Ok((HeaderName::try_from(name).map_err(|_| wrong())?, value))
    });
    read.collect()
}

const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const MAX_WAITING: usize = 10_000;
const MAX_BATCH: usize = 512;
const GATHER: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(10);
const LAST_PATIENCE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_opentelemetry_writes_them() {
        let read = headers("authorization=Basic%20abc, x-tenant = t1,").unwrap();
        let shown: Vec<_> = read
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        assert_eq!(shown, [("authorization", "Basic abc"), ("x-tenant", "t1")]);
        for (text, expected) in [
            ("hunter2", "expected `name=value` pairs"),
            ("a b=hunter2", "`a b` is no header"),
            ("a=hunter2%0d%0ax: y", "`a` is no header"),
        ] {
            let error = headers(text).unwrap_err();
            assert!(
                error.contains(expected) && !error.contains("hunter2"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_record_has_a_trace_only_when_it_is_one() {
        let of = |trace: &str| {
            record(&Record {
                at: Wall(Duration::new(1_893_456_000, 5)),
                text: "{}".into(),
                trace_id: Some(trace.into()),
            })
        };
        let traced = of("4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(traced["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(traced["timeUnixNano"], "1893456000000000005");
        assert!(of("x").get("traceId").is_none());
    }
}
