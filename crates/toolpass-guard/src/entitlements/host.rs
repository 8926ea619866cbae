//! Hosts of no connection that a tool's body may call: `[scheme://]host[:port]`, shell-style.
//!
//! In the host `*` is any run of characters, dots too, `?` is one, `[...]` one of a class; letters of either case are one. A
//! pattern without a port means the default ports of HTTP; one without a scheme means HTTP, in clear text or not. What is not
//! HTTP is listed with its scheme and port: `tcp://10.0.0.7:5432`.
//! INVARIANT: a pattern never covers a port or a protocol it does not name. The host it is held against is canonical.

use std::fmt;
use std::net::Ipv6Addr;

use toolpass_core::glob::Glob;
use toolpass_wire::host::canonical;
use toolpass_wire::request::Scheme;

/// A pattern of hosts.
#[derive(Clone, PartialEq, Eq)]
pub struct HostPattern {
    text: String,
    scheme: Option<Scheme>,
    host: Host,
    port: Port,
}

/// Whether a host is listed, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listed {
    /// It is not.
    No,
    /// By a wildcard.
    ByWildcard,
    /// By its own name. Only this says that the author meant a host that is another name of a connection's server.
    ByName,
}

/// Why a text is no pattern of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHost {
    /// The host part.
    #[error(
        "expected a host such as `ci.example.com`, `*.example.com`, `ci.example.com:8443` or `tcp://db.example.com:5432`"
    )]
    Host,
    /// The port part.
    #[error("expected a port from 1 to 65535 after the `:` of the host")]
    Port,
    /// A scheme that is not HTTP, without a port.
    #[error("expected `scheme://host:port`: what is not HTTP is listed with its port")]
    NoPort,
    /// The scheme part.
    #[error("expected a scheme of letters, digits, `+`, `-` and `.` before `://`")]
    Scheme,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    Wild(Glob),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Any,
    Default,
    Only(u16),
}

impl HostPattern {
    /// Read a pattern.
    /// Errors: [`InvalidHost`].
    pub fn parse(text: &str) -> Result<HostPattern, InvalidHost> {
        let (scheme, authority) = match text.split_once("://") {
            Some((scheme, authority)) => (Some(read_scheme(scheme)?), authority),
            None => (None, text),
        };
        let (host, port) = split_port(authority);
        let port = port.map_or(Ok(Port::Default), read_port)?;
        if matches!(scheme, Some(Scheme::Other(_))) && port == Port::Default {
            return Err(InvalidHost::NoPort);
        }
        Ok(HostPattern {
            text: text.into(),
            scheme,
            host: read_host(host)?,
            port,
        })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it leaves open which host.
    pub fn is_wild(&self) -> bool {
        matches!(self.host, Host::Wild(_))
    }

    /// Whether it lists a host. `host` is canonical: lower case ASCII, an IPv6 address without brackets.
    pub fn lists(&self, scheme: &Scheme, host: &str, port: u16) -> Listed {
        let scheme_fits = match &self.scheme {
            Some(own) => own == scheme,
            None => !matches!(scheme, Scheme::Other(_)),
        };
        let port_fits = match self.port {
            Port::Any => true,
            Port::Default => port == scheme.default_port(),
            Port::Only(own) => own == port,
        };
        match &self.host {
            _ if !(scheme_fits && port_fits) => Listed::No,
            Host::Name(name) if name == host => Listed::ByName,
            Host::Name(_) => Listed::No,
            Host::Wild(glob) if glob.matches(host) => Listed::ByWildcard,
            Host::Wild(_) => Listed::No,
        }
    }
}

impl fmt::Debug for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostPattern({:?})", self.text)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn read_scheme(text: &str) -> Result<Scheme, InvalidHost> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(fits) {
        Ok(Scheme::parse(text))
    } else {
        Err(InvalidHost::Scheme)
    }
}

/// The host and what stands after its `:`; an IPv6 address has a port only after brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let bracketed = authority
        .strip_prefix('[')
        .and_then(|inside| inside.split_once(']'))
        .filter(|(inside, _)| inside.parse::<Ipv6Addr>().is_ok());
    if let Some((inside, after)) = bracketed {
        return match after.strip_prefix(':') {
            Some(port) => (inside, Some(port)),
            None if after.is_empty() => (inside, None),
            None => (authority, None),
        };
    }
    if authority.parse::<Ipv6Addr>().is_ok() {
        return (authority, None);
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        Some(_) | None => (authority, None),
    }
}

fn read_port(text: &str) -> Result<Port, InvalidHost> {
    if text == "*" {
        return Ok(Port::Any);
    }
    match text.parse() {
        Ok(0) | Err(_) => Err(InvalidHost::Port),
        Ok(_) if !text.bytes().all(|b| b.is_ascii_digit()) => Err(InvalidHost::Port),
        Ok(port) => Ok(Port::Only(port)),
    }
}

fn read_host(text: &str) -> Result<Host, InvalidHost> {
    if !text.contains(['*', '?', '[']) {
        let name = canonical(text).map_err(|_| InvalidHost::Host)?;
        return Ok(Host::Name(name.into_owned()));
    }
    // A wildcard is held against canonical names, so it is spelled as they are.
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-._*?[]!:".contains(&b);
    if !text.bytes().all(fits) {
        return Err(InvalidHost::Host);
    }
    let glob = text.to_ascii_lowercase();
    let glob = Glob::compile(glob.strip_suffix('.').unwrap_or(&glob));
    glob.map(Host::Wild).map_err(|_| InvalidHost::Host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(pattern: &str, scheme: &str, host: &str, port: u16) -> Listed {
        HostPattern::parse(pattern)
            .unwrap()
            .lists(&Scheme::parse(scheme), host, port)
    }

    #[test]
    fn hosts_are_listed_by_name_or_wildcard() {
        use Listed::{ByName, ByWildcard, No};
        for (pattern, scheme, host, port, expected) in [
            ("ci.example.com", "https", "ci.example.com", 443, ByName),
            ("CI.Example.com.", "https", "ci.example.com", 443, ByName),
            ("ci.example.com", "http", "ci.example.com", 80, ByName),
            ("ci.example.com", "https", "ci.example.com", 8443, No),
            (
                "ci.example.com:8443",
                "https",
                "ci.example.com",
                8443,
                ByName,
            ),
            ("ci.example.com:8443", "https", "ci.example.com", 443, No),
            ("ci.example.com:443", "https", "ci.example.com", 443, ByName),
            ("ci.example.com:*", "https", "ci.example.com", 9, ByName),
            ("*", "https", "a.b", 443, ByWildcard),
            ("*", "https", "a.b", 8443, No),
            ("*.example.com", "https", "a.b.example.com", 443, ByWildcard),
            ("*.example.com", "https", "example.com", 443, No),
            ("*.Example.com", "https", "a.example.com", 443, ByWildcard),
            (
                "ci?.example.com",
                "https",
                "ci1.example.com",
                443,
                ByWildcard,
            ),
            ("ci[0-9].example.com", "https", "cix.example.com", 443, No),
            (
                "ci[!0-9].example.com:8443",
                "https",
                "cix.example.com",
                8443,
                ByWildcard,
            ),
            (
                "bücher.example",
                "https",
                "xn--bcher-kva.example",
                443,
                ByName,
            ),
            ("::1", "http", "::1", 80, ByName),
            ("[::1]:8080", "http", "::1", 8080, ByName),
            ("[0:0::1]", "http", "::1", 80, ByName),
            ("10.0.0.7", "https", "10.0.0.7", 443, ByName),
            ("tcp://10.0.0.7:5432", "tcp", "10.0.0.7", 5432, ByName),
            ("tcp://10.0.0.7:5432", "https", "10.0.0.7", 5432, No),
            ("10.0.0.7:5432", "tcp", "10.0.0.7", 5432, No),
            ("*", "tcp", "10.0.0.7", 443, No),
            ("https://ci.example.com", "http", "ci.example.com", 80, No),
            (
                "wss://ci.example.com",
                "https",
                "ci.example.com",
                443,
                ByName,
            ),
        ] {
            let found = listed(pattern, scheme, host, port);
            assert_eq!(found, expected, "{pattern} {scheme} {host} {port}");
        }
    }

    #[test]
    fn what_is_no_pattern() {
        for (text, why) in [
            ("", InvalidHost::Host),
            ("a b", InvalidHost::Host),
            ("https://ci.example.com/x", InvalidHost::Host),
            ("user@ci.example.com", InvalidHost::Host),
            ("*.bücher.example", InvalidHost::Host),
            ("*/x", InvalidHost::Host),
            ("ci[9-0]", InvalidHost::Host),
            ("ci.example.com:", InvalidHost::Port),
            ("ci.example.com:0", InvalidHost::Port),
            ("ci.example.com:65536", InvalidHost::Port),
            ("ci.example.com:+80", InvalidHost::Port),
            ("tcp://db", InvalidHost::NoPort),
            ("://db", InvalidHost::Scheme),
            ("t p://db:1", InvalidHost::Scheme),
        ] {
            assert_eq!(HostPattern::parse(text), Err(why), "{text:?}");
        }
    }
}
