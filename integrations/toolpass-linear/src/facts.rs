//! What an observed request says besides its resource, and what the rules take it to mean.
//!
//! The one agreement between the table, which writes these, and the rules, which read them. Separate so that both sides fail together.
//! INVARIANT: a fact that is not known, not well formed, or not for the action is never ignored: the question is `unsupported`.

use toolpass_core::question::Facts;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::resource::Name;

/// The account that is put into the team: itself, a guest, or somebody else.
pub const ADDS: &str = "adds";
/// `1`: starts an agent, which a workspace may keep from guests.
pub const AGENT: &str = "agent";
/// `1`: open on something that is archived.
pub const ARCHIVED_OK: &str = "archived_ok";
/// The role that is given: never above the user's own.
pub const GRANTS: &str = "grants";
/// The teams a project is left with, by key or id, comma-separated: who takes one away must see it.
pub const KEEPS_TEAMS: &str = "keeps_teams";
/// `1`: a share is not enough.
pub const NATIVE: &str = "native";
/// The id or e-mail of an account whose owner may do it too.
pub const OR_SELF: &str = "or_self";
/// The account it is done to: one of an owner is the owners' to change.
pub const TO_ACCOUNT: &str = "to_account";

/// The facts of one question, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// See [`ADDS`].
    pub adds: Option<Name>,
    /// See [`AGENT`].
    pub agent: bool,
    /// See [`ARCHIVED_OK`].
    pub archived_ok: bool,
    /// See [`GRANTS`].
    pub grants: Option<Role>,
    /// See [`KEEPS_TEAMS`].
    pub keeps_teams: Option<Vec<Name>>,
    /// See [`NATIVE`].
    pub native: bool,
    /// See [`OR_SELF`].
    pub or_self: Option<String>,
    /// See [`TO_ACCOUNT`].
    pub to_account: Option<Name>,
}

/// A role in the workspace. The order of the variants is the order of rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Sees only the teams it was invited to.
    Guest,
    /// A full member.
    User,
    /// An administrator.
    Admin,
    /// An owner; there are some on the plan Enterprise only.
    Owner,
}

impl Role {
    /// Read Linear's word for a role; `app` is none.
    pub fn parse(text: &str) -> Option<Role> {
        match text {
            "admin" => Some(Role::Admin),
            "guest" => Some(Role::Guest),
            "owner" => Some(Role::Owner),
            "user" => Some(Role::User),
            _ => None,
        }
    }

    /// Linear's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::Guest => "guest",
            Role::Owner => "owner",
            Role::User => "user",
        }
    }
}

impl Circumstances {
    /// Read the facts of a question.
    /// Errors: `unsupported` for a fact that is not known, not well formed, or not for `action`.
    pub fn read(action: Action, facts: &Facts) -> Result<Circumstances, Failure> {
        let mut said = Circumstances::default();
        for (name, value) in facts {
            let understood = is_for(name, action) && said.take(name, value);
            if !understood {
                return Err(Failure::unsupported(format!(
                    "the request's fact `{}` is not understood for `{}`",
                    toolpass_core::quoted::clipped(name, 64),
                    action.name()
                )));
            }
        }
        Ok(said)
    }

    fn take(&mut self, name: &str, value: &str) -> bool {
        let is_set = value == "1";
        match name {
            ADDS => self.adds = Name::id(value),
            AGENT => self.agent = is_set,
            ARCHIVED_OK => self.archived_ok = is_set,
            GRANTS => self.grants = Role::parse(value),
            KEEPS_TEAMS => self.keeps_teams = value.split(',').map(Name::team).collect(),
            NATIVE => self.native = is_set,
            OR_SELF => self.or_self = (!value.is_empty()).then(|| value.to_owned()),
            TO_ACCOUNT => self.to_account = Name::id(value),
            _ => return false,
        }
        match name {
            ADDS => self.adds.is_some(),
            GRANTS => self.grants.is_some(),
            KEEPS_TEAMS => self.keeps_teams.is_some(),
            OR_SELF => self.or_self.is_some(),
            TO_ACCOUNT => self.to_account.is_some(),
            _ => is_set,
        }
    }
}

fn is_for(name: &str, action: Action) -> bool {
    match name {
        ADDS => action == Action::TeamMembers,
        AGENT | NATIVE => action == Action::IssueEdit,
        KEEPS_TEAMS => action == Action::ProjectEdit,
        ARCHIVED_OK => matches!(action, Action::ProjectEdit | Action::TeamAdmin),
        GRANTS => matches!(action, Action::WorkspaceInvite | Action::WorkspaceAdmin),
        OR_SELF => matches!(action, Action::WorkspaceMember | Action::WorkspaceAdmin),
        TO_ACCOUNT => action == Action::WorkspaceAdmin,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(action: Action, name: &str, value: &str) -> Result<Circumstances, Failure> {
        Circumstances::read(action, &[(name.to_owned(), value.to_owned())].into())
    }

    #[test]
    fn a_fact_that_is_not_understood_is_never_ignored() {
        assert!(read(Action::IssueEdit, "surprise", "1").is_err());
        assert!(read(Action::IssueView, NATIVE, "1").is_err());
        assert!(read(Action::IssueEdit, NATIVE, "yes").is_err());
        assert!(read(Action::TeamMembers, ADDS, "dana").is_err());
        assert!(read(Action::WorkspaceInvite, GRANTS, "app").is_err());
        assert!(read(Action::WorkspaceMember, OR_SELF, "").is_err());
        assert!(read(Action::ProjectEdit, KEEPS_TEAMS, "ENG,../x").is_err());
        assert_eq!(
            read(Action::WorkspaceInvite, GRANTS, "admin")
                .unwrap()
                .grants,
            Some(Role::Admin)
        );
    }

    #[test]
    fn roles_are_ranked() {
        let ranked = ["guest", "user", "admin", "owner"].map(|word| Role::parse(word).unwrap());
        assert!(ranked.is_sorted());
        assert!(
            ranked
                .iter()
                .all(|role| Role::parse(role.as_str()) == Some(*role))
        );
    }
}
