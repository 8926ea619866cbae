//! `POST /graphql`: reads a document, walks the objects it selects, answers data and errors in GitHub's form.
//!
//! A field GitHub does not have is an error without data, so a mistaken query of ours is found here and not in production. Only the
//! fields the objects list are known; the list grows with what is asked.
//!
//! Source: octokit/graphql-schema; docs.github.com/graphql.

mod document;
mod mutations;
mod objects;

use serde_json::{Map, Value, json};

use self::document::{Field, Operation, Selection};
use self::objects::FieldError;
use super::auth::{Caller, message};
use super::call::{Answer, Call};
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
    let mut walk = Walk {
        call,
        errors: Vec::new(),
        fatal: false,
    };
    let data = walk.operation(&operation);
    let mut body = Map::new();
    if !walk.fatal {
        body.insert("data".to_owned(), data);
    }
    if !walk.errors.is_empty() {
        body.insert("errors".to_owned(), Value::Array(walk.errors));
    }
    Ok(Reply::json(200, &Value::Object(body)))
}

struct Walk<'c, 'a> {
    call: &'c mut Call<'a>,
    errors: Vec<Value>,
    /// Whether an error was found that GitHub finds before it runs anything.
    fatal: bool,
}

impl Walk<'_, '_> {
    fn operation(&mut self, operation: &Operation) -> Value {
        let mut data = Map::new();
        if operation.mutates {
            self.mutations(&operation.selections, &mut data);
        } else {
            self.object(
                &objects::query(),
                &operation.selections,
                &mut Vec::new(),
                &mut data,
            );
        }
        Value::Object(data)
    }

    fn mutations(&mut self, selections: &[Selection], data: &mut Map<String, Value>) {
        for selection in selections {
            match selection {
                Selection::Fragment { selections, .. } => self.mutations(selections, data),
                Selection::Field(field) => {
                    let input = field.arguments.get("input").cloned().unwrap_or(Value::Null);
                    let mut path = vec![json!(field.key)];
                    let value = match mutations::run(self.call, &field.name, &input) {
                        None => mutations::echo(field, &input),
                        Some(Ok(payload)) => self.value(payload, field, &mut path),
                        Some(Err(error)) => self.refuse(&error, &path),
                    };
                    data.insert(field.key.clone(), value);
                }
            }
        }
    }

    fn object(
        &mut self,
        object: &Value,
        selections: &[Selection],
        path: &mut Vec<Value>,
        into: &mut Map<String, Value>,
    ) {
        let type_name = object
            .get("__typename")
            .and_then(Value::as_str)
            .unwrap_or_default();
        for selection in selections {
            match selection {
                Selection::Fragment { on, selections } => {
                    if on
                        .as_deref()
                        .is_none_or(|on| on == type_name || is_interface_of(on, type_name))
                    {
                        self.object(object, selections, path, into);
                    }
                }
                Selection::Field(field) => {
                    path.push(json!(field.key));
                    let value = self.field(object, type_name, field, path);
                    path.pop();
                    into.insert(field.key.clone(), value);
                }
            }
        }
    }

    fn field(
        &mut self,
        object: &Value,
        type_name: &str,
        field: &Field,
        path: &mut Vec<Value>,
    ) -> Value {
        match objects::computed(self.call, object, &field.name, &field.arguments) {
            Some(Ok(value)) => self.value(value, field, path),
            Some(Err(error)) => self.refuse(&error, path),
            None => match object.get(&field.name) {
                Some(value) => self.value(value.clone(), field, path),
                None => {
                    let text =
                        format!("Field '{}' doesn't exist on type '{type_name}'", field.name);
                    self.errors.push(json!({
                        "path": path, "message": text, "locations": [],
                        "extensions": {"code": "undefinedField", "typeName": type_name, "fieldName": field.name},
                    }));
                    self.fatal = true;
                    Value::Null
                }
            },
        }
    }

    fn value(&mut self, value: Value, field: &Field, path: &mut Vec<Value>) -> Value {
        match value {
            Value::Array(items) => {
                let mut answers = Vec::new();
                for (index, item) in items.into_iter().enumerate() {
                    path.push(json!(index));
                    answers.push(self.value(item, field, path));
                    path.pop();
                }
                Value::Array(answers)
            }
            Value::Object(_) => {
                let object = match value.get("__ref").and_then(Value::as_str) {
                    Some(id) => objects::load(self.call, id).unwrap_or(Value::Null),
                    None => value,
                };
                if object.is_null() {
                    return Value::Null;
                }
                let Some(selections) = &field.selections else {
                    let text = format!(
                        "Field must have selections (field '{}' returns an object but has no selections)",
                        field.name
                    );
                    self.errors.push(json!({"path": path, "message": text, "extensions": {"code": "selectionMismatch"}}));
                    self.fatal = true;
                    return Value::Null;
                };
                let mut members = Map::new();
                self.object(&object, selections, path, &mut members);
                Value::Object(members)
            }
            leaf => leaf,
        }
    }

    fn refuse(&mut self, error: &FieldError, path: &[Value]) -> Value {
        let mut body = json!({"path": path, "locations": [], "message": error.message});
        if let Some(kind) = error.kind {
            set(&mut body, "type", json!(kind));
        }
        self.fatal |= error.fatal;
        self.errors.push(body);
        Value::Null
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
