//! The App and its installations: all a JSON web token is good for.
//!
//! Source: docs.github.com/rest/apps/apps and /rest/apps/installations.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::auth::{Caller, Minted, message};
use super::call::{Answer, Call, invalid, not_found, number, texts};
use super::render;
use super::world::organization::Installation;
use crate::message::{Reply, set};
use crate::server::random_hex;

/// The chapter's endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["app"]) => {
            Some(as_app(call).map(|()| Reply::json(200, &render::app(call.world, &call.links))))
        }
        ("GET", ["app", "installations"]) => Some(list(call)),
        ("GET", ["app", "installations", id]) => Some(by_id(call, id)),
        ("POST", ["app", "installations", id, "access_tokens"]) => Some(mint(call, id)),
        ("GET", ["orgs", org, "installation"]) => Some(of_owner(call, org)),
        ("GET", ["users", login, "installation"]) => Some(of_owner(call, login)),
        ("GET", ["repos", owner, _, "installation"]) => Some(of_owner(call, owner)),
        ("GET", ["installation", "repositories"]) => Some(repositories(call)),
        ("DELETE", ["installation", "token"]) => Some(revoke(call)),
        _ => None,
    }
}

fn as_app(call: &Call<'_>) -> Result<(), Reply> {
    match call.caller {
        Caller::App => Ok(()),
        Caller::Installation(_) | Caller::User(_) => {
            Err(message(401, "A JSON web token could not be decoded"))
        }
    }
}

fn list(call: &Call<'_>) -> Answer {
    as_app(call)?;
    let all = call
        .world
        .organizations
        .iter()
        .filter_map(|(login, organization)| Some((login, organization.installation.as_ref()?)));
    let all = all
        .map(|(login, record)| render::installation(call.world, &call.links, login, record))
        .collect();
    Ok(call.page(all))
}

fn by_id(call: &Call<'_>, id: &str) -> Answer {
    as_app(call)?;
    let (login, record) = installed(call, id)?;
    Ok(Reply::json(
        200,
        &render::installation(call.world, &call.links, &login, &record),
    ))
}

fn of_owner(call: &Call<'_>, login: &str) -> Answer {
    as_app(call)?;
    let (login, organization) = call.organization(login)?;
    let record = organization.installation.as_ref().ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &render::installation(call.world, &call.links, &login, record),
    ))
}

fn mint(call: &mut Call<'_>, id: &str) -> Answer {
    as_app(call)?;
    let (login, record) = installed(call, id)?;
    if record.suspended_at.is_some() {
        return Err(message(403, "This installation has been suspended"));
    }
    let body = call.request.json();
    let permissions = narrowed(&record, body.get("permissions"))?;
    let repositories = chosen(call, &login, &record, &body)?;
    let token = format!(
        "ghs_{}",
        random_hex(18).map_err(|error| message(500, &error.to_string()))?
    );
    let expires_at = call.now
        + call
            .world
            .token_life_seconds
            .unwrap_or(DEFAULT_LIFE_SECONDS);
    let mut answer = json!({
        "token": token, "expires_at": rfc_3339(expires_at), "permissions": permissions,
        "repository_selection": if repositories.is_some() { "selected" } else { "all" },
    });
    if let Some(names) = &repositories {
        let records = names
            .iter()
            .filter_map(|name| Some((name, call.world.repositories.get(name)?)));
        let records: Vec<Value> = records
            .map(|(name, record)| {
                render::repository(
                    call.world,
                    &call.links,
                    name,
                    record,
                    super::access::Role::Pull,
                )
            })
            .collect();
        set(&mut answer, "repositories", json!(records));
    }
    call.minted.insert(
        token,
        Minted {
            organization: login,
            permissions,
            repositories,
            expires_at,
            revoked: false,
        },
    );
    Ok(Reply::json(201, &answer))
}

fn repositories(call: &Call<'_>) -> Answer {
    let Caller::Installation(_) = call.caller else {
        return Err(message(
            403,
            "Resource not accessible by personal access token",
        ));
    };
    let own = call
        .world
        .repositories
        .iter()
        .filter(|(name, record)| call.sees(name, record));
    let own: Vec<Value> = own
        .map(|(name, record)| {
            render::repository(
                call.world,
                &call.links,
                name,
                record,
                call.callers_role(name, record),
            )
        })
        .collect();
    Ok(Reply::json(
        200,
        &json!({"total_count": own.len(), "repository_selection": "all", "repositories": own}),
    ))
}

fn revoke(call: &mut Call<'_>) -> Answer {
    let token = call
        .request
        .credential()
        .and_then(|credential| call.minted.get_mut(&credential))
        .ok_or_else(not_found)?;
    token.revoked = true;
    Ok(Reply::empty(204))
}

fn installed(call: &Call<'_>, id: &str) -> Result<(String, Installation), Reply> {
    let id = number(id)?;
    let mut all = call
        .world
        .organizations
        .iter()
        .filter_map(|(login, organization)| Some((login, organization.installation.as_ref()?)));
    let (login, record) = all
        .find(|(_, record)| record.id == id)
        .ok_or_else(not_found)?;
    Ok((login.clone(), record.clone()))
}

/// The permissions asked for, none beyond the installation's.
fn narrowed(
    record: &Installation,
    asked: Option<&Value>,
) -> Result<BTreeMap<String, String>, Reply> {
    let Some(asked) = asked
        .and_then(Value::as_object)
        .filter(|asked| !asked.is_empty())
    else {
        return Ok(record.permissions.clone());
    };
    let strength = |level: &str| {
        ["read", "write", "admin"]
            .iter()
            .position(|name| *name == level)
    };
    let mut permissions = BTreeMap::new();
    for (name, level) in asked {
        let level = level.as_str().unwrap_or_default();
        let held = record.permissions.get(name).and_then(|held| strength(held));
        if strength(level).is_none() || strength(level) > held {
            return Err(invalid(
                "The permissions requested are not granted to this installation.",
            ));
        }
        permissions.insert(name.clone(), level.to_owned());
    }
    Ok(permissions)
}

/// The repositories asked for, none beyond the installation's.
fn chosen(
    call: &Call<'_>,
    login: &str,
    record: &Installation,
    body: &Value,
) -> Result<Option<BTreeSet<String>>, Reply> {
    let mut names: BTreeSet<String> = texts(body, "repositories")
        .iter()
        .map(|name| format!("{login}/{name}"))
        .collect();
    for id in body
        .get("repository_ids")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let found = call
            .world
            .repositories
            .iter()
            .find(|(_, repository)| Some(repository.id) == id.as_u64());
        names.insert(
            found
                .ok_or_else(|| invalid("There is at least one repository that does not exist."))?
                .0
                .clone(),
        );
    }
    if names.is_empty() {
        return Ok(record.repositories.clone());
    }
    let granted = |name: &String| {
        call.world.repositories.contains_key(name)
            && record
                .repositories
                .as_ref()
                .is_none_or(|granted| granted.contains(name))
    };
    if names.iter().all(granted) {
        Ok(Some(names))
    } else {
        Err(invalid(
            "There is at least one repository that does not exist.",
        ))
    }
}

fn rfc_3339(seconds: i64) -> String {
    Timestamp::from_second(seconds)
        .map(|time| time.to_string())
        .unwrap_or_default()
}

const DEFAULT_LIFE_SECONDS: i64 = 3600;
