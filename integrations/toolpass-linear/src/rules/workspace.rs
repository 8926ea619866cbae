//! Rules about the workspace: rule 2 of the specification, and 11.6 and 11.10 of it.
//!
//! Owners there are on the plan Enterprise only; elsewhere an administrator is as much.
//! Source: linear.app/docs "Members and roles", "Workspace owner"; the schema's `Organization.securitySettings`, `PaidSubscription.type`;
//! read 2026-12-01.

use toolpass_integration::answers;

use super::known::{Known, Stop};
use super::standing::Standing;
use super::{Question, Verdict, active, not_here};
use crate::actions::Action;
use crate::facts::Role;
use crate::upstream::read::Read;

/// Decide a question about the workspace.
pub fn decide(question: &Question, known: &Known) -> Verdict {
    known.all([Read::User(question.user.clone())])?;
    let standing = active(question, known)?;
    let said = &question.said;
    let is_own = said.or_self.as_deref().is_some_and(|who| {
        standing.is(Some(who)) || who.eq_ignore_ascii_case(&standing.account().email)
    });
    if is_own {
        return user(&standing);
    }
    if let Some(role) = said.grants
        && standing.role().is_none_or(|own| own < role)
    {
        return Err(Stop::deny(format!(
            "`{}` cannot give the role `{}`, which is above their own",
            standing.shown(),
            role.as_str()
        )));
    }
    if let Some(other) = &said.to_account
        && known.account(other)?.owner
    {
        return owner(&standing);
    }
    match question.action {
        Action::WorkspaceUser => user(&standing),
        Action::WorkspaceMember => member(&standing),
        Action::WorkspaceAdmin => admin(&standing),
        Action::WorkspaceOwner => owner(&standing),
        Action::WorkspaceSettings => settings(known, &standing),
        Action::WorkspaceInvite
        | Action::TeamCreate
        | Action::WorkspaceLabels
        | Action::WorkspaceTemplates
        | Action::WorkspaceIntegrations
        | Action::WorkspaceApi
        | Action::WorkspaceImport
        | Action::WorkspaceAutomation => by_role(known, &standing, question.action),
        _ => Err(not_here(question)),
    }
}

/// Anybody with an account, guests too; applications have none of their own.
pub fn user(standing: &Standing) -> Verdict {
    let user = standing.shown();
    if standing.account().app {
        Err(Stop::deny(format!("`{user}` is an application")))
    } else {
        Ok(format!("`{user}` has an account in the workspace"))
    }
}

/// A full member.
pub fn member(standing: &Standing) -> Verdict {
    let user = standing.shown();
    match standing.role() {
        None => Err(Stop::deny(format!("`{user}` is an application"))),
        Some(Role::Guest) => Err(Stop::deny(format!("`{user}` is a guest"))),
        Some(Role::User | Role::Admin | Role::Owner) => {
            Ok(format!("`{user}` is a member of the workspace"))
        }
    }
}

/// An administrator or an owner.
pub fn admin(standing: &Standing) -> Verdict {
    let (user, account) = (standing.shown(), standing.account());
    if account.owner || account.admin {
        Ok(format!("`{user}` administers the workspace"))
    } else {
        Err(Stop::deny(format!(
            "`{user}` does not administer the workspace"
        )))
    }
}

/// An owner, literally: off the plan Enterprise there is none.
pub fn owner(standing: &Standing) -> Verdict {
    let user = standing.shown();
    if standing.account().owner {
        Ok(format!("`{user}` owns the workspace"))
    } else {
        Err(Stop::deny(format!("`{user}` does not own the workspace")))
    }
}

/// An owner; where there are none, an administrator.
fn settings(known: &Known, standing: &Standing) -> Verdict {
    match owner(standing) {
        Err(answers::Stop::Denied(_)) if standing.account().admin && !has_owners(known)? => {
            Ok(format!("`{}` administers the workspace", standing.shown()))
        }
        verdict => verdict,
    }
}

/// 11.10: what the workspace leaves to which role.
pub fn by_role(known: &Known, standing: &Standing, action: Action) -> Verdict {
    let setting = match action {
        Action::WorkspaceInvite => "invitationsRole",
        Action::TeamCreate => "teamCreationRole",
        Action::WorkspaceLabels => "labelManagementRole",
        Action::WorkspaceTemplates => "templateManagementRole",
        Action::WorkspaceIntegrations => "integrationCreationRole",
        Action::WorkspaceApi => "apiSettingsRole",
        Action::WorkspaceImport => "importRole",
        Action::WorkspaceAutomation => "automationManagementRole",
        _ => {
            return Err(Stop::unsupported(
                "no setting of the workspace says who may do this",
            ));
        }
    };
    let user = standing.shown();
    let Some(own) = standing.role() else {
        return Err(Stop::unsupported(format!(
            "what the application `{user}` may do in the workspace cannot be told"
        )));
    };
    let roles = known.roles()?;
    let needed = roles
        .iter()
        .find(|(name, _)| name == setting)
        .and_then(|(_, role)| Role::parse(role));
    match needed {
        Some(needed) if own >= needed => {
            Ok(format!("`{user}` has the role that `{setting}` asks for"))
        }
        Some(Role::Owner) if own == Role::Admin && !has_owners(known)? => Ok(format!(
            "`{user}` administers the workspace, which has no owners"
        )),
        Some(needed) => Err(Stop::deny(format!(
            "`{setting}` asks for the role `{}`, and `{user}` is `{}`",
            needed.as_str(),
            own.as_str()
        ))),
        None if own >= Role::Admin => Ok(format!("`{user}` administers the workspace")),
        None if own == Role::Guest => Err(Stop::deny(format!("`{user}` is a guest"))),
        None => Err(Stop::unsupported(format!(
            "the workspace does not say in `{setting}` whether members may"
        ))),
    }
}

/// Whether the plan has owners.
/// Errors: the plan cannot be read.
pub fn has_owners(known: &Known) -> Result<bool, Stop> {
    Ok(known
        .plan()?
        .is_some_and(|plan| plan.to_ascii_lowercase().contains("enterprise")))
}
