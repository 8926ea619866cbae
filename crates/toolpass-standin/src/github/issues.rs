//! Issues, their comments and labels; comments on commits.
//!
//! Pull requests are issues here too, as with GitHub. Source: docs.github.com/rest/issues.

use serde_json::{Value, json};

use super::auth::Level;
use super::call::{Answer, Call, invalid, not_found, number, text, texts};
use super::render;
use super::world::repository::{Comment, CommentOn, Issue, Repository};
use crate::message::Reply;

/// The chapter's endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["repos", owner, repo, "issues"]) => Some(list(call, owner, repo)),
        ("POST", ["repos", owner, repo, "issues"]) => Some(create(call, owner, repo)),
        ("GET", ["repos", owner, repo, "issues", "comments", id]) => {
            Some(comment(call, owner, repo, id))
        }
        ("PATCH", ["repos", owner, repo, "issues", "comments", id]) => {
            Some(edit_comment(call, owner, repo, id))
        }
        ("DELETE", ["repos", owner, repo, "issues", "comments", id]) => {
            Some(delete_comment(call, owner, repo, id))
        }
        ("GET", ["repos", owner, repo, "issues", key]) => Some(one(call, owner, repo, key)),
        ("PATCH", ["repos", owner, repo, "issues", key]) => Some(change(call, owner, repo, key)),
        ("GET", ["repos", owner, repo, "issues", key, "comments"]) => {
            Some(comments(call, owner, repo, key))
        }
        ("POST", ["repos", owner, repo, "issues", key, "comments"]) => {
            Some(add_comment(call, owner, repo, key))
        }
        ("GET", ["repos", owner, repo, "issues", key, "labels"]) => {
            Some(labels(call, owner, repo, key))
        }
        ("POST", ["repos", owner, repo, "issues", key, "labels"]) => {
            Some(add_labels(call, owner, repo, key))
        }
        ("PUT", ["repos", owner, repo, "issues", key, "lock"]) => {
            Some(lock(call, owner, repo, key, true))
        }
        ("DELETE", ["repos", owner, repo, "issues", key, "lock"]) => {
            Some(lock(call, owner, repo, key, false))
        }
        ("GET", ["repos", owner, repo, "comments", id]) => Some(comment(call, owner, repo, id)),
        ("PATCH", ["repos", owner, repo, "comments", id]) => {
            Some(edit_comment(call, owner, repo, id))
        }
        ("DELETE", ["repos", owner, repo, "comments", id]) => {
            Some(delete_comment(call, owner, repo, id))
        }
        ("POST", ["repos", owner, repo, "commits", sha, "comments"]) => {
            Some(comment_commit(call, owner, repo, sha))
        }
        _ => None,
    }
}

/// A comment of any kind by id. Its path says the kind, which must fit.
pub(super) fn comment(call: &Call<'_>, owner: &str, repo: &str, id: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let id = number(id)?;
    let item = record
        .comments
        .get(&id)
        .filter(|item| item.on == kind_by_path(call))
        .ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &render::comment(call.world, &call.links, &name, id, item),
    ))
}

/// Change a comment's text.
pub(super) fn edit_comment(call: &mut Call<'_>, owner: &str, repo: &str, id: &str) -> Answer {
    let body = text(&call.request.json(), "body").ok_or_else(|| invalid("Validation Failed"))?;
    let (id, kind) = (number(id)?, kind_by_path(call));
    let (name, record) = call.writable(owner, repo, "issues")?;
    let item = record
        .comments
        .get_mut(&id)
        .filter(|item| item.on == kind)
        .ok_or_else(not_found)?;
    item.body = body;
    let item = item.clone();
    Ok(Reply::json(
        200,
        &render::comment(call.world, &call.links, &name, id, &item),
    ))
}

/// Delete a comment.
pub(super) fn delete_comment(call: &mut Call<'_>, owner: &str, repo: &str, id: &str) -> Answer {
    let (id, kind) = (number(id)?, kind_by_path(call));
    let (_, record) = call.writable(owner, repo, "issues")?;
    record
        .comments
        .get(&id)
        .filter(|item| item.on == kind)
        .ok_or_else(not_found)?;
    record.comments.remove(&id);
    Ok(Reply::empty(204))
}

/// Record a comment and answer it.
pub(super) fn record_comment(
    call: &mut Call<'_>,
    owner: &str,
    repo: &str,
    permission: &str,
    item: Comment,
) -> Answer {
    let item = Comment {
        author: call.author(),
        ..item
    };
    let (name, record) = call.writable(owner, repo, permission)?;
    let id = record
        .comments
        .keys()
        .next_back()
        .map_or(1, |last| last + 1);
    record.comments.insert(id, item.clone());
    Ok(Reply::json(
        201,
        &render::comment(call.world, &call.links, &name, id, &item),
    ))
}

fn list(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("issues", Level::Read)?;
    let wanted = call
        .request
        .query_value("state")
        .unwrap_or_else(|| "open".to_owned());
    let fits = |state: &str| wanted == "all" || wanted == state;
    let issues = record.issues.iter().filter(|(_, item)| fits(&item.state));
    let pulls = record.pulls.iter().filter(|(_, item)| fits(&item.state));
    let issues =
        issues.map(|(key, item)| render::issue(call.world, &call.links, &name, record, *key, item));
    let pulls = pulls.map(|(key, item)| {
        render::pull_as_issue(call.world, &call.links, &name, record, *key, item)
    });
    Ok(call.page(issues.chain(pulls).collect()))
}

fn create(call: &mut Call<'_>, owner: &str, repo: &str) -> Answer {
    let body = call.request.json();
    let author = call.author();
    let (name, record) = call.writable(owner, repo, "issues")?;
    let title = text(&body, "title")
        .ok_or_else(|| invalid("Invalid request.\n\n\"title\" wasn't supplied."))?;
    let item = Issue {
        title,
        body: text(&body, "body"),
        author,
        labels: texts(&body, "labels").into_iter().collect(),
        assignees: texts(&body, "assignees").into_iter().collect(),
        ..Issue::default()
    };
    let key = record.next_number();
    record.issues.insert(key, item);
    show(call, &name, key, 201)
}

fn one(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, _) = call.repository(owner, repo)?;
    call.caller.need("issues", Level::Read)?;
    show(call, &name, number(key)?, 200)
}

fn change(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let body = call.request.json();
    let key = number(key)?;
    let (name, record) = call.writable(owner, repo, "issues")?;
    let (title, state) = (text(&body, "title"), text(&body, "state"));
    if let Some(pull) = record.pulls.get_mut(&key) {
        pull.title = title.unwrap_or_else(|| pull.title.clone());
        pull.state = state.unwrap_or_else(|| pull.state.clone());
    } else {
        let issue = record.issues.get_mut(&key).ok_or_else(not_found)?;
        issue.title = title.unwrap_or_else(|| issue.title.clone());
        issue.state = state.unwrap_or_else(|| issue.state.clone());
        issue.body = text(&body, "body").or_else(|| issue.body.clone());
        if body.get("labels").is_some() {
            issue.labels = texts(&body, "labels").into_iter().collect();
        }
    }
    show(call, &name, key, 200)
}

fn comments(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let key = number(key)?;
    exists(record, key)?;
    let all = record
        .comments
        .iter()
        .filter(|(_, item)| item.on == CommentOn::Issue && item.number == key);
    Ok(call.page(
        all.map(|(id, item)| render::comment(call.world, &call.links, &name, *id, item))
            .collect(),
    ))
}

fn add_comment(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let body = text(&call.request.json(), "body").ok_or_else(|| invalid("Validation Failed"))?;
    let key = number(key)?;
    exists(call.repository(owner, repo)?.1, key)?;
    record_comment(
        call,
        owner,
        repo,
        "issues",
        Comment {
            number: key,
            body,
            ..Comment::default()
        },
    )
}

fn comment_commit(call: &mut Call<'_>, owner: &str, repo: &str, sha: &str) -> Answer {
    let body = text(&call.request.json(), "body").ok_or_else(|| invalid("Validation Failed"))?;
    let item = Comment {
        on: CommentOn::Commit,
        commit: Some(sha.to_owned()),
        body,
        ..Comment::default()
    };
    record_comment(call, owner, repo, "issues", item)
}

fn labels(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let key = number(key)?;
    exists(record, key)?;
    let all = record
        .issues
        .get(&key)
        .map(|issue| &issue.labels)
        .or_else(|| record.pulls.get(&key).map(|pull| &pull.labels));
    Ok(call.page(
        all.into_iter()
            .flatten()
            .map(|label| render::label(&call.links, &name, label))
            .collect(),
    ))
}

fn add_labels(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let body = call.request.json();
    let added = if body.is_array() {
        texts(&json!({"labels": body}), "labels")
    } else {
        texts(&body, "labels")
    };
    let number_of = number(key)?;
    let (_, record) = call.writable(owner, repo, "issues")?;
    if let Some(pull) = record.pulls.get_mut(&number_of) {
        pull.labels.extend(added);
    } else {
        record
            .issues
            .get_mut(&number_of)
            .ok_or_else(not_found)?
            .labels
            .extend(added);
    }
    labels(call, owner, repo, key)
}

fn lock(call: &mut Call<'_>, owner: &str, repo: &str, key: &str, locked: bool) -> Answer {
    let key = number(key)?;
    let (_, record) = call.writable(owner, repo, "issues")?;
    if let Some(pull) = record.pulls.get_mut(&key) {
        pull.locked = locked;
    } else {
        record.issues.get_mut(&key).ok_or_else(not_found)?.locked = locked;
    }
    Ok(Reply::empty(204))
}

fn show(call: &Call<'_>, name: &str, key: u64, status: u16) -> Answer {
    let record = call.world.repositories.get(name).ok_or_else(not_found)?;
    let body: Value = if let Some(item) = record.issues.get(&key) {
        render::issue(call.world, &call.links, name, record, key, item)
    } else {
        let item = record.pulls.get(&key).ok_or_else(not_found)?;
        render::pull_as_issue(call.world, &call.links, name, record, key, item)
    };
    Ok(Reply::json(status, &body))
}

fn exists(record: &Repository, key: u64) -> Result<(), Reply> {
    if record.issues.contains_key(&key) || record.pulls.contains_key(&key) {
        Ok(())
    } else {
        Err(not_found())
    }
}

fn kind_by_path(call: &Call<'_>) -> CommentOn {
    let path = &call.request.path;
    match () {
        () if path.contains("/issues/comments/") => CommentOn::Issue,
        () if path.contains("/pulls/comments/") => CommentOn::Diff,
        () => CommentOn::Commit,
    }
}
