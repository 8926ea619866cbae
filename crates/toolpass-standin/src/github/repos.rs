//! Repositories and who may do what on them.
//!
//! Source: docs.github.com/rest/repos, /rest/collaborators, /rest/interactions and /rest/deployments/environments.

use serde_json::{Value, json};

use super::access::Role;
use super::auth::{Caller, Level, message};
use super::call::{Answer, Call, not_found, number, text};
use super::render;
use super::world::repository::{Environment, Repository};
use crate::message::{Reply, set};

/// The chapters' endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["meta"]) => Some(Ok(meta(call))),
        ("GET", ["search", _]) => Some(Ok(found_nothing())),
        ("GET", ["zen"]) => Some(Ok(Reply::json(200, &json!("Speak like a human.")))),
        ("GET", ["rate_limit"]) => Some(Ok(rate_limit(call))),
        ("GET", ["user", "repos"]) => Some(Ok(own_repositories(call))),
        ("GET", ["repos", owner, repo]) => Some(record(call, owner, repo)),
        ("PATCH", ["repos", owner, repo]) => Some(change(call, owner, repo)),
        ("DELETE", ["repos", owner, repo]) => Some(delete(call, owner, repo)),
        ("GET", ["repos", owner, repo, "collaborators"]) => Some(collaborators(call, owner, repo)),
        ("GET", ["repos", owner, repo, "collaborators", login]) => {
            Some(is_collaborator(call, owner, repo, login))
        }
        ("GET", ["repos", owner, repo, "collaborators", login, "permission"]) => {
            Some(permission(call, owner, repo, login))
        }
        ("GET", ["repos", owner, repo, "interaction-limits"]) => {
            Some(interaction_limits(call, owner, repo))
        }
        ("GET", ["repos", owner, repo, "actions", "runs", id]) => Some(run(call, owner, repo, id)),
        (
            "GET",
            [
                "repos",
                owner,
                repo,
                "actions",
                "runs",
                id,
                "pending_deployments",
            ],
        ) => Some(pending(call, owner, repo, id)),
        ("GET", ["repos", owner, repo, "environments"]) => Some(environments(call, owner, repo)),
        ("GET", ["repos", owner, repo, "environments", name]) => {
            Some(environment(call, owner, repo, name))
        }
        _ => None,
    }
}

fn meta(call: &Call<'_>) -> Reply {
    let mut body = json!({"verifiable_password_authentication": false});
    if let Some(version) = call.links.server_version {
        set(&mut body, "installed_version", json!(version));
    }
    Reply::json(200, &body)
}

/// Nothing is indexed.
fn found_nothing() -> Reply {
    let body = json!({"total_count": 0, "incomplete_results": false, "items": []});
    Reply::json(200, &body)
}

fn rate_limit(call: &Call<'_>) -> Reply {
    let rate = json!({"limit": 5000, "remaining": 4999, "reset": call.now + 3600, "used": 1});
    Reply::json(
        200,
        &json!({"resources": {"core": rate, "graphql": rate, "search": rate}, "rate": rate}),
    )
}

fn own_repositories(call: &Call<'_>) -> Reply {
    let seen = call
        .world
        .repositories
        .iter()
        .filter(|(name, record)| call.sees(name, record));
    call.page(
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
    )
}

fn record(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("metadata", Level::Read)?;
    Ok(Reply::json(
        200,
        &render::repository(
            call.world,
            &call.links,
            &name,
            record,
            call.callers_role(&name, record),
        ),
    ))
}

fn change(call: &mut Call<'_>, owner: &str, repo: &str) -> Answer {
    let body = call.request.json();
    let (name, record) = call.writable(owner, repo, "administration")?;
    if let Some(description) = text(&body, "description") {
        record.description = Some(description);
    }
    if let Some(archived) = body.get("archived").and_then(Value::as_bool) {
        record.archived = archived;
    }
    if let Some(visibility) = text(&body, "visibility") {
        record.visibility = visibility;
    }
    if let Some(private) = body.get("private").and_then(Value::as_bool) {
        record.visibility = if private { "private" } else { "public" }.to_owned();
    }
    let record = call.world.repositories.get(&name).ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &render::repository(call.world, &call.links, &name, record, Role::Admin),
    ))
}

fn delete(call: &mut Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, _) = call.writable(owner, repo, "administration")?;
    call.world.repositories.remove(&name);
    Ok(Reply::empty(204))
}

fn collaborators(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = may_look_up(call, owner, repo)?;
    let people = call
        .world
        .users
        .keys()
        .map(|login| (login, call.right_of(&name, record, login)));
    let people = people.filter(|(login, right)| {
        right.role > Role::None
            && (record.visibility != "public" || record.collaborators.contains_key(*login))
    });
    Ok(call.page(
        people
            .map(|(login, right)| render::collaborator(call.world, &call.links, login, &right))
            .collect(),
    ))
}

fn is_collaborator(call: &Call<'_>, owner: &str, repo: &str, login: &str) -> Answer {
    let (name, record) = may_look_up(call, owner, repo)?;
    let login = call.canonical_login(login)?;
    match call.right_of(&name, record, &login).role {
        Role::None => Err(not_found()),
        _ => Ok(Reply::empty(204)),
    }
}

/// Somebody without any right is answered `none`; a login nobody has is "not a user".
fn permission(call: &Call<'_>, owner: &str, repo: &str, login: &str) -> Answer {
    let (name, record) = may_look_up(call, owner, repo)?;
    let login = call
        .canonical_login(login)
        .map_err(|_| message(404, &format!("{login} is not a user")))?;
    let right = call.right_of(&name, record, &login);
    Ok(Reply::json(
        200,
        &render::permission(call.world, &call.links, &login, &right),
    ))
}

/// Looking rights up takes Metadata of an App, and push of the user a token belongs to.
fn may_look_up<'a>(
    call: &'a Call<'_>,
    owner: &str,
    repo: &str,
) -> Result<(String, &'a Repository), Reply> {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("metadata", Level::Read)?;
    if matches!(call.caller, Caller::User(_)) && call.callers_role(&name, record) < Role::Push {
        return Err(message(
            403,
            "Must have push access to view collaborator permission.",
        ));
    }
    Ok((name, record))
}

fn interaction_limits(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("administration", Level::Read)?;
    if call.callers_role(&name, record) < Role::Admin {
        return Err(not_found());
    }
    let body = record.interaction_limit.as_ref().map_or_else(
        || json!({}),
        |limit| json!({"limit": limit, "origin": "repository", "expires_at": "2099-01-01T00:00:00Z"}),
    );
    Ok(Reply::json(200, &body))
}

fn environments(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let all: Vec<Value> = record
        .environments
        .iter()
        .map(|(key, item)| environment_body(call, &name, key, item))
        .collect();
    Ok(Reply::json(
        200,
        &json!({"total_count": all.len(), "environments": all}),
    ))
}

fn environment(call: &Call<'_>, owner: &str, repo: &str, key: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    if let Caller::Installation(_) = call.caller {
        call.caller.need("actions", Level::Read)?;
    }
    let item = record.environments.get(key).ok_or_else(not_found)?;
    Ok(Reply::json(200, &environment_body(call, &name, key, item)))
}

/// The part of `workflow-run` that says who runs what where.
fn run(call: &Call<'_>, owner: &str, repo: &str, id: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("actions", Level::Read)?;
    let id = number(id)?;
    let item = record.runs.get(&id).ok_or_else(not_found)?;
    let actor = render::user(call.world, &call.links, &item.actor);
    let sha = record
        .branches
        .get(&item.head_branch)
        .map(|branch| branch.sha.as_str());
    let body = json!({
        "id": id, "node_id": format!("WFR_{id}"), "name": "ci", "run_number": 1, "run_attempt": 1, "event": "push", "status": "waiting",
        "conclusion": null, "workflow_id": 1, "head_branch": item.head_branch, "head_sha": sha, "actor": actor, "triggering_actor": actor,
        "url": format!("{}/repos/{name}/actions/runs/{id}", call.links.api), "created_at": render::TIME, "updated_at": render::TIME,
        "repository": {"id": record.id, "full_name": name},
    });
    Ok(Reply::json(200, &body))
}

fn pending(call: &Call<'_>, owner: &str, repo: &str, id: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("actions", Level::Read)?;
    let item = record.runs.get(&number(id)?).ok_or_else(not_found)?;
    let waiting = item
        .waiting_for
        .iter()
        .filter_map(|key| Some((key, record.environments.get(key)?)));
    let all: Vec<Value> = waiting
        .map(|(key, environment)| {
            let full = environment_body(call, &name, key, environment);
            let rule = full.get("protection_rules").and_then(|rules| rules.get(0));
            let reviewers = rule.and_then(|rule| rule.get("reviewers")).cloned().unwrap_or_else(|| json!([]));
            let short = ["id", "node_id", "name", "url", "html_url"];
            let short: serde_json::Map<String, Value> =
                short.iter().filter_map(|member| Some(((*member).to_owned(), full.get(*member)?.clone()))).collect();
            json!({
                "environment": short, "wait_timer": 0, "wait_timer_started_at": null, "current_user_can_approve": false,
                "reviewers": reviewers,
            })
        })
        .collect();
    Ok(Reply::json(200, &json!(all)))
}

fn environment_body(call: &Call<'_>, full_name: &str, key: &str, item: &Environment) -> Value {
    let owner = full_name.split('/').next().unwrap_or_default();
    let mut rules = Vec::new();
    if let Some(reviewers) = &item.reviewers {
        let organization = call.world.organizations.get(owner);
        let people = reviewers.users.iter().map(|login| json!({"type": "User", "reviewer": render::user(call.world, &call.links, login)}));
        let teams = reviewers.teams.iter().filter_map(|slug| {
            let organization = organization?;
            let team = organization.teams.get(slug)?;
            Some(json!({"type": "Team", "reviewer": render::team(&call.links, owner, organization, slug, team)}))
        });
        rules.push(json!({
            "id": item.id * 10, "node_id": format!("GA_{}", item.id), "type": "required_reviewers",
            "prevent_self_review": item.prevent_self_review, "reviewers": people.chain(teams).collect::<Vec<_>>(),
        }));
    }
    json!({
        "id": item.id, "node_id": format!("EN_{}", item.id), "name": key,
        "url": format!("{}/repos/{full_name}/environments/{key}", call.links.api),
        "html_url": format!("{}/{full_name}/deployments/activity_log?environments_filter={key}", call.links.web),
        "created_at": render::TIME, "updated_at": render::TIME, "protection_rules": rules, "deployment_branch_policy": null,
    })
}
