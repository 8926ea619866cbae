//! `toolpass check -batch`, and what a question may hold besides: a token, an age.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Folder, same, shown};

#[test]
fn every_line_is_answered_in_its_place_and_the_worst_is_the_exit() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE), ("q.jsonl", MIXED)]);
    same(
        &folder.run(&[
            "check",
            "-config",
            "toolpass.yaml",
            "-batch",
            "q.jsonl",
            "-json=v1",
        ]),
        r#"
exit 3
--- stdout
{"decision":"allow","reason":"allowed: \"dana@example.com\" is a user"}
{"decision":"deny","reason":"denied: \"dana@example.com\" is no admin"}
{"decision":"unknown","reason":"invalid_request: line 4: expected a JSON object with `user`, `connection`, `action`, `resource` and perhaps `groups`, `fresh`, `max_age` and `token` (column 2)"}
{"decision":"unknown","reason":"unknown_connection: no connection has the id \"other\""}
{"decision":"unknown","reason":"invalid_request: line 6: `max_age`: expected seconds of at least 0"}
{"decision":"allow","reason":"allowed: \"admin@example.com\" is an admin"}
"#,
    );
}

#[test]
fn flags_say_what_lines_do_not_and_the_whole_decision_is_printed() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE)]);
    let mut child = folder
        .command(&[
            "check",
            "-config",
            "toolpass.yaml",
            "-batch",
            "-",
            "-connection",
            "main",
            "-action",
            "thing.write",
            "-user",
            "admin@example.com",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines =
        "{\"resource\":\"thing:1\"}\n{\"resource\":\"thing:2\",\"user\":\"dana@example.com\"}\n";
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    same(
        &shown(&child.wait_with_output().unwrap()),
        r#"
exit 1
--- stdout
{"decision":"allow","reason":"allowed: \"admin@example.com\" is an admin","identity":"admin@example.com","status":200,"id":"[ID]","as_of":"[TIME]"}
{"decision":"deny","reason":"denied: \"dana@example.com\" is no admin","identity":"dana@example.com","status":200,"id":"[ID]","as_of":"[TIME]"}
"#,
    );
}

#[test]
fn more_lines_than_one_batch_takes() {
    let lines: String = (0..250)
        .map(|n| format!("{{\"user\":\"dana@example.com\",\"connection\":\"main\",\"action\":\"thing.read\",\"resource\":\"thing:{n}\"}}\n"))
        .collect();
    let folder = Folder::with(&[("toolpass.yaml", FAKE), ("q.jsonl", &lines)]);
    let shown = folder.run(&["check", "-config", "toolpass.yaml", "-batch", "q.jsonl"]);
    assert!(shown.starts_with("exit 0\n"), "{shown}");
    assert_eq!(shown.matches("\"decision\":\"allow\"").count(), 250);
}

#[test]
fn what_cannot_be_a_batch() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE)]);
    for (arguments, says) in [
        (&["-batch", ""][..], "-batch: expected a file"),
        (&["-batch", "-", "-config", "-"], "-batch: expected a file"),
        (&["-batch", "q", "-explain"], "-explain is for one question"),
        (&["-batch", "nowhere"], "-batch `nowhere`: "),
        (
            &["-batch", "q", "-max-age", "soon"],
            "-max-age: expected a duration",
        ),
    ] {
        let shown = folder.run(&[&["check"], arguments].concat());
        assert!(
            shown.starts_with(&format!("exit 2\n--- stderr\ntoolpass check: {says}")),
            "{shown}"
        );
    }
}

#[test]
fn a_token_is_named_and_never_shown() {
    let folder = Folder::with(&[
        ("toolpass.yaml", FAKE),
        ("token", "hunter2.hunter2.hunter2"),
        ("bad", "hunter2 hunter2"),
    ]);
    let ask = |token: &str| {
        let mut command = folder.command(&[
            "check",
            "-config",
            "toolpass.yaml",
            "-connection",
            "main",
            "-user",
            "dana@example.com",
            "-action",
            "thing.read",
            "-resource",
            "thing:1",
            "-max-age",
            "0",
            "-token",
            token,
        ]);
        command.env("ID_TOKEN", "hunter2.hunter2.hunter2");
        shown(&command.output().unwrap())
    };
    for token in ["file:token", "env:ID_TOKEN"] {
        assert!(ask(token).starts_with("exit 0\n"), "{}", ask(token));
    }
    for (token, says) in [
        (
            "hunter2",
            "-token: expected `env:NAME` or `file:PATH`; the token itself is not accepted",
        ),
        ("env:NOT_SET_AT_ALL", "-token: "),
        (
            "file:bad",
            "-token: expected a token of at most 16384 printable ASCII characters",
        ),
    ] {
        let shown = ask(token);
        assert!(
            shown.starts_with(&format!("exit 2\n--- stderr\ntoolpass check: {says}")),
            "{shown}"
        );
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

const FAKE: &str = "connections:
  - {id: main, integration: fake, users: dana@example.com, admins: admin@example.com}
";
const MIXED: &str = r#"{"user":"dana@example.com","connection":"main","action":"thing.read","resource":"thing:1"}
{"user":"dana@example.com","connection":"main","action":"thing.write","resource":"thing:1","groups":["x"]}

not json
{"user":"dana@example.com","connection":"other","action":"thing.read","resource":"thing:1"}
{"user":"dana@example.com","connection":"main","action":"thing.read","resource":"thing:1","max_age":-1}
{"user":"admin@example.com","connection":"main","action":"thing.admin","resource":"thing:1","fresh":true}
"#;
