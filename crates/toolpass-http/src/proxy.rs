//! Which way a request takes: direct, or through which proxy. Pure rules over settings and environment values.
//!
//! Separate because a wrong way is a leak: a proxy that cannot be used is an error, never a direct connection.
//! An explicit proxy takes every host; the environment's variables are used only without one, and never for loopback.

use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use toolpass_core::secret::{Secret, SecretRef};

use crate::error::{Error, Kind};
use crate::secrets;
use crate::url::{Scheme, Url, ip_of, parse_authority};

/// The environment's proxy variables, read once.
#[derive(Clone, Default)]
pub struct ProxyEnvironment {
    /// `HTTPS_PROXY`, else `https_proxy`.
    pub https: Option<OsString>,
    /// `HTTP_PROXY`, else `http_proxy`.
    pub http: Option<OsString>,
    /// `NO_PROXY`, else `no_proxy`.
    pub no_proxy: Option<OsString>,
}

/// How to log in to an explicit proxy.
#[derive(Clone, Debug)]
pub struct ProxyAuth {
    /// The user name.
    pub username: String,
    /// The password, read at every new connection.
    pub credential: SecretRef,
}

/// A usable proxy.
#[derive(Clone)]
pub struct Proxy {
    scheme: Scheme,
    host: String,
    port: u16,
    login: Option<Login>,
}

#[derive(Clone)]
enum Login {
    /// `user:password` out of the address, decoded.
    Inline(Secret),
    Given(ProxyAuth),
}

/// Why a text names no usable proxy. Never holds the text, which may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProxy {
    /// No host, a bad host or a bad port.
    #[error("expected a proxy address with a host and a port from 1 to 65535")]
    Address,
    /// SOCKS and the like.
    #[error("expected a proxy address that begins with `http://` or `https://`")]
    Scheme,
}

/// The rules of one transport.
pub struct ProxyRules(Rules);

enum Rules {
    Explicit {
        proxy: Arc<Proxy>,
        no_proxy: NoProxy,
    },
    Environment {
        https: FromEnvironment,
        http: FromEnvironment,
        no_proxy: NoProxy,
    },
}

/// Kept as an error until a request needs it: an unusable variable for one scheme must not stop the other.
type FromEnvironment = Option<Result<Arc<Proxy>, InvalidProxy>>;

/// The hosts that are asked directly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoProxy(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    All,
    Cidr {
        network: u128,
        bits: u32,
        is_v4: bool,
    },
    Domain {
        suffix: String,
        itself: bool,
        port: Option<u16>,
    },
    Ip {
        address: IpAddr,
        port: Option<u16>,
    },
}

impl ProxyEnvironment {
    /// The variables of this process.
    pub fn from_env() -> ProxyEnvironment {
        let first = |names: [&str; 2]| {
            names
                .into_iter()
                .filter_map(secrets::environment)
                .find(|value| !value.is_empty())
        };
        ProxyEnvironment {
            https: first(["HTTPS_PROXY", "https_proxy"]),
            http: first(["HTTP_PROXY", "http_proxy"]),
            no_proxy: first(["NO_PROXY", "no_proxy"]),
        }
    }
}

impl fmt::Debug for ProxyEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The addresses may hold passwords.
        let set = |value: &Option<OsString>| if value.is_some() { "set" } else { "unset" };
        f.debug_struct("ProxyEnvironment")
            .field("https", &set(&self.https))
            .field("http", &set(&self.http))
            .finish_non_exhaustive()
    }
}

impl Proxy {
    /// Read a proxy's address: `http` or `https`, default ports 80 and 443; a path is ignored. User and password in it
    /// are percent-decoded and sent to the proxy only.
    /// Errors: [`InvalidProxy`].
    pub fn parse(text: &str) -> Result<Proxy, InvalidProxy> {
        let (scheme, rest) = text.split_once("://").ok_or(InvalidProxy::Scheme)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(InvalidProxy::Scheme),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (login, address) = match authority.rsplit_once('@') {
            Some((userinfo, address)) => (Some(Login::Inline(decoded_userinfo(userinfo))), address),
            None => (None, authority),
        };
        let (host, port) = parse_authority(address).map_err(|_| InvalidProxy::Address)?;
        Ok(Proxy {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            login,
        })
    }

    /// The same, logging in as `auth`.
    pub fn with_auth(self, auth: ProxyAuth) -> Proxy {
        Proxy {
            login: Some(Login::Given(auth)),
            ..self
        }
    }

    /// Whether the proxy itself is reached over TLS.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Its host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of `Proxy-Authorization`, when it wants one.
    /// Errors: the credential cannot be read.
    pub fn authorization(&self) -> Result<Option<HeaderValue>, Error> {
        let pair = match &self.login {
            None => return Ok(None),
            Some(Login::Inline(pair)) => pair.clone(),
            Some(Login::Given(auth)) => {
                let password = secrets::read(&auth.credential)?;
                Secret::new([auth.username.as_bytes(), b":", password.expose()].concat())
            }
        };
        let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair.expose())))
            .map_err(|_| Error::new(Kind::Proxy, "the proxy's login cannot be sent in a header"))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Proxy({}://{}:{})",
            self.scheme.as_str(),
            self.host,
            self.port
        )
    }
}

impl ProxyRules {
    /// This proxy for every host but those of `no_proxy`, loopback included.
    pub fn explicit(proxy: Proxy, no_proxy: NoProxy) -> ProxyRules {
        ProxyRules(Rules::Explicit {
            proxy: Arc::new(proxy),
            no_proxy,
        })
    }

    /// What the environment says.
    pub fn from_environment(environment: &ProxyEnvironment) -> ProxyRules {
        let read = |value: &Option<OsString>| {
            let text = value.as_ref()?.to_str().map(str::trim);
            let proxy = match text {
                Some("") => return None,
                Some(text) if text.contains("://") => Proxy::parse(text),
                Some(text) => Proxy::parse(&format!("http://{text}")),
                None => Err(InvalidProxy::Address),
            };
            Some(proxy.map(Arc::new))
        };
        let no_proxy = environment
            .no_proxy
            .as_ref()
            .map(|list| NoProxy::parse(&list.to_string_lossy()));
        ProxyRules(Rules::Environment {
            https: read(&environment.https),
            http: read(&environment.http),
            no_proxy: no_proxy.unwrap_or_default(),
        })
    }

    /// The proxy for `url`; none means directly.
    /// Errors: the environment names a proxy that cannot be used.
    pub fn proxy_for(&self, url: &Url) -> Result<Option<Arc<Proxy>>, Error> {
        let (https, http, no_proxy) = match &self.0 {
            Rules::Explicit { proxy, no_proxy } => {
                let direct = no_proxy.matches(url.host(), url.port());
                return Ok((!direct).then(|| proxy.clone()));
            }
            Rules::Environment {
                https,
                http,
                no_proxy,
            } => (https, http, no_proxy),
        };
        let (named, variable) = match url.scheme() {
            Scheme::Https => (https, "HTTPS_PROXY"),
            Scheme::Http => (http, "HTTP_PROXY"),
        };
        let Some(named) = named else { return Ok(None) };
        if is_loopback(url.host()) || no_proxy.matches(url.host(), url.port()) {
            return Ok(None);
        }
        match named {
            Ok(proxy) => Ok(Some(proxy.clone())),
            Err(why) => Err(Error::new(
                Kind::Proxy,
                format!("the environment's `{variable}` cannot be used: {why}"),
            )),
        }
    }
}

impl NoProxy {
    /// Read a list. An entry that cannot be read matches nothing.
    pub fn parse(list: &str) -> NoProxy {
        NoProxy(
            list.split(',')
                .filter_map(|entry| parse_entry(&entry.trim().to_ascii_lowercase()))
                .collect(),
        )
    }

    /// Whether a host (lower case, IPv6 without brackets) is asked directly.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let address = ip_of(host).map(|ip| ip.to_canonical());
        let host = host.strip_suffix('.').unwrap_or(host);
        let fits = |wanted: &Option<u16>| wanted.is_none_or(|wanted| wanted == port);
        self.0.iter().any(|entry| match entry {
            Entry::All => true,
            Entry::Cidr {
                network,
                bits,
                is_v4,
            } => address.is_some_and(|ip| in_network(ip, *network, *bits, *is_v4)),
            Entry::Ip {
                address: wanted,
                port,
            } => address == Some(*wanted) && fits(port),
            Entry::Domain {
                suffix,
                itself,
                port,
            } => {
                let below = host.strip_suffix(suffix.as_str());
                let below = below.is_some_and(|rest| {
                    if rest.is_empty() {
                        *itself
                    } else {
                        rest.ends_with('.')
                    }
                });
                address.is_none() && below && fits(port)
            }
        })
    }
}

fn parse_entry(entry: &str) -> Option<Entry> {
    if entry == "*" {
        return Some(Entry::All);
    }
    if let Some((network, bits)) = entry.split_once('/') {
        let network: IpAddr = network.parse().ok()?;
        let bits: u32 = bits.parse().ok()?;
        let (network, width) = number_of(network);
        return (bits <= width).then_some(Entry::Cidr {
            network,
            bits,
            is_v4: width == 32,
        });
    }
    if let Ok(address) = entry.parse::<IpAddr>() {
        return Some(Entry::Ip {
            address: address.to_canonical(),
            port: None,
        });
    }
    let (name, port) = match entry.rsplit_once(':') {
        Some((name, port)) => (name, Some(port.parse().ok()?)),
        None => (entry, None),
    };
    let unbracketed = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    if let Ok(address) = unbracketed.parse::<IpAddr>() {
        return Some(Entry::Ip {
            address: address.to_canonical(),
            port,
        });
    }
    let below = name.strip_prefix("*.").or_else(|| name.strip_prefix('.'));
    let suffix = below.unwrap_or(name).trim_end_matches('.');
    (!suffix.is_empty()).then(|| Entry::Domain {
        suffix: suffix.into(),
        itself: below.is_none(),
        port,
    })
}

fn in_network(ip: IpAddr, network: u128, bits: u32, is_v4: bool) -> bool {
    let (number, width) = number_of(ip);
    let shift = width - bits.min(width);
    let prefix = |number: u128| number.checked_shr(shift).unwrap_or(0);
    is_v4 == (width == 32) && prefix(number) == prefix(network)
}

fn number_of(ip: IpAddr) -> (u128, u32) {
    match ip {
        IpAddr::V4(ip) => (u128::from(u32::from(ip)), 32),
        IpAddr::V6(ip) => (u128::from(ip), 128),
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || ip_of(host).is_some_and(|ip| ip.to_canonical().is_loopback())
}

fn decoded_userinfo(userinfo: &str) -> Secret {
    let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
    let decode = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
    Secret::new([decode(user), b":".to_vec(), decode(password)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_entries() {
        let check = |list: &str, host: &str, port: u16, expected: bool| {
            assert_eq!(
                NoProxy::parse(list).matches(host, port),
                expected,
                "{list} {host}:{port}"
            );
        };
        check("*", "anything.example", 443, true);
        check("", "h", 443, false);
        check("example.com", "example.com", 443, true);
        check(" Example.COM ", "example.com.", 443, true);
        check("example.com", "api.example.com", 443, true);
        check("example.com", "badexample.com", 443, false);
        check("example.com", "example.com.evil", 443, false);
        check(".example.com", "example.com", 443, false);
        check(".example.com", "api.example.com", 443, true);
        check("*.example.com", "example.com", 443, false);
        check("*.example.com", "a.b.example.com", 443, true);
        check("example.com:8443", "example.com", 443, false);
        check("example.com:8443", "api.example.com", 8443, true);
        check("10.0.0.0/8", "10.1.2.3", 443, true);
        check("10.0.0.0/8", "11.1.2.3", 443, false);
        check("10.0.0.0/8", "::ffff:10.1.2.3", 443, true);
        check("0.0.0.0/0", "8.8.8.8", 443, true);
        check("0.0.0.0/0", "2001:db8::1", 443, false);
        check("::/0", "2001:db8::1", 443, true);
        check("::/0", "8.8.8.8", 443, false);
        check("2001:db8::/32", "2001:db8::1", 443, true);
        check("10.0.0.0/33", "10.1.2.3", 443, false);
        check("10.1.2.3", "10.1.2.3", 443, true);
        check("10.1.2.3", "::ffff:10.1.2.3", 443, true);
        check("10.1.2.3:80", "10.1.2.3", 443, false);
        check("10.1.2.3:443", "10.1.2.3", 443, true);
        check("2001:db8::1", "2001:db8::1", 1, true);
        check("[2001:db8::1]:443", "2001:db8::1", 443, true);
        check("[2001:db8::1]:443", "2001:db8::1", 80, false);
        check("2.3", "10.1.2.3", 443, false);
        check("a.example,b.example", "b.example", 443, true);
        check("example.com:http", "example.com", 80, false);
    }

    #[test]
    fn proxies_are_read() {
        let check = |text: &str, expected: Result<&str, InvalidProxy>| {
            let found = Proxy::parse(text).map(|proxy| format!("{proxy:?}"));
            assert_eq!(found.as_deref().map_err(|error| *error), expected, "{text}");
        };
        check("http://proxy", Ok("Proxy(http://proxy:80)"));
        check("HTTPS://Proxy/", Ok("Proxy(https://proxy:443)"));
        check("http://u:p@proxy:3128", Ok("Proxy(http://proxy:3128)"));
        check("socks5://proxy:1080", Err(InvalidProxy::Scheme));
        check("proxy:3128", Err(InvalidProxy::Scheme));
        check("http://", Err(InvalidProxy::Address));
        check("http://proxy:0", Err(InvalidProxy::Address));
        let login = |text: &str| Proxy::parse(text).unwrap().authorization().unwrap();
        assert_eq!(
            login("http://us%40er:p%3Aw@proxy").unwrap(),
            format!("Basic {}", STANDARD.encode("us@er:p:w"))
        );
        assert_eq!(
            login("http://user@proxy").unwrap(),
            format!("Basic {}", STANDARD.encode("user:"))
        );
        assert!(login("http://proxy").is_none());
        let auth = ProxyAuth {
            username: "u".into(),
            credential: SecretRef::Literal(Secret::new("pw")),
        };
        let given = Proxy::parse("http://proxy")
            .unwrap()
            .with_auth(auth)
            .authorization()
            .unwrap()
            .unwrap();
        assert_eq!(given, format!("Basic {}", STANDARD.encode("u:pw")));
        assert!(given.is_sensitive());
    }

    #[test]
    fn the_environment_never_falls_back_to_a_direct_connection() {
        let environment = ProxyEnvironment {
            https: Some("socks5://proxy".into()),
            http: Some("proxy:3128".into()),
            no_proxy: Some("direct.example".into()),
        };
        let rules = ProxyRules::from_environment(&environment);
        let route = |url: &str| {
            rules
                .proxy_for(&Url::parse(url).unwrap())
                .map(|proxy| proxy.map(|proxy| proxy.port()))
                .map_err(|error| error.to_string())
        };
        assert!(
            route("https://h/")
                .unwrap_err()
                .contains("`HTTPS_PROXY` cannot be used")
        );
        assert_eq!(route("http://h/"), Ok(Some(3128)));
        for direct in [
            "https://direct.example/",
            "https://localhost/",
            "https://127.1.2.3/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
        ] {
            assert_eq!(route(direct), Ok(None), "{direct}");
        }
        let explicit =
            ProxyRules::explicit(Proxy::parse("http://p:1").unwrap(), NoProxy::default());
        assert!(
            explicit
                .proxy_for(&Url::parse("https://127.0.0.1/").unwrap())
                .unwrap()
                .is_some()
        );
        assert!(!format!("{environment:?}").contains("proxy:"));
    }
}
