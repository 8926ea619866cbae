//! What a reload replaces: the configuration, the engine made of it, the systems, the keys.
//!
//! Whoever answers a request takes one [`Live`] at its beginning and keeps it, so that no request sees half of two.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use toolpass_config::config::Config;
use toolpass_config::server::Network;
use toolpass_core::clock::Clock;
use toolpass_engine::engine::Engine;
use toolpass_engine::log::Copying;
use toolpass_local::Which;
use toolpass_wire::observe::Systems;

use crate::access::Keys;
use crate::load::Load;
use crate::otlp::Exporter;
use crate::server::StartError;

/// Everything a request is answered with.
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) engine: Engine,
    pub(crate) systems: Systems,
    pub(crate) keys: Keys,
    pub(crate) load: Arc<Load>,
    /// What each connection is built of.
    fingerprints: BTreeMap<String, String>,
    /// The connections that are the same as before.
    pub(crate) kept: Vec<String>,
}

/// The present one.
pub(crate) struct Present(RwLock<Arc<Live>>);

impl Live {
    /// Build everything. No network is touched.
    /// Errors: no usable key, or a connection that cannot be built.
    pub(crate) fn new(config: Config, clock: Arc<dyn Clock>) -> Result<Live, StartError> {
        let keys = keys(&config)?;
        let engine = toolpass_local::engine(&config, Which::All, SERVER, clock)?;
        Live::of(config, engine, keys, Vec::new())
    }

    /// Build what a changed configuration changes, and keep the rest as warm as it is. No network is touched.
    /// Errors: as of [`Live::new`].
    pub(crate) fn succeeding(
        old: &Live,
        config: Config,
        clock: Arc<dyn Clock>,
    ) -> Result<Live, StartError> {
        let keys = keys(&config)?;
        let next =
            toolpass_local::succession(&old.engine, &old.fingerprints, &config, SERVER, clock)?;
        Live::of(config, next.engine, keys, next.kept)
    }

    fn of(
        config: Config,
        engine: Engine,
        keys: Keys,
        kept: Vec<String>,
    ) -> Result<Live, StartError> {
        let ids: Vec<String> = config
            .connections
            .iter()
            .map(|one| one.id.clone())
            .collect();
        Ok(Live {
            systems: toolpass_local::systems(&config).map_err(StartError::Systems)?,
            load: Load::new(config.server.max_in_flight, &ids),
            fingerprints: toolpass_local::fingerprints(&config),
            config,
            engine,
            keys,
            kept,
        })
    }

    /// The same, whose decision log is copied to an exporter.
    pub(crate) fn copying(self, exporter: Option<&Arc<Exporter>>) -> Live {
        let copy = exporter.map(|exporter| {
            let exporter = Arc::clone(exporter);
            let copy: Copying = Arc::new(move |line| exporter.push(line));
            copy
        });
        Live {
            engine: self.engine.with_log_copy(copy),
            ..self
        }
    }

    /// Whether a configuration says nothing else than the present one, its files included.
    pub(crate) fn is_built_of(&self, config: &Config) -> bool {
        self.config.digest == config.digest
            && self.fingerprints == toolpass_local::fingerprints(config)
    }

    /// The proxies that are believed.
    pub(crate) fn trusted(&self) -> &[Network] {
        &self.config.server.trusted_proxies
    }
}

/// The keys of callers, each of them readable now.
fn keys(config: &Config) -> Result<Keys, StartError> {
    if config.api_keys.is_empty() {
        return Err(StartError::NoKey);
    }
    let keys = Keys::new(&config.api_keys);
    keys.read().map_err(StartError::Key)?;
    Ok(keys)
}

impl Present {
    pub(crate) fn new(live: Live) -> Present {
        Present(RwLock::new(Arc::new(live)))
    }

    /// What is valid now.
    pub(crate) fn get(&self) -> Arc<Live> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on, this one.
    pub(crate) fn set(&self, live: Live) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
    }
}

/// Who asks, as the decision log names who does not say it.
const SERVER: &str = "server";
