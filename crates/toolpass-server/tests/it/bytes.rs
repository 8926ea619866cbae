//! The rules of requests, byte for byte: framing, sizes, time.

use crate::client::{Wire, post};
use crate::running::{FAKE, KEY, Running, start};

const BODY: &str =
    r#"{"user":"dana@example.com","connection":"fake","action":"thing.read","resource":"thing:1"}"#;

/// A request with these framing headers and this body, and another one after it.
fn framed(headers: &str, body: &str) -> String {
    format!(
        "POST /check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {KEY}\r\n{headers}\r\n{body}GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    )
}

/// Send bytes and expect these statuses, then the end of the connection.
fn statuses(server: &Running, bytes: impl AsRef<[u8]>) -> Vec<u16> {
    let mut wire = Wire::open(server.address);
    wire.send(bytes);
    wire.end();
    let mut statuses = Vec::new();
    while let Some(answer) = wire.answer_to(false) {
        statuses.push(answer.status);
    }
    statuses
}

#[test]
fn a_body_is_framed_in_one_way_or_nothing_follows_it() {
    let server = start(FAKE);
    let length = BODY.len();
    let fine = [200, 200];
    let chunked = |body: &str| framed("Transfer-Encoding: chunked\r\n", body);
    let one = format!("{length:x}\r\n{BODY}\r\n0\r\n\r\n");
    for (bytes, expected) in [
        (
            framed(&format!("Content-Length: {length}\r\n"), BODY),
            &fine[..],
        ),
        (framed(&format!("content-length:{length}\r\n"), BODY), &fine),
        (chunked(&one), &fine),
        (
            chunked(&format!(
                "1;x=\"y\"\r\n{{\r\n{:X}\r\n{}\r\n000\r\nTrailer: x\r\n\r\n",
                length - 1,
                &BODY[1..]
            )),
            &fine,
        ),
        (
            framed(
                &format!("Content-Length: {length}\r\nContent-Length: {length}\r\n"),
                BODY,
            ),
            &[400],
        ),
        (
            framed(
                &format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
                &one,
            ),
            &[400],
        ),
        (
            framed(
                &format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"),
                &one,
            ),
            &[400],
        ),
        (
            framed(
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                &one,
            ),
            &[400],
        ),
        (framed("Transfer-Encoding: gzip, chunked\r\n", &one), &[400]),
        (framed("Transfer-Encoding: identity\r\n", BODY), &[400]),
        (
            framed(&format!("Content-Length: +{length}\r\n"), BODY),
            &[400],
        ),
        (
            framed(&format!("Content-Length: {length}_0\r\n"), BODY),
            &[400],
        ),
        (
            framed(&format!("Content-Length: 0x{length:x}\r\n"), BODY),
            &[400],
        ),
        (
            framed(&format!("Content-Length: \u{b}{length}\r\n"), BODY),
            &[400],
        ),
        (framed("Content-Length: ٥\r\n", BODY), &[400]),
        (framed("Content-Length: \r\n", BODY), &[400]),
        (
            chunked(&format!("{length:x} \r\n{BODY}\r\n0\r\n\r\n")),
            &[400],
        ),
        (
            chunked(&format!(" {length:x}\r\n{BODY}\r\n0\r\n\r\n")),
            &[400],
        ),
        (
            chunked(&format!("+{length:x}\r\n{BODY}\r\n0\r\n\r\n")),
            &[400],
        ),
        (
            chunked(&format!("0x{length:x}\r\n{BODY}\r\n0\r\n\r\n")),
            &[400],
        ),
        (chunked(&format!("{length:x}\n{BODY}\r\n0\r\n\r\n")), &[400]),
        (chunked(&format!("{length:x}\r\n{BODY}0\r\n\r\n")), &[400]),
        (
            chunked(&format!("{length:017x}\r\n{BODY}\r\n0\r\n\r\n")),
            &[400],
        ),
        (chunked(&format!("{length:x}\r\n{BODY}\r\n")), &[400]),
    ] {
        assert_eq!(statuses(&server, &bytes), expected, "{bytes:?}");
    }
}

#[test]
fn what_is_no_http_is_told_so_and_closed() {
    let server = start(FAKE);
    for bytes in [
        "nonsense\r\n\r\n",
        "GET /healthz\r\n\r\n",
        "GET /healthz HTTP/1.1\nHost: a\n\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
    ] {
        let followed = format!("{bytes}GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(statuses(&server, &followed), [400], "{bytes:?}");
    }
}

#[test]
fn a_body_that_ends_too_early_is_unreadable() {
    let server = start(FAKE);
    let mut wire = Wire::open(server.address);
    wire.send(format!(
        "POST /check HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 100\r\n\r\n{{}}"
    ));
    wire.end();
    let answer = wire.answer();
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(
        answer.reason(),
        "invalid_request: the body cannot be read: the body ends too early"
    );
    assert!(wire.is_closed());
}

#[test]
fn sizes_are_bounded() {
    let server = start(FAKE);
    let header =
        |bytes: usize| format!("GET /healthz HTTP/1.1\r\nx: {}\r\n\r\n", "v".repeat(bytes));
    assert_eq!(statuses(&server, header(16 * 1024 - 1)), [200]);
    assert_eq!(statuses(&server, header(16 * 1024)), [431]);
    assert_eq!(statuses(&server, header(1 << 20)), [431]);
    let endless = format!("GET /healthz HTTP/1.1\r\nx: {}", "v".repeat(1 << 20));
    assert_eq!(statuses(&server, endless), [431]);
    let many = format!("GET /healthz HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(101));
    assert_eq!(statuses(&server, many), [431]);

    let spaces = |bytes: usize| " ".repeat(bytes) + "null";
    assert_eq!(
        statuses(&server, post("/check", &spaces(64 * 1024 - 4))),
        [400]
    );
    for bytes in [64 * 1024 - 3, 1 << 20] {
        let mut wire = Wire::open(server.address);
        wire.send(post("/check", &spaces(bytes)));
        let answer = wire.answer();
        assert_eq!(answer.status, 413);
        assert_eq!(
            answer.reason(),
            "invalid_request: the body is larger than 64 KiB"
        );
        assert!(wire.is_closed());
    }
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let chunked = format!(
        "POST /check HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n"
    );
    assert_eq!(statuses(&server, chunked), [413]);
}

#[test]
fn a_connection_is_kept_and_used_in_order() {
    let server = start(FAKE);
    let mut wire = Wire::open(server.address);
    for _ in 0..3 {
        wire.send(post("/check", BODY));
        assert_eq!(wire.answer().json()["decision"], "allow");
    }
    let pipelined = post("/check", BODY)
        + "\r\n"
        + &post("/check", "x")
        + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    wire.send(pipelined);
    let statuses: Vec<u16> = (0..3).map(|_| wire.answer().status).collect();
    assert_eq!(statuses, [200, 400, 200]);
    assert!(wire.is_closed());
    let mut old = Wire::open(server.address);
    old.send("GET /healthz HTTP/1.0\r\n\r\n");
    assert_eq!(old.answer().status, 200);
    assert!(old.is_closed());
}

#[test]
fn a_client_that_waits_for_leave_is_given_it() {
    let server = start(FAKE);
    let mut wire = Wire::open(server.address);
    wire.send(format!("POST /check HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n", BODY.len()));
    let leave = wire.answer_to(false);
    assert!(leave.is_none_or(|leave| leave.status == 100));
    wire.send(BODY);
    assert_eq!(wire.answer().status, 200);
}
