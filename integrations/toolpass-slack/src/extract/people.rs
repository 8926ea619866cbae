//! People: what everybody sees of them, what they see of themselves, and whose profile is set.
//!
//! Source: docs.slack.dev/reference/methods, the families `users`, `dnd`; read 2026-11-30.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::{agents_own, argument, is_json, narrowing, on_team, on_workspace, sender};
use crate::actions::Action;
use crate::facts;
use crate::resource::UserId;

/// Somebody's record: of who asks, it is their own. Without `user` it is the agent's, and with JSON nothing is read.
pub fn about(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let asked = on_team(reading, Action::WorkspaceMember)?;
    let named = if is_json(reading) {
        None
    } else {
        narrowing(reading, "user")?
    };
    Ok(Extracted::pairs(vec![match named {
        Some(text) => {
            let id = UserId::parse(&text)
                .ok_or_else(|| Unresolved::new("expected the id of a person as `user`"))?;
            asked.fact(facts::ABOUT, id.as_str())
        }
        None => asked,
    }]))
}

/// A profile: somebody else's for who administers, without `user` the agent's own.
pub fn profile(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let asked = match argument(reading, "user")? {
        Some(text) => {
            let id = UserId::parse(&text)
                .ok_or_else(|| Unresolved::new("expected the id of a person as `user`"))?;
            on_workspace(Action::WorkspaceAdmin).fact(facts::PROFILE_OF, id.as_str())
        }
        None => agents_own(),
    };
    Ok(Extracted::pairs(vec![asked]))
}
