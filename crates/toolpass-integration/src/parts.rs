//! What a connection is built from besides its settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolpass_core::clock::Clock;
use toolpass_http::client::Client;
use toolpass_http::transport::Transport;
use toolpass_http::url::Url;

use crate::connection::Connection;

/// Handed to an integration when it connects. Using it makes no network call.
#[derive(Clone)]
pub struct Parts {
    /// The connection's id, for errors and logs.
    pub id: String,
    /// The connection's own TLS, proxy and time limits.
    pub transport: Transport,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The connections its reference keys name, by id, and no others.
    pub referenced: BTreeMap<String, Arc<dyn Connection>>,
}

impl Parts {
    /// A client of `base` over the connection's transport.
    /// Errors: the text that says why `base` cannot be used.
    pub fn client(&self, base: &str) -> Result<Client, ConnectError> {
        let base = Url::parse(base).map_err(|error| ConnectError(error.to_string()))?;
        Ok(Client::new(self.transport.clone(), base))
    }
}

/// Why a connection cannot be built: a bad key, a bad PEM. Whoever reports it adds the connection's id and integration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConnectError(pub String);
