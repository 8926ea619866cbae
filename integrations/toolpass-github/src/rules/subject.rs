//! What a request acts on inside a repository: who wrote it, and whether its conversation is locked.
//!
//! Source: docs.github.com "Repository roles for an organization" (own comments), "Locking conversations"; read 2026-11-30.

use toolpass_core::codes::Code;

use super::known::{Known, Stop};
use crate::facts::Subject;
use crate::resource::{Login, Repo};
use crate::upstream::read::Read;
use crate::upstream::records::node::{self, Node};
use crate::upstream::records::work::{self, Authored, Pull};

/// The read that says who wrote a subject.
pub fn read_of(repo: &Repo, subject: &Subject) -> Read {
    let repo = repo.clone();
    match subject {
        Subject::CommitComment(id) => Read::CommitComment(repo, *id),
        Subject::Issue(number) => Read::Issue(repo, *number),
        Subject::IssueComment(id) => Read::IssueComment(repo, *id),
        Subject::Node(id) => Read::Node(id.clone()),
        Subject::Pull(number) => Read::Pull(repo, *number),
        Subject::PullComment(id) => Read::PullComment(repo, *id),
        Subject::Review(pull, id) => Read::Review(repo, *pull, *id),
    }
}

/// Whether `user` wrote it. An account that is gone wrote nothing of theirs, and shows as [`GONE`].
pub fn is_author(
    known: &Known,
    repo: &Repo,
    subject: &Subject,
    user: &Login,
) -> Result<bool, Stop> {
    let author = authored(known, repo, subject)?.author;
    Ok(author.as_deref() != Some(GONE) && is_login(author.as_deref(), user))
}

/// Whether opening it again is open to `user`, who wrote it: it is open already, or they closed it themselves.
/// Errors: the record does not say who closed it.
pub fn may_reopen(
    known: &Known,
    repo: &Repo,
    subject: &Subject,
    user: &Login,
) -> Result<bool, Stop> {
    let untold = || Stop::unsupported("GitHub's record does not say who closed it");
    let number = match subject {
        Subject::Issue(number) | Subject::Pull(number) => *number,
        Subject::CommitComment(_)
        | Subject::IssueComment(_)
        | Subject::Node(_)
        | Subject::PullComment(_)
        | Subject::Review(..) => return Err(untold()),
    };
    let record = authored(known, repo, &Subject::Issue(number))?;
    match (record.open, record.closed_by) {
        (Some(true), _) => Ok(true),
        (Some(false), Some(closer)) => Ok(closer != GONE && is_login(Some(&closer), user)),
        (Some(false), None) | (None, _) => Err(untold()),
    }
}

/// Whether nobody but collaborators with write may comment.
/// Errors: the record does not say.
pub fn is_locked(known: &Known, repo: &Repo, subject: &Subject) -> Result<bool, Stop> {
    let untold =
        || Stop::unsupported("GitHub's record does not say whether the conversation is locked");
    let locked = match subject {
        Subject::CommitComment(_) => return Ok(false), // a commit has no conversation to lock
        Subject::Issue(_) | Subject::Pull(_) | Subject::Node(_) => {
            authored(known, repo, subject)?.locked
        }
        Subject::Review(pull, _) => authored(known, repo, &Subject::Issue(*pull))?.locked,
        Subject::IssueComment(_) | Subject::PullComment(_) => {
            let conversation = authored(known, repo, subject)?
                .conversation
                .ok_or_else(untold)?;
            authored(known, repo, &Subject::Issue(conversation))?.locked
        }
    };
    locked.ok_or_else(untold)
}

/// A pull request, named by its number or its node.
/// Errors: the subject is no pull request of `repo`.
pub fn pull(known: &Known, repo: &Repo, subject: &Subject) -> Result<Pull, Stop> {
    let number = match subject {
        Subject::Pull(number) => *number,
        Subject::Node(id) => node_of(known, repo, id)?.pull.ok_or_else(|| {
            Stop::new(
                Code::InvalidRequest,
                "the request's node is no pull request",
            )
        })?,
        Subject::CommitComment(_)
        | Subject::Issue(_)
        | Subject::IssueComment(_)
        | Subject::PullComment(_)
        | Subject::Review(..) => {
            return Err(Stop::new(Code::InvalidRequest, "expected a pull request"));
        }
    };
    known.pull(repo, number)
}

/// Whether a subject, which must be a repository, is `repo`.
pub fn is_repository(known: &Known, repo: &Repo, subject: &Subject) -> Result<bool, Stop> {
    let node = known.seen(read_of(repo, subject), node::node)?;
    let is_repository = node.kind.as_deref() == Some("Repository");
    let found = node.repository.as_deref().and_then(Repo::parse);
    match found.filter(|_| is_repository) {
        Some(found) => Ok(found.is_same(repo)),
        None => Err(Stop::new(
            Code::InvalidRequest,
            "the request's node is no repository",
        )),
    }
}

/// Whether a login of a record is the user's.
pub fn is_login(login: Option<&str>, user: &Login) -> bool {
    login.is_some_and(|login| login.eq_ignore_ascii_case(user.as_str()))
}

fn authored(known: &Known, repo: &Repo, subject: &Subject) -> Result<Authored, Stop> {
    match subject {
        Subject::Node(id) => Ok(node_of(known, repo, id)?.authored),
        Subject::CommitComment(_)
        | Subject::Issue(_)
        | Subject::IssueComment(_)
        | Subject::Pull(_)
        | Subject::PullComment(_)
        | Subject::Review(..) => known.seen(read_of(repo, subject), work::authored),
    }
}

/// A node that must belong to `repo`: a request may name any node beside any repository.
fn node_of(known: &Known, repo: &Repo, id: &str) -> Result<Node, Stop> {
    let node = known.seen(Read::Node(id.to_owned()), node::node)?;
    let belongs = node
        .repository
        .as_deref()
        .and_then(Repo::parse)
        .is_some_and(|found| found.is_same(repo));
    if belongs {
        Ok(node)
    } else {
        Err(Stop::new(
            Code::InvalidRequest,
            format!("the request's node does not belong to `{repo}`"),
        ))
    }
}

/// GitHub's stand-in for accounts that are gone.
const GONE: &str = "ghost";
