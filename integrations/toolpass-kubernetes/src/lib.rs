//! Kubernetes: may this user use this verb on this object of one cluster, answered by the cluster itself.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` `facts` | keys, resource types, the action table, what an observed request says besides |
//! | `identity` | e-mail and groups → user name and groups in the cluster |
//! | `upstream` | what is asked of the API server: reviews, and few objects |
//! | `rules/` | answers → decision, pure |
//! | `connection` `pointer` `probe` | one configured cluster: asks what the rules ask for |
//! | `routes` `extract/` | requests → actions and resources, as the API server itself reads them |

pub mod actions;
pub mod config;
pub mod connection;
pub mod extract;
pub mod facts;
pub mod identity;
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

use actions::Meaning;
use config::Config;

/// The integration, for the registry.
pub static KUBERNETES: Kubernetes = Kubernetes;

/// Kubernetes as a product.
pub struct Kubernetes;

impl Integration for Kubernetes {
    fn name(&self) -> &'static str {
        "kubernetes"
    }

    fn keys(&self) -> &'static [Key] {
        config::KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        actions::TABLE
    }

    fn matches_pattern(&self, name: &str) -> bool {
        name.starts_with("raw:") && Meaning::of(name).is_some()
    }

    fn least_credential(&self) -> &'static [&'static str] {
        &[
            "The credential: the token of a ServiceAccount with one ClusterRole rule: create subjectaccessreviews in the group",
            "authorization.k8s.io. With get on roles, clusterroles and their bindings, grants of rights are decided by their rules too.",
        ]
    }

    fn check(&self, settings: &Settings) -> Vec<(&'static str, String)> {
        config::check(settings)
    }

    fn routes(&self) -> Option<&'static RouteTable> {
        Some(routes::table())
    }

    fn endpoints(&self, settings: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        let url = settings.text("url").unwrap_or_default();
        let endpoint =
            Endpoint::parse(url).map_err(|error| ConnectError(format!("`url`: {error}")))?;
        Ok(vec![endpoint])
    }

    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError> {
        connection::connect(Config::read(&settings)?, &parts)
    }
}
