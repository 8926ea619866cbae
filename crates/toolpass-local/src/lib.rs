//! The engine in this process: a configuration, every integration, one engine, and the systems a guard attributes requests to.
//!
//! The one place that joins registry, config and engine, so that the command, the Python face and the server build the same
//! engine of the same file. What a server tells of the engine behind it is made into such systems too. It holds no rule: it turns the
//! types of one crate into those of another.

pub mod addresses;
pub mod expiry;
pub mod served;

use std::collections::BTreeMap;
use std::sync::Arc;

use toolpass_config::build::{Built, build, build_beside, build_one, fingerprint};
use toolpass_config::config::{CallerGroups as Configured, Config, ConnectionConfig, DecisionLog};
use toolpass_core::clock::Clock;
use toolpass_engine::engine::Engine;
use toolpass_engine::log::{LogTarget, Mask};
use toolpass_engine::oidc::Issuer;
use toolpass_engine::options::{
    CallerGroups, Connected, EngineOptions, Next, OnLogError, TtlOverrides,
};
use toolpass_http::url::InvalidUrl;
use toolpass_integration::fields::Settings;
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::ConnectError;
use toolpass_wire::observe::{System, Systems};

/// Which connections are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// All of them.
    All,
    /// This one and those it references, so that a broken sibling does not matter.
    Only(&'a str),
}

/// Why an engine cannot be built of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A connection cannot be built.
    #[error(transparent)]
    Connection(#[from] toolpass_config::build::BuildError),
    /// The provider of ID tokens is no address.
    #[error("connection \"{id}\": `oidc_issuer`: {why}")]
    Issuer {
        /// The connection.
        id: String,
        /// Why not.
        why: InvalidUrl,
    },
    /// The engine cannot be built.
    #[error(transparent)]
    Engine(#[from] toolpass_engine::options::BuildError),
}

/// Build the engine of a configuration. `remote` is who asks, as the decision log names it. No network is touched.
/// Errors: [`Error`].
pub fn engine(
    config: &Config,
    which: Which<'_>,
    remote: &str,
    clock: Arc<dyn Clock>,
) -> Result<Engine, Error> {
    let built = match which {
        Which::All => build(config, &clock)?,
        Which::Only(id) => build_one(config, id, &clock)?,
    };
    Ok(Engine::new(
        options(config, remote, clock),
        built.into_iter().map(connected).collect::<Result<_, _>>()?,
    )?)
}

/// What a reload came to.
#[derive(Debug)]
pub struct Succession {
    /// The engine of the changed configuration.
    pub engine: Engine,
    /// The connections that are the same, with all that is known of them.
    pub kept: Vec<String>,
}

/// Build the engine of a changed configuration. A connection that is built of the same, and so is all it references, stays
/// the same. `fingerprints` are those of the connections of `engine`; see [`fingerprints`]. No network is touched.
/// Errors: [`Error`].
pub fn succession(
    engine: &Engine,
    fingerprints: &BTreeMap<String, String>,
    config: &Config,
    remote: &str,
    clock: Arc<dyn Clock>,
) -> Result<Succession, Error> {
    let mut kept = BTreeMap::new();
    let now = self::fingerprints(config);
    let in_order = || {
        let places = config.order.iter();
        places.filter_map(|place| config.connections.get(*place))
    };
    for connection in in_order() {
        let is_same = fingerprints.get(&connection.id) == now.get(&connection.id);
        let stands = connection.references.iter().all(|id| kept.contains_key(id));
        if let Some(same) = engine.connection(&connection.id)
            && is_same
            && stands
        {
            kept.insert(connection.id.clone(), same);
        }
    }
    let ids = kept.keys().cloned().collect();
    let mut built: BTreeMap<String, Built> = build_beside(config, &clock, kept)?
        .into_iter()
        .map(|built| (built.id.clone(), built))
        .collect();
    let next = in_order().map(|connection| match built.remove(&connection.id) {
        Some(built) => connected(built).map(Next::New),
        None => Ok(Next::Same(connection.id.clone())),
    });
    let next = next.collect::<Result<_, Error>>()?;
    Ok(Succession {
        engine: engine.succeeded_by(options(config, remote, clock), next)?,
        kept: ids,
    })
}

/// What each connection of a configuration is built of; the times to live for all belong to each.
pub fn fingerprints(config: &Config) -> BTreeMap<String, String> {
    let times = format!("{:?} {:?} ", config.decision_cache, config.identity_cache);
    let each = config.connections.iter();
    each.map(|one| (one.id.clone(), times.clone() + &fingerprint(one)))
        .collect()
}

fn options(config: &Config, remote: &str, clock: Arc<dyn Clock>) -> EngineOptions {
    EngineOptions {
        decision_ttl: config.decision_cache,
        identity_ttl: config.identity_cache,
        decision_log: log_target(&config.decision_log),
        on_log_error: if config.decision_log_refuses {
            OnLogError::Refuse
        } else {
            OnLogError::Ignore
        },
        log_mask: Mask {
            user: config.decision_log_mask.user,
            groups: config.decision_log_mask.groups,
            remote: config.decision_log_mask.remote,
        },
        config_digest: config.digest.clone(),
        remote: Some(remote.to_owned()),
        ..EngineOptions::new(clock)
    }
}

/// The systems of a configuration, for attributing requests.
/// Errors: [`ConnectError`], when it cannot be said where a connection is reached.
pub fn systems(config: &Config) -> Result<Systems, ConnectError> {
    let of = |connection: &ConnectionConfig| {
        let system = system(&connection.id, connection.integration, &connection.settings)?;
        Ok(System {
            private: connection.private,
            strict_reads: connection.strict_reads,
            ..system
        })
    };
    let systems: Result<Vec<_>, ConnectError> = config.connections.iter().map(of).collect();
    systems.map(Systems::new)
}

/// One system: where a connection with these settings is reached, and what can be its own.
/// Errors: [`ConnectError`], when it cannot be said where it is reached.
pub fn system(
    id: &str,
    integration: &'static dyn Integration,
    settings: &Settings,
) -> Result<System, ConnectError> {
    let owner = settings.clone();
    Ok(System {
        connection: id.to_owned(),
        integration: integration.name(),
        table: integration.routes(),
        endpoints: integration.endpoints(settings)?,
        owns: Arc::new(move |resource| integration.owns(&owner, resource)),
        private: false,
        strict_reads: false,
        vendor_hosts: integration.vendor_hosts(),
        is_served: false,
    })
}

/// Errors: an issuer that is no address.
fn connected(built: Built) -> Result<Connected, Error> {
    let tuning = built.tuning;
    let issuer = match built.issuer {
        Some((oidc, transport)) => {
            let issuer = Issuer::new(oidc, transport);
            Some(Arc::new(issuer.map_err(|why| Error::Issuer {
                id: built.id.clone(),
                why,
            })?))
        }
        None => None,
    };
    Ok(Connected {
        issuer,
        timeout: built.timeout,
        caller_groups: match built.caller_groups {
            Configured::Accept => CallerGroups::Accept,
            Configured::Ignore => CallerGroups::Ignore,
            Configured::Refuse => CallerGroups::Refuse,
        },
        ttls: TtlOverrides {
            allow: tuning.decision_cache,
            deny: tuning.deny_cache.or(tuning.decision_cache),
            identity: tuning.identity_cache,
            missing: tuning.not_found_cache,
        },
        max_concurrency: tuning.max_concurrency,
        ..Connected::new(built.id, built.integration, built.connection)
    })
}

fn log_target(log: &DecisionLog) -> LogTarget {
    match log {
        DecisionLog::File(path) => LogTarget::File(path.clone()),
        DecisionLog::None => LogTarget::None,
        DecisionLog::Stderr => LogTarget::Stderr,
        DecisionLog::Stdout => LogTarget::Stdout,
    }
}
