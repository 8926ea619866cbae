//! What every integration owes, on the stand-in Slack.

use std::sync::Arc;

use serde_json::json;
use toolpass_integration::connection::Connection;
use toolpass_slack::SLACK;
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::slack::{SlackStandin, demo};
use toolpass_testkit::ask::Ask;
use toolpass_testkit::behaviour::{Subject, owes};
use toolpass_testkit::connect;

#[tokio::test(flavor = "multi_thread")]
async fn with_a_bot_token() {
    let mut standin = SlackStandin::start(demo::world(), &Transport::Plain).unwrap();
    let connect = |standin: &Running| -> Arc<dyn Connection> {
        let url = format!("{}{}", standin.url, standin.base_path);
        let keys = [("credential", demo::ENGINE_TOKEN), ("url", url.as_str())];
        connect::connection(&SLACK, connect::settings(&SLACK, &keys).unwrap(), None).unwrap()
    };
    let releases = format!("channel:{}", demo::RELEASES);
    let subject = Subject {
        standin: &mut standin,
        connect: &connect,
        allowed: Ask {
            user: "dana@example.com",
            action: "channel.read",
            resource: &releases,
        },
        reads: &[
            "/auth.test",
            "/conversations.info",
            "/conversations.members",
            "/users.info",
            "/users.lookupByEmail",
        ],
        take_away: &|standin| {
            standin
                .patch(&json!({"channels": {demo::RELEASES: {"members": [demo::ADMIN, demo::ENGINE]}}}))
                .unwrap()
        },
        revoke: &|standin| {
            standin
                .command("revoke", &json!({"token": demo::ENGINE_TOKEN}))
                .unwrap();
        },
        secrets: &[demo::ENGINE_TOKEN, "dana@example.com"],
    };
    owes(subject)
        .await
        .unwrap_or_else(|problems| panic!("{problems}"));
}
