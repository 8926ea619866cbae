//! Rules about an issue: rule 5 of the specification, and 11.5 of it.
//!
//! Source: linear.app/docs "Private issue sharing", "Delete and archive issues"; the schema's `Issue.sharedAccess`; read 2026-12-01.

use toolpass_integration::answers;

use super::known::{self, Known, Stop};
use super::standing::Standing;
use super::{Question, Verdict, active, not_here, team};
use crate::actions::Action;
use crate::resource::Name;
use crate::upstream::read::Read;
use crate::upstream::records::Issue;

/// Decide a question about an issue.
pub fn decide(question: &Question, known: &Known, name: &Name) -> Verdict {
    known.all([Read::User(question.user.clone()), Read::Issue(name.clone())])?;
    let standing = active(question, known)?;
    match question.action {
        Action::IssueView => reach(known, &standing, name),
        Action::IssueEdit => edit(question, known, &standing, name),
        Action::IssueShare => share(known, &standing, name),
        _ => Err(not_here(question)),
    }
}

/// Seeing an issue, and editing it: both are open to who sees its team, and to whom it is shared with.
pub fn reach(known: &Known, standing: &Standing, name: &Name) -> Verdict {
    let issue = seen(known, name)?;
    match standing.access(known, &issue.team) {
        Err(answers::Stop::Denied(why)) => shared_with(known, standing, &issue, why),
        verdict => verdict,
    }
}

fn edit(question: &Question, known: &Known, standing: &Standing, name: &Name) -> Verdict {
    if question.said.agent && standing.account().guest {
        match known.keeps_guests_from_agents()? {
            Some(false) => {}
            Some(true) => {
                return Err(Stop::deny(format!(
                    "the workspace keeps guests such as `{}` from starting agents",
                    standing.shown()
                )));
            }
            None => {
                return Err(Stop::unsupported(
                    "Linear does not say whether guests may start agents",
                ));
            }
        }
    }
    if question.said.native {
        let issue = seen(known, name)?;
        return standing.access(known, &issue.team);
    }
    reach(known, standing, name)
}

/// Sharing on is for who sees the team, not for whom it is shared with; sub-issues go with it.
fn share(known: &Known, standing: &Standing, name: &Name) -> Verdict {
    let issue = seen(known, name)?;
    standing.access(known, &issue.team)?;
    let allowed = team::by_setting(known, standing, &issue.team, Action::IssueShare)?;
    if !known.children(&known::id(&issue.id)?)?.same_team {
        return Err(Stop::unsupported(
            "the issue has sub-issues in other teams, which would be shared too",
        ));
    }
    Ok(allowed)
}

fn seen(known: &Known, name: &Name) -> Result<Issue, Stop> {
    let issue = known.issue(name)?;
    if issue.trashed {
        return Err(Stop::unsupported(format!(
            "the issue {} is in the trash",
            issue.identifier
        )));
    }
    Ok(issue)
}

/// 11.5: a share of the issue itself, or of the issue above it where it takes that one's shares over and has none of its own.
fn shared_with(known: &Known, standing: &Standing, issue: &Issue, why: String) -> Verdict {
    let mut at = known::id(&issue.id)?;
    for _ in 0..MAX_PARENTS {
        let shares = known.shares(&at)?;
        if shares.users.iter().any(|user| standing.is(Some(user))) {
            return Ok(format!(
                "the issue {} is shared with `{}`",
                issue.identifier,
                standing.shown()
            ));
        }
        let listed = u64::try_from(shares.users.len()).unwrap_or(u64::MAX);
        if shares.count.is_some_and(|count| count > listed) {
            return Err(Stop::unsupported(format!(
                "Linear does not list everybody the issue {} is shared with",
                issue.identifier
            )));
        }
        match shares.inherits_from {
            Some(parent) if shares.users.is_empty() => at = known::id(&parent)?,
            Some(_) | None => return Err(Stop::deny(why)),
        }
    }
    Err(Stop::unsupported(format!(
        "the issue {} has more issues above it than are looked at",
        issue.identifier
    )))
}

/// How many issues above one are looked at for a share.
const MAX_PARENTS: usize = 5;
