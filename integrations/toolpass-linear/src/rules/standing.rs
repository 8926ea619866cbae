//! Who the user is in the workspace, and whether they see a team: rules 1 and 3 of the specification.
//!
//! Source: linear.app/docs "Members and roles", "Private teams", "Sub-teams"; the schema's `Team.visibility`, `Team.restrictedBy` and
//! `User.canAccessAnyPublicTeam`; read 2026-12-01.

use super::Verdict;
use super::known::{self, Known, Stop};
use crate::facts::Role;
use crate::upstream::records::{Account, Membership, Team};

/// The user's account.
#[derive(Clone, Debug)]
pub struct Standing {
    account: Account,
    shown: String,
}

impl Standing {
    /// Of this account; reasons name the user as `shown`.
    pub fn new(account: Account, shown: &str) -> Standing {
        Standing {
            account,
            shown: shown.to_owned(),
        }
    }

    /// How reasons name the user.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Whether this is the account's id.
    pub fn is(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| id.eq_ignore_ascii_case(&self.account.id))
    }

    /// Rule 1: a suspended account may do nothing.
    /// Errors: denied.
    pub fn must_be_active(&self) -> Result<(), Stop> {
        if self.account.active {
            return Ok(());
        }
        let why = self
            .account
            .disabled_for
            .as_deref()
            .unwrap_or("deactivated");
        Err(Stop::deny(format!(
            "the account of `{}` is not active: {}",
            self.shown,
            toolpass_core::quoted::clipped(why, 64)
        )))
    }

    /// The membership in a team.
    pub fn membership(&self, team: &Team) -> Option<&Membership> {
        self.in_team(&team.id)
    }

    /// The role in the workspace; an application has none.
    pub fn role(&self) -> Option<Role> {
        let account = &self.account;
        if account.app {
            None
        } else if account.owner {
            Some(Role::Owner)
        } else if account.admin {
            Some(Role::Admin)
        } else if account.guest {
            Some(Role::Guest)
        } else {
            Some(Role::User)
        }
    }

    /// Whether the account sees every public team. Linear says so; where it does not, a member does and a guest does not, and an
    /// application may be either.
    pub fn sees_public(&self) -> Option<bool> {
        match self.account.sees_public {
            Some(sees) => Some(sees),
            None if self.account.app => None,
            None => Some(!self.account.guest),
        }
    }

    /// Rule 3: who sees a team and what is in it.
    pub fn access(&self, known: &Known, team: &Team) -> Verdict {
        let (user, key) = (&self.shown, &team.key);
        if team.archived {
            return Err(Stop::unsupported(format!(
                "the team {key} is archived; who sees it is not known"
            )));
        }
        let is_member = self.membership(team).is_some();
        match team.visibility.as_deref() {
            Some("public" | "private" | "restricted") if is_member => {
                Ok(format!("`{user}` is a member of the team {key}"))
            }
            Some("public") => match self.sees_public() {
                Some(true) => Ok(format!(
                    "the team {key} is open to `{user}` as a member of the workspace"
                )),
                Some(false) if self.account.app => Err(Stop::unsupported(format!(
                    "whether the application `{user}` reaches the team {key} cannot be told"
                ))),
                Some(false) => Err(Stop::deny(format!(
                    "`{user}` is a guest and no member of the team {key}"
                ))),
                None => Err(Stop::unsupported(format!(
                    "Linear does not say whether `{user}` sees public teams such as {key}"
                ))),
            },
            Some("private") => Err(Stop::deny(format!(
                "the team {key} is private and `{user}` is no member of it, though they may be able to join"
            ))),
            Some("restricted") => self.inside_boundary(known, team),
            Some(_) | None => Err(Stop::unsupported(format!(
                "Linear's record does not say who sees the team {key}"
            ))),
        }
    }

    /// A restricted team is open to the members of the private team around it, guests excepted.
    fn inside_boundary(&self, known: &Known, team: &Team) -> Verdict {
        let (user, key) = (&self.shown, &team.key);
        let Some(boundary) = known.boundary(&known::id(&team.id)?)? else {
            return Err(Stop::unsupported(format!(
                "Linear does not name the private team around the restricted team {key}"
            )));
        };
        if self.account.app {
            return Err(Stop::unsupported(format!(
                "whether the application `{user}` reaches the restricted team {key} cannot be told"
            )));
        }
        if self.in_team(&boundary).is_some() && !self.account.guest {
            return Ok(format!(
                "`{user}` is a member of the private team around the restricted team {key}"
            ));
        }
        Err(Stop::deny(format!(
            "the team {key} is restricted and `{user}` is a member neither of it nor of the private team around it"
        )))
    }

    fn in_team(&self, id: &str) -> Option<&Membership> {
        self.account
            .memberships
            .iter()
            .find(|membership| membership.team.eq_ignore_ascii_case(id))
    }
}
