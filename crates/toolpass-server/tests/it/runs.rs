//! Runs: reported, kept, shown to whoever may see them.

use serde_json::{Value, json};
use toolpass_server::server::Signal;

use crate::client::{Answer, Wire, ask, post, with_key};
use crate::running::{FAKE, KEY, Running, start, start_in};

const KEYS: &str = "api_keys:
  - {name: agents, key: file:agents, scopes: report}
  - {name: people, key: file:page, scopes: dashboard}
  - {name: team, key: file:slow, scopes: dashboard, users: '*@acme.com', connections: 'gh-*'}
";

fn on_disk() -> Running {
    start(&format!("server: {{data: kept}}\n{KEYS}{FAKE}"))
}

fn report(server: &Running, batch: &Value) -> Answer {
    ask(
        server.address,
        with_key("POST", "/runs", "agents-key", &batch.to_string()),
    )
}

fn run(id: &str, user: &str, outcome: &str, connection: &str) -> Value {
    json!({"id": id, "tool": "open_pr", "outcome": outcome, "user": user,
        "actions": [{"method": "POST", "host": "api.github.com", "path": "/", "connection": connection, "outcome": "allowed"}]})
}

fn batch(runs: &[Value]) -> Value {
    json!({"server": "shop", "runs": runs})
}

fn get(server: &Running, key: &str, path: &str) -> Answer {
    ask(server.address, with_key("GET", path, key, ""))
}

fn events(server: &Running, query: &str) -> Value {
    let answer = get(server, "page-key", &format!("/dashboard/events{query}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn ids(events: &Value) -> Vec<String> {
    let rows = events["events"].as_array().unwrap();
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_is_reported_is_shown_with_what_only_the_server_says() {
    let server = on_disk();
    let mut forged = run("a", "dana@acme.com", "ran", "fake");
    forged["reported_by"] = json!("admin");
    forged["seq"] = json!(77);
    forged["colour"] = json!("red");
    let answer = report(&server, &batch(&[forged]));
    assert_eq!(answer.status, 202);
    assert_eq!(
        answer.json(),
        json!({"accepted": 1, "stored": 1, "dropped": ["colour"]})
    );
    let shown = events(&server, "");
    assert_eq!(shown["kind"], "dashboard");
    let row = &shown["events"][0];
    assert_eq!(
        (
            &row["reported_by"],
            &row["server"],
            &row["seq"],
            &shown["next"]
        ),
        (&json!("agents"), &json!("shop"), &json!(1), &json!(1))
    );
    assert!(row["at"].as_f64().unwrap() > 1_700_000_000.0 && row.get("colour").is_none());
}

#[test]
fn a_retried_batch_is_counted_once() {
    let server = on_disk();
    let both = batch(&[
        run("a", "d@acme.com", "ran", "fake"),
        run("b", "d@acme.com", "ran", "fake"),
    ]);
    assert_eq!(report(&server, &both).json()["stored"], 2);
    assert_eq!(
        report(&server, &both).json(),
        json!({"accepted": 2, "stored": 0})
    );
    assert_eq!(ids(&events(&server, "")), ["a", "b"]);
}

#[test]
fn a_batch_is_taken_whole_or_not_at_all() {
    let server = on_disk();
    let good = run("a", "d@acme.com", "ran", "fake");
    let many: Vec<Value> = (0..501).map(|_| good.clone()).collect();
    for (body, said) in [
        (
            batch(&[good.clone(), json!({"tool": "t"})]).to_string(),
            "runs[1] has no `outcome`",
        ),
        (batch(&[json!(7)]).to_string(), "runs[0] is no object"),
        (batch(&[]).to_string(), "has 0 items"),
        (batch(&many).to_string(), "has 501 items"),
        (
            json!({"server": " ", "runs": [good]}).to_string(),
            "\"server\" is empty",
        ),
        (
            json!({"server": "s".repeat(201), "runs": [good]}).to_string(),
            "too long",
        ),
        (
            json!({"server": "s", "runs": {}}).to_string(),
            "expected a list",
        ),
        (
            json!({"server": "s", "runs": [good], "more": 1}).to_string(),
            "unknown field",
        ),
        (
            r#"{"server":"s","runs":[{"tool":"t","outcome":"ran","duration_ms":NaN}]}"#.to_owned(),
            "syntax error",
        ),
        (
            format!("{}{}", "[".repeat(60_000), "]".repeat(60_000)),
            "nested deeper",
        ),
    ] {
        let answer = ask(
            server.address,
            with_key("POST", "/runs", "agents-key", &body),
        );
        assert_eq!(answer.status, 400, "{said}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(ids(&events(&server, "")), [""; 0]);
    let large = batch(&[json!({"tool": "t", "outcome": "ran", "reason": "x".repeat(1 << 20)})]);
    assert_eq!(report(&server, &large).status, 413);
}

#[test]
fn a_hostile_run_spoils_no_page() {
    let server = on_disk();
    let body = r#"{"server":"s","runs":[{"id":"a","tool":"\ud800<script>","outcome":"ran","duration_ms":1e999,"arguments":{"a":"\udfff\u0000"}}]}"#;
    assert_eq!(
        ask(
            server.address,
            with_key("POST", "/runs", "agents-key", body)
        )
        .status,
        202
    );
    let row = &events(&server, "")["events"][0];
    assert_eq!(row["tool"], "\u{fffd}<script>");
    assert_eq!(row["arguments"]["a"], "\u{fffd}\0");
}

#[test]
fn each_scope_opens_its_own_door() {
    let server = on_disk();
    let one = batch(&[run("a", "d@acme.com", "ran", "fake")]).to_string();
    for (method, path, key, status) in [
        ("POST", "/runs", "agents-key", 202),
        ("POST", "/runs", "page-key", 403),
        ("POST", "/runs", "wrong", 401),
        ("GET", "/runs", "agents-key", 405),
        ("GET", "/dashboard/events", "page-key", 200),
        ("GET", "/dashboard/events", "agents-key", 403),
        ("GET", "/dashboard/events", "wrong", 401),
        ("GET", "/dashboard/events/stream", "agents-key", 403),
        ("GET", "/dashboard/export", "agents-key", 403),
        ("POST", "/dashboard/events", "page-key", 405),
        ("GET", "/dashboard/events?key=page-key", "wrong", 401),
        ("GET", "/dashboard/events?key=page-key", "page-key", 400),
        ("GET", "/dashboard/", "", 200),
        ("POST", "/dashboard/", "", 405),
        ("GET", "/dashboard/watch.js", "", 200),
        ("GET", "/dashboard/feed.js", "", 200),
        ("GET", "/dashboard/watch.js/", "", 404),
        ("GET", "/dashboard/../watch.js", "", 404),
        ("GET", "/dashboard", "", 308),
    ] {
        let body = if method == "POST" { one.as_str() } else { "" };
        let answer = ask(server.address, with_key(method, path, key, body));
        assert_eq!(answer.status, status, "{method} {path} {key}");
        if path.starts_with("/dashboard") && [200, 308].contains(&status) {
            assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
            assert_eq!(
                answer.header("x-content-type-options"),
                Some("nosniff"),
                "{path}"
            );
            assert_eq!(
                answer.header("referrer-policy"),
                Some("no-referrer"),
                "{path}"
            );
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        }
    }
    let page = ask(
        server.address,
        "GET /dashboard/ HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'")
    );
    let moved = ask(server.address, "GET /dashboard HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(moved.header("location"), Some("/dashboard/"));
}

#[test]
fn a_dashboard_that_is_off_is_not_there() {
    let server = start(&format!("server: {{dashboard: off}}\n{FAKE}"));
    for path in [
        "/dashboard",
        "/dashboard/",
        "/dashboard/events",
        "/dashboard/events/stream",
        "/dashboard/export",
    ] {
        assert_eq!(get(&server, KEY, path).status, 404, "{path}");
    }
    let one = batch(&[run("a", "d@acme.com", "ran", "fake")]).to_string();
    assert_eq!(ask(server.address, post("/runs", &one)).status, 202);
}

#[test]
fn runs_are_filtered_and_paged_at_the_server() {
    let server = on_disk();
    report(
        &server,
        &batch(&[
            run("a", "dana@acme.com", "ran", "gh-1"),
            run("b", "robin@acme.com", "refused", "gh-1"),
            run("c", "dana@acme.com", "raised", "gl-1"),
        ]),
    );
    let later = json!({"server": "desk", "runs": [{"id": "d", "tool": "mail", "outcome": "handoff_refused", "reason": "Wire TRANSFER"}]});
    report(&server, &later);
    for (query, expected) in [
        ("", "abcd"),
        ("?since=0", "abcd"),
        ("?since=soon", "abcd"),
        ("?since=2", "cd"),
        ("?since=99", ""),
        ("?before=3", "ab"),
        ("?user=dana%40acme.com", "ac"),
        ("?user=dana@acme.com&outcome=failed", "c"),
        ("?outcome=refused", "bd"),
        ("?outcome=handoff_refused", "d"),
        ("?tool=mail", "d"),
        ("?server=desk", "d"),
        ("?system=gh-1", "ab"),
        ("?id=b", "b"),
        ("?q=transfer", "d"),
        ("?q=API.github.com", "abc"),
        ("?q=outcome", ""),
        ("?from=1", "abcd"),
        ("?to=1", ""),
    ] {
        assert_eq!(ids(&events(&server, query)).concat(), expected, "{query}");
    }
    assert_eq!(events(&server, "?since=2")["next"], 4);
    assert_eq!(events(&server, "?since=99")["next"], 99);
}

#[test]
fn older_pages_follow_each_other_without_a_gap() {
    let server = on_disk();
    for part in 0..3 {
        let runs: Vec<Value> = (0..400)
            .map(|one| run(&format!("{part}.{one}"), "d@acme.com", "ran", "fake"))
            .collect();
        assert_eq!(report(&server, &batch(&runs)).json()["stored"], 400);
    }
    let (mut seen, mut query) = (Vec::new(), String::from("?user=d@acme.com"));
    loop {
        let page = events(&server, &query);
        let rows = page["events"].as_array().unwrap();
        assert!(rows.len() <= 500);
        seen.extend(rows.iter().rev().map(|row| row["seq"].as_u64().unwrap()));
        match page["older"].as_u64() {
            Some(older) => query = format!("?user=d@acme.com&before={older}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 1200);
    assert!(seen.is_sorted_by(|one, other| one > other));
}

#[test]
fn a_key_limited_to_some_sees_no_others() {
    let server = on_disk();
    report(
        &server,
        &batch(&[
            run("a", "dana@acme.com", "ran", "gh-1"),
            run("b", "dana@acme.com", "ran", "gl-1"),
            run("c", "eve@elsewhere.example", "ran", "gh-1"),
            json!({"id": "d", "tool": "t", "outcome": "refused", "arguments": {"secret": "x"}}),
        ]),
    );
    for path in [
        "/dashboard/events",
        "/dashboard/events?since=1&id=b",
        "/dashboard/events?q=secret",
        "/dashboard/events?id=c",
    ] {
        let shown = get(&server, "slow-key", path).json();
        let expected: &[&str] = if path == "/dashboard/events" {
            &["a"]
        } else {
            &[]
        };
        assert_eq!(ids(&shown), expected, "{path}");
    }
    let mut wire = Wire::open(server.address);
    wire.send(with_key(
        "GET",
        "/dashboard/export?format=jsonl",
        "slow-key",
        "",
    ));
    let file = wire.read_past("\r\n0\r\n\r\n");
    assert!(
        file.contains("\"id\":\"a\"")
            && !file.contains("\"id\":\"b\"")
            && !file.contains("elsewhere")
    );
}

#[test]
fn a_file_has_every_row_that_fits() {
    let server = on_disk();
    for part in 0..2 {
        let runs: Vec<Value> = (0..400)
            .map(|one| {
                run(
                    &format!("{part}.{one}"),
                    if one == 0 {
                        "=cmd()@acme.com"
                    } else {
                        "d@acme.com"
                    },
                    "ran",
                    "fake",
                )
            })
            .collect();
        report(&server, &batch(&runs));
    }
    let mut wire = Wire::open(server.address);
    wire.send(with_key(
        "GET",
        "/dashboard/export?format=csv",
        "page-key",
        "",
    ));
    let file = wire.read_past("\r\n0\r\n\r\n");
    assert!(file.contains("content-disposition: attachment; filename=\"runs.csv\"\r\n"));
    assert!(file.contains("seq,at,server,reported_by,user,"));
    assert_eq!(file.matches("\"open_pr\"").count(), 800);
    assert_eq!(file.matches("\"'=cmd()@acme.com\"").count(), 2);
    wire.send(with_key(
        "GET",
        "/dashboard/export?format=jsonl&user=%3Dcmd()%40acme.com",
        "page-key",
        "",
    ));
    let file = wire.read_past("\r\n0\r\n\r\n");
    assert_eq!(file.matches("\"seq\":").count(), 2);
}

#[test]
fn a_stream_tells_what_comes_and_goes_on_where_it_was() {
    let mut server = on_disk();
    report(&server, &batch(&[run("a", "d@acme.com", "ran", "fake")]));
    let mut wire = Wire::open(server.address);
    wire.send(with_key("GET", "/dashboard/events/stream", "page-key", ""));
    let first = wire.read_past("\n\n\r\n");
    assert!(first.contains("content-type: text/event-stream") && first.contains("\"id\":\"a\""));
    report(&server, &batch(&[run("b", "d@acme.com", "ran", "fake")]));
    let second = wire.read_past("\n\n\r\n");
    assert!(second.contains("\"id\":\"b\"") && !second.contains("\"id\":\"a\""));
    let id = second.split("id: ").nth(1).unwrap().lines().next().unwrap();
    let resume = |id: &str| {
        format!(
            "GET /dashboard/events/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer page-key\r\nLast-Event-ID: {id}\r\n\r\n"
        )
    };
    report(&server, &batch(&[run("c", "d@acme.com", "ran", "fake")]));
    let mut again = Wire::open(server.address);
    again.send(resume(id));
    let rest = again.read_past("\n\n\r\n");
    assert!(rest.contains("\"id\":\"c\"") && !rest.contains("\"id\":\"b\""));
    // A number of another life is no number of this one.
    let mut other = Wire::open(server.address);
    other.send(resume("another.3"));
    assert!(other.read_past("\n\n\r\n").contains("\"id\":\"a\""));
    server.signal(Signal::Interrupt);
    server.ended();
}

#[test]
fn a_restart_keeps_runs_numbers_and_epoch() {
    let mut server = on_disk();
    report(&server, &batch(&[run("a", "d@acme.com", "ran", "fake")]));
    let before = events(&server, "");
    server.signal(Signal::Interrupt);
    server.ended();
    let folder = server.folder.clone();
    let kept = folder.with_extension("kept");
    std::fs::rename(&folder, &kept).unwrap();
    drop(server);
    let server = start_in(kept, &format!("server: {{data: kept}}\n{KEYS}{FAKE}"));
    let after = events(&server, "");
    assert_eq!(
        (&before["epoch"], &before["events"]),
        (&after["epoch"], &after["events"])
    );
    report(
        &server,
        &batch(&[
            run("a", "d@acme.com", "ran", "fake"),
            run("b", "d@acme.com", "ran", "fake"),
        ]),
    );
    assert_eq!(ids(&events(&server, "?since=1")), ["b"]);
}

#[test]
fn without_a_folder_runs_are_in_memory_and_the_epoch_says_so() {
    let config = format!("{KEYS}{FAKE}");
    let (one, other) = (start(&config), start(&config));
    report(&one, &batch(&[run("a", "d@acme.com", "ran", "fake")]));
    assert_eq!(ids(&events(&one, "")), ["a"]);
    assert_eq!(ids(&events(&other, "")), [""; 0]);
    assert_ne!(events(&one, "")["epoch"], events(&other, "")["epoch"]);
}
