//! Credentials: which open what, over TLS with a client of our own.

use crate::support::{
    Ask, app_token, exchange, get, github, github_tls, minted, post, request, send, sign,
};
use serde_json::json;
use toolpass_standin::github::demo::{AGENT_TOKEN, ENGINE_TOKEN};
use toolpass_standin::github::world::{APP_KEY, STRANGER_KEY, TokenKind};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::message::AuthorizationKind;
use toolpass_standin::server::Transport;

const PERMISSION: &str = "/repos/acme/shop/collaborators/dana/permission";

#[test]
fn an_app_finds_its_installation_mints_a_token_and_reads_a_permission() {
    let running = github_tls();
    let jwt = app_token(APP_KEY);
    assert_eq!(
        get(&running, "/app", &jwt).json()["slug"],
        "toolpass-standin"
    );
    let installation = get(&running, "/orgs/acme/installation", &jwt).json();
    assert_eq!(installation["id"], 4242);
    assert_eq!(installation["permissions"]["members"], "read");
    let token = minted(&running);
    let answer = get(&running, PERMISSION, &token);
    assert_eq!(answer.status, 200);
    let body = answer.json();
    assert_eq!(body["permission"], "read");
    assert_eq!(body["role_name"], "read");
    assert_eq!(body["user"]["login"], "dana");
    assert_eq!(
        body["user"]["permissions"],
        json!({"admin": false, "maintain": false, "push": false, "triage": false, "pull": true})
    );
}

#[test]
fn the_certificate_names_what_it_was_asked_to_and_nothing_else() {
    let running = github_tls();
    let bytes = request(
        "GET",
        "/zen",
        &Ask {
            token: Some(AGENT_TOKEN),
            ..Ask::default()
        },
    );
    for name in ["localhost", "127.0.0.1", "::1", "api.github.com"] {
        assert!(
            exchange(&running, name, &bytes)
                .unwrap()
                .starts_with(b"HTTP/1.1 200"),
            "{name}"
        );
    }
    assert!(exchange(&running, "example.com", &bytes).is_err());
    assert_eq!(
        running.count("GET", "/zen"),
        4,
        "what a client did not trust did not arrive"
    );
}

#[test]
fn a_missing_or_wrong_credential_is_refused_in_githubs_words() {
    let running = github();
    let nobody = send(&running, "GET", PERMISSION, &Ask::default());
    assert_eq!(
        (nobody.status, nobody.json()["message"].as_str()),
        (401, Some("Requires authentication"))
    );
    let wrong = get(&running, PERMISSION, "ghs_unknown");
    assert_eq!(wrong.status, 401);
    assert_eq!(
        wrong.json(),
        json!({"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", "status": "401"})
    );
    let kinds: Vec<_> = running
        .requests()
        .into_iter()
        .map(|entry| (entry.authorization, entry.credential))
        .collect();
    assert_eq!(
        kinds,
        [
            (AuthorizationKind::None, None),
            (AuthorizationKind::Bearer, None)
        ]
    );
}

#[test]
fn an_app_token_of_another_key_time_or_issuer_is_refused() {
    let running = github();
    let now = jiff::Timestamp::now().as_second();
    let check = |token: &str, status: u16| assert_eq!(get(&running, "/app", token).status, status);
    check(&app_token(APP_KEY), 200);
    check(&app_token(STRANGER_KEY), 401);
    check(
        &sign(
            APP_KEY,
            &json!({"iss": "777", "iat": now - 1000, "exp": now - 400}),
        ),
        401,
    );
    check(
        &sign(
            APP_KEY,
            &json!({"iss": "777", "iat": now, "exp": now + 3600}),
        ),
        401,
    );
    check(
        &sign(
            APP_KEY,
            &json!({"iss": "778", "iat": now - 60, "exp": now + 540}),
        ),
        404,
    );
    assert_eq!(
        get(&running, PERMISSION, &app_token(APP_KEY)).status,
        404,
        "an App without an installation sees no repository"
    );
    assert_eq!(get(&running, "/app", AGENT_TOKEN).status, 401);
}

#[test]
fn revoked_and_expired_tokens_stop_working_at_once() {
    let running = github();
    let token = minted(&running);
    assert_eq!(get(&running, PERMISSION, &token).status, 200);
    running.command("revoke", &json!({})).unwrap();
    assert_eq!(get(&running, PERMISSION, &token).status, 401);

    let token = minted(&running);
    running.command("expire", &json!({"token": token})).unwrap();
    assert_eq!(get(&running, PERMISSION, &token).status, 401);

    running.patch(&json!({"token_life_seconds": -1})).unwrap();
    let born_expired = minted(&running);
    assert_eq!(get(&running, PERMISSION, &born_expired).status, 401);

    running
        .command("revoke", &json!({"token": AGENT_TOKEN}))
        .unwrap();
    assert_eq!(get(&running, "/zen", AGENT_TOKEN).status, 401);
    assert!(
        running
            .command("revoke", &json!({"token": "unknown"}))
            .is_err()
    );
    running.reset();
    assert_eq!(get(&running, "/zen", AGENT_TOKEN).status, 200);
}

#[test]
fn an_installation_token_may_no_more_than_the_app_was_granted() {
    let running = github();
    let token = minted(&running);
    let refused = post(
        &running,
        "/repos/acme/shop/issues",
        &token,
        json!({"title": "hello"}),
    );
    assert_eq!(
        (refused.status, refused.json()["message"].as_str()),
        (403, Some("Resource not accessible by integration"))
    );
    running.patch(&json!({"organizations": {"acme": {"installation": {"permissions": {"members": null}}}}})).unwrap();
    let narrow = minted(&running);
    assert_eq!(
        get(&running, "/orgs/acme/memberships/dana", &narrow).status,
        403
    );
    assert_eq!(
        get(&running, PERMISSION, &narrow).status,
        200,
        "permissions take Metadata only"
    );
    let asked = json!({"permissions": {"contents": "write"}});
    assert_eq!(
        post(
            &running,
            "/app/installations/4242/access_tokens",
            &app_token(APP_KEY),
            asked
        )
        .status,
        422
    );
    let narrowed = json!({"repositories": ["webapp"], "permissions": {"metadata": "read"}});
    let answer = post(
        &running,
        "/app/installations/4242/access_tokens",
        &app_token(APP_KEY),
        narrowed,
    );
    let one = answer.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(get(&running, "/repos/acme/webapp", &one).status, 200);
    assert_eq!(get(&running, "/repos/acme/shop", &one).status, 404);
}

#[test]
fn looking_a_permission_up_takes_push_of_a_tokens_own_user() {
    let running = github();
    assert_eq!(get(&running, PERMISSION, ENGINE_TOKEN).status, 200);
    running
        .patch(&json!({"repositories": {"acme/shop": {"collaborators": {"acme-engine": "read"}}}}))
        .unwrap();
    let refused = get(&running, PERMISSION, ENGINE_TOKEN);
    assert_eq!(refused.status, 403);
    assert_eq!(
        refused.json()["message"],
        "Must have push access to view collaborator permission."
    );
}

#[test]
fn what_a_token_may_not_see_is_not_found() {
    let running = github();
    running
        .patch(&json!({"repositories": {"acme/shop": {"collaborators": {"acme-agent": null}}}}))
        .unwrap();
    assert_eq!(get(&running, "/repos/acme/shop", AGENT_TOKEN).status, 404);
    assert_eq!(
        get(&running, "/repos/acme/shop/anything/else", AGENT_TOKEN).status,
        404
    );
    assert_eq!(
        get(&running, "/repos/acme/site", AGENT_TOKEN).status,
        200,
        "public repositories are seen by anyone with a credential"
    );
    running
        .patch(&json!({"tokens": {AGENT_TOKEN: {"scopes": ["read:org"]}}}))
        .unwrap();
    assert_eq!(
        get(&running, "/repos/acme/webapp", AGENT_TOKEN).status,
        404,
        "private repositories take the scope repo"
    );
}

#[test]
fn basic_and_token_schemes_are_taken_too() {
    let running = github();
    let basic = "Basic eDpnaHBfc3RhbmRpbkFnZW50VG9rZW4="; // x:ghp_standinAgentToken
    let token = format!("token {AGENT_TOKEN}");
    for value in [basic, &token] {
        let headers = [("Authorization", value)];
        assert_eq!(
            send(
                &running,
                "GET",
                "/user",
                &Ask {
                    headers: &headers,
                    ..Ask::default()
                }
            )
            .status,
            200
        );
    }
    let kinds: Vec<_> = running
        .requests()
        .into_iter()
        .map(|entry| entry.authorization)
        .collect();
    assert_eq!(kinds, [AuthorizationKind::Basic, AuthorizationKind::Token]);
}

#[test]
fn a_fine_grained_token_is_bounded_by_its_permissions() {
    let mut world = demo::world();
    let token = world.tokens.get_mut(AGENT_TOKEN).unwrap();
    token.kind = TokenKind::FineGrained;
    token.permissions = [
        ("metadata".to_owned(), "read".to_owned()),
        ("contents".to_owned(), "read".to_owned()),
    ]
    .into();
    let running = GithubStandin::start(
        world,
        &Options {
            transport: Transport::Plain,
            style: ApiStyle::DotCom,
        },
    )
    .unwrap();
    assert_eq!(
        get(&running, "/repos/acme/shop/contents/README.md", AGENT_TOKEN).status,
        200
    );
    let refused = post(
        &running,
        "/repos/acme/shop/issues",
        AGENT_TOKEN,
        json!({"title": "hello"}),
    );
    assert_eq!(
        refused.json()["message"],
        "Resource not accessible by personal access token"
    );
}

#[test]
fn a_key_that_is_none_is_named() {
    let mut world = demo::world();
    world.app.key = "no key".to_owned();
    let error = GithubStandin::start(
        world,
        &Options {
            transport: Transport::Plain,
            style: ApiStyle::DotCom,
        },
    )
    .err()
    .unwrap();
    assert!(error.to_string().contains("app.key"), "{error}");
}
