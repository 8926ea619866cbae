//! A connection on the stand-in GitHub: credential, what refusals mean, look-ups, probe.

mod support;

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use support::{Github, SECONDS, body, status};
use toolpass_core::codes::Code;
use toolpass_core::question::{Facts, Pointer};
use toolpass_core::resource::Resource;
use toolpass_integration::connection::Visibility;
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::github::world::STRANGER_KEY;
use toolpass_standin::github::{ApiStyle, demo};
use toolpass_standin::server::Transport;
use toolpass_standin::tls::Authority;
use toolpass_testkit::ask::{self, Ask, context, facts};

#[tokio::test]
async fn one_token_serves_many_checks_and_a_refused_one_is_replaced_once() {
    let github = Github::new();
    let connection = github.app(&[]);
    let checks = (0..10).map(|_| github.ask(&connection, "dana", "repo.read", "repo:acme/shop"));
    assert!(
        join_all(checks)
            .await
            .iter()
            .all(|decision| decision.code() == Code::Allowed)
    );
    assert_eq!(
        (
            github.count("GET", "/orgs/acme/installation"),
            github.count("POST", MINT)
        ),
        (1, 1)
    );

    github.standin.command("revoke", &json!({})).unwrap();
    github.standin.clear_requests();
    assert_eq!(
        github
            .ask(&connection, "dana", "repo.read", "repo:acme/shop")
            .await
            .code(),
        Code::Allowed
    );
    assert_eq!(
        (
            github.count("GET", "/orgs/acme/installation"),
            github.count("POST", MINT)
        ),
        (0, 1)
    );

    github.standin.fault(FaultRule::on(
        PERMISSION,
        status(401, &[], "Bad credentials"),
    ));
    github.standin.clear_requests();
    assert_eq!(
        github
            .ask(&connection, "dana", "repo.read", "repo:acme/shop")
            .await
            .code(),
        Code::CredentialRejected
    );
    assert_eq!(
        (github.count("GET", PERMISSION), github.count("POST", MINT)),
        (2, 1),
        "one retry with a new token"
    );
}

#[tokio::test]
async fn a_configured_token_is_never_tried_twice() {
    let github = Github::new();
    // A member's token sees no SAML identities.
    let connection = github.token(&[
        ("identity_mode", "template"),
        ("email_domains", "example.com"),
    ]);
    github.standin.fault(FaultRule::on(
        PERMISSION,
        status(401, &[], "Bad credentials"),
    ));
    assert_eq!(
        github
            .ask(&connection, "dana", "repo.read", "repo:acme/shop")
            .await
            .code(),
        Code::CredentialRejected
    );
    assert_eq!(github.count("GET", PERMISSION), 1);
}

#[tokio::test]
async fn credentials_that_cannot_work() {
    let github = Github::new();
    let world = demo::world();
    let rows: [(&str, &[(&str, &str)]); 4] = [
        (
            "another key",
            &[
                ("app_id", &world.app.client_id),
                ("credential", STRANGER_KEY),
            ],
        ),
        (
            "no key",
            &[
                ("app_id", &world.app.client_id),
                ("credential", "not a key"),
            ],
        ),
        (
            "another App",
            &[("app_id", "1"), ("credential", &world.app.key)],
        ),
        (
            "another installation",
            &[
                ("app_id", &world.app.client_id),
                ("credential", &world.app.key),
                ("installation_id", "1"),
            ],
        ),
    ];
    for (what, keys) in rows {
        let decision = github
            .ask(&github.connect(keys), "dana", "repo.read", "repo:acme/shop")
            .await;
        assert_eq!(
            decision.code(),
            Code::CredentialRejected,
            "{what}: {}",
            decision.reason()
        );
        assert!(
            !decision.text().contains("not a key") && !decision.text().contains("MII"),
            "{what}: {}",
            decision.text()
        );
    }
    github
        .standin
        .patch(&json!({"organizations": {"acme": {"installation": null}}}))
        .unwrap();
    let decision = github
        .ask(&github.app(&[]), "dana", "repo.read", "repo:acme/shop")
        .await;
    assert_eq!(decision.code(), Code::CredentialRejected);
    assert!(
        decision.text().contains("not installed"),
        "{}",
        decision.text()
    );
}

#[tokio::test]
async fn refusals_mean_what_they_say() {
    let limited =
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    let rows = [
        (
            "a bare 403",
            "/repos/acme/shop/collaborators",
            status(403, &[], "Resource not accessible by integration"),
            Code::CredentialRejected,
        ),
        (
            "a secondary limit without a header",
            "/repos/acme/shop/collaborators",
            status(403, &[], limited),
            Code::UpstreamRateLimited,
        ),
        (
            "a primary limit",
            "/repos/acme/shop/collaborators",
            status(403, &[("X-RateLimit-Remaining", "0")], "no"),
            Code::UpstreamRateLimited,
        ),
        (
            "a limit with a time",
            "/repos/acme/shop/collaborators",
            status(403, &[("Retry-After", "60")], "no"),
            Code::UpstreamRateLimited,
        ),
        (
            "429",
            "/repos/acme/shop/collaborators",
            status(429, &[("Retry-After", "60")], "no"),
            Code::UpstreamRateLimited,
        ),
        (
            "a move",
            "/repos/acme/shop/collaborators",
            Fault::Redirect {
                status: 301,
                location: "/repositories/1".into(),
            },
            Code::Unsupported,
        ),
        (
            "a list for a record",
            "/repos/acme/shop/collaborators",
            body("[]"),
            Code::UpstreamError,
        ),
        (
            "422",
            "/repos/acme/shop/collaborators",
            status(422, &[], "no"),
            Code::UpstreamError,
        ),
        (
            "a 403 for the rules",
            "/repos/acme/shop/rules",
            status(403, &[], "no"),
            Code::Unsupported,
        ),
        (
            "a record for the rules",
            "/repos/acme/shop/rules",
            body("{}"),
            Code::UpstreamError,
        ),
        (
            "a 403 for the protection",
            "/repos/acme/shop/branches/main/protection",
            status(403, &[], "no"),
            Code::Unsupported,
        ),
    ];
    let github = Github::new();
    for (what, prefix, fault, code) in rows {
        github.standin.reset();
        github.standin.fault(FaultRule::on(prefix, fault));
        let decision = github
            .ask(
                &github.app(&[]),
                "admin",
                "repo.push",
                "repo:acme/shop@main",
            )
            .await;
        assert_eq!(decision.code(), code, "{what}: {}", decision.reason());
    }
}

#[tokio::test]
async fn rules_of_a_branch_are_read_to_the_last_page() {
    let github = Github::new();
    let mut rules = vec![json!({"type": "deletion"}); 250];
    rules.push(json!({"type": "update"}));
    let ruleset = json!({"name": "many", "enforcement": "active", "include": ["refs/heads/main"], "rules": rules, "bypass_actors": []});
    github.standin.patch(&json!({"repositories": {"acme/shop": {"collaborators": {"sam": "write"}, "rulesets": {"72": ruleset}}}})).unwrap();
    let decision = github
        .ask(&github.app(&[]), "sam", "repo.push", "repo:acme/shop@main")
        .await;
    assert_eq!(decision.code(), Code::Unsupported, "{}", decision.reason());
    assert_eq!(
        github.count("GET", "/repos/acme/shop/rules/branches/main"),
        3
    );
}

#[tokio::test]
async fn the_main_questions_on_the_demo_world() {
    let github = Github::new();
    let rows = [
        ("admin", "repo.admin", "repo:acme/shop", Code::Allowed),
        ("dana", "repo.read", "repo:acme/shop", Code::Allowed),
        ("dana", "pr.create", "repo:acme/shop", Code::Denied),
        ("dana", "pr.create", "repo:acme/site", Code::Allowed),
        ("dana", "issue.create", "repo:acme/shop", Code::Allowed),
        ("dana", "repo.push", "repo:acme/shop@main", Code::Denied),
        ("admin", "repo.push", "repo:acme/shop@main", Code::Allowed),
        ("dana", "org.member", "org:acme", Code::Allowed),
        ("dana", "org.admin", "org:acme", Code::Denied),
        ("dana", "org.repo.create", "org:acme", Code::Denied),
        ("dana", "team.member", "team:acme/platform", Code::Allowed),
        ("sam", "team.member", "team:acme/platform", Code::Denied),
        (
            "dana",
            "team.maintainer",
            "team:acme/platform",
            Code::Denied,
        ),
        (
            "admin",
            "team.maintainer",
            "team:acme/platform",
            Code::Allowed,
        ),
        (
            "dana",
            "repo.read",
            "repo:acme/nowhere",
            Code::ResourceNotVisible,
        ),
        ("nobody", "repo.read", "repo:acme/shop", Code::UserNotFound),
    ];
    let connection = github.app(&[]);
    for (user, action, resource, code) in rows {
        let decision = github.ask(&connection, user, action, resource).await;
        assert_eq!(
            decision.code(),
            code,
            "{user} {action} {resource}: {}",
            decision.reason()
        );
    }
}

#[tokio::test]
async fn over_tls_and_as_github_com_serves_it() {
    let authority = Authority::new().unwrap();
    let transport = Transport::Tls {
        authority,
        extra_names: Vec::new(),
    };
    let github = Github::serve(demo::world(), &transport, ApiStyle::Enterprise);
    assert_eq!(
        github
            .ask(&github.app(&[]), "dana", "repo.read", "repo:acme/shop")
            .await
            .code(),
        Code::Allowed
    );
}

#[tokio::test]
async fn three_calls_of_one_check_are_under_way_at_most() {
    let github = Github::new();
    let teams: Vec<String> = (0..6).map(|n| format!("team{n}")).collect();
    let restrictions = json!({"users": [], "teams": teams.iter().map(|slug| json!({"slug": slug})).collect::<Vec<_>>()});
    let protection =
        json!({"enforce_admins": {"enabled": true}, "restrictions": restrictions}).to_string();
    github
        .standin
        .patch(&json!({"repositories": {"acme/shop": {"collaborators": {"sam": "write"}}}}))
        .unwrap();
    github.standin.fault(FaultRule::on(
        "/repos/acme/shop/branches/main/protection",
        body(&protection),
    ));
    github
        .standin
        .fault(FaultRule::on("/orgs/acme/teams", Fault::Hang));
    let ask = Ask {
        user: "sam@example.com",
        action: "repo.push",
        resource: "repo:acme/shop@main",
    };
    let connection = github.app(&[]);
    let failure = ask::ask(
        connection.as_ref(),
        ask,
        Facts::new(),
        Duration::from_millis(700),
    )
    .await
    .unwrap_err();
    assert_eq!(failure.code(), Code::UpstreamTimeout);
    let waiting = github
        .standin
        .requests()
        .iter()
        .filter(|entry| entry.local_path.starts_with("/orgs/acme/teams"))
        .count();
    assert_eq!(waiting, 3);
}

#[tokio::test]
async fn ids_lead_to_names_and_are_remembered() {
    let github = Github::new();
    let connection = github.app(&[]);
    let state = github.standin.state();
    let shop = state["repositories"]["acme/shop"]["id"].to_string();
    let platform = state["organizations"]["acme"]["teams"]["platform"]["id"].to_string();
    let acme = state["organizations"]["acme"]["id"].to_string();
    type Row<'a> = (&'a str, String, &'a [(&'a str, &'a str)], Option<&'a str>);
    let rows: [Row<'_>; 8] = [
        (
            "repository_id",
            shop.clone(),
            &[("at", "main")],
            Some("repo:acme/shop@main"),
        ),
        ("repository_id", "999999".into(), &[], None),
        ("repository_id", "../x".into(), &[], None),
        (
            "team_id",
            platform.clone(),
            &[("organization_id", &acme)],
            Some("team:acme/platform"),
        ),
        ("team_id", platform, &[("organization_id", "1")], None),
        (
            "node_id",
            format!("R_{shop}"),
            &[("want", "repo")],
            Some("repo:acme/shop"),
        ),
        (
            "node_id",
            format!("I_{shop}_1"),
            &[("want", "repo")],
            Some("repo:acme/shop"),
        ),
        (
            "node_id",
            format!("O_{acme}"),
            &[("want", "org")],
            Some("org:acme"),
        ),
    ];
    for (kind, value, parts, expected) in rows {
        let pointer = Pointer {
            kind: kind.into(),
            value,
            parts: facts(parts),
        };
        let found = connection
            .resolve(&context(SECONDS), &pointer)
            .await
            .unwrap()
            .map(|resource| resource.to_string());
        assert_eq!(found.as_deref(), expected, "{pointer:?}");
    }
    github.standin.clear_requests();
    let pointer = Pointer {
        kind: "repository_id".into(),
        value: shop,
        parts: facts(&[("at", "main")]),
    };
    connection
        .resolve(&context(SECONDS), &pointer)
        .await
        .unwrap();
    assert!(github.standin.requests().is_empty());
    let unknown = Pointer {
        kind: "gist_id".into(),
        value: "1".into(),
        parts: Facts::new(),
    };
    assert_eq!(
        connection
            .resolve(&context(SECONDS), &unknown)
            .await
            .unwrap_err()
            .code(),
        Code::Unsupported
    );
}

#[tokio::test]
async fn nodes_know_their_author() {
    let github = Github::new();
    let connection = github.app(&[]);
    let shop = github.standin.state()["repositories"]["acme/shop"]["id"].to_string();
    let node = format!("node/I_{shop}_1");
    for (user, code) in [("dana", Code::Allowed), ("sam", Code::Denied)] {
        let said = facts(&[("author_of", &node)]);
        let decision = github
            .ask_with(&connection, user, "repo.triage", "repo:acme/shop", said)
            .await;
        assert_eq!(decision.code(), code, "{user}: {}", decision.reason());
    }
}

#[tokio::test]
async fn who_can_read_a_repository() {
    let github = Github::new();
    let connection = github.app(&[]);
    let rows = [
        ("repo:acme/shop", Some(Visibility::Private)),
        ("repo:acme/site@main", Some(Visibility::Public)),
        ("org:acme", None),
    ];
    for (resource, expected) in rows {
        let found = connection
            .visibility(&context(SECONDS), &Resource::parse(resource).unwrap())
            .await
            .unwrap();
        assert_eq!(found, expected, "{resource}");
    }
    let hidden = Resource::parse("repo:acme/nowhere").unwrap();
    assert_eq!(
        connection
            .visibility(&context(SECONDS), &hidden)
            .await
            .unwrap_err()
            .code(),
        Code::ResourceNotVisible
    );
}

#[tokio::test]
async fn probes() {
    let github = Github::new();
    let probe = github.app(&[]).probe(&context(SECONDS)).await.unwrap();
    assert_eq!(
        (probe.summary.as_str(), probe.warnings.as_slice()),
        ("app toolpass-standin installed in acme", [].as_slice())
    );

    let permissions = json!({"organizations": {"acme": {"saml": null, "installation": {"permissions": {"metadata": null, "contents": "write"}}}}});
    github.standin.patch(&permissions).unwrap();
    let warnings = github
        .app(&[("installation_id", "7")])
        .probe(&context(SECONDS))
        .await
        .unwrap()
        .warnings
        .join("\n");
    for expected in [
        "`installation_id`",
        "`metadata: read`",
        "`contents: write`",
        "identities cannot be looked up",
    ] {
        assert!(warnings.contains(expected), "{expected} in {warnings}");
    }

    github.standin.reset();
    let probe = github.token(&[]).probe(&context(SECONDS)).await.unwrap();
    assert_eq!(probe.summary, "token reads acme; scopes read:org repo");
    assert!(
        probe
            .warnings
            .iter()
            .any(|warning| warning.contains("`repo`"))
    );
    assert!(
        probe
            .warnings
            .iter()
            .any(|warning| warning.contains("mode `saml`"))
    );
    let other = github.connect(&[("organization", "elsewhere"), ("token", demo::ENGINE_TOKEN)]);
    assert_eq!(
        other.probe(&context(SECONDS)).await.unwrap_err().code(),
        Code::CredentialRejected
    );
}

const PERMISSION: &str = "/repos/acme/shop/collaborators/dana/permission";
const MINT: &str = "/app/installations/4242/access_tokens";
