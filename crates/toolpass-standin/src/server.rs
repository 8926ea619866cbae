//! A system behind a socket: accept, read, enter in the journal, fault or answer.
//!
//! The server runs in a thread of its own with its own runtime, so that synchronous tests can use it and so that it ends, with
//! every connection, when its [`Running`] is dropped. It binds 127.0.0.1 and nothing else.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::control;
use crate::error::Error;
use crate::faults::{self, Closed, FaultBook, FaultRule, FaultyBody};
use crate::journal::{self, Entry, Journal};
use crate::message::{self, Received, Reply};
use crate::tls::Authority;

/// A vendor system as a function from a request to an answer.
pub trait System: Send + Sync + 'static {
    /// The path without the system's own prefix: what faults and counts name.
    fn local_path<'a>(&self, path: &'a str) -> &'a str;
    /// Answer one request. Refusing a credential is an answer.
    fn answer(&self, request: &Received) -> Reply;
    /// The world as JSON.
    fn state(&self) -> Value;
    /// Change the world by an RFC 7396 merge patch. Errors: `World`, and nothing has changed.
    fn patch(&self, patch: &Value) -> Result<(), Error>;
    /// Go back to the world as it was at the start.
    fn reset(&self);
    /// Do one of the system's own commands, such as `revoke`; `None` when it has none of that name.
    fn command(&self, name: &str, arguments: &Value) -> Option<Result<Value, Error>>;
}

/// Plain HTTP, or TLS with a certificate of this authority.
#[derive(Clone)]
pub enum Transport {
    /// `http://`
    Plain,
    /// `https://`
    Tls {
        /// Who signs; several stand-ins may share one.
        authority: Authority,
        /// Names beside `localhost`, `127.0.0.1` and `::1`, such as `api.github.com`.
        extra_names: Vec<String>,
    },
}

/// A stand-in that serves until this is dropped.
pub struct Running {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// Scheme, `localhost` and port, without the base path.
    pub url: String,
    /// What the system's paths start with: empty, or `/api/v3`.
    pub base_path: String,
    /// The authority's certificate, with TLS.
    pub ca_pem: Option<String>,
    /// What `X-Standin-Control` must be on `/_standin/...`.
    pub control_token: String,
    acceptor: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What connections and the handle have in common.
pub(crate) struct Shared {
    pub(crate) system: Box<dyn System>,
    pub(crate) journal: Journal,
    pub(crate) faults: FaultBook,
    pub(crate) control_token: String,
    scheme: &'static str,
}

/// Serve a system on a free port of 127.0.0.1. Errors: `Io`, `Certificate`, `Random`.
pub fn start(
    system: Box<dyn System>,
    transport: &Transport,
    base_path: &str,
) -> Result<Running, Error> {
    let (acceptor, ca_pem, scheme) = match transport {
        Transport::Plain => (None, None, "http"),
        Transport::Tls {
            authority,
            extra_names,
        } => {
            let config = authority.server_config(extra_names)?;
            (
                Some(TlsAcceptor::from(config)),
                Some(authority.pem()),
                "https",
            )
        }
    };
    let listener = bind(0)?;
    let port = listener.local_addr()?.port();
    let control_token = random_hex(16)?;
    let shared = Arc::new(Shared {
        system,
        journal: Journal::default(),
        faults: FaultBook::default(),
        control_token: control_token.clone(),
        scheme,
    });
    let (stop, thread) = spawn(listener, acceptor.clone(), &shared)?;
    Ok(Running {
        port,
        url: format!("{scheme}://localhost:{port}"),
        base_path: base_path.to_owned(),
        ca_pem,
        control_token,
        acceptor,
        shared,
        stop: Some(stop),
        thread: Some(thread),
    })
}

/// Listen on a port of 127.0.0.1; 0 for any that is free.
fn bind(port: u16) -> Result<std::net::TcpListener, Error> {
    let listener = std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serve in a thread of its own, until the sender says so or is dropped.
fn spawn(
    listener: std::net::TcpListener,
    acceptor: Option<TlsAcceptor>,
    shared: &Arc<Shared>,
) -> Result<(oneshot::Sender<()>, JoinHandle<()>), Error> {
    let name = format!("standin-{}", listener.local_addr()?.port());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (stop, stopped) = oneshot::channel();
    let served = Arc::clone(shared);
    let thread = std::thread::Builder::new().name(name).spawn(move || {
        runtime.block_on(serve(listener, acceptor, served, stopped));
    })?;
    Ok((stop, thread))
}

impl Running {
    /// Everything that arrived.
    pub fn requests(&self) -> Vec<Entry> {
        self.shared.journal.entries()
    }

    /// How many requests of a method arrived whose path, without the base path, is this one.
    pub fn count(&self, method: &str, local_path: &str) -> usize {
        self.requests()
            .iter()
            .filter(|entry| entry.method == method && entry.local_path == local_path)
            .count()
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> u64 {
        self.shared.journal.connections()
    }

    /// Forget the requests; the world and the faults stay.
    pub fn clear_requests(&self) {
        self.shared.journal.clear();
    }

    /// Forget the requests and the faults, and go back to the first world.
    pub fn reset(&self) {
        self.shared.reset();
    }

    /// Misbehave by one more rule.
    pub fn fault(&self, rule: FaultRule) {
        self.shared.faults.add(rule);
    }

    /// Behave again.
    pub fn clear_faults(&self) {
        self.shared.faults.replace(Vec::new());
    }

    /// The world as JSON.
    pub fn state(&self) -> Value {
        self.shared.system.state()
    }

    /// Change the world by an RFC 7396 merge patch. Errors: `World`, and nothing has changed.
    pub fn patch(&self, patch: &Value) -> Result<(), Error> {
        self.shared.system.patch(patch)
    }

    /// Do one of the system's own commands, such as GitHub's `revoke`. Errors: `World`, also for an unknown name.
    pub fn command(&self, name: &str, arguments: &Value) -> Result<Value, Error> {
        self.shared
            .system
            .command(name, arguments)
            .unwrap_or_else(|| Err(Error::World(format!("there is no command `{name}`"))))
    }

    /// Stop serving and close every connection; the port is refused from now on. Also done on drop.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // An error means that the thread has ended already.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed when it happened; there is nobody left to tell.
            let _ = thread.join();
        }
    }

    /// Serve again at the same port, after [`Running::stop`]; the world is as it was. Errors: `Io`, when the port is taken.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.stop();
        let (stop, thread) = spawn(bind(self.port)?, self.acceptor.clone(), &self.shared)?;
        self.stop = Some(stop);
        self.thread = Some(thread);
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    pub(crate) fn reset(&self) {
        self.journal.clear();
        self.faults.replace(Vec::new());
        self.system.reset();
    }
}

/// `bytes` random bytes as hexadecimal digits. Errors: `Random`.
pub(crate) fn random_hex(bytes: usize) -> Result<String, Error> {
    let mut buffer = vec![0_u8; bytes];
    SystemRandom::new()
        .fill(&mut buffer)
        .map_err(|_| Error::Random)?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Accept until told to stop. Dropping the set of connections cuts those still open.
async fn serve(
    listener: std::net::TcpListener,
    acceptor: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    mut stopped: oneshot::Receiver<()>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                connections.spawn(connection(stream, acceptor.clone(), Arc::clone(&shared)));
            }
        }
    }
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, shared: Arc<Shared>) {
    shared.journal.connected();
    // Small answers should not wait for the client's delayed acknowledgement; without it they are only slower.
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => exchange(stream, shared).await,
        Some(acceptor) => {
            // A client that does not trust the certificate hangs up here: nothing arrived.
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            exchange(stream, shared).await;
        }
    }
}

async fn exchange<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    shared: Arc<Shared>,
) {
    let service = service_fn(move |request| handle(Arc::clone(&shared), request));
    // An error is a client that went away or a fault that closed the connection.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
}

async fn handle(
    shared: Arc<Shared>,
    mut request: Request<Incoming>,
) -> Result<Response<FaultyBody>, Closed> {
    let upgrade = hyper::upgrade::on(&mut request);
    let (parts, body) = request.into_parts();
    if let Some(name) = control::command_name(&shared, &parts) {
        let body = read(body).await?;
        return Ok(response(control::answer(
            &shared,
            parts.method.as_str(),
            &name,
            &body,
        )));
    }
    let place = shared.journal.enter(entry(&shared, &parts));
    let body = read(body).await?;
    shared.journal.note(place, |entry| {
        entry.body = journal::body_start(&body);
        entry.body_bytes = body.len();
    });
    let path = parts.uri.path();
    if let Some(fault) = shared
        .faults
        .take(parts.method.as_str(), shared.system.local_path(path))
    {
        shared
            .journal
            .note(place, |entry| entry.fault = Some(fault.name().to_owned()));
        return faults::respond(fault).await;
    }
    let host = header(&parts, "host").unwrap_or_else(|| "localhost".to_owned());
    let received = Received {
        method: parts.method.as_str().to_owned(),
        path: path.to_owned(),
        query: parts.uri.query().map(str::to_owned),
        headers: parts.headers,
        body,
        origin: format!("{}://{host}", shared.scheme),
    };
    let mut reply = shared.system.answer(&received);
    if let Some(bytes) = reply.upgraded.take() {
        tokio::spawn(say_and_end(upgrade, bytes));
    }
    shared.journal.note(place, |entry| {
        entry.credential.clone_from(&reply.credential);
        entry.status = Some(reply.status);
        entry.fallback = reply.fallback;
    });
    Ok(response(reply))
}

/// Send what follows an upgrade, and end once the client has ended too.
async fn say_and_end(upgrade: OnUpgrade, bytes: Bytes) {
    // A client that went away before the upgrade is no concern of the stand-in's.
    let Ok(upgraded) = upgrade.await else { return };
    let mut stream = TokioIo::new(upgraded);
    let mut ignored = [0_u8; 1024];
    if stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok() {
        while matches!(stream.read(&mut ignored).await, Ok(count) if count > 0) {}
    }
}

async fn read(body: Incoming) -> Result<Bytes, Closed> {
    match Limited::new(body, MAX_REQUEST_BYTES).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(_) => Err(Closed),
    }
}

fn entry(shared: &Shared, parts: &http::request::Parts) -> Entry {
    let path = parts.uri.path();
    Entry {
        number: 0,
        method: parts.method.as_str().to_owned(),
        path: path.to_owned(),
        local_path: shared.system.local_path(path).to_owned(),
        has_query: parts.uri.query().is_some(),
        query: parts.uri.query().map(str::to_owned),
        host: header(parts, "host").unwrap_or_default(),
        authorization: message::authorization_kind(&parts.headers),
        credential: None,
        content_type: header(parts, "content-type"),
        user_agent: header(parts, "user-agent"),
        body: String::new(),
        body_bytes: 0,
        fault: None,
        status: None,
        fallback: false,
    }
}

fn header(parts: &http::request::Parts, name: &str) -> Option<String> {
    Some(parts.headers.get(name)?.to_str().ok()?.to_owned())
}

fn response(reply: Reply) -> Response<FaultyBody> {
    let mut builder = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        builder = builder.header(name, value);
    }
    builder
        .body(FaultyBody::whole(reply.body))
        .unwrap_or_else(|_| Response::new(FaultyBody::Whole(None)))
}

const MAX_REQUEST_BYTES: usize = 64 * 1024 * 1024;
