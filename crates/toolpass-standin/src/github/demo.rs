//! The world the examples, the demo and most tests start with.
//!
//! Organization `acme`, an App that may only read, SAML identities for everyone. `admin@example.com` owns the organization;
//! `dana@example.com` and `sam@example.com` may read `acme/shop` and `acme/webapp` and change neither, forking is off. The agent's own
//! token ([`AGENT_TOKEN`]) may write everywhere: whatever toolpass lets through, arrives.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::world::{Account, GithubWorld, StaticToken, TokenKind};

use super::world::organization::{
    ExternalIdentity, Installation, Membership, Organization, SamlProvider, Team,
};

use super::world::repository::{Branch, Comment, Issue, Pull, Repository, Ruleset};

/// The default world.
pub fn world() -> GithubWorld {
    let mut world = GithubWorld {
        organizations: map([(ORGANIZATION, organization())]),
        ..GithubWorld::default()
    };
    for (login, name) in [
        ("admin", "Admin"),
        ("dana", "Dana"),
        ("sam", "Sam"),
        ("acme-agent", "Agent"),
        ("acme-engine", "Engine"),
    ] {
        world.users.insert(
            login.to_owned(),
            Account {
                name: Some(name.to_owned()),
                ..Account::default()
            },
        );
    }
    world.tokens = map([
        (AGENT_TOKEN, classic("acme-agent", &["repo", "read:org"])),
        (ENGINE_TOKEN, classic("acme-engine", &["repo", "read:org"])),
    ]);
    world.repositories = map([
        ("acme/shop", shop()),
        (
            "acme/site",
            Repository {
                visibility: "public".to_owned(),
                allow_forking: true,
                ..repository()
            },
        ),
        ("acme/webapp", repository()),
    ]);
    world
}

fn organization() -> Organization {
    let active = |role: &str| Membership {
        state: "active".to_owned(),
        role: role.to_owned(),
    };
    Organization {
        flags: [
            ("members_can_create_repositories", false),
            ("members_can_create_public_repositories", false),
            ("members_can_create_private_repositories", false),
            ("members_can_create_internal_repositories", false),
            ("members_can_create_teams", false),
            ("members_can_delete_repositories", true),
            ("members_can_change_repo_visibility", true),
            ("members_can_delete_issues", false),
            ("members_can_fork_private_repositories", false),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect(),
        installation: Some(Installation {
            id: 4242,
            permissions: strings([
                ("administration", "read"),
                ("members", "read"),
                ("metadata", "read"),
                ("organization_administration", "read"),
            ]),
            ..Installation::default()
        }),
        members: map([
            ("acme-agent", active("member")),
            ("acme-engine", active("member")),
            ("admin", active("admin")),
            ("dana", active("member")),
            ("sam", active("member")),
        ]),
        teams: map([(
            "platform",
            Team {
                members: map([("admin", active("maintainer")), ("dana", active("member"))]),
                ..Team::default()
            },
        )]),
        saml: Some(SamlProvider {
            identities: ["admin", "dana", "sam"].into_iter().map(identity).collect(),
            ignore_filter: false,
        }),
        ..Organization::default()
    }
}

fn identity(login: &str) -> ExternalIdentity {
    let email = format!("{login}@example.com");
    ExternalIdentity {
        login: Some(login.to_owned()),
        name_id: Some(email.clone()),
        username: Some(email),
        scim_username: None,
    }
}

fn shop() -> Repository {
    Repository {
        issues: [(
            1,
            Issue {
                title: "Checkout fails in Safari".to_owned(),
                author: "dana".to_owned(),
                ..Issue::default()
            },
        )]
        .into(),
        pulls: [(
            2,
            Pull {
                title: "Fix a typo".to_owned(),
                author: "sam".to_owned(),
                head: "fix-typo".to_owned(),
                ..Pull::default()
            },
        )]
        .into(),
        comments: [(
            1,
            Comment {
                number: 1,
                author: "sam".to_owned(),
                body: "Seen here too.".to_owned(),
                ..Comment::default()
            },
        )]
        .into(),
        rulesets: [(
            71,
            Ruleset {
                name: "releases".to_owned(),
                include: vec!["refs/heads/release/*".to_owned()],
                rules: vec![
                    json!({"type": "deletion"}),
                    json!({"type": "pull_request", "parameters": {
                "required_approving_review_count": 1, "dismiss_stale_reviews_on_push": false, "require_code_owner_review": false,
                "require_last_push_approval": false, "required_review_thread_resolution": false,
            }}),
                ],
                bypass_actors: vec![
                    json!({"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}),
                ],
                ..Ruleset::default()
            },
        )]
        .into(),
        ..repository()
    }
}

fn repository() -> Repository {
    let files = strings([
        ("README.md", "# Hello\n"),
        ("src/app.py", "print(\"hello\")\n"),
    ]);
    let branch = || Branch {
        files: files.clone(),
        ..Branch::default()
    };
    Repository {
        collaborators: strings([
            ("acme-agent", "write"),
            ("acme-engine", "write"),
            ("dana", "read"),
            ("sam", "read"),
        ]),
        branches: map([("main", branch()), ("fix-typo", branch())]),
        ..Repository::default()
    }
}

fn classic(owner: &str, scopes: &[&str]) -> StaticToken {
    let scopes: BTreeSet<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    StaticToken {
        kind: TokenKind::Classic,
        owner: owner.to_owned(),
        scopes,
        ..StaticToken::default()
    }
}

fn map<T, const N: usize>(entries: [(&str, T); N]) -> BTreeMap<String, T> {
    entries
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn strings<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    entries
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The organization of the default world.
pub const ORGANIZATION: &str = "acme";
/// The tools' token: a classic one of `acme-agent`, who may write everywhere.
pub const AGENT_TOKEN: &str = "ghp_standinAgentToken";
/// A token toolpass may use instead of the App: a classic one of `acme-engine`, who has write and so may look permissions up.
pub const ENGINE_TOKEN: &str = "ghp_standinEngineToken";
