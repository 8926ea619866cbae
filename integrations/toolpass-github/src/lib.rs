//! GitHub: may this user do this to a repository, an organization or a team of one GitHub organization.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` `facts` | keys, resource types, the action table, what an observed request says besides |
//! | `identity/` | e-mail → login |
//! | `upstream/` | what is read from GitHub: address and strict reading of each record, credential, failures |
//! | `rules/` | records → decision, pure |
//! | `connection` `pointer` `probe` | one configured organization: reads what the rules ask for |
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

use toolpass_core::resource::Resource;
use toolpass_integration::actions::ActionSpec;
use toolpass_integration::connection::Connection;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_wire::endpoint::Endpoint;
use toolpass_wire::matcher::RouteTable;

use config::{Config, Edition, Site};
use resource::Login;

/// The integration, for the registry.
pub static GITHUB: Github = Github;

/// GitHub as a product.
pub struct Github;

impl Integration for Github {
    fn name(&self) -> &'static str {
        "github"
    }

    fn keys(&self) -> &'static [Key] {
        config::KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        actions::TABLE
    }

    fn least_credential(&self) -> &'static [&'static str] {
        &[
            "The credential: a GitHub App of the organization that only reads. Repository permissions: Metadata; Administration",
            "for protected branches; Contents, Issues, Pull requests and Actions for observed requests. Organization permissions:",
            "Members; Administration for what owners let members do; Custom repository roles where there are any.",
        ]
    }

    fn check(&self, settings: &Settings) -> Vec<(&'static str, String)> {
        config::check(settings)
    }

    fn routes(&self) -> Option<&'static RouteTable> {
        Some(routes::table())
    }

    fn endpoints(&self, settings: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        let site = Site::of(settings.text("url"));
        let mut addresses = vec![site.rest.as_str(), site.uploads.as_str()];
        // Enterprise Server keeps GraphQL beside the REST API, not below it.
        let beside = site
            .graphql
            .strip_suffix("/graphql")
            .filter(|_| site.edition == Edition::Server);
        addresses.extend(beside);
        let mut endpoints = addresses
            .into_iter()
            .map(endpoint)
            .collect::<Result<Vec<_>, _>>()?;
        endpoints.extend(faces(&site)?);
        Ok(endpoints)
    }

    fn vendor_hosts(&self) -> &'static [&'static str] {
        &["ghcr.io", "ghe.com", "github.com", "githubusercontent.com"]
    }

    fn selectors(&self) -> &'static [&'static str] {
        &["organization"]
    }

    fn owns(&self, settings: &Settings, resource: &Resource) -> bool {
        settings
            .text("organization")
            .and_then(Login::parse)
            .is_some_and(|organization| resource::is_owned_by(&organization, resource))
    }

    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError> {
        connection::connect(Config::read(&settings)?, &parts)
    }
}

/// Where a site serves git, raw files and archives: hosts of their own, so faces with rows of their own.
fn faces(site: &Site) -> Result<Vec<Endpoint>, ConnectError> {
    let company = site.rest.strip_prefix("https://api.").unwrap_or_default();
    let faces = match site.edition {
        Edition::Cloud => vec![
            ("https://github.com".to_owned(), "\\git"),
            ("https://raw.githubusercontent.com".to_owned(), "\\raw"),
            ("https://codeload.github.com".to_owned(), "\\archive"),
        ],
        Edition::DataResidency => vec![
            (format!("https://{company}"), "\\git"),
            (format!("https://raw.{company}"), "\\raw"),
        ],
        Edition::Server => {
            let base = site.rest.strip_suffix("/api/v3").unwrap_or(&site.rest);
            // Without subdomain isolation; with it, they are other names of the same server.
            vec![
                (base.to_owned(), "\\git"),
                (format!("{base}/raw"), "\\raw"),
                (format!("{base}/media"), "\\raw"),
                (format!("{base}/codeload"), "\\archive"),
            ]
        }
    };
    faces
        .into_iter()
        .map(|(address, mount)| Ok(endpoint(&address)?.mounted(mount)))
        .collect()
}

fn endpoint(address: &str) -> Result<Endpoint, ConnectError> {
    Endpoint::parse(address).map_err(|error| ConnectError(format!("`url`: {error}")))
}
