//! Boards and their sprints.
//!
//! Sprints take *Manage sprints* on every project of the board they were made on; of a board whose filter does not name its projects, on
//! every project of the site, which is not asked. A board's configuration is its administrators'.
//! Source: support.atlassian.com "Use manage sprints permission for advanced cases", "Permissions overview"; developer.atlassian.com
//! /cloud/jira/software/rest "Board"; read 2026-12-01.

use super::Question;
use super::known::{Known, Place, Stop};
use crate::jql::{self, Scope};
use crate::resource::{Project, Target};
use crate::upstream::read::Read;
use crate::upstream::records::board::{self, Board};
use crate::upstream::records::{people, shared};

/// Manage the sprints of a board.
pub fn sprints(question: &Question, known: &Known) -> Result<String, Stop> {
    let board = match &question.target {
        Target::Board(id) => *id,
        Target::Sprint(id) => known
            .seen(Read::Sprint(*id), board::board_of_sprint)?
            .ok_or_else(|| {
                Stop::unsupported("Jira does not say on which board the sprint was made")
            })?,
        _ => return Err(Stop::unsupported("expected a board or a sprint")),
    };
    let places = projects(known, board)?;
    if places.is_empty() {
        return Err(Stop::unsupported("Jira names no project of the board"));
    }
    let keys = ["MANAGE_SPRINTS_PERMISSION", "BROWSE_PROJECTS"];
    let granted = known.held(&keys, &places.iter().collect::<Vec<_>>())?;
    for place in &places {
        for key in keys {
            if !granted.has(key, place)? {
                return Err(Stop::deny(format!(
                    "the user does not hold `{key}` on {}",
                    place.name
                )));
            }
        }
    }
    let filter = known.seen(Read::BoardConfiguration(board), board::filter)?;
    let filter =
        filter.ok_or_else(|| Stop::unsupported("Jira does not say what the board shows"))?;
    let jql = known.seen(Read::Filter(filter), shared::shared)?.jql;
    match jql.as_deref().and_then(jql::scope) {
        Some(Scope::Projects(_)) => {
            Ok("the user manages the sprints of every project of the board".into())
        }
        Some(Scope::Issues(_)) | None => Err(Stop::unsupported(
            "the board's filter does not name its projects, so Jira asks for the right on all of the site",
        )),
    }
}

/// Change a board.
pub fn edit(question: &Question, known: &Known) -> Result<String, Stop> {
    let Target::Board(id) = &question.target else {
        return Err(Stop::unsupported("expected a board"));
    };
    edits(known, &known.seen(Read::Board(*id), board::board)?)
}

/// See a board: who sees one of its projects, or may change it. Its filter may be shared with others too.
pub fn view(question: &Question, known: &Known) -> Result<String, Stop> {
    let Target::Board(id) = &question.target else {
        return Err(Stop::unsupported("expected a board"));
    };
    let record = known.seen(Read::Board(*id), board::board)?;
    let places = projects(known, *id)?;
    if !places.is_empty() {
        let granted = known.held(&["BROWSE_PROJECTS"], &places.iter().collect::<Vec<_>>())?;
        for place in &places {
            if granted.has("BROWSE_PROJECTS", place)? {
                return Ok(format!("the user sees {} of the board", place.name));
            }
        }
    }
    match edits(known, &record) {
        Err(Stop::Denied(_)) => Err(Stop::unsupported(
            "the user sees no project of the board; whether its filter is shared with them is not read",
        )),
        other => other,
    }
}

fn edits(known: &Known, record: &Board) -> Result<String, Stop> {
    if known.global(&["ADMINISTER"])?.has_global("ADMINISTER") {
        return Ok("the user administers Jira".into());
    }
    let admins = record.admins.as_ref().ok_or_else(|| {
        Stop::unsupported("Jira does not show our credential who administers the board")
    })?;
    if admins.users.iter().any(|account| account == known.user) {
        return Ok("the user administers the board".into());
    }
    if !admins.groups.is_empty() {
        let member = known.seen(Read::User(known.user.to_owned()), people::member)?;
        let groups = member
            .groups
            .ok_or_else(|| Stop::unsupported("Jira does not say in which groups the user is"))?;
        if admins.groups.iter().any(|group| groups.contains(group)) {
            return Ok("a group of the user administers the board".into());
        }
    }
    if let Some(project) = record.project {
        let place = known.project(&Project::of_id(project))?;
        let granted = known.held(&["ADMINISTER_PROJECTS"], &[&place])?;
        if granted.has("ADMINISTER_PROJECTS", &place)? {
            return Err(Stop::unsupported(
                "whether an administrator of the board's project administers the board is not documented",
            ));
        }
    }
    Err(Stop::deny("the user does not administer the board"))
}

fn projects(known: &Known, board: u64) -> Result<Vec<Place>, Stop> {
    let ids = known.seen(Read::BoardProjects(board), board::projects)?;
    let projects: Vec<Project> = ids.into_iter().map(Project::of_id).collect();
    known.all(projects.iter().cloned().map(Read::Project))?;
    projects
        .iter()
        .map(|project| known.project(project))
        .collect()
}
