//! Rules about the organization: membership, ownership, what members may create.
//!
//! Source: docs.github.com "Roles in an organization", REST "Get organization membership for a user", "Get an organization"; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::quoted::Quoted;
use toolpass_integration::answers::Found;

use super::Question;
use super::known::{self, Known, Stop};
use crate::actions::Action;
use crate::facts::Switch;
use crate::resource::{Kind, Login};
use crate::upstream::read::Read;
use crate::upstream::records::people::{Membership, Organization};

/// A user's standing in the organization or in a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Active, with the highest role: owner of the organization, maintainer of the team.
    Head,
    /// Active.
    Member,
    /// Invited, not yet in.
    Pending,
    /// Not in it.
    Outside,
}

/// Rule 5 of the specification.
pub fn decide(question: &Question, known: &Known, kind: Option<Kind>) -> Result<Decision, Stop> {
    let (user, organization) = (&question.user, &question.organization);
    if question.action == Action::OrgRepoCreate || question.said.organization_switch.is_some() {
        known.all([Read::OrgMembership(user.clone()), Read::Organization])?;
    }
    let standing = standing_of(known, user)?;
    if standing != Standing::Head && standing != Standing::Member {
        let state = if standing == Standing::Pending {
            "invited to"
        } else {
            "no member of"
        };
        return Ok(Decision::deny(format!(
            "`{user}` is {state} the organization `{organization}`"
        )));
    }
    let owner = standing == Standing::Head;
    match question.action {
        Action::OrgMember => Ok(Decision::allow(format!(
            "`{user}` is a member of `{organization}`"
        ))),
        _ if owner => Ok(Decision::allow(format!(
            "`{user}` owns the organization `{organization}`"
        ))),
        Action::OrgRepoCreate => creates(question, known, kind),
        Action::OrgAdmin => not_an_owner(question, known),
        Action::RepoRead
        | Action::RepoTriage
        | Action::RepoPush
        | Action::RepoMaintain
        | Action::RepoAdmin
        | Action::IssueCreate
        | Action::PrCreate
        | Action::PrMerge
        | Action::TeamMember
        | Action::TeamMaintainer => Err(Stop::new(
            Code::InvalidRequest,
            format!(
                "`{}` is not asked on an organization",
                question.action.name()
            ),
        )),
    }
}

/// The user's standing in the organization.
pub fn standing_of(known: &Known, user: &Login) -> Result<Standing, Stop> {
    match known.org_membership(user)? {
        Found::Here(membership) => standing(&membership, "admin"),
        Found::Missing => Ok(Standing::Outside),
        Found::Forbidden => Err(known::forbidden(
            Read::OrgMembership(user.clone()).permission(),
        )),
    }
}

/// Read a membership whose highest role is called `head`.
/// Errors: the state is absent or a word not known, or the role is.
pub fn standing(membership: &Membership, head: &str) -> Result<Standing, Stop> {
    match (membership.state.as_deref(), membership.role.as_deref()) {
        (Some("active"), Some(role)) if role == head => Ok(Standing::Head),
        (Some("active"), Some("member")) => Ok(Standing::Member),
        (Some("active"), Some("billing_manager")) => Ok(Standing::Outside), // sees the bills and nothing else
        (Some("pending"), _) => Ok(Standing::Pending),
        (Some("active"), role) => Err(Stop::unsupported(format!(
            "GitHub gives a membership the role {}, which is not known",
            Quoted::new(role.unwrap_or_default())
        ))),
        (state, _) => Err(Stop::unsupported(format!(
            "GitHub gives a membership the state {}, which is not known",
            Quoted::new(state.unwrap_or_default())
        ))),
    }
}

/// Rule 11.15: owners may keep a repository's deletion, transfer, visibility and its issues' deletion to themselves.
/// The user is known to administer the repository.
pub fn switched(question: &Question, known: &Known, switch: Switch) -> Result<(), Stop> {
    known.all([
        Read::Organization,
        Read::OrgMembership(question.user.clone()),
    ])?;
    let organization = known.organization()?;
    let (open, what) = match switch {
        Switch::CreateTeams => (organization.create_teams, "creating teams"),
        Switch::Delete => (organization.delete_repositories, "deleting repositories"),
        Switch::DeleteIssues => (organization.delete_issues, "deleting issues"),
        Switch::Discussions => (organization.create_discussions, "opening discussions"),
        Switch::Pages => (publishing(&organization), "publishing sites"),
        Switch::Transfer => (
            organization.delete_repositories,
            "transferring repositories",
        ),
        Switch::Visibility => (
            organization.change_visibility,
            "changing who sees a repository",
        ),
    };
    if open == Some(true) {
        return Ok(());
    }
    let owner = standing_of(known, &question.user)? == Standing::Head;
    match (open, owner) {
        (_, true) if switch != Switch::DeleteIssues => Ok(()),
        (Some(_), false) => Err(Stop::deny(format!(
            "`{}` keeps {what} to its owners",
            question.organization
        ))),
        // The page on deleting issues does not say whether the switch binds owners.
        (_, true) | (None, false) => Err(Stop::unsupported(format!(
            "whether `{}` leaves {what} to `{}` cannot be read",
            question.organization, question.user
        ))),
    }
}

/// Whether members may publish sites. Unless every kind is open, it depends on the kind, which cannot be told.
fn publishing(organization: &Organization) -> Option<bool> {
    let kinds = [
        organization.create_public_pages,
        organization.create_private_pages,
    ];
    match organization.create_pages {
        Some(true) if kinds != [Some(true); 2] => None,
        open => open,
    }
}

/// Owners may keep it to themselves to let somebody from outside into a repository. The user is known to administer it.
pub fn invites(question: &Question, known: &Known, invited: &Login) -> Result<(), Stop> {
    known.all([
        Read::Organization,
        Read::OrgMembership(invited.clone()),
        Read::OrgMembership(question.user.clone()),
    ])?;
    let open = known.organization()?.invite_outside;
    let is_inside = matches!(
        standing_of(known, invited)?,
        Standing::Head | Standing::Member
    );
    if open == Some(true) || is_inside || standing_of(known, &question.user)? == Standing::Head {
        return Ok(());
    }
    match open {
        Some(_) => Err(Stop::deny(format!(
            "`{invited}` is no member of `{}`, which keeps inviting people from outside to its owners",
            question.organization
        ))),
        None => Err(Stop::unsupported(format!(
            "whether `{}` leaves inviting people from outside to `{}` cannot be read",
            question.organization, question.user
        ))),
    }
}

/// An active member who does not own the organization asks to create a repository.
fn creates(question: &Question, known: &Known, kind: Option<Kind>) -> Result<Decision, Stop> {
    let kind = match (kind, question.said.visibility) {
        (Some(written), Some(said)) if written != said => {
            return Err(Stop::new(
                Code::InvalidRequest,
                "two kinds of repository are named",
            ));
        }
        (written, said) => written.or(said),
    };
    let record = known.organization()?;
    let organization = &question.organization;
    let untold = |what: &str| {
        Stop::unsupported(format!(
            "our credential does not see whether members of `{organization}` may create {what} repositories"
        ))
    };
    match record.create_repositories {
        Some(false) => {
            return Ok(Decision::deny(format!(
                "members of `{organization}` may not create repositories"
            )));
        }
        None => return Err(untold("any")),
        Some(true) => {}
    }
    let Some(kind) = kind else {
        return Ok(Decision::allow(format!(
            "members of `{organization}` may create repositories{}",
            permitted(&record)
        )));
    };
    let open = match kind {
        Kind::Internal => record.create_internal,
        Kind::Private => record.create_private,
        Kind::Public => record.create_public,
    };
    match open {
        Some(true) => Ok(Decision::allow(format!(
            "members of `{organization}` may create {} repositories",
            kind.as_str()
        ))),
        Some(false) => Ok(Decision::deny(format!(
            "members of `{organization}` may not create {} repositories",
            kind.as_str()
        ))),
        None => Err(untold(kind.as_str())),
    }
}

/// An active member who does not own the organization asks for an owner's right.
fn not_an_owner(question: &Question, known: &Known) -> Result<Decision, Stop> {
    let (user, organization) = (&question.user, &question.organization);
    if question.said.organization_switch == Some(Switch::CreateTeams) {
        switched(question, known, Switch::CreateTeams)?;
        return Ok(Decision::allow(format!(
            "members of `{organization}` may create teams"
        )));
    }
    if question.said.delegable {
        return Err(Stop::unsupported(format!(
            "`{user}` does not own `{organization}`, but others may hold this right too and who does cannot be read"
        )));
    }
    Ok(Decision::deny(format!(
        "`{user}` is a member of `{organization}`, not an owner"
    )))
}

/// The kinds members may create, for the text of an allow.
fn permitted(record: &Organization) -> String {
    let kinds = [
        ("public", record.create_public),
        ("private", record.create_private),
        ("internal", record.create_internal),
    ];
    let named: Vec<&str> = kinds
        .into_iter()
        .filter(|(_, open)| *open == Some(true))
        .map(|(kind, _)| kind)
        .collect();
    if named.is_empty() {
        String::new()
    } else {
        format!(": {}", named.join(", "))
    }
}
