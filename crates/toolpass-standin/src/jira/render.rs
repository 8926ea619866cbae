//! Objects as Jira writes them.

use serde_json::{Map, Value, json};

use super::call::Call;
use super::world::{Note, project_of};

pub(super) fn account(call: &Call<'_>, id: &str) -> Value {
    let Some(account) = call.world.accounts.get(id) else {
        return Value::Null;
    };
    let mut shown = json!({
        "self": format!("{}/user?accountId={id}", call.base),
        "accountId": id,
        "accountType": account.kind,
        "displayName": account.display_name,
        "active": account.active,
        "timeZone": "Europe/Berlin",
    });
    if !account.hides_email {
        crate::message::set(&mut shown, "emailAddress", json!(account.email));
    }
    shown
}

pub(super) fn project(call: &Call<'_>, key: &str) -> Value {
    let Some(project) = call.world.projects.get(key) else {
        return Value::Null;
    };
    let mut shown = json!({
        "self": format!("{}/project/{}", call.base, project.id),
        "id": project.id.to_string(),
        "key": key,
        "name": project.name,
        "projectTypeKey": project.kind,
    });
    if project.archived {
        crate::message::set(&mut shown, "archived", json!(true));
    }
    shown
}

pub(super) fn issue(call: &Call<'_>, key: &str) -> Value {
    let Some(issue) = call.world.issues.get(key) else {
        return Value::Null;
    };
    let mut fields = issue.fields.clone();
    if let Some(description) = fields.get_mut("description") {
        *description = text(call, description);
    }
    if let Some(Value::Object(assignee)) = fields.get("assignee") {
        let id = assignee
            .get("accountId")
            .or(assignee.get("id"))
            .and_then(Value::as_str);
        let shown = id.map_or(Value::Null, |id| account(call, id));
        fields.insert("assignee".to_owned(), shown);
    }
    fields.insert("project".to_owned(), project(call, project_of(key)));
    fields.insert("status".to_owned(), status(call, &issue.status));
    fields
        .entry("issuetype")
        .or_insert_with(|| json!({ "id": "10001", "name": "Task", "subtask": false }));
    let subtasks = issue
        .subtasks
        .iter()
        .map(|key| reference(call, key))
        .collect();
    fields.insert("subtasks".to_owned(), Value::Array(subtasks));
    let comments: Vec<Value> = issue
        .comments
        .iter()
        .map(|(id, note)| comment(call, key, *id, note))
        .collect();
    fields.insert(
        "comment".to_owned(),
        json!({ "comments": comments, "total": comments.len(), "maxResults": comments.len(), "startAt": 0 }),
    );
    if let Some(only) = call
        .request
        .query_value("fields")
        .filter(|only| only != "*all")
    {
        fields = only_these(fields, &only);
    }
    json!({
        "id": issue.id.to_string(),
        "key": key,
        "self": format!("{}/issue/{}", call.base, issue.id),
        "fields": fields,
    })
}

pub(super) fn reference(call: &Call<'_>, key: &str) -> Value {
    let id = call.world.issues.get(key).map_or(0, |issue| issue.id);
    json!({ "id": id.to_string(), "key": key, "self": format!("{}/issue/{id}", call.base) })
}

pub(super) fn comment(call: &Call<'_>, key: &str, id: u64, note: &Note) -> Value {
    let issue = call.world.issues.get(key).map_or(0, |issue| issue.id);
    let mut shown = json!({
        "self": format!("{}/issue/{issue}/comment/{id}", call.base),
        "id": id.to_string(),
        "author": account(call, &note.author),
        "body": text(call, &note.body),
    });
    if let Some(role) = &note.role {
        crate::message::set(
            &mut shown,
            "visibility",
            json!({ "type": "role", "value": role }),
        );
    }
    shown
}

pub(super) fn status(call: &Call<'_>, name: &str) -> Value {
    let id = call.world.statuses.get(name).copied().unwrap_or_default();
    json!({ "id": id.to_string(), "name": name, "self": format!("{}/status/{id}", call.base) })
}

/// A text in the form of the asked version: plain in 2, a document in 3.
pub(super) fn text(call: &Call<'_>, value: &Value) -> Value {
    match value {
        Value::String(plain) if !call.plain_text => json!({
            "type": "doc", "version": 1,
            "content": [{ "type": "paragraph", "content": [{ "type": "text", "text": plain }] }],
        }),
        Value::Object(_) if call.plain_text => {
            let mut plain = String::new();
            words(value, &mut plain);
            Value::String(plain)
        }
        other => other.clone(),
    }
}

fn words(value: &Value, into: &mut String) {
    if let Some(text) = value.get("text").and_then(Value::as_str) {
        into.push_str(text);
    }
    for child in value
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        words(child, into);
    }
}

fn only_these(fields: Map<String, Value>, only: &str) -> Map<String, Value> {
    let wanted: Vec<&str> = only.split(',').map(str::trim).collect();
    fields
        .into_iter()
        .filter(|(name, _)| wanted.contains(&name.as_str()))
        .collect()
}
