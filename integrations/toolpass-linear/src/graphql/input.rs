//! The arguments of mutations of work (issues, comments, projects, documents, releases) that do not ask the same of every one of their
//! ids; those of settings are in `settings`.
//!
//! Source: linear/linear `packages/sdk/src/schema.graphql`, 2026-07-22 (its input types).

use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::input::Input;

use super::ask::{Ask, issue, project, team, thing, via, workspace, workspace_by};
use super::mutation::the_one_of;
use crate::actions::Action;
use crate::facts;
use crate::resource::Kind;

/// Pairs, or why there are none.
pub(super) type Pairs = Result<Vec<Pair>, Unresolved>;

/// An issue is opened, perhaps below another one, in a project, from a template.
pub(super) fn create_issue(arguments: Input<'_>) -> Pairs {
    new_issue(arguments.object("input")?)
}

/// Several at once: each is asked about.
pub(super) fn create_issues(arguments: Input<'_>) -> Pairs {
    let issues = arguments.object("input")?.objects("issues")?;
    within_bounds(issues.len())?;
    let mut pairs = Vec::new();
    for one in issues {
        pairs.extend(new_issue(one)?);
    }
    Ok(pairs)
}

fn new_issue(input: Input<'_>) -> Pairs {
    only(input, OF_NEW_ISSUE)?;
    if input.member("delegateId").is_some() {
        return Err(Unresolved::new(
            "an agent is set to work on a new issue; create it, then delegate it",
        ));
    }
    let mut pairs = vec![team(Action::IssueCreate, "teamId").of(input.text("teamId")?)?];
    pairs.extend(reached_by_issue(input)?);
    Ok(pairs)
}

/// An issue is changed, perhaps moved to another team, issue, project or cycle.
pub(super) fn update_issue(arguments: Input<'_>) -> Pairs {
    changed_issues(&[arguments.text("id")?], arguments.object("input")?)
}

/// Several at once.
pub(super) fn update_issues(arguments: Input<'_>) -> Pairs {
    let ids = arguments.texts("ids")?;
    within_bounds(ids.len())?;
    changed_issues(&ids, arguments.object("input")?)
}

fn changed_issues(ids: &[&str], input: Input<'_>) -> Pairs {
    only(input, OF_CHANGED_ISSUE)?;
    // Who only has a share may not move the issue, nor take it out of where it is.
    let moves = ["cycleId", "projectId", "projectMilestoneId", "teamId"]
        .iter()
        .any(|name| input.names(name));
    let starts_agent = input.member("delegateId").is_some();
    let mut pairs = Vec::new();
    for id in ids {
        let mut pair = issue(Action::IssueEdit, "id").of(id)?;
        if moves {
            pair = pair.fact(facts::NATIVE, "1");
        }
        if starts_agent {
            pair = pair.fact(facts::AGENT, "1");
        }
        pairs.push(pair);
    }
    let moved = team(Action::IssueCreate, "teamId").maybe();
    pairs.extend(moved.pairs(input)?);
    pairs.extend(reached_by_issue(input)?);
    Ok(pairs)
}

/// What the members of an issue lead to besides its team.
fn reached_by_issue(input: Input<'_>) -> Pairs {
    all(
        &[
            issue(Action::IssueEdit, "parentId").maybe(),
            project(Action::ProjectView, "projectId").maybe(),
            via(
                Action::ProjectView,
                Kind::Milestone,
                "project",
                "projectMilestoneId",
            )
            .maybe(),
            via(Action::TeamView, Kind::Cycle, "team", "cycleId").maybe(),
            via(Action::ReleaseEdit, Kind::Release, "pipeline", "releaseIds").maybe(),
            via(
                Action::ReleaseEdit,
                Kind::Release,
                "pipeline",
                "addedReleaseIds",
            )
            .maybe(),
            via(
                Action::ReleaseEdit,
                Kind::Release,
                "pipeline",
                "removedReleaseIds",
            )
            .maybe(),
            thing(Action::CommentView, Kind::Comment, "sourceCommentId").maybe(),
            thing(Action::CommentView, Kind::Comment, "referenceCommentId").maybe(),
            thing(Action::ThingView, Kind::Template, "templateId").maybe(),
        ],
        input,
    )
}

/// To the trash; for good only by who administers the team, which the issue's id does not name, so by the workspace's.
pub(super) fn delete_issue(arguments: Input<'_>) -> Pairs {
    let mut pairs = vec![issue(Action::IssueEdit, "id").of(arguments.text("id")?)?];
    if arguments.flag("permanentlyDelete")? {
        pairs.extend(workspace(Action::WorkspaceAdmin).pairs(arguments)?);
    }
    Ok(pairs)
}

/// A subscription to an issue: without a name it is the token's account's.
pub(super) fn subscribe_to_issue(arguments: Input<'_>) -> Pairs {
    let mut pairs = vec![issue(Action::IssueView, "id").of(arguments.text("id")?)?];
    pairs.extend(for_somebody(arguments)?);
    Ok(pairs)
}

/// Somebody is named: the user, or another by a member of the workspace.
pub(super) fn for_somebody(arguments: Input<'_>) -> Pairs {
    let mut pairs = Vec::new();
    for name in ["userId", "userEmail"] {
        if let Some(who) = arguments.maybe_text(name)? {
            let pair = workspace_by(Action::WorkspaceMember, name).of(who)?;
            pairs.push(pair.fact(facts::OR_SELF, who));
        }
    }
    Ok(pairs)
}

/// A comment on one thing; an answer to another comment besides, or alone.
pub(super) fn create_comment(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(input, OF_NEW_COMMENT)?;
    let parents = [
        issue(Action::IssueEdit, "issueId"),
        project(Action::ProjectEdit, "projectId"),
        via(
            Action::ProjectEdit,
            Kind::ProjectUpdate,
            "project",
            "projectUpdateId",
        ),
        workspace_by(Action::WorkspaceMember, "initiativeId"),
        workspace_by(Action::WorkspaceMember, "initiativeUpdateId"),
    ];
    let mut pairs = thing(Action::CommentView, Kind::Comment, "parentId")
        .maybe()
        .pairs(input)?;
    let given = parents.iter().map(|ask| ask.is_given(input));
    let is_placed = given.collect::<Result<Vec<_>, _>>()?.contains(&true);
    if is_placed || pairs.is_empty() {
        pairs.extend(the_one_of(&parents, input)?);
    }
    Ok(pairs)
}

/// A comment is changed, by its author.
pub(super) fn update_comment(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(input, OF_CHANGED_COMMENT)?;
    let mut pairs =
        vec![thing(Action::CommentEdit, Kind::Comment, "id").of(arguments.text("id")?)?];
    let resolving = thing(Action::CommentView, Kind::Comment, "resolvingCommentId").maybe();
    pairs.extend(resolving.pairs(input)?);
    Ok(pairs)
}

/// A file, of which this asks the address only; with `makePublic` everybody may read it.
pub(super) fn upload_file(arguments: Input<'_>) -> Pairs {
    arguments.flag("makePublic")?;
    workspace(Action::WorkspaceUser).pairs(arguments)
}

/// A project of some teams.
pub(super) fn create_project(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(input, OF_NEW_PROJECT)?;
    let mut pairs = all(
        &[
            team(Action::TeamView, "teamIds"),
            issue(Action::IssueEdit, "convertedFromIssueId").maybe(),
            thing(Action::ThingView, Kind::Template, "templateId").maybe(),
        ],
        input,
    )?;
    let channel = workspace_by(Action::WorkspaceIntegrations, "slackChannelName");
    pairs.extend(channel.pairs(arguments)?);
    Ok(pairs)
}

/// A project is changed. Its teams are replaced as a whole, so each that is named and each that is lost is asked about.
pub(super) fn update_project(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(input, OF_CHANGED_PROJECT)?;
    let mut pair = project(Action::ProjectEdit, "id").of(arguments.text("id")?)?;
    if input.member("teamIds").is_some() {
        pair = pair.fact(facts::KEEPS_TEAMS, input.texts("teamIds")?.join(","));
    }
    let mut pairs = vec![pair];
    pairs.extend(all(
        &[
            team(Action::TeamView, "teamIds").maybe(),
            issue(Action::IssueEdit, "convertedFromIssueId").maybe(),
        ],
        input,
    )?);
    Ok(pairs)
}

/// A milestone goes to another project; not the issues to another team.
pub(super) fn move_milestone(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    only(input, &["projectId"])?;
    let mut pairs =
        vec![via(Action::ProjectEdit, Kind::Milestone, "project", "id").of(arguments.text("id")?)?];
    pairs.extend(project(Action::ProjectEdit, "projectId").pairs(input)?);
    Ok(pairs)
}

/// A document goes to where it says.
pub(super) fn move_document(arguments: Input<'_>) -> Pairs {
    all(
        &[
            issue(Action::IssueEdit, "input.issueId").maybe(),
            project(Action::ProjectEdit, "input.projectId").maybe(),
            team(Action::TeamView, "input.teamId").maybe(),
            via(Action::TeamView, Kind::Cycle, "team", "input.cycleId").maybe(),
            workspace_by(Action::WorkspaceMember, "input.initiativeId"),
            via(
                Action::ReleaseEdit,
                Kind::Release,
                "pipeline",
                "input.releaseId",
            )
            .maybe(),
        ],
        arguments,
    )
}

/// A release is made of what was deployed: issues by name, never by pull requests that pull issues in unseen.
pub(super) fn sync_release(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    if !input.objects("pullRequestReferences")?.is_empty() {
        return Err(Unresolved::new(
            "`pullRequestReferences` changes issues that are not named",
        ));
    }
    let mut pairs = vec![
        thing(Action::ReleaseEdit, Kind::Pipeline, "pipelineId").of(input.text("pipelineId")?)?,
    ];
    for name in ["issueReferences", "revertedIssueReferences"] {
        let references = input.objects(name)?;
        if references.len() > MAX_BATCH {
            return Err(Unresolved::new(format!(
                "`{name}` is longer than {MAX_BATCH}"
            )));
        }
        for reference in references {
            let identifier = reference.text("identifier")?;
            pairs.push(issue(Action::IssueEdit, "identifier").of(identifier)?);
        }
    }
    Ok(pairs)
}

/// A customer's request stands somewhere.
pub(super) fn needs_a_place(arguments: Input<'_>) -> Pairs {
    let input = arguments.object("input")?;
    let is_placed = input.member("issueId").is_some() || input.member("projectId").is_some();
    if is_placed {
        Ok(Vec::new())
    } else {
        Err(Unresolved::new("expected `issueId` or `projectId`"))
    }
}

/// A customer's request is changed, and no other one with it.
pub(super) fn update_need(arguments: Input<'_>) -> Pairs {
    if arguments
        .object("input")?
        .flag("applyPriorityToRelatedNeeds")?
    {
        return Err(Unresolved::new(
            "`applyPriorityToRelatedNeeds` changes requests that are not named",
        ));
    }
    Ok(Vec::new())
}

pub(super) fn all(asks: &[Ask], values: Input<'_>) -> Pairs {
    let mut pairs = Vec::new();
    for ask in asks {
        pairs.extend(ask.pairs(values)?);
    }
    Ok(pairs)
}

/// Errors: [`Unresolved`] for a member that is not on the list: it may reach something, or say what never was.
pub(super) fn only(input: Input<'_>, allowed: &[&str]) -> Result<(), Unresolved> {
    let stray = |name: &&str| input.member(name).is_some() && !allowed.contains(name);
    match input.all_names().find(stray) {
        None => Ok(()),
        Some(name) => Err(Unresolved::new(format!(
            "`{}` is not a member that a tool may give here",
            toolpass_core::quoted::clipped(name, 64)
        ))),
    }
}

fn within_bounds(count: usize) -> Result<(), Unresolved> {
    match count {
        0 => Err(Unresolved::new("the list of issues is empty")),
        1..=MAX_BATCH => Ok(()),
        _ => Err(Unresolved::new(format!(
            "expected at most {MAX_BATCH} issues at once"
        ))),
    }
}

/// How many of a batch are asked about.
const MAX_BATCH: usize = 50;

#[rustfmt::skip]
const OF_NEW_ISSUE: &[&str] = &[
    "assigneeId", "cycleId", "delegateId", "description", "descriptionData", "dueDate", "estimate", "id", "labelIds", "lastAppliedTemplateId",
    "parentId", "preserveSortOrderOnCreate", "priority", "prioritySortOrder", "projectId", "projectMilestoneId", "referenceCommentId",
    "releaseIds", "sortOrder", "sourceCommentId", "stateId", "subIssueSortOrder", "subscriberIds", "teamId", "templateId", "title",
    "useDefaultTemplate",
];

#[rustfmt::skip]
const OF_CHANGED_ISSUE: &[&str] = &[
    "addedLabelIds", "addedReleaseIds", "assigneeId", "cycleId", "delegateId", "description", "descriptionData", "dueDate", "estimate",
    "labelIds", "lastAppliedTemplateId", "parentId", "priority", "prioritySortOrder", "projectId", "projectMilestoneId", "releaseIds",
    "removedLabelIds", "removedReleaseIds", "snoozedById", "snoozedUntilAt", "sortOrder", "stateId", "subIssueSortOrder", "subscriberIds",
    "teamId", "title", "trashed",
];

#[rustfmt::skip]
const OF_NEW_COMMENT: &[&str] = &[
    "body", "bodyData", "doNotSubscribeToIssue", "id", "initiativeId", "initiativeUpdateId", "issueId", "parentId", "projectId",
    "projectUpdateId", "quotedText", "subscriberIds",
];

const OF_CHANGED_COMMENT: &[&str] = &[
    "body",
    "bodyData",
    "doNotSubscribeToIssue",
    "quotedText",
    "resolvingCommentId",
    "subscriberIds",
];

#[rustfmt::skip]
const OF_NEW_PROJECT: &[&str] = &[
    "color", "content", "convertedFromIssueId", "description", "icon", "id", "labelIds", "lastAppliedTemplateId", "leadId", "memberIds", "name",
    "priority", "prioritySortOrder", "sortOrder", "startDate", "startDateResolution", "statusId", "targetDate", "targetDateResolution",
    "teamIds", "templateId", "useDefaultTemplate",
];

#[rustfmt::skip]
const OF_CHANGED_PROJECT: &[&str] = &[
    "color", "content", "convertedFromIssueId", "description", "frequencyResolution", "icon", "labelIds", "lastAppliedTemplateId", "leadId",
    "memberIds", "name", "priority", "prioritySortOrder", "projectUpdateRemindersPausedUntilAt", "slackIssueComments", "slackIssueStatuses",
    "slackNewIssue", "sortOrder", "startDate", "startDateResolution", "statusId", "targetDate", "targetDateResolution", "teamIds", "trashed",
    "updateReminderFrequency", "updateReminderFrequencyInWeeks", "updateRemindersDay", "updateRemindersHour",
];

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_wire::json::Json;

    #[test]
    fn lists_are_sorted() {
        for list in [
            OF_NEW_ISSUE,
            OF_CHANGED_ISSUE,
            OF_NEW_COMMENT,
            OF_CHANGED_COMMENT,
            OF_NEW_PROJECT,
            OF_CHANGED_PROJECT,
        ] {
            assert!(
                list.is_sorted_by(|before, after| before < after),
                "{list:?}"
            );
        }
    }

    #[test]
    fn a_member_that_says_nothing_is_no_member() {
        let members = [("createAsUser".to_owned(), Json::Null)];
        assert!(only(Input::members(&members), &[]).is_ok());
    }
}
