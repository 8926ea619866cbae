//! Slack: may this user do this in a workspace: read, post, upload, invite, administer.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` `facts` | keys, resource types, the action table, what an observed request says besides |
//! | `identity` | e-mail → account |
//! | `upstream/` | what is read from Slack: method and strict reading of each record, credential, failures |
//! | `rules/` | records → decision, pure |
//! | `connection` `probe` | one configured workspace: reads what the rules ask for |
//! | `routes` `extract` | requests → actions and resources |

pub mod actions;
pub mod config;
pub mod connection;
pub mod extract;
pub mod facts;
mod identity;
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
pub static SLACK: Slack = Slack;

/// Slack as a product.
pub struct Slack;

impl Integration for Slack {
    fn name(&self) -> &'static str {
        "slack"
    }

    fn keys(&self) -> &'static [Key] {
        config::KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        actions::TABLE
    }

    fn least_credential(&self) -> &'static [&'static str] {
        &[
            "The credential: the bot token of an internal app that only reads. Scopes: users:read, users:read.email, channels:read,",
            "groups:read; team.preferences:read for #general and uploads, usergroups:read for user groups, files:read for files.",
            "Invite the app to every private channel that is asked about.",
        ]
    }

    fn routes(&self) -> Option<&'static RouteTable> {
        Some(routes::table())
    }

    fn endpoints(&self, settings: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        config::endpoints(settings.text("url"))
    }

    fn vendor_hosts(&self) -> &'static [&'static str] {
        &["slack-gov.com", "slack-msgs.com", "slack.com"]
    }

    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError> {
        connection::connect(Config::read(&settings)?, &parts)
    }
}
