//! Mutations: the few whose effect somebody looks at. All others are echoed, and all are entered in the world's `ran`.

use serde_json::{Value, json};

use super::objects::Objects;
use super::world::{Comment, Issue};
use crate::graphql::document::Field;
use crate::graphql::walk::FieldError;

/// Run one mutation; `None` when it is only echoed. Errors: a credential that only reads.
pub(super) fn run(objects: &mut Objects<'_>, field: &Field) -> Option<Result<Value, FieldError>> {
    if !objects.caller.writes {
        let message = "You don't have permission to do this with this API key";
        return Some(Err(FieldError {
            fatal: true,
            ..FieldError::of("forbidden", message.to_owned())
        }));
    }
    objects.world.ran.push(field.name.clone());
    let input = field.arguments.get("input").cloned().unwrap_or(Value::Null);
    let id = field.arguments.get("id").and_then(Value::as_str);
    match field.name.as_str() {
        "issueCreate" => Some(create_issue(objects, &input)),
        "issueUpdate" => Some(update_issue(objects, id.unwrap_or_default(), &input)),
        "commentCreate" => Some(create_comment(objects, &input)),
        _ => None,
    }
}

fn create_issue(objects: &mut Objects<'_>, input: &Value) -> Result<Value, FieldError> {
    let wanted = text(input, "teamId");
    let teams = objects.world.teams.iter();
    let found = teams.filter(|(id, team)| **id == wanted || team.key == wanted);
    let team = found.map(|(id, _)| id.clone()).find(|id| objects.sees(id));
    let team = team.ok_or_else(|| missing("Team"))?;
    let issues = &objects.world.issues;
    let last = issues.values().filter(|issue| issue.team == team);
    let number = last.map(|issue| issue.number).max().unwrap_or(0) + 1;
    let id = new_id(issues.len());
    let issue = Issue {
        team,
        number,
        title: text(input, "title"),
        description: input
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned),
        creator: Some(objects.caller.user.clone()),
        ..Issue::default()
    };
    objects.world.issues.insert(id.clone(), issue);
    Ok(payload("issue", &id))
}

fn update_issue(objects: &mut Objects<'_>, name: &str, input: &Value) -> Result<Value, FieldError> {
    let id = objects.issue_id(name).ok_or_else(|| missing("Issue"))?;
    if let Some(issue) = objects.world.issues.get_mut(&id) {
        if let Some(title) = input.get("title").and_then(Value::as_str) {
            title.clone_into(&mut issue.title);
        }
        if let Some(team) = input.get("teamId").and_then(Value::as_str) {
            team.clone_into(&mut issue.team);
        }
    }
    Ok(payload("issue", &id))
}

fn create_comment(objects: &mut Objects<'_>, input: &Value) -> Result<Value, FieldError> {
    let issue = objects.issue_id(&text(input, "issueId"));
    let issue = issue.ok_or_else(|| missing("Issue"))?;
    let id = new_id(objects.world.comments.len() + 0x1000);
    let comment = Comment {
        issue,
        user: objects.caller.user.clone(),
        body: text(input, "body"),
    };
    objects.world.comments.insert(id.clone(), comment);
    Ok(payload("comment", &id))
}

fn payload(member: &str, id: &str) -> Value {
    json!({"__typename": "Payload", "success": true, "lastSyncId": 1, member: {"__ref": id}})
}

fn missing(kind: &str) -> FieldError {
    let message = format!("Entity not found: {kind} - Could not find referenced {kind}.");
    FieldError {
        fatal: true,
        ..FieldError::of("invalid input", message)
    }
}

fn new_id(count: usize) -> String {
    format!("00000000-0000-4000-9000-{count:012x}")
}

fn text(input: &Value, name: &str) -> String {
    input
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
