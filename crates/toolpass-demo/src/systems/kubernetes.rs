//! Kubernetes: `shop-web` in two namespaces. Dana may patch it on staging; on prod neither of the two may change anything.

use std::path::Path;

use toolpass_standin::kubernetes::{KubernetesStandin, demo};
use toolpass_standin::server::Transport;

use super::{Api, System, secret};
use crate::error::Error;

/// Start it.
pub(super) fn start(folder: &Path) -> Result<System, Error> {
    let running = KubernetesStandin::start(demo::world(), &Transport::Plain)?;
    let credential = secret(folder, "kubernetes", demo::ENGINE_TOKEN)?;
    Ok(System {
        id: "kubernetes",
        keys: vec![
            ("url", running.url.clone()),
            ("username_template", demo::USERNAME_TEMPLATE.to_owned()),
            ("credential", credential),
        ],
        api: Api {
            base: running.url.clone(),
            authorization: format!("Bearer {}", demo::AGENT_TOKEN),
        },
        running,
    })
}
