//! Boards, sprints, epics and rank.
//!
//! Source: developer.atlassian.com/cloud/jira/software/rest "Backlog", "Board", "Epic", "Issue", "Sprint"; read 2026-12-01.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::{SITE, each, issue, member, pair, project_in, required};
use crate::actions::Action;
use crate::resource::number;

/// Issues go into or out of a sprint.
pub fn plan(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    issues(reading, &[Action::ScheduleIssues, Action::EditIssues])
}

/// Issues go onto a board, where they may change status.
pub fn onto_board(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    issues(
        reading,
        &[
            Action::ScheduleIssues,
            Action::EditIssues,
            Action::TransitionIssues,
        ],
    )
}

/// Issues are ranked.
pub fn rank(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    issues(reading, &[Action::ScheduleIssues])
}

/// Issues leave their epics.
pub fn out_of_epics(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    issues(reading, &[Action::EditIssues])
}

/// Issues go into an epic, which is edited too.
pub fn into_epic(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![pair(Action::EditIssues, issue(reading)?)];
    pairs.extend(each(
        required(reading, "issues")?,
        "issues",
        &[Action::EditIssues],
    )?);
    Ok(Extracted::pairs(pairs))
}

/// A sprint of the board the body names.
pub fn create_sprint(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let board = id(required(reading, "originBoardId")?)?;
    Ok(Extracted::pairs(vec![pair(
        Action::SprintManage,
        format!("board:{board}"),
    )]))
}

/// Two sprints change places.
pub fn swap_sprints(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let other = id(required(reading, "sprintToSwapWith")?)?;
    let one = number(reading.path("sprintId"))
        .ok_or_else(|| Unresolved::new("expected a number as `sprintId`"))?;
    Ok(Extracted::pairs(vec![
        pair(Action::SprintManage, format!("sprint:{one}")),
        pair(Action::SprintManage, format!("sprint:{other}")),
    ]))
}

/// A board, in a project it may name.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![pair(Action::SiteUser, SITE)];
    if let Some(location) = member(reading, "location")?
        && let Some(project) = location.member("projectKeyOrId").known()?
    {
        pairs.push(pair(Action::BrowseProjects, project_in(project)?));
    }
    Ok(Extracted::pairs(pairs))
}

fn issues(reading: &Reading<'_>, actions: &[Action]) -> Result<Extracted, Unresolved> {
    Ok(Extracted::pairs(each(
        required(reading, "issues")?,
        "issues",
        actions,
    )?))
}

fn id(value: &Json) -> Result<u64, Unresolved> {
    value
        .as_number()
        .and_then(number)
        .ok_or_else(|| Unresolved::new("expected the id as a number"))
}
