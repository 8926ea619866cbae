//! Rules about user groups: who is in one, and who manages them.
//!
//! Source: slack.com/help "Permissions by role in Slack" (user groups), docs.slack.dev `usergroups.list`; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;

use super::known::{self, Known, Stop};
use super::standing::{Held, Standing};
use super::workspace::{allowed, denied, elsewhere, guest, outside};
use super::{Question, misplaced};
use crate::actions::Action;
use crate::resource::GroupId;
use crate::upstream::read::Read;

/// Rule 2 of the specification, and 11.20.
pub fn decide(
    question: &Question,
    known: &Known,
    standing: &Standing,
    group: Option<&GroupId>,
) -> Result<Decision, Stop> {
    if standing.is_outside() {
        return Err(outside(question));
    }
    match (question.action, group) {
        (Action::UsergroupMember, Some(group)) => {
            match is_in(known, group)?(question.user.as_str()) {
                true => allowed(question, &format!("is in the user group `{group}`")),
                false => denied(question, &format!("is not in the user group `{group}`")),
            }
        }
        (Action::UsergroupManage, _) => manages(question, standing),
        (_, _) => Err(misplaced(question)),
    }
}

/// Who is in a group.
/// Errors: it is not listed, because it is unknown or switched off; it is listed without its members; our token may not see it.
fn is_in(known: &Known, group: &GroupId) -> Result<impl Fn(&str) -> bool, Stop> {
    let groups = known
        .usergroups()?
        .ok_or_else(|| known::forbidden(Read::Usergroups.scope()))?;
    let listed = groups
        .into_iter()
        .find(|listed| listed.id == group.as_str());
    let listed = listed.ok_or_else(|| {
        Stop::new(
            Code::ResourceNotVisible,
            format!("no user group `{group}` is listed; it may be switched off"),
        )
    })?;
    let users = listed
        .users
        .ok_or_else(|| Stop::unsupported("Slack lists the user group without its members"))?;
    Ok(move |user: &str| users.iter().any(|member| member == user))
}

/// Admins, unless an owner opened it to members.
fn manages(question: &Question, standing: &Standing) -> Result<Decision, Stop> {
    if standing.is_guest() {
        return Err(guest(question));
    }
    match standing.administers() {
        Held::Yes => allowed(question, "administers the workspace"),
        Held::Untold => Err(elsewhere(question)),
        Held::No if question.policy.default_preferences => {
            denied(question, "does not administer the workspace")
        }
        Held::No => Err(Stop::unsupported(
            "whether members may manage user groups is a preference that our token cannot read",
        )),
    }
}
