//! The stand-in Slack: what it says to whom.

use serde_json::{Value, json};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::slack::{SlackStandin, demo};

use crate::support::{self, Ask};

fn slack() -> Running {
    SlackStandin::start(demo::world(), &Transport::Plain).unwrap()
}

fn get(slack: &Running, target: &str, token: Option<&str>) -> Value {
    let ask = Ask {
        token,
        ..Ask::default()
    };
    let answer = support::send(slack, "GET", &format!("/api/{target}"), &ask);
    assert_eq!(answer.status, 200);
    answer.json()
}

fn post(slack: &Running, method: &str, token: &str, body: Value) -> Value {
    support::post(slack, &format!("/api/{method}"), token, body).json()
}

fn error(answer: &Value) -> &str {
    answer["error"].as_str().unwrap_or_default()
}

#[test]
fn a_token_is_wanted_and_its_scopes_count() {
    let slack = slack();
    assert_eq!(error(&get(&slack, "auth.test", None)), "not_authed");
    assert_eq!(
        error(&get(&slack, "auth.test", Some("xoxb-other"))),
        "invalid_auth"
    );
    let answer = get(&slack, "auth.test", Some(demo::ENGINE_TOKEN));
    assert_eq!(
        (&answer["ok"], &answer["team_id"]),
        (&json!(true), &json!(demo::TEAM))
    );
    let refused = post(
        &slack,
        "chat.postMessage",
        demo::ENGINE_TOKEN,
        json!({"channel": demo::SHOP_DEV, "text": "hi"}),
    );
    assert_eq!(
        (error(&refused), &refused["needed"]),
        ("missing_scope", &json!("chat:write"))
    );
    assert!(
        slack.state()["channels"][demo::SHOP_DEV]["messages"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    slack
        .command("revoke", &json!({"token": demo::ENGINE_TOKEN}))
        .unwrap();
    assert_eq!(
        error(&get(&slack, "auth.test", Some(demo::ENGINE_TOKEN))),
        "token_revoked"
    );
}

#[test]
fn people_and_channels_are_looked_up() {
    let slack = slack();
    let engine = Some(demo::ENGINE_TOKEN);
    let dana = get(
        &slack,
        "users.lookupByEmail?email=Dana%40example.com",
        engine,
    );
    assert_eq!(dana["user"]["id"], json!(demo::DANA));
    assert_eq!(
        error(&get(
            &slack,
            "users.lookupByEmail?email=nobody%40example.com",
            engine
        )),
        "users_not_found"
    );
    // Private channels are seen by who is in them.
    assert_eq!(
        error(&get(
            &slack,
            &format!("conversations.info?channel={}", demo::BOARD),
            engine
        )),
        "channel_not_found"
    );
    let releases = get(
        &slack,
        &format!(
            "conversations.info?channel={}&include_num_members=true",
            demo::RELEASES
        ),
        engine,
    );
    assert_eq!(
        (
            &releases["channel"]["is_private"],
            &releases["channel"]["num_members"]
        ),
        (&json!(true), &json!(4))
    );
    let of_sam = format!(
        "users.conversations?user={}&types=public_channel,private_channel&limit=1",
        demo::SAM
    );
    let first = get(&slack, &of_sam, engine);
    assert_eq!(first["channels"].as_array().unwrap().len(), 1);
    let cursor = first["response_metadata"]["next_cursor"].as_str().unwrap();
    let second = get(&slack, &format!("{of_sam}&cursor={cursor}"), engine);
    assert_ne!(first["channels"][0]["id"], second["channels"][0]["id"]);
}

#[test]
fn a_message_is_posted_changed_and_deleted() {
    let slack = slack();
    let agent = demo::AGENT_TOKEN;
    let posted = post(
        &slack,
        "chat.postMessage",
        agent,
        json!({"channel": demo::SHOP_DEV, "text": "hi"}),
    );
    assert_eq!(posted["ok"], json!(true), "{posted}");
    let at = json!({"channel": demo::SHOP_DEV, "ts": posted["ts"], "text": "hello"});
    assert_eq!(
        post(&slack, "chat.update", agent, at.clone())["text"],
        json!("hello")
    );
    let read = get(
        &slack,
        &format!("conversations.history?channel={}", demo::SHOP_DEV),
        Some(agent),
    );
    assert_eq!(read["messages"][0]["text"], json!("hello"));
    assert_eq!(
        post(&slack, "chat.delete", agent, at.clone())["ok"],
        json!(true)
    );
    assert_eq!(
        error(&post(&slack, "chat.delete", agent, at)),
        "message_not_found"
    );
    let elsewhere = post(
        &slack,
        "chat.postMessage",
        agent,
        json!({"channel": demo::BOARD, "text": "hi"}),
    );
    assert_eq!(error(&elsewhere), "channel_not_found");
    // A person: the direct conversation with them is opened.
    let direct = post(
        &slack,
        "chat.postMessage",
        agent,
        json!({"channel": demo::DANA, "text": "hi"}),
    );
    assert!(
        direct["channel"].as_str().unwrap().starts_with('D'),
        "{direct}"
    );
}

#[test]
fn a_file_is_announced_sent_and_shared() {
    let slack = slack();
    let agent = demo::AGENT_TOKEN;
    let announced = post(
        &slack,
        "files.getUploadURLExternal",
        agent,
        json!({"filename": "a.txt", "length": 2}),
    );
    let (id, url) = (
        announced["file_id"].as_str().unwrap(),
        announced["upload_url"].as_str().unwrap(),
    );
    let path = &url[url.find("/upload/").unwrap()..];
    assert_eq!(
        support::send(
            &slack,
            "POST",
            path,
            &Ask {
                body: Some(json!(1)),
                ..Ask::default()
            }
        )
        .status,
        200
    );
    let info = format!("files.info?file={id}");
    assert_eq!(error(&get(&slack, &info, Some(agent))), "file_not_found");
    let files = json!([{"id": id}]).to_string();
    let shared = post(
        &slack,
        "files.completeUploadExternal",
        agent,
        json!({"files": files, "channels": demo::SHOP_DEV}),
    );
    assert_eq!(
        shared["files"][0]["channels"],
        json!([demo::SHOP_DEV]),
        "{shared}"
    );
    assert_eq!(
        get(&slack, &info, Some(demo::ENGINE_TOKEN))["file"]["user"],
        json!(demo::AGENT)
    );
}

#[test]
fn what_is_not_played_arrives() {
    let slack = slack();
    assert_eq!(
        post(&slack, "stars.add", demo::AGENT_TOKEN, json!({}))["ok"],
        json!(true)
    );
    let entry = slack.requests().pop().unwrap();
    assert!(entry.fallback);
    assert_eq!(
        (entry.local_path.as_str(), entry.credential.as_deref()),
        ("/stars.add", Some("bot:U0AGENT001"))
    );
}
