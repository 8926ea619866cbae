//! Linear: may this user do this to a team, an issue, a project or the workspace of one Linear workspace.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` `facts` | keys, resource types, the action table, what an observed request says besides |
//! | `identity` | e-mail → account |
//! | `upstream/` | what is read from Linear: query and strict reading of each record, failures |
//! | `rules/` | records → decision, pure |
//! | `connection` `pointer` `probe` | one configured workspace: reads what the rules ask for |
//! | `routes` `extract` `graphql` | requests → actions and resources |

pub mod actions;
pub mod config;
pub mod connection;
pub mod extract;
pub mod facts;
pub mod graphql;
mod identity;
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

use config::Config;

/// The integration, for the registry.
pub static LINEAR: Linear = Linear;

/// Linear as a product.
pub struct Linear;

impl Integration for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn keys(&self) -> &'static [Key] {
        config::KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        actions::TABLE
    }

    fn least_credential(&self) -> &'static [&'static str] {
        &[
            "The credential: a personal API key with the permission Read only, of an account that is a member of every private",
            "team to be asked about (Settings, Security & access, Personal API keys), or an OAuth token with the scope `read`.",
        ]
    }

    fn routes(&self) -> Option<&'static RouteTable> {
        Some(routes::table())
    }

    fn endpoints(&self, settings: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        let url = config::url(settings);
        let mut endpoints = vec![endpoint(url)?];
        if url == config::CLOUD {
            endpoints.push(endpoint(UPLOADS)?.mounted("\\uploads"));
        }
        Ok(endpoints)
    }

    fn vendor_hosts(&self) -> &'static [&'static str] {
        &["linear.app"]
    }

    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError> {
        connection::connect(&Config::read(&settings)?, &parts)
    }
}

fn endpoint(address: &str) -> Result<Endpoint, ConnectError> {
    Endpoint::parse(address).map_err(|error| ConnectError(format!("`url`: {error}")))
}

/// Where Linear serves the files of issues and documents, to whoever shows the key.
const UPLOADS: &str = "https://uploads.linear.app";
