//! Organizations, their people and teams; accounts.
//!
//! Source: docs.github.com/rest/orgs, /rest/teams and /rest/users.

use serde_json::{Value, json};

use super::access;
use super::auth::{Caller, Level, message};
use super::call::{Answer, Call, not_found, number, text};
use super::render;
use super::world::organization::{Membership, Organization, Team};
use super::world::repository::Repository;
use crate::message::Reply;

/// The chapters' endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["user"]) => Some(own_account(call)),
        ("GET", ["users", login]) => Some(account(call, login)),
        ("GET", ["orgs", org]) => Some(record(call, org)),
        ("GET", ["orgs", org, "memberships", login]) => Some(membership(call, org, login)),
        ("GET", ["orgs", org, "members"]) => Some(members(call, org)),
        ("GET", ["orgs", org, "members", login]) => Some(is_member(call, org, login)),
        ("GET", ["orgs", org, "repos"]) => Some(repositories(call, org)),
        ("POST", ["orgs", org, "repos"]) => Some(create_repository(call, org)),
        ("GET", ["orgs", org, "custom-repository-roles"]) => Some(custom_roles(call, org)),
        ("GET", ["orgs", org, "teams"]) => Some(teams(call, org)),
        ("GET", ["orgs", org, "teams", slug]) => Some(team(call, org, slug)),
        ("GET", ["orgs", org, "teams", slug, "members"]) => Some(team_members(call, org, slug)),
        ("GET", ["orgs", org, "teams", slug, "memberships", login]) => {
            Some(team_membership(call, org, slug, login))
        }
        ("PUT", ["orgs", org, "teams", slug, "memberships", login]) => {
            Some(put_team_membership(call, org, slug, login))
        }
        ("GET", ["teams", id, rest @ ..]) => Some(team_by_id(call, id, rest)),
        ("GET", ["organizations", id]) => Some(organization_by_id(call, id)),
        ("GET", ["organizations", id, "team", team]) => {
            Some(organization_by_id(call, id).and_then(|_| team_by_id(call, team, &[])))
        }
        _ => None,
    }
}

fn own_account(call: &Call<'_>) -> Answer {
    match call.caller {
        Caller::User(user) => Ok(Reply::json(
            200,
            &render::private_user(call.world, &call.links, &user.login),
        )),
        Caller::App | Caller::Installation(_) => {
            Err(message(403, "Resource not accessible by integration"))
        }
    }
}

fn account(call: &Call<'_>, login: &str) -> Answer {
    if let Ok((name, _)) = call.organization(login) {
        return Ok(Reply::json(
            200,
            &render::public_user(call.world, &call.links, &name),
        ));
    }
    let login = call.canonical_login(login)?;
    Ok(Reply::json(
        200,
        &render::public_user(call.world, &call.links, &login),
    ))
}

/// The flags are for owners and for Apps with organization administration.
fn record(call: &Call<'_>, org: &str) -> Answer {
    let (name, record) = call.organization(org)?;
    let with_flags = match call.caller {
        Caller::App => return Err(message(403, "Resource not accessible by integration")),
        Caller::Installation(installed) => {
            installed.organization.eq_ignore_ascii_case(&name)
                && call
                    .caller
                    .need("organization_administration", Level::Read)
                    .is_ok()
        }
        Caller::User(user) => owns(record, &user.login),
    };
    Ok(Reply::json(
        200,
        &render::organization(&call.links, &name, record, with_flags),
    ))
}

fn membership(call: &Call<'_>, org: &str, login: &str) -> Answer {
    let (name, record) = call.people_of(org)?;
    let (login, found) = member(&record.members, login).ok_or_else(not_found)?;
    let url = format!("{}/orgs/{name}", call.links.api);
    let body = json!({
        "url": format!("{url}/memberships/{login}"), "state": found.state, "role": found.role, "organization_url": url,
        "direct_membership": true, "enterprise_teams_providing_indirect_membership": [],
        "organization": render::organization_simple(&call.links, &name, record), "user": render::user(call.world, &call.links, login),
    });
    Ok(Reply::json(200, &body))
}

fn members(call: &Call<'_>, org: &str) -> Answer {
    let (_, record) = call.people_of(org)?;
    let active = record
        .members
        .iter()
        .filter(|(_, membership)| membership.state == "active");
    Ok(call.page(
        active
            .map(|(login, _)| render::user(call.world, &call.links, login))
            .collect(),
    ))
}

fn is_member(call: &Call<'_>, org: &str, login: &str) -> Answer {
    let (_, record) = call.people_of(org)?;
    match member(&record.members, login) {
        Some((_, membership)) if membership.state == "active" => Ok(Reply::empty(204)),
        _ => Err(not_found()),
    }
}

fn repositories(call: &Call<'_>, org: &str) -> Answer {
    let (name, _) = call.organization(org)?;
    let prefix = format!("{name}/");
    let seen = call
        .world
        .repositories
        .iter()
        .filter(|(full_name, record)| {
            full_name.starts_with(&prefix) && call.sees(full_name, record)
        });
    Ok(call.page(
        seen.map(|(name, record)| {
            render::repository(
                call.world,
                &call.links,
                name,
                record,
                call.callers_role(name, record),
            )
        })
        .collect(),
    ))
}

fn create_repository(call: &mut Call<'_>, org: &str) -> Answer {
    let (name, _) = call.organization(org)?;
    call.caller.need("administration", Level::Write)?;
    let body = call.request.json();
    let repository =
        text(&body, "name").ok_or_else(|| super::call::invalid("Repository creation failed."))?;
    let full_name = format!("{name}/{repository}");
    if call.world.repositories.contains_key(&full_name) {
        return Err(super::call::invalid("Repository creation failed."));
    }
    let private = body
        .get("private")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    let visibility = text(&body, "visibility")
        .unwrap_or_else(|| if private { "private" } else { "public" }.to_owned());
    let record = Repository {
        visibility,
        description: text(&body, "description"),
        ..Repository::default()
    };
    call.world.repositories.insert(full_name.clone(), record);
    call.world.complete();
    let record = call
        .world
        .repositories
        .get(&full_name)
        .ok_or_else(not_found)?;
    Ok(Reply::json(
        201,
        &render::repository(
            call.world,
            &call.links,
            &full_name,
            record,
            super::access::Role::Admin,
        ),
    ))
}

/// For owners and Apps that may read custom roles or administer the organization.
fn custom_roles(call: &Call<'_>, org: &str) -> Answer {
    let (name, record) = call.organization(org)?;
    match call.caller {
        Caller::User(user) if !owns(record, &user.login) => return Err(not_found()),
        Caller::App | Caller::Installation(_) | Caller::User(_) => {}
    }
    if call
        .caller
        .need("organization_custom_roles", Level::Read)
        .is_err()
    {
        call.caller
            .need("organization_administration", Level::Read)?;
    }
    let roles: Vec<Value> = record
        .custom_roles
        .iter()
        .map(|(role, custom)| {
            json!({
                "id": custom.id, "name": role, "description": null, "base_role": custom.base_role, "permissions": custom.permissions,
                "organization": render::user(call.world, &call.links, &name), "created_at": render::TIME, "updated_at": render::TIME,
            })
        })
        .collect();
    Ok(Reply::json(
        200,
        &json!({"total_count": roles.len(), "custom_roles": roles}),
    ))
}

fn teams(call: &Call<'_>, org: &str) -> Answer {
    let (name, record) = call.people_of(org)?;
    Ok(call.page(
        record
            .teams
            .iter()
            .map(|(slug, team)| render::team(&call.links, &name, record, slug, team))
            .collect(),
    ))
}

fn team(call: &Call<'_>, org: &str, slug: &str) -> Answer {
    let (name, record, team) = call.team(org, slug)?;
    Ok(Reply::json(
        200,
        &render::team_full(call.world, &call.links, &name, record, slug, team),
    ))
}

fn team_members(call: &Call<'_>, org: &str, slug: &str) -> Answer {
    let (_, record, _) = call.team(org, slug)?;
    let logins = call.world.users.keys().filter(|login| {
        in_team(record, slug, login).is_some_and(|(_, found)| found.state == "active")
    });
    Ok(call.page(
        logins
            .map(|login| render::user(call.world, &call.links, login))
            .collect(),
    ))
}

fn team_membership(call: &Call<'_>, org: &str, slug: &str, login: &str) -> Answer {
    let (_, record, team) = call.team(org, slug)?;
    let (login, found) = in_team(record, slug, login).ok_or_else(not_found)?;
    // An owner in the team shows as its maintainer.
    let role = if owns(record, &login) {
        "maintainer"
    } else {
        found.role.as_str()
    };
    Ok(Reply::json(
        200,
        &membership_body(call, team, &login, &found.state, role),
    ))
}

fn put_team_membership(call: &mut Call<'_>, org: &str, slug: &str, login: &str) -> Answer {
    let (name, _, _) = call.team(org, slug)?;
    call.caller.need("members", Level::Write)?;
    let login = call.canonical_login(login)?;
    let role = text(&call.request.json(), "role").unwrap_or_else(|| "member".to_owned());
    let record = call
        .world
        .organizations
        .get_mut(&name)
        .ok_or_else(not_found)?;
    let state = if record.members.contains_key(&login) {
        "active"
    } else {
        "pending"
    };
    let team = record.teams.get_mut(slug).ok_or_else(not_found)?;
    team.members.insert(
        login.clone(),
        Membership {
            state: state.to_owned(),
            role: role.clone(),
        },
    );
    let team = team.clone();
    Ok(Reply::json(
        200,
        &membership_body(call, &team, &login, state, &role),
    ))
}

fn team_by_id(call: &Call<'_>, id: &str, rest: &[&str]) -> Answer {
    let id = number(id)?;
    let found = call.world.organizations.iter().find_map(|(name, record)| {
        let (slug, _) = record.teams.iter().find(|(_, team)| team.id == id)?;
        Some((name.clone(), slug.clone()))
    });
    let (name, slug) = found.ok_or_else(not_found)?;
    match rest {
        [] => team(call, &name, &slug),
        ["members"] => team_members(call, &name, &slug),
        ["memberships", login] => team_membership(call, &name, &slug, login),
        _ => Err(not_found()),
    }
}

fn organization_by_id(call: &Call<'_>, id: &str) -> Answer {
    let id = number(id)?;
    let found = call
        .world
        .organizations
        .iter()
        .find(|(_, record)| record.id == id);
    record(call, &found.ok_or_else(not_found)?.0.clone())
}

fn membership_body(call: &Call<'_>, team: &Team, login: &str, state: &str, role: &str) -> Value {
    json!({"url": format!("{}/teams/{}/memberships/{login}", call.links.api, team.id), "role": role, "state": state})
}

/// Somebody's membership in a team or, as GitHub counts them too, in one below it.
fn in_team(record: &Organization, slug: &str, login: &str) -> Option<(String, Membership)> {
    let team = record.teams.get(slug)?;
    if let Some((login, membership)) = member(&team.members, login) {
        return Some((login.clone(), membership.clone()));
    }
    let below = record
        .teams
        .iter()
        .filter(|(name, team)| team.parent.as_deref() == Some(slug) && name.as_str() != slug);
    below
        .filter_map(|(_, team)| member(&team.members, login))
        .next()
        .map(|(login, found)| {
            (
                login.clone(),
                Membership {
                    state: found.state.clone(),
                    role: "member".to_owned(),
                },
            )
        })
}

fn member<'a>(
    members: &'a std::collections::BTreeMap<String, Membership>,
    login: &str,
) -> Option<(&'a String, &'a Membership)> {
    members
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(login))
}

fn owns(record: &Organization, login: &str) -> bool {
    access::by_login(&record.members, login)
        .is_some_and(|membership| membership.state == "active" && membership.role == "admin")
}
