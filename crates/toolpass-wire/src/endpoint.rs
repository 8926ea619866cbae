//! Where a connection's system is reached: scheme, host, port and path prefix.
//!
//! Separate from the attribution of requests because integrations and configuration make endpoints and know no request.
//! INVARIANT: host literals are canonical ([`crate::host`]), so they compare to a request's host letter by letter.
//!
//! A host is a name, an address, or a pattern whose labels may be `{name}`; a first label `{name+}` takes one or more labels.
//! What the labels take becomes path variables of every row.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use crate::host;
use crate::path::PathSegments;
use crate::request::Scheme;
use crate::table::Text;

/// One place a connection's system answers at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The scheme; another one is no way to reach it.
    pub scheme: Scheme,
    /// The host.
    pub host: HostPattern,
    /// The port; `None` is the scheme's default.
    pub port: Option<u16>,
    /// The start of every path: empty, or plain segments with a slash before each (`/api/v3`).
    pub prefix: String,
    /// What stands before the paths of this place in the table's templates; see [`Endpoint::mounted`].
    pub mount: Option<&'static str>,
}

/// A host, or a pattern of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    shape: Shape,
}

/// Suffixes of host names by which an integration recognises its vendor: `github.com` covers itself and all names below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VendorHosts(pub &'static [&'static str]);

/// Why a text is no endpoint. Holds nothing of the text, which may carry a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No host, or none that can be canonicalised.
    #[error("expected a host name or address")]
    Host,
    /// A label that mixes text and variable, or a name that is no identifier or stands twice.
    #[error(
        "expected each variable of a host to be a whole label with a name of its own, `{{name+}}` only as the first"
    )]
    Label,
    /// A pattern whose last two labels are not written out: it would match foreign hosts.
    #[error("expected the last two labels of a host pattern to be written out")]
    Open,
    /// A port that is no number from 1 to 65535.
    #[error("expected a port from 1 to 65535")]
    Port,
    /// A prefix with an escape, an empty segment or a dot segment.
    #[error("expected a path of plain segments")]
    Prefix,
    /// Neither http nor https.
    #[error("expected a URL that begins with `https://` or `http://`")]
    Scheme,
    /// Userinfo, a query or a fragment.
    #[error("expected a URL without user, query and fragment")]
    Surplus,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Exact(String),
    Labels {
        many: Option<Text>,
        labels: Vec<Label>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Label {
    Literal(String),
    Variable(Text),
}

impl Endpoint {
    /// Read `https://host[:port][/prefix]`; a slash at the end of the prefix is dropped.
    /// Errors: [`EndpointError`].
    pub fn parse(url: &str) -> Result<Endpoint, EndpointError> {
        let (scheme, rest) = url.split_once("://").ok_or(EndpointError::Scheme)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            _ => return Err(EndpointError::Scheme),
        };
        if rest.contains(['?', '#', '@', '\\']) {
            return Err(EndpointError::Surplus);
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let digits = |port: &&str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        let port = match port {
            Some(text) => Some(
                Some(text)
                    .filter(digits)
                    .and_then(|text| text.parse().ok())
                    .ok_or(EndpointError::Port)?,
            ),
            None => None,
        };
        if port == Some(0) {
            return Err(EndpointError::Port);
        }
        let prefix = path.strip_suffix('/').unwrap_or(path);
        let plain = PathSegments::read(prefix).is_ok_and(|path| {
            !path.is_gapped()
                && !path.has_semicolon()
                && path.iter().all(|segment| !segment.escaped)
        });
        if !plain {
            return Err(EndpointError::Prefix);
        }
        Ok(Endpoint {
            scheme,
            host: HostPattern::parse(host)?,
            port,
            prefix: prefix.to_string(),
            mount: None,
        })
    }

    /// The same place, as another face of the system: its paths are looked up below a first segment `mount`, so that no row of
    /// one face answers on another.
    /// INVARIANT: a mount begins with a backslash, which no segment of a request can hold.
    pub fn mounted(mut self, mount: &'static str) -> Endpoint {
        debug_assert!(
            mount.starts_with('\\'),
            "{mount} could be a segment of a request"
        );
        self.mount = Some(mount);
        self
    }

    /// The port it is reached at.
    pub fn port_number(&self) -> u16 {
        self.port.unwrap_or_else(|| self.scheme.default_port())
    }
}

impl Endpoint {
    /// Scheme, host or pattern, and the port when it is not the scheme's own.
    pub fn origin(&self) -> String {
        let host = match self.host.exact() {
            Some(address) if address.contains(':') => format!("[{address}]"),
            _ => self.host.to_string(),
        };
        let port = self.port_number();
        if port == self.scheme.default_port() {
            format!("{}://{host}", self.scheme)
        } else {
            format!("{}://{host}:{port}", self.scheme)
        }
    }
}

/// As it is written.
impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shape {
            Shape::Exact(host) => f.write_str(host),
            Shape::Labels { many, labels } => {
                let mut separator = "";
                if let Some(name) = many {
                    write!(f, "{{{name}+}}")?;
                    separator = ".";
                }
                for label in labels {
                    match label {
                        Label::Literal(text) => write!(f, "{separator}{text}")?,
                        Label::Variable(name) => write!(f, "{separator}{{{name}}}")?,
                    }
                    separator = ".";
                }
                Ok(())
            }
        }
    }
}

impl HostPattern {
    /// Read a host or a pattern.
    /// Errors: [`EndpointError::Host`], [`EndpointError::Label`], [`EndpointError::Open`].
    pub fn parse(text: &str) -> Result<HostPattern, EndpointError> {
        if !text.contains(['{', '}']) {
            let exact = host::canonical(text).map_err(|_| EndpointError::Host)?;
            return Ok(HostPattern {
                shape: Shape::Exact(exact.into_owned()),
            });
        }
        let mut many: Option<Text> = None;
        let mut labels = Vec::new();
        for (index, label) in text.split('.').enumerate() {
            let Some(inside) = label
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'))
            else {
                if label.contains(['{', '}']) {
                    return Err(EndpointError::Label);
                }
                labels.push(Label::Literal(literal(label)?));
                continue;
            };
            let takes_many = inside.ends_with('+');
            let name = inside.strip_suffix('+').unwrap_or(inside);
            let same = |label: &Label| matches!(label, Label::Variable(known) if known == name);
            if !is_identifier(name)
                || takes_many && index > 0
                || labels.iter().any(same)
                || many.as_deref() == Some(name)
            {
                return Err(EndpointError::Label);
            }
            let name = Cow::Owned(name.to_string());
            if takes_many {
                many = Some(name);
            } else {
                labels.push(Label::Variable(name));
            }
        }
        let written_out = labels
            .iter()
            .rev()
            .take_while(|label| matches!(label, Label::Literal(_)))
            .count();
        if written_out < 2 {
            Err(EndpointError::Open)
        } else {
            Ok(HostPattern {
                shape: Shape::Labels { many, labels },
            })
        }
    }

    /// The one host it is, when it is no pattern.
    pub fn exact(&self) -> Option<&str> {
        match &self.shape {
            Shape::Exact(host) => Some(host),
            Shape::Labels { .. } => None,
        }
    }

    /// The address it is, when it is one.
    pub fn address(&self) -> Option<IpAddr> {
        self.exact().and_then(|host| host.parse().ok())
    }

    /// The names its labels are captured as.
    pub fn names(&self) -> Vec<&str> {
        match &self.shape {
            Shape::Exact(_) => Vec::new(),
            Shape::Labels { many, labels } => {
                let variables = labels.iter().filter_map(|label| match label {
                    Label::Literal(_) => None,
                    Label::Variable(name) => Some(name.as_ref()),
                });
                many.as_deref().into_iter().chain(variables).collect()
            }
        }
    }

    /// How closely it says which host it is: of two that match, the higher is meant.
    pub fn closeness(&self) -> usize {
        match &self.shape {
            Shape::Exact(_) => usize::MAX,
            Shape::Labels { labels, .. } => labels
                .iter()
                .filter(|label| matches!(label, Label::Literal(_)))
                .count(),
        }
    }

    /// What the labels of a canonical host are captured as; nothing when it does not match.
    pub fn captures(&self, host: &str) -> Option<Vec<(Text, String)>> {
        let (many, labels) = match &self.shape {
            Shape::Exact(exact) => return (exact == host).then(Vec::new),
            Shape::Labels { many, labels } => (many, labels),
        };
        let given: Vec<&str> = host.split('.').collect();
        let surplus = given.len().checked_sub(labels.len())?;
        if (surplus > 0) != many.is_some() {
            return None;
        }
        let (first, last) = given.split_at_checked(surplus)?;
        let mut captured: Vec<(Text, String)> = many
            .iter()
            .map(|name| (name.clone(), first.join(".")))
            .collect();
        for (label, given) in labels.iter().zip(last) {
            match label {
                Label::Literal(text) if text != given => return None,
                Label::Literal(_) => {}
                Label::Variable(name) => captured.push((name.clone(), (*given).to_string())),
            }
        }
        Some(captured)
    }
}

impl VendorHosts {
    /// Whether a canonical host is one of the vendor's.
    pub fn covers(self, host: &str) -> bool {
        self.0.iter().any(|suffix| {
            host.strip_suffix(suffix)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

fn literal(label: &str) -> Result<String, EndpointError> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    let label = label.to_ascii_lowercase();
    if !label.is_empty() && label.bytes().all(fits) {
        Ok(label)
    } else {
        Err(EndpointError::Host)
    }
}

fn is_identifier(name: &str) -> bool {
    let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    name.bytes().next().is_some_and(starts) && name.bytes().all(|b| starts(b) || b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints() {
        let parts = |url: &str| {
            let endpoint = Endpoint::parse(url).unwrap();
            let host = endpoint.host.exact().map(String::from);
            (
                endpoint.scheme.clone(),
                host,
                endpoint.port_number(),
                endpoint.prefix,
            )
        };
        let host = |text: &str| Some(text.to_string());
        assert_eq!(
            parts("https://api.github.com"),
            (Scheme::Https, host("api.github.com"), 443, String::new())
        );
        assert_eq!(
            parts("HTTPS://GHE.Corp./api/v3/"),
            (Scheme::Https, host("ghe.corp"), 443, "/api/v3".into())
        );
        assert_eq!(
            parts("http://localhost:8080/"),
            (Scheme::Http, host("localhost"), 8080, String::new())
        );
        assert_eq!(
            parts("http://[::1]:81"),
            (Scheme::Http, host("::1"), 81, String::new())
        );
        assert_eq!(
            parts("http://[::1]"),
            (Scheme::Http, host("::1"), 80, String::new())
        );
        assert_eq!(
            parts("https://127.1/x"),
            (Scheme::Https, host("127.0.0.1"), 443, "/x".into())
        );
        assert_eq!(
            parts("https://{b}.s3.amazonaws.com"),
            (Scheme::Https, None, 443, String::new())
        );
    }

    #[test]
    fn an_origin_reads_back() {
        for url in [
            "https://api.github.com",
            "http://localhost:8080",
            "http://[::1]:81",
            "https://{bucket+}.s3.{region}.amazonaws.com",
        ] {
            assert_eq!(Endpoint::parse(url).unwrap().origin(), url);
        }
        assert_eq!(
            Endpoint::parse("https://a.example:443/x").unwrap().origin(),
            "https://a.example"
        );
    }

    #[test]
    fn what_is_no_endpoint() {
        for (url, why) in [
            ("api.github.com", EndpointError::Scheme),
            ("ftp://a.example", EndpointError::Scheme),
            ("https://", EndpointError::Host),
            ("https:///x", EndpointError::Host),
            ("https://a b", EndpointError::Host),
            ("https://user:pass@a.example", EndpointError::Surplus),
            ("https://a.example/x?y", EndpointError::Surplus),
            ("https://a.example#x", EndpointError::Surplus),
            ("https://a.example:", EndpointError::Port),
            ("https://a.example:0", EndpointError::Port),
            ("https://a.example:+1", EndpointError::Port),
            ("https://a.example:70000", EndpointError::Port),
            ("https://a.example//x", EndpointError::Prefix),
            ("https://a.example/x/../y", EndpointError::Prefix),
            ("https://a.example/%78", EndpointError::Prefix),
            ("https://x{b}.s3.amazonaws.com", EndpointError::Label),
            ("https://s3.{r+}.amazonaws.com", EndpointError::Label),
            ("https://{b}.{b}.amazonaws.com", EndpointError::Label),
            ("https://{b}.com", EndpointError::Open),
            ("https://s3.{tld}", EndpointError::Open),
        ] {
            assert_eq!(Endpoint::parse(url), Err(why), "{url}");
        }
    }

    #[test]
    fn labels_are_captured() {
        let captures = |pattern: &str, host: &str| {
            let captured = HostPattern::parse(pattern).unwrap().captures(host)?;
            Some(
                captured
                    .into_iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        let s3 = "{bucket}.s3.{region}.amazonaws.com";
        assert_eq!(
            captures(s3, "logs.s3.eu-west-1.amazonaws.com").as_deref(),
            Some("bucket=logs region=eu-west-1")
        );
        assert_eq!(captures(s3, "s3.eu-west-1.amazonaws.com"), None);
        assert_eq!(captures(s3, "my.logs.s3.eu-west-1.amazonaws.com"), None);
        assert_eq!(
            captures(s3, "logs.s3.eu-west-1.amazonaws.com.evil.example"),
            None
        );
        assert_eq!(
            captures("{bucket+}.s3.amazonaws.com", "my.logs.s3.amazonaws.com").as_deref(),
            Some("bucket=my.logs")
        );
        assert_eq!(
            captures("{bucket+}.s3.amazonaws.com", "s3.amazonaws.com"),
            None
        );
        assert_eq!(
            captures("api.github.com", "api.github.com").as_deref(),
            Some("")
        );
        assert_eq!(captures("api.github.com", "x.api.github.com"), None);
        assert_eq!(
            HostPattern::parse(s3).unwrap().names(),
            ["bucket", "region"]
        );
    }

    #[test]
    fn a_vendor_covers_whole_labels() {
        let github = VendorHosts(&["github.com", "ghe.com"]);
        for host in ["github.com", "api.github.com", "acme.ghe.com"] {
            assert!(github.covers(host), "{host}");
        }
        for host in ["notgithub.com", "github.com.evil.example", "com"] {
            assert!(!github.covers(host), "{host}");
        }
    }
}
