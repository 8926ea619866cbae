//! `POST /graphql`: reads a document, walks the objects it selects, answers data and errors in GitHub's form.
//!
//! A field GitHub does not have is an error without data, so a mistaken query of ours is found here and not in production. Only the
//! fields the objects list are known; the list grows with what is asked.
//!
//! Source: octokit/graphql-schema; docs.github.com/graphql.

mod mutations;
mod objects;

use serde_json::{Map, Value, json};

use super::auth::{Caller, message};
use super::call::{Answer, Call};
use crate::graphql::document::{self, Field};
use crate::graphql::walk::{self, FieldError, Schema};
use crate::message::{Reply, set};

/// The endpoint.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("POST", ["graphql"]) => Some(answer(call)),
        _ => None,
    }
}

fn answer(call: &mut Call<'_>) -> Answer {
    if matches!(call.caller, Caller::App) {
        return Err(message(
            401,
            "This endpoint requires you to be authenticated.",
        ));
    }
    let body = call.request.json();
    let Some(query) = body.get("query").and_then(Value::as_str) else {
        return Err(message(
            400,
            "A query attribute must be specified and must be a string.",
        ));
    };
    let variables = body.get("variables").cloned().unwrap_or(Value::Null);
    let wanted = body
        .get("operationName")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    let operation = match document::read(query, &variables, wanted) {
        Ok(operation) => operation,
        Err(text) => {
            return Ok(Reply::json(
                200,
                &json!({"errors": [{"message": text, "locations": []}]}),
            ));
        }
    };
    let body = walk::answer(&mut Objects(call), &operation);
    Ok(Reply::json(200, &body))
}

/// GitHub's objects, as the caller sees them.
struct Objects<'c, 'a>(&'c mut Call<'a>);

impl Schema for Objects<'_, '_> {
    fn mutation(&mut self, field: &Field) -> Option<Result<Value, FieldError>> {
        let input = field.arguments.get("input").cloned().unwrap_or(Value::Null);
        mutations::run(self.0, &field.name, &input)
    }

    fn computed(
        &mut self,
        object: &Value,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<Value, FieldError>> {
        objects::computed(self.0, object, name, arguments)
    }

    fn load(&mut self, id: &str) -> Option<Value> {
        objects::load(self.0, id)
    }

    fn implements(&self, type_name: &str, interface: &str) -> bool {
        is_interface_of(interface, type_name)
    }

    fn mark(&self, kind: &str, error: &mut Value) {
        set(error, "type", json!(kind));
    }
}

/// Whether a type has an interface or belongs to a union of this name.
fn is_interface_of(interface: &str, type_name: &str) -> bool {
    match interface {
        "Node" => !matches!(type_name, "Query" | "PageInfo" | "RateLimit"),
        "Actor" => matches!(type_name, "User" | "Organization" | "Bot"),
        "RepositoryOwner" | "ProfileOwner" => matches!(type_name, "User" | "Organization"),
        "RepositoryNode" => matches!(
            type_name,
            "Issue"
                | "PullRequest"
                | "IssueComment"
                | "PullRequestReviewComment"
                | "CommitComment"
                | "PullRequestReview"
        ),
        "Comment" => matches!(
            type_name,
            "Issue"
                | "PullRequest"
                | "IssueComment"
                | "PullRequestReviewComment"
                | "CommitComment"
                | "PullRequestReview"
        ),
        "Lockable" | "Labelable" | "Assignable" | "Closable" => {
            matches!(type_name, "Issue" | "PullRequest")
        }
        _ => false,
    }
}
