//! What every integration owes, on the stand-in GitHub.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use serde_json::json;
use toolpass_github::GITHUB;
use toolpass_integration::connection::Connection;
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_testkit::ask::Ask;
use toolpass_testkit::behaviour::{Subject, owes};
use toolpass_testkit::connect;

#[tokio::test(flavor = "multi_thread")]
async fn as_an_app() {
    let world = demo::world();
    check(
        &[
            ("app_id", &world.app.client_id),
            ("credential", &world.app.key),
        ],
        &[
            "/orgs/acme/installation",
            "/app/installations",
            "/graphql",
            "/repos/acme/shop",
        ],
        &|standin| {
            standin.command("revoke", &json!({})).unwrap();
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token() {
    check(
        &[
            ("token", demo::ENGINE_TOKEN),
            ("identity_mode", "template"),
            ("email_domains", "example.com"),
        ],
        &["/users", "/repos/acme/shop"],
        &|standin| {
            standin
                .command("revoke", &json!({"token": demo::ENGINE_TOKEN}))
                .unwrap();
        },
    )
    .await;
}

async fn check(keys: &[(&str, &str)], reads: &[&str], revoke: &dyn Fn(&Running)) {
    let mut standin = GithubStandin::start(
        demo::world(),
        &Options {
            transport: Transport::Plain,
            style: ApiStyle::Enterprise,
        },
    )
    .unwrap();
    let connect = |standin: &Running| -> Arc<dyn Connection> {
        let keys = [
            &[
                ("organization", demo::ORGANIZATION),
                ("url", standin.url.as_str()),
            ],
            keys,
        ]
        .concat();
        connect::connection(&GITHUB, connect::settings(&GITHUB, &keys).unwrap(), None).unwrap()
    };
    let subject = Subject {
        standin: &mut standin,
        connect: &connect,
        allowed: Ask {
            user: "dana@example.com",
            action: "repo.read",
            resource: "repo:acme/shop",
        },
        reads,
        take_away: &|standin| {
            standin
                .patch(&json!({"repositories": {"acme/shop": {"collaborators": {"dana": null}}}}))
                .unwrap()
        },
        revoke,
        secrets: &[demo::ENGINE_TOKEN, "PRIVATE KEY"],
    };
    owes(subject)
        .await
        .unwrap_or_else(|problems| panic!("{problems}"));
}
