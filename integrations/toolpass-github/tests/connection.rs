//! A connection on the stand-in GitHub: credential, identity modes, what refusals mean, look-ups, probe.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use serde_json::json;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Freshness, Pointer};
use toolpass_core::resource::Resource;
use toolpass_core::user::{Groups, User};
use toolpass_github::GITHUB;
use toolpass_http::budget::Context;
use toolpass_http::clock::SystemClock;
use toolpass_integration::connection::{Connection, Person, Visibility};
use toolpass_integration::fields::{CodeValue, Lookup, LookupAnswer};
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::github::world::{GithubWorld, STRANGER_KEY};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::identity::{IdentityStandin, IdentityWorld};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::tls::Authority;
use toolpass_testkit::behaviour::{self, Ask};
use toolpass_testkit::connect;

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
async fn saml_identities() {
    let entry = |login: Option<&str>, name: &str| json!({"login": login, "name_id": name, "username": name});
    let github = Github::new();
    github.standin.patch(&json!({"organizations": {"acme": {"saml": {"identities": [
        entry(Some("dana"), "Dana@example.com"), entry(Some("dana"), "dana@example.com"), entry(None, "new@example.com"),
        entry(Some("sam"), "two@example.com"), entry(Some("admin"), "two@example.com"),
        json!({"login": "sam", "name_id": "u-17", "scim_username": "sam@example.com"}),
    ]}}}})).unwrap();
    let connection = github.app(&[]);
    assert_eq!(
        github.identify(&connection, "DANA@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Ok("sam".into())
    );
    assert_eq!(
        github.identify(&connection, "new@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "two@example.com").await,
        Err(Code::UserAmbiguous)
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "o'neil@example.com").await,
        Err(Code::InvalidRequest)
    );

    // The whole list was read once, whoever asks.
    github.standin.clear_requests();
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(github.count("POST", "/graphql"), 1);
}

#[tokio::test]
async fn a_filter_that_is_ignored_finds_nobody_else() {
    let github = Github::new();
    github
        .standin
        .patch(&json!({"organizations": {"acme": {"saml": {"ignore_filter": true}}}}))
        .unwrap();
    let connection = github.app(&[]);
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Ok("sam".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
}

#[tokio::test]
async fn a_long_list_of_identities_is_read_page_by_page() {
    let github = Github::new();
    let mut people: Vec<_> = (0..250)
        .map(|n| json!({"login": "sam", "name_id": format!("p{n}@example.com")}))
        .collect();
    people.push(json!({"login": "dana", "name_id": "u-1", "scim_username": "dana@example.com"}));
    github.standin.patch(&json!({"organizations": {"acme": {"saml": {"identities": people, "ignore_filter": true}}}})).unwrap();
    assert_eq!(
        github.identify(&github.app(&[]), "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.count("POST", "/graphql"),
        4,
        "one filtered, three pages"
    );
}

#[tokio::test]
async fn saml_without_a_provider_is_not_set_up() {
    let github = Github::new();
    github
        .standin
        .patch(&json!({"organizations": {"acme": {"saml": null}}}))
        .unwrap();
    assert_eq!(
        github.identify(&github.app(&[]), "dana@example.com").await,
        Err(Code::NotConfigured)
    );
    for (kind, by_app) in [
        ("FORBIDDEN", Code::CredentialRejected),
        ("RATE_LIMITED", Code::UpstreamRateLimited),
        ("SOMETHING", Code::UpstreamError),
    ] {
        github.standin.reset();
        let errors =
            json!({"data": {"organization": null}, "errors": [{"type": kind, "message": "no"}]})
                .to_string();
        github
            .standin
            .fault(FaultRule::on("/graphql", body(&errors)));
        assert_eq!(
            github.identify(&github.app(&[]), "dana@example.com").await,
            Err(by_app),
            "{kind}"
        );
    }
}

#[tokio::test]
async fn logins_made_by_a_template() {
    let github = Github::new();
    let connection = github.app(&[
        ("identity_mode", "template"),
        ("email_domains", "example.com, corp.example"),
    ]);
    assert_eq!(
        github.identify(&connection, "Dana@Example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "root@attacker.example").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "first.last@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "acme@example.com").await,
        Err(Code::UserNotFound),
        "an organization is nobody"
    );
}

#[tokio::test]
async fn logins_from_a_file() {
    let path = std::env::temp_dir().join(format!("toolpass-github-map-{}", std::process::id()));
    std::fs::write(&path, "Dana@example.com dana\nsam@example.com=sam\n").unwrap();
    let github = Github::new();
    let keys = [
        ("identity_mode", "map_file"),
        ("user_map_file", path.to_str().unwrap()),
    ];
    let connection = github.app(&keys);
    assert_eq!(
        github.identify(&connection, "dana@EXAMPLE.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert!(github.standin.requests().is_empty(), "no upstream call");

    std::fs::write(&path, "dana@example.com\n").unwrap();
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Ok("sam".into()),
        "what was read stays"
    );
    assert_eq!(
        github.identify(&github.app(&keys), "sam@example.com").await,
        Err(Code::UpstreamError),
        "a first read that fails"
    );
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn logins_from_a_service() {
    let world = IdentityWorld {
        token: Some("who-token".into()),
        logins: [
            ("dana@example.com".to_owned(), "dana".to_owned()),
            ("odd@example.com".to_owned(), "not a login".to_owned()),
        ]
        .into(),
    };
    let mut service = IdentityStandin::start(world, &Transport::Plain).unwrap();
    let github = Github::new();
    let address = format!("{}/who", service.url);
    let keys = [
        ("identity_url", address.as_str()),
        ("identity_token", "who-token"),
    ];
    let connection = github.app(&keys);
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "odd@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github
            .identify(&github.app(&keys[..1]), "dana@example.com")
            .await,
        Err(Code::Unsupported),
        "no token"
    );
    for fault in [
        body("{\"login\": \"dana\"}"),
        body("dana"),
        status(500, &[], "no"),
        status(403, &[], "no"),
        Fault::Redirect {
            status: 302,
            location: "/x".into(),
        },
    ] {
        service.clear_faults();
        service.fault(FaultRule::on("/who", fault));
        assert_eq!(
            github.identify(&connection, "dana@example.com").await,
            Err(Code::Unsupported)
        );
    }
    service.stop();
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Err(Code::Unsupported),
        "not there"
    );
}

#[tokio::test]
async fn logins_from_the_application() {
    struct People;
    impl Lookup for People {
        fn lookup<'a>(&'a self, text: &'a str) -> BoxFuture<'a, LookupAnswer> {
            let answer = match text {
                "dana@example.com" => LookupAnswer::Text("dana".into()),
                "empty@example.com" => LookupAnswer::Text(String::new()),
                "raises@example.com" => LookupAnswer::Failed,
                _ => LookupAnswer::Nothing,
            };
            async move {
                if text == "slow@example.com" {
                    std::future::pending().await
                } else {
                    answer
                }
            }
            .boxed()
        }
    }
    let github = Github::new();
    let keys = github.keys(&[("token", demo::ENGINE_TOKEN)]);
    let keys: Vec<(&str, &str)> = keys
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let settings = connect::settings_in_code(
        &GITHUB,
        &keys,
        [("identity", CodeValue::Lookup(Arc::new(People)))],
    )
    .unwrap();
    let connection = connect::connection(&GITHUB, settings, None).unwrap();
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "empty@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "raises@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        identify(&connection, "slow@example.com", Duration::from_millis(50)).await,
        Err(Code::UpstreamTimeout)
    );
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
const SECONDS: Duration = Duration::from_secs(20);

/// A stand-in and connections to it.
struct Github {
    standin: Running,
    world: GithubWorld,
}

impl Github {
    fn new() -> Github {
        Github::serve(demo::world(), &Transport::Plain, ApiStyle::Enterprise)
    }

    fn serve(world: GithubWorld, transport: &Transport, style: ApiStyle) -> Github {
        let options = Options {
            transport: transport.clone(),
            style,
        };
        Github {
            standin: GithubStandin::start(world.clone(), &options).unwrap(),
            world,
        }
    }

    fn app(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        self.connect(
            &[
                &[
                    ("app_id", self.world.app.client_id.as_str()),
                    ("credential", self.world.app.key.as_str()),
                ],
                keys,
            ]
            .concat(),
        )
    }

    fn token(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        self.connect(&[&[("token", demo::ENGINE_TOKEN)], keys].concat())
    }

    fn keys(&self, keys: &[(&str, &str)]) -> Vec<(String, String)> {
        let usual = [
            ("organization", demo::ORGANIZATION),
            ("url", self.standin.url.as_str()),
        ];
        usual
            .iter()
            .chain(keys)
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect()
    }

    fn connect(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        let keys = self.keys(keys);
        let keys: Vec<(&str, &str)> = keys
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        connect::connection(
            &GITHUB,
            connect::settings(&GITHUB, &keys).unwrap(),
            self.standin.ca_pem.as_deref(),
        )
        .unwrap()
    }

    fn count(&self, method: &str, path: &str) -> usize {
        self.standin.count(method, path)
    }

    async fn ask(
        &self,
        connection: &Arc<dyn Connection>,
        user: &str,
        action: &str,
        resource: &str,
    ) -> Decision {
        self.ask_with(connection, user, action, resource, Facts::new())
            .await
    }

    async fn ask_with(
        &self,
        connection: &Arc<dyn Connection>,
        user: &str,
        action: &str,
        resource: &str,
        said: Facts,
    ) -> Decision {
        let user = format!("{user}@example.com");
        let answered = behaviour::ask(
            connection.as_ref(),
            Ask {
                user: &user,
                action,
                resource,
            },
            said,
            SECONDS,
        )
        .await;
        answered.unwrap_or_else(|failure| Decision::new(failure.code(), failure.text()))
    }

    async fn identify(
        &self,
        connection: &Arc<dyn Connection>,
        email: &str,
    ) -> Result<String, Code> {
        identify(connection, email, SECONDS).await
    }
}

async fn identify(
    connection: &Arc<dyn Connection>,
    email: &str,
    budget: Duration,
) -> Result<String, Code> {
    let person = Person {
        user: User::parse(email).unwrap(),
        groups: Groups::default(),
        token: None,
    };
    connection
        .identify(&context(budget), &person)
        .await
        .map(|identity| identity.id)
        .map_err(|failure| failure.code())
}

fn context(budget: Duration) -> Context {
    Context::new(Arc::new(SystemClock), budget, Freshness::default())
}

fn facts(pairs: &[(&str, &str)]) -> Facts {
    pairs
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

fn status(status: u16, headers: &[(&str, &str)], message: &str) -> Fault {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    Fault::Status {
        status,
        headers,
        body: Some(json!({"message": message}).to_string()),
    }
}

fn body(text: &str) -> Fault {
    Fault::Status {
        status: 200,
        headers: Default::default(),
        body: Some(text.into()),
    }
}
