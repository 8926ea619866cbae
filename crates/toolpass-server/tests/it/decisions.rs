//! Decisions on the dashboard: each is there with how it was made, for whoever may see it.

use serde_json::{Value, json};
use toolpass_server::server::Signal;

use crate::client::{Answer, Wire, ask, with_key};
use crate::running::{FAKE, Running, start, start_in};

const KEYS: &str = "api_keys:
  - {name: agents, key: file:agents, scopes: [check, report]}
  - {name: people, key: file:page, scopes: dashboard}
  - {name: team, key: file:slow, scopes: dashboard, users: 'dana@example.com'}
";

fn on_disk() -> Running {
    start(&format!("server: {{data: kept}}\n{KEYS}{FAKE}"))
}

fn check(server: &Running, user: &str, action: &str) -> Value {
    let body = json!({"user": user, "connection": "fake", "action": action, "resource": "thing:1"});
    let body = body.to_string();
    ask(
        server.address,
        with_key("POST", "/v1/check", "agents-key", &body),
    )
    .json()
}

fn get(server: &Running, key: &str, path: &str) -> Answer {
    ask(server.address, with_key("GET", path, key, ""))
}

fn shown(server: &Running, key: &str, query: &str) -> Vec<Value> {
    let answer = get(server, key, &format!("/dashboard/decisions/events{query}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["events"].as_array().unwrap().clone()
}

/// Wait until a decision is kept: the stream says so.
fn kept(server: &Running, decision: &Value) {
    let id = decision["id"].as_str().unwrap();
    let mut wire = Wire::open(server.address);
    let path = format!("/dashboard/decisions/events/stream?id={id}");
    wire.send(with_key("GET", &path, "page-key", ""));
    wire.read_past(&format!("\"id\":\"{id}\""));
}

#[test]
fn a_decision_is_kept_with_how_it_was_made() {
    let server = on_disk();
    let allowed = check(&server, "dana@example.com", "thing.read");
    let denied = check(&server, "eve@example.com", "thing.read");
    kept(&server, &allowed);
    kept(&server, &denied);
    let rows = shown(&server, "page-key", "");
    assert_eq!(rows.len(), 2);
    let row = &rows[0];
    assert_eq!(row["id"], allowed["id"]);
    assert_eq!(row["tool"], "fake:thing.read");
    assert_eq!(row["reported_by"], "agents");
    let how = &row["explained"];
    assert_eq!(how["decision"], "allow");
    assert_eq!(how["identity"], allowed["identity"]);
    assert!(how["calls"].is_array() && !how["steps"].as_array().unwrap().is_empty());
    assert_eq!(row["actions"][0]["resource"], "thing:1");
    for (query, expected) in [
        ("?outcome=allow", &allowed),
        ("?outcome=deny", &denied),
        ("?user=eve@example.com", &denied),
        ("?q=USER_NOT_FOUND", &denied),
    ] {
        let found = shown(&server, "page-key", query);
        assert_eq!(found.len(), 1, "{query}");
        assert_eq!(&found[0]["id"], &expected["id"], "{query}");
    }
    assert!(shown(&server, "page-key", "?outcome=unknown&system=fake").is_empty());
    // Runs are another page.
    let runs = get(&server, "page-key", "/dashboard/events").json();
    assert_eq!(runs["kind"], "dashboard");
    assert!(runs["events"].as_array().unwrap().is_empty());
}

#[test]
fn an_answer_from_the_cache_is_no_new_decision() {
    let server = on_disk();
    let first = check(&server, "dana@example.com", "thing.read");
    let again = check(&server, "dana@example.com", "thing.read");
    assert_eq!(again["cached"], true);
    let other = check(&server, "ada@example.com", "thing.read");
    kept(&server, &other);
    let ids: Vec<Value> = shown(&server, "page-key", "")
        .iter()
        .map(|row| row["id"].clone())
        .collect();
    assert_eq!(ids, [first["id"].clone(), other["id"].clone()]);
}

#[test]
fn a_batch_is_kept_too() {
    let server = on_disk();
    let one = json!({"user": "ada@example.com", "connection": "fake", "action": "thing.read", "resource": "thing:9"});
    let body = json!({"checks": [one]}).to_string();
    let answer = ask(
        server.address,
        with_key("POST", "/v1/check/batch", "agents-key", &body),
    );
    kept(&server, &answer.json()["results"][0]);
}

#[test]
fn a_key_limited_to_some_sees_no_decisions_of_others() {
    let server = on_disk();
    let (dana, eve) = (
        check(&server, "dana@example.com", "thing.read"),
        check(&server, "eve@example.com", "thing.read"),
    );
    kept(&server, &dana);
    kept(&server, &eve);
    let seen = shown(&server, "slow-key", "");
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0]["id"], dana["id"]);
    let eve = eve["id"].as_str().unwrap();
    assert!(shown(&server, "slow-key", &format!("?id={eve}")).is_empty());
    let mut wire = Wire::open(server.address);
    wire.send(with_key(
        "GET",
        "/dashboard/decisions/export?format=csv",
        "slow-key",
        "",
    ));
    let file = wire.read_past("\r\n0\r\n\r\n");
    assert!(file.contains("filename=\"decisions.csv\"") && file.contains("\"allow\""));
    assert!(!file.contains("eve@"));
}

#[test]
fn what_the_log_masks_is_not_told() {
    let server = start(&format!(
        "server: {{data: kept}}\ndecision_log_mask: user\n{KEYS}{FAKE}"
    ));
    let denied = check(&server, "eve@example.com", "thing.read");
    let allowed = check(&server, "ada@example.com", "thing.read");
    kept(&server, &denied);
    kept(&server, &allowed);
    let rows = shown(&server, "page-key", "");
    let text = Value::from(rows).to_string();
    assert!(!text.contains("eve") && !text.contains("ada@"), "{text}");
    assert!(text.contains("\"masked\":true") && text.contains("user_not_found"));
}

#[test]
fn a_restart_keeps_decisions() {
    let mut server = on_disk();
    let first = check(&server, "dana@example.com", "thing.read");
    kept(&server, &first);
    server.signal(Signal::Interrupt);
    server.ended();
    let folder = server.folder.with_extension("kept");
    std::fs::rename(&server.folder, &folder).unwrap();
    drop(server);
    let server = start_in(folder, &format!("server: {{data: kept}}\n{KEYS}{FAKE}"));
    assert_eq!(shown(&server, "page-key", "")[0]["id"], first["id"]);
}

#[test]
fn each_way_to_decisions_needs_the_scope() {
    let server = on_disk();
    for path in ["events", "events/stream", "export"] {
        let path = format!("/dashboard/decisions/{path}");
        assert_eq!(get(&server, "agents-key", &path).status, 403, "{path}");
        assert_eq!(get(&server, "wrong", &path).status, 401, "{path}");
        let posted = with_key("POST", &path, "page-key", "");
        assert_eq!(ask(server.address, posted).status, 405, "{path}");
        for site in ["cross-site", "same-site"] {
            let asked = with_key("GET", &path, "page-key", "").replacen(
                "\r\n",
                &format!("\r\nSec-Fetch-Site: {site}\r\n"),
                1,
            );
            assert_eq!(ask(server.address, asked).status, 403, "{path} {site}");
        }
    }
    for (path, status) in [
        ("/dashboard/decisions", 308),
        ("/dashboard/decisions/", 200),
        ("/dashboard/decisions/rows.js", 200),
        ("/dashboard/decisions/x", 404),
        ("/dashboard/decisionsx", 404),
    ] {
        let answer = get(&server, "", path);
        assert_eq!(answer.status, status, "{path}");
        if status != 404 {
            assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        }
    }
}

#[test]
fn a_stream_ends_when_a_reload_takes_its_key_away() {
    let server = on_disk();
    let mut wire = Wire::open(server.address);
    wire.send(with_key(
        "GET",
        "/dashboard/decisions/events/stream",
        "slow-key",
        "",
    ));
    wire.read_past("\n\n\r\n");
    let less = KEYS
        .lines()
        .filter(|line| !line.contains("team"))
        .collect::<Vec<_>>()
        .join("\n");
    server.reconfigure(&format!("server: {{data: kept}}\n{less}\n{FAKE}"));
    server.signal(Signal::Reload);
    while get(&server, "slow-key", "/dashboard/decisions/events").status != 401 {
        std::thread::yield_now();
    }
    let secret = check(&server, "dana@example.com", "thing.read");
    kept(&server, &secret);
    let rest = wire.read_past("0\r\n\r\n");
    assert!(!rest.contains(secret["id"].as_str().unwrap()), "{rest}");
}

#[test]
fn so_many_may_watch_and_no_more() {
    let server = on_disk();
    let watch = || {
        let mut wire = Wire::open(server.address);
        wire.send(with_key(
            "GET",
            "/dashboard/decisions/events/stream",
            "page-key",
            "",
        ));
        wire
    };
    let mut watching: Vec<Wire> = (0..128).map(|_| watch()).collect();
    for wire in &mut watching {
        wire.read_past("\n\n\r\n");
    }
    assert!(watch().read_past("\r\n\r\n").contains(" 503 "));
}
