//! Misbehaviour on demand, the control paths, and the two other stand-ins.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{Answer, Ask, connect, exchange, get, github, github_tls, request, send};
use serde_json::{Value, json};
use toolpass_standin::echo::EchoStandin;
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::github::demo::AGENT_TOKEN;
use toolpass_standin::identity::{IdentityStandin, IdentityWorld};
use toolpass_standin::server::{Running, Transport};

fn zen() -> Vec<u8> {
    request(
        "GET",
        "/zen",
        &Ask {
            token: Some(AGENT_TOKEN),
            ..Ask::default()
        },
    )
}

fn control(running: &Running, method: &str, name: &str, body: Option<Value>) -> Answer {
    let headers = [("X-Standin-Control", running.control_token.as_str())];
    send(
        running,
        method,
        &format!("/_standin/{name}"),
        &Ask {
            body,
            headers: &headers,
            ..Ask::default()
        },
    )
}

#[test]
fn a_status_comes_with_its_headers_before_any_credential_is_looked_at() {
    let running = github();
    let headers = [("Retry-After".to_owned(), "7".to_owned())].into();
    running.fault(FaultRule {
        times: Some(1),
        ..FaultRule::on(
            "/zen",
            Fault::Status {
                status: 429,
                headers,
                body: None,
            },
        )
    });
    let answer = get(&running, "/zen", "wrong");
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (429, Some("7"))
    );
    assert_eq!(answer.json()["status"], "429");
    assert_eq!(
        get(&running, "/zen", "wrong").status,
        401,
        "the rule is used up"
    );
    assert_eq!(running.requests()[0].fault.as_deref(), Some("status"));
}

#[test]
fn a_closed_connection_answers_nothing_and_is_counted() {
    let running = github_tls();
    running.fault(FaultRule::on("/zen", Fault::Close));
    assert!(exchange(&running, "localhost", &zen()).is_err());
    assert_eq!(running.count("GET", "/zen"), 1);
    running.clear_faults();
    assert!(exchange(&running, "localhost", &zen()).is_ok());
}

#[test]
fn a_hung_request_is_answered_nothing_until_the_client_gives_up() {
    let running = github();
    running.fault(FaultRule::on("/zen", Fault::Hang));
    let mut stream = TcpStream::connect(("127.0.0.1", running.port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    stream.write_all(&zen()).unwrap();
    assert!(stream.read(&mut [0; 1]).is_err());
    assert_eq!(running.count("GET", "/zen"), 1);
    drop(running); // and the server ends although the request does not
    stream.set_read_timeout(None).unwrap();
    assert!(matches!(stream.read(&mut [0; 1]), Ok(0) | Err(_)));
}

#[test]
fn an_endless_body_goes_on_past_any_limit() {
    let running = github_tls();
    running.fault(FaultRule::on("/zen", Fault::Endless));
    let mut stream = connect(&running, "localhost").unwrap();
    stream.write_all(&zen()).unwrap();
    let mut limited = stream.take(8 * 1024 * 1024);
    assert_eq!(
        std::io::copy(&mut limited, &mut std::io::sink()).unwrap(),
        8 * 1024 * 1024
    );
}

#[test]
fn a_slow_drip_arrives_whole_in_the_end() {
    let running = github();
    running.fault(FaultRule::on(
        "/zen",
        Fault::SlowDrip {
            every_ms: 1,
            body: "[1]".to_owned(),
        },
    ));
    let bytes = exchange(&running, "localhost", &zen()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(
        text.ends_with("1\r\n[\r\n1\r\n1\r\n1\r\n]\r\n0\r\n\r\n"),
        "{text}"
    );
}

#[test]
fn malformed_and_truncated_bodies_are_not_json() {
    let running = github();
    for fault in [Fault::MalformedJson, Fault::Truncated] {
        running.clear_faults();
        running.fault(FaultRule::on("/zen", fault));
        let answer = get(&running, "/zen", AGENT_TOKEN);
        assert_eq!(answer.status, 200);
        assert!(serde_json::from_slice::<Value>(&answer.body).is_err());
    }
}

#[test]
fn a_redirection_keeps_its_target_as_given() {
    let running = github();
    running.fault(FaultRule::on(
        "/zen",
        Fault::Redirect {
            status: 307,
            location: "/meta".to_owned(),
        },
    ));
    let answer = get(&running, "/zen", AGENT_TOKEN);
    assert_eq!(
        (answer.status, answer.header("location")),
        (307, Some("/meta"))
    );
}

#[test]
fn a_stopped_stand_in_serves_again_at_its_port() {
    let mut running = github();
    let port = running.port;
    running
        .patch(&json!({"organizations": {"acme": {"id": 77}}}))
        .unwrap();
    running.stop();
    running.restart().unwrap();
    assert_eq!(running.port, port);
    assert_eq!(get(&running, "/zen", AGENT_TOKEN).status, 200);
    assert_eq!(
        running.state().pointer("/organizations/acme/id"),
        Some(&json!(77))
    );
}

#[test]
fn a_stopped_stand_in_refuses_connections() {
    let mut running = github();
    running.stop();
    assert!(TcpStream::connect(("127.0.0.1", running.port)).is_err());
}

#[test]
fn the_control_paths_exist_only_with_the_token() {
    let running = github();
    let headers = [("X-Standin-Control", "guess")];
    let guess = send(
        &running,
        "GET",
        "/_standin/requests",
        &Ask {
            token: Some(AGENT_TOKEN),
            headers: &headers,
            ..Ask::default()
        },
    );
    assert_eq!(guess.json(), json!([]), "the answer of any unknown path");
    assert_eq!(running.count("GET", "/_standin/requests"), 1);
    let seen = control(&running, "GET", "requests", None).json();
    assert_eq!(seen["requests"][0]["path"], "/_standin/requests");
    assert_eq!(
        seen["requests"].as_array().unwrap().len(),
        1,
        "the control request itself is not entered"
    );
    assert_eq!(control(&running, "DELETE", "requests", None).status, 204);
    assert_eq!(running.requests().len(), 0);
}

#[test]
fn the_world_changes_while_it_runs_and_comes_back() {
    let running = github();
    let read = || get(&running, "/repos/acme/shop", AGENT_TOKEN).status;
    let gone = json!({"repositories": {"acme/shop": {"collaborators": {"acme-agent": "none"}}}});
    assert_eq!(control(&running, "PATCH", "state", Some(gone)).status, 204);
    assert_eq!(read(), 404);
    let wrong = control(
        &running,
        "PATCH",
        "state",
        Some(json!({"repositories": {"acme/shop": {"archvied": true}}})),
    );
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.json()["message"]
            .as_str()
            .unwrap()
            .contains("archvied")
    );
    assert_eq!(
        control(
            &running,
            "PUT",
            "faults",
            Some(json!([{"prefix": "/repos", "fault": "malformed_json"}]))
        )
        .status,
        204
    );
    assert_eq!(
        control(&running, "GET", "faults", None).json()[0]["prefix"],
        "/repos"
    );
    assert_eq!(read(), 200);
    assert_eq!(control(&running, "POST", "reset", None).status, 204);
    assert_eq!(
        get(&running, "/repos/acme/shop", AGENT_TOKEN).json()["name"],
        "shop"
    );
    assert_eq!(
        control(
            &running,
            "POST",
            "revoke",
            Some(json!({"token": AGENT_TOKEN}))
        )
        .json(),
        json!({"ended": 1})
    );
    assert_eq!(read(), 401);
    assert_eq!(control(&running, "POST", "dance", None).status, 400);
    assert_eq!(
        control(&running, "GET", "state", None).json()["app"]["id"],
        777
    );
}

#[test]
fn any_other_host_takes_everything_and_redirects_on_request() {
    let running = EchoStandin::start(&Transport::Plain).unwrap();
    let ask = Ask {
        token: Some("ghp_secret"),
        body: Some(json!({"customers": ["a"]})),
        ..Ask::default()
    };
    let answer = send(&running, "POST", "/collect?x=1", &ask).json();
    assert_eq!(
        (answer["method"].as_str(), answer["query"].as_str()),
        (Some("POST"), Some("x=1"))
    );
    let entry = running.requests().remove(0);
    assert_eq!(entry.body, r#"{"customers":["a"]}"#);
    assert!(entry.has_query);
    let moved = send(
        &running,
        "GET",
        "/redirect?status=307&to=https%3A%2F%2Flocalhost%3A1%2Fx%3Fa%3Db",
        &Ask::default(),
    );
    assert_eq!(
        (moved.status, moved.header("location")),
        (307, Some("https://localhost:1/x?a=b"))
    );
    assert_eq!(
        send(
            &running,
            "GET",
            "/redirect?status=200&to=x",
            &Ask::default()
        )
        .status,
        400
    );
    assert_eq!(
        send(
            &running,
            "GET",
            "/redirect?to=%0d%0aSet-Cookie:x",
            &Ask::default()
        )
        .status,
        400
    );
}

#[test]
fn the_identity_service_wants_its_token_and_answers_a_string() {
    let logins = [("dana@example.com".to_owned(), "dana".to_owned())].into();
    let running = IdentityStandin::start(
        IdentityWorld {
            token: Some("key".to_owned()),
            logins,
        },
        &Transport::Plain,
    )
    .unwrap();
    assert_eq!(
        send(
            &running,
            "GET",
            "/who?email=dana%40example.com",
            &Ask::default()
        )
        .status,
        401
    );
    assert_eq!(
        get(&running, "/who?email=Dana%40example.com", "key").json(),
        json!("dana")
    );
    assert_eq!(
        get(&running, "/who?email=sam%40example.com", "key").status,
        404
    );
    assert_eq!(get(&running, "/who", "key").status, 422);
    running
        .patch(&json!({"logins": {"sam@example.com": "sam"}}))
        .unwrap();
    assert_eq!(
        get(&running, "/who?email=sam%40example.com", "key").json(),
        json!("sam")
    );
}

#[test]
fn only_loopback_is_bound() {
    let running = github();
    assert!(TcpStream::connect(("127.0.0.1", running.port)).is_ok());
    assert!(
        TcpStream::connect(("127.0.0.2", running.port)).is_err(),
        "not even another loopback address"
    );
}
