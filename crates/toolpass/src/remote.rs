//! The server that is asked: its checks and its look-ups, and which host is which of its connections.
//!
//! What its answers mean is read in `toolpass-client`, as for every face.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolpass_client::remote::{Remote as Server, RemoteSettings};
use toolpass_core::clock::Clock;
use toolpass_core::secret::Secret;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::transport::BuildError;
use toolpass_http::url::Url;
use toolpass_local::addresses::Looked;
use toolpass_local::served::Served;
use toolpass_wire::observe::Systems;

/// A server. Cheap to clone.
#[derive(Clone)]
pub struct Remote {
    served: Arc<Served>,
}

impl Remote {
    /// The server at an address, asked with this key. Nothing is asked yet: which connections it has, it tells at the first call.
    /// Errors: as of [`Server::new`].
    pub fn new(url: Url, key: Secret, clock: Arc<dyn Clock>) -> Result<Remote, BuildError> {
        let settings = RemoteSettings {
            url,
            key,
            timeout: PATIENCE,
            ca_pem: None,
            environment: ProxyEnvironment::from_env(),
        };
        let server = Server::new(settings, Arc::clone(&clock))?;
        Ok(Remote {
            served: Arc::new(Served::new(server, clock)),
        })
    }

    /// Whoever is asked.
    pub(crate) fn server(&self) -> &Server {
        self.served.remote()
    }

    /// Its connections, as told last. What was told a while ago is asked for again, and nobody waits for that.
    /// Errors: why nothing was ever told.
    pub(crate) async fn endpoints(&self) -> Result<Arc<Systems>, String> {
        if self.served.is_due() {
            let served = Arc::clone(&self.served);
            // It ends by itself, within the time that the server is waited for.
            drop(tokio::spawn(async move { served.refresh().await }));
        }
        self.served
            .told()
            .await
            .map_err(|decision| decision.reason())
    }

    /// Until when the addresses of these connections are known.
    pub(crate) fn looked(&self, systems: &Arc<Systems>) -> Arc<Looked> {
        self.served.looked(systems)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.server().shown())
            .finish_non_exhaustive()
    }
}

/// How long the server is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
