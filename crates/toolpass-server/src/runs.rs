//! `POST /runs`: what toolkits report, checked and kept before it is acknowledged; and where it is kept.
//!
//! The store is opened once, when the server starts: a reload changes no folder. INVARIANT: what is answered with 202 is in the
//! store; a store that cannot be written answers 503, so that whoever reported keeps its runs and tries again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval};
use toolpass_config::server::ServerConfig;
use toolpass_core::codes::Code;
use toolpass_http::secrets;
use toolpass_store::runs::memory::{MAX_BYTES, MAX_RUNS, Memory};
use toolpass_store::runs::postgres::PostgresDatabase;
use toolpass_store::runs::run::{Dropped, Run};
use toolpass_store::runs::sqlite::SqliteFile;
use toolpass_store::runs::{Added, Reporter, Runs, RunsError};
use toolpass_wire::json::Json;

use crate::exchange::{Asked, NotAsked};
use crate::members::{Members, Names, json, kind};
use crate::reply::{Form, Reply};
use crate::server::{App, StartError};

/// The runs that are kept.
pub(crate) struct Reported {
    pub(crate) store: Box<dyn Runs>,
    /// Wakes those who watch; its value means nothing.
    news: watch::Sender<()>,
}

#[derive(Serialize)]
struct Accepted<'a> {
    accepted: usize,
    stored: usize,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    dropped: &'a [String],
}

/// A batch as it was sent.
struct Batch {
    server: String,
    runs: Vec<Run>,
    dropped: Dropped,
    /// How many runs the sender could not keep.
    lost: u64,
}

impl Reported {
    /// Open the store of decisions, beside that of runs. Without a place for it, they are in memory: nothing was acknowledged.
    /// Errors: the system has no randomness.
    pub(crate) async fn open_decisions(config: &ServerConfig) -> Result<Reported, StartError> {
        let max_bytes = config.runs_max_bytes.unwrap_or(KEPT_BYTES);
        let opened: Result<Box<dyn Runs>, String> = match (&config.runs_store, &config.data) {
            (Some(url), _) => match secrets::read(url) {
                Ok(url) => PostgresDatabase::open_in(SCHEMA, &url, max_bytes)
                    .await
                    .map(|database| Box::new(database) as Box<dyn Runs>)
                    .map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            },
            (None, Some(folder)) => open_folder(folder, DECISIONS_FILE, max_bytes)
                .await
                .map(|file| Box::new(file) as Box<dyn Runs>),
            (None, None) => Ok(memory()?),
        };
        let store = match opened {
            Ok(store) => store,
            Err(error) => {
                tracing::warn!(
                    error,
                    "decisions of the dashboard are kept in memory and are gone at the end"
                );
                memory()?
            }
        };
        Ok(Reported::of(store))
    }

    fn of(store: Box<dyn Runs>) -> Reported {
        Reported {
            store,
            news: watch::Sender::new(()),
        }
    }

    /// Keep these, and wake those who watch.
    /// Errors: [`RunsError`].
    pub(crate) async fn add(
        &self,
        from: &Reporter,
        runs: &[Run],
        now: Duration,
    ) -> Result<Added, RunsError> {
        let added = self.store.add(from, runs, now).await?;
        self.news.send_replace(());
        Ok(added)
    }

    /// Open the store that a configuration names: a database, a folder, or memory.
    /// Errors: [`StartError::Runs`], unless the folder is one nobody named.
    pub(crate) async fn open(config: &ServerConfig) -> Result<Reported, StartError> {
        let max_bytes = config.runs_max_bytes.unwrap_or(KEPT_BYTES);
        let failed = |place: String, error: String| StartError::Runs { place, error };
        if config.runs_forward_url.is_some() {
            let error = "forwarding is not there yet; servers share runs by `runs_store`";
            return Err(failed("`runs_forward_url`".into(), error.into()));
        }
        let store: Box<dyn Runs> = if let Some(url) = &config.runs_store {
            let place = "`runs_store`".to_owned();
            let url =
                secrets::read(url).map_err(|error| failed(place.clone(), error.to_string()))?;
            let opened = PostgresDatabase::open(&url, max_bytes).await;
            Box::new(opened.map_err(|error| failed(place, error.to_string()))?)
        } else if let Some(folder) = &config.data {
            match open_folder(folder, FILE, max_bytes).await {
                Ok(file) => Box::new(file),
                Err(error) if config.data_is_default => {
                    let folder = folder.display().to_string();
                    tracing::warn!(
                        folder,
                        error,
                        "runs are kept in memory and are gone at the end"
                    );
                    memory()?
                }
                Err(error) => return Err(failed(format!("`data`: {}", folder.display()), error)),
            }
        } else {
            memory()?
        };
        Ok(Reported::of(store))
    }

    /// Wakes whenever runs came in here.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }
}

fn memory() -> Result<Box<dyn Runs>, StartError> {
    let memory = Memory::new(MAX_RUNS, MAX_BYTES).map_err(|error| StartError::Runs {
        place: "memory".into(),
        error: error.to_string(),
    })?;
    Ok(Box::new(memory))
}

async fn open_folder(folder: &Path, name: &str, max_bytes: u64) -> Result<SqliteFile, String> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| error.to_string())?;
    let opened = SqliteFile::open(&folder.join(name), max_bytes).await;
    opened.map_err(|error| error.to_string())
}

/// Drop what is older than it may be, now and every while.
pub(crate) async fn trim(app: Arc<App>) {
    let mut tick = interval(TRIM_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let live = app.present.get();
        let keep = live.config.server.runs_retention.unwrap_or(KEPT_FOR);
        drop(live);
        let before = app.clock.wall().0.saturating_sub(keep);
        for store in [&app.runs.store, &app.decisions.kept.store] {
            if let Err(error) = store.trim(before).await {
                let error = error.to_string();
                tracing::warn!(error, "old runs or decisions could not be dropped");
            }
        }
    }
}

/// Answer `/runs`.
pub(crate) fn report(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let key = match &asked.key {
            Some(key) => key.name.clone(),
            None => String::new(),
        };
        let rate = asked.key.as_ref().and_then(|key| key.rate.as_ref());
        if let Some(Err(wait)) = rate.map(|rate| rate.take(Instant::now())) {
            return NotAsked::TooOften(wait).reply(Form::Coded);
        }
        let batch = match batch(&asked.body) {
            Ok(batch) => batch,
            Err(text) => {
                let status = StatusCode::BAD_REQUEST;
                return Reply::wrong(Form::Coded, status, Code::InvalidRequest, &text);
            }
        };
        keep(&asked, key, batch).await
    }
    .boxed()
}

async fn keep(asked: &Asked, key: String, batch: Batch) -> Reply {
    let (app, count) = (&asked.app, batch.runs.len());
    let from = Reporter {
        key,
        server: batch.server,
    };
    let now = app.clock.wall().0;
    let added = match app.runs.add(&from, &batch.runs, now).await {
        Ok(added) => added,
        Err(error) => {
            let text = error.to_string();
            tracing::error!(error = text, "reported runs could not be kept");
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Reply::wrong(Form::Coded, status, Code::Overloaded, &text)
                .with(RETRY_AFTER, HeaderValue::from_static("1"));
        }
    };
    let metrics = &app.metrics;
    metrics
        .runs_received
        .fetch_add(added.stored as u64, Ordering::Relaxed);
    metrics
        .runs_dropped
        .fetch_add(batch.lost, Ordering::Relaxed);
    tracing::info!(
        server = from.server,
        key = from.key,
        count,
        stored = added.stored,
        lost = batch.lost,
        remote = %asked.remote,
        "runs"
    );
    let accepted = Accepted {
        accepted: count,
        stored: added.stored,
        dropped: batch.dropped.names(),
    };
    Reply::json(StatusCode::ACCEPTED, &accepted)
}

/// Read a batch, all of it or none.
/// Errors: what is wrong, and with which run.
fn batch(body: &[u8]) -> Result<Batch, String> {
    let mut members = Members::of("the request", json(body)?, FIELDS, Names::Exact)?;
    let server = members.text("server")?.trim().to_owned();
    if server.is_empty() || server.chars().count() > MAX_SERVER {
        return Err(format!(
            "the field \"server\" is empty or too long, expected 1 to {MAX_SERVER} characters"
        ));
    }
    let lost = match members.take("dropped") {
        None => 0,
        Some(given) => given
            .as_number()
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| members.wrong("dropped", &given, "a whole number"))?,
    };
    let events = match members.take("runs") {
        Some(Json::Array(events)) if (1..=MAX_BATCH).contains(&events.len()) => events,
        Some(Json::Array(events)) => {
            let count = events.len();
            return Err(format!(
                "the field \"runs\" has {count} items, expected 1 to {MAX_BATCH}"
            ));
        }
        other => {
            let found = kind(other.as_ref().unwrap_or(&Json::Null));
            return Err(format!(
                "the field \"runs\" is {found}, expected a list of runs"
            ));
        }
    };
    let mut dropped = Dropped::default();
    let mut runs = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        let run = Run::read(event, &mut dropped);
        runs.push(run.map_err(|text| format!("runs[{index}] {text}"))?);
    }
    Ok(Batch {
        server,
        runs,
        dropped,
        lost,
    })
}

/// Whether and how a store fails is for whoever asks to say.
pub(crate) fn unavailable(error: RunsError) -> Reply {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    Reply::wrong(Form::Coded, status, Code::Overloaded, &error.to_string())
        .with(RETRY_AFTER, HeaderValue::from_static("1"))
}

const FIELDS: &[&str] = &["dropped", "runs", "server"];
const MAX_BATCH: usize = 500;
const MAX_SERVER: usize = 200;
/// The file in the folder.
const FILE: &str = "runs.db";
const DECISIONS_FILE: &str = "decisions.db";
/// Where decisions are in a database that servers share: tables as those of runs, in a schema of their own.
const SCHEMA: &str = "toolpass_decisions";
/// How much is kept where nothing else is said.
const KEPT_BYTES: u64 = 2 << 30;
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const TRIM_EVERY: Duration = Duration::from_secs(60);
