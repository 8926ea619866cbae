//! Branches, their classic protection, and rulesets.
//!
//! Source: docs.github.com/rest/branches, /rest/repos/rules. Patterns: docs.github.com, "Creating rulesets for a repository" (fnmatch).

use serde_json::{Value, json};

use super::access::Role;
use super::auth::{Caller, Level, message};
use super::call::{Answer, Call, not_found, number};
use super::render;
use super::world::repository::{Branch, Protection, Repository, Ruleset};
use crate::message::{Reply, set};

/// The chapters' endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["repos", owner, repo, "branches"]) => Some(list(call, owner, repo)),
        ("GET", ["repos", owner, repo, "branches", branch]) => Some(one(call, owner, repo, branch)),
        ("GET", ["repos", owner, repo, "branches", branch, "protection"]) => {
            Some(protection(call, owner, repo, branch))
        }
        ("GET", ["repos", owner, repo, "rules", "branches", branch]) => {
            Some(rules(call, owner, repo, branch))
        }
        ("GET", ["repos", owner, repo, "rulesets"]) => Some(rulesets(call, owner, repo)),
        ("GET", ["repos", owner, repo, "rulesets", id]) => Some(ruleset(call, owner, repo, id)),
        _ => None,
    }
}

fn list(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let all = record.branches.iter().map(|(branch, item)| {
        let url = format!("{}/repos/{name}/commits/{}", call.links.api, item.sha);
        json!({"name": branch, "commit": {"sha": item.sha, "url": url}, "protected": item.protection.is_some()})
    });
    Ok(call.page(all.collect()))
}

fn one(call: &Call<'_>, owner: &str, repo: &str, branch: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let item = record
        .branches
        .get(branch)
        .ok_or_else(|| message(404, "Branch not found"))?;
    Ok(Reply::json(200, &branch_body(call, &name, branch, item)))
}

fn protection(call: &Call<'_>, owner: &str, repo: &str, branch: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("administration", Level::Read)?;
    if call.callers_role(&name, record) < Role::Admin {
        return Err(not_found());
    }
    let item = record
        .branches
        .get(branch)
        .ok_or_else(|| message(404, "Branch not found"))?;
    let item = item
        .protection
        .as_ref()
        .ok_or_else(|| message(404, "Branch not protected"))?;
    Ok(Reply::json(
        200,
        &protection_body(call, &name, branch, item),
    ))
}

/// The active rules of every level that hold for a branch, whether it exists or not.
fn rules(call: &Call<'_>, owner: &str, repo: &str, branch: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("metadata", Level::Read)?;
    let mut found = Vec::new();
    for (id, ruleset, source) in in_force(call, &name, record) {
        if ruleset.enforcement != "active" || !holds_for(ruleset, branch, &record.default_branch) {
            continue;
        }
        for rule in &ruleset.rules {
            let origin = json!({"ruleset_source_type": source_type(source), "ruleset_source": source, "ruleset_id": id});
            found.push(render::join(rule.clone(), origin));
        }
    }
    Ok(call.page(found))
}

fn rulesets(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let parents = call.request.query_value("includes_parents").as_deref() != Some("false");
    let all = in_force(call, &name, record)
        .into_iter()
        .filter(|(_, _, source)| parents || *source == name);
    let all = all.map(|(id, ruleset, source)| {
        let mut body = ruleset_body(call, &name, record, id, ruleset, source);
        if let Value::Object(members) = &mut body {
            for detail in ["bypass_actors", "conditions", "rules"] {
                members.remove(detail);
            }
        }
        body
    });
    Ok(call.page(all.collect()))
}

fn ruleset(call: &Call<'_>, owner: &str, repo: &str, id: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let id = number(id)?;
    let parents = call.request.query_value("includes_parents").as_deref() != Some("false");
    let all = in_force(call, &name, record);
    let found = all
        .into_iter()
        .find(|(found, _, source)| *found == id && (parents || *source == name));
    let (id, ruleset, source) = found.ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &ruleset_body(call, &name, record, id, ruleset, source),
    ))
}

/// The rulesets of a repository and of its organization, each with what it is a ruleset of.
fn in_force<'a>(
    call: &'a Call<'_>,
    full_name: &'a str,
    record: &'a Repository,
) -> Vec<(u64, &'a Ruleset, &'a str)> {
    let owner = full_name.split('/').next().unwrap_or_default();
    let own = record
        .rulesets
        .iter()
        .map(|(id, ruleset)| (*id, ruleset, full_name));
    let above = call
        .world
        .organizations
        .get(owner)
        .into_iter()
        .flat_map(|organization| &organization.rulesets);
    own.chain(above.map(|(id, ruleset)| (*id, ruleset, owner)))
        .collect()
}

/// `bypass_actors` only for those who may change the ruleset.
fn ruleset_body(
    call: &Call<'_>,
    name: &str,
    record: &Repository,
    id: u64,
    ruleset: &Ruleset,
    source: &str,
) -> Value {
    let mut body = json!({
        "id": id, "name": ruleset.name, "target": "branch", "source_type": source_type(source), "source": source,
        "enforcement": ruleset.enforcement, "node_id": format!("RRS_{id}"), "created_at": render::TIME, "updated_at": render::TIME,
        "conditions": {"ref_name": {"include": ruleset.include, "exclude": ruleset.exclude}}, "rules": ruleset.rules,
        "current_user_can_bypass": "never",
        "_links": {
            "self": {"href": format!("{}/repos/{name}/rulesets/{id}", call.links.api)},
            "html": {"href": format!("{}/{name}/rules/{id}", call.links.web)},
        },
    });
    let permission = if source.contains('/') {
        "administration"
    } else {
        "organization_administration"
    };
    let writes = call.caller.need(permission, Level::Write).is_ok()
        && call.callers_role(name, record) >= Role::Admin;
    if writes {
        set(&mut body, "bypass_actors", json!(ruleset.bypass_actors));
    }
    if let (Caller::Installation(_), Value::Object(members)) = (call.caller, &mut body) {
        members.remove("current_user_can_bypass");
    }
    body
}

fn source_type(source: &str) -> &'static str {
    if source.contains('/') {
        "Repository"
    } else {
        "Organization"
    }
}

fn branch_body(call: &Call<'_>, full_name: &str, branch: &str, item: &Branch) -> Value {
    let url = format!("{}/repos/{full_name}/branches/{branch}", call.links.api);
    json!({
        "name": branch, "commit": super::contents::commit_body(call, full_name, &item.sha, "a commit"),
        "_links": {"self": url, "html": format!("{}/{full_name}/tree/{branch}", call.links.web)},
        "protected": item.protection.is_some(), "protection": {"enabled": item.protection.is_some()},
        "protection_url": format!("{url}/protection"),
    })
}

fn protection_body(call: &Call<'_>, full_name: &str, branch: &str, item: &Protection) -> Value {
    let owner = full_name.split('/').next().unwrap_or_default();
    let url = format!(
        "{}/repos/{full_name}/branches/{branch}/protection",
        call.links.api
    );
    let mut body = json!({"url": url});
    if let Some(enabled) = item.enforce_admins {
        set(
            &mut body,
            "enforce_admins",
            json!({"url": format!("{url}/enforce_admins"), "enabled": enabled}),
        );
    }
    if let Some(enabled) = item.required_signatures {
        set(
            &mut body,
            "required_signatures",
            json!({"url": format!("{url}/required_signatures"), "enabled": enabled}),
        );
    }
    let switches = [
        ("lock_branch", item.lock_branch),
        ("allow_deletions", item.allow_deletions),
        ("allow_force_pushes", item.allow_force_pushes),
        ("block_creations", item.block_creations),
        ("required_linear_history", item.required_linear_history),
    ];
    for (name, switch) in switches {
        if let Some(enabled) = switch {
            set(&mut body, name, json!({"enabled": enabled}));
        }
    }
    if let Some(contexts) = &item.required_status_checks {
        let url = format!("{url}/required_status_checks");
        let checks: Vec<Value> = contexts
            .iter()
            .map(|context| json!({"context": context, "app_id": null}))
            .collect();
        set(
            &mut body,
            "required_status_checks",
            json!({"url": url, "contexts": contexts, "contexts_url": format!("{url}/contexts"), "strict": false, "checks": checks}),
        );
    }
    if let Some(reviews) = &item.required_pull_request_reviews {
        let url = format!("{url}/required_pull_request_reviews");
        let mut member = json!({
            "url": url, "dismiss_stale_reviews": false, "require_code_owner_reviews": false, "require_last_push_approval": false,
            "required_approving_review_count": reviews.required_approving_review_count,
        });
        let lists = [
            ("dismissal_restrictions", &reviews.dismissal_restrictions),
            (
                "bypass_pull_request_allowances",
                &reviews.bypass_pull_request_allowances,
            ),
        ];
        for (name, actors) in lists {
            if let Some(actors) = actors {
                set(
                    &mut member,
                    name,
                    render::actors(
                        call.world,
                        &call.links,
                        owner,
                        &format!("{url}/{name}"),
                        actors,
                    ),
                );
            }
        }
        set(&mut body, "required_pull_request_reviews", member);
    }
    if let Some(actors) = &item.restrictions {
        set(
            &mut body,
            "restrictions",
            render::actors(
                call.world,
                &call.links,
                owner,
                &format!("{url}/restrictions"),
                actors,
            ),
        );
    }
    body
}

fn holds_for(ruleset: &Ruleset, branch: &str, default_branch: &str) -> bool {
    let full = format!("refs/heads/{branch}");
    let matches = |pattern: &String| match pattern.as_str() {
        "~ALL" => true,
        "~DEFAULT_BRANCH" => branch == default_branch,
        pattern => glob(pattern.as_bytes(), full.as_bytes()),
    };
    ruleset.include.iter().any(matches) && !ruleset.exclude.iter().any(matches)
}

/// fnmatch with path names: `*` and `?` stop at a slash, `**` does not.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', b'*', rest @ ..], _) => {
            (0..=text.len()).any(|at| text.get(at..).is_some_and(|text| glob(rest, text)))
        }
        ([b'*', rest @ ..], _) => {
            let end = text
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(text.len());
            (0..=end).any(|at| text.get(at..).is_some_and(|text| glob(rest, text)))
        }
        ([b'?', pattern @ ..], [first, text @ ..]) => *first != b'/' && glob(pattern, text),
        ([wanted, pattern @ ..], [first, text @ ..]) => wanted == first && glob(pattern, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stop_at_a_slash() {
        let check = |pattern: &str, branch: &str, expected: bool| {
            assert_eq!(
                glob(pattern.as_bytes(), branch.as_bytes()),
                expected,
                "{pattern} {branch}"
            );
        };
        check("refs/heads/main", "refs/heads/main", true);
        check("refs/heads/release/*", "refs/heads/release/1", true);
        check("refs/heads/release/*", "refs/heads/release/1/2", false);
        check("refs/heads/release/**", "refs/heads/release/1/2", true);
        check("refs/heads/release/*", "refs/heads/release", false);
        check("refs/heads/v?", "refs/heads/v1", true);
    }
}
