//! Objects as GitHub's REST API writes them.
//!
//! Every member the description calls required is there, times are one constant, counts that nobody asks for are zero.
//! Source: npm `@octokit/openapi` 23.0.2, `components/schemas`.

use serde_json::{Map, Value, json};

use super::access::{Right, Role};
use super::call::Links;
use super::contents::sha1_hex;
use super::world::organization::{Installation, Organization, Team};
use super::world::repository::{Actors, Comment, CommentOn, Issue, Pull, Repository, Review};
use super::world::{Account, GithubWorld};
use crate::message::set;

/// `simple-user`, for people, bots and organizations alike.
pub(super) fn user(world: &GithubWorld, links: &Links, login: &str) -> Value {
    let bot = Account {
        id: 41_898_282,
        kind: "Bot".to_owned(),
        ..Account::default()
    };
    let (id, kind) = match (world.users.get(login), world.organizations.get(login)) {
        (Some(account), _) => (account.id, account.kind.as_str()),
        (None, Some(organization)) => (organization.id, "Organization"),
        (None, None) => (bot.id, bot.kind.as_str()),
    };
    let prefix = if kind == "Organization" { "O" } else { "U" };
    let url = format!("{}/users/{login}", links.api);
    json!({
        "login": login,
        "id": id,
        "node_id": format!("{prefix}_{id}"),
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{id}?v=4"),
        "gravatar_id": "",
        "url": url,
        "html_url": format!("{}/{login}", links.web),
        "followers_url": format!("{url}/followers"),
        "following_url": format!("{url}/following{{/other_user}}"),
        "gists_url": format!("{url}/gists{{/gist_id}}"),
        "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{url}/subscriptions"),
        "organizations_url": format!("{url}/orgs"),
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events{{/privacy}}"),
        "received_events_url": format!("{url}/received_events"),
        "type": kind,
        "user_view_type": "public",
        "site_admin": false,
    })
}

/// `public-user`.
pub(super) fn public_user(world: &GithubWorld, links: &Links, login: &str) -> Value {
    let account = world.users.get(login).cloned().unwrap_or_default();
    let mut body = json!({
        "name": account.name, "company": null, "blog": "", "location": null, "email": account.email, "hireable": null, "bio": null,
        "public_repos": 0, "public_gists": 0, "followers": 0, "following": 0, "created_at": TIME, "updated_at": TIME,
    });
    if let Some(suspended_at) = account.suspended_at {
        set(&mut body, "suspended_at", json!(suspended_at));
    }
    join(user(world, links, login), body)
}

/// `private-user`: the answer to the user itself.
pub(super) fn private_user(world: &GithubWorld, links: &Links, login: &str) -> Value {
    let more = json!({
        "collaborators": 0, "disk_usage": 0, "owned_private_repos": 0, "private_gists": 0, "total_private_repos": 0,
        "two_factor_authentication": true,
    });
    join(public_user(world, links, login), more)
}

/// The five booleans.
pub(super) fn permissions(role: Role) -> Value {
    json!({
        "admin": role >= Role::Admin, "maintain": role >= Role::Maintain, "push": role >= Role::Push,
        "triage": role >= Role::Triage, "pull": role >= Role::Pull,
    })
}

/// `repository-collaborator-permission`.
pub(super) fn permission(world: &GithubWorld, links: &Links, login: &str, right: &Right) -> Value {
    json!({"permission": right.role.permission(), "role_name": right.name, "user": collaborator(world, links, login, right)})
}

/// `collaborator`.
pub(super) fn collaborator(
    world: &GithubWorld,
    links: &Links,
    login: &str,
    right: &Right,
) -> Value {
    join(
        user(world, links, login),
        json!({"permissions": permissions(right.role), "role_name": right.name}),
    )
}

/// `full-repository`; `role` is the caller's.
pub(super) fn repository(
    world: &GithubWorld,
    links: &Links,
    full_name: &str,
    record: &Repository,
    role: Role,
) -> Value {
    let (owner, name) = full_name.split_once('/').unwrap_or((full_name, ""));
    let url = format!("{}/repos/{full_name}", links.api);
    let web = format!("{}/{full_name}", links.web);
    let own = json!({
        "id": record.id,
        "node_id": format!("R_{}", record.id),
        "name": name,
        "full_name": full_name,
        "owner": user(world, links, owner),
        "private": record.visibility != "public",
        "visibility": record.visibility,
        "html_url": web,
        "description": record.description,
        "fork": false,
        "url": url,
        "git_url": format!("git:{web}.git"), "ssh_url": format!("git@github.com:{full_name}.git"),
        "clone_url": format!("{web}.git"), "svn_url": web, "mirror_url": null, "homepage": null, "language": null,
        "archived": record.archived, "disabled": record.disabled, "is_template": record.is_template,
        "default_branch": record.default_branch,
        "open_issues": record.issues.len() + record.pulls.len(), "open_issues_count": record.issues.len() + record.pulls.len(),
        "permissions": permissions(role),
        "has_issues": record.has_issues,
        "has_pull_requests": record.has_pull_requests,
        "pull_request_creation_policy": record.pull_request_creation_policy,
        "allow_forking": record.allow_forking,
    });
    let same_for_all = json!({
        "has_projects": false, "has_wiki": false, "has_pages": false, "has_discussions": false, "has_downloads": false,
        "forks": 0, "forks_count": 0, "stargazers_count": 0, "watchers": 0, "watchers_count": 0, "network_count": 0,
        "subscribers_count": 0, "size": 1, "topics": [], "license": null,
        "pushed_at": TIME, "created_at": TIME, "updated_at": TIME,
        "allow_squash_merge": true, "allow_merge_commit": true, "allow_rebase_merge": true, "allow_auto_merge": false,
        "delete_branch_on_merge": false, "web_commit_signoff_required": false,
    });
    let mut body = join(own, same_for_all);
    if let Value::Object(members) = &mut body {
        for (member, suffix) in REPOSITORY_URLS {
            members.insert((*member).to_owned(), json!(format!("{url}{suffix}")));
        }
        if world.organizations.contains_key(owner) {
            members.insert("organization".to_owned(), user(world, links, owner));
        }
        members.retain(|name, _| !record.omit.contains(name));
    }
    body
}

/// `organization-simple`.
pub(super) fn organization_simple(links: &Links, login: &str, record: &Organization) -> Value {
    let url = format!("{}/orgs/{login}", links.api);
    json!({
        "login": login, "id": record.id, "node_id": format!("O_{}", record.id), "url": url, "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events"), "hooks_url": format!("{url}/hooks"), "issues_url": format!("{url}/issues"),
        "members_url": format!("{url}/members{{/member}}"), "public_members_url": format!("{url}/public_members{{/member}}"),
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{}?v=4", record.id), "description": null,
    })
}

/// `organization-full`; the flags only for those who may see them.
pub(super) fn organization(
    links: &Links,
    login: &str,
    record: &Organization,
    with_flags: bool,
) -> Value {
    let more = json!({
        "name": login, "company": "", "blog": "", "location": "", "email": "", "twitter_username": null, "is_verified": false,
        "has_organization_projects": true, "has_repository_projects": true, "public_repos": 0, "public_gists": 0, "followers": 0,
        "following": 0, "html_url": format!("{}/{login}", links.web), "type": "Organization", "created_at": TIME,
        "updated_at": TIME, "archived_at": null,
    });
    let mut body = join(organization_simple(links, login, record), more);
    if with_flags {
        set(
            &mut body,
            "default_repository_permission",
            json!(record.default_repository_permission),
        );
        set(&mut body, "two_factor_requirement_enabled", json!(true));
        for (name, value) in &record.flags {
            set(&mut body, name.as_str(), json!(value));
        }
    }
    body
}

/// `team`.
pub(super) fn team(
    links: &Links,
    organization: &str,
    record: &Organization,
    slug: &str,
    team: &Team,
) -> Value {
    let parent = team.parent.as_deref().and_then(|slug| {
        record
            .teams
            .get(slug)
            .map(|parent| team_simple(links, organization, slug, parent))
    });
    join(
        team_simple(links, organization, slug, team),
        json!({"parent": parent}),
    )
}

/// `team-full`.
pub(super) fn team_full(
    world: &GithubWorld,
    links: &Links,
    login: &str,
    record: &Organization,
    slug: &str,
    item: &Team,
) -> Value {
    let more = json!({
        "members_count": item.members.len(), "repos_count": item.repositories.len(), "created_at": TIME, "updated_at": TIME,
        "organization": join(user(world, links, login), organization(links, login, record, false)),
    });
    join(team(links, login, record, slug, item), more)
}

/// `installation`.
pub(super) fn installation(
    world: &GithubWorld,
    links: &Links,
    login: &str,
    record: &Installation,
) -> Value {
    json!({
        "id": record.id, "account": user(world, links, login),
        "repository_selection": if record.repositories.is_some() { "selected" } else { "all" },
        "access_tokens_url": format!("{}/app/installations/{}/access_tokens", links.api, record.id),
        "repositories_url": format!("{}/installation/repositories", links.api),
        "html_url": format!("{}/organizations/{login}/settings/installations/{}", links.web, record.id),
        "app_id": world.app.id, "client_id": world.app.client_id, "app_slug": world.app.slug,
        "target_id": world.organizations.get(login).map(|organization| organization.id), "target_type": "Organization",
        "permissions": record.permissions, "events": [], "created_at": TIME, "updated_at": TIME, "single_file_name": null,
        "has_multiple_single_files": false, "single_file_paths": [], "suspended_by": null, "suspended_at": record.suspended_at,
    })
}

/// `integration`: an App.
pub(super) fn app(world: &GithubWorld, links: &Links) -> Value {
    let app = &world.app;
    let first = world
        .organizations
        .iter()
        .find_map(|(login, organization)| Some((login, organization.installation.as_ref()?)));
    json!({
        "id": app.id, "slug": app.slug, "client_id": app.client_id, "node_id": format!("A_{}", app.id), "name": app.name,
        "owner": first.map(|(login, _)| user(world, links, login)), "description": "", "external_url": links.web,
        "html_url": format!("{}/apps/{}", links.web, app.slug), "created_at": TIME, "updated_at": TIME,
        "permissions": first.map(|(_, installation)| json!(installation.permissions)).unwrap_or_else(|| json!({})), "events": [],
        "installations_count": world.organizations.values().filter(|organization| organization.installation.is_some()).count(),
    })
}

/// `issue`.
pub(super) fn issue(
    world: &GithubWorld,
    links: &Links,
    full_name: &str,
    record: &Repository,
    number: u64,
    item: &Issue,
) -> Value {
    let url = format!("{}/repos/{full_name}/issues/{number}", links.api);
    let more = json!({
        "html_url": format!("{}/{full_name}/issues/{number}", links.web), "node_id": format!("I_{}_{number}", record.id),
        "title": item.title, "body": item.body, "state": item.state, "state_reason": null, "locked": item.locked, "active_lock_reason": null,
        "user": user(world, links, &item.author), "author_association": "MEMBER",
        "labels": item.labels.iter().map(|name| label(links, full_name, name)).collect::<Vec<_>>(),
        "assignees": item.assignees.iter().map(|login| user(world, links, login)).collect::<Vec<_>>(),
        "assignee": item.assignees.first().map(|login| user(world, links, login)),
        "closed_at": if item.state == "closed" { json!(TIME) } else { Value::Null }, "closed_by": null,
    });
    join(
        join(conversation(links, full_name, record, number), more),
        json!({"url": url}),
    )
}

/// A pull request as the issues endpoints show it.
pub(super) fn pull_as_issue(
    world: &GithubWorld,
    links: &Links,
    full_name: &str,
    record: &Repository,
    number: u64,
    item: &Pull,
) -> Value {
    let as_issue = Issue {
        title: item.title.clone(),
        body: item.body.clone(),
        author: item.author.clone(),
        state: item.state.clone(),
        locked: item.locked,
        labels: item.labels.clone(),
        assignees: item.assignees.clone(),
    };
    let web = format!("{}/{full_name}/pull/{number}", links.web);
    let more = json!({
        "html_url": web, "node_id": format!("PR_{}_{number}", record.id), "draft": item.draft,
        "pull_request": {
            "url": format!("{}/repos/{full_name}/pulls/{number}", links.api), "html_url": web, "diff_url": format!("{web}.diff"),
            "patch_url": format!("{web}.patch"), "merged_at": if item.merged { json!(TIME) } else { Value::Null },
        },
    });
    join(
        issue(world, links, full_name, record, number, &as_issue),
        more,
    )
}

/// `pull-request`.
pub(super) fn pull(
    world: &GithubWorld,
    links: &Links,
    full_name: &str,
    record: &Repository,
    number: u64,
    item: &Pull,
) -> Value {
    let url = format!("{}/repos/{full_name}/pulls/{number}", links.api);
    let issue_url = format!("{}/repos/{full_name}/issues/{number}", links.api);
    let web = format!("{}/{full_name}/pull/{number}", links.web);
    let head = side(
        world,
        links,
        item.head_repository.as_deref().unwrap_or(full_name),
        &item.head,
    );
    let closed = item.state == "closed";
    let comment_url = format!("{}/repos/{full_name}/pulls/comments{{/number}}", links.api);
    let links_of_it = json!({
        "self": {"href": url}, "html": {"href": web}, "issue": {"href": issue_url}, "comments": {"href": format!("{issue_url}/comments")},
        "review_comments": {"href": format!("{url}/comments")}, "review_comment": {"href": comment_url},
        "commits": {"href": format!("{url}/commits")}, "statuses": {"href": format!("{url}/statuses")},
    });
    let own = json!({
        "url": url, "html_url": web, "diff_url": format!("{web}.diff"), "patch_url": format!("{web}.patch"), "issue_url": issue_url,
        "commits_url": format!("{url}/commits"), "review_comments_url": format!("{url}/comments"),
        "review_comment_url": comment_url,
        "statuses_url": format!("{}/repos/{full_name}/statuses/{}", links.api, head.get("sha").and_then(Value::as_str).unwrap_or_default()),
        "comments_url": format!("{issue_url}/comments"), "node_id": format!("PR_{}_{number}", record.id),
        "base": side(world, links, full_name, &item.base), "head": head, "draft": item.draft, "merged": item.merged,
        "merged_at": if item.merged { json!(TIME) } else { Value::Null }, "merged_by": null, "mergeable": !item.merged && item.mergeable_state != "dirty",
        "rebaseable": true, "mergeable_state": item.mergeable_state, "merge_commit_sha": null, "maintainer_can_modify": false,
        "auto_merge": null, "requested_reviewers": [], "requested_teams": [], "review_comments": 0, "commits": 1, "additions": 1,
        "deletions": 0, "changed_files": 1, "closed_at": if closed { json!(TIME) } else { Value::Null },
        "_links": links_of_it,
    });
    let mut body = join(
        pull_as_issue(world, links, full_name, record, number, item),
        own,
    );
    if let Value::Object(members) = &mut body {
        for name in [
            "pull_request",
            "repository_url",
            "labels_url",
            "events_url",
            "timeline_url",
            "state_reason",
            "closed_by",
            "reactions",
        ] {
            members.remove(name);
        }
    }
    body
}

/// A comment: `issue-comment`, `pull-request-review-comment` or `commit-comment`.
pub(super) fn comment(
    world: &GithubWorld,
    links: &Links,
    full_name: &str,
    id: u64,
    item: &Comment,
) -> Value {
    let repository = format!("{}/repos/{full_name}", links.api);
    let web = format!("{}/{full_name}", links.web);
    let common = json!({
        "id": id, "body": item.body, "user": user(world, links, &item.author), "created_at": TIME, "updated_at": TIME,
        "author_association": "MEMBER",
    });
    let number = item.number;
    let key = format!(
        "{}_{id}",
        world
            .repositories
            .get(full_name)
            .map_or(0, |record| record.id)
    );
    let own = match item.on {
        CommentOn::Commit => json!({
            "url": format!("{repository}/comments/{id}"), "node_id": format!("CC_{key}"), "html_url": format!("{web}/commit/{}#commitcomment-{id}", item.commit.as_deref().unwrap_or_default()),
            "commit_id": item.commit, "position": null, "line": null, "path": null,
        }),
        CommentOn::Diff => json!({
            "url": format!("{repository}/pulls/comments/{id}"), "node_id": format!("PRRC_{key}"), "html_url": format!("{web}/pull/{number}#discussion_r{id}"),
            "pull_request_url": format!("{repository}/pulls/{number}"), "pull_request_review_id": null, "diff_hunk": "@@ -1 +1 @@",
            "path": "README.md", "position": 1, "original_position": 1, "line": 1, "side": "RIGHT",
            "commit_id": item.commit, "original_commit_id": item.commit,
            "_links": {
                "self": {"href": format!("{repository}/pulls/comments/{id}")}, "html": {"href": format!("{web}/pull/{number}#discussion_r{id}")},
                "pull_request": {"href": format!("{repository}/pulls/{number}")},
            },
        }),
        CommentOn::Issue => json!({
            "url": format!("{repository}/issues/comments/{id}"), "node_id": format!("IC_{key}"), "html_url": format!("{web}/issues/{number}#issuecomment-{id}"),
            "issue_url": format!("{repository}/issues/{number}"), "performed_via_github_app": null,
        }),
    };
    join(common, own)
}

/// `pull-request-review`.
pub(super) fn review(
    world: &GithubWorld,
    links: &Links,
    full_name: &str,
    id: u64,
    item: &Review,
) -> Value {
    let web = format!(
        "{}/{full_name}/pull/{}#pullrequestreview-{id}",
        links.web, item.number
    );
    let pull = format!("{}/repos/{full_name}/pulls/{}", links.api, item.number);
    let key = format!(
        "{}_{id}",
        world
            .repositories
            .get(full_name)
            .map_or(0, |record| record.id)
    );
    let mut body = json!({
        "id": id, "node_id": format!("PRR_{key}"), "user": user(world, links, &item.author), "body": item.body, "state": item.state,
        "html_url": web, "pull_request_url": pull, "commit_id": sha1_hex(full_name.as_bytes()), "author_association": "MEMBER",
        "_links": {"html": {"href": web}, "pull_request": {"href": pull}},
    });
    if item.state != "PENDING" {
        set(&mut body, "submitted_at", json!(TIME));
    }
    body
}

/// `label`.
pub(super) fn label(links: &Links, full_name: &str, name: &str) -> Value {
    json!({
        "id": 1, "node_id": format!("LA_{name}"), "url": format!("{}/repos/{full_name}/labels/{name}", links.api), "name": name,
        "description": null, "color": "ededed", "default": false,
    })
}

/// The three lists of people, teams and Apps, whose URLs start with `url`.
pub(super) fn actors(
    world: &GithubWorld,
    links: &Links,
    organization: &str,
    url: &str,
    actors: &Actors,
) -> Value {
    let record = world.organizations.get(organization);
    let teams: Vec<Value> = actors
        .teams
        .iter()
        .filter_map(|slug| Some((slug, record?, record?.teams.get(slug)?)))
        .map(|(slug, record, item)| team(links, organization, record, slug, item))
        .collect();
    let apps: Vec<Value> = actors
        .apps
        .iter()
        .map(|slug| join(app(world, links), json!({"slug": slug})))
        .collect();
    json!({
        "url": url, "users_url": format!("{url}/users"), "teams_url": format!("{url}/teams"), "apps_url": format!("{url}/apps"),
        "users": actors.users.iter().map(|login| user(world, links, login)).collect::<Vec<_>>(), "teams": teams, "apps": apps,
    })
}

/// The members of `more` put over those of `base`.
pub(super) fn join(base: Value, more: Value) -> Value {
    match (base, more) {
        (Value::Object(mut base), Value::Object(more)) => {
            base.extend(more);
            Value::Object(base)
        }
        (_, more) => more,
    }
}

fn team_simple(links: &Links, organization: &str, slug: &str, team: &Team) -> Value {
    let url = format!("{}/teams/{}", links.api, team.id);
    json!({
        "id": team.id, "node_id": format!("T_{}", team.id), "url": url, "slug": slug, "name": team.name.as_deref().unwrap_or(slug),
        "html_url": format!("{}/orgs/{organization}/teams/{slug}", links.web), "description": null, "privacy": team.privacy,
        "notification_setting": "notifications_enabled", "permission": "pull", "members_url": format!("{url}/members{{/member}}"),
        "repositories_url": format!("{url}/repos"), "type": "organization",
    })
}

/// What issues and pull requests have in common beside their own members.
fn conversation(links: &Links, full_name: &str, record: &Repository, number: u64) -> Value {
    let url = format!("{}/repos/{full_name}/issues/{number}", links.api);
    let mut members = Map::new();
    for (name, suffix) in [
        ("comments_url", "/comments"),
        ("events_url", "/events"),
        ("labels_url", "/labels{/name}"),
        ("timeline_url", "/timeline"),
    ] {
        members.insert(name.to_owned(), json!(format!("{url}{suffix}")));
    }
    let comments = record
        .comments
        .values()
        .filter(|comment| comment.on == CommentOn::Issue && comment.number == number)
        .count();
    let more = json!({
        "id": record.id * 100_000 + number, "number": number, "repository_url": format!("{}/repos/{full_name}", links.api),
        "comments": comments, "milestone": null, "created_at": TIME, "updated_at": TIME,
    });
    join(Value::Object(members), more)
}

/// One side of a pull request.
fn side(world: &GithubWorld, links: &Links, full_name: &str, branch: &str) -> Value {
    let owner = full_name.split('/').next().unwrap_or_default();
    let record = world.repositories.get(full_name);
    let sha = record
        .and_then(|record| record.branches.get(branch))
        .map(|branch| branch.sha.clone());
    json!({
        "label": format!("{owner}:{branch}"), "ref": branch, "sha": sha.unwrap_or_else(|| sha1_hex(branch.as_bytes())),
        "user": user(world, links, owner), "repo": record.map(|record| repository(world, links, full_name, record, Role::Pull)),
    })
}

/// When everything was created and changed.
pub(super) const TIME: &str = "2026-01-01T00:00:00Z";

const REPOSITORY_URLS: &[(&str, &str)] = &[
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
];
