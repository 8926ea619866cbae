//! Addresses of upstream systems: `http` and `https` only, with one spelling each.
//!
//! Separate because where a request goes is decided from this type alone: host in lower case, default port dropped, no
//! userinfo, no fragment. `Display` shows scheme, host and path, never the query. Source: RFC 3986.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// `http` or `https`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// Plain text: loopback, or the operator's own choice.
    Http,
    /// TLS.
    Https,
}

/// An absolute address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Url {
    scheme: Scheme,
    host: String,
    port: u16,
    path: String,
    query: Option<String>,
}

/// Why a text is no address that may be asked. Never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// The host is missing or has a character no host has.
    #[error("expected a host name of letters, digits, `-`, `_` and `.`, or an IP address")]
    Host,
    /// The port is no number from 1 to 65535.
    #[error("expected a port from 1 to 65535")]
    Port,
    /// Another scheme, or none.
    #[error("expected an address that begins with `http://` or `https://`")]
    Scheme,
    /// User and password in the address.
    #[error("user and password are not accepted in the address")]
    Userinfo,
}

impl Scheme {
    /// The wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    /// The port meant when none is given.
    pub fn default_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

impl Url {
    /// Read an absolute address. Escapes are kept; spaces, controls and letters outside ASCII are percent-encoded; a
    /// fragment is dropped.
    /// Errors: [`InvalidUrl`], one each.
    pub fn parse(text: &str) -> Result<Url, InvalidUrl> {
        let (scheme, rest) = split_scheme(text).ok_or(InvalidUrl::Scheme)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        if authority.contains('@') {
            return Err(InvalidUrl::Userinfo);
        }
        let (host, port) = parse_authority(authority)?;
        let (path, query) = split_tail(tail);
        let path = if path.is_empty() { "/".into() } else { path };
        Ok(Url {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            path,
            query,
        })
    }

    /// Resolve a reference found in an answer against this address: absolute, `//host/…`, `/path`, `path` or `?query`.
    /// Dot segments are kept as they are; who follows such an address refuses them (`paging`).
    /// Errors: as [`Url::parse`].
    pub fn join(&self, reference: &str) -> Result<Url, InvalidUrl> {
        if split_scheme(reference).is_some() {
            return Url::parse(reference);
        }
        if reference.starts_with("//") {
            return Url::parse(&format!("{}:{reference}", self.scheme.as_str()));
        }
        if has_other_scheme(reference) {
            return Err(InvalidUrl::Scheme);
        }
        let (path, query) = split_tail(reference);
        let joined = match path.as_str() {
            "" => self.path.clone(),
            absolute if absolute.starts_with('/') => path,
            _ => {
                let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{folder}/{path}")
            }
        };
        let query = if path_is_empty(reference) && query.is_none() {
            self.query.clone()
        } else {
            query
        };
        Ok(Url {
            path: joined,
            query,
            ..self.clone()
        })
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host in lower case; an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, given or meant.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path as sent, still encoded; at least `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The query without its `?`.
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// `host` or `host:port`, the default port left out: what goes into `Host`.
    pub fn authority(&self) -> String {
        let host = bracketed(&self.host);
        if self.port == self.scheme.default_port() {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// `host:port` always: what a proxy is asked to connect to.
    pub fn host_and_port(&self) -> String {
        format!("{}:{}", bracketed(&self.host), self.port)
    }

    /// Whether scheme, host and port are the same.
    pub fn same_origin(&self, other: &Url) -> bool {
        (self.scheme, self.port) == (other.scheme, other.port) && self.host == other.host
    }

    pub(crate) fn with_path_and_query(&self, path: String, query: Option<String>) -> Url {
        Url {
            path,
            query,
            ..self.clone()
        }
    }

    /// Path and query as they stand in a request line.
    pub(crate) fn path_and_query(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}://{}{}",
            self.scheme.as_str(),
            self.authority(),
            self.path
        )
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

/// The host of an authority and its port when it names one.
pub(crate) fn parse_authority(authority: &str) -> Result<(String, Option<u16>), InvalidUrl> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']').ok_or(InvalidUrl::Host)?;
            let address: Ipv6Addr = address.parse().map_err(|_| InvalidUrl::Host)?;
            let port = match after.strip_prefix(':') {
                Some(port) => Some(port),
                None if after.is_empty() => None,
                None => return Err(InvalidUrl::Port),
            };
            (address.to_string(), port)
        }
        None => {
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
            let labels = host.strip_suffix('.').unwrap_or(host);
            if labels.split('.').any(str::is_empty) || !host.bytes().all(fits) || host.len() > 253 {
                return Err(InvalidUrl::Host);
            }
            (host.to_ascii_lowercase(), port)
        }
    };
    let port = match port {
        Some(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            let port = text.parse().ok().filter(|port| *port != 0);
            Some(port.ok_or(InvalidUrl::Port)?)
        }
        Some(_) => return Err(InvalidUrl::Port),
        None => None,
    };
    Ok((host, port))
}

/// A host as it stands in an authority.
pub(crate) fn bracketed(host: &str) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host.into()
    }
}

/// The address a host is, when it is one.
pub(crate) fn ip_of(host: &str) -> Option<IpAddr> {
    host.parse().ok()
}

fn split_scheme(text: &str) -> Option<(Scheme, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Some((Scheme::Http, rest)),
        "https" => Some((Scheme::Https, rest)),
        _ => None,
    }
}

/// Whether a reference names a scheme we do not speak: a colon before the first `/`, `?` or `#`.
fn has_other_scheme(reference: &str) -> bool {
    let end = reference.find(['/', '?', '#']).unwrap_or(reference.len());
    reference
        .get(..end)
        .is_some_and(|first| first.contains(':'))
}

fn path_is_empty(reference: &str) -> bool {
    reference.is_empty() || reference.starts_with(['?', '#'])
}

/// Path and query of what follows an authority, encoded, without the fragment.
fn split_tail(tail: &str) -> (String, Option<String>) {
    let tail = tail.split_once('#').map_or(tail, |(tail, _)| tail);
    let (path, query) = match tail.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (tail, None),
    };
    (encoded(path), query.map(encoded))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NOT_IN_A_URL).to_string()
}

/// What may not stand bare in a request line; `%` may, because escapes are kept.
const NOT_IN_A_URL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'^')
    .add(b'\\');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_spelling() {
        let check = |text: &str, expected: Result<&str, InvalidUrl>| {
            let found = Url::parse(text).map(|url| {
                format!(
                    "{}://{}{}",
                    url.scheme.as_str(),
                    url.authority(),
                    url.path_and_query()
                )
            });
            assert_eq!(found.as_deref().map_err(|error| *error), expected, "{text}");
        };
        check("https://API.Example.com", Ok("https://api.example.com/"));
        check("HTTPS://h:443/a", Ok("https://h/a"));
        check("http://h:80", Ok("http://h/"));
        check("http://h:443/a?b=c#d", Ok("http://h:443/a?b=c"));
        check("https://h/a%2Fb é", Ok("https://h/a%2Fb%20%C3%A9"));
        check("https://[::1]:8443/x", Ok("https://[::1]:8443/x"));
        check("https://[0:0:0:0:0:0:0:1]/x", Ok("https://[::1]/x"));
        check("https://h?x", Ok("https://h/?x"));
        for bad in [
            "https://",
            "https:///x",
            "https://.h",
            "https://a..b",
            "https://h\u{e9}",
            "https://[::1",
            "https://[::1%25lo]",
            "https://a b",
            r"https://h\x",
        ] {
            check(bad, Err(InvalidUrl::Host));
        }
        for bad in [
            "https://h:",
            "https://h:0",
            "https://h:99999",
            "https://h:+1",
            "https://h:1:2",
            "https://[::1]x",
        ] {
            check(bad, Err(InvalidUrl::Port));
        }
        for bad in [
            "",
            "h",
            "ftp://h",
            "https:/h",
            "https:h",
            "//h",
            "javascript:x",
        ] {
            check(bad, Err(InvalidUrl::Scheme));
        }
        check("https://u:p@h/", Err(InvalidUrl::Userinfo));
        check("https://@h/", Err(InvalidUrl::Userinfo));
    }

    #[test]
    fn references_are_resolved() {
        let base = Url::parse("https://h/api/items?page=1").unwrap();
        let check = |reference: &str, expected: Result<&str, InvalidUrl>| {
            let found = base.join(reference).map(|url| {
                format!(
                    "{}://{}{}",
                    url.scheme.as_str(),
                    url.authority(),
                    url.path_and_query()
                )
            });
            assert_eq!(
                found.as_deref().map_err(|error| *error),
                expected,
                "{reference}"
            );
        };
        check("?page=2", Ok("https://h/api/items?page=2"));
        check("", Ok("https://h/api/items?page=1"));
        check("more?x=https://z", Ok("https://h/api/more?x=https://z"));
        check("/v2?y", Ok("https://h/v2?y"));
        check("//other/v2", Ok("https://other/v2"));
        check("http://other/", Ok("http://other/"));
        check("mailto:x", Err(InvalidUrl::Scheme));
        check("ftp://h/", Err(InvalidUrl::Scheme));
    }

    #[test]
    fn shown_without_query() {
        let url = Url::parse("https://h/p?token=s").unwrap();
        assert_eq!(format!("{url} {url:?}"), "https://h/p Url(https://h/p)");
    }
}
