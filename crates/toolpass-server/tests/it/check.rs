//! `/check` and the probes: bodies, statuses and headers.

use crate::client::{Wire, ask, post, with_key};
use crate::running::{FAKE, KEY, start};

fn body(user: &str, action: &str) -> String {
    format!(r#"{{"user":"{user}","connection":"fake","action":"{action}","resource":"thing:1"}}"#)
}

#[test]
fn decisions_are_byte_for_byte() {
    let server = start(FAKE);
    for (request, status, expected) in [
        (
            body("dana@example.com", "thing.read"),
            200,
            "{\"decision\":\"allow\",\"reason\":\"allowed: ",
        ),
        (
            body("dana@example.com", "thing.admin"),
            200,
            "{\"decision\":\"deny\",\"reason\":\"denied: ",
        ),
        (
            body("eve@example.com", "thing.read"),
            200,
            "{\"decision\":\"deny\",\"reason\":\"user_not_found: ",
        ),
        (
            body("dana@example.com", "thing.fly"),
            400,
            "{\"decision\":\"unknown\",\"reason\":\"unknown_action: ",
        ),
        (
            body("dana", "thing.read"),
            400,
            "{\"decision\":\"unknown\",\"reason\":\"invalid_request: ",
        ),
        (
            "null".into(),
            400,
            "{\"decision\":\"unknown\",\"reason\":\"invalid_request: ",
        ),
        (
            "{\"user\":1}".into(),
            400,
            "{\"decision\":\"unknown\",\"reason\":\"invalid_request: the field",
        ),
    ] {
        let answer = ask(server.address, post("/check", &request));
        assert_eq!(answer.status, status, "{request} {answer:?}");
        assert!(answer.body.starts_with(expected), "{request} {answer:?}");
        assert!(answer.body.ends_with("}\n"));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("server"), Some("toolpass"));
        assert!(answer.header("date").is_some());
    }
    let allowed = ask(
        server.address,
        post("/check", &body("Dana@example.com", "thing.read")),
    );
    assert!(
        allowed
            .body
            .ends_with("\"identity\":\"dana@example.com\"}\n"),
        "{}",
        allowed.body
    );
}

#[test]
fn the_order_of_checks_is_method_key_size_body() {
    let server = start(FAKE);
    let large = "x".repeat(64 * 1024 + 1);
    for (method, key, body, status) in [
        ("GET", "wrong", large.as_str(), 405),
        ("POST", "wrong", large.as_str(), 401),
        ("POST", KEY, large.as_str(), 413),
        ("POST", KEY, "x", 400),
    ] {
        let answer = ask(server.address, with_key(method, "/check", key, body));
        assert_eq!(answer.status, status, "{method} {answer:?}");
        assert_eq!(answer.json()["decision"], "unknown");
        let allow = (status == 405).then_some("POST");
        assert_eq!(answer.header("allow"), allow);
        let realm = (status == 401).then_some("Bearer realm=\"toolpass\"");
        assert_eq!(answer.header("www-authenticate"), realm);
    }
    let missing = ask(
        server.address,
        "POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
    );
    assert_eq!(missing.status, 401);
    let twice = format!(
        "POST /check HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    assert_eq!(ask(server.address, twice).status, 401);
}

#[test]
fn a_rotated_key_counts_without_a_restart() {
    let server = start(FAKE);
    let question = body("dana@example.com", "thing.read");
    let status = |key: &str| ask(server.address, with_key("POST", "/check", key, &question)).status;
    assert_eq!(status(KEY), 200);
    std::fs::write(server.folder.join("next"), "another-key").unwrap();
    std::fs::rename(server.folder.join("next"), server.folder.join("key")).unwrap();
    // The file is looked at once a second.
    while status("another-key") != 200 {
        std::thread::yield_now();
    }
    assert_eq!(status(KEY), 401);
    std::fs::write(server.folder.join("key"), "").unwrap();
    while status("another-key") != 401 {
        std::thread::yield_now();
    }
    assert_eq!(status(""), 401);
}

#[test]
fn paths_and_methods_are_exact() {
    let server = start(FAKE);
    for path in [
        "/check/",
        "/Check",
        "//check",
        "/check/x",
        "/%63heck",
        "/",
        "/dashboard/../check",
        "/check;x",
    ] {
        let answer = ask(server.address, post(path, "{}"));
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (404, "not found\n"),
            "{path}"
        );
    }
    assert_eq!(ask(server.address, post("/check?x=y", "null")).status, 400);
    for method in ["TRACE", "OPTIONS", "PUT", "DELETE", "PATCH", "QUERY", "get"] {
        let answer = ask(server.address, with_key(method, "/healthz", "none", ""));
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        assert!(answer.json()["error"].is_string());
    }
}

#[test]
fn the_process_says_that_it_answers() {
    let server = start(FAKE);
    let mut wire = Wire::open(server.address);
    wire.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = wire.answer();
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, "{\"status\":\"ok\"}\n")
    );
    wire.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine-1\r\n\r\n");
    let answer = wire.answer_to(true).unwrap();
    assert_eq!(
        (answer.status, answer.header("x-request-id")),
        (200, Some("mine-1"))
    );
    wire.send("GET /healthz HTTP/1.1\r\nX-Request-ID: no good\r\n\r\n");
    let id = wire.answer().header("x-request-id").unwrap().to_owned();
    assert_eq!(id.len(), 32);
}
