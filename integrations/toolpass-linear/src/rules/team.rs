//! Rules about a team: rule 4 of the specification, and 11.4, 11.6, 11.7 and 11.14 of it.
//!
//! Source: linear.app/docs "Private teams", "Workspace owner", "Team settings"; the schema's `Team.securitySettings`, `Team.retiredAt`;
//! read 2026-12-01.

use super::known::{self, Known, Stop};
use super::standing::Standing;
use super::{Question, Verdict, active, not_here, workspace};
use crate::actions::Action;
use crate::resource::Name;
use crate::upstream::read::Read;
use crate::upstream::records::Team;

/// Decide a question about a team.
pub fn decide(question: &Question, known: &Known, name: &Name) -> Verdict {
    known.all([Read::User(question.user.clone()), Read::Team(name.clone())])?;
    let standing = active(question, known)?;
    let team = known.team(name)?;
    match question.action {
        Action::TeamView => standing.access(known, &team),
        Action::TeamMember => member(&standing, &team),
        Action::TeamAdmin => {
            if question.said.archived_ok {
                administers(known, &standing, &team)
            } else {
                admin(known, &standing, &team)
            }
        }
        Action::TeamMembers => members(question, known, &standing, &team),
        Action::TeamManage
        | Action::TeamLabels
        | Action::TeamTemplates
        | Action::TeamAutomation
        | Action::TeamSkills => by_setting(known, &standing, &team, question.action),
        Action::IssueCreate => create_issue(known, &standing, &team),
        _ => Err(not_here(question)),
    }
}

/// A membership, and nothing that stands for one.
pub fn member(standing: &Standing, team: &Team) -> Verdict {
    not_archived(team)?;
    let (user, key) = (standing.shown(), &team.key);
    if standing.membership(team).is_some() {
        Ok(format!("`{user}` is a member of the team {key}"))
    } else {
        Err(Stop::deny(format!(
            "`{user}` is no member of the team {key}"
        )))
    }
}

/// 11.4: issues are opened by everybody who sees the team, until it is retired.
pub fn create_issue(known: &Known, standing: &Standing, team: &Team) -> Verdict {
    let allowed = standing.access(known, team)?;
    if known.team_settings(&known::id(&team.id)?)?.retired {
        return Err(Stop::deny(format!(
            "the team {} is retired and takes no new issues",
            team.key
        )));
    }
    Ok(allowed)
}

/// 11.6: owners of the team, owners of the workspace, and its administrators as far as the plan lets them.
pub fn admin(known: &Known, standing: &Standing, team: &Team) -> Verdict {
    not_archived(team)?;
    administers(known, standing, team)
}

/// The same of a team that may be archived.
fn administers(known: &Known, standing: &Standing, team: &Team) -> Verdict {
    let (user, key, account) = (standing.shown(), &team.key, standing.account());
    let membership = standing.membership(team);
    if account.app {
        return Err(Stop::unsupported(format!(
            "what the application `{user}` may do in the team {key} cannot be told"
        )));
    }
    if account.owner {
        return Ok(format!("`{user}` owns the workspace"));
    }
    if membership.is_some_and(|membership| membership.owner) {
        return Ok(format!("`{user}` owns the team {key}"));
    }
    if !account.admin {
        return Err(Stop::deny(format!(
            "`{user}` neither owns the team {key} nor administers the workspace"
        )));
    }
    let open = team.visibility.as_deref() == Some("public") || membership.is_some();
    if open || !workspace::has_owners(known)? {
        return Ok(format!("`{user}` administers the workspace"));
    }
    match team.visibility.as_deref() {
        Some("private") => Err(Stop::deny(format!(
            "the team {key} is private; on the plan Enterprise its owners and the workspace's administer it, and `{user}` is no member of it"
        ))),
        Some(_) | None => Err(Stop::unsupported(format!(
            "whether administrators of the workspace administer the team {key} is not known on the plan Enterprise"
        ))),
    }
}

/// 11.7: what the team's settings leave to members.
pub fn by_setting(known: &Known, standing: &Standing, team: &Team, action: Action) -> Verdict {
    not_archived(team)?;
    let setting = match action {
        Action::TeamManage => "teamManagement",
        Action::TeamMembers => "memberManagement",
        Action::TeamLabels => "labelManagement",
        Action::TeamTemplates => "templateManagement",
        Action::TeamAutomation => "automationManagement",
        Action::TeamSkills => "agentSkillsManagement",
        Action::IssueShare => "issueSharing",
        _ => {
            return Err(Stop::unsupported(
                "no setting of a team says who may do this",
            ));
        }
    };
    let settings = known.team_settings(&known::id(&team.id)?)?;
    let value = settings.roles.iter().find(|(name, _)| name == setting);
    let (user, key) = (standing.shown(), &team.key);
    match value.map(|(_, value)| value.as_str()) {
        Some("member") => {
            let is_full = action != Action::TeamMembers || !standing.account().guest;
            if standing.membership(team).is_some() && is_full {
                return Ok(format!(
                    "members of the team {key} may, and `{user}` is one"
                ));
            }
            administers(known, standing, team)
        }
        Some("owner") => administers(known, standing, team),
        Some(_) | None => match administers(known, standing, team) {
            Err(toolpass_integration::answers::Stop::Denied(_)) => Err(Stop::unsupported(format!(
                "the settings of the team {key} do not say whether members such as `{user}` may"
            ))),
            verdict => verdict,
        },
    }
}

/// Who joins a team: by its settings; guests by its owners; oneself where everybody may join.
fn members(question: &Question, known: &Known, standing: &Standing, team: &Team) -> Verdict {
    let Some(added) = &question.said.adds else {
        return by_setting(known, standing, team, Action::TeamMembers);
    };
    not_archived(team)?;
    let settings = known.team_settings(&known::id(&team.id)?)?;
    if settings.retired {
        return Err(Stop::deny(format!(
            "the team {} is retired and takes no new members",
            team.key
        )));
    }
    let joins = *added == question.user
        && team.visibility.as_deref() == Some("public")
        && settings.open == Some(true)
        && standing.sees_public() == Some(true);
    if joins {
        return Ok(format!(
            "everybody may join the team {}, and `{}` joins",
            team.key,
            standing.shown()
        ));
    }
    let is_guest = if *added == question.user {
        standing.account().guest
    } else {
        known.account(added)?.guest
    };
    if is_guest {
        admin(known, standing, team)
    } else {
        by_setting(known, standing, team, Action::TeamMembers)
    }
}

fn not_archived(team: &Team) -> Result<(), Stop> {
    if team.archived {
        Err(Stop::unsupported(format!(
            "the team {} is archived; what may be done in it is not known",
            team.key
        )))
    } else {
        Ok(())
    }
}
