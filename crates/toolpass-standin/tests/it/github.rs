//! Endpoints: what they answer, what writes change, how both addressing styles reach them.

use crate::support::{Ask, app_token, exchange, get, github, minted, post, send};
use serde_json::{Value, json};
use toolpass_standin::github::demo::AGENT_TOKEN;
use toolpass_standin::github::world::{APP_KEY, GithubWorld};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};

fn enterprise() -> Running {
    GithubStandin::start(
        demo::world(),
        &Options {
            transport: Transport::Plain,
            style: ApiStyle::Enterprise,
        },
    )
    .unwrap()
}

fn graphql(running: &Running, token: &str, query: &str, variables: Value) -> Value {
    post(
        running,
        "/graphql",
        token,
        json!({"query": query, "variables": variables}),
    )
    .json()
}

#[test]
fn an_enterprise_server_answers_under_its_prefixes_only() {
    let running = enterprise();
    assert_eq!(running.base_path, "/api/v3");
    let body = get(&running, "/api/v3/repos/acme/shop", AGENT_TOKEN).json();
    assert_eq!(body["url"], "http://localhost/api/v3/repos/acme/shop");
    assert_eq!(get(&running, "/repos/acme/shop", AGENT_TOKEN).status, 404);
    assert_eq!(
        get(&running, "/api/v3x/repos/acme/shop", AGENT_TOKEN).status,
        404
    );
    let answer = post(
        &running,
        "/api/graphql",
        AGENT_TOKEN,
        json!({"query": "{ viewer { login } }"}),
    );
    assert_eq!(
        answer.json(),
        json!({"data": {"viewer": {"login": "acme-agent"}}})
    );
    assert_eq!(
        post(
            &running,
            "/api/uploads/repos/acme/shop/releases/1/assets",
            AGENT_TOKEN,
            json!({})
        )
        .status,
        201
    );
    assert_eq!(
        running.count("GET", "/repos/acme/shop"),
        2,
        "counts name the path without the prefix"
    );
    assert!(!minted(&running).is_empty());
}

#[test]
fn the_record_leaves_out_what_the_world_leaves_out() {
    let running = github();
    let read = || get(&running, "/repos/acme/webapp", AGENT_TOKEN).json();
    let body = read();
    assert_eq!(body["allow_forking"], false);
    assert_eq!(body["has_issues"], true);
    assert_eq!(body["pull_request_creation_policy"], "all");
    assert_eq!(body["permissions"]["push"], true);
    assert_eq!(body["private"], true);
    let change = json!({"omit": ["allow_forking"], "has_issues": false, "archived": true});
    running
        .patch(&json!({"repositories": {"acme/webapp": change}}))
        .unwrap();
    let body = read();
    assert_eq!(body["has_issues"], false);
    assert_eq!(body["archived"], true);
    assert!(body.get("allow_forking").is_none());
}

#[test]
fn a_write_that_arrives_changes_the_world() {
    let running = github();
    let pull = json!({"title": "A fix", "head": "fix-typo", "base": "main", "body": "text"});
    let answer = post(&running, "/repos/acme/webapp/pulls", AGENT_TOKEN, pull);
    assert_eq!(answer.status, 201, "{}", answer.json());
    let body = answer.json();
    assert_eq!(
        (body["number"].as_u64(), body["user"]["login"].as_str()),
        (Some(1), Some("acme-agent"))
    );
    assert_eq!(body["base"]["ref"], "main");
    assert_eq!(
        post(
            &running,
            "/repos/acme/webapp/issues",
            AGENT_TOKEN,
            json!({"title": "An issue"})
        )
        .json()["number"],
        2
    );
    let comment = post(
        &running,
        "/repos/acme/webapp/issues/2/comments",
        AGENT_TOKEN,
        json!({"body": "hello"}),
    )
    .json();
    let path = format!("/repos/acme/webapp/issues/comments/{}", comment["id"]);
    assert_eq!(
        get(&running, &path, AGENT_TOKEN).json()["user"]["login"],
        "acme-agent"
    );
    let merged = send(
        &running,
        "PUT",
        "/repos/acme/webapp/pulls/1/merge",
        &Ask {
            token: Some(AGENT_TOKEN),
            body: Some(json!({})),
            ..Ask::default()
        },
    );
    assert_eq!(merged.json()["merged"], true);
    assert_eq!(
        get(&running, "/repos/acme/webapp/pulls/1", AGENT_TOKEN).json()["state"],
        "closed"
    );
    let entry = running
        .requests()
        .into_iter()
        .find(|entry| entry.method == "POST" && entry.path.ends_with("/pulls"))
        .unwrap();
    assert_eq!(entry.credential.as_deref(), Some("user:acme-agent"));
    assert!(entry.body.contains("A fix"));
    assert!(!entry.has_query);
}

#[test]
fn files_are_written_read_and_deleted_by_their_sha() {
    let running = github();
    let put = |body: Value| {
        send(
            &running,
            "PUT",
            "/repos/acme/shop/contents/docs/a.txt",
            &Ask {
                token: Some(AGENT_TOKEN),
                body: Some(body),
                ..Ask::default()
            },
        )
    };
    let made = put(json!({"message": "add", "content": "aGVsbG8K", "branch": "fix-typo"}));
    assert_eq!(made.status, 201, "{}", made.json());
    assert_eq!(
        made.json()["content"]["sha"],
        "ce013625030ba8dba906f756967f9e9ca394464a"
    );
    assert_eq!(
        put(json!({"message": "again", "content": "aGVsbG8K", "branch": "fix-typo"})).status,
        409
    );
    let read = get(
        &running,
        "/repos/acme/shop/contents/docs/a.txt?ref=fix-typo",
        AGENT_TOKEN,
    )
    .json();
    assert_eq!(read["content"], "aGVsbG8K\n");
    assert_eq!(
        get(
            &running,
            "/repos/acme/shop/contents/docs/a.txt",
            AGENT_TOKEN
        )
        .status,
        404,
        "another branch"
    );
    let names: Vec<Value> = get(&running, "/repos/acme/shop/contents/", AGENT_TOKEN)
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].clone())
        .collect();
    assert_eq!(names, ["README.md", "src"]);
    let body = json!({"message": "gone", "sha": read["sha"], "branch": "fix-typo"});
    assert_eq!(
        send(
            &running,
            "DELETE",
            "/repos/acme/shop/contents/docs/a.txt",
            &Ask {
                token: Some(AGENT_TOKEN),
                body: Some(body),
                ..Ask::default()
            }
        )
        .status,
        200
    );
}

#[test]
fn a_branch_is_made_and_deleted_by_its_ref() {
    let running = github();
    let sha =
        get(&running, "/repos/acme/shop/git/ref/heads/main", AGENT_TOKEN).json()["object"]["sha"]
            .clone();
    assert_eq!(
        post(
            &running,
            "/repos/acme/shop/git/refs",
            AGENT_TOKEN,
            json!({"ref": "refs/heads/feature/x", "sha": sha})
        )
        .status,
        201
    );
    assert_eq!(
        get(
            &running,
            "/repos/acme/shop/branches/feature%2Fx",
            AGENT_TOKEN
        )
        .json()["name"],
        "feature/x"
    );
    let deleted = send(
        &running,
        "DELETE",
        "/repos/acme/shop/git/refs/heads/feature/x",
        &Ask {
            token: Some(AGENT_TOKEN),
            ..Ask::default()
        },
    );
    assert_eq!(deleted.status, 204);
    assert_eq!(
        get(
            &running,
            "/repos/acme/shop/branches/feature%2Fx",
            AGENT_TOKEN
        )
        .status,
        404
    );
}

#[test]
fn memberships_and_teams_answer_their_states() {
    let running = github();
    running
        .patch(&json!({"organizations": {"acme": {
            "members": {"guest": {"state": "pending"}},
            "teams": {"leads": {"parent": "platform", "members": {"sam": {}}}},
        }}}))
        .unwrap();
    let token = minted(&running);
    let check = |path: &str, state: &str, role: &str| {
        let body = get(&running, path, &token).json();
        assert_eq!(
            (body["state"].as_str(), body["role"].as_str()),
            (Some(state), Some(role)),
            "{path}: {body}"
        );
    };
    check("/orgs/acme/memberships/admin", "active", "admin");
    check("/orgs/ACME/memberships/Dana", "active", "member");
    check("/orgs/acme/memberships/guest", "pending", "member");
    check(
        "/orgs/acme/teams/platform/memberships/dana",
        "active",
        "member",
    );
    check(
        "/orgs/acme/teams/platform/memberships/admin",
        "active",
        "maintainer",
    );
    check(
        "/orgs/acme/teams/platform/memberships/sam",
        "active",
        "member",
    );
    assert_eq!(
        get(&running, "/orgs/acme/memberships/stranger", &token).status,
        404
    );
    assert_eq!(
        get(&running, "/orgs/acme/teams/nobody/memberships/dana", &token).status,
        404
    );
    let team = get(&running, "/orgs/acme/teams/leads", &token).json();
    assert_eq!(team["parent"]["slug"], "platform");
    let by_id = get(&running, &format!("/teams/{}", team["id"]), &token).json();
    assert_eq!(
        (
            by_id["slug"].as_str(),
            by_id["organization"]["login"].as_str()
        ),
        (Some("leads"), Some("acme"))
    );
    assert_eq!(
        get(&running, "/orgs/acme", &token).json()["members_can_create_repositories"],
        false
    );
    assert!(
        get(&running, "/orgs/acme", AGENT_TOKEN)
            .json()
            .get("members_can_create_repositories")
            .is_none(),
        "for owners and Apps"
    );
}

#[test]
fn protection_and_rules_are_served_as_github_writes_them() {
    let running = github();
    running
        .patch(&json!({
            "organizations": {"acme": {"rulesets": {"72": {"include": ["~ALL"], "rules": [{"type": "creation"}]}}}},
            "repositories": {"acme/shop": {"branches": {"main": {"protection": {
                "enforce_admins": false, "lock_branch": true,
                "restrictions": {"users": ["dana"], "teams": ["platform"]},
                "required_pull_request_reviews": {"bypass_pull_request_allowances": {"users": ["sam"]}},
            }}}}},
        }))
        .unwrap();
    let token = minted(&running);
    let rules = get(
        &running,
        "/repos/acme/shop/rules/branches/release%2F1?per_page=100",
        &token,
    )
    .json();
    let types: Vec<&str> = rules
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|rule| rule["type"].as_str())
        .collect();
    assert_eq!(types, ["deletion", "pull_request", "creation"]);
    assert_eq!(rules[2]["ruleset_source_type"], "Organization");
    assert_eq!(
        get(
            &running,
            "/repos/acme/shop/rules/branches/other?per_page=1",
            &token
        )
        .json()
        .as_array()
        .unwrap()
        .len(),
        1
    );
    let protection = get(
        &running,
        "/repos/acme/shop/branches/main/protection",
        &token,
    )
    .json();
    assert_eq!(protection["enforce_admins"]["enabled"], false);
    assert_eq!(protection["lock_branch"]["enabled"], true);
    assert_eq!(protection["restrictions"]["users"][0]["login"], "dana");
    assert_eq!(protection["restrictions"]["teams"][0]["slug"], "platform");
    assert_eq!(
        protection["required_pull_request_reviews"]["bypass_pull_request_allowances"]["users"][0]["login"],
        "sam"
    );
    assert!(protection.get("required_signatures").is_none());
    assert_eq!(
        get(
            &running,
            "/repos/acme/shop/branches/fix-typo/protection",
            &token
        )
        .json()["message"],
        "Branch not protected"
    );
    assert!(
        get(&running, "/repos/acme/shop/rulesets/71", &token)
            .json()
            .get("bypass_actors")
            .is_none(),
        "a read-only App never sees them"
    );
    running.patch(&json!({"organizations": {"acme": {"installation": {"permissions": {"administration": "write"}}}}})).unwrap();
    let strong = minted(&running);
    let actor = get(
        &running,
        "/repos/acme/shop/rulesets/71?includes_parents=true",
        &strong,
    )
    .json()["bypass_actors"][0]
        .clone();
    assert_eq!(
        actor,
        json!({"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"})
    );
}

#[test]
fn lists_are_paged_by_links() {
    let running = github();
    let rules: Vec<Value> = (0..5).map(|_| json!({"type": "update"})).collect();
    running
        .patch(&json!({"repositories": {"acme/shop": {"rulesets": {"73": {"rules": rules}}}}}))
        .unwrap();
    let first = get(
        &running,
        "/repos/acme/shop/rules/branches/main?per_page=2",
        &minted(&running),
    );
    assert_eq!(first.json().as_array().unwrap().len(), 2);
    let link = first.header("link").unwrap();
    assert!(
        link.contains(
            "<http://localhost/repos/acme/shop/rules/branches/main?per_page=2&page=2>; rel=\"next\""
        ),
        "{link}"
    );
    let last = get(
        &running,
        "/repos/acme/shop/rules/branches/main?per_page=2&page=3",
        &minted(&running),
    );
    assert_eq!(last.json().as_array().unwrap().len(), 1);
    assert!(!last.header("link").unwrap().contains("rel=\"next\""));
}

#[test]
fn ids_stand_for_names_and_former_names_redirect() {
    let running = github();
    running
        .patch(&json!({"repositories": {"acme/shop": {"former_names": ["acme/store"]}}}))
        .unwrap();
    let id = get(&running, "/repos/acme/shop", AGENT_TOKEN).json()["id"].clone();
    assert_eq!(
        get(&running, &format!("/repositories/{id}"), AGENT_TOKEN).json()["full_name"],
        "acme/shop"
    );
    assert_eq!(
        get(
            &running,
            &format!("/repositories/{id}/pulls/2"),
            AGENT_TOKEN
        )
        .json()["user"]["login"],
        "sam"
    );
    let moved = get(
        &running,
        "/repos/acme/store/collaborators/dana/permission",
        AGENT_TOKEN,
    );
    assert_eq!(moved.status, 301);
    assert_eq!(
        moved.header("location"),
        Some(format!("http://localhost/repositories/{id}/collaborators/dana/permission").as_str())
    );
    assert!(moved.json().get("permission").is_none());
}

#[test]
fn comments_and_reviews_name_their_authors() {
    let running = github();
    running
        .patch(&json!({"repositories": {"acme/shop": {
            "reviews": {"5": {"number": 2, "author": "dana", "state": "PENDING"}},
            "comments": {"6": {"on": "diff", "number": 2, "author": "sam"}, "7": {"on": "commit", "commit": "abc", "author": "dana"}},
            "issues": {"1": {"locked": true}},
            "environments": {"prod": {"reviewers": {"users": ["dana"], "teams": ["platform"]}}},
            "interaction_limit": "collaborators_only",
        }}}))
        .unwrap();
    let author = |path: &str| get(&running, path, AGENT_TOKEN).json()["user"]["login"].clone();
    assert_eq!(author("/repos/acme/shop/pulls/2/reviews/5"), "dana");
    assert_eq!(author("/repos/acme/shop/pulls/comments/6"), "sam");
    assert_eq!(author("/repos/acme/shop/comments/7"), "dana");
    assert_eq!(
        get(&running, "/repos/acme/shop/issues/comments/6", AGENT_TOKEN).status,
        404,
        "of another kind"
    );
    assert_eq!(
        get(&running, "/repos/acme/shop/issues/1", AGENT_TOKEN).json()["locked"],
        true
    );
    let token = minted(&running);
    assert_eq!(
        get(&running, "/repos/acme/shop/interaction-limits", &token).json()["limit"],
        "collaborators_only"
    );
    assert_eq!(
        get(&running, "/repos/acme/shop/environments/prod", &token).status,
        403,
        "an App needs Actions"
    );
    let reviewers =
        get(&running, "/repos/acme/shop/environments/prod", AGENT_TOKEN).json()["protection_rules"]
            [0]["reviewers"]
            .clone();
    assert_eq!(reviewers[0]["reviewer"]["login"], "dana");
    assert_eq!(reviewers[1]["reviewer"]["slug"], "platform");
}

#[test]
fn a_request_without_an_endpoint_succeeds_and_says_so() {
    let running = github();
    let answer = post(
        &running,
        "/repos/acme/shop/hooks",
        AGENT_TOKEN,
        json!({"config": {}}),
    );
    assert_eq!(
        (answer.status, answer.header("x-standin-fallback")),
        (201, Some("true"))
    );
    assert_eq!(
        get(&running, "/repos/acme/shop/releases", AGENT_TOKEN).json(),
        json!([])
    );
    assert!(running.requests().iter().all(|entry| entry.fallback));
    assert_eq!(
        post(&running, "/repos/acme/shop/hooks", "wrong", json!({})).status,
        401
    );
}

#[test]
fn headers_github_insists_on_are_insisted_on() {
    let running = github();
    let headers = [("X-GitHub-Api-Version", "1999-01-01")];
    assert_eq!(
        send(
            &running,
            "GET",
            "/zen",
            &Ask {
                token: Some(AGENT_TOKEN),
                headers: &headers,
                ..Ask::default()
            }
        )
        .status,
        400
    );
    let bytes = format!(
        "GET /zen HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {AGENT_TOKEN}\r\n\r\n"
    );
    assert!(
        exchange(&running, "localhost", bytes.as_bytes())
            .unwrap()
            .starts_with(b"HTTP/1.1 403")
    );
    let answer = get(&running, "/orgs/acme", AGENT_TOKEN);
    assert_eq!(answer.header("x-oauth-scopes"), Some("read:org, repo"));
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("4999"));
}

const IDENTITIES: &str = "query($org: String!, $mail: String, $after: String, $first: Int = 5) {
  organization(login: $org) {
    samlIdentityProvider {
      externalIdentities(first: $first, userName: $mail, after: $after) {
        nodes { user { login } samlIdentity { nameId username } scimIdentity { username } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}";

#[test]
fn saml_identities_are_filtered_and_paged_by_variables() {
    let running = github();
    let token = minted(&running);
    let found = graphql(
        &running,
        &token,
        IDENTITIES,
        json!({"org": "acme", "mail": "Dana@example.com"}),
    );
    let list = &found["data"]["organization"]["samlIdentityProvider"]["externalIdentities"];
    assert_eq!(
        list["nodes"],
        json!([{"user": {"login": "dana"}, "samlIdentity": {"nameId": "dana@example.com", "username": "dana@example.com"}, "scimIdentity": null}])
    );
    let mut logins = Vec::new();
    let mut after = Value::Null;
    loop {
        let page = graphql(
            &running,
            &token,
            IDENTITIES,
            json!({"org": "acme", "first": 2, "after": after}),
        );
        let list = &page["data"]["organization"]["samlIdentityProvider"]["externalIdentities"];
        logins.extend(
            list["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|node| node["user"]["login"].clone()),
        );
        after = list["pageInfo"]["endCursor"].clone();
        if list["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    assert_eq!(logins, ["admin", "dana", "sam"]);
}

#[test]
fn graphql_refuses_as_github_does() {
    let running = github();
    let token = minted(&running);
    let nobody = graphql(&running, &token, IDENTITIES, json!({"org": "nobody"}));
    assert_eq!(nobody["data"], json!({"organization": null}));
    assert_eq!(nobody["errors"][0]["type"], "NOT_FOUND");
    let typo = graphql(
        &running,
        &token,
        "{ organization(login: \"acme\") { samlProvider { id } } }",
        json!({}),
    );
    assert!(typo.get("data").is_none());
    assert_eq!(typo["errors"][0]["extensions"]["code"], "undefinedField");
    running.patch(&json!({"organizations": {"acme": {"installation": {"permissions": {"members": null}}}}})).unwrap();
    let weak = graphql(
        &running,
        &minted(&running),
        IDENTITIES,
        json!({"org": "acme"}),
    );
    assert_eq!(weak["errors"][0]["type"], "FORBIDDEN");
    running
        .patch(&json!({"tokens": {AGENT_TOKEN: {"scopes": ["repo"]}}}))
        .unwrap();
    let scoped = graphql(&running, AGENT_TOKEN, IDENTITIES, json!({"org": "acme"}));
    assert_eq!(scoped["errors"][0]["type"], "INSUFFICIENT_SCOPES");
    running
        .patch(&json!({"organizations": {"acme": {"saml": null}}}))
        .unwrap();
    let none = graphql(&running, &token, IDENTITIES, json!({"org": "acme"}));
    assert_eq!(
        none["data"]["organization"]["samlIdentityProvider"],
        Value::Null
    );
    assert_eq!(
        post(
            &running,
            "/graphql",
            &app_token(APP_KEY),
            json!({"query": "{ viewer { login } }"})
        )
        .status,
        401
    );
}

#[test]
fn a_node_id_of_an_answer_leads_back_to_its_object() {
    let running = github();
    let query = "query($id: ID!) { node(id: $id) { __typename
        ... on Repository { nameWithOwner }
        ... on Issue { number author { login } repository { nameWithOwner owner { login } } }
        ... on PullRequest { number baseRefName author { login } repository { nameWithOwner } }
        ... on IssueComment { author { login } issue { number } repository { nameWithOwner } } } }";
    let node = |path: &str| {
        let id = get(&running, path, AGENT_TOKEN).json()["node_id"].clone();
        graphql(&running, AGENT_TOKEN, query, json!({"id": id}))["data"]["node"].clone()
    };
    assert_eq!(
        node("/repos/acme/shop"),
        json!({"__typename": "Repository", "nameWithOwner": "acme/shop"})
    );
    let repository = json!({"nameWithOwner": "acme/shop", "owner": {"login": "acme"}});
    assert_eq!(
        node("/repos/acme/shop/issues/1"),
        json!({"__typename": "Issue", "number": 1, "author": {"login": "dana"}, "repository": repository})
    );
    assert_eq!(node("/repos/acme/shop/pulls/2")["baseRefName"], "main");
    assert_eq!(
        node("/repos/acme/shop/issues/comments/1")["issue"]["number"],
        1
    );
    let nothing = graphql(&running, AGENT_TOKEN, query, json!({"id": "R_999"}));
    assert_eq!(
        (&nothing["data"]["node"], &nothing["errors"][0]["type"]),
        (&Value::Null, &json!("NOT_FOUND"))
    );
}

#[test]
fn mutations_arrive() {
    let running = github();
    let id = get(&running, "/repos/acme/shop", AGENT_TOKEN).json()["node_id"].clone();
    let create = "mutation($input: CreateIssueInput!) { createIssue(input: $input) { clientMutationId issue { number title } } }";
    let made = graphql(
        &running,
        AGENT_TOKEN,
        create,
        json!({"input": {"repositoryId": id, "title": "New", "clientMutationId": "x"}}),
    );
    assert_eq!(
        made["data"]["createIssue"],
        json!({"clientMutationId": "x", "issue": {"number": 3, "title": "New"}})
    );
    assert_eq!(
        get(&running, "/repos/acme/shop/issues/3", AGENT_TOKEN).json()["title"],
        "New"
    );
    let other = "mutation { lock: lockLockable(input: {lockableId: \"I_1\", clientMutationId: \"y\"}) { clientMutationId lockedRecord { locked } } }";
    let echoed = graphql(&running, AGENT_TOKEN, other, json!({}));
    assert_eq!(
        echoed["data"]["lock"],
        json!({"clientMutationId": "y", "lockedRecord": {"locked": null}})
    );
}

#[test]
fn a_custom_role_shows_its_name_and_its_base() {
    let running = github();
    running
        .patch(&json!({
            "organizations": {"acme": {
                "custom_roles": {"security": {"base_role": "read", "permissions": ["delete_alerts_code_scanning"]}},
                "installation": {"permissions": {"organization_custom_roles": "read"}},
            }},
            "repositories": {"acme/shop": {"collaborators": {"dana": "security", "sam": "maintain"}}},
        }))
        .unwrap();
    let token = minted(&running);
    let dana = get(
        &running,
        "/repos/acme/shop/collaborators/dana/permission",
        &token,
    )
    .json();
    assert_eq!(
        (dana["permission"].as_str(), dana["role_name"].as_str()),
        (Some("read"), Some("security"))
    );
    let sam = get(
        &running,
        "/repos/acme/shop/collaborators/sam/permission",
        &token,
    )
    .json();
    assert_eq!(
        (sam["permission"].as_str(), sam["role_name"].as_str()),
        (Some("write"), Some("maintain"))
    );
    assert_eq!(sam["user"]["permissions"]["maintain"], true);
    let stranger = get(
        &running,
        "/repos/acme/shop/collaborators/stranger/permission",
        &token,
    );
    assert_eq!(
        (stranger.status, stranger.json()["message"].as_str()),
        (404, Some("stranger is not a user"))
    );
    let roles = get(&running, "/orgs/acme/custom-repository-roles", &token).json();
    assert_eq!(roles["custom_roles"][0]["base_role"], "read");
    assert_eq!(
        get(&running, "/orgs/acme/custom-repository-roles", AGENT_TOKEN).status,
        404
    );
}

#[test]
fn a_write_by_id_is_the_write_by_name() {
    let running = github();
    let id = get(&running, "/repos/acme/shop", AGENT_TOKEN).json()["id"].clone();
    let path = format!("/repositories/{id}/issues");
    let made = post(&running, &path, AGENT_TOKEN, json!({"title": "By id"}));
    assert_eq!(
        (made.status, made.json()["number"].as_u64()),
        (201, Some(3))
    );
    let unknown = post(
        &running,
        "/repositories/1/issues",
        AGENT_TOKEN,
        json!({"title": "x"}),
    );
    assert_eq!(unknown.status, 404);
}

#[test]
fn a_waiting_run_names_its_actor_and_the_reviewers() {
    let running = github();
    let change = json!({
        "environments": {"prod": {"reviewers": {"users": ["sam"]}, "prevent_self_review": true}},
        "runs": {"9": {"actor": "dana", "head_branch": "main", "waiting_for": ["prod"]}},
    });
    running
        .patch(&json!({"repositories": {"acme/shop": change}}))
        .unwrap();
    let run = get(&running, "/repos/acme/shop/actions/runs/9", AGENT_TOKEN).json();
    assert_eq!(run["actor"]["login"], "dana");
    let path = "/repos/acme/shop/actions/runs/9/pending_deployments";
    let waiting = get(&running, path, AGENT_TOKEN).json();
    assert_eq!(waiting[0]["environment"]["name"], "prod");
    assert_eq!(waiting[0]["reviewers"][0]["reviewer"]["login"], "sam");
}

#[test]
fn a_state_that_was_read_can_be_started_from() {
    let running = github();
    post(
        &running,
        "/repos/acme/shop/issues",
        AGENT_TOKEN,
        json!({"title": "Kept"}),
    );
    let world: GithubWorld = serde_json::from_value(running.state()).unwrap();
    let options = Options {
        transport: Transport::Plain,
        style: ApiStyle::DotCom,
    };
    let again = GithubStandin::start(world, &options).unwrap();
    let issue = get(&again, "/repos/acme/shop/issues/3", AGENT_TOKEN).json();
    assert_eq!(issue["title"], "Kept");
}
