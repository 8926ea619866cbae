//! Pull requests, their reviews and the comments on their diffs.
//!
//! Source: docs.github.com/rest/pulls.

use serde_json::{Value, json};

use super::auth::{Level, message};
use super::call::{Answer, Call, invalid, not_found, number, text};
use super::world::repository::{Comment, CommentOn, Pull, Review};
use super::{issues, render};
use crate::message::Reply;
use crate::server::random_hex;

/// The chapter's endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["repos", owner, repo, "pulls"]) => Some(list(call, owner, repo)),
        ("POST", ["repos", owner, repo, "pulls"]) => Some(create(call, owner, repo)),
        ("GET", ["repos", owner, repo, "pulls", "comments", id]) => {
            Some(issues::comment(call, owner, repo, id))
        }
        ("PATCH", ["repos", owner, repo, "pulls", "comments", id]) => {
            Some(issues::edit_comment(call, owner, repo, id))
        }
        ("DELETE", ["repos", owner, repo, "pulls", "comments", id]) => {
            Some(issues::delete_comment(call, owner, repo, id))
        }
        ("GET", ["repos", owner, repo, "pulls", key]) => Some(one(call, owner, repo, key)),
        ("PATCH", ["repos", owner, repo, "pulls", key]) => Some(change(call, owner, repo, key)),
        ("PUT", ["repos", owner, repo, "pulls", key, "merge"]) => {
            Some(merge(call, owner, repo, key))
        }
        ("GET", ["repos", owner, repo, "pulls", key, "merge"]) => {
            Some(is_merged(call, owner, repo, key))
        }
        ("GET", ["repos", owner, repo, "pulls", key, "comments"]) => {
            Some(comments(call, owner, repo, key))
        }
        ("POST", ["repos", owner, repo, "pulls", key, "comments"]) => {
            Some(add_comment(call, owner, repo, key))
        }
        ("GET", ["repos", owner, repo, "pulls", key, "reviews"]) => {
            Some(reviews(call, owner, repo, key))
        }
        ("POST", ["repos", owner, repo, "pulls", key, "reviews"]) => {
            Some(add_review(call, owner, repo, key))
        }
        ("GET", ["repos", owner, repo, "pulls", key, "reviews", id]) => {
            Some(review(call, owner, repo, key, id))
        }
        ("POST", ["repos", owner, repo, "pulls", key, "reviews", id, "events"]) => {
            Some(submit_review(call, owner, repo, key, id))
        }
        _ => None,
    }
}

fn list(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("pull_requests", Level::Read)?;
    let state = call
        .request
        .query_value("state")
        .unwrap_or_else(|| "open".to_owned());
    let all = record
        .pulls
        .iter()
        .filter(|(_, item)| state == "all" || state == item.state);
    Ok(call.page(
        all.map(|(key, item)| render::pull(call.world, &call.links, &name, record, *key, item))
            .collect(),
    ))
}

fn create(call: &mut Call<'_>, owner: &str, repo: &str) -> Answer {
    let body = call.request.json();
    let author = call.author();
    let (name, record) = call.writable(owner, repo, "pull_requests")?;
    let (Some(head), Some(base)) = (text(&body, "head"), text(&body, "base")) else {
        return Err(invalid(
            "Invalid request.\n\n\"head\" and \"base\" are required.",
        ));
    };
    let (head_owner, head) = head
        .split_once(':')
        .map_or((None, head.as_str()), |(owner, branch)| {
            (Some(owner), branch)
        });
    let head_name = text(&body, "head_repo")
        .or_else(|| name.split('/').nth(1).map(str::to_owned))
        .unwrap_or_default();
    let item = Pull {
        title: text(&body, "title").ok_or_else(|| invalid("Validation Failed"))?,
        body: text(&body, "body"),
        author,
        draft: body.get("draft").and_then(Value::as_bool).unwrap_or(false),
        base,
        head: head.to_owned(),
        head_repository: head_owner
            .map(|owner| format!("{owner}/{head_name}"))
            .filter(|full_name| *full_name != name),
        ..Pull::default()
    };
    let key = record.next_number();
    record.pulls.insert(key, item);
    show(call, &name, key, 201)
}

fn one(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, _) = call.repository(owner, repo)?;
    call.caller.need("pull_requests", Level::Read)?;
    show(call, &name, number(key)?, 200)
}

fn change(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let body = call.request.json();
    let key = number(key)?;
    let (name, record) = call.writable(owner, repo, "pull_requests")?;
    let item = record.pulls.get_mut(&key).ok_or_else(not_found)?;
    item.title = text(&body, "title").unwrap_or_else(|| item.title.clone());
    item.body = text(&body, "body").or_else(|| item.body.clone());
    item.state = text(&body, "state").unwrap_or_else(|| item.state.clone());
    item.base = text(&body, "base").unwrap_or_else(|| item.base.clone());
    show(call, &name, key, 200)
}

fn merge(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let key = number(key)?;
    let (_, record) = call.writable(owner, repo, "contents")?;
    let item = record.pulls.get_mut(&key).ok_or_else(not_found)?;
    if item.merged || item.state == "closed" {
        return Err(message(405, "Pull Request is not mergeable"));
    }
    item.merged = true;
    item.state = "closed".to_owned();
    let sha = random_hex(20).map_err(|error| message(500, &error.to_string()))?;
    Ok(Reply::json(
        200,
        &json!({"sha": sha, "merged": true, "message": "Pull Request successfully merged"}),
    ))
}

fn is_merged(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (_, record) = call.repository(owner, repo)?;
    let item = record.pulls.get(&number(key)?).ok_or_else(not_found)?;
    if item.merged {
        Ok(Reply::empty(204))
    } else {
        Err(not_found())
    }
}

fn comments(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let key = number(key)?;
    let all = record
        .comments
        .iter()
        .filter(|(_, item)| item.on == CommentOn::Diff && item.number == key);
    Ok(call.page(
        all.map(|(id, item)| render::comment(call.world, &call.links, &name, *id, item))
            .collect(),
    ))
}

fn add_comment(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let request = call.request.json();
    let body = text(&request, "body").ok_or_else(|| invalid("Validation Failed"))?;
    let key = number(key)?;
    call.repository(owner, repo)?
        .1
        .pulls
        .get(&key)
        .ok_or_else(not_found)?;
    let item = Comment {
        on: CommentOn::Diff,
        number: key,
        commit: text(&request, "commit_id"),
        body,
        ..Comment::default()
    };
    issues::record_comment(call, owner, repo, "pull_requests", item)
}

fn reviews(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let key = number(key)?;
    let all = record.reviews.iter().filter(|(_, item)| item.number == key);
    Ok(call.page(
        all.map(|(id, item)| render::review(call.world, &call.links, &name, *id, item))
            .collect(),
    ))
}

fn review(call: &Call<'_>, owner: &str, repo: &str, key: &str, id: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let (key, id) = (number(key)?, number(id)?);
    let item = record
        .reviews
        .get(&id)
        .filter(|item| item.number == key)
        .ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &render::review(call.world, &call.links, &name, id, item),
    ))
}

fn add_review(call: &mut Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let body = call.request.json();
    let author = call.author();
    let key = number(key)?;
    let (name, record) = call.writable(owner, repo, "pull_requests")?;
    record.pulls.get(&key).ok_or_else(not_found)?;
    let id = record.reviews.keys().next_back().map_or(1, |last| last + 1);
    let state = state_of(text(&body, "event").as_deref())?.to_owned();
    let item = Review {
        number: key,
        author,
        body: text(&body, "body").unwrap_or_default(),
        state,
    };
    record.reviews.insert(id, item.clone());
    Ok(Reply::json(
        200,
        &render::review(call.world, &call.links, &name, id, &item),
    ))
}

fn submit_review(call: &mut Call<'_>, owner: &str, repo: &str, key: &str, id: &str) -> Answer {
    let event = text(&call.request.json(), "event").ok_or_else(|| invalid("Validation Failed"))?;
    let (key, id) = (number(key)?, number(id)?);
    let (name, record) = call.writable(owner, repo, "pull_requests")?;
    let item = record
        .reviews
        .get_mut(&id)
        .filter(|item| item.number == key)
        .ok_or_else(not_found)?;
    item.state = state_of(Some(&event))?.to_owned();
    let item = item.clone();
    Ok(Reply::json(
        200,
        &render::review(call.world, &call.links, &name, id, &item),
    ))
}

fn state_of(event: Option<&str>) -> Result<&'static str, Reply> {
    match event {
        None | Some("PENDING") => Ok("PENDING"),
        Some("APPROVE") => Ok("APPROVED"),
        Some("COMMENT") => Ok("COMMENTED"),
        Some("REQUEST_CHANGES") => Ok("CHANGES_REQUESTED"),
        Some(_) => Err(invalid("Validation Failed")),
    }
}

fn show(call: &Call<'_>, name: &str, key: u64, status: u16) -> Answer {
    let record = call.world.repositories.get(name).ok_or_else(not_found)?;
    let item = record.pulls.get(&key).ok_or_else(not_found)?;
    Ok(Reply::json(
        status,
        &render::pull(call.world, &call.links, name, record, key, item),
    ))
}
