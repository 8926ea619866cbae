//! Issues, comments and reactions: who else may, and which members of a body need more.
//!
//! Source: docs.github.com/rest/issues, /reactions; "Repository roles for an organization", "Locking conversations"; read 2026-11-30.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::{SET, member, members, number, pair, repo, says_something};
use crate::actions::Action;
use crate::facts;

/// A new issue. GitHub drops what only triagers and writers may set, silently, for a weak caller; the agent's credential is none.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let repo = repo(reading)?;
    let mut pairs = vec![pair(Action::IssueCreate, &repo)];
    pairs.extend(more_than_create(reading, &repo)?);
    Ok(Extracted::pairs(pairs))
}

/// An issue is edited: its author may change its words and close it, a triager the rest, but for types and fields.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let subject = format!("issue/{}", number(reading, "issue_number")?);
    let repo = repo(reading)?;
    let mut level = Level::Author;
    for (name, value) in members(reading)? {
        level = level.max(level_of(name));
        if is_agent(name, value) {
            level = Level::Push;
        }
    }
    let asked = match level {
        Level::Author => reopening(
            reading,
            pair(Action::RepoTriage, repo).fact(facts::AUTHOR_OF, subject),
        )?,
        Level::Triage => pair(Action::RepoTriage, repo),
        Level::Push => pair(Action::RepoPush, repo),
    };
    Ok(Extracted::pairs(vec![asked]))
}

/// Somebody is put in charge of an issue: a triager's to do, but a writer's when it is a coding agent.
pub fn assign(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let plain = |(name, value): &(String, Json)| name == "assignees" && !is_agent(name, value);
    let action = if members(reading)?.iter().all(plain) {
        Action::RepoTriage
    } else {
        Action::RepoPush
    };
    Ok(Extracted::pairs(vec![pair(action, repo(reading)?)]))
}

/// A comment on an issue or a pull request.
pub fn comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::LOCKED_OF, "issue", "issue_number")
}

/// A comment is edited or removed: by its author, or by a writer.
pub fn issue_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::AUTHOR_OF, "issue_comment", "comment_id")
}

/// The same of a comment on a commit.
pub fn commit_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::AUTHOR_OF, "commit_comment", "comment_id")
}

/// A reaction to an issue or a pull request.
pub fn react_to_issue(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::REACTION_ON, "issue", "issue_number")
}

/// A reaction to a comment.
pub fn react_to_issue_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::REACTION_ON, "issue_comment", "comment_id")
}

/// A reaction to a comment on a line.
pub fn react_to_pull_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::REACTION_ON, "pull_comment", "comment_id")
}

/// A reaction to a comment on a commit.
pub fn react_to_commit_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::REACTION_ON, "commit_comment", "comment_id")
}

/// Something that GitHub opens to readers, but that changes something.
pub fn writes(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(facts::WRITES, SET))
}

/// Two issues are tied together, the other one by a number that no address of GitHub's leads from.
pub fn other_issue(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Err(Unresolved::new(
        "the other issue is named by an id that GitHub does not look up; it may be in any repository",
    ))
}

/// How much of a right a member of an edit needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Author,
    Triage,
    Push,
}

fn level_of(member: &str) -> Level {
    match member {
        "body" | "state" | "state_reason" | "title" => Level::Author,
        "assignee" | "assignees" | "labels" | "milestone" => Level::Triage,
        _ => Level::Push,
    }
}

/// What the members of a new issue need besides a reader's right; one that is not known needs most.
fn more_than_create(reading: &Reading<'_>, repo: &str) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = Vec::new();
    for (name, value) in members(reading)? {
        let action = match level_of(name) {
            _ if matches!(name.as_str(), "body" | "title") || !says_something(Some(value)) => {
                continue;
            }
            Level::Push => Action::RepoPush,
            Level::Author | Level::Triage if is_agent(name, value) => Action::RepoPush,
            Level::Author | Level::Triage => Action::RepoTriage,
        };
        let asked = pair(action, repo);
        if !pairs.contains(&asked) {
            pairs.push(asked);
        }
    }
    Ok(pairs)
}

/// Whether an issue is assigned to a coding agent, which then pushes to the repository. It is known by its name only.
fn is_agent(name: &str, value: &Json) -> bool {
    let named = |login: &Json| {
        let login = login.as_str().unwrap_or_default().to_ascii_lowercase();
        login.contains("copilot") || login.ends_with("[bot]")
    };
    match value {
        Json::Array(logins) if name == "assignees" => logins.iter().any(named),
        login => name == "assignee" && named(login),
    }
}

/// The pair of an edit, which may open again what was closed.
pub(super) fn reopening(reading: &Reading<'_>, pair: Pair) -> Result<Pair, Unresolved> {
    Ok(match member(reading, "state")? {
        None | Some(Json::Null) => pair,
        Some(state) if state.as_str() == Some("closed") => pair,
        Some(_) => pair.fact(facts::REOPENS, SET),
    })
}

/// The row's own pair, with a fact about the thing that a path variable numbers.
pub(super) fn on(
    reading: &Reading<'_>,
    fact: &str,
    kind: &str,
    variable: &str,
) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(fact, format!("{kind}/{}", number(reading, variable)?)))
}
