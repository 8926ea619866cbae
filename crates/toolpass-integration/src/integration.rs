//! A product: its keys, its actions, its routes, and how to connect to one system of it.

use std::sync::Arc;

use toolpass_core::resource::Resource;
use toolpass_wire::endpoint::Endpoint;
use toolpass_wire::matcher::RouteTable;

use crate::actions::ActionSpec;
use crate::connection::Connection;
use crate::fields::{Key, Settings};
use crate::parts::{ConnectError, Parts};

/// A product. One static of it per vendor crate.
pub trait Integration: Send + Sync {
    /// `^[a-z][a-z0-9]*$`.
    fn name(&self) -> &'static str;

    /// Its keys, beyond the common ones.
    fn keys(&self) -> &'static [Key];

    /// Its actions.
    fn actions(&self) -> &'static [ActionSpec];

    /// Whether `name` is an action that only a pattern row of the table stands for.
    fn matches_pattern(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// What no single key can say: pairs of (key, problem).
    fn check(&self, settings: &Settings) -> Vec<(&'static str, String)> {
        let _ = settings;
        Vec::new()
    }

    /// Its route table, when its requests can be named.
    fn routes(&self) -> Option<&'static RouteTable> {
        None
    }

    /// Where a connection with these settings is reached. Required, and all or none: an endpoint that got lost would make its
    /// host one of no connection.
    /// Errors: [`ConnectError`], naming the key.
    fn endpoints(&self, settings: &Settings) -> Result<Vec<Endpoint>, ConnectError>;

    /// What the least credential that answers every question is, in a few lines for a starter file.
    fn least_credential(&self) -> &'static [&'static str] {
        &[]
    }

    /// Host suffixes that are the vendor's, whether or not a connection is configured for them.
    fn vendor_hosts(&self) -> &'static [&'static str] {
        &[]
    }

    /// The keys whose values decide what [`Integration::owns`] says, for whoever decides it elsewhere. No secrets.
    fn selectors(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the resource can belong to a connection with these settings. Pure.
    fn owns(&self, settings: &Settings, resource: &Resource) -> bool {
        let _ = (settings, resource);
        true
    }

    /// Build a connection; no network.
    /// Errors: [`ConnectError`], naming the key.
    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError>;

    /// Whether an exact or pattern row stands for `name`.
    fn has_action(&self, name: &str) -> bool {
        self.actions()
            .iter()
            .any(|spec| spec.name == name && !spec.name.contains('<'))
            || self.matches_pattern(name)
    }
}
