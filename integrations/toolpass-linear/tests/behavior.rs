//! What every integration owes, on the stand-in Linear: with a personal key and with an OAuth token.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod support;

use serde_json::json;
use toolpass_standin::linear::world::Token;
use toolpass_standin::linear::{LinearStandin, demo};
use toolpass_standin::server::Transport;
use toolpass_testkit::ask::Ask;
use toolpass_testkit::behaviour::{Subject, owes};

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key() {
    check(&[("credential", demo::ENGINE_KEY)], demo::ENGINE_KEY).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_an_oauth_token() {
    check(&[("credential", OAUTH), ("auth_mode", "oauth")], OAUTH).await;
}

async fn check(keys: &[(&str, &str)], token: &str) {
    let mut world = demo::world();
    let reader = Token {
        user: demo::ENGINE.to_owned(),
        ..Token::default()
    };
    world.tokens.insert(OAUTH.to_owned(), reader);
    let mut standin = LinearStandin::start(world, &Transport::Plain).unwrap();
    let subject = Subject {
        standin: &mut standin,
        connect: &|standin| support::connect_with(standin, keys),
        allowed: Ask {
            user: "dana@example.com",
            action: "issue.edit",
            resource: "issue:ENG-1",
        },
        reads: &["/graphql"],
        take_away: &|standin| {
            standin
                .patch(&json!({"teams": {demo::ENG: {"members": {demo::DANA: null}}}}))
                .unwrap()
        },
        revoke: &|standin| {
            standin.command("revoke", &json!({"token": token})).unwrap();
        },
        secrets: &[demo::ENGINE_KEY, OAUTH],
    };
    owes(subject)
        .await
        .unwrap_or_else(|problems| panic!("{problems}"));
}

const OAUTH: &str = "lin_oauth_standinToken";
