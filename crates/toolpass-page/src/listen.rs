//! Where a page may listen: on this machine alone.
//!
//! Shape: `host:port`. The host is `127.0.0.1`, `::1` (also in brackets), `localhost`, or empty, and the last two mean
//! `127.0.0.1`; port 0 is any free one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The text names no loopback address with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected `listen` to be `HOST:PORT` with the host 127.0.0.1, ::1 or localhost, since a page is served on loopback only"
)]
pub struct NotLoopback;

/// Read an address. Errors: [`NotLoopback`].
pub fn parse(text: &str) -> Result<SocketAddr, NotLoopback> {
    let (host, port) = text.rsplit_once(':').ok_or(NotLoopback)?;
    let host: IpAddr = match host {
        "" | "127.0.0.1" | "localhost" => Ipv4Addr::LOCALHOST.into(),
        "::1" | "[::1]" => Ipv6Addr::LOCALHOST.into(),
        _ => return Err(NotLoopback),
    };
    if port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NotLoopback);
    }
    Ok(SocketAddr::new(
        host,
        port.parse().map_err(|_| NotLoopback)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_nothing_else() {
        for (text, expected) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("localhost:8123", "127.0.0.1:8123"),
            (":0", "127.0.0.1:0"),
            ("::1:0", "[::1]:0"),
            ("[::1]:65535", "[::1]:65535"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), expected);
        }
        for wrong in [
            "",
            "127.0.0.1",
            "0.0.0.0:0",
            ":::0",
            "[::]:0",
            "192.168.1.2:80",
            "127.0.0.2:0",
            "example.com:0",
            "localhost:",
            "localhost:65536",
            "localhost:+1",
            "localhost:-1",
            "[::1]",
            "127.0.0.1:0x",
            "LOCALHOST.evil.com:0",
            "[::1:0",
            "localhost :0",
        ] {
            assert_eq!(parse(wrong), Err(NotLoopback), "{wrong}");
        }
    }
}
