//! The arguments of mutations of settings (teams, views, labels, people, the workspace) that do not ask the same of every one of their
//! ids; those of work are in `input`.
//!
//! Source: linear/linear `packages/sdk/src/schema.graphql`, 2026-07-22 (its input types).

use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::input::Input;

use super::ask::{project, team, thing, via, workspace};
use super::input::{Pairs, all, only};
use super::nothing;
use crate::actions::Action;
use crate::facts;
use crate::resource::{Kind, Name};

/// A label of projects is the workspace's.
pub(super) fn create_project_label(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(
        input,
        &[
            "color",
            "description",
            "id",
            "isGroup",
            "name",
            "parentId",
            "retiredAt",
        ],
    )?;
    workspace(Action::WorkspaceLabels).pairs(arguments)
}

/// Another team leads an initiative; those below it stay as they are.
pub(super) fn lead_initiative(arguments: Input<'_>) -> Pairs {
    if !matches!(arguments.maybe_text("mode")?, None | Some("selectedOnly")) {
        return Err(Unresolved::new(
            "expected `selectedOnly` as `mode`: others change initiatives that are not named",
        ));
    }
    all(
        &[
            workspace(Action::WorkspaceMember),
            team(Action::TeamView, "leadTeamId").maybe(),
        ],
        arguments,
    )
}

/// A view that others see; one that is not shared would be the token's account's own.
pub(super) fn create_view(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    input.flag("shared")?;
    of_view(input)
}

/// A view is changed.
pub(super) fn update_view(arguments: Input<'_>) -> Pairs {
    let mut pairs = vec![thing(Action::ViewEdit, Kind::View, "id").of(arguments.text("id")?)?];
    let input = arguments.object("input")?;
    let is_moved = ["initiativeId", "projectId", "teamId"]
        .iter()
        .any(|name| input.member(name).is_some());
    if input.flag("shared")? || is_moved {
        pairs.extend(of_view(input)?);
    } else {
        nobody_elses(input)?;
    }
    Ok(pairs)
}

fn of_view(input: Input<'_>) -> Pairs {
    nobody_elses(input)?;
    let pairs = all(
        &[
            team(Action::TeamView, "teamId").maybe(),
            project(Action::ProjectView, "projectId").maybe(),
        ],
        input,
    )?;
    if pairs.is_empty() {
        workspace(Action::WorkspaceMember).pairs(input)
    } else {
        Ok(pairs)
    }
}

fn nobody_elses(input: Input<'_>) -> Result<(), Unresolved> {
    if input.member("ownerId").is_some() {
        return Err(Unresolved::new("`ownerId` makes it somebody else's"));
    }
    Ok(())
}

/// A label of a team, or of the workspace.
pub(super) fn create_label(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(
        input,
        &[
            "color",
            "description",
            "id",
            "isGroup",
            "name",
            "parentId",
            "retiredAt",
            "teamId",
        ],
    )?;
    let mut pairs = replace_team_labels(arguments)?;
    pairs.push(match input.maybe_text("teamId")? {
        Some(id) => team(Action::TeamLabels, "teamId").of(id)?,
        None => workspace(Action::WorkspaceLabels).of("")?,
    });
    Ok(pairs)
}

/// Labels of this name in every team give way.
pub(super) fn replace_team_labels(arguments: Input<'_>) -> Pairs {
    if arguments.flag("replaceTeamLabels")? {
        workspace(Action::WorkspaceAdmin).pairs(arguments)
    } else {
        Ok(Vec::new())
    }
}

/// A template of a team, of a pipeline, or of the workspace.
pub(super) fn create_template(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    let pairs = all(
        &[
            team(Action::TeamTemplates, "teamId").maybe(),
            thing(Action::ReleaseEdit, Kind::Pipeline, "pipelineId").maybe(),
        ],
        input,
    )?;
    if pairs.is_empty() {
        workspace(Action::WorkspaceTemplates).pairs(arguments)
    } else {
        Ok(pairs)
    }
}

/// Settings of a team: most are its managers', who sees it is its administrators', where it stands the workspace's.
pub(super) fn update_team(arguments: Input<'_>) -> Pairs {
    let id = arguments.text("id")?;
    let input = arguments.object("input")?;
    let has = |names: &[&str]| names.iter().any(|name| input.names(name));
    let mut pairs = vec![team(Action::TeamManage, "id").of(id)?];
    if has(&[
        "issueSharingEnabled",
        "private",
        "retiredAt",
        "securitySettings",
    ]) || arguments.member("mapping").is_some()
    {
        pairs.push(team(Action::TeamAdmin, "id").of(id)?);
    }
    if has(&["joinByDefault", "parentId", "scimGroupName", "scimManaged"]) {
        pairs.extend(workspace(Action::WorkspaceAdmin).pairs(arguments)?);
    }
    Ok(pairs)
}

/// Somebody joins a team; as an owner only by its administrators.
pub(super) fn join_team(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(input, &["id", "owner", "sortOrder", "teamId", "userId"])?;
    let id = input.text("teamId")?;
    let who = Name::id(input.text("userId")?)
        .ok_or_else(|| Unresolved::new("expected an account's id as `userId`"))?;
    let mut pairs = vec![
        team(Action::TeamMembers, "teamId")
            .of(id)?
            .fact(facts::ADDS, who.as_str()),
    ];
    if input.flag("owner")? {
        pairs.push(team(Action::TeamAdmin, "teamId").of(id)?);
    }
    Ok(pairs)
}

/// A membership: where it stands in one's own list, or whether it owns the team.
pub(super) fn update_membership(arguments: Input<'_>) -> Pairs {
    let id = arguments.text("id")?;
    let input = arguments.object("input")?;
    Ok(vec![if input.has_only(&["sortOrder"]) {
        thing(Action::MembershipSort, Kind::Membership, "id").of(id)?
    } else {
        via(Action::TeamAdmin, Kind::Membership, "team", "id").of(id)?
    }])
}

/// Where mails become issues: of a team, or of a template's.
pub(super) fn create_intake(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    let pairs = all(
        &[
            team(Action::TeamManage, "teamId").maybe(),
            thing(Action::TemplateEdit, Kind::Template, "templateId").maybe(),
        ],
        input,
    )?;
    if pairs.is_empty() {
        workspace(Action::WorkspaceAdmin).pairs(arguments)
    } else {
        Ok(pairs)
    }
}

/// A skill of a team's agents; one of no team would be the token's account's own.
pub(super) fn create_skill(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    match input.maybe_text("teamId")? {
        Some(id) => Ok(vec![team(Action::TeamSkills, "teamId").of(id)?]),
        None => Ok(vec![nothing()]),
    }
}

/// People are invited, with a role and into teams.
pub(super) fn invite(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    let mut pairs = workspace(Action::WorkspaceInvite).pairs(arguments)?;
    if let Some(role) = input.maybe_text("role")? {
        pairs = pairs
            .into_iter()
            .map(|pair| pair.fact(facts::GRANTS, role))
            .collect();
    }
    pairs.extend(team(Action::TeamMembers, "teamIds").maybe().pairs(input)?);
    Ok(pairs)
}

/// A role is given: an owner's by owners, to an owner by owners.
pub(super) fn change_role(arguments: Input<'_>) -> Pairs {
    let role = arguments.text("role")?;
    let mut pairs: Vec<Pair> = change_account(arguments)?
        .into_iter()
        .map(|pair| pair.fact(facts::GRANTS, role))
        .collect();
    if role == "owner" {
        pairs.extend(workspace(Action::WorkspaceOwner).pairs(arguments)?);
    }
    Ok(pairs)
}

/// An account is changed by an administrator, an owner's by owners.
pub(super) fn change_account(arguments: Input<'_>) -> Pairs {
    let id = Name::id(arguments.text("id")?)
        .ok_or_else(|| Unresolved::new("expected an account's id as `id`"))?;
    let pair = workspace(Action::WorkspaceAdmin).of("")?;
    Ok(vec![pair.fact(facts::TO_ACCOUNT, id.as_str())])
}

/// A profile, one's own or by an administrator.
pub(super) fn update_account(arguments: Input<'_>) -> Pairs {
    let pairs = change_account(arguments)?;
    let id = arguments.text("id")?;
    Ok(pairs
        .into_iter()
        .map(|pair| pair.fact(facts::OR_SELF, id))
        .collect())
}

/// How lists look: for oneself, or for everybody.
pub(super) fn create_preferences(arguments: Input<'_>) -> Pairs {
    match arguments.object("input")?.maybe_text("type")? {
        Some("organization") => workspace(Action::WorkspaceAdmin).pairs(arguments),
        Some(_) | None => Ok(vec![nothing()]),
    }
}

/// Issues of the whole workspace, but for teams that not everybody sees.
pub(super) fn export(arguments: Input<'_>) -> Pairs {
    for name in ["includePrivateTeamIds", "includeRestrictedTeamIds"] {
        if !arguments.texts(name)?.is_empty() {
            return Err(Unresolved::new(format!(
                "`{name}` exports teams that not everybody sees"
            )));
        }
    }
    workspace(Action::WorkspaceSettings).pairs(arguments)
}
