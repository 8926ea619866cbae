//! What is turned away when too much is asked, and that whoever goes away gives room.

use serde_json::json;
use toolpass_server::server::Signal;

use crate::client::{Answer, Wire, ask, post};
use crate::record::until_waiting;
use crate::running::{Running, start};

const ONE: &str = "server: {max_in_flight: 1, drain: 0s, metrics: open}\nconnections:\n  - {id: records, integration: record, timeout: 5m}\n";

fn body(action: &str, record: &str) -> String {
    json!({"user": "alice@example.com", "connection": "records", "action": action, "resource": format!("record:{record}")})
        .to_string()
}

fn wait_for(server: &Running, record: &str) -> Wire {
    let mut wire = Wire::open(server.address);
    wire.send(post("/check", &body("wait", record)));
    until_waiting(record, true);
    wire
}

fn read(server: &Running) -> Answer {
    ask(server.address, post("/check", &body("read", "1")))
}

#[test]
fn what_finds_no_room_is_turned_away_and_stored_answers_are_not() {
    let server = start(ONE);
    assert_eq!(read(&server).status, 200);
    let waiting = wait_for(&server, "a-full");
    let refused = ask(server.address, post("/check", &body("wait", "b-full")));
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    assert!(refused.reason().starts_with("overloaded: "));
    assert_eq!(read(&server).status, 200);
    let metrics = ask(server.address, "GET /metrics HTTP/1.1\r\n\r\n").body;
    assert!(
        metrics.contains("\ntoolpass_shed_checks_total 1\n"),
        "{metrics}"
    );
    drop(waiting);
    until_waiting("a-full", false);
    drop(wait_for(&server, "b-full"));
}

#[test]
fn a_client_that_goes_away_ends_its_check_unless_another_waits_too() {
    let server = start("connections:\n  - {id: records, integration: record, timeout: 5m}\n");
    let (first, second) = (wait_for(&server, "a-gone"), wait_for(&server, "a-gone"));
    drop(first);
    // The other one still waits: what it waits for goes on.
    let _other = wait_for(&server, "b-gone");
    until_waiting("a-gone", true);
    drop(second);
    until_waiting("a-gone", false);
    until_waiting("b-gone", true);
}

#[test]
fn a_second_signal_drops_what_is_in_flight() {
    let mut server = start(ONE);
    let mut waiting = wait_for(&server, "a-signal");
    server.signal(Signal::Terminate);
    server.signal(Signal::Terminate);
    server.ended();
    assert!(waiting.is_closed());
}

#[test]
fn too_many_connections_are_turned_away() {
    let server =
        start("server: {max_connections: 2, admin_listen: '127.0.0.1:0'}\nconnections: []\n");
    let health = "GET /healthz HTTP/1.1\r\n\r\n";
    let mut kept: Vec<Wire> = (0..2)
        .map(|_| {
            let mut wire = Wire::open(server.address);
            wire.send(health);
            assert_eq!(wire.answer().status, 200);
            wire
        })
        .collect();
    let mut more = Wire::open(server.address);
    let refused = more.answer();
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(refused.json()["decision"], "unknown");
    assert!(more.is_closed());
    // Probes come in by the other door, and nothing else does.
    let admin = server.admin.unwrap();
    assert_eq!(ask(admin, "GET /readyz HTTP/1.1\r\n\r\n").status, 200);
    assert_eq!(ask(admin, "GET /metrics HTTP/1.1\r\n\r\n").status, 200);
    assert_eq!(ask(admin, post("/check", "{}")).status, 404);
    kept.pop();
    let mut after = Wire::open(server.address);
    loop {
        after.send(health);
        if after.answer().status == 200 {
            break;
        }
        after = Wire::open(server.address);
    }
}
