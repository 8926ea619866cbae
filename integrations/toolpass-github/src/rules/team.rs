//! Rules about a team: members, maintainers, and who else may do a maintainer's work.
//!
//! Source: docs.github.com "Assigning the team maintainer role to a team member", "About teams", REST "Get team membership for a user",
//! "Add or update team membership for a user"; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::answers::Found;

use super::Question;
use super::known::{self, Known, Stop};
use super::org::{self, Standing};
use super::role::{Grant, Held, Level};
use crate::actions::Action;
use crate::resource::{Login, Slug};
use crate::upstream::read::Read;
use crate::upstream::records::people::Team;

/// Rule 6 of the specification, and 11.26: owners of the organization pass every action on its teams.
pub fn decide(question: &Question, known: &Known, team: &Slug) -> Result<Decision, Stop> {
    let (user, said) = (&question.user, &question.said);
    known.all([
        Read::TeamMembership(team.clone(), user.clone()),
        Read::OrgMembership(user.clone()),
    ])?;
    let own = org::standing_of(known, user)?;
    if own == Standing::Head {
        seen(known, team)?;
        return Ok(Decision::allow(format!(
            "`{user}` owns the organization `{}`",
            question.organization
        )));
    }
    let standing = standing_of(known, team, user)?;
    let record = if standing == Standing::Outside || said.team_sight {
        Some(seen(known, team)?)
    } else {
        None
    };
    let active = matches!(standing, Standing::Head | Standing::Member);
    match question.action {
        Action::TeamMember if active => Ok(Decision::allow(format!(
            "`{user}` is a member of the team `{team}`"
        ))),
        Action::TeamMember if said.team_sight => sight(question, record.as_ref(), own),
        Action::TeamMember => Ok(Decision::deny(format!(
            "`{user}` is no active member of the team `{team}`"
        ))),
        Action::TeamMaintainer if standing == Standing::Head => maintains(question, known, team),
        Action::TeamMaintainer => not_a_maintainer(question, known, team),
        Action::RepoRead
        | Action::RepoTriage
        | Action::RepoPush
        | Action::RepoMaintain
        | Action::RepoAdmin
        | Action::IssueCreate
        | Action::PrCreate
        | Action::PrMerge
        | Action::OrgMember
        | Action::OrgAdmin
        | Action::OrgRepoCreate => Err(Stop::new(
            Code::InvalidRequest,
            format!("`{}` is not asked on a team", question.action.name()),
        )),
    }
}

/// The user's standing in a team. No membership is "outside"; whether the team is there at all, [`seen`] says.
pub fn standing_of(known: &Known, team: &Slug, user: &Login) -> Result<Standing, Stop> {
    match known.team_membership(team, user)? {
        Found::Here(membership) => org::standing(&membership, "maintainer"),
        Found::Missing => Ok(Standing::Outside),
        Found::Forbidden => Err(known::forbidden(
            Read::TeamMembership(team.clone(), user.clone()).permission(),
        )),
    }
}

fn seen(known: &Known, team: &Slug) -> Result<Team, Stop> {
    match known.team(team)? {
        Found::Here(record) => Ok(record),
        Found::Missing => Err(Stop::new(
            Code::ResourceNotVisible,
            format!("our credential does not see a team `{team}`"),
        )),
        Found::Forbidden => Err(known::forbidden(Read::Team(team.clone()).permission())),
    }
}

/// Seeing a team: a closed one is seen by every member of the organization, a secret one by its own.
fn sight(question: &Question, record: Option<&Team>, own: Standing) -> Result<Decision, Stop> {
    let (user, organization) = (&question.user, &question.organization);
    match (record.and_then(|record| record.privacy.as_deref()), own) {
        (Some("closed"), Standing::Head | Standing::Member) => Ok(Decision::allow(format!(
            "`{user}` is a member of `{organization}`, whose members see the team"
        ))),
        (Some("closed"), Standing::Pending | Standing::Outside) => Ok(Decision::deny(format!(
            "`{user}` is no active member of `{organization}`"
        ))),
        (Some("secret"), _) => Ok(Decision::deny(format!(
            "the team is secret and `{user}` is no active member of it"
        ))),
        (_, _) => Err(Stop::unsupported(
            "GitHub's record does not say who sees the team",
        )),
    }
}

/// A maintainer, unless what is asked is an owner's: to invite somebody, or to make a maintainer.
fn maintains(question: &Question, known: &Known, team: &Slug) -> Result<Decision, Stop> {
    let user = &question.user;
    if question.said.team_add_maintainer {
        // One page lets maintainers change roles, another says that owners promote; the safer one is taken.
        return Ok(Decision::deny(format!(
            "`{user}` maintains the team `{team}`; making somebody a maintainer is left to owners of `{}`",
            question.organization
        )));
    }
    if let Some(added) = &question.said.team_add_member {
        let inside = matches!(
            org::standing_of(known, added)?,
            Standing::Head | Standing::Member
        );
        if !inside {
            return Ok(Decision::deny(format!(
                "`{added}` is no member of `{}`; only its owners invite people",
                question.organization
            )));
        }
    }
    Ok(Decision::allow(format!(
        "`{user}` maintains the team `{team}`"
    )))
}

fn not_a_maintainer(question: &Question, known: &Known, team: &Slug) -> Result<Decision, Stop> {
    let (user, said) = (&question.user, &question.said);
    let Some(repo) = &said.or_admin_of else {
        return Ok(Decision::deny(format!(
            "`{user}` does not maintain the team `{team}`"
        )));
    };
    if repo.owner != question.organization {
        return Err(Stop::new(
            Code::InvalidRequest,
            format!(
                "`{repo}` is outside the organization `{}`",
                question.organization
            ),
        ));
    }
    let grant = Grant::of(question, known, repo, user)?;
    match grant.holds(Level::Admin) {
        Held::Yes => Ok(Decision::allow(format!("`{user}` administers `{repo}`"))),
        Held::No if grant.custom_role().is_none() => Ok(Decision::deny(format!(
            "`{user}` maintains neither the team `{team}` nor administers `{repo}`"
        ))),
        Held::No | Held::Untold => Err(Stop::unsupported(format!(
            "whether `{user}` administers `{repo}` cannot be told"
        ))),
    }
}
