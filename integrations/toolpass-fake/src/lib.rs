//! Fake: a system that exists in the configuration only. Read it first; a real one has the same files and more of them.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` | keys, the one resource type, the action table |
//! | `identity` | e-mail → account |
//! | `rules` | account, action, thing → decision, pure |
//! | `connection` | one configured system: what the engine asks |
//!
//! Left out: `upstream`, because there is nothing to ask, and `routes` and `extract`, because no request ever goes there.

pub mod actions;
pub mod config;
mod connection;
pub mod identity;
pub mod resource;
pub mod rules;

use std::sync::Arc;

use toolpass_integration::actions::ActionSpec;
use toolpass_integration::connection::Connection;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_wire::endpoint::Endpoint;

use config::Config;
use connection::FakeConnection;

/// The integration, for the registry.
pub static FAKE: Fake = Fake;

/// Fake as a product.
pub struct Fake;

impl Integration for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn keys(&self) -> &'static [Key] {
        config::KEYS
    }

    fn least_credential(&self) -> &'static [&'static str] {
        &["No credential: this system exists in this file only."]
    }

    fn actions(&self) -> &'static [ActionSpec] {
        actions::TABLE
    }

    /// None: nothing is reached, so no request is ever its own.
    fn endpoints(&self, _: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        Ok(Vec::new())
    }

    fn connect(&self, settings: Settings, _: Parts) -> Result<Arc<dyn Connection>, ConnectError> {
        let config = Config::read(&settings).map_err(ConnectError)?;
        Ok(Arc::new(FakeConnection::new(config)))
    }
}
