//! One connection's way to the network: trust, proxies, time limit, pool.
//!
//! Separate from `client` because several clients (an API, a login host) share one. Building it touches no network.
//!
//! INVARIANT: an exchange ends within the time limit and the check's budget, whatever the other side does; a body is at
//! most 10 MiB; a redirect is an answer like any other.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;

use crate::budget::Context;
use crate::connect::{Plan, Reach, Timer, connect};
use crate::error::{Error, Kind};
use crate::pace::Pace;
use crate::pool::{Key, Pool, Sender};
use crate::proxy::{InvalidProxy, NoProxy, Proxy, ProxyAuth, ProxyEnvironment, ProxyRules};
use crate::tls::{CaMode, NoCertificate, Trust, server_name};
use crate::url::{Scheme, Url};

/// What a connection's keys say about its transport.
#[derive(Clone)]
pub struct TransportSettings {
    /// The content of `ca_file`: trusted instead of the system's roots, or besides them.
    pub ca_pem: Option<Vec<u8>>,
    /// `ca_mode`: which of the two.
    pub ca_mode: CaMode,
    /// `tls_server_name`: sent and verified instead of `own_host`.
    pub tls_server_name: Option<String>,
    /// The host of the connection's base address.
    pub own_host: Option<String>,
    /// `no_proxy`: hosts asked directly, instead of those the environment names.
    pub no_proxy: Option<String>,
    /// `proxy_url`: for every other host.
    pub proxy_url: Option<String>,
    /// The login of `proxy_url`.
    pub proxy_auth: Option<ProxyAuth>,
    /// `timeout`: the most one exchange may take; 8 s by default.
    pub timeout: Duration,
    /// The environment's proxies, used without `proxy_url`.
    pub environment: ProxyEnvironment,
}

/// Settings no transport can be built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// `ca_file` holds no certificate.
    #[error("`ca_file`: {0}")]
    CaFile(#[from] NoCertificate),
    /// `proxy_url` is no proxy.
    #[error("`proxy_url`: {0}")]
    ProxyUrl(#[from] InvalidProxy),
    /// `tls_server_name` is no name.
    #[error("`tls_server_name`: expected a DNS name or an IP address")]
    ServerName,
}

/// The way to the network. Cheap to clone; clones share the pool.
#[derive(Clone)]
pub struct Transport(Arc<Inner>);

struct Inner {
    trust: Trust,
    server_name: Option<ServerName<'static>>,
    own_host: Option<String>,
    proxies: ProxyRules,
    timeout: Duration,
    pool: Pool,
    pace: Pace,
}

/// A request as it leaves.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Whether an answer named the address.
    pub(crate) learned: bool,
    /// Whether it may be sent on another connection when a kept one is dead.
    pub(crate) harmless: bool,
}

/// An answer, read whole.
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Default for TransportSettings {
    fn default() -> TransportSettings {
        TransportSettings {
            ca_pem: None,
            ca_mode: CaMode::default(),
            tls_server_name: None,
            own_host: None,
            no_proxy: None,
            proxy_url: None,
            proxy_auth: None,
            timeout: DEFAULT_TIMEOUT,
            environment: ProxyEnvironment::default(),
        }
    }
}

impl fmt::Debug for TransportSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `proxy_url` may hold a password.
        f.debug_struct("TransportSettings")
            .field("own_host", &self.own_host)
            .field("tls_server_name", &self.tls_server_name)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Transport {
    /// Build a transport. No network is touched; the system's roots are read at the first handshake.
    /// Errors: [`BuildError`], naming the key.
    pub fn new(settings: TransportSettings) -> Result<Transport, BuildError> {
        let trust = Trust::new(settings.ca_pem.as_deref(), settings.ca_mode)?;
        let name = settings
            .tls_server_name
            .as_deref()
            .map(server_name)
            .transpose();
        let proxy = settings
            .proxy_url
            .as_deref()
            .map(Proxy::parse)
            .transpose()?;
        let proxies = match proxy {
            Some(proxy) => {
                let proxy = match settings.proxy_auth {
                    Some(auth) => proxy.with_auth(auth),
                    None => proxy,
                };
                let no_proxy = settings.no_proxy.as_deref().map(NoProxy::parse);
                ProxyRules::explicit(proxy, no_proxy.unwrap_or_default())
            }
            None => {
                let mut environment = settings.environment;
                environment.no_proxy = settings.no_proxy.map(Into::into).or(environment.no_proxy);
                ProxyRules::from_environment(&environment)
            }
        };
        Ok(Transport(Arc::new(Inner {
            trust,
            server_name: name.map_err(|_| BuildError::ServerName)?,
            own_host: settings
                .own_host
                .map(|host| host.trim_matches(['[', ']']).to_ascii_lowercase()),
            proxies,
            timeout: settings.timeout,
            pool: Pool::default(),
            pace: Pace::new(),
        })))
    }

    /// What the callers of this connection share.
    pub(crate) fn pace(&self) -> &Pace {
        &self.0.pace
    }

    /// Send one request and read its answer. A pooled connection the server had closed is replaced.
    pub(crate) async fn exchange(&self, ctx: &Context, out: &Outgoing) -> Result<Received, Error> {
        let timer = Timer::new(ctx.clock().clone(), ctx.remaining(), self.0.timeout);
        let proxy = self.0.proxies.proxy_for(&out.url)?;
        let key = Key {
            scheme: out.url.scheme(),
            host: out.url.host().into(),
            port: out.url.port(),
            proxy: proxy
                .as_ref()
                .map(|proxy| (proxy.scheme(), proxy.host().to_owned(), proxy.port())),
            learned: out.learned,
        };
        let mut replaced = 0;
        loop {
            let (mut sender, reused) = match self.0.pool.take(&key, ctx.now()) {
                Some(sender) => (sender, true),
                None => (self.open(&timer, out, proxy.as_deref()).await?, false),
            };
            let request = build_request(out, proxy.as_deref())?;
            match timer
                .run("waiting for the answer", sender.try_send_request(request))
                .await?
            {
                Ok(response) => {
                    let received = read(&timer, response).await?;
                    self.0.pool.give(key, sender, ctx.now()).await;
                    return Ok(received);
                }
                Err(mut failed) => {
                    let unsent = failed.take_message().is_some();
                    if reused && replaced < MAX_REPLACEMENTS && (unsent || is_replayable(out)) {
                        replaced += 1;
                        continue;
                    }
                    return Err(connection_error(
                        "the connection ended before the answer",
                        failed.into_error(),
                    ));
                }
            }
        }
    }

    async fn open(
        &self,
        timer: &Timer,
        out: &Outgoing,
        proxy: Option<&Proxy>,
    ) -> Result<Sender, Error> {
        let is_own = self.0.own_host.as_deref() == Some(out.url.host());
        let plan = Plan {
            url: &out.url,
            proxy,
            trust: &self.0.trust,
            server_name: self.0.server_name.as_ref().filter(|_| is_own),
            reach: if out.learned {
                Reach::Learned {
                    own_host: self.0.own_host.as_deref(),
                }
            } else {
                Reach::Configured
            },
            step: self.0.timeout.min(MAX_STEP),
        };
        let stream = connect(&plan, timer).await?;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) =
            handshake.map_err(|error| connection_error("the connection cannot be used", error))?;
        // Drives the connection; ends when the sender is dropped or the other side closes.
        tokio::spawn(connection);
        Ok(sender)
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("own_host", &self.0.own_host)
            .field("timeout", &self.0.timeout)
            .finish_non_exhaustive()
    }
}

/// Whether a request may be sent twice without harm.
fn is_replayable(out: &Outgoing) -> bool {
    let names = [
        HeaderName::from_static("idempotency-key"),
        HeaderName::from_static("x-idempotency-key"),
    ];
    out.harmless || out.method.is_safe() || names.iter().any(|name| out.headers.contains_key(name))
}

fn build_request(out: &Outgoing, proxy: Option<&Proxy>) -> Result<Request<Full<Bytes>>, Error> {
    let unfit = |error: http::Error| {
        Error::new(Kind::Request, "the address cannot be put into a request").with_source(error)
    };
    let through = proxy.filter(|_| out.url.scheme() == Scheme::Http);
    let target = match through {
        Some(_) => format!("http://{}{}", out.url.authority(), out.url.path_and_query()),
        None => out.url.path_and_query(),
    };
    let mut request = Request::builder()
        .method(out.method.clone())
        .uri(target)
        .body(Full::new(out.body.clone()))
        .map_err(unfit)?;
    let headers = request.headers_mut();
    *headers = out.headers.clone();
    let host = HeaderValue::from_str(&out.url.authority()).map_err(|error| unfit(error.into()))?;
    headers.insert(header::HOST, host);
    let sends_length =
        !out.body.is_empty() || matches!(out.method, Method::POST | Method::PUT | Method::PATCH);
    if sends_length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(out.body.len()));
    }
    headers.remove(header::PROXY_AUTHORIZATION);
    if let Some(login) = through.map(Proxy::authorization).transpose()?.flatten() {
        headers.insert(header::PROXY_AUTHORIZATION, login);
    }
    Ok(request)
}

async fn read(timer: &Timer, response: http::Response<Incoming>) -> Result<Received, Error> {
    let (head, mut incoming) = response.into_parts();
    let too_large = || Error::new(Kind::TooLarge, "the answer is larger than 10 MiB");
    let announced = hyper::body::Body::size_hint(&incoming).lower();
    if announced > MAX_BODY as u64 {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    while let Some(frame) = timer.run("reading the answer", incoming.frame()).await? {
        let frame = frame.map_err(|error| connection_error("the answer ended early", error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if body.len() + data.len() > MAX_BODY {
            return Err(too_large());
        }
        body.extend_from_slice(&data);
    }
    Ok(Received {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.freeze(),
    })
}

fn connection_error(text: &str, error: hyper::Error) -> Error {
    let kind = if error.is_parse() {
        Kind::Malformed
    } else {
        Kind::Connection
    };
    let text = if kind == Kind::Malformed {
        "the answer is not HTTP/1.1"
    } else {
        text
    };
    Error::new(kind, text).with_source(error)
}

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(8);
const MAX_BODY: usize = 10 * 1024 * 1024;
const MAX_REPLACEMENTS: u32 = 2;
/// The limit of connecting and of each handshake.
const MAX_STEP: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_cannot_work_name_their_key() {
        let check = |settings: TransportSettings, expected: &str| {
            assert_eq!(Transport::new(settings).unwrap_err().to_string(), expected);
        };
        let none = TransportSettings::default;
        check(
            TransportSettings {
                ca_pem: Some(b"x".to_vec()),
                ..none()
            },
            "`ca_file`: expected at least one PEM certificate",
        );
        check(
            TransportSettings {
                proxy_url: Some("socks5://u:secret@p".into()),
                ..none()
            },
            "`proxy_url`: expected a proxy address that begins with `http://` or `https://`",
        );
        check(
            TransportSettings {
                tls_server_name: Some("a b".into()),
                ..none()
            },
            "`tls_server_name`: expected a DNS name or an IP address",
        );
        assert!(Transport::new(none()).is_ok());
    }

    #[test]
    fn no_proxy_goes_before_what_the_environment_says() {
        let goes_direct = |proxy_url: Option<&str>, no_proxy: Option<&str>| {
            let environment = ProxyEnvironment {
                https: Some("http://env:1".into()),
                no_proxy: Some("h".into()),
                ..ProxyEnvironment::default()
            };
            let settings = TransportSettings {
                proxy_url: proxy_url.map(Into::into),
                no_proxy: no_proxy.map(Into::into),
                environment,
                ..TransportSettings::default()
            };
            let transport = Transport::new(settings).unwrap();
            let url = Url::parse("https://h/").unwrap();
            transport.0.proxies.proxy_for(&url).unwrap().is_none()
        };
        assert!(goes_direct(None, None));
        assert!(!goes_direct(None, Some("other")));
        assert!(!goes_direct(Some("http://own:1"), None));
        assert!(!goes_direct(Some("http://own:1"), Some("other")));
        assert!(goes_direct(Some("http://own:1"), Some("other, h")));
    }
}
