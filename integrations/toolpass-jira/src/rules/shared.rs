//! Filters and dashboards: edited by their owner and by those they are shared with for that.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Update filter", "Change filter owner", "Update dashboard"; read 2026-12-01.

use super::Question;
use super::known::{Known, Stop};
use super::permission::global;
use crate::resource::{Project, Target};
use crate::upstream::read::Read;
use crate::upstream::records::people;
use crate::upstream::records::shared::{self, Share, Shared};

/// Edit a filter or a dashboard.
pub fn edit(question: &Question, known: &Known) -> Result<String, Stop> {
    let record = record(question, known)?;
    if record.owner.as_deref() == Some(known.user) {
        return Ok("the user owns it".into());
    }
    let untold = || Stop::unsupported("Jira does not say with whom it is shared to be edited");
    let (mut untellable, editors) = (false, record.editors.ok_or_else(untold)?);
    for share in editors {
        let is_meant = match share {
            Share::Everybody => true,
            Share::Group(name) => {
                let member = known.seen(Read::User(known.user.to_owned()), people::member)?;
                let groups = member.groups.ok_or_else(|| {
                    Stop::unsupported("Jira does not say in which groups the user is")
                })?;
                groups.contains(&name)
            }
            Share::Project(id, by_role) => {
                let place = known.project(&Project::of_id(id))?;
                let browses = known
                    .held(&["BROWSE_PROJECTS"], &[&place])?
                    .has("BROWSE_PROJECTS", &place)?;
                // Who has the role sees the project; not everybody who sees it has the role.
                untellable |= browses && by_role;
                browses && !by_role
            }
            Share::User(account) => account == known.user,
            Share::Unknown => {
                untellable = true;
                false
            }
        };
        if is_meant {
            return Ok("it is shared with the user to be edited".into());
        }
    }
    match untellable {
        true => Err(Stop::unsupported(
            "it is shared in a way that cannot be told for this user, such as a project role",
        )),
        false => Err(Stop::deny(
            "the user neither owns it nor is it shared with them to be edited",
        )),
    }
}

/// Do what only the owner may.
pub fn own(question: &Question, known: &Known) -> Result<String, Stop> {
    let record = record(question, known)?;
    match record.owner.as_deref() {
        Some(owner) if owner == known.user => Ok("the user owns it".into()),
        Some(_) if question.said.or_administer => global(known, "ADMINISTER"),
        Some(_) => Err(Stop::deny("the user does not own it")),
        None => Err(Stop::unsupported("Jira does not say who owns it")),
    }
}

fn record(question: &Question, known: &Known) -> Result<Shared, Stop> {
    let read = match &question.target {
        Target::Dashboard(id) => Read::Dashboard(*id),
        Target::Filter(id) => Read::Filter(*id),
        _ => return Err(Stop::unsupported("expected a filter or a dashboard")),
    };
    known.seen(read, shared::shared)
}
