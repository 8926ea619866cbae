//! The inputs of mutations that do not ask one action of their ids.
//!
//! Source: docs.github.com/graphql/reference/input-objects, read 2026-11-30.

use toolpass_core::effect::Effect;
use toolpass_wire::extract::{Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::input::Input;
use toolpass_wire::json::Json;

use super::super::at_node;
use crate::actions::Action;
use crate::extract::branch;
use crate::facts;
use crate::resource::{Branch, Kind, Repo};

/// The pair of an edit, which may open again what was closed.
fn reopening(input: &Input<'_>, pair: Pair) -> Pair {
    match input.member("state").map(Json::as_str) {
        None | Some(Some("CLOSED")) => pair,
        Some(_) => pair.fact(facts::REOPENS, "1"),
    }
}

pub(super) fn create_issue(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let id = input.text("repositoryId")?;
    let mut pairs = vec![at_node(Action::IssueCreate, id)?];
    for projects in ["projectIds", "projectV2Ids"] {
        if !input.texts(projects)?.is_empty() {
            return Err(Unresolved::new(
                "put it into a project by `addProjectV2ItemById`",
            ));
        }
    }
    if let Some(parent) = input.maybe_text("parentIssueId")? {
        pairs.push(at_node(Action::RepoTriage, parent)?);
    }
    let words = [
        "repositoryId",
        "title",
        "body",
        "issueTemplate",
        "parentIssueId",
        "projectIds",
        "projectV2Ids",
    ];
    let triage = ["assigneeIds", "labelIds", "milestoneId"];
    if !input.has_only(&words) {
        let level = if input.has_only(&[&words[..], &triage[..]].concat()) {
            Action::RepoTriage
        } else {
            Action::RepoPush
        };
        pairs.push(at_node(level, id)?);
    }
    Ok(pairs)
}

/// Somebody is put in charge: a triager's to do, but a writer's when it may be a coding agent, which then pushes.
pub(super) fn assign(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let people = input
        .texts("assigneeIds")?
        .iter()
        .all(|id| id.starts_with("U_") || id.starts_with("MDQ6VXNlc"));
    let action = if people && input.has_only(&["assignableId", "assigneeIds"]) {
        Action::RepoTriage
    } else {
        Action::RepoPush
    };
    Ok(vec![at_node(action, input.text("assignableId")?)?])
}

/// A discussion is opened: by readers as far as the organization lets them.
pub(super) fn create_discussion(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let pair = at_node(Action::RepoRead, input.text("repositoryId")?)?;
    Ok(vec![
        pair.fact(facts::WRITES, "1")
            .fact(facts::ORGANIZATION_SWITCH, "discussions"),
    ])
}

/// An issue is closed; as the duplicate of another one only by triagers.
pub(super) fn close_issue(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let id = input.text("issueId")?;
    let pair = at_node(Action::RepoTriage, id)?;
    Ok(match input.maybe_text("duplicateIssueId")? {
        Some(other) => vec![pair, at_node(Action::RepoRead, other)?],
        None => vec![pair.fact(facts::AUTHOR_OF, format!("node/{id}"))],
    })
}

/// A pull request is queued for its merge; before all others only by those who may jump the queue, which cannot be read.
pub(super) fn enqueue(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let id = input.text("pullRequestId")?;
    let mut pairs =
        vec![at_node(Action::PrMerge, id)?.fact(facts::BASE_OF_PULL, format!("node/{id}"))];
    if !matches!(input.member("jump"), None | Some(Json::Bool(false))) {
        pairs.push(at_node(Action::RepoAdmin, id)?.fact(facts::DELEGABLE, "1"));
    }
    Ok(pairs)
}

pub(super) fn update_issue(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let id = input.text("id")?;
    let pair = if input.has_only(&["id", "title", "body", "state"]) {
        reopening(
            input,
            at_node(Action::RepoTriage, id)?.fact(facts::AUTHOR_OF, format!("node/{id}")),
        )
    } else if input.has_only(&[
        "id",
        "title",
        "body",
        "state",
        "assigneeIds",
        "labelIds",
        "milestoneId",
    ]) {
        at_node(Action::RepoTriage, id)?
    } else {
        at_node(Action::RepoPush, id)?
    };
    Ok(vec![pair])
}

pub(super) fn update_pull_request(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let id = input.text("pullRequestId")?;
    let author = format!("node/{id}");
    let pair = if input.has_only(&["pullRequestId", "state"]) {
        reopening(
            input,
            at_node(Action::RepoTriage, id)?.fact(facts::AUTHOR_OF, author),
        )
    } else if input.has_only(&[
        "pullRequestId",
        "state",
        "title",
        "body",
        "baseRefName",
        "maintainerCanModify",
    ]) {
        reopening(
            input,
            at_node(Action::RepoPush, id)?.fact(facts::AUTHOR_OF, author),
        )
    } else {
        at_node(Action::RepoPush, id)?
    };
    Ok(vec![pair])
}

/// A head without a repository of its own is taken to be in this one; two ids may still be of one repository.
pub(super) fn create_pull_request(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let id = input.text("repositoryId")?;
    let pair = at_node(Action::PrCreate, id)?;
    Ok(vec![match input.maybe_text("headRepositoryId")? {
        Some(head) if head != id && facts::node_id(head).is_some() => {
            pair.fact(facts::HEAD_REPO, format!("node/{head}"))
        }
        Some(_) | None => pair.fact(facts::HEAD_SAME_REPO, "1"),
    }])
}

/// Any of several ids says where; each that is given is asked about.
pub(super) fn comment_on_lines(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = Vec::new();
    for name in [
        "pullRequestId",
        "pullRequestReviewId",
        "pullRequestReviewThreadId",
        "inReplyTo",
    ] {
        if let Some(id) = input.maybe_text(name)? {
            pairs.push(at_node(Action::RepoRead, id)?.fact(facts::LOCKED_OF, format!("node/{id}")));
        }
    }
    if pairs.is_empty() {
        Err(Unresolved::new("the input names no pull request"))
    } else {
        Ok(pairs)
    }
}

/// A verdict needs push and is not the author's, so the pull request must be named.
pub(super) fn review(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let (pull, review) = (
        input.maybe_text("pullRequestId")?,
        input.maybe_text("pullRequestReviewId")?,
    );
    let event = match input.member("event") {
        None => None,
        Some(event) => Some(
            event
                .as_str()
                .ok_or_else(|| Unresolved::new("expected a text as `event`"))?,
        ),
    };
    let action = match event {
        Some("APPROVE" | "REQUEST_CHANGES") => Action::RepoPush,
        None | Some("COMMENT") => Action::RepoRead,
        Some(_) => {
            return Err(Unresolved::new(
                "expected `APPROVE`, `REQUEST_CHANGES` or `COMMENT` as `event`",
            ));
        }
    };
    if action == Action::RepoPush && review.is_some() {
        // The review may be of another pull request than the one named beside it.
        return Err(Unresolved::new(
            "expected `pullRequestId` alone with a verdict",
        ));
    }
    let mut pairs = Vec::new();
    if let Some(id) = pull {
        let fact = if action == Action::RepoPush {
            facts::APPROVES_PULL
        } else {
            facts::LOCKED_OF
        };
        pairs.push(at_node(action, id)?.fact(fact, format!("node/{id}")));
    }
    if let Some(id) = review {
        let pair = at_node(action, id)?;
        pairs.push(if action == Action::RepoRead {
            pair.fact(facts::LOCKED_OF, format!("node/{id}"))
        } else {
            pair
        });
    }
    match (
        pairs.is_empty(),
        action == Action::RepoPush && pull.is_none(),
    ) {
        (false, false) => Ok(pairs),
        (_, _) => Err(Unresolved::new("the input does not give `pullRequestId`")),
    }
}

pub(super) fn sub_issue(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    if input.member("subIssueUrl").is_some() {
        return Err(Unresolved::new(
            "expected `subIssueId` instead of an address",
        ));
    }
    Ok(vec![
        at_node(Action::RepoTriage, input.text("issueId")?)?,
        at_node(Action::RepoTriage, input.text("subIssueId")?)?,
    ])
}

pub(super) fn merge_branch(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let pair = on_branch(input.text("repositoryId")?, input.text("base")?)?;
    Ok(vec![pair.fact(facts::REF_OPERATION, "merge")])
}

pub(super) fn create_ref(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    on_ref(input.text("repositoryId")?, input.text("name")?, "create").map(|pair| vec![pair])
}

pub(super) fn update_refs(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let expected =
        || Unresolved::new("expected a list of updates with `name` and `afterOid` as `refUpdates`");
    let Some(Json::Array(updates)) = input.member("refUpdates") else {
        return Err(expected());
    };
    let id = input.text("repositoryId")?;
    let mut pairs = Vec::new();
    for update in updates {
        let text = |name: &str| update.get(name).and_then(Json::as_str);
        let (name, after) = (
            text("name").ok_or_else(expected)?,
            text("afterOid").ok_or_else(expected)?,
        );
        let is_zero = |oid: &str| oid.bytes().all(|b| b == b'0');
        let operation = match update.get("force") {
            _ if is_zero(after) => "delete",
            None | Some(Json::Null | Json::Bool(false))
                if text("beforeOid").is_some_and(is_zero) =>
            {
                "create"
            }
            None | Some(Json::Null | Json::Bool(false)) => "update",
            Some(_) => "force",
        };
        let mut pair = on_ref(id, name, operation)?;
        if operation == "delete" {
            pair.effect = Some(Effect::Destructive);
        }
        pairs.push(pair);
    }
    if pairs.is_empty() {
        Err(expected())
    } else {
        Ok(pairs)
    }
}

pub(super) fn commit_on_branch(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let branch = input.member("branch").and_then(Json::as_object);
    let text = |wanted: &str| {
        branch
            .and_then(|members| members.iter().find(|(name, _)| name == wanted))
            .and_then(|(_, value)| value.as_str())
    };
    if text("id").is_some() {
        return Err(Unresolved::new(super::REF_BY_NODE));
    }
    let (Some(repo), Some(name)) = (
        text("repositoryNameWithOwner").and_then(Repo::parse),
        text("branchName"),
    ) else {
        return Err(Unresolved::new(
            "expected `repositoryNameWithOwner` and `branchName` in `branch`",
        ));
    };
    // Unlike elsewhere, a full ref is taken for a branch here.
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    Ok(vec![Pair::on(
        Action::RepoPush.name(),
        format!("repo:{repo}{}", branch::suffix(name)?),
    )])
}

/// A branch is made for an issue, in its repository or another.
pub(super) fn create_linked_branch(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let issue = input.text("issueId")?;
    let target = input.maybe_text("repositoryId")?.unwrap_or(issue);
    let created = match input.maybe_text("name")? {
        Some(name) => on_branch(target, name)?.fact(facts::REF_OPERATION, "create"),
        None => at_node(Action::RepoPush, target)?,
    };
    Ok(vec![at_node(Action::RepoPush, issue)?, created])
}

pub(super) fn create_deployment(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    if input.member("autoMerge") != Some(&Json::Bool(false)) {
        return Err(Unresolved::new(
            "the branch that is merged into is named by a node id only; say `autoMerge: false`",
        ));
    }
    let pair = at_node(Action::RepoPush, input.text("repositoryId")?)?;
    Ok(vec![
        pair.fact(facts::REF_OPERATION, "run"),
        at_node(Action::RepoPush, input.text("refId")?)?.fact(facts::REF_OPERATION, "run"),
    ])
}

/// Without an owner it would land in the agent's own account.
pub(super) fn create_repository(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = vec![created(input)?];
    if let Some(team) = input.maybe_text("teamId")? {
        pairs.push(at_node(Action::TeamMember, team)?);
    }
    Ok(pairs)
}

pub(super) fn clone_template(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    Ok(vec![
        at_node(Action::RepoRead, input.text("repositoryId")?)?,
        created(input)?,
    ])
}

pub(super) fn update_repository(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let of_maintainers = [
        "repositoryId",
        "description",
        "hasProjectsEnabled",
        "hasWikiEnabled",
        "homepageUrl",
    ];
    let action = if input.has_only(&of_maintainers) {
        Action::RepoMaintain
    } else {
        Action::RepoAdmin
    };
    Ok(vec![at_node(action, input.text("repositoryId")?)?])
}

/// Teams get a right in a repository: by its administrator, who sees them.
pub(super) fn teams_of_repository(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = vec![at_node(Action::RepoAdmin, input.text("repositoryId")?)?];
    for team in input.texts("teamIds")? {
        pairs.push(at_node(Action::TeamMember, team)?.fact(facts::TEAM_SIGHT, "1"));
    }
    Ok(pairs)
}

/// A project is created, perhaps linked at once.
pub(super) fn create_project(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    linked(input, input.text("ownerId")?)
}

/// A project is linked to a repository or a team, or no longer.
pub(super) fn link_of_project(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    linked(input, input.text("projectId")?)
}

fn linked(input: &Input<'_>, project: &str) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = vec![at_node(Action::OrgAdmin, project)?.fact(facts::DELEGABLE, "1")];
    if let Some(repository) = input.maybe_text("repositoryId")? {
        pairs.push(at_node(Action::RepoPush, repository)?);
    }
    if let Some(team) = input.maybe_text("teamId")? {
        pairs.push(at_node(Action::TeamMaintainer, team)?);
    }
    Ok(pairs)
}

/// An issue is made of a note in a project.
pub(super) fn issue_of_project(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let note = input
        .maybe_text("itemId")?
        .map_or_else(|| input.text("projectCardId"), Ok)?;
    let project = at_node(Action::OrgAdmin, note)?.fact(facts::DELEGABLE, "1");
    Ok(vec![
        at_node(Action::IssueCreate, input.text("repositoryId")?)?,
        project,
    ])
}

/// A project shows an issue or a pull request: who sees the project sees that it is there.
pub(super) fn item_of_project(input: &Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let project = at_node(Action::OrgAdmin, input.text("projectId")?)?.fact(facts::DELEGABLE, "1");
    Ok(vec![
        project,
        at_node(Action::RepoRead, input.text("contentId")?)?,
    ])
}

fn created(input: &Input<'_>) -> Result<Pair, Unresolved> {
    let kind = Kind::parse(&input.text("visibility")?.to_ascii_lowercase());
    let kind = kind.ok_or_else(|| {
        Unresolved::new("expected `PUBLIC`, `PRIVATE` or `INTERNAL` as `visibility`")
    })?;
    Ok(at_node(Action::OrgRepoCreate, input.text("ownerId")?)?
        .fact(facts::VISIBILITY, kind.as_str()))
}

fn on_ref(id: &str, full: &str, operation: &str) -> Result<Pair, Unresolved> {
    match branch::branch_of(full)? {
        Some(name) => Ok(on_branch(id, name)?.fact(facts::REF_OPERATION, operation)),
        None => {
            let pair = at_node(Action::RepoPush, id)?.fact(facts::REF_OPERATION, operation);
            Ok(match branch::tag_of(full)? {
                Some(name) => pair.fact(facts::TAG, name),
                None => pair,
            })
        }
    }
}

fn on_branch(id: &str, name: &str) -> Result<Pair, Unresolved> {
    if name.starts_with("refs/") || Branch::parse(name).is_none() {
        return Err(Unresolved::new("expected the plain name of a branch"));
    }
    let mut pair = at_node(Action::RepoPush, id)?;
    if let Some(Target::Pointer(pointer)) = &mut pair.target {
        pointer.parts.insert("at".to_owned(), name.to_owned());
    }
    Ok(pair)
}
