//! Jira Cloud: may this user do this to a project, an issue, a board, a filter or the site.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` `facts` | keys, resource types, the action table, what an observed request says besides |
//! | `identity` | e-mail → account |
//! | `upstream/` | what is read from Jira: address and strict reading of each record, credential, failures |
//! | `rules/` | records → decision, pure |
//! | `connection` `pointer` `probe` | one configured site: reads what the rules ask for |
//! | `routes` `extract` `jql` | requests → actions and resources |

pub mod actions;
pub mod config;
pub mod connection;
pub mod extract;
pub mod facts;
pub mod identity;
pub mod jql;
pub mod pointer;
mod probe;
pub mod resource;
pub mod routes;
pub mod rules;
pub mod upstream;

use std::sync::Arc;

use toolpass_integration::actions::ActionSpec;
use toolpass_integration::connection::Connection;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_wire::endpoint::Endpoint;
use toolpass_wire::matcher::RouteTable;

use config::{Config, GATEWAY};

/// The integration, for the registry.
pub static JIRA: Jira = Jira;

/// Jira as a product.
pub struct Jira;

impl Integration for Jira {
    fn name(&self) -> &'static str {
        "jira"
    }

    fn keys(&self) -> &'static [Key] {
        config::KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        actions::TABLE
    }

    fn matches_pattern(&self, name: &str) -> bool {
        actions::is_permission_key(name)
    }

    fn least_credential(&self) -> &'static [&'static str] {
        &[
            "The credential: an API token of an account of its own, with Administer Jira (Jira asks it of whoever asks about others),",
            "Browse users and groups, and Browse projects on every project that is asked about. Nothing is ever written.",
        ]
    }

    fn check(&self, settings: &Settings) -> Vec<(&'static str, String)> {
        config::check(settings)
    }

    fn routes(&self) -> Option<&'static RouteTable> {
        Some(routes::table())
    }

    fn endpoints(&self, settings: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        let site = settings
            .text("url")
            .ok_or_else(|| ConnectError("`url`: expected".into()))?;
        let gateway = format!("{GATEWAY}/ex/jira");
        let mut endpoints = vec![
            endpoint(site)?,
            // Whatever is not known to be this site has no row: what writes there is refused.
            endpoint(&gateway)?.mounted("\\other"),
            endpoint(&format!("{GATEWAY}/graphql"))?.mounted("\\graphql"),
        ];
        if let Some(cloud_id) = settings.text("cloud_id") {
            endpoints.push(endpoint(&format!("{gateway}/{cloud_id}"))?);
        }
        Ok(endpoints)
    }

    fn vendor_hosts(&self) -> &'static [&'static str] {
        &["atlassian.com", "atlassian.net", "jira.com"]
    }

    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError> {
        connection::connect(Config::read(&settings)?, &parts)
    }
}

fn endpoint(address: &str) -> Result<Endpoint, ConnectError> {
    Endpoint::parse(address).map_err(|error| ConnectError(format!("`url`: {error}")))
}
