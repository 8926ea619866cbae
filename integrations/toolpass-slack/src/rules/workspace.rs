//! Rules about the workspace: who is in it, who administers it, who makes channels.
//!
//! Source: slack.com/help "Permissions by role in Slack", "Types of roles in Slack"; docs.slack.dev "Slack Connect API reference"; read
//! 2026-11-30.

use toolpass_core::decision::Decision;

use super::known::{Known, Stop};
use super::standing::{self, Account, Held, Place, Role, Standing};
use super::{Question, misplaced, usergroup};
use crate::actions::Action;
use crate::resource::UserId;

/// Rules 1, 3 of the specification, and what 11 adds on the workspace.
pub fn decide(question: &Question, known: &Known, standing: &Standing) -> Result<Decision, Stop> {
    if standing.is_outside() {
        return Err(outside(question));
    }
    match question.action {
        Action::UserActive => active(question),
        Action::WorkspaceMember => member(question, standing),
        Action::WorkspaceAdmin => administers(question, known, standing),
        Action::OrgAdmin if standing.administers_organization()? => {
            allowed(question, "administers the organization")
        }
        Action::OrgAdmin => denied(question, "administers no organization"),
        Action::OrgOwner if standing.owns_organization()? => {
            allowed(question, "owns the organization")
        }
        Action::OrgOwner => denied(question, "does not own the organization"),
        Action::ConnectManage => connects(question, standing),
        Action::ChannelCreate => gate(question, standing, "create channels"),
        Action::ChannelCreatePrivate => creates_private(question, standing),
        Action::UsergroupManage => usergroup::decide(question, known, standing, None),
        Action::ChannelRead
        | Action::ChannelMember
        | Action::ChannelJoin
        | Action::ChannelTopic
        | Action::ChannelRename
        | Action::ChannelManage
        | Action::ChannelInvite
        | Action::ChannelKick
        | Action::ChannelArchive
        | Action::ChannelUnarchive
        | Action::MessagePost
        | Action::MessagePostThread
        | Action::FileUpload
        | Action::DmPost
        | Action::FileView
        | Action::FileManage
        | Action::CanvasEdit
        | Action::ListEdit
        | Action::UsergroupMember => Err(misplaced(question)),
    }
}

/// Rule W: what owners may keep from members, by preferences that a bot token cannot read.
pub fn gate(question: &Question, standing: &Standing, what: &str) -> Result<Decision, Stop> {
    if standing.is_outside() {
        return Err(outside(question));
    }
    if standing.is_guest() {
        return Err(guest(question));
    }
    match standing.administers() {
        Held::Yes => allowed(question, ADMINISTERS),
        Held::Untold => Err(elsewhere(question)),
        Held::No if question.policy.default_preferences => allowed(
            question,
            &format!("is a full member, and members {what} by default"),
        ),
        Held::No => Err(Stop::unsupported(format!(
            "whether members may {what} is a preference of the workspace that our token cannot read"
        ))),
    }
}

/// Whoever belongs to another organization.
pub fn outside(question: &Question) -> Stop {
    Stop::deny(format!(
        "`{}` belongs to another organization",
        question.user
    ))
}

/// Whoever is a guest.
pub fn guest(question: &Question) -> Stop {
    Stop::deny(format!("`{}` is a guest", question.user))
}

/// Whoever is of another workspace: what they may here is not told.
pub fn elsewhere(question: &Question) -> Stop {
    Stop::unsupported(format!(
        "`{}` is of another workspace of the organization; what they may in this one cannot be told",
        question.user
    ))
}

/// An allow about the user.
pub fn allowed(question: &Question, why: &str) -> Result<Decision, Stop> {
    Ok(Decision::allow(format!("`{}` {why}", question.user)))
}

/// A no about the user.
pub fn denied(question: &Question, why: &str) -> Result<Decision, Stop> {
    Err(Stop::deny(format!("`{}` {why}", question.user)))
}

/// Rule 1. What belongs to the agent, or to somebody else, being active says nothing of.
fn active(question: &Question) -> Result<Decision, Stop> {
    if question.said.agents_own {
        return Err(Stop::unsupported(
            "it is about the agent's own account; mark the request as the agent's",
        ));
    }
    match &question.said.lists_of {
        Some(other) if *other != question.user => Err(Stop::unsupported(
            "it lists the channels of somebody else, as far as the agent sees them",
        )),
        Some(_) | None => allowed(question, "is an active person of Slack"),
    }
}

fn member(question: &Question, standing: &Standing) -> Result<Decision, Stop> {
    match standing.place {
        _ if question.said.about.as_ref() == Some(&question.user) => {
            allowed(question, "is who it is about")
        }
        _ if standing.is_guest() => Err(guest(question)),
        Place::Here(_) => allowed(question, "is a full member of the workspace"),
        Place::Elsewhere(_) => Err(elsewhere(question)),
        Place::Outside => Err(outside(question)),
    }
}

fn administers(question: &Question, known: &Known, standing: &Standing) -> Result<Decision, Stop> {
    match standing.administers() {
        Held::Yes => match &question.said.profile_of {
            Some(other) => profile(question, known, standing, other),
            None => allowed(question, ADMINISTERS),
        },
        Held::Untold => Err(elsewhere(question)),
        Held::No => denied(question, "does not administer the workspace"),
    }
}

/// The profile of somebody who administers is for owners.
fn profile(
    question: &Question,
    known: &Known,
    standing: &Standing,
    other: &UserId,
) -> Result<Decision, Stop> {
    let role = match standing::account(question, known, other)? {
        Some(Account::Active(Standing {
            place: Place::Here(role),
            ..
        })) => role,
        Some(Account::Active(_) | Account::Inactive(_)) | None => {
            return Err(Stop::unsupported(
                "whose profile it is, our token sees as no active person of the workspace",
            ));
        }
    };
    let is_owner = matches!(standing.place, Place::Here(own) if own >= Role::Owner);
    if role < Role::Admin || is_owner {
        allowed(question, ADMINISTERS)
    } else {
        denied(
            question,
            "does not own the workspace, and the profile is that of somebody who administers it",
        )
    }
}

/// Channels shared with other organizations are for admins, unless owners let members share them too.
fn connects(question: &Question, standing: &Standing) -> Result<Decision, Stop> {
    if standing.is_guest() {
        return Err(guest(question));
    }
    match standing.administers() {
        Held::Yes => allowed(question, ADMINISTERS),
        Held::Untold => Err(elsewhere(question)),
        Held::No if question.policy.default_preferences => {
            denied(question, "does not administer the workspace")
        }
        Held::No => Err(Stop::unsupported(
            "whether members may share channels with other organizations is a preference that our token cannot read",
        )),
    }
}

/// Guests of several channels may create private ones, as far as owners let them.
fn creates_private(question: &Question, standing: &Standing) -> Result<Decision, Stop> {
    match standing.place {
        Place::Elsewhere(Role::SingleChannelGuest) | Place::Here(Role::SingleChannelGuest) => {
            Err(guest(question))
        }
        Place::Here(Role::MultiChannelGuest) if question.policy.default_preferences => allowed(
            question,
            "is a guest of several channels, who may create private ones by default",
        ),
        Place::Here(Role::MultiChannelGuest) => Err(Stop::unsupported(
            "whether guests may create private channels is a preference that our token cannot read",
        )),
        Place::Elsewhere(_) => Err(elsewhere(question)),
        Place::Here(_) | Place::Outside => gate(question, standing, "create private channels"),
    }
}

const ADMINISTERS: &str = "administers the workspace";
