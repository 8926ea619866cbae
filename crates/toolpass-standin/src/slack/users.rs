//! Methods about people, the workspace and its user groups.

use serde_json::{Map, Value, json};

use super::call::{Answer, Call};
use super::render;

/// Answer a method; `None` when it is of another family.
pub(super) fn route(call: &mut Call<'_>, method: &str) -> Option<Answer> {
    Some(match method {
        "api.test" => Ok(json!({"args": {}})),
        "auth.test" => auth(call),
        "team.preferences.list" => Ok(Value::Object(
            call.world
                .preferences
                .clone()
                .into_iter()
                .collect::<Map<_, _>>(),
        )),
        "usergroups.list" => usergroups(call),
        "users.info" => info(call),
        "users.list" => list(call),
        "users.lookupByEmail" => by_email(call),
        _ => return None,
    })
}

/// The scopes a method needs.
pub(super) fn scopes(method: &str) -> &'static [&'static str] {
    match method {
        "team.preferences.list" => &["team.preferences:read"],
        "usergroups.list" => &["usergroups:read"],
        "users.info" | "users.list" => &["users:read"],
        "users.lookupByEmail" => &["users:read.email"],
        _ => &[],
    }
}

fn auth(call: &Call<'_>) -> Answer {
    let (world, token) = (&call.world, &call.token);
    let name = world
        .users
        .get(&token.user)
        .map(|account| account.name.clone());
    Ok(json!({
        "url": format!("https://{}.slack.com/", world.team.domain), "team": world.team.name, "user": name,
        "team_id": world.team.id, "user_id": token.user, "bot_id": token.bot_id,
        "enterprise_id": world.team.enterprise_id, "is_enterprise_install": false,
    }))
}

fn info(call: &Call<'_>) -> Answer {
    let id = call.given("user").ok_or("user_not_found")?;
    let account = call.world.users.get(&id).ok_or("user_not_found")?;
    Ok(json!({"user": render::user(call.world, &id, account, &call.token)}))
}

fn by_email(call: &Call<'_>) -> Answer {
    let email = call.given("email").ok_or("users_not_found")?;
    let found = call.world.users.iter().find(|(_, account)| {
        let is = |own: &String| own.eq_ignore_ascii_case(&email);
        !account.deleted && account.email.as_ref().is_some_and(is)
    });
    let (id, account) = found.ok_or("users_not_found")?;
    Ok(json!({"user": render::user(call.world, id, account, &call.token)}))
}

fn list(call: &Call<'_>) -> Answer {
    let users = call.world.users.iter();
    let users = users.map(|(id, account)| render::user(call.world, id, account, &call.token));
    call.page("members", users.collect())
}

fn usergroups(call: &Call<'_>) -> Answer {
    let wanted = |date: u64| date == 0 || call.flag("include_disabled");
    let groups = call
        .world
        .usergroups
        .iter()
        .filter(|(_, group)| wanted(group.date_delete));
    let groups: Vec<Value> = groups
        .map(|(id, group)| {
            let mut body =
                json!({"id": id, "handle": group.handle, "date_delete": group.date_delete});
            if call.flag("include_users") {
                crate::message::set(&mut body, "users", json!(group.users));
            }
            body
        })
        .collect();
    Ok(json!({"usergroups": groups}))
}
