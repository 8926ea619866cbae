//! The address to listen on, and the addresses of clients.
//!
//! An empty host or `::` is every address, of both protocols where the machine has both.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpListener;

/// A text that is no address to listen on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `host:port`, `:port` or `[v6]:port`")]
pub(crate) struct InvalidListen;

/// Host and port of a `listen` value; no host for all addresses.
/// Errors: [`InvalidListen`].
pub(crate) fn parse(text: &str) -> Result<(Option<&str>, u16), InvalidListen> {
    let (host, port) = text.rsplit_once(':').ok_or(InvalidListen)?;
    let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let port = port.parse().ok().filter(|_| digits).ok_or(InvalidListen)?;
    let host = match host.strip_prefix('[') {
        Some(host) => host
            .strip_suffix(']')
            .filter(|host| host.parse::<Ipv6Addr>().is_ok()),
        None => Some(host)
            .filter(|host| !host.contains(|c: char| c == ':' || c == ']' || c.is_whitespace())),
    };
    match host.ok_or(InvalidListen)? {
        "" | "::" => Ok((None, port)),
        host => Ok((Some(host), port)),
    }
}

/// Listen.
/// Errors: the text is no address, or it cannot be bound.
pub(crate) async fn bind(text: &str) -> io::Result<TcpListener> {
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
    match parse(text).map_err(invalid)? {
        (Some(host), port) => TcpListener::bind((host, port)).await,
        (None, port) => match TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).await {
            Ok(listener) => Ok(listener),
            // A machine without the newer protocol.
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
                TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await
            }
            Err(error) => Err(error),
        },
    }
}

/// Whether others than this machine reach the address.
pub(crate) fn is_reachable(address: SocketAddr) -> bool {
    !plain(address.ip()).is_loopback()
}

/// An address without the clothing of the newer protocol.
pub(crate) fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expected) in [
            (":8080", Ok((None, 8080))),
            ("[::]:8080", Ok((None, 8080))),
            ("127.0.0.1:0", Ok((Some("127.0.0.1"), 0))),
            ("localhost:80", Ok((Some("localhost"), 80))),
            ("[::1]:80", Ok((Some("::1"), 80))),
            ("8080", Err(InvalidListen)),
            ("host:", Err(InvalidListen)),
            ("host:http", Err(InvalidListen)),
            ("host:+80", Err(InvalidListen)),
            ("host:65536", Err(InvalidListen)),
            ("::1:80", Err(InvalidListen)),
            ("[::1:80", Err(InvalidListen)),
            ("[x]:80", Err(InvalidListen)),
            ("a b:80", Err(InvalidListen)),
            ("", Err(InvalidListen)),
        ] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
        assert_eq!(
            plain("::ffff:10.0.0.1".parse().unwrap()),
            "10.0.0.1".parse::<IpAddr>().unwrap()
        );
    }
}
