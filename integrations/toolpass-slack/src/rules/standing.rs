//! What somebody is in the connection's workspace: of it, of another one of the organization, or from outside; and in which role.
//!
//! A flag of an account of another workspace says what it is there. So a role counts only together with the place.
//! Source: docs.slack.dev "User object"; slack.com/help "Permissions by role in Slack", "Slack Connect"; read 2026-11-30.

use super::Question;
use super::known::{Known, Stop};
use crate::resource::{TeamId, UserId};
use crate::upstream::read::Read;
use crate::upstream::records::{Auth, EnterpriseUser, User};

/// What an account is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Account {
    /// Somebody who can do something.
    Active(Standing),
    /// Deactivated, a bot, or not joined, in words.
    Inactive(&'static str),
}

/// A person in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Where the account is from.
    pub place: Place,
    /// What it is in the organization of the workspace, when there is one.
    pub organization: Option<EnterpriseUser>,
}

/// Where an account is from, and what it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Another workspace of the same organization.
    Elsewhere(Role),
    /// The connection's workspace.
    Here(Role),
    /// Another organization: a partner in a shared channel.
    Outside,
}

/// The roles, from the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A guest of one channel.
    SingleChannelGuest,
    /// A guest of several channels.
    MultiChannelGuest,
    /// A full member.
    Member,
    /// Workspace Admin.
    Admin,
    /// Workspace Owner.
    Owner,
    /// Primary Owner.
    PrimaryOwner,
}

/// Whether something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It is not.
    No,
    /// Slack does not say.
    Untold,
    /// It is.
    Yes,
}

impl Standing {
    /// Whether they administer the connection's workspace.
    pub fn administers(&self) -> Held {
        match self.place {
            Place::Here(role) if role >= Role::Admin => Held::Yes,
            Place::Here(_) | Place::Outside => Held::No,
            Place::Elsewhere(_) => Held::Untold,
        }
    }

    /// Whether they are a guest, of this workspace or of another one of the organization.
    pub fn is_guest(&self) -> bool {
        match self.place {
            Place::Elsewhere(role) | Place::Here(role) => role < Role::Member,
            Place::Outside => false,
        }
    }

    /// Whether they belong to another organization.
    pub fn is_outside(&self) -> bool {
        self.place == Place::Outside
    }

    /// Whether they are a full member of the connection's workspace.
    pub fn is_member(&self) -> bool {
        matches!(self.place, Place::Here(role) if role >= Role::Member)
    }

    /// Whether they see only what they are in: guests, and people from outside.
    pub fn sees_own_only(&self) -> bool {
        self.is_guest() || self.is_outside()
    }

    /// Whether they administer the organization of the workspace.
    /// Errors: the record does not say.
    pub fn administers_organization(&self) -> Result<bool, Stop> {
        let organization = self.organization.as_ref().ok_or_else(no_organization)?;
        Ok(told(organization.is_admin, "administers the organization")?
            || told(organization.is_owner, "owns the organization")?)
    }

    /// Whether they own the organization of the workspace.
    /// Errors: the record does not say.
    pub fn owns_organization(&self) -> Result<bool, Stop> {
        let organization = self.organization.as_ref().ok_or_else(no_organization)?;
        Ok(organization.is_primary_owner == Some(true)
            || told(organization.is_owner, "owns the organization")?)
    }
}

/// What the user of a question is.
/// Errors: a denial for whoever is deactivated, a bot or not joined; there is no answer when Slack does not show the account.
pub fn of_user(question: &Question, known: &Known) -> Result<Standing, Stop> {
    match account(question, known, &question.user)? {
        Some(Account::Active(standing)) => Ok(standing),
        Some(Account::Inactive(what)) => Err(Stop::deny(format!("`{}` {what}", question.user))),
        None => Err(Stop::unsupported(format!(
            "Slack does not show the account `{}` any more",
            question.user
        ))),
    }
}

/// What somebody is; nothing when Slack does not show the account.
/// Errors: the record does not say what is needed.
pub fn account(question: &Question, known: &Known, id: &UserId) -> Result<Option<Account>, Stop> {
    known.all([Read::Auth, Read::User(id.clone())])?;
    let auth = known.auth()?;
    let Some(user) = known.user(id)? else {
        return Ok(None);
    };
    let inactive = if told(user.deleted, "is deactivated")? {
        Some("is deactivated")
    } else if told(user.is_bot, "is a bot")? || id.as_str() == SLACKBOT {
        Some("is a bot")
    } else if user.is_invited_user == Some(true) {
        Some("is invited and has not joined")
    } else {
        None
    };
    if let Some(what) = inactive {
        return Ok(Some(Account::Inactive(what)));
    }
    let place = place(&user, &auth, question.team.as_ref())?;
    let of_workspace = organization_of(&auth, question.team.as_ref());
    let organization = user
        .enterprise
        .filter(|own| own.id.is_some() && own.id.as_deref() == of_workspace);
    Ok(Some(Account::Active(Standing {
        place,
        organization,
    })))
}

/// Rule 11.4: an account is of the workspace by its own record, and of the organization when both records name the same.
fn place(user: &User, auth: &Auth, team: Option<&TeamId>) -> Result<Place, Stop> {
    if user.is_stranger == Some(true) {
        return Ok(Place::Outside);
    }
    let own = user.enterprise.as_ref();
    let of_organization = own.and_then(|own| own.id.as_deref());
    if user.team_id.is_none() && of_organization.is_none() {
        return Err(Stop::unsupported(
            "Slack's record does not say which workspace the account is of",
        ));
    }
    let workspace = team
        .map(TeamId::as_str)
        .or(auth.team_id.as_deref())
        .ok_or_else(|| Stop::unsupported("Slack does not say which workspace our token is of"))?;
    let is_in = |id: &str| {
        user.team_id.as_deref() == Some(id)
            || own.is_some_and(|own| own.teams.iter().any(|team| team == id))
    };
    let same_organization =
        of_organization.is_some() && of_organization == organization_of(auth, team);
    if is_in(workspace) || team.is_some_and(TeamId::is_organization) && same_organization {
        return Ok(Place::Here(role(user)?));
    }
    if same_organization {
        return Ok(Place::Elsewhere(role(user)?));
    }
    Ok(Place::Outside)
}

fn organization_of<'a>(auth: &'a Auth, team: Option<&'a TeamId>) -> Option<&'a str> {
    team.filter(|team| team.is_organization())
        .map(TeamId::as_str)
        .or(auth.enterprise_id.as_deref())
}

fn role(user: &User) -> Result<Role, Stop> {
    let is_single = told(user.is_ultra_restricted, "is a guest")?;
    let is_guest = told(user.is_restricted, "is a guest")?;
    let primary = told(user.is_primary_owner, "owns the workspace")?;
    let owner = told(user.is_owner, "owns the workspace")?;
    let admin = told(user.is_admin, "administers the workspace")?;
    Ok(match (is_single, is_guest) {
        // A guest who administers is none; what is less is taken.
        (true, _) => Role::SingleChannelGuest,
        (_, true) => Role::MultiChannelGuest,
        _ if primary => Role::PrimaryOwner,
        _ if owner => Role::Owner,
        _ if admin => Role::Admin,
        _ => Role::Member,
    })
}

fn told(flag: Option<bool>, what: &str) -> Result<bool, Stop> {
    flag.ok_or_else(|| {
        Stop::unsupported(format!(
            "Slack's record does not say whether the account {what}"
        ))
    })
}

fn no_organization() -> Stop {
    Stop::unsupported(
        "Slack's record names no organization of several workspaces that the account is in",
    )
}

/// Slack's own account, which says that it is a person.
const SLACKBOT: &str = "USLACKBOT";
