//! A server on loopback that answers raw bytes, so that a test can be as rude as the network.
//!
//! It runs on the test's own runtime; with paused time a silence of minutes passes at once, and the order of events is
//! the same in every run.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unreachable_pub, reason = "shared by several test crates")]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::question::Freshness;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::transport::{Transport, TransportSettings};
use toolpass_http::url::Url;

/// What the server does after it read a request.
pub enum Act {
    /// Send and keep the connection.
    Answer(Vec<u8>),
    /// Send and close, without having said so.
    AnswerAndClose(Vec<u8>),
    /// Close.
    Close,
    /// Say nothing more.
    Hang,
    /// Send one byte a second.
    Drip(Vec<u8>),
    /// Send the first, then the second again and again.
    Endless(Vec<u8>, Vec<u8>),
    /// Answer, then carry bytes to and from there.
    Tunnel(SocketAddr),
}

/// A running server.
#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Heads and bodies of all requests, in order.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn url(&self, scheme: &str, host: &str) -> Url {
        Url::parse(&format!("{scheme}://{host}:{}/api", self.address.port())).unwrap()
    }

    /// A client of this server over plain HTTP.
    pub fn client(&self) -> Client {
        Client::new(
            transport(TransportSettings::default()),
            self.url("http", "127.0.0.1"),
        )
    }
}

/// Serve; `script` gets the number of the request, from 1, and its text.
pub async fn serve(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Server {
    serve_with(None, script).await
}

/// Serve over TLS when there is an acceptor.
pub async fn serve_with(
    tls: Option<TlsAcceptor>,
    script: impl Fn(usize, &str) -> Act + Send + Sync + 'static,
) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server {
        address: listener.local_addr().unwrap(),
        requests: Arc::default(),
        connections: Arc::default(),
    };
    let (running, script) = (server.clone(), Arc::new(script));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            running.connections.fetch_add(1, Ordering::SeqCst);
            let (server, script, tls) = (running.clone(), script.clone(), tls.clone());
            tokio::spawn(async move {
                match tls {
                    None => converse(stream, server, script).await,
                    Some(tls) => match tls.accept(stream).await {
                        Ok(stream) => converse(stream, server, script).await,
                        Err(_) => None,
                    },
                }
            });
        }
    });
    server
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    server: Server,
    script: Arc<impl Fn(usize, &str) -> Act>,
) -> Option<()> {
    loop {
        let text = read_request(&mut stream).await?;
        let number = {
            let mut requests = server.requests.lock().unwrap();
            requests.push(text.clone());
            requests.len()
        };
        match script(number, &text) {
            Act::Answer(bytes) => stream.write_all(&bytes).await.ok()?,
            Act::AnswerAndClose(bytes) => {
                stream.write_all(&bytes).await.ok()?;
                return stream.shutdown().await.ok();
            }
            Act::Close => return None,
            Act::Hang => std::future::pending().await,
            Act::Drip(bytes) => {
                for byte in bytes {
                    stream.write_all(&[byte]).await.ok()?;
                    stream.flush().await.ok()?;
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
            Act::Endless(head, part) => {
                stream.write_all(&head).await.ok()?;
                loop {
                    stream.write_all(&part).await.ok()?;
                }
            }
            Act::Tunnel(target) => {
                let mut upstream = TcpStream::connect(target).await.ok()?;
                stream
                    .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    .await
                    .ok()?;
                tokio::io::copy_bidirectional(&mut stream, &mut upstream)
                    .await
                    .ok()?;
                return None;
            }
        }
        stream.flush().await.ok()?;
    }
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Some(text);
            }
        }
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.ok()?;
        if read == 0 {
            return None;
        }
        bytes.extend_from_slice(&chunk[..read]);
    }
}

/// An answer with JSON.
pub fn json(status: u16, headers: &[&str], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    format!("HTTP/1.1 {status} Some\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
        .into_bytes()
}

/// A clock that follows the runtime's time, paused or not.
pub struct RuntimeClock(tokio::time::Instant);

impl Clock for RuntimeClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(self.0.elapsed())
    }

    fn wall(&self) -> Wall {
        Wall(Duration::from_secs(1_893_456_000) + self.0.elapsed())
    }
}

/// A check with this many seconds.
pub fn check(seconds: u64) -> Context {
    let clock = RuntimeClock(tokio::time::Instant::now());
    Context::new(
        Arc::new(clock),
        Duration::from_secs(seconds),
        Freshness::default(),
    )
}

pub fn transport(settings: TransportSettings) -> Transport {
    Transport::new(settings).unwrap()
}

/// An authority of the test's own.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// A server's side of TLS, with a certificate for these names and this Common Name.
    pub fn acceptor(&self, names: &[&str], common_name: &str) -> TlsAcceptor {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params
            .distinguished_name
            .push(DnType::CommonName, common_name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let chain = vec![CertificateDer::from(certificate.der().to_vec())];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let mut config = builder
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}
