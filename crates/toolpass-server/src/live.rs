//! What a reload replaces: the configuration, the engine made of it, the systems, the keys.
//!
//! Whoever answers a request takes one [`Live`] at its beginning and keeps it, so that no request sees half of two.

use std::sync::{Arc, PoisonError, RwLock};

use toolpass_config::config::Config;
use toolpass_config::server::Network;
use toolpass_core::clock::Clock;
use toolpass_engine::engine::Engine;
use toolpass_local::Which;
use toolpass_wire::observe::Systems;

use crate::access::Keys;
use crate::load::Load;
use crate::server::StartError;

/// Everything a request is answered with.
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) engine: Engine,
    pub(crate) systems: Systems,
    pub(crate) keys: Keys,
    pub(crate) load: Arc<Load>,
}

/// The present one.
pub(crate) struct Present(RwLock<Arc<Live>>);

impl Live {
    /// Build everything. No network is touched.
    /// Errors: no usable key, or a connection that cannot be built.
    pub(crate) fn new(config: Config, clock: Arc<dyn Clock>) -> Result<Live, StartError> {
        if config.api_keys.is_empty() {
            return Err(StartError::NoKey);
        }
        let keys = Keys::new(&config.api_keys);
        keys.read().map_err(StartError::Key)?;
        let engine = toolpass_local::engine(&config, Which::All, "server", clock)?;
        let systems = toolpass_local::systems(&config).map_err(StartError::Systems)?;
        let ids: Vec<String> = config
            .connections
            .iter()
            .map(|one| one.id.clone())
            .collect();
        Ok(Live {
            load: Load::new(config.server.max_in_flight, &ids),
            config,
            engine,
            systems,
            keys,
        })
    }

    /// The proxies that are believed.
    pub(crate) fn trusted(&self) -> &[Network] {
        &self.config.server.trusted_proxies
    }
}

impl Present {
    pub(crate) fn new(live: Live) -> Present {
        Present(RwLock::new(Arc::new(live)))
    }

    /// What is valid now.
    pub(crate) fn get(&self) -> Arc<Live> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}
