//! Build the connections of a configuration: certificates and key formats are read here, no network is touched.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use toolpass_core::clock::Clock;
use toolpass_http::proxy::{ProxyAuth, ProxyEnvironment};
use toolpass_http::tls::CaMode;
use toolpass_http::transport::{Transport, TransportSettings};
use toolpass_integration::connection::Connection;
use toolpass_integration::fields::{KeyKind, Settings};
use toolpass_integration::integration::Integration;
use toolpass_integration::oidc::{self, Oidc};
use toolpass_integration::parts::Parts;

use crate::config::{CallerGroups, Config, ConnectionConfig, TransportConfig, Tuning};

/// A connection ready to be asked, with what the engine and the guard need to know about it.
#[derive(Clone)]
pub struct Built {
    /// Its id.
    pub id: String,
    /// The product.
    pub integration: &'static dyn Integration,
    /// The values of the integration's keys.
    pub settings: Settings,
    /// The connection.
    pub connection: Arc<dyn Connection>,
    /// The budget of one check.
    pub timeout: Duration,
    /// Caches and limits of its own.
    pub tuning: Tuning,
    /// What to do with groups the caller sends.
    pub caller_groups: CallerGroups,
    /// What is read through it is private data.
    pub private: bool,
    /// Reads that no route names are refused.
    pub strict_reads: bool,
    /// Its way to the network.
    pub transport: Transport,
    /// Who signs the ID tokens its groups come from, and the way there.
    pub issuer: Option<(Oidc, Transport)>,
}

/// The first connection that cannot be built. Names it and its integration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection \"{id}\" ({integration}): {problem}")]
pub struct BuildError {
    id: String,
    integration: &'static str,
    problem: String,
}

/// Build every connection, each after those it references.
/// Errors: [`BuildError`], for the first that cannot be.
pub fn build(config: &Config, clock: &Arc<dyn Clock>) -> Result<Vec<Built>, BuildError> {
    build_where(config, clock, |_| true)
}

/// Build one connection and those it references, directly or not, so that a broken sibling does not matter.
/// Errors: [`BuildError`]. An id no connection has builds nothing.
pub fn build_one(
    config: &Config,
    id: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Vec<Built>, BuildError> {
    let mut wanted = vec![id];
    for place in config.order.iter().rev() {
        if let Some(connection) = config.connections.get(*place)
            && wanted.contains(&connection.id.as_str())
        {
            wanted.extend(connection.references.iter().map(String::as_str));
        }
    }
    build_where(config, clock, |connection| {
        wanted.contains(&connection.id.as_str())
    })
}

/// Build the connections that are not among the kept ones, which they may reference.
/// Errors: [`BuildError`], for the first that cannot be.
pub fn build_beside(
    config: &Config,
    clock: &Arc<dyn Clock>,
    kept: BTreeMap<String, Arc<dyn Connection>>,
) -> Result<Vec<Built>, BuildError> {
    let ids: Vec<String> = kept.keys().cloned().collect();
    build_among(config, clock, kept, |connection| {
        !ids.contains(&connection.id)
    })
}

/// What a connection is built of, its certificates and other files included: the same text for the same. What it references
/// is not in it.
pub fn fingerprint(connection: &ConnectionConfig) -> String {
    let keys = connection.integration.keys().iter();
    let files = keys.filter(|key| key.kind == KeyKind::File);
    let files = files.filter_map(|key| connection.settings.text(key.name).map(PathBuf::from));
    let mut text = connection.digest.clone();
    for path in files.chain(connection.transport.ca_file.clone()) {
        let digest = std::fs::read(path).map(|content| Sha256::digest(&content));
        match digest {
            Ok(digest) => text.extend(digest.iter().map(|byte| format!("{byte:02x}"))),
            Err(_) => text.push('?'),
        }
    }
    text
}

fn build_where(
    config: &Config,
    clock: &Arc<dyn Clock>,
    wanted: impl Fn(&ConnectionConfig) -> bool,
) -> Result<Vec<Built>, BuildError> {
    build_among(config, clock, BTreeMap::new(), wanted)
}

fn build_among(
    config: &Config,
    clock: &Arc<dyn Clock>,
    mut known: BTreeMap<String, Arc<dyn Connection>>,
    wanted: impl Fn(&ConnectionConfig) -> bool,
) -> Result<Vec<Built>, BuildError> {
    let environment = ProxyEnvironment::from_env();
    let mut done: Vec<Built> = Vec::new();
    for connection in config
        .order
        .iter()
        .filter_map(|place| config.connections.get(*place))
        .filter(|connection| wanted(connection))
    {
        let built =
            build_connection(connection, &environment, clock, &known).map_err(|problem| {
                BuildError {
                    id: connection.id.clone(),
                    integration: connection.integration.name(),
                    problem,
                }
            })?;
        known.insert(built.id.clone(), Arc::clone(&built.connection));
        done.push(built);
    }
    Ok(done)
}

fn build_connection(
    config: &ConnectionConfig,
    environment: &ProxyEnvironment,
    clock: &Arc<dyn Clock>,
    known: &BTreeMap<String, Arc<dyn Connection>>,
) -> Result<Built, String> {
    let referenced: BTreeMap<_, _> = known
        .iter()
        .filter(|(id, _)| config.references.contains(id))
        .map(|(id, connection)| (id.clone(), Arc::clone(connection)))
        .collect();
    let transport = transport(
        &config.transport,
        config.timeout,
        own_host(config)?,
        environment.clone(),
    )?;
    let parts = Parts {
        id: config.id.clone(),
        transport: transport.clone(),
        clock: clock.clone(),
        referenced,
    };
    let connection = config
        .integration
        .connect(config.settings.clone(), parts)
        .map_err(|error| error.to_string())?;
    Ok(Built {
        id: config.id.clone(),
        integration: config.integration,
        settings: config.settings.clone(),
        connection,
        timeout: config.timeout,
        tuning: config.tuning,
        caller_groups: config.caller_groups,
        private: config.private,
        strict_reads: config.strict_reads,
        transport,
        issuer: issuer(config, environment)?,
    })
}

/// Who signs the ID tokens a connection takes groups from. Reached as the connection is, but under its own name and, with
/// `oidc_ca_file`, with its own trust.
/// Errors: a transport that cannot be built.
fn issuer(
    config: &ConnectionConfig,
    environment: &ProxyEnvironment,
) -> Result<Option<(Oidc, Transport)>, String> {
    let Some(oidc) = oidc::read(&config.settings) else {
        return Ok(None);
    };
    let own = TransportConfig {
        tls_server_name: None,
        ..config.transport.clone()
    };
    let own = match &oidc.ca_file {
        Some(path) => TransportConfig {
            ca_file: Some(path.into()),
            ca_mode: CaMode::Replace,
            ..own
        },
        None => own,
    };
    let host = toolpass_http::url::Url::parse(&oidc.issuer)
        .map_err(|error| format!("`oidc_issuer`: {error}"))?
        .host()
        .to_owned();
    let transport = transport(&own, config.timeout, Some(host), environment.clone())?;
    Ok(Some((oidc, transport)))
}

/// The host that `tls_server_name` speaks of: where the system is reached first.
/// Errors: an endpoint that cannot be read.
fn own_host(config: &ConnectionConfig) -> Result<Option<String>, String> {
    let endpoints = config.integration.endpoints(&config.settings);
    let endpoints = endpoints.map_err(|error| error.to_string())?;
    let first = endpoints.first().and_then(|endpoint| endpoint.host.exact());
    Ok(first.map(str::to_owned))
}

fn transport(
    config: &TransportConfig,
    timeout: Duration,
    own_host: Option<String>,
    environment: ProxyEnvironment,
) -> Result<Transport, String> {
    let ca_pem = match &config.ca_file {
        Some(path) => {
            Some(std::fs::read(path).map_err(|_| "`ca_file`: the file cannot be read".to_owned())?)
        }
        None => None,
    };
    let proxy_auth = config
        .proxy_username
        .clone()
        .zip(config.proxy_credential.clone());
    let settings = TransportSettings {
        ca_pem,
        ca_mode: config.ca_mode,
        no_proxy: config.no_proxy.clone(),
        tls_server_name: config.tls_server_name.clone(),
        own_host,
        proxy_url: config.proxy_url.clone(),
        proxy_auth: proxy_auth.map(|(username, credential)| ProxyAuth {
            username,
            credential,
        }),
        timeout,
        environment,
    };
    Transport::new(settings).map_err(|error| error.to_string())
}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Built")
            .field("id", &self.id)
            .field("integration", &self.integration.name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::load;
    use futures_util::FutureExt;
    use toolpass_core::question::Freshness;
    use toolpass_http::budget::Context;
    use toolpass_http::clock::SystemClock;

    const FILE: &str = "connections:
  - {id: a, integration: sample, url: 'https://h', credential: env:X, idp_connection: b}
  - {id: b, integration: idp, up_connection: c}
  - {id: c, integration: idp}
  - {id: d, integration: idp, note: broken}
";

    fn clock() -> Arc<dyn Clock> {
        Arc::new(SystemClock)
    }

    fn ids(built: &[Built]) -> Vec<&str> {
        built.iter().map(|built| built.id.as_str()).collect()
    }

    #[test]
    fn what_is_referenced_comes_first_and_is_handed_over() {
        let config = load(&FILE.replace(", note: broken", "")).unwrap();
        let built = build(&config, &clock()).unwrap();
        assert_eq!(ids(&built), ["c", "b", "a", "d"]);
        let ctx = Context::new(clock(), Duration::from_secs(1), Freshness::default());
        let probe = built[2]
            .connection
            .probe(&ctx)
            .now_or_never()
            .unwrap()
            .unwrap();
        assert_eq!(
            probe.summary, "b",
            "a connection gets those it refers to and no others"
        );
    }

    #[test]
    fn a_broken_sibling_matters_to_the_whole_and_not_to_one() {
        let config = load(FILE).unwrap();
        let error = build(&config, &clock()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "connection \"d\" (idp): `note`: it is broken"
        );
        assert_eq!(
            ids(&build_one(&config, "a", &clock()).unwrap()),
            ["c", "b", "a"]
        );
        assert_eq!(ids(&build_one(&config, "c", &clock()).unwrap()), ["c"]);
        assert_eq!(ids(&build_one(&config, "none", &clock()).unwrap()), [""; 0]);
    }

    #[test]
    fn transports_are_built_with_the_connection() {
        for (key, message) in [
            ("ca_file: /etc/hosts", "`ca_file`"),
            ("tls_server_name: 'not a name'", "`tls_server_name`"),
        ] {
            let text = format!("connections:\n  - {{id: a, integration: idp, {key}}}\n");
            let error = build(&load(&text).unwrap(), &clock())
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("connection \"a\" (idp): {message}")),
                "{error}"
            );
        }
        let text = "connections:\n  - {id: a, integration: idp, proxy_url: 'http://p:1', proxy_username: u, proxy_credential: env:P}\n";
        assert!(
            build(&load(text).unwrap(), &clock()).is_ok(),
            "a secret is not read before it is used"
        );
    }
}
