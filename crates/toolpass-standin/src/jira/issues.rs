//! Projects, issues, and what hangs on them.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Issues", "Issue comments", "Issue worklogs", "Issue links", "Projects".

use serde_json::{Value, json};

use super::call::{Answer, Call, message, not_found};
use super::render;
use super::world::{Issue, Link, Note, project_of};
use crate::message::Reply;

/// The chapter's endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    Some(match (method, names) {
        ("GET", ["serverInfo"]) => Ok(server(call)),
        ("GET", ["field"]) => Ok(fields(call)),
        ("GET", ["project"]) => Ok(projects(call)),
        ("GET", ["project", key]) => call
            .project(key)
            .map(|key| Reply::json(200, &render::project(call, &key))),
        ("GET", ["component" | "version", id]) => part(call, id),
        ("GET" | "POST", ["search"] | ["search", "jql"]) => Ok(search(call)),
        ("POST", ["issue"]) => create(call),
        ("GET", ["issue", key]) => call
            .issue(key)
            .map(|key| Reply::json(200, &render::issue(call, &key))),
        ("PUT", ["issue", key]) => edit(call, key),
        ("DELETE", ["issue", key]) => delete(call, key),
        ("PUT", ["issue", key, "assignee"]) => assign(call, key),
        ("GET", ["issue", key, "transitions"]) => transitions(call, key),
        ("POST", ["issue", key, "transitions"]) => transition(call, key),
        ("GET", ["issue", key, "comment"]) => comments(call, key),
        ("POST", ["issue", key, "comment"]) => comment(call, key),
        ("GET", ["issue", key, "comment", id]) => one_note(call, key, id, true),
        ("PUT", ["issue", key, "comment", id]) => edit_comment(call, key, id),
        ("DELETE", ["issue", key, "comment", id]) => delete_note(call, key, id, true),
        ("POST", ["issue", key, "attachments"]) => call
            .issue(key)
            .map(|_| Reply::json(200, &json!([{ "id": "50001", "filename": "file" }]))),
        ("POST", ["issue", key, "worklog"]) => worklog(call, key),
        ("GET", ["issue", key, "worklog", id]) => one_note(call, key, id, false),
        ("DELETE", ["issue", key, "worklog", id]) => delete_note(call, key, id, false),
        ("POST", ["comment", "list"]) => Ok(comment_list(call)),
        ("GET", ["issueLinkType"]) => Ok(link_types()),
        ("POST", ["issueLink"]) => link(call),
        ("GET", ["issueLink", id]) => one_link(call, id),
        _ => return None,
    })
}

fn server(call: &Call<'_>) -> Reply {
    Reply::json(
        200,
        &json!({
            "baseUrl": call.request.origin, "version": "1001.0.0-SNAPSHOT", "versionNumbers": [1001, 0, 0],
            "deploymentType": "Cloud", "buildNumber": 100_000, "serverTitle": "Jira",
        }),
    )
}

fn fields(call: &Call<'_>) -> Reply {
    let custom = call.world.fields.iter().map(|(id, custom)| {
        json!({ "id": id, "key": id, "name": id, "custom": true, "clauseNames": [id], "schema": { "type": "any", "custom": custom } })
    });
    let own = ["summary", "description", "status", "assignee", "project"].map(|id| {
        json!({ "id": id, "key": id, "name": id, "custom": false, "clauseNames": [id], "schema": { "type": "string", "system": id } })
    });
    Reply::json(200, &Value::Array(custom.chain(own).collect()))
}

fn projects(call: &Call<'_>) -> Reply {
    let seen = call
        .world
        .projects
        .keys()
        .filter(|key| call.project(key).is_ok());
    Reply::json(
        200,
        &Value::Array(seen.map(|key| render::project(call, key)).collect()),
    )
}

fn part(call: &Call<'_>, id: &str) -> Answer {
    let project = id
        .parse()
        .ok()
        .and_then(|id: u64| call.world.parts.get(&id));
    let project = project.and_then(|key| Some((key, call.world.projects.get(key)?)));
    let (key, project) = project.ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &json!({ "id": id, "project": key, "projectId": project.id, "name": "part" }),
    ))
}

/// Every issue the caller sees: the query is not read.
fn search(call: &Call<'_>) -> Reply {
    let seen = call
        .world
        .issues
        .keys()
        .filter(|key| call.issue(key).is_ok());
    let issues: Vec<Value> = seen.map(|key| render::issue(call, key)).collect();
    Reply::json(
        200,
        &json!({ "startAt": 0, "maxResults": 50, "total": issues.len(), "isLast": true, "issues": issues }),
    )
}

fn create(call: &mut Call<'_>) -> Answer {
    let Value::Object(mut fields) = call.given("fields")? else {
        return Err(message(400, "`fields` is no object."));
    };
    let project = fields.remove("project").unwrap_or_default();
    // An id beside the key wins.
    let named = project
        .get("id")
        .or(project.get("key"))
        .and_then(Value::as_str);
    let project = call.project(named.unwrap_or_default())?;
    if !fields.contains_key("summary") {
        return Err(Reply::json(
            400,
            &json!({ "errorMessages": [], "errors": { "summary": "You must specify a summary of the issue." } }),
        ));
    }
    let numbers = call
        .world
        .issues
        .keys()
        .filter(|key| project_of(key) == project);
    let last = numbers
        .filter_map(|key| key.rsplit_once('-')?.1.parse::<u64>().ok())
        .max();
    let (key, id) = (
        format!("{project}-{}", last.unwrap_or(0) + 1),
        call.world.next_id(),
    );
    let issue = Issue {
        id,
        fields,
        ..Issue::default()
    };
    call.world.issues.insert(key.clone(), issue);
    Ok(Reply::json(201, &render::reference(call, &key)))
}

fn edit(call: &mut Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let body = call.request.json();
    let given = body
        .get("fields")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    found(call, &key)?.fields.extend(given);
    Ok(Reply::empty(204))
}

fn delete(call: &mut Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let tasks = found(call, &key)?.subtasks.clone();
    let with_tasks = call.request.query_value("deleteSubtasks").as_deref() == Some("true");
    if !tasks.is_empty() && !with_tasks {
        return Err(message(400, "The issue has sub-tasks."));
    }
    call.world.issues.remove(&key);
    call.world.issues.retain(|key, _| !tasks.contains(key));
    Ok(Reply::empty(204))
}

fn assign(call: &mut Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let id = call
        .request
        .json()
        .get("accountId")
        .cloned()
        .unwrap_or_default();
    let assignee = if id.is_null() {
        Value::Null
    } else {
        json!({ "accountId": id })
    };
    found(call, &key)?
        .fields
        .insert("assignee".to_owned(), assignee);
    Ok(Reply::empty(204))
}

fn transitions(call: &Call<'_>, key: &str) -> Answer {
    call.issue(key)?;
    let steps = call.world.statuses.iter().map(|(name, id)| {
        json!({ "id": id.to_string(), "name": name, "to": render::status(call, name), "isAvailable": true })
    });
    Ok(Reply::json(
        200,
        &json!({ "expand": "transitions", "transitions": steps.collect::<Vec<_>>() }),
    ))
}

fn transition(call: &mut Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let given = call.given("transition")?;
    let wanted = given.get("id").and_then(Value::as_str).unwrap_or_default();
    let step = call
        .world
        .statuses
        .iter()
        .find(|(_, id)| id.to_string() == wanted);
    let status = step.map(|(name, _)| name.clone());
    found(call, &key)?.status =
        status.ok_or_else(|| message(400, "It is not a valid transition."))?;
    Ok(Reply::empty(204))
}

fn comments(call: &Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let issue = call.world.issues.get(&key).ok_or_else(not_found)?;
    let all: Vec<Value> = issue
        .comments
        .iter()
        .map(|(id, note)| render::comment(call, &key, *id, note))
        .collect();
    Ok(Reply::json(
        200,
        &json!({ "startAt": 0, "maxResults": 50, "total": all.len(), "comments": all }),
    ))
}

fn comment(call: &mut Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let note = Note {
        author: call.account.clone(),
        body: call.given("body")?,
        role: None,
    };
    let id = call.world.next_id();
    found(call, &key)?.comments.insert(id, note.clone());
    Ok(Reply::json(201, &render::comment(call, &key, id, &note)))
}

fn edit_comment(call: &mut Call<'_>, key: &str, id: &str) -> Answer {
    let key = call.issue(key)?;
    let (id, body) = (numbered(id)?, call.given("body")?);
    let note = found(call, &key)?
        .comments
        .get_mut(&id)
        .ok_or_else(not_found)?;
    note.body = body;
    let note = note.clone();
    Ok(Reply::json(200, &render::comment(call, &key, id, &note)))
}

fn worklog(call: &mut Call<'_>, key: &str) -> Answer {
    let key = call.issue(key)?;
    let note = Note {
        author: call.account.clone(),
        body: call.request.json(),
        role: None,
    };
    let id = call.world.next_id();
    found(call, &key)?.worklogs.insert(id, note);
    let issue = call.world.issues.get(&key).map_or(0, |issue| issue.id);
    let shown = json!({ "id": id.to_string(), "issueId": issue.to_string(), "self": format!("{}/issue/{issue}/worklog/{id}", call.base) });
    Ok(Reply::json(201, &shown))
}

fn one_note(call: &Call<'_>, key: &str, id: &str, is_comment: bool) -> Answer {
    let key = call.issue(key)?;
    let issue = call.world.issues.get(&key).ok_or_else(not_found)?;
    let notes = if is_comment {
        &issue.comments
    } else {
        &issue.worklogs
    };
    let id = numbered(id)?;
    let note = notes.get(&id).ok_or_else(not_found)?;
    Ok(Reply::json(200, &render::comment(call, &key, id, note)))
}

fn delete_note(call: &mut Call<'_>, key: &str, id: &str, is_comment: bool) -> Answer {
    let key = call.issue(key)?;
    let id = numbered(id)?;
    let issue = found(call, &key)?;
    let notes = if is_comment {
        &mut issue.comments
    } else {
        &mut issue.worklogs
    };
    notes.remove(&id).ok_or_else(not_found)?;
    Ok(Reply::empty(204))
}

fn comment_list(call: &Call<'_>) -> Reply {
    let body = call.request.json();
    let ids = body
        .get("ids")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let wanted: Vec<u64> = ids.filter_map(Value::as_u64).collect();
    let all = call.world.issues.iter().flat_map(|(key, issue)| {
        issue
            .comments
            .iter()
            .map(move |(id, note)| (key, *id, note))
    });
    let found = all.filter(|(_, id, _)| wanted.contains(id));
    call.page(
        found
            .map(|(key, id, note)| render::comment(call, key, id, note))
            .collect(),
    )
}

fn link_types() -> Reply {
    let blocks =
        json!({ "id": "1", "name": "Blocks", "inward": "is blocked by", "outward": "blocks" });
    Reply::json(200, &json!({ "issueLinkTypes": [blocks] }))
}

fn link(call: &mut Call<'_>) -> Answer {
    let end = |call: &Call<'_>, name: &str| {
        let given = call.given(name)?;
        let named = given.get("id").or(given.get("key")).and_then(Value::as_str);
        call.issue(named.unwrap_or_default())
    };
    let link = Link {
        inward: end(call, "inwardIssue")?,
        outward: end(call, "outwardIssue")?,
    };
    let id = call.world.next_id();
    call.world.links.insert(id, link);
    Ok(Reply::empty(201))
}

fn one_link(call: &Call<'_>, id: &str) -> Answer {
    let link = call.world.links.get(&numbered(id)?).ok_or_else(not_found)?;
    let shown = json!({
        "id": id,
        "type": { "id": "1", "name": "Blocks" },
        "inwardIssue": render::reference(call, &link.inward),
        "outwardIssue": render::reference(call, &link.outward),
    });
    Ok(Reply::json(200, &shown))
}

fn found<'w>(call: &'w mut Call<'_>, key: &str) -> Result<&'w mut Issue, Reply> {
    call.world.issues.get_mut(key).ok_or_else(not_found)
}

fn numbered(text: &str) -> Result<u64, Reply> {
    text.parse().map_err(|_| not_found())
}
