//! The scenario by which AuthZEN certifies a decision point: its levels Basic, Batch and Discovery, request by request.
//! SOURCE: openid/authzen, certification/authorization-api-1_0-scenario.md, read 2026-11-30; the numbers are its test ids.

use serde_json::{Value, json};

use crate::client::{Answer, ask};
use crate::running::{KEY, Running, start};

const RECORDS: &str =
    "server: {authzen_domain: example.com}\nconnections:\n  - {id: records, integration: record}\n";

fn send(server: &Running, path: &str, content_type: &str, body: &str) -> Answer {
    let length = body.len();
    ask(
        server.address,
        format!(
            "POST {path} HTTP/1.1\r\nHost: pdp.example:80\r\nAuthorization: Bearer {KEY}\r\nContent-Type: {content_type}\r\nX-Request-ID: r-1\r\nContent-Length: {length}\r\n\r\n{body}"
        ),
    )
}

fn evaluate(server: &Running, body: &Value) -> Answer {
    send(
        server,
        "/access/v1/evaluation",
        "application/json",
        &body.to_string(),
    )
}

fn evaluate_many(server: &Running, body: &Value) -> Answer {
    send(
        server,
        "/access/v1/evaluations",
        "application/json; charset=utf-8",
        &body.to_string(),
    )
}

fn decisions(answer: &Answer) -> Vec<bool> {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    let each = body["evaluations"].as_array().unwrap();
    each.iter()
        .map(|one| one["decision"].as_bool().unwrap())
        .collect()
}

fn asked(subject: &str, action: &str, resource: &str) -> Value {
    json!({"subject": {"type": "user", "id": subject}, "action": {"name": action}, "resource": {"type": "record", "id": resource}})
}

#[test]
fn basic_core_and_properties() {
    let server = start(RECORDS);
    let mut with_context = asked("alice", "read", "record-1");
    with_context["context"] = json!({"time": "2025-06-27T18:03-07:00", "ip": "192.168.1.1"});
    let mut archived = asked("alice", "write", "record-2");
    archived["resource"]["properties"] = json!({"status": "archived"});
    let mut administrator = archived.clone();
    administrator["subject"] =
        json!({"type": "user", "id": "bob", "properties": {"role": "admin"}});
    let deleted = |soft: bool| {
        let mut deleted = asked("alice", "delete", "record-1");
        deleted["action"]["properties"] = json!({"soft": soft});
        deleted
    };
    let mut more = asked("alice", "read", "record-1");
    more["subject"]["properties"] = json!({"department": "Sales", "role": "manager"});
    more["action"]["properties"] = json!({"method": "GET"});
    more["resource"]["properties"] = json!({"status": "active", "owner": "bob"});
    let mut unknown = asked("alice", "read", "record-1");
    unknown["foo"] = json!("bar");
    unknown["futureField"] = json!({"nested": true});
    for (id, body, expected) in [
        ("2.2.1", asked("alice", "read", "record-1"), true),
        ("rule 2", asked("alice", "write", "record-1"), true),
        ("rule 3", asked("bob", "read", "record-1"), true),
        ("2.2.2", asked("bob", "write", "record-1"), false),
        ("2.2.3", with_context, true),
        ("2.2.4", archived, false),
        ("2.2.5", administrator, true),
        ("2.2.6", deleted(true), true),
        ("2.2.7", deleted(false), false),
        ("2.2.8", more, true),
        ("2.2.9", unknown, true),
    ] {
        for _ in 0..3 {
            let answer = evaluate(&server, &body);
            assert_eq!(answer.status, 200, "{id} {answer:?}");
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert_eq!(answer.header("x-request-id"), Some("r-1"));
            assert_eq!(answer.json()["decision"], expected, "{id} {answer:?}");
            assert!(answer.json()["context"].is_object());
        }
    }
}

#[test]
fn basic_errors() {
    let server = start(RECORDS);
    let whole = asked("alice", "read", "record-1");
    for path in [
        "subject",
        "action",
        "resource",
        "subject/type",
        "subject/id",
        "action/name",
        "resource/type",
        "resource/id",
    ] {
        let mut body = whole.clone();
        match path.split_once('/') {
            Some((entity, member)) => body[entity].as_object_mut().unwrap().remove(member),
            None => body.as_object_mut().unwrap().remove(path),
        };
        assert_eq!(
            evaluate(&server, &body).status,
            400,
            "2.4.1, 2.4.2: without {path}"
        );
    }
    let mut text = whole.clone();
    text["subject"] = json!("alice");
    let mut number = whole.clone();
    number["action"]["name"] = json!(123);
    for body in [text, number] {
        assert_eq!(evaluate(&server, &body).status, 400, "2.4.6: {body}");
    }
    let whole = whole.to_string();
    for (id, content_type, body) in [
        ("2.4.3", "text/plain", whole.as_str()),
        ("2.4.3", "application/jsonx", &whole),
        ("2.4.4", "application/json", "{"),
        ("2.4.5", "application/json", ""),
    ] {
        let answer = send(&server, "/access/v1/evaluation", content_type, body);
        assert_eq!(
            (answer.status, answer.header("x-request-id")),
            (400, Some("r-1")),
            "{id}"
        );
    }
}

#[test]
fn batch_core_and_properties() {
    let server = start(RECORDS);
    let record = |id: &str, status: Option<&str>| match status {
        Some(status) => json!({"type": "record", "id": id, "properties": {"status": status}}),
        None => json!({"type": "record", "id": id}),
    };
    let (alice, bob) = (
        json!({"type": "user", "id": "alice"}),
        json!({"type": "user", "id": "bob"}),
    );
    let admin = json!({"type": "user", "id": "bob", "properties": {"role": "admin"}});
    for (id, body, expected) in [
        (
            "3.2.1",
            json!({"subject": alice, "action": {"name": "read"}, "evaluations": [{"resource": record("record-1", None)}, {"resource": record("record-2", None)}]}),
            [true, true],
        ),
        (
            "3.2.2",
            json!({"subject": bob, "resource": record("record-1", None), "evaluations": [{"action": {"name": "read"}}, {"action": {"name": "write"}}]}),
            [true, false],
        ),
        (
            "3.2.3",
            json!({"subject": alice, "action": {"name": "write"}, "evaluations": [{"resource": record("record-1", Some("active"))}, {"resource": record("record-2", Some("archived"))}]}),
            [true, false],
        ),
        (
            "3.2.4",
            json!({"action": {"name": "write"}, "resource": record("record-2", Some("archived")), "evaluations": [{"subject": alice}, {"subject": admin}]}),
            [false, true],
        ),
        (
            "3.2.5",
            json!({"evaluations": [asked("alice", "read", "record-1"), asked("bob", "write", "record-1")]}),
            [true, false],
        ),
        (
            "3.2.6",
            json!({"subject": alice, "action": {"name": "read"}, "context": {"time": "1"}, "evaluations": [{"resource": record("record-1", None)}, {"resource": record("record-2", None), "context": {"source": "x"}}]}),
            [true, true],
        ),
        (
            "3.2.7",
            json!({"subject": alice, "action": {"name": "write"}, "resource": record("record-1", Some("active")), "evaluations": [{}, {"resource": record("record-2", Some("archived"))}]}),
            [true, false],
        ),
        (
            "3.4.1",
            json!({"subject": alice, "action": {"name": "read"}, "options": {"evaluations_semantic": "execute_all"}, "evaluations": [{"resource": record("record-1", None)}, {}]}),
            [true, false],
        ),
    ] {
        assert_eq!(decisions(&evaluate_many(&server, &body)), expected, "{id}");
    }
    let mut single = asked("alice", "read", "record-1");
    for id in ["3.4.2", "3.4.3"] {
        let answer = evaluate_many(&server, &single);
        assert_eq!(
            (answer.status, &answer.json()["decision"]),
            (200, &json!(true)),
            "{id}"
        );
        single["evaluations"] = json!([]);
    }
}

#[test]
fn a_list_can_end_early() {
    let server = start(RECORDS);
    let body = |semantic: &str, actions: [&str; 3]| {
        let each: Vec<Value> = actions
            .iter()
            .map(|action| json!({"action": {"name": action}}))
            .collect();
        json!({
            "subject": {"type": "user", "id": "bob"}, "resource": {"type": "record", "id": "record-1"},
            "options": {"evaluations_semantic": semantic}, "evaluations": each,
        })
    };
    for (semantic, actions, expected) in [
        (
            "execute_all",
            ["read", "write", "read"],
            &[true, false, true][..],
        ),
        (
            "deny_on_first_deny",
            ["read", "write", "read"],
            &[true, false],
        ),
        (
            "permit_on_first_permit",
            ["write", "read", "read"],
            &[false, true],
        ),
        (
            "permit_on_first_permit",
            ["write", "write", "write"],
            &[false, false, false],
        ),
    ] {
        assert_eq!(
            decisions(&evaluate_many(&server, &body(semantic, actions))),
            expected,
            "{semantic}"
        );
    }
    assert_eq!(
        evaluate_many(&server, &body("first_wins", ["read"; 3])).status,
        400
    );
    let failed = evaluate_many(&server, &body("execute_all", ["read", "fly", "read"])).json();
    let context = &failed["evaluations"][1]["context"];
    assert_eq!(
        (&context["error"]["status"], &context["reason_code"]),
        (&json!(400), &json!("unknown_action"))
    );
    let many = json!({"evaluations": vec![json!({}); 101]});
    let default = json!({"evaluations": [asked("bob", "read", "record-1")], "context": 1});
    for wrong in [many, default, json!({"evaluations": [7]})] {
        assert_eq!(evaluate_many(&server, &wrong).status, 400, "{wrong}");
    }
}

#[test]
fn the_metadata_names_the_paths_as_the_client_reached_them() {
    let server = start(RECORDS);
    let metadata = |host: &str| {
        let request =
            format!("GET /.well-known/authzen-configuration HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let answer = ask(server.address, request);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/json"))
        );
        answer.json()
    };
    let found = metadata("pdp.example:8443");
    assert_eq!(found["policy_decision_point"], "http://pdp.example:8443");
    assert_eq!(
        found["access_evaluation_endpoint"],
        "http://pdp.example:8443/access/v1/evaluation"
    );
    assert_eq!(
        found["access_evaluations_endpoint"],
        "http://pdp.example:8443/access/v1/evaluations"
    );
    assert_eq!(
        metadata("evil.example/<script>")["policy_decision_point"],
        "http://localhost"
    );
}

#[test]
fn it_can_be_switched_off() {
    let server =
        start("server: {authzen: off}\nconnections:\n  - {id: records, integration: record}\n");
    assert_eq!(
        evaluate(&server, &asked("alice", "read", "record-1")).status,
        404
    );
}
