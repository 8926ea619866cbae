//! Opening one connection: addresses, TCP, a proxy's tunnel, TLS.
//!
//! Separate so that the order in which a connection is made safe is read in one place, and each step has its own limit.
//!
//! INVARIANT: an address learned from an answer never reaches loopback, link-local or metadata addresses unless the
//! connection's own host is such an address too; the addresses judged are the ones connected to.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use toolpass_core::clock::{Clock, Monotonic};

use crate::error::{Error, Kind};
use crate::proxy::Proxy;
use crate::tls::{Trust, server_name};
use crate::url::{Scheme, Url, ip_of};

/// A connected byte stream, encrypted or not.
pub(crate) type Stream = Box<dyn Connected>;

/// What a connection is made of.
pub(crate) trait Connected: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connected for T {}

/// Where to, which way, and whom to believe.
pub(crate) struct Plan<'a> {
    pub(crate) url: &'a Url,
    pub(crate) proxy: Option<&'a Proxy>,
    pub(crate) trust: &'a Trust,
    /// The name verified instead of the host's own.
    pub(crate) server_name: Option<&'a ServerName<'static>>,
    pub(crate) reach: Reach<'a>,
    /// The limit of each step.
    pub(crate) step: Duration,
}

/// Which addresses may be reached.
#[derive(Clone, Copy)]
pub(crate) enum Reach<'a> {
    /// An operator configured the host.
    Configured,
    /// An answer named the host; the connection's own host, if any, says what is usual here.
    Learned { own_host: Option<&'a str> },
}

/// The time one exchange may take, asked again before every step.
pub(crate) struct Timer {
    clock: Arc<dyn Clock>,
    ends: Monotonic,
    /// [`Kind::Deadline`] when the check's budget is the shorter one, else [`Kind::Timeout`].
    spent: Kind,
}

impl Timer {
    pub(crate) fn new(clock: Arc<dyn Clock>, remaining: Duration, timeout: Duration) -> Timer {
        let spent = if remaining <= timeout {
            Kind::Deadline
        } else {
            Kind::Timeout
        };
        let ends = clock.monotonic().plus(remaining.min(timeout));
        Timer { clock, ends, spent }
    }

    /// Do `work` in what is left.
    pub(crate) async fn run<F: Future>(&self, doing: &str, work: F) -> Result<F::Output, Error> {
        self.step(doing, Duration::MAX, work).await
    }

    /// Do `work` in what is left, and in `limit`.
    pub(crate) async fn step<F: Future>(
        &self,
        doing: &str,
        limit: Duration,
        work: F,
    ) -> Result<F::Output, Error> {
        let left = self.ends.since(self.clock.monotonic());
        if left.is_zero() {
            return Err(self.spent_while(doing, self.spent));
        }
        let kind = if limit < left {
            Kind::Timeout
        } else {
            self.spent
        };
        let done = tokio::time::timeout(left.min(limit), work).await;
        done.map_err(|_| self.spent_while(doing, kind))
    }

    fn spent_while(&self, doing: &str, kind: Kind) -> Error {
        let whose = if kind == Kind::Deadline {
            "the check's time was spent"
        } else {
            "the time limit passed"
        };
        Error::new(kind, format!("{whose} while {doing}"))
    }
}

/// Open a connection that is ready for requests.
pub(crate) async fn connect(plan: &Plan<'_>, timer: &Timer) -> Result<Stream, Error> {
    let stream = match plan.proxy {
        None => {
            let addresses = timer
                .step(
                    "looking up the host",
                    plan.step,
                    resolve(plan.url.host(), plan.url.port()),
                )
                .await??;
            may_be_reached(plan, &addresses, timer).await?;
            boxed(tcp(plan.url.host(), &addresses, plan.step, timer).await?)
        }
        Some(proxy) => {
            if let Some(address) = ip_of(plan.url.host()) {
                may_be_reached(plan, &[SocketAddr::new(address, plan.url.port())], timer).await?;
            }
            through(proxy, plan, timer).await?
        }
    };
    match plan.url.scheme() {
        Scheme::Http => Ok(stream),
        Scheme::Https => {
            let name = plan
                .server_name
                .cloned()
                .map_or_else(|| server_name(plan.url.host()), Ok)?;
            tls(stream, name, plan, timer, "the TLS handshake").await
        }
    }
}

/// Whether an address is this machine, its link, or a cloud's metadata service.
pub(crate) fn is_internal(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(ip) => {
            ip.is_loopback()
                || ip.is_link_local()
                || ip.is_unspecified()
                || METADATA_V4.contains(&ip)
        }
        IpAddr::V6(ip) => {
            ip.is_loopback()
                || ip.is_unicast_link_local()
                || ip.is_unspecified()
                || METADATA_V6.contains(&ip)
        }
    }
}

fn boxed(stream: impl Connected + 'static) -> Stream {
    Box::new(stream)
}

async fn may_be_reached(
    plan: &Plan<'_>,
    addresses: &[SocketAddr],
    timer: &Timer,
) -> Result<(), Error> {
    let Reach::Learned { own_host } = plan.reach else {
        return Ok(());
    };
    if !addresses.iter().any(|address| is_internal(address.ip())) {
        return Ok(());
    }
    if let Some(own_host) = own_host {
        let own = timer
            .step(
                "looking up the connection's own host",
                plan.step,
                resolve(own_host, 0),
            )
            .await?;
        if own.is_ok_and(|own| own.iter().any(|address| is_internal(address.ip()))) {
            return Ok(());
        }
    }
    let text = format!(
        "an answer named {}, which is a loopback, link-local or metadata address",
        plan.url.authority()
    );
    Err(Error::new(Kind::Request, text))
}

async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Error> {
    if let Some(address) = ip_of(host) {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let found = tokio::net::lookup_host((host, port)).await;
    let found = found.map_err(|error| {
        Error::new(Kind::Connection, format!("{host} cannot be looked up")).with_source(error)
    })?;
    let found: Vec<SocketAddr> = found.collect();
    if found.is_empty() {
        Err(Error::new(
            Kind::Connection,
            format!("{host} has no address"),
        ))
    } else {
        Ok(found)
    }
}

/// Try the addresses in turn; each gets an equal share of the step, so that a silent one leaves time for the next.
async fn tcp(
    host: &str,
    addresses: &[SocketAddr],
    step: Duration,
    timer: &Timer,
) -> Result<TcpStream, Error> {
    let share = step / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut last = Error::new(Kind::Connection, format!("{host} has no address"));
    for address in addresses {
        match timer
            .step("connecting", share, TcpStream::connect(address))
            .await
        {
            Ok(Ok(stream)) => {
                // Requests are written whole; waiting to fill a segment only delays them.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => {
                let text = format!("{host} cannot be connected to: {}", io_text(&error));
                last = Error::new(Kind::Connection, text).with_source(error);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn through(proxy: &Proxy, plan: &Plan<'_>, timer: &Timer) -> Result<Stream, Error> {
    let addresses = timer
        .step(
            "looking up the proxy",
            plan.step,
            resolve(proxy.host(), proxy.port()),
        )
        .await??;
    let mut stream = boxed(tcp(proxy.host(), &addresses, plan.step, timer).await?);
    if proxy.scheme() == Scheme::Https {
        stream = tls(
            stream,
            server_name(proxy.host())?,
            plan,
            timer,
            "the proxy's TLS handshake",
        )
        .await?;
    }
    match plan.url.scheme() {
        Scheme::Http => Ok(stream),
        Scheme::Https => {
            timer
                .step(
                    "asking the proxy for a tunnel",
                    plan.step,
                    tunnel(stream, proxy, plan.url),
                )
                .await?
        }
    }
}

async fn tunnel(stream: Stream, proxy: &Proxy, url: &Url) -> Result<Stream, Error> {
    let failed = |error: hyper::Error| {
        Error::new(Kind::Connection, "the proxy ended the connection").with_source(error)
    };
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    tokio::spawn(connection.with_upgrades());
    let target = url.host_and_port();
    let mut request = Request::builder()
        .method(Method::CONNECT)
        .uri(&target)
        .header(http::header::HOST, &target);
    if let Some(login) = proxy.authorization()? {
        request = request.header(http::header::PROXY_AUTHORIZATION, login);
    }
    let request = request.body(Empty::<Bytes>::new());
    let request = request.map_err(|error| {
        Error::new(Kind::Request, "the host cannot be put into CONNECT").with_source(error)
    })?;
    let response = sender.send_request(request).await.map_err(failed)?;
    if response.status() != StatusCode::OK {
        let text = format!(
            "the proxy answered CONNECT {target} with status {}",
            response.status().as_u16()
        );
        // A proxy that cannot reach the host may next time; one that refuses will not.
        let may_pass = matches!(response.status().as_u16(), 502..=504);
        return Err(Error::new(
            if may_pass {
                Kind::Connection
            } else {
                Kind::Proxy
            },
            text,
        ));
    }
    let upgraded = hyper::upgrade::on(response).await.map_err(failed)?;
    Ok(boxed(TokioIo::new(upgraded)))
}

async fn tls(
    stream: Stream,
    name: ServerName<'static>,
    plan: &Plan<'_>,
    timer: &Timer,
    what: &str,
) -> Result<Stream, Error> {
    let config = timer
        .step("reading the trusted roots", plan.step, plan.trust.config())
        .await??;
    let handshake = TlsConnector::from(config).connect(name.clone(), stream);
    match timer
        .step(&format!("waiting for {what}"), plan.step, handshake)
        .await?
    {
        Ok(stream) => Ok(boxed(stream)),
        Err(error) => Err(tls_error(&name, what, error)),
    }
}

fn tls_error(name: &ServerName<'_>, what: &str, error: io::Error) -> Error {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let (kind, text) = match inner {
        Some(rustls::Error::InvalidCertificate(why)) => (
            Kind::Certificate,
            format!(
                "the certificate for {} does not verify: {}",
                name.to_str(),
                certificate_text(why)
            ),
        ),
        Some(rustls::Error::NoCertificatesPresented) => (
            Kind::Certificate,
            format!("{} showed no certificate", name.to_str()),
        ),
        Some(_) => (
            Kind::Connection,
            format!("{what} with {} failed", name.to_str()),
        ),
        None => (
            Kind::Connection,
            format!("{what} with {} failed: {}", name.to_str(), io_text(&error)),
        ),
    };
    Error::new(kind, text).with_source(error)
}

fn certificate_text(why: &rustls::CertificateError) -> &'static str {
    use rustls::CertificateError as Why;
    match why {
        Why::Expired | Why::ExpiredContext { .. } => "it has expired",
        Why::NotValidYet | Why::NotValidYetContext { .. } => "it is not valid yet",
        Why::NotValidForName | Why::NotValidForNameContext { .. } => "it is for another name",
        Why::Revoked => "it is revoked",
        Why::UnknownIssuer | Why::BadSignature => {
            "its issuer is not trusted; set `ca_file` when the system uses a private authority"
        }
        Why::BadEncoding | Why::UnhandledCriticalExtension => "it cannot be read",
        Why::Other(why) if format!("{why:?}").contains("CaUsedAsEndEntity") => {
            "it is marked as an authority's (`CA:TRUE`), which a server's own may not be"
        }
        _ => "it was refused",
    }
}

/// An I/O failure in words that hold no address or path.
pub(crate) fn io_text(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::ConnectionReset => "connection reset",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "unreachable",
        io::ErrorKind::TimedOut => "timed out",
        io::ErrorKind::UnexpectedEof => "the connection was closed",
        _ => "connection failed",
    }
}

/// Alibaba Cloud and Oracle Cloud; the others' 169.254.169.254 is link-local.
const METADATA_V4: [Ipv4Addr; 2] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];
/// AWS: instance metadata and EKS Pod Identity; Google Cloud.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_addresses() {
        let check = |address: &str, expected: bool| {
            assert_eq!(is_internal(address.parse().unwrap()), expected, "{address}")
        };
        for internal in [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "::ffff:127.0.0.1",
            "169.254.169.254",
            "169.254.170.2",
            "::ffff:169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
            "0.0.0.0",
            "::",
        ] {
            check(internal, true);
        }
        for outside in [
            "10.0.0.1",
            "192.168.1.1",
            "8.8.8.8",
            "2001:db8::1",
            "fd00::1",
            "100.100.100.201",
        ] {
            check(outside, false);
        }
    }
}
