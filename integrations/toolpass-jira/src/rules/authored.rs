//! Comments and worklogs: anybody's by who may change all, one's own by who may change their own.
//!
//! One that is restricted to a group or role also takes being in it, which is not read for others.
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Update comment", "Delete comment", "Update worklog", "Delete worklog";
//! read 2026-12-01.

use super::Question;
use super::known::{Known, Stop};
use super::permission::{as_agent, with_agents};
use crate::actions::Action;
use crate::resource::Target;
use crate::upstream::read::Read;
use crate::upstream::records::work;

/// Edit or delete a comment or a worklog.
pub fn decide(question: &Question, known: &Known) -> Result<String, Stop> {
    let (issue, read) = match &question.target {
        Target::Comment(issue, id) => (issue, Read::Comment(issue.clone(), *id)),
        Target::Worklog(issue, id) => (issue, Read::Worklog(issue.clone(), *id)),
        _ => return Err(Stop::unsupported("expected a comment or a worklog")),
    };
    let [all, own] = match question.action {
        Action::CommentDelete => ["DELETE_ALL_COMMENTS", "DELETE_OWN_COMMENTS"],
        Action::CommentEdit => ["EDIT_ALL_COMMENTS", "EDIT_OWN_COMMENTS"],
        Action::WorklogDelete => ["DELETE_ALL_WORKLOGS", "DELETE_OWN_WORKLOGS"],
        _ => ["EDIT_ALL_WORKLOGS", "EDIT_OWN_WORKLOGS"],
    };
    known.all([Read::Issue(issue.clone()), read.clone()])?;
    let place = known.issue(issue)?;
    let record = known.seen(read, work::authored)?;
    let is_own = record.author.as_deref() == Some(known.user);
    let keys = with_agents(
        question,
        &[all, own, "BROWSE_PROJECTS"],
        std::slice::from_ref(&place),
    );
    let granted = known.held(&keys, &[&place])?;
    // All are looked at, so that an answer without one of them decides nothing.
    let (all, own) = (granted.has(all, &place)?, granted.has(own, &place)?);
    if !granted.has("BROWSE_PROJECTS", &place)? {
        return Err(Stop::deny(format!("the user does not see {}", place.name)));
    }
    if !(all || is_own && own) {
        return Err(Stop::deny(format!(
            "the user may not change {} on {}",
            if is_own {
                "what they wrote"
            } else {
                "what others wrote"
            },
            place.name
        )));
    }
    if place.is_archived {
        return Err(Stop::deny(format!("{} is archived", place.name)));
    }
    if record.is_restricted && !is_own {
        return Err(Stop::unsupported(
            "it is restricted to a group or role, and whether the user is in it is not read",
        ));
    }
    as_agent(question, &granted, &place)?;
    Ok(format!("the user may change it on {}", place.name))
}
