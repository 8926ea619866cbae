//! Pull requests: where the head is, what a review says, which branch a merge changes.
//!
//! Source: docs.github.com/rest/pulls; "Repository roles for an organization", "Managing pull request reviews in your repository";
//! read 2026-11-30.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Audience;

use super::issues::{on, reopening};
use super::{
    SET, digits, is_nobody, member, members, number, pair, repo, required, says_something, text,
};
use crate::actions::Action;
use crate::facts;

/// A new pull request. A head in the same repository needs push there; one made of an issue changes that issue.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let repo = repo(reading)?;
    let mut opened = pair(Action::PrCreate, &repo);
    if is_head_here(reading)? {
        opened = opened.fact(facts::HEAD_SAME_REPO, SET);
    }
    let mut pairs = vec![opened];
    if let Some(issue) = member(reading, "issue")? {
        let issue = digits(issue).ok_or_else(|| Unresolved::new("expected a number as `issue`"))?;
        pairs.push(pair(Action::RepoPush, &repo).fact(facts::AUTHOR_OF, format!("issue/{issue}")));
    }
    Ok(Extracted::pairs(pairs))
}

/// A pull request is edited: closing it is a triager's or its author's, its words and base a writer's or its author's.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let subject = format!("pull/{}", number(reading, "pull_number")?);
    let names: Vec<&str> = members(reading)?
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let only = |allowed: &[&str]| names.iter().all(|name| allowed.contains(name));
    let repo = repo(reading)?;
    let asked = if only(&["state"]) {
        reopening(
            reading,
            pair(Action::RepoTriage, repo).fact(facts::AUTHOR_OF, subject),
        )?
    } else if only(&["state", "title", "body", "base", "maintainer_can_modify"]) {
        reopening(
            reading,
            pair(Action::RepoPush, repo).fact(facts::AUTHOR_OF, subject),
        )?
    } else {
        pair(Action::RepoPush, repo)
    };
    Ok(Extracted::pairs(vec![asked]))
}

/// A comment on a line, or an answer to one.
pub fn comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::LOCKED_OF, "pull", "pull_number")
}

/// A comment on a line is edited or removed: by its author, or by a writer.
pub fn pull_comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on(reading, facts::AUTHOR_OF, "pull_comment", "comment_id")
}

/// A pull request is merged: its base is the branch.
pub fn merge(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let merged = Extracted::default().fact(facts::BASE_OF_PULL, number(reading, "pull_number")?);
    with_message(reading, merged)
}

/// A pull request is merged with all that are stacked below it.
pub fn merge_stack(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let merged = Extracted::default().fact(facts::STACK_OF_PULL, number(reading, "pull_number")?);
    with_message(reading, merged)
}

/// A merge, which sends out what it is told to say of itself.
pub(super) fn with_message(
    reading: &Reading<'_>,
    merged: Extracted,
) -> Result<Extracted, Unresolved> {
    for name in ["commit_message", "commit_title"] {
        if says_something(member(reading, name)?) {
            return Ok(merged.sending_to(Audience::Resource));
        }
    }
    Ok(merged)
}

/// The base is merged into the head.
pub fn update_branch(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(facts::HEAD_OF_PULL, number(reading, "pull_number")?))
}

/// A new review; without an event it is kept as a draft.
pub fn review(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    reviewed(reading, text(reading, "event")?.as_deref())
}

/// A draft review is handed in.
pub fn submit_review(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    reviewed(reading, Some(&required(reading, "event")?))
}

/// A review is edited, or its draft removed: by its author, or by a writer.
pub fn edit_review(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let (pull, review) = (
        number(reading, "pull_number")?,
        number(reading, "review_id")?,
    );
    Ok(Extracted::default().fact(facts::AUTHOR_OF, format!("review/{pull}/{review}")))
}

/// A review is dismissed.
pub fn dismiss_review(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(facts::DISMISSES_REVIEW, number(reading, "pull_number")?))
}

/// A verdict counts for the base's required reviews, so it needs push and is not the author's; a remark is a comment.
fn reviewed(reading: &Reading<'_>, event: Option<&str>) -> Result<Extracted, Unresolved> {
    let pull = number(reading, "pull_number")?;
    let repo = repo(reading)?;
    let asked = match event.map(str::to_ascii_uppercase).as_deref() {
        Some("APPROVE" | "REQUEST_CHANGES") => {
            pair(Action::RepoPush, repo).fact(facts::APPROVES_PULL, pull)
        }
        None | Some("COMMENT" | "PENDING") => {
            pair(Action::RepoRead, repo).fact(facts::LOCKED_OF, format!("pull/{pull}"))
        }
        Some(_) => {
            return Err(Unresolved::new(
                "expected `APPROVE`, `REQUEST_CHANGES` or `COMMENT` as `event`",
            ));
        }
    };
    Ok(Extracted::pairs(vec![asked]))
}

/// Whether the head is a branch of the repository itself. By number the repository's name is not known, so it may be.
fn is_head_here(reading: &Reading<'_>) -> Result<bool, Unresolved> {
    let head = required(reading, "head")?;
    if is_nobody(reading) {
        return Ok(true);
    }
    let owner_here = match head.split_once(':') {
        None => true,
        Some((owner, _)) => owner.eq_ignore_ascii_case(reading.path("owner")),
    };
    let repo_here = match text(reading, "head_repo")? {
        None => true,
        Some(named) => named
            .rsplit('/')
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(reading.path("repo"))),
    };
    Ok(owner_here && repo_here)
}
