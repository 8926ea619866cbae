//! What the fields of an issue ask for besides the right to edit or create it.
//!
//! Jira drops or refuses a field whose right the caller lacks; the agent's credential lacks none.
//! Source: support.atlassian.com "Permissions for company-managed projects"; developer.atlassian.com/cloud/jira/platform/rest/v3 "Create
//! issue", "Edit issue", "Transition issue"; read 2026-12-01.

use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;

use super::{issue_in, pair, project_in, reference};
use crate::actions::Action;
use crate::facts;
use crate::resource::number;

/// What is done with the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// An issue is made of them, in the project that is the resource.
    Create,
    /// An issue, which is the resource, gets them.
    Edit,
}

/// The pairs of a body with `fields` and `update`, the first of them `action` on `resource`.
/// Errors: a member or an operation that is not understood.
pub fn pairs(
    action: Action,
    resource: &str,
    body: &[(String, Json)],
    usage: Use,
) -> Result<Vec<Pair>, Unresolved> {
    let (mut pairs, mut custom) = (Vec::new(), Vec::new());
    for (name, value) in body {
        match name.as_str() {
            "fields" => {
                for (field, value) in object(value, name)? {
                    more(
                        field,
                        Given::Value(value),
                        resource,
                        usage,
                        &mut pairs,
                        &mut custom,
                    )?;
                }
            }
            "update" => {
                for (field, operations) in object(value, name)? {
                    let operations = operations
                        .as_array()
                        .ok_or_else(|| Unresolved::new("expected each of `update` as a list"))?;
                    more(
                        field,
                        Given::Operations(operations),
                        resource,
                        usage,
                        &mut pairs,
                        &mut custom,
                    )?;
                }
            }
            "transition" if action == Action::TransitionIssues => {}
            "transition" if usage == Use::Create => {
                pairs.push(pair(Action::TransitionIssues, resource));
            }
            "transition" => {
                return Err(Unresolved::new(
                    "Jira ignores `transition` in an edit; use the issue's transitions",
                ));
            }
            "historyMetadata" | "properties" => {}
            _ => return Err(Unresolved::new("the body holds a member that is not known")),
        }
    }
    let own = match custom.is_empty() {
        true => pair(action, resource),
        // The ids of the fields that schedule are known to the site only; the rule of who may edit looks.
        false if action == Action::TransitionIssues => {
            pairs.push(
                pair(Action::EditIssues, resource).fact(facts::CUSTOM_FIELDS, custom.join(" ")),
            );
            pair(action, resource)
        }
        false => pair(action, resource).fact(facts::CUSTOM_FIELDS, custom.join(" ")),
    };
    pairs.insert(0, own);
    Ok(pairs)
}

/// The action a field asks for, on the issue it is a field of; `None` when editing is enough.
pub fn action_of(field: &str) -> Option<Action> {
    match field {
        "assignee" => Some(Action::AssignIssues),
        "attachment" => Some(Action::CreateAttachments),
        "comment" => Some(Action::AddComments),
        "duedate" => Some(Action::ScheduleIssues),
        "fixversions" | "resolution" => Some(Action::ResolveIssues),
        "issuelinks" => Some(Action::LinkIssues),
        "project" => Some(Action::MoveIssues),
        "reporter" => Some(Action::ModifyReporter),
        "security" => Some(Action::SetIssueSecurity),
        "watches" => Some(Action::ManageWatchers),
        "worklog" => Some(Action::WorkOnIssues),
        _ => None,
    }
}

/// The number of a custom field: `customfield_10020`.
pub fn custom_number(field: &str) -> Option<&str> {
    field
        .strip_prefix("customfield_")
        .filter(|digits| number(digits).is_some())
}

#[derive(Clone, Copy)]
enum Given<'j> {
    Operations(&'j [Json]),
    Value(&'j Json),
}

fn more(
    field: &str,
    given: Given<'_>,
    resource: &str,
    usage: Use,
    pairs: &mut Vec<Pair>,
    custom: &mut Vec<String>,
) -> Result<(), Unresolved> {
    // A reader that ignores case would find it too.
    let name = field.to_ascii_lowercase();
    if name.starts_with("customfield_") {
        let digits = custom_number(&name)
            .ok_or_else(|| Unresolved::new("expected a number in the name of a custom field"))?;
        custom.push(digits.to_owned());
        return Ok(());
    }
    match (name.as_str(), given) {
        // The project of a new issue is the resource itself.
        ("project", Given::Value(_)) if usage == Use::Create => return Ok(()),
        ("project", Given::Value(value)) => {
            pairs.push(pair(Action::CreateIssues, project_in(reference(value)?)?));
        }
        ("project", Given::Operations(_)) => {
            return Err(Unresolved::new("expected the project in `fields`"));
        }
        ("parent", Given::Value(Json::Null)) => {}
        ("parent", Given::Value(value)) => {
            let parent = issue_in(reference(value)?)?;
            pairs.push(pair(parent_action(usage), parent));
        }
        ("parent", Given::Operations(operations)) => {
            for operation in operations {
                let (verb, value) = one(operation)?;
                if verb != "set" {
                    return Err(Unresolved::new("expected `set` of the parent"));
                }
                pairs.push(pair(parent_action(usage), issue_in(reference(value)?)?));
            }
        }
        ("comment" | "worklog", Given::Operations(operations)) => {
            for operation in operations {
                pairs.push(note(&name, operation, resource, usage)?);
            }
            return Ok(());
        }
        ("issuelinks", Given::Operations(operations)) => {
            for operation in operations {
                pairs.push(pair(Action::BrowseProjects, other_end(operation)?));
            }
        }
        ("comment" | "issuelinks" | "worklog", Given::Value(_)) => {
            return Err(Unresolved::new(
                "expected comments, worklogs and links in `update`",
            ));
        }
        (_, _) => {}
    }
    pairs.extend(action_of(&name).map(|action| pair(action, resource)));
    Ok(())
}

/// An issue is put below another one: who edits both, or for a new one, who sees it.
fn parent_action(usage: Use) -> Action {
    match usage {
        Use::Create => Action::BrowseProjects,
        Use::Edit => Action::EditIssues,
    }
}

/// A comment or worklog is added, changed or removed.
fn note(field: &str, operation: &Json, resource: &str, usage: Use) -> Result<Pair, Unresolved> {
    let (verb, value) = one(operation)?;
    let action = match (verb, field) {
        ("add", "comment") => return Ok(pair(Action::AddComments, resource)),
        ("add", _) => return Ok(pair(Action::WorkOnIssues, resource)),
        ("edit", "comment") => Action::CommentEdit,
        ("edit", _) => Action::WorklogEdit,
        ("remove", "comment") => Action::CommentDelete,
        ("remove", _) => Action::WorklogDelete,
        (_, _) => {
            return Err(Unresolved::new(
                "an operation on comments or worklogs is not known",
            ));
        }
    };
    let id = value.member("id").known()?.and_then(Json::scalar);
    let id = id.filter(|id| number(id).is_some() && usage == Use::Edit);
    let issue = resource.strip_prefix("issue:");
    match (issue, id) {
        (Some(issue), Some(id)) => Ok(pair(action, format!("{field}:{issue}/{id}"))),
        (_, _) => Err(Unresolved::new(
            "expected the `id` of the comment or worklog",
        )),
    }
}

/// The other issue of a link that is added.
fn other_end(operation: &Json) -> Result<String, Unresolved> {
    let (verb, value) = one(operation)?;
    let inward = value.member("inwardIssue").known()?;
    let outward = value.member("outwardIssue").known()?;
    match (verb, inward, outward) {
        ("add", Some(end), None) | ("add", None, Some(end)) => issue_in(reference(end)?),
        (_, _, _) => Err(Unresolved::new(
            "expected `add` of a link to one other issue",
        )),
    }
}

/// An operation: one verb, and what it is done with.
fn one(operation: &Json) -> Result<(&str, &Json), Unresolved> {
    match operation.as_object() {
        Some([(verb, value)]) => Ok((verb, value)),
        _ => Err(Unresolved::new(
            "expected one operation, such as `{\"add\": …}`",
        )),
    }
}

fn object<'j>(value: &'j Json, name: &str) -> Result<&'j [(String, Json)], Unresolved> {
    match value {
        Json::Null => Ok(&[]),
        _ => value
            .as_object()
            .ok_or_else(|| Unresolved::new(format!("expected `{name}` as an object"))),
    }
}
