//! Boards, sprints, filters, service desks.
//!
//! Source: developer.atlassian.com/cloud/jira/software/rest, /cloud/jira/service-desk/rest, /cloud/jira/platform/rest/v3 "Filters".

use serde_json::{Value, json};

use super::call::{Answer, Call, message};
use super::render;
use crate::message::Reply;

/// The endpoints of the agile API.
pub(super) fn agile(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["board"]) => Some(Ok(boards(call))),
        ("GET", ["board", id]) => Some(board(call, id)),
        ("GET", ["board", id, "configuration"]) => Some(configuration(call, id)),
        ("GET", ["board", id, "project"]) => Some(projects(call, id)),
        ("GET", ["sprint", id]) => Some(sprint(call, id)),
        ("POST", ["sprint"]) => Some(create_sprint(call)),
        _ => None,
    }
}

/// The endpoints of the service desk's API.
pub(super) fn desk(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["servicedesk", id]) => Some(service_desk(call, id)),
        _ => None,
    }
}

/// Filters.
pub(super) fn filters(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["filter", id]) => Some(filter(call, id)),
        _ => None,
    }
}

fn boards(call: &Call<'_>) -> Reply {
    let all = call.world.boards.iter();
    call.page(
        all.map(|(id, board)| json!({ "id": id, "name": board.name, "type": "scrum" }))
            .collect(),
    )
}

fn board(call: &Call<'_>, id: &str) -> Answer {
    let (id, board) = found(&call.world.boards, id)?;
    let admins: Vec<Value> = board
        .admins
        .iter()
        .map(|id| render::account(call, id))
        .collect();
    let project = board
        .projects
        .iter()
        .next()
        .and_then(|key| call.world.projects.get(key));
    Ok(Reply::json(
        200,
        &json!({
            "id": id, "name": board.name, "type": "scrum",
            "admins": { "users": admins, "groups": [] },
            "location": { "projectId": project.map(|project| project.id) },
        }),
    ))
}

fn configuration(call: &Call<'_>, id: &str) -> Answer {
    let (id, board) = found(&call.world.boards, id)?;
    Ok(Reply::json(
        200,
        &json!({ "id": id, "filter": { "id": board.filter.to_string() } }),
    ))
}

fn projects(call: &Call<'_>, id: &str) -> Answer {
    let (_, board) = found(&call.world.boards, id)?;
    Ok(call.page(
        board
            .projects
            .iter()
            .map(|key| render::project(call, key))
            .collect(),
    ))
}

fn sprint(call: &Call<'_>, id: &str) -> Answer {
    let (id, board) = found(&call.world.sprints, id)?;
    Ok(Reply::json(
        200,
        &json!({ "id": id, "state": "active", "name": "Sprint", "originBoardId": board }),
    ))
}

fn create_sprint(call: &mut Call<'_>) -> Answer {
    let board = call.given("originBoardId")?.as_u64();
    let board = board
        .filter(|id| call.world.boards.contains_key(id))
        .ok_or_else(missing)?;
    let id = call.world.next_id();
    call.world.sprints.insert(id, board);
    Ok(Reply::json(
        201,
        &json!({ "id": id, "state": "future", "originBoardId": board }),
    ))
}

fn service_desk(call: &Call<'_>, id: &str) -> Answer {
    let (id, key) = found(&call.world.desks, id)?;
    let project = call.world.projects.get(key).ok_or_else(missing)?;
    Ok(Reply::json(
        200,
        &json!({ "id": id.to_string(), "projectId": project.id.to_string(), "projectKey": key }),
    ))
}

fn filter(call: &Call<'_>, id: &str) -> Answer {
    let (id, filter) = found(&call.world.filters, id)?;
    let groups = filter.editor_groups.iter();
    let editors: Vec<Value> = groups
        .map(|name| json!({ "type": "group", "group": { "name": name, "groupId": format!("id-{name}") } }))
        .collect();
    Ok(Reply::json(
        200,
        &json!({ "id": id.to_string(), "owner": render::account(call, &filter.owner), "jql": filter.jql, "editPermissions": editors }),
    ))
}

fn found<'w, T>(
    all: &'w std::collections::BTreeMap<u64, T>,
    id: &str,
) -> Result<(u64, &'w T), Reply> {
    let id: u64 = id.parse().map_err(|_| missing())?;
    Ok((id, all.get(&id).ok_or_else(missing)?))
}

fn missing() -> Reply {
    message(
        404,
        "It does not exist or you do not have permission to view it.",
    )
}
