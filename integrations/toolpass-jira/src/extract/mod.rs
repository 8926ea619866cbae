//! What stands in a request beside its path: the fields of an edit, the issues of a bulk operation, the scope of a search.
//!
//! One file a subject; each function is named by rows of `routes`. What a request says is turned into pairs and facts here and judged
//! nowhere: the rules do that, with what they look up.
//! INVARIANT: a body is only ever read as JSON; one of another kind is unresolved, never empty.
//! INVARIANT: a value becomes part of a resource only after its type in `resource` took it.

pub mod boards;
pub mod bulk;
pub mod desk;
pub mod fields;
pub mod issues;
pub mod projects;
pub mod search;
pub mod shared;

use toolpass_core::question::Pointer;
use toolpass_wire::extract::{Extracted, Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use crate::actions::Action;
use crate::resource::{self, Issue, Project};

/// What a fact that is set looks like.
const SET: &str = "1";
/// The site as a resource.
const SITE: &str = "global";

/// The row's own pair, its issue or project as Jira reads the path: a key in any case, or an id.
pub fn named(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    // Atlassian's servers have long taken `votes.json` for `votes`: then another row than the one beside it would answer.
    let rest = reading.path("rest").to_ascii_lowercase();
    if rest.ends_with(".json") || rest.ends_with(".xml") {
        return Err(Unresolved::new(
            "expected a path without `.json` or `.xml` at its end",
        ));
    }
    let mut fields = Extracted::default();
    for name in ISSUE_VARIABLES
        .iter()
        .filter(|name| !reading.path(name).is_empty())
    {
        let issue = Issue::sent(reading.path(name)).ok_or_else(|| expected_issue(name))?;
        fields.fields.push(((*name).into(), issue.to_string()));
    }
    for name in PROJECT_VARIABLES
        .iter()
        .filter(|name| !reading.path(name).is_empty())
    {
        let project = Project::sent(reading.path(name)).ok_or_else(|| expected_project(name))?;
        fields.fields.push(((*name).into(), project.to_string()));
    }
    for name in NUMBER_VARIABLES
        .iter()
        .filter(|name| !reading.path(name).is_empty())
    {
        if resource::number(reading.path(name)).is_none() {
            return Err(Unresolved::new(format!("expected a number as `{name}`")));
        }
    }
    Ok(fields)
}

/// What is refused, reads too.
pub fn undocumented(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Err(Unresolved::new(
        "an interface that Atlassian does not document; use the REST API",
    ))
}

/// The resource of the issue in the path.
fn issue(reading: &Reading<'_>) -> Result<String, Unresolved> {
    let name = ISSUE_VARIABLES
        .iter()
        .find(|name| !reading.path(name).is_empty())
        .copied()
        .unwrap_or("issueIdOrKey");
    Issue::sent(reading.path(name))
        .map(|issue| format!("issue:{issue}"))
        .ok_or_else(|| expected_issue(name))
}

/// The resource of the project in the path.
fn project(reading: &Reading<'_>) -> Result<String, Unresolved> {
    let name = PROJECT_VARIABLES
        .iter()
        .find(|name| !reading.path(name).is_empty())
        .copied()
        .unwrap_or("projectIdOrKey");
    Project::sent(reading.path(name))
        .map(|project| format!("project:{project}"))
        .ok_or_else(|| expected_project(name))
}

/// The resource of an issue given as `"KEY-1"`, `"10001"` or `10001`.
fn issue_in(value: &Json) -> Result<String, Unresolved> {
    let text = value.as_str().or_else(|| value.as_number());
    text.and_then(Issue::sent)
        .map(|issue| format!("issue:{issue}"))
        .ok_or_else(|| Unresolved::new("expected an issue's key or id"))
}

/// The resource of a project given as `"KEY"`, `"10001"` or `10001`.
fn project_in(value: &Json) -> Result<String, Unresolved> {
    let text = value.as_str().or_else(|| value.as_number());
    text.and_then(Project::sent)
        .map(|project| format!("project:{project}"))
        .ok_or_else(|| Unresolved::new("expected a project's key or id"))
}

/// What an object refers to by its `key` alone or its `id` alone: beside each other one of them would win.
fn reference(value: &Json) -> Result<&Json, Unresolved> {
    match value.as_object() {
        Some([(name, value)]) if name == "id" || name == "key" => Ok(value),
        _ => Err(Unresolved::new(
            "expected an object with only `key`, or only `id`",
        )),
    }
}

/// The members of the JSON body; none of an absent one.
fn members<'r>(reading: &'r Reading<'_>) -> Result<&'r [(String, Json)], Unresolved> {
    match reading.json().known()? {
        None => Ok(&[]),
        Some(body) => body
            .as_object()
            .ok_or_else(|| Unresolved::new("expected a JSON object as the body")),
    }
}

/// A member of the body, null counted as absent.
fn member<'r>(reading: &'r Reading<'_>, name: &str) -> Result<Option<&'r Json>, Unresolved> {
    if members(reading)?.is_empty() {
        return Ok(None);
    }
    Ok(reading
        .member(name)
        .known()?
        .filter(|value| !value.is_null()))
}

/// The same, which must be there.
fn required<'r>(reading: &'r Reading<'_>, name: &str) -> Result<&'r Json, Unresolved> {
    member(reading, name)?
        .ok_or_else(|| Unresolved::new(format!("the request does not give `{name}`")))
}

/// A list that is not empty.
fn list<'j>(value: &'j Json, name: &str) -> Result<&'j [Json], Unresolved> {
    value
        .as_array()
        .filter(|items| !items.is_empty())
        .ok_or_else(|| Unresolved::new(format!("expected `{name}` as a list that is not empty")))
}

/// The issues a member lists: one pair of each action for every one.
fn each(value: &Json, name: &str, actions: &[Action]) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = Vec::new();
    for item in list(value, name)? {
        let issue = issue_in(item)?;
        pairs.extend(actions.iter().map(|action| pair(*action, issue.clone())));
    }
    Ok(pairs)
}

/// Whether a switch of the query is on: anything but absent and `false`.
fn is_on(reading: &Reading<'_>, name: &str) -> Result<bool, Unresolved> {
    Ok(reading
        .query(name)
        .known()?
        .is_some_and(|value| !value.eq_ignore_ascii_case("false")))
}

/// Whether a switch of the query that is on by itself is off: anything but absent and `true`.
fn is_off(reading: &Reading<'_>, name: &str) -> Result<bool, Unresolved> {
    Ok(reading
        .query(name)
        .known()?
        .is_some_and(|value| !value.eq_ignore_ascii_case("true")))
}

/// A pair that is asked of a resource.
fn pair(action: Action, resource: impl Into<String>) -> Pair {
    Pair::on(action.name(), resource)
}

/// A pair that is asked of what an id leads to.
/// Errors: an id that is none.
fn pair_at(action: Action, kind: &str, id: &str) -> Result<Pair, Unresolved> {
    Ok(Pair::at(action.name(), pointer(kind, id)?))
}

fn pointer(kind: &str, id: &str) -> Result<Pointer, Unresolved> {
    if resource::number(id).is_none() {
        return Err(Unresolved::new("expected a number as the id"));
    }
    Ok(Pointer {
        kind: kind.to_owned(),
        value: id.to_owned(),
        parts: Default::default(),
    })
}

/// The row's own action, asked of what an id in the path leads to.
fn at(
    action: Action,
    reading: &Reading<'_>,
    kind: &str,
    variable: &str,
) -> Result<Extracted, Unresolved> {
    let pair = pair_at(action, kind, reading.path(variable))?;
    debug_assert!(matches!(pair.target, Some(Target::Pointer(_))));
    Ok(Extracted::pairs(vec![pair]))
}

fn expected_issue(name: &str) -> Unresolved {
    Unresolved::new(format!("expected an issue's key or id as `{name}`"))
}

fn expected_project(name: &str) -> Unresolved {
    Unresolved::new(format!("expected a project's key or id as `{name}`"))
}

const ISSUE_VARIABLES: &[&str] = &["issueIdOrKey", "epicIdOrKey"];
const PROJECT_VARIABLES: &[&str] = &["projectIdOrKey", "projectKeyOrId", "projectId"];
const NUMBER_VARIABLES: &[&str] = &[
    "boardId",
    "commentId",
    "dashboardId",
    "filterId",
    "linkId",
    "noteId",
    "sprintId",
];
