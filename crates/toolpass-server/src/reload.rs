//! Taking a changed configuration without a restart.
//!
//! Files are looked at once a second, through links, so that a folder whose link is swapped counts as changed. What is wrong
//! with a new configuration is logged, and the old one stays.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use toolpass_config::config::Config;

use crate::live::Live;
use crate::server::App;

/// Where a configuration comes from, for reading it again.
#[derive(Clone)]
pub struct Source {
    /// Read it.
    /// Errors: every problem, a line each.
    pub load: Arc<dyn Fn() -> Result<Config, Vec<String>> + Send + Sync>,
    /// The file, to be looked at; none for standard input.
    pub file: Option<PathBuf>,
}

/// What a look at the files found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Seen(Vec<(PathBuf, Option<Stamp>)>);

/// Length and time of a file.
type Stamp = (u64, Option<SystemTime>);

impl Seen {
    /// Look at the file of the configuration and those of TLS.
    pub(crate) fn now(file: Option<&Path>, config: &Config) -> Seen {
        let server = &config.server;
        let key = match &server.tls_key {
            Some(toolpass_core::secret::SecretRef::File(path)) => Some(path.as_path()),
            _ => None,
        };
        let files = [
            file,
            server.tls_cert_file.as_deref(),
            key,
            server.client_ca_file.as_deref(),
        ];
        let looked = files.into_iter().flatten().map(|path| {
            let found = std::fs::metadata(path).ok();
            let stamp = found.map(|found| (found.len(), found.modified().ok()));
            (path.to_owned(), stamp)
        });
        Seen(looked.collect())
    }
}

/// Read the configuration again and take it; the connections that are built anew, when it was another.
pub(crate) async fn reload(app: &Arc<App>, source: &Source) -> Option<Vec<String>> {
    let load = Arc::clone(&source.load);
    let loaded = tokio::task::spawn_blocking(move || load()).await;
    let problems = match loaded {
        Ok(Ok(config)) => match take(app, config).await {
            Ok(fresh) => {
                app.metrics.reloads_failed.store(0, Ordering::Relaxed);
                app.metrics
                    .reloaded_at
                    .store(app.clock.wall().0.as_secs(), Ordering::Relaxed);
                return fresh;
            }
            Err(problem) => vec![problem],
        },
        Ok(Err(problems)) => problems,
        Err(_) => vec!["reading the configuration crashed".to_owned()],
    };
    app.metrics.reloads_failed.fetch_add(1, Ordering::Relaxed);
    for error in problems {
        tracing::error!(error, "the changed configuration is not taken");
    }
    None
}

async fn take(app: &Arc<App>, config: Config) -> Result<Option<Vec<String>>, String> {
    let old = app.present.get();
    for (key, differs) in [
        ("listen", old.config.listen != config.listen),
        (
            "admin_listen",
            old.config.server.admin_listen != config.server.admin_listen,
        ),
        (
            "decision_log_otlp",
            old.config.decision_log_otlp != config.decision_log_otlp,
        ),
        (
            "tls_cert_file",
            old.config.server.tls_cert_file.is_some() != config.server.tls_cert_file.is_some(),
        ),
    ] {
        if differs {
            tracing::warn!(key, "this key counts from the next start");
        }
    }
    if let Some(tls) = &app.tls {
        tls.renew(&config.server)
            .map_err(|error| error.to_string())?;
    }
    if old.is_built_of(&config) {
        return Ok(None);
    }
    let clock = Arc::clone(&app.clock);
    let succeeding =
        tokio::task::spawn_blocking(move || Live::succeeding(&old, config, clock)).await;
    let live = succeeding
        .map_err(|_| "building the configuration crashed".to_owned())?
        .map_err(|error| error.to_string())?
        .copying(app.otlp.as_ref());
    let (connections, kept) = (live.config.connections.len(), live.kept.len());
    let ids = live.config.connections.iter().map(|one| &one.id);
    let fresh = ids.filter(|id| !live.kept.contains(id)).cloned().collect();
    app.metrics
        .know(live.config.connections.iter().map(|one| one.id.as_str()));
    app.present.set(live);
    tracing::info!(connections, kept, "the changed configuration is taken");
    Ok(Some(fresh))
}

/// How often files are looked at.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);
