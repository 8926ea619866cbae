//! Mutations: the few whose effect somebody looks at. All others are echoed.

use serde_json::{Value, json};

use super::super::auth::Level;
use super::super::call::Call;
use super::super::world::repository::{Comment, Issue, Pull};
use crate::graphql::walk::FieldError;
use crate::message::set;

/// Run one mutation; `None` when it is only echoed.
pub(super) fn run(
    call: &mut Call<'_>,
    name: &str,
    input: &Value,
) -> Option<Result<Value, FieldError>> {
    match name {
        "addComment" => Some(add_comment(call, input)),
        "createIssue" => Some(create_issue(call, input)),
        "createPullRequest" => Some(create_pull(call, input)),
        _ => None,
    }
}

fn create_issue(call: &mut Call<'_>, input: &Value) -> Result<Value, FieldError> {
    let author = call.author();
    let full_name = repository(call, input, "repositoryId", "issues")?;
    let record = call
        .world
        .repositories
        .get_mut(&full_name)
        .ok_or_else(|| unresolved("repositoryId"))?;
    let number = record.next_number();
    let body = input.get("body").and_then(Value::as_str).map(str::to_owned);
    record.issues.insert(
        number,
        Issue {
            title: text(input, "title"),
            body,
            author,
            ..Issue::default()
        },
    );
    Ok(payload(
        input,
        "issue",
        json!({"__ref": format!("I_{}_{number}", record.id)}),
    ))
}

fn create_pull(call: &mut Call<'_>, input: &Value) -> Result<Value, FieldError> {
    let author = call.author();
    let full_name = repository(call, input, "repositoryId", "pull_requests")?;
    let record = call
        .world
        .repositories
        .get_mut(&full_name)
        .ok_or_else(|| unresolved("repositoryId"))?;
    let number = record.next_number();
    let body = input.get("body").and_then(Value::as_str).map(str::to_owned);
    let pull = Pull {
        title: text(input, "title"),
        body,
        author,
        base: text(input, "baseRefName"),
        head: text(input, "headRefName"),
        ..Pull::default()
    };
    record.pulls.insert(number, pull);
    Ok(payload(
        input,
        "pullRequest",
        json!({"__ref": format!("PR_{}_{number}", record.id)}),
    ))
}

fn add_comment(call: &mut Call<'_>, input: &Value) -> Result<Value, FieldError> {
    let author = call.author();
    let full_name = repository(call, input, "subjectId", "issues")?;
    let subject = text(input, "subjectId");
    let number = subject
        .rsplit('_')
        .next()
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| unresolved("subjectId"))?;
    let record = call
        .world
        .repositories
        .get_mut(&full_name)
        .ok_or_else(|| unresolved("subjectId"))?;
    let id = record
        .comments
        .keys()
        .next_back()
        .map_or(1, |last| last + 1);
    record.comments.insert(
        id,
        Comment {
            number,
            author,
            body: text(input, "body"),
            ..Comment::default()
        },
    );
    let edge = json!({"__typename": "IssueCommentEdge", "cursor": "cursor:1", "node": {"__ref": format!("IC_{}_{id}", record.id)}});
    let payload = payload(input, "commentEdge", edge);
    Ok(super::super::render::join(
        payload,
        json!({"subject": {"__ref": subject}}),
    ))
}

/// The repository behind a node id of the input, when the credential may write there.
fn repository(
    call: &Call<'_>,
    input: &Value,
    member: &str,
    permission: &str,
) -> Result<String, FieldError> {
    let id = text(input, member);
    let object = super::objects::load(call, &id).ok_or_else(|| unresolved(&id))?;
    let object = match object
        .get("repository")
        .and_then(|link| link.get("__ref"))
        .and_then(Value::as_str)
    {
        Some(id) => super::objects::load(call, id).ok_or_else(|| unresolved(id))?,
        None => object,
    };
    call.caller.need(permission, Level::Write).map_err(|_| {
        FieldError::of(
            "FORBIDDEN",
            "Resource not accessible by integration".to_owned(),
        )
    })?;
    let name = object.get("nameWithOwner").and_then(Value::as_str);
    name.map(str::to_owned).ok_or_else(|| unresolved(&id))
}

fn payload(input: &Value, member: &str, value: Value) -> Value {
    let mut payload =
        json!({"__typename": "Payload", "clientMutationId": input.get("clientMutationId")});
    set(&mut payload, member, value);
    payload
}

fn text(input: &Value, name: &str) -> String {
    input
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn unresolved(id: &str) -> FieldError {
    FieldError::of(
        "NOT_FOUND",
        format!("Could not resolve to a node with the global id of '{id}'"),
    )
}
