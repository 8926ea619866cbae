//! What only `toolpass serve` reads: the keys of its callers (`api_keys`) and the mapping `server`.
//!
//! Separate because these two are the places of the file whose values are no single scalar.
//! INVARIANT: a key without a scope it was given covers nothing more; what is absent is the narrower reading only where the
//! documents say so (`connections` and `users` absent: all of them).

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use toolpass_core::duration;
use toolpass_core::glob::Glob;
use toolpass_core::secret::SecretRef;

pub use crate::config::CallerGroups;

use crate::block::{Block, Checked};
use crate::error::Problem;
use crate::keys::{API_KEY, SERVER};
use crate::near::listed;
use crate::raw::{Entry, RawConnection};
use crate::value::{Empty, Origin, caller_groups, flag};

/// A key that callers of the server show.
#[derive(Clone, Debug)]
pub struct ApiKeyConfig {
    /// What it is called in logs; unique.
    pub name: String,
    /// Its value, read for every request. `None`: its holders show a client certificate instead.
    pub key: Option<SecretRef>,
    /// The name in a client certificate (DNS or URI) that stands for the key.
    pub certificate: Option<String>,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// The connections it may ask about; all when empty.
    pub connections: Vec<Glob>,
    /// The users it may ask about; all when empty.
    pub users: Vec<Glob>,
    /// What to do with groups its holder sends; the stricter of this and the connection's counts.
    pub caller_groups: CallerGroups,
    /// How many questions a second it may ask.
    pub rate_limit: Option<f64>,
}

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Invalidate, look at states and metrics, revoke.
    Admin,
    /// Ask.
    Check,
    /// Look at runs.
    Dashboard,
    /// Report runs, keep sessions.
    Report,
}

/// The mapping `server`.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// A second address, for probes and metrics alone.
    pub admin_listen: Option<String>,
    /// Whether the AuthZEN paths are served.
    pub authzen: bool,
    /// The mail domain of AuthZEN subjects that are plain names.
    pub authzen_domain: Option<String>,
    /// The certificates that client certificates must lead to.
    pub client_ca_file: Option<PathBuf>,
    /// Whether the page is served.
    pub dashboard: bool,
    /// The folder of what is kept.
    pub data: Option<PathBuf>,
    /// Whether that folder is one nobody named: then it may be missing.
    pub data_is_default: bool,
    /// How long to go on serving after a request to stop.
    pub drain: Duration,
    /// How many clients may be connected.
    pub max_connections: usize,
    /// How many checks may ask systems at once.
    pub max_in_flight: usize,
    /// Who may read `/metrics`.
    pub metrics: Metrics,
    /// Whether an address that others reach needs TLS.
    pub require_tls: bool,
    /// Where reported runs are forwarded to.
    pub runs_forward_url: Option<String>,
    /// How many bytes of runs are kept.
    pub runs_max_bytes: Option<u64>,
    /// How long runs are kept.
    pub runs_retention: Option<Duration>,
    /// The database of runs.
    pub runs_store: Option<SecretRef>,
    /// The database of sessions.
    pub session_store: Option<SecretRef>,
    /// How long requests in flight may take to finish once no more are accepted.
    pub shutdown_grace: Duration,
    /// The server's certificates.
    pub tls_cert_file: Option<PathBuf>,
    /// Its private key.
    pub tls_key: Option<SecretRef>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
}

/// Who may read `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// Who has a key with the scope `admin`.
    Admin,
    /// Nobody.
    Off,
    /// Everybody who reaches the address.
    Open,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Scope {
    /// Every scope, by name.
    pub const ALL: &'static [Scope] =
        &[Scope::Admin, Scope::Check, Scope::Dashboard, Scope::Report];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Admin => "admin",
            Scope::Check => "check",
            Scope::Dashboard => "dashboard",
            Scope::Report => "report",
        }
    }
}

impl ApiKeyConfig {
    /// `api_key`: one key for everything but administration.
    pub(crate) fn only(key: SecretRef) -> ApiKeyConfig {
        ApiKeyConfig {
            name: ONLY.into(),
            key: Some(key),
            certificate: None,
            scopes: vec![Scope::Check, Scope::Dashboard, Scope::Report],
            connections: Vec::new(),
            users: Vec::new(),
            caller_groups: CallerGroups::Accept,
            rate_limit: None,
        }
    }
}

impl Network {
    /// Read an address, or a range such as `10.0.0.0/8`.
    fn parse(text: &str) -> Option<Network> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) if bits.bytes().all(|b| b.is_ascii_digit()) => bits.parse().ok()?,
            Some(_) => return None,
            None => most,
        };
        (bits <= most).then_some(Network { address, bits })
    }

    /// Whether an address is in it.
    pub fn holds(&self, address: IpAddr) -> bool {
        let same = |one: &[u8], other: &[u8]| {
            let mut left = u32::from(self.bits);
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| {
                    let here = left.min(8);
                    left -= here;
                    let mask = (0xff00_u16 >> here) as u8;
                    one & mask == other & mask
                })
        };
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => same(&own.octets(), &other.octets()),
            (IpAddr::V6(own), IpAddr::V6(other)) => same(&own.octets(), &other.octets()),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The mapping `server`, or its defaults.
pub(crate) fn server(
    origin: Origin<'_>,
    entries: &[&Entry],
    line: Option<usize>,
    problems: &mut Vec<Problem>,
) -> Option<ServerConfig> {
    let before = problems.len();
    let block = Block {
        about: "`server`: ".into(),
        keys: SERVER.iter().collect(),
        empty: Empty::Refused,
        closed: true,
        line,
        id_line: line,
    };
    let mut checked = block.check(origin, entries, problems);
    for (key, needs) in [
        ("tls_cert_file", "tls_key"),
        ("tls_key", "tls_cert_file"),
        ("client_ca_file", "tls_cert_file"),
    ] {
        if checked.is_given(key) && !checked.is_given(needs) {
            checked.refuse(problems, key, &format!("it needs `{needs}` beside it"));
        }
    }
    let switch = |text: &str| Ok::<bool, String>(text == "on");
    // Each is read before any is missed, so that every problem is told.
    let authzen = checked.typed(problems, "authzen", switch);
    let dashboard = checked.typed(problems, "dashboard", switch);
    let drain = checked.typed(problems, "drain", pause);
    let max_connections = checked.typed(problems, "max_connections", count);
    let max_in_flight = checked.typed(problems, "max_in_flight", count);
    let metrics = checked.typed(problems, "metrics", metrics);
    let require_tls = checked.typed(problems, "require_tls", flag);
    let runs_max_bytes = checked.typed(problems, "runs_max_bytes", bytes);
    let runs_retention = checked.typed(problems, "runs_retention", retention);
    let shutdown_grace = checked.typed(problems, "shutdown_grace", pause);
    let trusted_proxies = checked.typed(problems, "trusted_proxies", networks);
    let config = ServerConfig {
        authzen: authzen??,
        dashboard: dashboard??,
        drain: drain??,
        max_connections: max_connections??,
        max_in_flight: max_in_flight??,
        metrics: metrics??,
        require_tls: require_tls??,
        runs_max_bytes: runs_max_bytes?,
        runs_retention: runs_retention?,
        shutdown_grace: shutdown_grace??,
        trusted_proxies: trusted_proxies?.unwrap_or_default(),
        admin_listen: checked.text("admin_listen"),
        authzen_domain: checked.text("authzen_domain"),
        client_ca_file: checked.text("client_ca_file").map(PathBuf::from),
        data: checked
            .text("data")
            .map(|folder| origin.folder.join(folder)),
        data_is_default: false,
        runs_forward_url: checked.text("runs_forward_url"),
        runs_store: checked.secret("runs_store"),
        session_store: checked.secret("session_store"),
        tls_cert_file: checked.text("tls_cert_file").map(PathBuf::from),
        tls_key: checked.secret("tls_key"),
    };
    (problems.len() == before).then_some(config)
}

/// `api_key` and `api_keys` as one list.
pub(crate) fn api_keys(
    origin: Origin<'_>,
    only: Option<&SecretRef>,
    raw: &[RawConnection],
    problems: &mut Vec<Problem>,
) -> Vec<ApiKeyConfig> {
    let mut keys: Vec<ApiKeyConfig> = only.cloned().map(ApiKeyConfig::only).into_iter().collect();
    for (index, one) in raw.iter().enumerate() {
        let Some(key) = api_key(origin, index, one, problems) else {
            continue;
        };
        if keys.iter().any(|known| known.name == key.name) {
            let message = format!("api key \"{}\": the name is taken by another key", key.name);
            problems.push(Problem::at(one.line, message));
        }
        keys.push(key);
    }
    keys
}

fn api_key(
    origin: Origin<'_>,
    index: usize,
    raw: &RawConnection,
    problems: &mut Vec<Problem>,
) -> Option<ApiKeyConfig> {
    let before = problems.len();
    let block = Block {
        about: format!("api key {}: ", index + 1),
        keys: API_KEY.iter().collect(),
        empty: Empty::Refused,
        closed: true,
        line: raw.line,
        id_line: raw.line,
    };
    let entries: Vec<&Entry> = raw.entries.iter().collect();
    let mut checked = block.check(origin, &entries, problems);
    if checked.is_given("key") == checked.is_given("certificate") {
        let text = "expected either `key` or `certificate`";
        checked.refuse(problems, "key", text);
    }
    let scopes = checked.typed(problems, "scopes", scopes);
    let connections = globs(&checked, problems, "connections");
    let users = globs(&checked, problems, "users");
    let caller_groups = checked.typed(problems, "caller_groups", caller_groups);
    let rate_limit = checked.typed(problems, "rate_limit", rate);
    let key = ApiKeyConfig {
        scopes: scopes??,
        connections: connections?,
        users: users?,
        caller_groups: caller_groups??,
        rate_limit: rate_limit?,
        name: checked.text("name")?,
        key: checked.secret("key"),
        certificate: checked.text("certificate"),
    };
    (problems.len() == before).then_some(key)
}

fn globs(checked: &Checked, problems: &mut Vec<Problem>, key: &str) -> Option<Vec<Glob>> {
    let parse = |text: &str| {
        let globs: Result<Vec<Glob>, String> = items(text)
            .map(|item| Glob::compile(item).map_err(|error| error.to_string()))
            .collect();
        globs.and_then(|globs| {
            if globs.is_empty() {
                Err("expected at least one; leave the key out for all".into())
            } else {
                Ok(globs)
            }
        })
    };
    checked
        .typed(problems, key, parse)
        .map(Option::unwrap_or_default)
}

fn scopes(text: &str) -> Result<Vec<Scope>, String> {
    let mut scopes: Vec<Scope> = Vec::new();
    for item in items(text) {
        let found = Scope::ALL.iter().find(|scope| scope.as_str() == item);
        let Some(scope) = found else {
            let known = listed(Scope::ALL.iter().map(|scope| scope.as_str()), "and");
            return Err(format!("expected scopes among {known}"));
        };
        if !scopes.contains(scope) {
            scopes.push(*scope);
        }
    }
    if scopes.is_empty() {
        return Err("expected at least one scope".into());
    }
    Ok(scopes)
}

/// `50/s`, `600/m`, `1000/h`: a second's worth.
fn rate(text: &str) -> Result<f64, String> {
    let parsed = text.split_once('/').and_then(|(count, unit)| {
        let seconds = match unit {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let digits = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
        let count: u32 = count.parse().ok().filter(|count| digits && *count > 0)?;
        Some(f64::from(count) / seconds)
    });
    parsed.ok_or_else(|| "expected a number and a unit such as `50/s`, `600/m` or `1000/h`".into())
}

fn networks(text: &str) -> Result<Vec<Network>, String> {
    let parsed: Option<Vec<Network>> = items(text).map(Network::parse).collect();
    parsed.ok_or_else(|| "expected addresses or ranges such as `10.0.0.0/8`".into())
}

fn metrics(text: &str) -> Result<Metrics, String> {
    match text {
        "admin" => Ok(Metrics::Admin),
        "off" => Ok(Metrics::Off),
        "open" => Ok(Metrics::Open),
        _ => Err("expected `admin`, `open` or `off`".into()),
    }
}

fn pause(text: &str) -> Result<Duration, String> {
    let parsed = duration::parse(text).map_err(|error| error.to_string())?;
    if parsed > LONGEST_PAUSE {
        return Err("expected a duration of at most 10m".into());
    }
    Ok(parsed)
}

/// A duration, or days: `30d`.
fn retention(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').filter(|days| {
        !days.is_empty() && days.len() <= 5 && days.bytes().all(|b| b.is_ascii_digit())
    });
    let parsed = match days {
        Some(days) => days
            .parse::<u64>()
            .ok()
            .map(|days| Duration::from_secs(days * 86_400)),
        None => duration::parse(text).ok(),
    };
    parsed
        .filter(|parsed| !parsed.is_zero())
        .ok_or_else(|| "expected days such as `30d`, or a duration".into())
}

fn bytes(text: &str) -> Result<u64, String> {
    let units: [(&str, u64); 4] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("", 1),
    ];
    let parsed = units.into_iter().find_map(|(unit, factor)| {
        let number = text.strip_suffix(unit)?.trim_end();
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        number
            .parse::<u64>()
            .ok()
            .filter(|count| digits && *count > 0)?
            .checked_mul(factor)
    });
    parsed.ok_or_else(|| "expected bytes, or a number with `KiB`, `MiB` or `GiB`".into())
}

fn count(text: &str) -> Result<usize, String> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parsed = text
        .parse()
        .ok()
        .filter(|count| digits && (1..=1_000_000).contains(count));
    parsed.ok_or_else(|| "expected a whole number from 1 to 1000000".into())
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

/// The name of the one key of `api_key`.
pub const ONLY: &str = "api_key";

const LONGEST_PAUSE: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{load, problems};

    #[test]
    fn defaults_and_everything() {
        let config = load("connections: []\n").unwrap();
        let server = &config.server;
        assert_eq!((server.max_connections, server.max_in_flight), (1024, 512));
        assert_eq!(server.drain, Duration::from_secs(5));
        assert!(server.dashboard && server.authzen && !server.require_tls);
        assert!(config.api_keys.is_empty());
        let text = "
api_key: env:K
api_keys:
  - {name: agents, key: env:A, scopes: [check, report], connections: ['gh-*'], users: ['*@acme.com'], caller_groups: ignore, rate_limit: 600/m}
  - {name: ops, certificate: ops.acme.com, scopes: admin}
server: {drain: 0s, metrics: open, trusted_proxies: [10.0.0.0/8, '::1'], runs_retention: 30d, runs_max_bytes: 64 MiB, data: runs}
connections: []
";
        let config = load(text).unwrap();
        let names: Vec<_> = config
            .api_keys
            .iter()
            .map(|key| key.name.as_str())
            .collect();
        assert_eq!(names, ["api_key", "agents", "ops"]);
        assert_eq!(
            config.api_keys[0].scopes,
            [Scope::Check, Scope::Dashboard, Scope::Report]
        );
        let agents = &config.api_keys[1];
        assert_eq!(
            (agents.caller_groups, agents.rate_limit),
            (CallerGroups::Ignore, Some(10.0))
        );
        assert!(agents.users[0].matches("dana@acme.com"));
        assert_eq!(
            config.api_keys[2].certificate.as_deref(),
            Some("ops.acme.com")
        );
        let server = config.server;
        assert_eq!(server.data, Some("/etc/toolpass/runs".into()));
        assert_eq!(server.runs_max_bytes, Some(64 << 20));
        assert_eq!(
            server.runs_retention,
            Some(Duration::from_secs(30 * 86_400))
        );
        let held = |text: &str| {
            server
                .trusted_proxies
                .iter()
                .any(|net| net.holds(text.parse().unwrap()))
        };
        assert!(held("10.255.0.1") && held("::1") && !held("11.0.0.1") && !held("::2"));
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        let text = "connections: []
api_keys:
  - {name: a, key: env:A, scopes: [check, all]}
  - {name: b, key: hunter2, scopes: [check]}
  - {name: c, scopes: [check]}
  - {name: d, key: env:D, scopes: [check], rate_limit: 5}
  - {name: d, key: env:D, scopes: [check], users: []}
  - {name: e, key: env:D, scope: [check]}
  - what
server:
  drain: soon
  drian: 5s
  max_connections: 0
  tls_cert_file: /etc/hosts
  metrics: yes
";
        let found = problems(text);
        for expected in [
            "toolpass.yaml:3: api key 1: `scopes`: expected scopes among",
            "toolpass.yaml:4: api key 2: `key`: expected `env:NAME`",
            "toolpass.yaml:5: api key 3: `key`: expected either",
            "toolpass.yaml:6: api key 4: `rate_limit`: expected a number",
            "toolpass.yaml:7: api key 5: `users`: the value is empty",
            "toolpass.yaml:8: api key 6: unknown key `scope`",
            "toolpass.yaml:8: api key 6: `scopes` is missing",
            "toolpass.yaml:9: api key 7: expected a mapping",
            "toolpass.yaml:11: `server`: `drain`:",
            "toolpass.yaml:12: `server`: unknown key `drian`",
            "toolpass.yaml:13: `server`: `max_connections`:",
            "toolpass.yaml:14: `server`: `tls_cert_file`: it needs `tls_key`",
            "toolpass.yaml:15: `server`: `metrics`:",
        ] {
            assert!(found.contains(expected), "{expected}\n{found}");
        }
        assert!(!found.contains("hunter2"));
        assert!(
            problems("connections: []\nserver: []\n")
                .contains("2: expected a mapping under `server`")
        );
        assert!(
            problems("connections: []\napi_keys: x\n")
                .contains("2: expected a list under `api_keys`")
        );
        let twice = "connections: []\napi_keys:\n  - {name: a, key: env:A, scopes: check}\n  - {name: a, key: env:B, scopes: check}\n";
        assert!(problems(twice).contains("4: api key \"a\": the name is taken"));
    }

    #[test]
    fn ranges() {
        for (text, fits) in [
            ("10.0.0.0/8", true),
            ("10.0.0.1", true),
            ("fd00::/8", true),
            ("0.0.0.0/0", true),
            ("10.0.0.0/33", false),
            ("10.0.0.0/-1", false),
            ("10.0.0.0/+8", false),
            ("10.0.0/8", false),
            ("localhost", false),
        ] {
            assert_eq!(Network::parse(text).is_some(), fits, "{text}");
        }
        let all = Network::parse("0.0.0.0/0").unwrap();
        assert!(all.holds("1.2.3.4".parse().unwrap()) && !all.holds("::1".parse().unwrap()));
        let odd = Network::parse("10.16.0.0/12").unwrap();
        assert!(
            odd.holds("10.31.255.255".parse().unwrap()) && !odd.holds("10.32.0.0".parse().unwrap())
        );
    }
}
