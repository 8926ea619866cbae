//! The server that is asked: its checks and its look-ups, and which host is which of its connections.
//!
//! What its answers mean is read in `toolpass-client`, as for every face.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolpass_client::remote::{Remote as Server, RemoteSettings};
use toolpass_core::clock::Clock;
use toolpass_core::secret::Secret;
use toolpass_guard::settings::KnownSystems;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::transport::BuildError;
use toolpass_http::url::Url;
use toolpass_wire::observe::Systems;

/// A server. Cheap to clone.
#[derive(Clone)]
pub struct Remote {
    server: Arc<Server>,
    systems: KnownSystems,
}

impl Remote {
    /// The server at an address, asked with this key. `systems` are its connections, as requests are attributed to them.
    /// Errors: as of [`Server::new`].
    pub fn new(
        url: Url,
        key: Secret,
        systems: Systems,
        clock: Arc<dyn Clock>,
    ) -> Result<Remote, BuildError> {
        let settings = RemoteSettings {
            url,
            key,
            timeout: PATIENCE,
            ca_pem: None,
            environment: ProxyEnvironment::from_env(),
        };
        Ok(Remote {
            server: Arc::new(Server::new(settings, clock)?),
            systems: KnownSystems::Known(Arc::new(systems)),
        })
    }

    pub(crate) fn systems(&self) -> KnownSystems {
        self.systems.clone()
    }

    /// Whoever is asked.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.server.shown())
            .finish_non_exhaustive()
    }
}

/// How long the server is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
