//! The objects GraphQL can walk, each loaded by its node id, and the fields that take arguments.
//!
//! Source: octokit/graphql-schema.

use serde_json::{Map, Value, json};

use super::super::auth::{Caller, Grant, Level};
use super::super::call::Call;
use super::super::world::organization::{ExternalIdentity, SamlProvider};
use super::super::world::repository::{CommentOn, Issue, Pull, Repository};
use super::super::{access, render};
use crate::graphql::walk::FieldError;
use crate::message::set;

/// An object by its node id; `None` when there is none the caller may see.
pub(super) fn load(call: &Call<'_>, id: &str) -> Option<Value> {
    let (kind, rest) = id.split_once('_')?;
    match kind {
        "O" => organization(call, rest.parse().ok()?),
        "U" => user(call, rest.parse().ok()?),
        "T" => team(call, rest.parse().ok()?),
        "R" => {
            let (name, record) = repository_by_id(call, rest)?;
            Some(repository(call, name, record))
        }
        _ => in_repository(call, kind, rest),
    }
}

/// A field that takes arguments or asks for a permission; `None` when it is not one of those.
pub(super) fn computed(
    call: &Call<'_>,
    object: &Value,
    name: &str,
    arguments: &Map<String, Value>,
) -> Option<Result<Value, FieldError>> {
    let text = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let number = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_u64)
            .unwrap_or_default()
    };
    let login = object
        .get("login")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let full_name = object
        .get("nameWithOwner")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let type_name = object
        .get("__typename")
        .and_then(Value::as_str)
        .unwrap_or_default();
    match (type_name, name) {
        ("Query", "viewer") => Some(viewer(call)),
        ("Query", "rateLimit") => Some(Ok(json!({
            "__typename": "RateLimit", "limit": 5000, "cost": 1, "remaining": 4999, "used": 1, "resetAt": render::TIME, "nodeCount": 1,
        }))),
        ("Query", "organization") => Some(by_login(call, text("login"), "an Organization")),
        ("Query", "user") => Some(by_login(call, text("login"), "a User")),
        ("Query", "repositoryOwner") => {
            Some(by_login(call, text("login"), "a RepositoryOwner").or(Ok(Value::Null)))
        }
        ("Query", "repository") => Some(by_name(
            call,
            &format!("{}/{}", text("owner"), text("name")),
        )),
        ("Query", "node") => Some(node(call, text("id"))),
        ("Query", "nodes") => Some(nodes(call, arguments.get("ids"))),
        ("Organization", "repository") => Some(by_name(call, &format!("{login}/{}", text("name")))),
        ("Organization", "team") => Some(Ok(call.team(login, text("slug")).map_or(
            Value::Null,
            |(_, _, team)| json!({"__ref": format!("T_{}", team.id)}),
        ))),
        ("Organization", "samlIdentityProvider") => Some(provider(call, login)),
        ("OrganizationIdentityProvider", "externalIdentities") => {
            Some(identities(call, object, arguments))
        }
        ("Repository", "issue") => Some(numbered(call, full_name, number("number"), &["I"])),
        ("Repository", "pullRequest") => Some(numbered(call, full_name, number("number"), &["PR"])),
        ("Repository", "issueOrPullRequest") => {
            Some(numbered(call, full_name, number("number"), &["I", "PR"]))
        }
        _ => None,
    }
}

fn viewer(call: &Call<'_>) -> Result<Value, FieldError> {
    let login = call.author();
    let id = call.world.users.get(&login).map(|account| account.id);
    Ok(id.map_or_else(
        || json!({"__typename": "Bot", "login": login, "id": "BOT_1", "databaseId": 1}),
        |id| json!({"__ref": format!("U_{id}")}),
    ))
}

fn by_login(call: &Call<'_>, login: &str, what: &str) -> Result<Value, FieldError> {
    let organization = call
        .world
        .organizations
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(login))
        .map(|(_, found)| found.id);
    let user = access::by_login(&call.world.users, login).map(|account| account.id);
    let found = match what {
        "an Organization" => organization.map(|id| format!("O_{id}")),
        "a User" => user.map(|id| format!("U_{id}")),
        _ => organization
            .map(|id| format!("O_{id}"))
            .or_else(|| user.map(|id| format!("U_{id}"))),
    };
    found.map(|id| json!({"__ref": id})).ok_or_else(|| {
        FieldError::of(
            "NOT_FOUND",
            format!("Could not resolve to {what} with the login of '{login}'."),
        )
    })
}

fn by_name(call: &Call<'_>, full_name: &str) -> Result<Value, FieldError> {
    let (owner, name) = full_name.split_once('/').unwrap_or_default();
    match call.repository(owner, name) {
        Ok((_, record)) => Ok(json!({"__ref": format!("R_{}", record.id)})),
        Err(_) => Err(FieldError::of(
            "NOT_FOUND",
            format!("Could not resolve to a Repository with the name '{full_name}'."),
        )),
    }
}

fn node(call: &Call<'_>, id: &str) -> Result<Value, FieldError> {
    load(call, id).ok_or_else(|| {
        FieldError::of(
            "NOT_FOUND",
            format!("Could not resolve to a node with the global id of '{id}'"),
        )
    })
}

fn nodes(call: &Call<'_>, ids: Option<&Value>) -> Result<Value, FieldError> {
    let ids = ids.and_then(Value::as_array).cloned().unwrap_or_default();
    let all: Result<Vec<Value>, FieldError> = ids
        .iter()
        .map(|id| node(call, id.as_str().unwrap_or_default()))
        .collect();
    all.map(Value::Array)
}

fn numbered(
    call: &Call<'_>,
    full_name: &str,
    number: u64,
    kinds: &[&str],
) -> Result<Value, FieldError> {
    let record = call.world.repositories.get(full_name);
    let id = record.map_or(0, |record| record.id);
    let found = kinds
        .iter()
        .find_map(|kind| load(call, &format!("{kind}_{id}_{number}")));
    found.ok_or_else(|| {
        FieldError::of(
            "NOT_FOUND",
            format!("Could not resolve to an object with the number of {number}."),
        )
    })
}

/// Identities are for an App with Members, and for owners' classic tokens with a scope of organizations.
fn provider(call: &Call<'_>, login: &str) -> Result<Value, FieldError> {
    let refused = |message: &str| Err(FieldError::of("FORBIDDEN", message.to_owned()));
    let record = access::organization(call.world, login);
    match call.caller {
        Caller::App => return refused("Resource not accessible by integration"),
        Caller::Installation(installed) => {
            let own = installed.organization.eq_ignore_ascii_case(login);
            if !own || call.caller.need("members", Level::Read).is_err() {
                return refused("Resource not accessible by integration");
            }
        }
        Caller::User(user) => {
            if matches!(user.grant, Grant::Permissions(_)) {
                return refused("Resource not accessible by personal access token");
            }
            if call.caller.need("members", Level::Read).is_err() {
                let message = "Your token has not been granted the required scopes to execute this query. The 'samlIdentityProvider' field requires one of the following scopes: ['admin:org', 'read:org', 'write:org'].";
                return Err(FieldError {
                    kind: Some("INSUFFICIENT_SCOPES"),
                    message: message.to_owned(),
                    fatal: true,
                });
            }
            let role = record
                .and_then(|record| access::by_login(&record.members, &user.login))
                .map(|member| member.role.as_str());
            if role != Some("admin") {
                return refused("Viewer must be an owner of the organization");
            }
        }
    }
    let provider = record.and_then(|record| record.saml.as_ref());
    Ok(provider.map_or(Value::Null, |_| {
        json!({"__typename": "OrganizationIdentityProvider", "id": format!("IDP_{login}"), "organizationLogin": login, "issuer": "standin"})
    }))
}

fn identities(
    call: &Call<'_>,
    provider: &Value,
    arguments: &Map<String, Value>,
) -> Result<Value, FieldError> {
    let login = provider
        .get("organizationLogin")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let saml = access::organization(call.world, login)
        .and_then(|record| record.saml.clone())
        .unwrap_or_default();
    let first = match arguments.get("first").and_then(Value::as_u64) {
        None => {
            let message = "You must provide a `first` or `last` value to properly paginate the `externalIdentities` connection.";
            return Err(FieldError::of(
                "MISSING_PAGINATION_BOUNDARIES",
                message.to_owned(),
            ));
        }
        Some(first) if first > 100 => {
            let message = format!(
                "Requesting {first} records on the `externalIdentities` connection exceeds the `first` limit of 100 records."
            );
            return Err(FieldError::of("EXCESSIVE_PAGINATION", message));
        }
        Some(first) => usize::try_from(first).unwrap_or(usize::MAX),
    };
    let start = match arguments.get("after").and_then(Value::as_str) {
        None => 0,
        Some(cursor) => cursor
            .strip_prefix("cursor:")
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| {
                FieldError::of(
                    "INVALID_CURSOR_ARGUMENTS",
                    format!("`{cursor}` does not appear to be a valid cursor."),
                )
            })?,
    };
    Ok(connection(call, &filtered(&saml, arguments), start, first))
}

fn filtered<'a>(
    saml: &'a SamlProvider,
    arguments: &Map<String, Value>,
) -> Vec<&'a ExternalIdentity> {
    let wanted = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .filter(|_| !saml.ignore_filter)
    };
    let (user_name, login) = (wanted("userName"), wanted("login"));
    let is = |value: &Option<String>, wanted: &str| {
        value
            .as_deref()
            .is_some_and(|value| value.eq_ignore_ascii_case(wanted))
    };
    saml.identities
        .iter()
        .filter(|one| {
            user_name.is_none_or(|name| {
                is(&one.username, name) || is(&one.name_id, name) || is(&one.scim_username, name)
            })
        })
        .filter(|one| login.is_none_or(|login| is(&one.login, login)))
        .collect()
}

fn connection(call: &Call<'_>, all: &[&ExternalIdentity], start: usize, first: usize) -> Value {
    let shown: Vec<(usize, Value)> = all
        .iter()
        .enumerate()
        .skip(start)
        .take(first)
        .map(|(index, one)| (index + 1, identity(call, index, one)))
        .collect();
    let last = shown.last().map(|(index, _)| *index);
    let cursor =
        |index: Option<usize>| index.map_or(Value::Null, |index| json!(format!("cursor:{index}")));
    let edges: Vec<Value> = shown
        .iter()
        .map(|(index, node)| json!({"__typename": "ExternalIdentityEdge", "cursor": cursor(Some(*index)), "node": node}))
        .collect();
    json!({
        "__typename": "ExternalIdentityConnection", "totalCount": all.len(), "edges": edges,
        "nodes": shown.iter().map(|(_, node)| node).collect::<Vec<_>>(),
        "pageInfo": {
            "__typename": "PageInfo", "hasNextPage": last.unwrap_or(start) < all.len(), "hasPreviousPage": start > 0,
            "startCursor": cursor(shown.first().map(|(index, _)| *index)), "endCursor": cursor(last),
        },
    })
}

fn identity(call: &Call<'_>, index: usize, one: &ExternalIdentity) -> Value {
    let user = one
        .login
        .as_ref()
        .and_then(|login| call.world.users.get(login))
        .map(|account| json!({"__ref": format!("U_{}", account.id)}));
    let has_saml = one.name_id.is_some() || one.username.is_some();
    let emails: Vec<Value> = [&one.name_id, &one.username]
        .into_iter()
        .flatten()
        .filter(|value| value.contains('@'))
        .take(1)
        .map(|value| json!({"__typename": "UserEmailMetadata", "value": value, "primary": true, "type": "work"}))
        .collect();
    let saml = json!({
        "__typename": "ExternalIdentitySamlAttributes", "nameId": one.name_id, "username": one.username, "emails": emails,
        "givenName": null, "familyName": null, "groups": [],
    });
    let scim = one.scim_username.as_ref().map(|name| {
        json!({"__typename": "ExternalIdentityScimAttributes", "username": name, "emails": [], "givenName": null, "familyName": null, "groups": []})
    });
    json!({
        "__typename": "ExternalIdentity", "id": format!("EI_{index}"), "guid": format!("00000000-0000-0000-0000-{index:012}"),
        "samlIdentity": if has_saml { saml } else { Value::Null }, "scimIdentity": scim, "user": user, "organizationInvitation": null,
    })
}

fn organization(call: &Call<'_>, id: u64) -> Option<Value> {
    let (login, _) = call
        .world
        .organizations
        .iter()
        .find(|(_, record)| record.id == id)?;
    Some(json!({
        "__typename": "Organization", "id": format!("O_{id}"), "databaseId": id, "login": login, "name": login, "description": null,
        "url": format!("{}/{login}", call.links.web), "createdAt": render::TIME,
    }))
}

fn user(call: &Call<'_>, id: u64) -> Option<Value> {
    let (login, account) = call
        .world
        .users
        .iter()
        .find(|(_, account)| account.id == id)?;
    Some(json!({
        "__typename": "User", "id": format!("U_{id}"), "databaseId": id, "login": login, "name": account.name,
        "email": account.email.as_deref().unwrap_or_default(), "url": format!("{}/{login}", call.links.web), "createdAt": render::TIME,
    }))
}

fn team(call: &Call<'_>, id: u64) -> Option<Value> {
    let (login, organization, slug) =
        call.world
            .organizations
            .iter()
            .find_map(|(login, organization)| {
                let (slug, _) = organization.teams.iter().find(|(_, team)| team.id == id)?;
                Some((login, organization, slug))
            })?;
    call.people_of(login).ok()?;
    let team = organization.teams.get(slug)?;
    Some(json!({
        "__typename": "Team", "id": format!("T_{id}"), "databaseId": id, "slug": slug, "name": team.name.as_deref().unwrap_or(slug),
        "combinedSlug": format!("{login}/{slug}"), "organization": {"__ref": format!("O_{}", organization.id)},
    }))
}

fn repository_by_id<'a>(call: &'a Call<'_>, id: &str) -> Option<(&'a String, &'a Repository)> {
    let id: u64 = id.parse().ok()?;
    call.world
        .repositories
        .iter()
        .find(|(name, record)| record.id == id && call.sees(name, record))
}

fn repository(call: &Call<'_>, full_name: &str, record: &Repository) -> Value {
    let (owner, name) = full_name.split_once('/').unwrap_or_default();
    let role = match call.callers_role(full_name, record) {
        access::Role::None => Value::Null,
        access::Role::Pull => json!("READ"),
        access::Role::Triage => json!("TRIAGE"),
        access::Role::Push => json!("WRITE"),
        access::Role::Maintain => json!("MAINTAIN"),
        access::Role::Admin => json!("ADMIN"),
    };
    let branch = record.branches.get(&record.default_branch);
    json!({
        "__typename": "Repository", "id": format!("R_{}", record.id), "databaseId": record.id, "name": name, "nameWithOwner": full_name,
        "owner": account(call, owner), "isPrivate": record.visibility != "public", "visibility": record.visibility.to_uppercase(),
        "isArchived": record.archived, "isDisabled": record.disabled, "isLocked": false, "isTemplate": record.is_template,
        "isInOrganization": call.world.organizations.contains_key(owner), "description": record.description,
        "hasIssuesEnabled": record.has_issues, "forkingAllowed": record.allow_forking, "viewerPermission": role,
        "url": format!("{}/{full_name}", call.links.web), "createdAt": render::TIME,
        "defaultBranchRef": {
            "__typename": "Ref", "id": format!("REF_{}_{}", record.id, record.default_branch), "name": record.default_branch, "prefix": "refs/heads/",
            "target": {"__typename": "Commit", "oid": branch.map(|branch| &branch.sha)},
        },
    })
}

/// Issues, pull requests, comments, reviews and labels: `KIND_REPOSITORY_NUMBER`.
fn in_repository(call: &Call<'_>, kind: &str, rest: &str) -> Option<Value> {
    let (repository, key) = rest.split_once('_')?;
    let (name, record) = repository_by_id(call, repository)?;
    let key: u64 = key.parse().ok()?;
    let own = match kind {
        "I" => issue(call, name, record, key, record.issues.get(&key)?),
        "PR" => pull(call, name, record, key, record.pulls.get(&key)?),
        "IC" | "PRRC" | "CC" => comment(call, record, kind, key)?,
        "PRR" => {
            let review = record.reviews.get(&key)?;
            json!({
                "__typename": "PullRequestReview", "state": review.state, "body": review.body, "author": account(call, &review.author),
                "pullRequest": {"__ref": format!("PR_{}_{}", record.id, review.number)},
            })
        }
        _ => return None,
    };
    let common = json!({"id": format!("{kind}_{rest}"), "databaseId": key, "repository": {"__ref": format!("R_{}", record.id)}, "createdAt": render::TIME});
    Some(render::join(own, common))
}

fn issue(
    call: &Call<'_>,
    full_name: &str,
    record: &Repository,
    number: u64,
    item: &Issue,
) -> Value {
    json!({
        "__typename": "Issue", "number": number, "title": item.title, "body": item.body.as_deref().unwrap_or_default(),
        "state": item.state.to_uppercase(), "closed": item.state == "closed", "locked": item.locked, "author": account(call, &item.author),
        "url": format!("{}/{full_name}/issues/{number}", call.links.web), "isPinned": false,
        "labels": labels(record, &item.labels.iter().cloned().collect::<Vec<_>>()),
    })
}

fn pull(call: &Call<'_>, full_name: &str, record: &Repository, number: u64, item: &Pull) -> Value {
    let state = if item.merged {
        "MERGED".to_owned()
    } else {
        item.state.to_uppercase()
    };
    let head = item
        .head_repository
        .as_deref()
        .and_then(|name| call.world.repositories.get(name))
        .unwrap_or(record);
    let cross = item
        .head_repository
        .as_deref()
        .is_some_and(|name| name != full_name);
    let head_name = item.head_repository.as_deref().unwrap_or(full_name);
    json!({
        "__typename": "PullRequest", "number": number, "title": item.title, "body": item.body.as_deref().unwrap_or_default(), "state": state,
        "closed": item.state == "closed", "merged": item.merged, "isDraft": item.draft, "locked": item.locked,
        "author": account(call, &item.author), "baseRefName": item.base, "headRefName": item.head, "isCrossRepository": cross,
        "mergeStateStatus": item.mergeable_state.to_uppercase(), "mergeable": "MERGEABLE",
        "baseRepository": {"__ref": format!("R_{}", record.id)}, "headRepository": {"__ref": format!("R_{}", head.id)},
        "headRepositoryOwner": account(call, head_name.split('/').next().unwrap_or_default()),
        "url": format!("{}/{full_name}/pull/{number}", call.links.web),
        "labels": labels(record, &item.labels.iter().cloned().collect::<Vec<_>>()),
    })
}

fn comment(call: &Call<'_>, record: &Repository, kind: &str, id: u64) -> Option<Value> {
    let (on, type_name) = match kind {
        "IC" => (CommentOn::Issue, "IssueComment"),
        "PRRC" => (CommentOn::Diff, "PullRequestReviewComment"),
        _ => (CommentOn::Commit, "CommitComment"),
    };
    let item = record.comments.get(&id).filter(|item| item.on == on)?;
    let mut body =
        json!({"__typename": type_name, "body": item.body, "author": account(call, &item.author)});
    let (issue, pull) = (
        format!("I_{}_{}", record.id, item.number),
        format!("PR_{}_{}", record.id, item.number),
    );
    let on_pull = record.pulls.contains_key(&item.number);
    set(
        &mut body,
        "pullRequest",
        if on_pull {
            json!({"__ref": pull})
        } else {
            Value::Null
        },
    );
    if on == CommentOn::Issue {
        set(
            &mut body,
            "issue",
            json!({"__ref": if on_pull { pull } else { issue }}),
        );
    }
    Some(body)
}

fn labels(record: &Repository, names: &[String]) -> Value {
    let nodes: Vec<Value> =
        names.iter().map(|name| json!({"__typename": "Label", "id": format!("LA_{}_{name}", record.id), "name": name})).collect();
    json!({"__typename": "LabelConnection", "totalCount": nodes.len(), "nodes": nodes})
}

/// An account as an `Actor` or an owner.
fn account(call: &Call<'_>, login: &str) -> Value {
    if let Some(account) = call.world.users.get(login) {
        return json!({"__ref": format!("U_{}", account.id)});
    }
    match call.world.organizations.get(login) {
        Some(organization) => json!({"__ref": format!("O_{}", organization.id)}),
        None => {
            json!({"__typename": "Bot", "id": format!("BOT_{login}"), "login": login.trim_end_matches("[bot]")})
        }
    }
}
