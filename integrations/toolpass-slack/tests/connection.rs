//! A connection on the stand-in Slack: credential, what refusals mean, pages, what is shared, probe, visibility.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_integration::connection::{Connection, Visibility};
use toolpass_slack::SLACK;
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::slack::{SlackStandin, demo};
use toolpass_testkit::ask::{self, Ask};
use toolpass_testkit::connect;

struct Slack(Running);

impl Slack {
    fn new() -> Slack {
        Slack(SlackStandin::start(demo::world(), &Transport::Plain).unwrap())
    }

    fn connect(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        let url = format!("{}{}", self.0.url, self.0.base_path);
        let usual = [("credential", demo::ENGINE_TOKEN), ("url", url.as_str())];
        let own = usual
            .iter()
            .filter(|(name, _)| keys.iter().all(|(key, _)| key != name));
        let keys: Vec<(&str, &str)> = own.chain(keys).copied().collect();
        connect::connection(&SLACK, connect::settings(&SLACK, &keys).unwrap(), None).unwrap()
    }

    fn patch(&self, patch: Value) {
        self.0.patch(&patch).unwrap();
    }

    fn says(&self, method: &str, body: Value) {
        self.0.fault(FaultRule::on(
            method,
            Fault::Status {
                status: 200,
                headers: Default::default(),
                body: Some(body.to_string()),
            },
        ));
    }
}

async fn decide(
    connection: &Arc<dyn Connection>,
    user: &str,
    action: &str,
    resource: &str,
) -> Decision {
    let user = format!("{user}@example.com");
    let ask = Ask {
        user: &user,
        action,
        resource,
    };
    ask::decide(connection.as_ref(), ask, Facts::new(), SECONDS).await
}

async fn identify(connection: &Arc<dyn Connection>, email: &str) -> Result<String, Code> {
    ask::identify(connection.as_ref(), email, SECONDS).await
}

#[tokio::test]
async fn dana_and_sam_are_told_apart() {
    let slack = Slack::new();
    let connection = slack.connect(&[]);
    for (user, action, channel, expected) in [
        ("dana", "message.post", demo::SHOP_DEV, Code::Allowed),
        ("sam", "message.post", demo::SHOP_DEV, Code::Allowed),
        ("dana", "message.post", demo::RELEASES, Code::Allowed),
        ("sam", "message.post", demo::RELEASES, Code::Denied),
        ("guest", "message.post", demo::SHOP_DEV, Code::Allowed),
        ("guest", "channel.read", demo::RANDOM, Code::Denied),
        ("dana", "channel.read", demo::RANDOM, Code::Allowed),
        ("dana", "message.post", demo::RANDOM, Code::Denied),
        (
            "admin",
            "channel.read",
            demo::BOARD,
            Code::ResourceNotVisible,
        ),
        ("dana", "channel.archive", demo::SHOP_DEV, Code::Unsupported),
        ("admin", "channel.archive", demo::SHOP_DEV, Code::Allowed),
        ("nobody", "channel.read", demo::SHOP_DEV, Code::UserNotFound),
    ] {
        let decision = decide(&connection, user, action, &format!("channel:{channel}")).await;
        assert_eq!(
            decision.code(),
            expected,
            "{user} {action} {channel}: {}",
            decision.reason()
        );
    }
    let group = format!("usergroup:{}", demo::SHOP_TEAM);
    assert_eq!(
        decide(&connection, "dana", "usergroup.member", &group)
            .await
            .code(),
        Code::Allowed
    );
    assert_eq!(
        decide(&connection, "sam", "usergroup.member", &group)
            .await
            .code(),
        Code::Denied
    );
}

#[tokio::test]
async fn a_token_that_is_no_bots_is_never_sent() {
    let slack = Slack::new();
    for token in ["xoxp-1234-secret", "", "xoxb", "Bearer xoxb-1"] {
        let connection = slack.connect(&[("credential", token)]);
        let decision = decide(&connection, "dana", "user.active", "workspace").await;
        assert_eq!(decision.code(), Code::CredentialRejected, "{token}");
        assert!(
            token.is_empty() || !decision.text().contains(token),
            "{}",
            decision.text()
        );
    }
    assert_eq!(slack.0.requests().len(), 0);
    let connection = slack.connect(&[("credential", "xoxb-unknown")]);
    assert_eq!(
        decide(&connection, "dana", "user.active", "workspace")
            .await
            .code(),
        Code::CredentialRejected
    );
}

#[tokio::test]
async fn who_is_asked_for_must_be_who_is_found() {
    let slack = Slack::new();
    let connection = slack.connect(&[]);
    assert_eq!(
        identify(&connection, "DANA@example.com").await,
        Ok(demo::DANA.to_owned())
    );
    assert_eq!(
        identify(&connection, "dana+x@example.com").await,
        Err(Code::UserNotFound)
    );
    let account = |id: Value, email: Value| json!({"ok": true, "user": {"id": id, "profile": {"email": email}}});
    for (body, expected) in [
        (
            account(json!(demo::SAM), json!("sam@example.com")),
            Code::UserNotFound,
        ),
        (account(json!(demo::SAM), Value::Null), Code::UpstreamError),
        (
            account(json!("dana"), json!("dana@example.com")),
            Code::UpstreamError,
        ),
        (
            account(Value::Null, json!("dana@example.com")),
            Code::UpstreamError,
        ),
        (
            account(json!(7), json!("dana@example.com")),
            Code::UpstreamError,
        ),
        (json!({"ok": true}), Code::UpstreamError),
        (json!({"user": {}}), Code::UpstreamError),
        (json!({"ok": "true"}), Code::UpstreamError),
        (json!({"ok": false}), Code::UpstreamError),
        (
            json!({"ok": false, "error": "missing_scope"}),
            Code::CredentialRejected,
        ),
        (
            json!({"ok": false, "error": "ratelimited"}),
            Code::UpstreamRateLimited,
        ),
        (
            json!({"ok": false, "error": "account_inactive"}),
            Code::CredentialRejected,
        ),
        (
            json!({"ok": false, "error": "upstream-body-7f3a"}),
            Code::UpstreamError,
        ),
        (json!([]), Code::UpstreamError),
    ] {
        slack.0.clear_faults();
        slack.says("/users.lookupByEmail", body.clone());
        assert_eq!(
            identify(&connection, "dana@example.com").await,
            Err(expected),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_deactivation_is_seen_though_the_identity_is_known() {
    let slack = Slack::new();
    let dana = ask::person("dana@example.com").unwrap();
    let identity = slack
        .connect(&[])
        .identify(&ask::context(SECONDS), &dana)
        .await
        .unwrap();
    slack.patch(json!({"users": {demo::DANA: {"deleted": true}}}));
    let request = toolpass_integration::connection::Request {
        person: dana,
        identity,
        action: "message.post".into(),
        resource: Resource::parse(&format!("channel:{}", demo::SHOP_DEV)).unwrap(),
        facts: Facts::new(),
    };
    let connection = slack.connect(&[]);
    let decision = connection
        .check(&ask::context(SECONDS), &request)
        .await
        .unwrap();
    assert_eq!(decision.code(), Code::Denied, "{}", decision.reason());
    assert_eq!(
        slack.0.count("GET", "/conversations.info"),
        0,
        "nothing else is read for them"
    );
}

#[tokio::test]
async fn people_are_shared_by_checks_and_channels_are_not() {
    let slack = Slack::new();
    let connection = slack.connect(&[]);
    let channel = format!("channel:{}", demo::SHOP_DEV);
    for _ in 0..3 {
        assert_eq!(
            decide(&connection, "dana", "channel.member", &channel)
                .await
                .code(),
            Code::Allowed
        );
    }
    let counts = [
        "/auth.test",
        "/users.info",
        "/conversations.info",
        "/conversations.members",
    ]
    .map(|method| slack.0.count("GET", method));
    assert_eq!(counts, [1, 1, 3, 3]);
    assert!(slack.0.requests().iter().all(
        |entry| entry.method == "GET" && entry.credential.as_deref() == Some("bot:U0ENGINE01")
    ));
}

#[tokio::test]
async fn a_list_is_read_to_its_end() {
    let slack = Slack::new();
    let many: serde_json::Map<String, Value> = (0..1500)
        .map(|number| {
            (
                format!("C0MANY{number:05}"),
                json!({"name": format!("many-{number}"), "members": [demo::DANA]}),
            )
        })
        .collect();
    slack.patch(json!({"channels": many}));
    let connection = slack.connect(&[]);
    // The last in the order of the list, after two pages.
    let decision = decide(
        &connection,
        "dana",
        "message.post",
        &format!("channel:{}", demo::SHOP_DEV),
    )
    .await;
    assert_eq!(decision.code(), Code::Allowed, "{}", decision.reason());
    assert_eq!(slack.0.count("GET", "/users.conversations"), 2);

    // A cursor that leads round ends too, and as unknown where the members do not say either.
    let round = json!({"ok": true, "channels": [], "response_metadata": {"next_cursor": "again"}});
    slack.says("/users.conversations", round);
    slack.says(
        "/conversations.members",
        json!({"ok": true, "members": [], "response_metadata": {"next_cursor": "again"}}),
    );
    slack.0.clear_requests();
    let decision = decide(
        &connection,
        "dana",
        "message.post",
        &format!("channel:{}", demo::SHOP_DEV),
    )
    .await;
    assert_eq!(decision.code(), Code::Unsupported, "{}", decision.reason());
    assert_eq!(
        (
            slack.0.count("GET", "/users.conversations"),
            slack.0.count("GET", "/conversations.members")
        ),
        (5, 50)
    );
}

#[tokio::test]
async fn the_workspace_is_sent_with_every_call() {
    let slack = Slack::new();
    let connection = slack.connect(&[("team_id", demo::TEAM)]);
    assert_eq!(
        decide(&connection, "dana", "workspace.member", "workspace")
            .await
            .code(),
        Code::Allowed
    );
    let requests = slack.0.requests();
    assert!(requests.len() > 2);
    for entry in requests {
        assert!(
            entry
                .query
                .as_deref()
                .unwrap_or_default()
                .contains("team_id=T0ACME0001"),
            "{}",
            entry.path
        );
    }
}

#[tokio::test]
async fn a_probe_says_what_to_change() {
    let slack = Slack::new();
    let probe = |connection: Arc<dyn Connection>| async move {
        connection.probe(&ask::context(SECONDS)).await
    };
    let found = probe(slack.connect(&[])).await.unwrap();
    assert_eq!(found.warnings, Vec::<String>::new(), "{}", found.summary);
    assert!(
        found.summary.contains("toolpass") && found.summary.contains("Acme"),
        "{}",
        found.summary
    );

    let warned = probe(slack.connect(&[("credential", demo::AGENT_TOKEN)]))
        .await
        .unwrap();
    let all = warned.warnings.join("\n");
    for part in ["`chat:write`", "`channels:manage`", "team.preferences:read"] {
        assert!(all.contains(part), "{part} in {all}");
    }
    slack.patch(json!({"hides_properties": true, "tokens": {demo::ENGINE_TOKEN: {"scopes": ["users:read"]}}}));
    let all = probe(slack.connect(&[])).await.unwrap().warnings.join("\n");
    for part in ["`channels:read`", "`users:read.email`", "`usergroups:read`"] {
        assert!(all.contains(part), "{part} in {all}");
    }
    slack.0.reset();
    slack.patch(json!({"hides_properties": true}));
    let all = probe(slack.connect(&[])).await.unwrap().warnings.join("\n");
    assert!(all.contains("assume_unrestricted_channels"), "{all}");
    let refused = probe(slack.connect(&[("credential", "xoxb-unknown")])).await;
    assert_eq!(refused.unwrap_err().code(), Code::CredentialRejected);
}

#[tokio::test]
async fn a_channel_is_as_visible_as_it_is_open() {
    let slack = Slack::new();
    let connection = slack.connect(&[]);
    let seen = |resource: String| {
        let connection = Arc::clone(&connection);
        async move {
            let resource = Resource::parse(&resource).unwrap();
            let found = connection
                .visibility(&ask::context(SECONDS), &resource)
                .await;
            found.map_err(|failure| failure.code())
        }
    };
    assert_eq!(
        seen(format!("channel:{}", demo::SHOP_DEV)).await,
        Ok(Some(Visibility::Internal))
    );
    assert_eq!(
        seen(format!("channel:{}", demo::RELEASES)).await,
        Ok(Some(Visibility::Private))
    );
    assert_eq!(
        seen(format!("channel:{}", demo::BOARD)).await,
        Err(Code::ResourceNotVisible)
    );
    assert_eq!(
        seen(format!("dm:{}", demo::DANA)).await,
        Ok(Some(Visibility::Private))
    );
    assert_eq!(seen("workspace".into()).await, Ok(None));
}

const SECONDS: Duration = Duration::from_secs(20);
