//! The server: start, serve, reload, drain, stop.
//!
//! INVARIANT: once a stop was asked for, no new connection is answered after the drain, requests in flight have the grace to
//! finish, and the process ends whatever a client does.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};
use toolpass_config::config::Config;
use toolpass_core::clock::Clock;
use toolpass_http::secrets::SecretError;
use toolpass_integration::parts::ConnectError;

use crate::connection;
use crate::decided::{self, Decided, Noted};
use crate::exchange::Client;
use crate::gate::Patience;
use crate::health::Probes;
use crate::listen;
use crate::live::{Live, Present};
use crate::metrics::Metrics;
use crate::notices;
use crate::otlp::Exporter;
use crate::reload::{self, LOOK_EVERY, Seen, Source};
use crate::runs::{self, Reported};
use crate::sessions::Sessions;
use crate::tls::{Tls, TlsError};

/// A server that is bound and not yet serving.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    admin: Option<TcpListener>,
    source: Option<Source>,
    address: SocketAddr,
    admin_address: Option<SocketAddr>,
}

/// What all requests share.
pub(crate) struct App {
    pub(crate) present: Present,
    pub(crate) draining: AtomicBool,
    pub(crate) metrics: Metrics,
    pub(crate) probes: Probes,
    pub(crate) tls: Option<Tls>,
    /// How many large bodies may be held at once.
    pub(crate) large_bodies: Semaphore,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) runs: Reported,
    /// Sends copies of the decision log.
    pub(crate) otlp: Option<Arc<Exporter>>,
    pub(crate) decisions: Decided,
    /// How many may watch the dashboard at once.
    pub(crate) streams: Arc<Semaphore>,
    /// Decisions on their way to be kept.
    noted: Mutex<Option<Receiver<Noted>>>,
    pub(crate) sessions: Sessions,
    /// How many lines of the decision log were lost, and when that was last seen to grow.
    lost: Mutex<(u64, Option<Instant>)>,
}

/// What the process is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Stop as soon as what is in flight is answered.
    Interrupt,
    /// Read the configuration again, and open the decision log anew.
    Reload,
    /// Say not to be ready, go on for the drain, then as [`Signal::Interrupt`].
    Terminate,
}

/// Why a server does not start, or does not take a changed configuration.
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
    /// Runs cannot be kept where they should be.
    #[error("`server`: runs cannot be kept in {place}: {error}")]
    Runs {
        /// The key or folder that names it.
        place: String,
        /// Why.
        error: String,
    },
    /// The decision log cannot be copied to a collector.
    #[error("`decision_log_otlp`: {0}")]
    Otlp(String),
    /// Sessions cannot be kept where they should be.
    #[error("`server`: `session_store`: {0}")]
    Sessions(String),
    /// There can be no TLS.
    #[error("`server`: {0}")]
    Tls(#[from] TlsError),
    /// Others reach the address, TLS is required, and there is none.
    #[error(
        "`server`: `require_tls` is set, others reach `listen`, and there is no `tls_cert_file`"
    )]
    NoTls,
    /// The address cannot be listened on.
    #[error("`{key}`: {address} cannot be listened on: {error}")]
    Listen {
        /// The key that names it.
        key: &'static str,
        /// The address as configured.
        address: String,
        /// Why.
        error: io::Error,
    },
}

/// Build everything a server is built of, without binding an address.
/// Errors: [`StartError`].
pub fn check(config: Config, clock: Arc<dyn Clock>) -> Result<(), StartError> {
    for (key, address) in addresses(&config) {
        listen::parse(address).map_err(|error| StartError::Listen {
            key,
            address: address.to_owned(),
            error: io::Error::new(io::ErrorKind::InvalidInput, error),
        })?;
    }
    Tls::new(&config.server)?;
    exporter(&config, &clock)?;
    Live::new(config, clock).map(drop)
}

impl App {
    fn new(
        live: Live,
        tls: Option<Tls>,
        (runs, decisions, sessions): (Reported, Reported, Sessions),
        otlp: Option<Arc<Exporter>>,
        clock: Arc<dyn Clock>,
    ) -> App {
        let (decisions, noted) = Decided::new(decisions);
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
            tls,
            large_bodies: Semaphore::new(MAX_LARGE_BODIES),
            clock,
            runs,
            otlp,
            decisions,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            noted: Mutex::new(Some(noted)),
            sessions,
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
    /// Build everything, open the store of runs and bind the addresses. No other network is touched.
    /// Errors: [`StartError`].
    pub async fn start(config: Config, clock: Arc<dyn Clock>) -> Result<Server, StartError> {
        let tls = Tls::new(&config.server)?;
        let require_tls = config.server.require_tls;
        let (listen, admin_listen) = (config.listen.clone(), config.server.admin_listen.clone());
        let otlp = exporter(&config, &clock)?;
        let live = Live::new(config, Arc::clone(&clock))?.copying(otlp.as_ref());
        let runs = Reported::open(&live.config.server).await?;
        let decisions = Reported::open_decisions(&live.config.server).await?;
        let sessions = Sessions::open(&live.config.server, Arc::clone(&clock))?;
        let (listener, address) = bind("listen", &listen).await?;
        if require_tls && tls.is_none() && listen::is_reachable(address) {
            return Err(StartError::NoTls);
        }
        let admin = match &admin_listen {
            Some(listen) => Some(bind("admin_listen", listen).await?),
            None => None,
        };
        let (admin, admin_address) = admin.unzip();
        Ok(Server {
            app: Arc::new(App::new(
                live,
                tls,
                (runs, decisions, sessions),
                otlp,
                clock,
            )),
            listener,
            admin,
            source: None,
            address,
            admin_address,
        })
    }

    /// The same, that takes changes of its configuration.
    pub fn reloading(self, source: Source) -> Server {
        Server {
            source: Some(source),
            ..self
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens for probes and metrics.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// Serve until a signal says to stop. A second one ends it at once. When nobody can send one any more, that is one.
    pub async fn run(self, mut signals: mpsc::Receiver<Signal>) {
        let live = self.app.present.get();
        tracing::info!(
            addr = %self.address,
            connections = live.config.connections.len(),
            version = env!("CARGO_PKG_VERSION"),
            "listening"
        );
        if self.app.tls.is_none() && listen::is_reachable(self.address) {
            tracing::warn!(addr = %self.address, "listening without TLS on an address that others reach");
        }
        let mut behind = JoinSet::new();
        behind.spawn(probe(Arc::clone(&self.app), live, None));
        let (reloads, wanted) = mpsc::channel(1);
        if let Some(source) = self.source.clone() {
            behind.spawn(keep_up(Arc::clone(&self.app), source, wanted));
        }
        behind.spawn(runs::trim(Arc::clone(&self.app)));
        behind.spawn(notices::follow(Arc::clone(&self.app)));
        if let Some(otlp) = &self.app.otlp {
            behind.spawn(Arc::clone(otlp).run());
        }
        let noted = self.app.noted.lock().map_or(None, |mut noted| noted.take());
        if let Some(noted) = noted {
            behind.spawn(decided::keep(Arc::clone(&self.app), noted));
        }
        let (stop, stopping) = watch::channel(false);
        let mut door = Door {
            app: Arc::clone(&self.app),
            clients: JoinSet::new(),
            stopping,
        };
        let (listener, admin) = (self.listener, self.admin);
        door.accept(&listener, admin.as_ref(), &reloads, &mut signals)
            .await;
        drop((listener, admin));
        // Nobody left to tell is no mistake.
        let _ = stop.send(true);
        let grace = self.app.present.get().config.server.shutdown_grace;
        finish(door.clients, grace, &mut signals).await;
        if let Some(otlp) = &self.app.otlp {
            otlp.finish(FLUSH).await;
        }
        tracing::info!("stopped");
    }
}

/// Where clients come in.
struct Door {
    app: Arc<App>,
    clients: JoinSet<()>,
    stopping: watch::Receiver<bool>,
}

impl Door {
    /// Take clients until it is time to stop taking them.
    async fn accept(
        &mut self,
        listener: &TcpListener,
        admin: Option<&TcpListener>,
        reloads: &mpsc::Sender<()>,
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
            let by_admin = async {
                match admin {
                    Some(admin) => admin.accept().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                signal = signals.recv() => match (signal, until) {
                    (Some(Signal::Reload), _) => {
                        // One that is waited for already is this one too.
                        let _ = reloads.try_send(());
                    }
                    (Some(Signal::Terminate), None) => {
                        let drain = self.app.present.get().config.server.drain;
                        self.app.draining.store(true, Ordering::Release);
                        tracing::info!("draining");
                        until = Some(Instant::now() + drain);
                    }
                    (Some(Signal::Interrupt | Signal::Terminate) | None, _) => {
                        self.app.draining.store(true, Ordering::Release);
                        return;
                    }
                },
                () = drained => return,
                Some(_) = self.clients.join_next(), if !self.clients.is_empty() => {}
                accepted = by_admin => self.take(accepted, true).await,
                accepted = listener.accept() => self.take(accepted, false).await,
            }
        }
    }

    async fn take(&mut self, accepted: io::Result<(TcpStream, SocketAddr)>, by_admin: bool) {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                let error = error.to_string();
                tracing::warn!(error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                return;
            }
        };
        // Probes come in however many others have.
        if !by_admin && self.clients.len() >= self.app.present.get().config.server.max_connections {
            self.app
                .metrics
                .rejected_connections
                .fetch_add(1, Ordering::Relaxed);
            if self.app.tls.is_none() {
                // As much as fits at once; whoever is turned away is not waited for.
                let _ = stream.try_write(FULL.as_bytes());
            }
            return;
        }
        // Answers are short and written whole.
        let _ = stream.set_nodelay(true);
        let client = Client {
            peer,
            secure: false,
            by_admin,
            certificate: Arc::default(),
            talk: None,
        };
        let (app, stopping) = (Arc::clone(&self.app), self.stopping.clone());
        match self.app.tls.as_ref().filter(|_| !by_admin) {
            Some(tls) => {
                let acceptor = tls.acceptor();
                self.clients.spawn(connection::encrypted(
                    stream, acceptor, app, client, stopping,
                ));
            }
            None => {
                let patience = Patience::DEFAULT;
                self.clients
                    .spawn(connection::http1(stream, app, client, patience, stopping));
            }
        }
    }
}

/// What copies the decision log to a collector, where the configuration names one.
fn exporter(config: &Config, clock: &Arc<dyn Clock>) -> Result<Option<Arc<Exporter>>, StartError> {
    let exporter = config.decision_log_otlp.as_deref();
    let exporter = exporter.map(|base| Exporter::new(base, Arc::clone(clock)));
    Ok(exporter
        .transpose()
        .map_err(StartError::Otlp)?
        .map(Arc::new))
}

fn addresses(config: &Config) -> impl Iterator<Item = (&'static str, &str)> {
    let admin = config.server.admin_listen.as_deref();
    let main = std::iter::once(("listen", config.listen.as_str()));
    main.chain(admin.map(|address| ("admin_listen", address)))
}

async fn bind(key: &'static str, address: &str) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error| StartError::Listen {
        key,
        address: address.to_owned(),
        error,
    };
    let listener = listen::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Let requests in flight finish.
async fn finish(mut clients: JoinSet<()>, grace: Duration, signals: &mut mpsc::Receiver<Signal>) {
    let all = async { while clients.join_next().await.is_some() {} };
    let again = async {
        while let Some(signal) = signals.recv().await {
            if signal != Signal::Reload {
                return;
            }
        }
        // Nobody can tell it any more.
        std::future::pending().await
    };
    tokio::select! {
        biased;
        () = all => {}
        () = again => tracing::warn!("told to stop twice; requests in flight are dropped"),
        () = tokio::time::sleep(grace) => tracing::warn!("requests in flight took too long and are dropped"),
    }
    clients.shutdown().await;
}

/// Ask these connections, or all, whether their credentials work, and say so.
async fn probe(app: Arc<App>, live: Arc<Live>, ids: Option<Vec<String>>) {
    for report in live.engine.probe(ids.as_deref()).await {
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

/// Take changes: when a file changed, and when it is asked for.
async fn keep_up(app: Arc<App>, source: Source, mut wanted: mpsc::Receiver<()>) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let look_now = || Seen::now(source.file.as_deref(), &app.present.get().config);
    let mut seen = look_now();
    let mut probing = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = probing.join_next(), if !probing.is_empty() => continue,
            asked = wanted.recv() => {
                if asked.is_none() {
                    return;
                }
                if let Err(error) = app.present.get().engine.reopen_decision_log() {
                    let error = error.to_string();
                    tracing::error!(error, "the decision log cannot be opened anew");
                }
            }
            _ = look.tick() => {
                if look_now() == seen {
                    continue;
                }
            }
        }
        // Before reading: what changes meanwhile is seen at the next look.
        seen = look_now();
        if let Some(fresh) = reload::reload(&app, &source).await {
            let live = app.present.get();
            probing.spawn(probe(Arc::clone(&app), live, Some(fresh)));
        }
    }
}

/// How long a collector is waited for at the end.
const FLUSH: Duration = Duration::from_secs(3);
/// Each looks into the store every second.
const MAX_STREAMS: usize = 128;
const MAX_LARGE_BODIES: usize = 8;
const LOSING_FOR: Duration = Duration::from_secs(30);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nserver: toolpass\r\ncontent-type: application/json\r\nretry-after: 1\r\ncontent-length: 76\r\nconnection: close\r\n\r\n{\"decision\":\"unknown\",\"reason\":\"overloaded: too many connections are open\"}\n";
