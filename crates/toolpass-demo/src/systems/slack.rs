//! Slack: everybody is in `#shop-dev`; in the private `#releases`, Dana is and Sam is not.

use std::path::Path;

use toolpass_standin::server::Transport;
pub(crate) use toolpass_standin::slack::demo::{RELEASES, SHOP_DEV};
use toolpass_standin::slack::{SlackStandin, demo};

use super::{Api, System, secret};
use crate::error::Error;

/// Start it.
pub(super) fn start(folder: &Path) -> Result<System, Error> {
    let running = SlackStandin::start(demo::world(), &Transport::Plain)?;
    let base = format!("{}{}", running.url, running.base_path);
    Ok(System {
        id: "slack",
        keys: vec![
            ("url", base.clone()),
            ("credential", secret(folder, "slack", demo::ENGINE_TOKEN)?),
        ],
        api: Api {
            base,
            authorization: format!("Bearer {}", demo::AGENT_TOKEN),
        },
        running,
    })
}
