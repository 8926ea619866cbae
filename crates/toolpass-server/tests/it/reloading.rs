//! A changed configuration: what it changes, and what stays warm.

use serde_json::{Value, json};
use toolpass_server::server::Signal;

use crate::client::{Wire, ask, post, with_key};
use crate::running::{FAKE, KEY, Running, start};

fn cached(server: &Running, connection: &str) -> bool {
    let question = json!({"user": "dana@example.com", "connection": connection, "action": "thing.read", "resource": "thing:1"});
    let answer = ask(server.address, post("/v1/check", &question.to_string()));
    assert_eq!(answer.json()["decision"], "allow", "{answer:?}");
    answer.json()["cached"].as_bool().unwrap()
}

fn ids(server: &Running) -> Vec<Value> {
    let listed = ask(server.address, with_key("GET", "/v1/connections", KEY, "")).json();
    let connections = listed["connections"].as_array().unwrap();
    connections.iter().map(|one| one["id"].clone()).collect()
}

#[test]
fn what_did_not_change_stays_warm() {
    let server = start(FAKE);
    let mut kept = Wire::open(server.address);
    kept.send("GET /livez HTTP/1.1\r\n\r\n");
    assert_eq!(kept.answer().status, 200);
    assert!(!cached(&server, "fake") && cached(&server, "fake"));
    server.reconfigure(&format!(
        "{FAKE}  - {{id: more, integration: fake, users: dana@example.com}}\n"
    ));
    while ids(&server).len() != 2 {
        std::thread::yield_now();
    }
    assert!(
        cached(&server, "fake"),
        "the same connection knows what it knew"
    );
    assert!(!cached(&server, "more"));
    server.reconfigure("connections:\n  - {id: fake, integration: fake, users: 'dana@example.com, eve@example.com'}\n");
    server.signal(Signal::Reload);
    while ids(&server).len() != 1 {
        std::thread::yield_now();
    }
    assert!(
        !cached(&server, "fake"),
        "another connection of the same name knows nothing"
    );
    kept.send("GET /livez HTTP/1.1\r\n\r\n");
    assert_eq!(kept.answer().status, 200);
}

#[test]
fn a_bad_file_is_not_taken() {
    let server = start(&format!("server: {{metrics: open}}\n{FAKE}"));
    let succeeded = |expected: &str| {
        let line = format!("toolpass_config_reload_success {expected}");
        while !ask(server.address, "GET /metrics HTTP/1.1\r\n\r\n")
            .body
            .lines()
            .any(|found| found == line)
        {
            std::thread::yield_now();
        }
    };
    succeeded("1");
    server.reconfigure("connections: [{id: fake, integration: nothing}]\n");
    succeeded("0");
    assert!(!cached(&server, "fake"));
    assert_eq!(
        ask(server.address, "GET /readyz HTTP/1.1\r\n\r\n").status,
        200
    );
    server.reconfigure(&format!("server: {{metrics: open}}\n{FAKE}"));
    succeeded("1");
    assert!(cached(&server, "fake"));
}
