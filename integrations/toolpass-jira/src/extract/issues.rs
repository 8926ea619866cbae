//! Issues, and what hangs on them.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Issues", "Issue comments", "Issue worklogs", "Issue links", "Issue properties";
//! read 2026-12-01.

use toolpass_core::question::Pointer;
use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::fields::{self, Use};
use super::{
    SET, SITE, each, is_off, is_on, issue, issue_in, list, member, members, pair, pair_at, pointer,
    project_in, reference, required,
};
use crate::actions::Action;
use crate::facts;
use crate::pointer::COMMENT;
use crate::resource::number;

/// A new issue, in the project its fields name.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::pairs(created(members(reading)?)?))
}

/// Several new issues.
pub fn create_bulk(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = Vec::new();
    for update in list(required(reading, "issueUpdates")?, "issueUpdates")? {
        let body = update
            .as_object()
            .ok_or_else(|| Unresolved::new("expected each of `issueUpdates` as an object"))?;
        pairs.extend(created(body)?);
    }
    Ok(Extracted::pairs(pairs))
}

/// An issue is edited: with the right of each field, and of the switches.
pub fn edit(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let mut pairs = fields::pairs(Action::EditIssues, &issue, members(reading)?, Use::Edit)?;
    pairs.extend(switches(reading, &issue)?);
    Ok(Extracted::pairs(pairs))
}

/// An issue goes through its workflow, and may get fields on the way.
pub fn transition(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let pairs = fields::pairs(
        Action::TransitionIssues,
        &issue,
        members(reading)?,
        Use::Edit,
    )?;
    Ok(Extracted::pairs(pairs))
}

/// An issue is deleted, perhaps with its sub-tasks.
pub fn delete(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let pair = pair(Action::DeleteIssues, issue(reading)?);
    Ok(Extracted::pairs(vec![
        match is_on(reading, "deleteSubtasks")? {
            true => pair.fact(facts::DELETES_SUBTASKS, SET),
            false => pair,
        },
    ]))
}

/// A comment, which may answer another one.
pub fn comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let pair = pair(Action::AddComments, issue(reading)?);
    let parent = member(reading, "parentId")?;
    Ok(Extracted::pairs(vec![match parent {
        None => pair,
        Some(id) => {
            let id = id.scalar().filter(|id| number(id).is_some());
            let id = id.ok_or_else(|| Unresolved::new("expected a number as `parentId`"))?;
            pair.fact(facts::REPLIES_TO, id)
        }
    }]))
}

/// Work is logged.
pub fn log_work(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let mut pairs = vec![pair(Action::WorkOnIssues, &issue)];
    pairs.extend(switches(reading, &issue)?);
    Ok(Extracted::pairs(pairs))
}

/// Logged work is changed.
pub fn edit_worklog(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    worklog(reading, Action::WorklogEdit)
}

/// Logged work is removed.
pub fn delete_worklog(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    worklog(reading, Action::WorklogDelete)
}

/// Several logged works are removed: each may be restricted to some.
pub fn delete_worklogs(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let of_issue = issue.strip_prefix("issue:").unwrap_or_default();
    let mut pairs = vec![pair(Action::DeleteAllWorklogs, &issue)];
    for id in list(required(reading, "ids")?, "ids")? {
        let id = id.scalar().and_then(number);
        let id = id.ok_or_else(|| Unresolved::new("expected numbers as `ids`"))?;
        pairs.push(pair(
            Action::WorklogDelete,
            format!("worklog:{of_issue}/{id}"),
        ));
    }
    pairs.extend(switches(reading, &issue)?);
    Ok(Extracted::pairs(pairs))
}

/// A comment is changed, perhaps where nothing may be.
pub fn edit_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let id = number(reading.path("noteId"))
        .ok_or_else(|| Unresolved::new("expected a number as the comment's id"))?;
    let of_issue = issue.strip_prefix("issue:").unwrap_or_default();
    let mut pairs = vec![pair(
        Action::CommentEdit,
        format!("comment:{of_issue}/{id}"),
    )];
    if is_on(reading, "overrideEditableFlag")? {
        pairs.push(pair(Action::Administer, SITE));
    }
    Ok(Extracted::pairs(pairs))
}

/// A remote link is removed: linking, and editing.
pub fn delete_remote_link(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    Ok(Extracted::pairs(vec![
        pair(Action::LinkIssues, &issue),
        pair(Action::EditIssues, issue),
    ]))
}

/// Two issues are linked: the right is asked of the outward one, and that the other is seen.
pub fn link(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let outward = issue_in(reference(required(reading, "outwardIssue")?)?)?;
    let inward = issue_in(reference(required(reading, "inwardIssue")?)?)?;
    let mut pairs = vec![
        pair(Action::LinkIssues, &outward),
        pair(Action::BrowseProjects, inward),
    ];
    if member(reading, "comment")?.is_some() {
        pairs.push(pair(Action::AddComments, outward));
    }
    Ok(Extracted::pairs(pairs))
}

/// Properties of the issues that `entitiesIds` lists.
pub fn properties(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    listed_properties(required(reading, "entitiesIds")?, "entitiesIds")
}

/// Properties, each with its issue.
pub fn properties_multi(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = Vec::new();
    for item in list(required(reading, "issues")?, "issues")? {
        let id = item.member("issueID").required("issueID")?;
        pairs.push(pair(Action::EditIssues, issue_in(id)?));
    }
    Ok(Extracted::pairs(pairs))
}

/// A property of the issues a filter lists: without a list, of all the agent may edit.
pub fn property_of_filtered(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let filter = required(reading, "filter")?;
    listed_properties(
        filter.member("entityIds").required("entityIds")?,
        "entityIds",
    )
}

/// The same, removed.
pub fn property_of_listed(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    listed_properties(required(reading, "entityIds")?, "entityIds")
}

/// Issues, each of which is seen.
pub fn seen(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    seen_in(reading, "issueIdsOrKeys")
}

/// The same, where the list is called `issueIds`.
pub fn seen_by_id(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    seen_in(reading, "issueIds")
}

/// A property of a comment that is named by its id only.
pub fn comment_property(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let id = reading.path("commentId");
    let is_read = toolpass_core::effect::Effect::of_method(reading.method())
        == toolpass_core::effect::Effect::Read;
    if !is_read {
        return Ok(Extracted::pairs(vec![pair_at(
            Action::CommentEdit,
            COMMENT,
            id,
        )?]));
    }
    let issue = Pointer {
        parts: [("want".to_owned(), "issue".to_owned())].into(),
        ..pointer(COMMENT, id)?
    };
    Ok(Extracted::pairs(vec![Pair::at(
        Action::BrowseProjects.name(),
        issue,
    )]))
}

/// What switches of the query ask for besides.
fn switches(reading: &Reading<'_>, issue: &str) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = Vec::new();
    if is_off(reading, "notifyUsers")? {
        pairs.push(pair(Action::ProjectAdmin, issue));
    }
    if is_on(reading, "overrideScreenSecurity")? || is_on(reading, "overrideEditableFlag")? {
        pairs.push(pair(Action::Administer, SITE));
    }
    Ok(pairs)
}

fn worklog(reading: &Reading<'_>, action: Action) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let id = number(reading.path("noteId"))
        .ok_or_else(|| Unresolved::new("expected a number as the worklog's id"))?;
    let of_issue = issue.strip_prefix("issue:").unwrap_or_default();
    let mut pairs = vec![pair(action, format!("worklog:{of_issue}/{id}"))];
    pairs.extend(switches(reading, &issue)?);
    Ok(Extracted::pairs(pairs))
}

fn seen_in(reading: &Reading<'_>, name: &str) -> Result<Extracted, Unresolved> {
    let issues = required(reading, name)?;
    Ok(Extracted::pairs(each(
        issues,
        name,
        &[Action::BrowseProjects],
    )?))
}

fn listed_properties(value: &Json, name: &str) -> Result<Extracted, Unresolved> {
    Ok(Extracted::pairs(each(value, name, &[Action::EditIssues])?))
}

fn created(body: &[(String, Json)]) -> Result<Vec<Pair>, Unresolved> {
    let untold = || Unresolved::new("expected `fields.project`");
    let mut fields = body.iter().filter(|(name, _)| name == "fields");
    let fields = fields.next().map(|(_, fields)| fields).ok_or_else(untold)?;
    let project = fields.member("project").required("fields.project")?;
    let project = project_in(reference(project)?)?;
    fields::pairs(Action::CreateIssues, &project, body, Use::Create)
}
