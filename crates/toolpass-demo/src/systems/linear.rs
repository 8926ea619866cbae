//! Linear: team ENG is private; Dana is a member and Sam is not.

use std::path::Path;

pub(crate) use toolpass_standin::linear::demo::ENG as TEAM_ID;
use toolpass_standin::linear::{LinearStandin, demo};
use toolpass_standin::server::Transport;

use super::{Api, System, secret};
use crate::error::Error;

/// Start it.
pub(super) fn start(folder: &Path) -> Result<System, Error> {
    let running = LinearStandin::start(demo::world(), &Transport::Plain)?;
    let base = format!("{}{}", running.url, running.base_path);
    Ok(System {
        id: "linear",
        keys: vec![
            ("url", base.clone()),
            ("credential", secret(folder, "linear", demo::ENGINE_KEY)?),
        ],
        api: Api {
            base,
            authorization: demo::AGENT_KEY.to_owned(),
        },
        running,
    })
}
