//! What stands in a request beside its path: the branch, the members of a body, the words of a search.
//!
//! One file a subject; each function is named by rows of `routes`. What a request says is turned into pairs and facts here and
//! judged nowhere: the rules do that, with what they look up.
//! INVARIANT: a body is only ever read as JSON, because GitHub reads it so whatever its content type says; a body that is not
//! JSON is unresolved, never empty.
//! INVARIANT: a value becomes part of a resource only after its type in `resource` took it.

pub mod alias;
pub mod branch;
pub mod git;
pub mod issues;
pub mod orgs;
pub mod pulls;
pub mod repos;
pub mod search;
pub mod teams;

use toolpass_core::effect::Effect;
use toolpass_core::question::Pointer;
use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::{Field, Unresolved};
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use crate::actions::Action;
use crate::facts;
use crate::resource::{Login, Repo};

/// The owner and the repository of a path that names neither: no login and no repository GitHub has is spelled so.
const NOBODY: &str = "-";

/// What a value that is set looks like in facts.
const SET: &str = "1";

/// A text from the query or the JSON body; `None` when absent, null or empty.
/// Errors: [`Unresolved`] for two different ones, another type, or a body that is not JSON.
fn text(reading: &Reading<'_>, name: &str) -> Result<Option<String>, Unresolved> {
    let in_query = reading.query(name).known()?;
    let in_body = match reading.member(name).known()? {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => Some(text.clone()),
        Some(_) => return Err(Unresolved::new(format!("expected a text as `{name}`"))),
    };
    match (in_query, in_body) {
        (Some(query), Some(body)) if query != body => Err(Unresolved::new(format!(
            "`{name}` differs between query and body"
        ))),
        (query, body) => Ok(body.or(query).filter(|text| !text.is_empty())),
    }
}

/// The same, which must be there.
fn required(reading: &Reading<'_>, name: &str) -> Result<String, Unresolved> {
    text(reading, name)?
        .ok_or_else(|| Unresolved::new(format!("the request does not give `{name}`")))
}

/// A member of the JSON body, null included.
/// Errors: [`Unresolved`] when the query gives it too, because a server may take it from there.
fn member<'r>(reading: &'r Reading<'_>, name: &str) -> Result<Option<&'r Json>, Unresolved> {
    match reading.query(name) {
        Field::Absent => reading.member(name).known(),
        Field::Ambiguous(_) | Field::Present(_) | Field::Unread(_) => Err(Unresolved::new(
            format!("`{name}` stands in the query; give it in the body"),
        )),
    }
}

/// All members of the JSON body; none of an absent one.
/// Errors: [`Unresolved`] when the query says something, because a server may take it for members too.
fn members<'r>(reading: &'r Reading<'_>) -> Result<&'r [(String, Json)], Unresolved> {
    if reading.has_query() {
        return Err(Unresolved::new("expected nothing in the query of an edit"));
    }
    match reading.json().known()? {
        None => Ok(&[]),
        Some(body) => body
            .as_object()
            .ok_or_else(|| Unresolved::new("expected a JSON object as the body")),
    }
}

/// Whether a member says something: not absent, not null, not an empty text or list.
fn says_something(value: Option<&Json>) -> bool {
    match value {
        None | Some(Json::Null) => false,
        Some(Json::String(text)) => !text.is_empty(),
        Some(Json::Array(items)) => !items.is_empty(),
        Some(_) => true,
    }
}

/// A path variable that is a number.
fn number<'r>(reading: &'r Reading<'_>, name: &str) -> Result<&'r str, Unresolved> {
    let text = reading.path(name);
    facts::number(text)
        .map(|_| text)
        .ok_or_else(|| Unresolved::new(format!("expected a number as `{name}`")))
}

/// The digits of a number that JSON gives, or of a text that is one.
fn digits(value: &Json) -> Option<&str> {
    value
        .as_number()
        .or_else(|| value.as_str())
        .filter(|text| facts::number(text).is_some())
}

/// The resource of the repository in the path.
/// Errors: [`Unresolved`] when the path names none GitHub can have.
fn repo(reading: &Reading<'_>) -> Result<String, Unresolved> {
    let (owner, name) = (reading.path("owner"), reading.path("repo"));
    if is_nobody(reading) {
        return Ok(format!("repo:{NOBODY}/{NOBODY}"));
    }
    Repo::parse(&format!("{owner}/{name}"))
        .map(|repo| format!("repo:{repo}"))
        .ok_or_else(no_repository)
}

/// Whether the path names no repository because the request goes by number.
fn is_nobody(reading: &Reading<'_>) -> bool {
    reading.path("owner") == NOBODY
}

/// The resource of an organization.
fn org(login: &str) -> Result<String, Unresolved> {
    if login == NOBODY {
        return Ok(format!("org:{NOBODY}"));
    }
    Login::parse(login)
        .map(|login| format!("org:{login}"))
        .ok_or_else(|| Unresolved::new("expected the login of an organization"))
}

fn no_repository() -> Unresolved {
    Unresolved::new("expected a repository as `owner/name`")
}

/// A pair that is asked of a resource.
fn pair(action: Action, resource: impl Into<String>) -> Pair {
    Pair::on(action.name(), resource)
}

/// A pair that is asked of what a number leads to.
fn pair_by_id(action: Action, kind: &str, id: &str) -> Pair {
    Pair::at(action.name(), pointer(kind, id))
}

fn pointer(kind: &str, value: &str) -> Pointer {
    Pointer {
        kind: kind.to_owned(),
        value: value.to_owned(),
        parts: Default::default(),
    }
}

/// The row's own pair with facts that follow from the method: a request that only looks is open on an archived repository too.
fn by_method(reading: &Reading<'_>) -> Extracted {
    match Effect::of_method(reading.method()) {
        Effect::Read => Extracted::default().fact(facts::ARCHIVED_OK, SET),
        Effect::Write | Effect::Destructive => Extracted::default(),
    }
}
