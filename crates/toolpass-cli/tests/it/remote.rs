//! `toolpass check -server`: our own server answers, and far ends that are not to be believed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Stdio};
use std::thread;

use crate::support::{Folder, same, shown};

/// A far end that gives one answer to every request, and what it was asked.
fn far_end(status: u16, body: &'static str) -> (SocketAddr, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut sent = vec![0; length];
        reader.read_exact(&mut sent).unwrap();
        let mut stream = reader.into_inner();
        write!(
            stream,
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nLocation: https://evil.example/\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        head + &String::from_utf8(sent).unwrap()
    });
    (address, asked)
}

fn ask(server: &str, more: &[&str]) -> String {
    let folder = Folder::with(&[("key", "s3cr3t-key"), ("token", "aaa.bbb.ccc")]);
    let fixed = [
        "check",
        "-server",
        server,
        "-api-key",
        "file:key",
        "-connection",
        "main",
        "-user",
        "dana@example.com",
        "-action",
        "thing.read",
        "-resource",
        "thing:1",
    ];
    let output = folder.command(&[&fixed, more].concat()).output().unwrap();
    let shown = shown(&output);
    assert!(!shown.contains("s3cr3t"), "{shown}");
    shown
}

#[test]
fn the_question_and_the_answer() {
    let (address, asked) = far_end(
        200,
        r#"{"decision":"allow","reason":"allowed: yes","identity":"42","extra":1}"#,
    );
    let shown = ask(
        &format!("http://{address}/check/"),
        &[
            "-json",
            "-group",
            "b",
            "-group",
            "a",
            "-fresh",
            "-token",
            "file:token",
        ],
    );
    same(
        &shown,
        r#"
exit 0
--- stdout
{"decision":"allow","identity":"42","reason":"allowed: yes","status":200}
"#,
    );
    let asked = asked.join().unwrap();
    assert!(asked.starts_with("POST /check HTTP/1.1\r\n"), "{asked}");
    assert!(
        asked.contains("authorization: Bearer s3cr3t-key\r\n"),
        "{asked}"
    );
    assert!(
        asked.contains(r#""groups":["b","a"]"#) && asked.contains(r#""token":"aaa.bbb.ccc""#),
        "{asked}"
    );
}

#[test]
fn an_allow_that_is_not_wholly_one_is_no_decision() {
    for (status, body) in [
        (401, r#"{"decision":"allow","reason":"allowed"}"#),
        (500, r#"{"decision":"allow","reason":"allowed"}"#),
        (302, r#"{"decision":"allow","reason":"allowed"}"#),
        (
            200,
            r#"{"decision":"deny","Decision":"allow","reason":"allowed"}"#,
        ),
        (200, "not json"),
    ] {
        let (address, _asked) = far_end(status, body);
        let shown = ask(&format!("http://{address}"), &[]);
        assert!(
            shown.starts_with("exit 2\n--- stderr\ntoolpass check: the server gave no decision: "),
            "{body}: {shown}"
        );
    }
    let (address, _asked) = far_end(
        503,
        r#"{"decision":"unknown","reason":"overloaded: later"}"#,
    );
    same(
        &ask(&format!("http://{address}"), &[]),
        "\nexit 3\n--- stdout\nunknown\n  overloaded: later\n",
    );
}

#[test]
fn what_a_server_cannot_be() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let shown = ask(&format!("http://{closed}"), &[]);
    assert!(
        shown.starts_with("exit 2\n--- stderr\ntoolpass check: POST "),
        "{shown}"
    );
    for (server, more, says) in [
        (
            "http://example.com",
            &[][..],
            "-server: expected an `https://` URL",
        ),
        ("https://u:p@example.com", &[], "-server: "),
        (
            "https://h",
            &["-config", "x"],
            "-config does not go with -server",
        ),
        (
            "https://h",
            &["-batch", "x"],
            "-batch does not go with -server",
        ),
        (
            "https://h",
            &["-explain"],
            "-explain does not go with -server",
        ),
        (
            "https://h",
            &["-timeout", "0"],
            "-timeout: expected a duration above 0",
        ),
        (
            "https://h",
            &["-api-key", "s3cr3t"],
            "-api-key: expected `env:NAME` or `file:PATH`",
        ),
    ] {
        let shown = ask(server, more);
        assert!(
            shown.starts_with(&format!("exit 2\n--- stderr\ntoolpass check: {says}")),
            "{shown}"
        );
    }
    let shown = Folder::with(&[]).run(&["check", "-api-key", "env:X"]);
    assert!(
        shown.starts_with("exit 2\n--- stderr\ntoolpass check: -api-key goes with -server only"),
        "{shown}"
    );
}

/// Our own server, ended with its owner.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn our_own_server_answers_as_the_command_does() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let config = format!(
        "api_key: file:key\nlisten: \"{address}\"\ndecision_log: none\nconnections:\n  - {{id: main, integration: fake, users: dana@example.com}}\n"
    );
    let folder = Folder::with(&[("toolpass.yaml", &config), ("key", "s3cr3t-key")]);
    let mut command = folder.command(&["serve", "-config", "toolpass.yaml", "-data", "."]);
    let mut server = Server(command.stderr(Stdio::piped()).spawn().unwrap());
    // Its first lines say that it listens.
    let mut log = BufReader::new(server.0.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(&address.port().to_string()) {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "it ended");
    }
    for more in [&[][..], &["-max-age", "1m"]] {
        let shown = ask(&format!("http://{address}"), more);
        same(
            &shown,
            "\nexit 0\n--- stdout\nallow\n  allowed: \"dana@example.com\" is a user\n",
        );
    }
}
