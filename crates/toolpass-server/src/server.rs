//! The server: start, serve, drain, stop.
//!
//! INVARIANT: once a stop was asked for, no new connection is answered after the drain, requests in flight have the grace to
//! finish, and the process ends whatever a client does.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use toolpass_config::config::Config;
use toolpass_core::clock::Clock;
use toolpass_http::secrets::SecretError;
use toolpass_integration::parts::ConnectError;

use crate::connection;
use crate::exchange::Client;
use crate::gate::Patience;
use crate::health::Probes;
use crate::listen;
use crate::live::{Live, Present};
use crate::metrics::Metrics;

/// A server that is bound and not yet serving.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
}

/// What all requests share.
pub(crate) struct App {
    pub(crate) present: Present,
    pub(crate) draining: AtomicBool,
    pub(crate) metrics: Metrics,
    pub(crate) probes: Probes,
    clock: Arc<dyn Clock>,
    /// How many lines of the decision log were lost, and when that was last seen to grow.
    lost: Mutex<(u64, Option<Instant>)>,
}

/// What the process is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Stop as soon as what is in flight is answered.
    Interrupt,
    /// Say not to be ready, go on for the drain, then as [`Signal::Interrupt`].
    Terminate,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Neither `api_key` nor `api_keys`.
    #[error("`api_key` is missing; `serve` needs one, or `api_keys`")]
    NoKey,
    /// A key cannot be read.
    #[error("an API key cannot be read: {0}")]
    Key(SecretError),
    /// The engine cannot be built.
    #[error(transparent)]
    Engine(#[from] toolpass_local::Error),
    /// It cannot be said where a connection is reached.
    #[error(transparent)]
    Systems(ConnectError),
    /// The address cannot be listened on.
    #[error("`listen`: {address} cannot be listened on: {error}")]
    Listen {
        /// The address as configured.
        address: String,
        /// Why.
        error: io::Error,
    },
}

/// Build everything a server is built of, without binding an address.
/// Errors: [`StartError`].
pub fn check(config: Config, clock: Arc<dyn Clock>) -> Result<(), StartError> {
    listen::parse(&config.listen).map_err(|error| StartError::Listen {
        address: config.listen.clone(),
        error: io::Error::new(io::ErrorKind::InvalidInput, error),
    })?;
    Live::new(config, clock).map(drop)
}

impl App {
    fn new(live: Live, clock: Arc<dyn Clock>) -> App {
        let metrics = Metrics::default();
        metrics.know(live.config.connections.iter().map(|one| one.id.as_str()));
        metrics
            .reloaded_at
            .store(clock.wall().0.as_secs(), Ordering::Relaxed);
        App {
            present: Present::new(live),
            draining: AtomicBool::new(false),
            metrics,
            probes: Probes::default(),
            clock,
            lost: Mutex::new((0, None)),
        }
    }

    /// Whether lines of the decision log were lost lately.
    pub(crate) fn is_losing_lines(&self, live: &Live) -> bool {
        let (now, count) = (Instant::now(), live.engine.lost_log_lines());
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        if count > lost.0 {
            *lost = (count, Some(now));
        }
        lost.1.is_some_and(|at| now.duration_since(at) < LOSING_FOR)
    }
}

impl Server {
    /// Build everything and bind the address. No other network is touched.
    /// Errors: [`StartError`].
    pub async fn start(config: Config, clock: Arc<dyn Clock>) -> Result<Server, StartError> {
        let listen = config.listen.clone();
        let live = Live::new(config, Arc::clone(&clock))?;
        let failed = |error| StartError::Listen {
            address: listen.clone(),
            error,
        };
        let listener = listen::bind(&listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server {
            app: Arc::new(App::new(live, clock)),
            listener,
            address,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serve until a signal says to stop. A second one ends it at once. When nobody can send one any more, that is one.
    pub async fn run(self, mut signals: mpsc::Receiver<Signal>) {
        let Server {
            app,
            listener,
            address,
        } = self;
        let live = app.present.get();
        tracing::info!(
            addr = %address,
            connections = live.config.connections.len(),
            version = env!("CARGO_PKG_VERSION"),
            "listening"
        );
        if listen::is_reachable(address) {
            tracing::warn!(addr = %address, "listening without TLS on an address that others reach");
        }
        let mut probing = JoinSet::new();
        probing.spawn(probe(Arc::clone(&app), Arc::clone(&live)));
        drop(live);
        let (stop, stopping) = watch::channel(false);
        let mut clients = JoinSet::new();
        accept(&app, &listener, &mut clients, &stopping, &mut signals).await;
        drop(listener);
        // Nobody left to tell is no mistake.
        let _ = stop.send(true);
        let grace = app.present.get().config.server.shutdown_grace;
        finish(clients, grace, &mut signals).await;
        tracing::info!("stopped");
    }
}

/// Take clients until it is time to stop taking them.
async fn accept(
    app: &Arc<App>,
    listener: &TcpListener,
    clients: &mut JoinSet<()>,
    stopping: &watch::Receiver<bool>,
    signals: &mut mpsc::Receiver<Signal>,
) {
    let mut until: Option<Instant> = None;
    loop {
        let drained = async {
            match until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            signal = signals.recv() => match (signal, until) {
                (Some(Signal::Terminate), None) => {
                    let drain = app.present.get().config.server.drain;
                    app.draining.store(true, Ordering::Release);
                    tracing::info!("draining");
                    until = Some(Instant::now() + drain);
                }
                (Some(Signal::Interrupt | Signal::Terminate) | None, _) => {
                    app.draining.store(true, Ordering::Release);
                    return;
                }
            },
            () = drained => return,
            Some(_) = clients.join_next(), if !clients.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => take(app, stream, peer, clients, stopping),
                Err(error) => {
                    tracing::warn!(error = %error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

fn take(
    app: &Arc<App>,
    stream: TcpStream,
    peer: SocketAddr,
    clients: &mut JoinSet<()>,
    stopping: &watch::Receiver<bool>,
) {
    if clients.len() >= app.present.get().config.server.max_connections {
        app.metrics
            .rejected_connections
            .fetch_add(1, Ordering::Relaxed);
        // As much as fits at once; whoever is turned away is not waited for.
        let _ = stream.try_write(FULL.as_bytes());
        return;
    }
    // Answers are short and written whole.
    let _ = stream.set_nodelay(true);
    let client = Client {
        peer,
        secure: false,
        by_admin: false,
        talk: None,
    };
    clients.spawn(connection::http1(
        stream,
        Arc::clone(app),
        client,
        Patience::DEFAULT,
        stopping.clone(),
    ));
}

/// Let requests in flight finish.
async fn finish(mut clients: JoinSet<()>, grace: Duration, signals: &mut mpsc::Receiver<Signal>) {
    let all = async { while clients.join_next().await.is_some() {} };
    tokio::select! {
        biased;
        () = all => {}
        Some(_) = signals.recv() => tracing::warn!("told to stop twice; requests in flight are dropped"),
        () = tokio::time::sleep(grace) => tracing::warn!("requests in flight took too long and are dropped"),
    }
    clients.shutdown().await;
}

/// Ask every connection whether its credential works, and say so.
async fn probe(app: Arc<App>, live: Arc<Live>) {
    for report in live.engine.probe(None).await {
        app.probes.note(&report, app.clock.wall());
        let (connection, integration) = (report.id.as_str(), report.integration);
        match &report.result {
            Ok(found) => {
                tracing::info!(connection, integration, "probe ok");
                for warning in &found.warnings {
                    tracing::warn!(connection, integration, error = warning, "probe warning");
                }
            }
            Err(decision) => {
                let (code, error) = (decision.code().as_str(), decision.text());
                tracing::warn!(connection, integration, code, error, "probe failed");
            }
        }
    }
}

const LOSING_FOR: Duration = Duration::from_secs(30);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nserver: toolpass\r\ncontent-type: application/json\r\nretry-after: 1\r\ncontent-length: 70\r\nconnection: close\r\n\r\n{\"decision\":\"unknown\",\"reason\":\"overloaded: too many connections are open\"}\n";
