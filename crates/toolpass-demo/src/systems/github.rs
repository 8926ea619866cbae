//! GitHub: organization `acme` with an App that may only read, SAML identities, and forking off.

use std::path::Path;

use toolpass_standin::github::world::GithubWorld;
use toolpass_standin::github::world::organization::{Membership, Team};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::Transport;

use super::{Api, System, secret};
use crate::error::Error;
use crate::world::{DANA, ORGANIZATION, REPOSITORY};

/// Start it.
pub(super) fn start(folder: &Path) -> Result<System, Error> {
    let world = world();
    let credential = secret(folder, "github-app.pem", &world.app.key)?;
    let app_id = world.app.id.to_string();
    let options = Options {
        transport: Transport::Plain,
        style: ApiStyle::Enterprise,
    };
    let running = GithubStandin::start(world, &options)?;
    Ok(System {
        id: "github",
        keys: vec![
            ("url", running.url.clone()),
            ("organization", ORGANIZATION.to_owned()),
            ("app_id", app_id),
            ("credential", credential),
        ],
        api: Api {
            base: format!("{}{}", running.url, running.base_path),
            authorization: format!("Bearer {}", demo::AGENT_TOKEN),
        },
        running,
    })
}

/// The stand-in's own world, in which Dana's team may write on the repository.
fn world() -> GithubWorld {
    let mut world = demo::world();
    if let Some(organization) = world.organizations.get_mut(ORGANIZATION) {
        let team = Team {
            members: [(DANA.login.to_owned(), Membership::default())].into(),
            repositories: [(REPOSITORY.to_owned(), "write".to_owned())].into(),
            ..Team::default()
        };
        organization.teams.insert(TEAM.to_owned(), team);
        if let Some(app) = &mut organization.installation {
            // An act merges, and whether that may be is read of the pull request.
            let read = ("pull_requests".to_owned(), "read".to_owned());
            app.permissions.extend([read]);
        }
    }
    if let Some(shop) = world.repositories.get_mut(REPOSITORY) {
        let main = shop.branches.get("main").cloned().unwrap_or_default();
        for branch in BRANCHES {
            shop.branches.insert((*branch).to_owned(), main.clone());
        }
    }
    world
}

/// The team by which Dana may write.
pub(crate) const TEAM: &str = "shop";

/// What has been pushed.
const BRANCHES: &[&str] = &["fix-safari-checkout", "typo"];
