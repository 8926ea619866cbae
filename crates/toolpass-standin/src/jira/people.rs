//! Accounts, and what they hold: the look-ups toolpass makes.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Users", "User search", "Myself", "Permissions".

use serde_json::{Value, json};

use super::call::{Answer, Call, message};
use super::render;
use super::world::{GLOBAL_KEYS, PROJECT_KEYS, project_of};
use crate::message::Reply;

/// The chapter's endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["myself"]) => Some(Ok(Reply::json(200, &render::account(call, &call.account)))),
        ("GET", ["mypermissions"]) => Some(own(call)),
        ("GET", ["permissions"]) => Some(Ok(catalogue())),
        ("POST", ["permissions", "check"]) => Some(check(call)),
        ("GET", ["user", "search"]) => Some(Ok(search(call))),
        ("GET", ["user", "assignable", "search"]) => Some(Ok(search(call))),
        ("GET", ["user"]) => Some(user(call)),
        _ => None,
    }
}

/// People whose name or e-mail begins so. Nobody, without the right to browse.
fn search(call: &Call<'_>) -> Reply {
    if !call.has_global("USER_PICKER") {
        return Reply::json(200, &json!([]));
    }
    let query = call
        .request
        .query_value("query")
        .unwrap_or_default()
        .to_lowercase();
    let found = call.world.accounts.iter().filter(|(_, account)| {
        let begins = |text: &str| text.to_lowercase().starts_with(&query);
        account.active && (begins(&account.email) || begins(&account.display_name))
    });
    let start = call.number("startAt").unwrap_or(0);
    let size = call.number("maxResults").unwrap_or(50).min(1000);
    let page: Vec<Value> = found
        .skip(start)
        .take(size)
        .map(|(id, _)| render::account(call, id))
        .collect();
    Reply::json(200, &Value::Array(page))
}

fn user(call: &Call<'_>) -> Answer {
    let id = call.request.query_value("accountId").unwrap_or_default();
    let Some(account) = call.world.accounts.get(&id) else {
        return Err(message(
            404,
            "Specified user does not exist or you do not have required permissions",
        ));
    };
    let groups: Vec<Value> = account
        .groups
        .iter()
        .map(|name| json!({ "name": name, "groupId": format!("id-{name}") }))
        .collect();
    let roles = match account.has_access {
        true => json!([{ "key": "jira-software", "name": "Jira" }]),
        false => json!([]),
    };
    let mut body = render::account(call, &id);
    crate::message::set(
        &mut body,
        "groups",
        json!({ "size": groups.len(), "items": groups }),
    );
    crate::message::set(
        &mut body,
        "applicationRoles",
        json!({ "size": 1, "items": roles }),
    );
    Ok(Reply::json(200, &body))
}

fn own(call: &Call<'_>) -> Answer {
    let asked = call
        .request
        .query_value("permissions")
        .ok_or_else(|| message(400, "The `permissions` query parameter is required."))?;
    let mut held = serde_json::Map::new();
    for key in asked.split(',') {
        if !is_global(key) && !is_of_projects(key) {
            return Err(message(400, "Unrecognized permission"));
        }
        held.insert(
            key.to_owned(),
            json!({ "key": key, "havePermission": call.has_global(key) }),
        );
    }
    Ok(Reply::json(200, &json!({ "permissions": held })))
}

fn catalogue() -> Reply {
    let of = |keys: &[&'static str], kind: &'static str| {
        keys.iter()
            .map(|key| ((*key).to_owned(), json!({ "key": key, "type": kind })))
            .collect::<Vec<_>>()
    };
    let all = of(GLOBAL_KEYS, "GLOBAL")
        .into_iter()
        .chain(of(PROJECT_KEYS, "PROJECT"));
    Reply::json(200, &json!({ "permissions": Value::Object(all.collect()) }))
}

/// "Get bulk permissions": ids that are not known are left out, keys that are not held stand with nothing.
fn check(call: &Call<'_>) -> Answer {
    let body = call.request.json();
    let account = body
        .get("accountId")
        .and_then(Value::as_str)
        .unwrap_or(&call.account);
    if account != call.account && !call.has_global("ADMINISTER") {
        return Err(message(
            403,
            "Only users with the Administer Jira permission can check others.",
        ));
    }
    let Some(asked) = call.world.accounts.get(account) else {
        return Err(message(400, "The account does not exist."));
    };
    let mut global = Vec::new();
    for key in texts(&body, "globalPermissions") {
        if !is_global(&key) {
            return Err(message(400, "Unrecognized global permission"));
        }
        if asked.global.contains(&key) {
            global.push(key);
        }
    }
    let mut granted = Vec::new();
    for wanted in body
        .get("projectPermissions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        for key in texts(wanted, "permissions") {
            if !is_of_projects(&key) {
                return Err(message(400, "Unrecognized permission"));
            }
            let projects = ids(wanted, "projects").filter(|id| {
                let found = call
                    .world
                    .projects
                    .iter()
                    .find(|(_, project)| project.id == *id);
                found.is_some_and(|(name, _)| call.world.holds(account, &key, name, None))
            });
            let issues = ids(wanted, "issues").filter(|id| {
                let found = call.world.issues.iter().find(|(_, issue)| issue.id == *id);
                found.is_some_and(|(name, _)| {
                    call.world
                        .holds(account, &key, project_of(name), Some(name))
                })
            });
            granted.push(json!({
                "permission": key,
                "projects": projects.collect::<Vec<_>>(),
                "issues": issues.collect::<Vec<_>>(),
            }));
        }
    }
    Ok(Reply::json(
        200,
        &json!({ "globalPermissions": global, "projectPermissions": granted }),
    ))
}

fn texts(body: &Value, name: &str) -> Vec<String> {
    let list = body
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn ids<'v>(body: &'v Value, name: &str) -> impl Iterator<Item = u64> + 'v {
    let list = body
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    list.filter_map(Value::as_u64)
}

fn is_global(key: &str) -> bool {
    GLOBAL_KEYS.contains(&key)
}

fn is_of_projects(key: &str) -> bool {
    PROJECT_KEYS.contains(&key)
}
