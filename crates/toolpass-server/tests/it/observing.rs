//! The server in front of a GitHub that checks credentials: checks, observed requests, endpoints.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolpass_standin::github::world::APP_KEY;
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running as Standin, Transport};
use toolpass_standin::tls::Authority;

use crate::client::{Answer, ask, post, with_key};
use crate::running::{KEY, Running, start_in};

/// A stand-in, and a server that asks it.
fn github(name: &str) -> (Standin, Running) {
    let transport = Transport::Tls {
        authority: Authority::new().unwrap(),
        extra_names: Vec::new(),
    };
    let options = Options {
        transport,
        style: ApiStyle::Enterprise,
    };
    let standin = GithubStandin::start(demo::world(), &options).unwrap();
    let folder = std::env::temp_dir().join(format!(
        "toolpass-server-github-{}-{name}",
        std::process::id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let ca = standin.ca_pem.clone().unwrap();
    for (file, content) in [("key", KEY), ("ca.pem", &ca), ("app.pem", APP_KEY)] {
        std::fs::write(folder.join(file), content).unwrap();
    }
    let config = format!(
        "connections:
  - {{id: main, integration: github, organization: acme, url: '{}', ca_file: ca.pem, app_id: '777', credential: 'file:app.pem'}}
",
        standin.url
    );
    let server = start_in(PathBuf::from(&folder), &config);
    (standin, server)
}

fn observe(server: &Running, standin: &Standin, changes: Value) -> Answer {
    let mut body = json!({
        "scheme": "https", "host": "localhost", "port": standin.port, "method": "POST",
        "path": "/api/v3/repos/acme/shop/labels", "headers": [["Content-Type", "application/json"]],
        "body": STANDARD.encode(r#"{"name":"urgent"}"#), "user": "dana@example.com",
    });
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    ask(server.address, post("/v1/observe", &body.to_string()))
}

#[test]
fn a_check_asks_the_system() {
    let (standin, server) = github("check");
    let body = |user: &str| {
        json!({"user": user, "connection": "main", "action": "repo.push", "resource": "repo:acme/shop"}).to_string()
    };
    let decision =
        |user: &str| ask(server.address, post("/check", &body(user))).json()["decision"].clone();
    assert_eq!(decision("admin@example.com"), "allow");
    assert_eq!(decision("dana@example.com"), "deny");
    let asked = standin.requests().len();
    assert_eq!(decision("dana@example.com"), "deny");
    assert_eq!(
        standin.requests().len(),
        asked,
        "the stored answer asks nobody"
    );
    let metrics_key = with_key("GET", "/v1/endpoints", KEY, "");
    let endpoints = ask(server.address, metrics_key).json();
    let main = &endpoints["connections"][0];
    assert_eq!(main["selectors"]["organization"], "acme");
    assert_eq!(
        main["hosts"][0],
        format!("https://localhost:{}", standin.port)
    );
    assert_eq!(
        main["hosts"].as_array().unwrap().len(),
        main["prefixes"].as_array().unwrap().len()
    );
    assert!(endpoints["tables"]["github"].is_string());
}

#[test]
fn a_request_is_named_and_asked_of_the_user() {
    let (standin, server) = github("observe");
    let found = observe(&server, &standin, json!({}));
    assert_eq!(found.status, 200, "{found:?}");
    let found = found.json();
    let check = &found["checks"][0];
    assert_eq!(
        (&check["connection"], &check["resource"]),
        (&json!("main"), &json!("repo:acme/shop"))
    );
    assert_eq!(
        (&check["effect"], &check["decision"]),
        (&json!("write"), &json!("deny")),
        "{found}"
    );
    let asked = standin.requests().len();
    let as_agent = observe(&server, &standin, json!({"as": "agent"})).json();
    assert!(
        as_agent["checks"][0]["action"].is_string() && as_agent["checks"][0]["decision"].is_null()
    );
    assert_eq!(
        standin.requests().len(),
        asked,
        "as the agent nobody is asked"
    );
}

#[test]
fn what_is_not_named_is_told_apart() {
    let (standin, server) = github("unnamed");
    let found = |changes: Value| observe(&server, &standin, changes).json();
    assert_eq!(
        found(json!({"path": "/api/v3/no/such/path"}))["unmapped"],
        true
    );
    assert_eq!(
        found(json!({"host": "elsewhere.example", "port": 443}))["unknown_host"],
        true
    );
    assert!(found(json!({"path": "/api/v3/repos/acme/../shop/labels"}))["unresolved"].is_string());
    assert!(found(json!({"headers": [["Host", "other.example"]]}))["host_mismatch"].is_string());
    for (changes, expected) in [
        (
            json!({"headers": [["authorization", "Bearer x"]]}),
            "credentials",
        ),
        (json!({"headers": [["Cookie", "x"]]}), "credentials"),
        (json!({"headers": {"a": "b"}}), "headers"),
        (json!({"body": "not base64!"}), "base64"),
        (json!({"as": "root"}), "as: "),
        (json!({"fresh": ["deadly"]}), "fresh: "),
        (json!({"port": -1}), "port"),
        (json!({"extra": 1}), "unknown field"),
    ] {
        let answer = observe(&server, &standin, changes);
        assert_eq!(answer.status, 400);
        assert!(answer.body.contains(expected), "{answer:?}");
    }
}
