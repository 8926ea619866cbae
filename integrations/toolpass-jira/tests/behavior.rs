//! What every integration owes, on the stand-in Jira: by a token at the site, and by an OAuth client through the gateway.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod support;

use serde_json::json;
use toolpass_standin::jira::{JiraStandin, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_testkit::ask::Ask;
use toolpass_testkit::behaviour::{Subject, owes};

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token() {
    let keys = [("username", demo::BOT), ("credential", demo::ENGINE_TOKEN)];
    check(&keys, &["/rest/api/3/user/search"], &|standin| {
        standin
            .command("revoke", &json!({"token": demo::ENGINE_TOKEN}))
            .unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn as_an_oauth_client() {
    let keys = [
        ("auth_mode", "oauth_client"),
        ("client_id", demo::CLIENT_ID),
        ("credential", demo::CLIENT_SECRET),
    ];
    check(&keys, &["/_edge/tenant_info", "/oauth/token"], &|standin| {
        standin.command("revoke", &json!({})).unwrap();
    })
    .await;
}

async fn check(keys: &[(&str, &str)], reads: &[&str], revoke: &dyn Fn(&Running)) {
    let mut standin = JiraStandin::start(demo::world(), &Transport::Plain).unwrap();
    let reads = [
        reads,
        &["/rest/api/3/issue/SHOP-12", "/rest/api/3/permissions/check"],
    ]
    .concat();
    let subject = Subject {
        standin: &mut standin,
        connect: &|standin| support::connect(standin, keys),
        allowed: Ask {
            user: "dana@example.com",
            action: "EDIT_ISSUES",
            resource: "issue:SHOP-12",
        },
        reads: &reads,
        take_away: &|standin| {
            standin
                .patch(
                    &json!({"projects": {"SHOP": {"grants": {"acc-dana": ["BROWSE_PROJECTS"]}}}}),
                )
                .unwrap()
        },
        revoke,
        secrets: &[demo::ENGINE_TOKEN, demo::CLIENT_SECRET],
    };
    owes(subject)
        .await
        .unwrap_or_else(|problems| panic!("{problems}"));
}
