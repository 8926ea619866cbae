//! The paths under `/v1`, keys and what they cover, probes and metrics.

use serde_json::{Value, json};
use toolpass_server::server::Signal;

use crate::client::{Answer, Wire, ask, post, with_key};
use crate::running::{FAKE, KEY, Running, start, start_in};

const KEYS: &str = "api_keys:
  - {name: all, key: file:key, scopes: [check, admin]}
  - {name: agents, key: file:agents, scopes: check, connections: 'fake', users: '*@example.com', caller_groups: refuse}
  - {name: slow, key: file:slow, scopes: check, rate_limit: 1/h}
  - {name: page, key: file:page, scopes: dashboard}
connections:
  - {id: fake, integration: fake, users: dana@example.com, admins: ada@example.com}
  - {id: other, integration: fake, users: 'dana@example.com, eve@elsewhere.example', private: 'true'}
";

fn keyed() -> Running {
    start(KEYS)
}

fn question(connection: &str, user: &str) -> Value {
    json!({"user": user, "connection": connection, "action": "thing.read", "resource": "thing:1"})
}

fn post_json(server: &Running, path: &str, key: &str, body: &Value) -> Answer {
    ask(
        server.address,
        with_key("POST", path, key, &body.to_string()),
    )
}

fn get(server: &Running, path: &str, key: &str) -> Answer {
    ask(server.address, with_key("GET", path, key, ""))
}

#[test]
fn a_full_answer_says_how_old_it_is() {
    let server = start(FAKE);
    let first = post_json(
        &server,
        "/v1/check",
        KEY,
        &question("fake", "dana@example.com"),
    );
    let second = post_json(
        &server,
        "/v1/check",
        KEY,
        &question("fake", "dana@example.com"),
    );
    let (first, second) = (first.json(), second.json());
    assert_eq!(
        (&first["decision"], &first["code"]),
        (&json!("allow"), &json!("allowed"))
    );
    assert_eq!(
        (&first["cached"], &second["cached"]),
        (&json!(false), &json!(true))
    );
    assert!(first["as_of"].as_str().unwrap().ends_with('Z'));
    assert_ne!(first["id"], second["id"]);
    let mut fresh = question("fake", "dana@example.com");
    fresh["max_age"] = json!(0);
    fresh["facts"] = json!({"a": "b"});
    assert_eq!(
        post_json(&server, "/v1/check", KEY, &fresh).json()["cached"],
        false
    );
    for (member, value) in [
        ("max_age", json!(-1)),
        ("max_age", json!("1")),
        ("facts", json!({"a": 1})),
        ("facts", json!([])),
        ("User", json!("x")),
        ("maxage", json!(1)),
    ] {
        let mut wrong = question("fake", "dana@example.com");
        wrong[member] = value;
        let answer = post_json(&server, "/v1/check", KEY, &wrong);
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (400, &json!("invalid_request")),
            "{wrong}"
        );
    }
}

#[test]
fn a_batch_is_answered_in_order_and_item_by_item() {
    let server = keyed();
    let batch = json!({
        "defaults": {"user": "dana@example.com", "connection": "fake", "action": "thing.read"},
        "checks": [
            {"resource": "thing:1"},
            {"resource": "thing:1", "action": "thing.admin"},
            {"resource": "thing:1", "connection": "other"},
            {"resource": "thing:1", "user": null},
            {"resourc": "thing:1"},
            7,
            {"resource": "thing:1", "action": "thing.fly"},
            {"resource": "thing:1", "user": "eve@elsewhere.example"},
        ],
        "timeout_ms": 5000,
    });
    let answer = post_json(&server, "/v1/check/batch", "agents-key", &batch);
    assert_eq!(answer.status, 200, "{answer:?}");
    let codes: Vec<Value> = answer.json()["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].clone())
        .collect();
    assert_eq!(
        codes,
        [
            "allowed",
            "denied",
            "unauthorized",
            "allowed",
            "invalid_request",
            "invalid_request",
            "unknown_action",
            "unauthorized"
        ]
    );
    let many = json!({"checks": vec![json!({}); 101]});
    for wrong in [
        many,
        json!({}),
        json!({"checks": {}}),
        json!({"checks": [], "timeout_ms": 0}),
        json!({"checks": [], "x": 1}),
        json!({"checks": [], "defaults": {"user": 1}}),
        json!(null),
    ] {
        assert_eq!(
            post_json(&server, "/v1/check/batch", KEY, &wrong).status,
            400
        );
    }
}

#[test]
fn a_key_covers_what_it_says() {
    let server = keyed();
    let status = |path: &str, key: &str, body: &Value| post_json(&server, path, key, body).status;
    let dana = question("fake", "dana@example.com");
    assert_eq!(status("/check", "agents-key", &dana), 200);
    assert_eq!(
        status(
            "/check",
            "agents-key",
            &question("other", "dana@example.com")
        ),
        403
    );
    assert_eq!(
        status(
            "/check",
            "agents-key",
            &question("fake", "eve@elsewhere.example")
        ),
        403
    );
    assert_eq!(status("/check", "page-key", &dana), 403);
    assert_eq!(status("/v1/invalidate", "agents-key", &json!({})), 403);
    assert_eq!(
        status("/v1/invalidate", KEY, &json!({"connection": "none"})),
        400
    );
    assert_eq!(
        status(
            "/v1/invalidate",
            KEY,
            &json!({"connection": "fake", "user": "dana@example.com"})
        ),
        200
    );
    let mut grouped = dana.clone();
    grouped["groups"] = json!(["admins"]);
    let answer = post_json(&server, "/check", "agents-key", &grouped);
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.reason().starts_with("invalid_request: "));
    assert_eq!(status("/check", "slow-key", &dana), 200);
    let limited = post_json(&server, "/check", "slow-key", &dana);
    assert_eq!(limited.status, 429);
    assert!(limited.reason().starts_with("overloaded: "));
    let wait: u64 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((3000..=3600).contains(&wait), "{wait}");
}

#[test]
fn what_there_is_to_ask_is_told_as_far_as_the_key_covers_it() {
    let server = keyed();
    let all = get(&server, "/v1/connections", KEY).json();
    assert_eq!(all["connections"][1]["id"], "other");
    assert_eq!(all["connections"][0]["actions"][0], "thing.read");
    let some = get(&server, "/v1/connections", "agents-key").json();
    assert_eq!(some["connections"].as_array().unwrap().len(), 1);

    let endpoints = get(&server, "/v1/endpoints", KEY);
    assert_eq!(endpoints.json()["connections"][1]["private"], true);
    let tag = endpoints.header("etag").unwrap().to_owned();
    let again = |tag: &str| {
        let request = format!(
            "GET /v1/endpoints HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nIf-None-Match: {tag}\r\n\r\n"
        );
        let mut wire = Wire::open(server.address);
        wire.send(request);
        wire.answer_to(true).unwrap().status
    };
    assert_eq!(again(&tag), 304);
    assert_eq!(again(&format!("W/\"x\", {tag}")), 304);
    assert_eq!(again("\"other\""), 200);
    let fewer = get(&server, "/v1/endpoints", "agents-key");
    assert_ne!(fewer.header("etag").unwrap(), tag);
}

#[test]
fn probes_and_metrics() {
    let mut server = keyed();
    let health = |path: &str| get(&server, path, "none");
    assert_eq!(health("/livez").status, 200);
    assert_eq!(health("/readyz").body, "{\"status\":\"ok\"}\n");
    assert_eq!(health("/readyz?verbose=1").status, 401);
    assert_eq!(health("/metrics").status, 401);
    assert_eq!(get(&server, "/metrics", "agents-key").status, 403);
    post_json(
        &server,
        "/check",
        KEY,
        &question("fake", "dana@example.com"),
    );
    post_json(
        &server,
        "/check",
        KEY,
        &question("fake", "dana@example.com"),
    );
    post_json(
        &server,
        "/check",
        KEY,
        &question("no\"such\nlabel", "dana@example.com"),
    );
    let page = get(&server, "/metrics", KEY).body;
    for line in [
        "toolpass_checks_total{connection=\"fake\",outcome=\"allow\",code=\"allowed\",cached=\"false\"} 1",
        "toolpass_checks_total{connection=\"fake\",outcome=\"allow\",code=\"allowed\",cached=\"true\"} 1",
        "toolpass_check_seconds_count{connection=\"fake\"} 2",
        "toolpass_cache_hits_total{connection=\"fake\"} 1",
        "toolpass_breaker_state{connection=\"fake\"} 0",
        "toolpass_decision_log_errors_total 0",
        "toolpass_config_reload_success 1",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
    assert!(!page.contains("such"), "{page}");
    let verbose = get(&server, "/readyz?verbose=1", KEY).json();
    assert!(verbose["connections"].is_object());
    let mut kept = Wire::open(server.address);
    kept.send("GET /livez HTTP/1.1\r\n\r\n");
    assert_eq!(kept.answer().status, 200);
    server.signal(Signal::Terminate);
    let ready = |wire: &mut Wire| {
        wire.send("GET /readyz HTTP/1.1\r\n\r\n");
        wire.answer().status
    };
    while ready(&mut kept) != 503 {
        std::thread::yield_now();
    }
    server.signal(Signal::Interrupt);
    server.ended();
}

#[test]
fn metrics_tell_how_systems_caches_and_credentials_fare() {
    let folder = std::env::temp_dir().join(format!("toolpass-server-ends-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("key"), KEY).unwrap();
    // A token that says itself that it ended in 1970.
    std::fs::write(folder.join("token"), "e30.eyJleHAiOjF9.c2ln").unwrap();
    let server = start_in(
        folder,
        "server: {metrics: open}\nconnections:\n  - {id: records, integration: record}\n  - {id: gh, integration: github, organization: acme, token: file:token, url: 'http://127.0.0.1:9'}\n",
    );
    let read = json!({"user": "alice@example.com", "connection": "records", "action": "read", "resource": "record:1"});
    for _ in 0..2 {
        assert_eq!(
            ask(server.address, post("/check", &read.to_string())).status,
            200
        );
    }
    let page = ask(server.address, "GET /metrics HTTP/1.1\r\n\r\n").body;
    for line in [
        "toolpass_upstream_requests_total{connection=\"records\",status_class=\"2xx\"} 1",
        "toolpass_upstream_seconds_bucket{connection=\"records\",le=\"0.025\"} 0",
        "toolpass_upstream_seconds_bucket{connection=\"records\",le=\"0.1\"} 1",
        "toolpass_upstream_seconds_sum{connection=\"records\"} 0.030000",
        "toolpass_queue_seconds_count{connection=\"records\"} 1",
        "toolpass_queue_seconds_bucket{connection=\"records\",le=\"0.0001\"} 1",
        "toolpass_queue_seconds_count{connection=\"gh\"} 0",
        "toolpass_cache_entries{cache=\"decisions\"} 1",
        "toolpass_cache_evictions_total{cache=\"decisions\"} 0",
        "toolpass_credential_expiry_seconds{connection=\"gh\"} 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
    let told = "toolpass_credential_expiry_seconds{connection=\"records\"} ";
    let left = page
        .lines()
        .find_map(|line| line.strip_prefix(told)?.parse::<u64>().ok());
    assert!(left.is_some_and(|left| left > 1_000_000_000), "{page}");
}

#[test]
fn the_description_names_every_path() {
    let server = start(FAKE);
    let description = get(&server, "/v1/openapi.json", "none").json();
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.len() > 10);
    for path in paths.keys() {
        let answer = ask(
            server.address,
            with_key("TRACE", &path.replace("{id}", &"0".repeat(64)), KEY, ""),
        );
        assert_eq!(answer.status, 405, "{path}");
    }
}

#[test]
fn what_is_not_there_is_resolved_to_nothing() {
    let server = start(FAKE);
    let pointer = json!({"connection": "fake", "pointer": {"kind": "number", "value": "1"}});
    let answer = ask(server.address, post("/v1/resolve", &pointer.to_string()));
    assert_eq!(answer.status, 200, "{answer:?}");
    for wrong in [
        json!({"connection": "fake"}),
        json!({"connection": "fake", "pointer": {"kind": "", "value": "1"}}),
        json!({"connection": "fake", "pointer": {"kind": "k", "value": 1}}),
        json!({"connection": "none", "pointer": {"kind": "k", "value": "1"}}),
        json!({"pointer": {"kind": "k", "value": "1"}}),
        json!(null),
    ] {
        assert_eq!(
            ask(server.address, post("/v1/resolve", &wrong.to_string())).status,
            400,
            "{wrong}"
        );
    }
}
