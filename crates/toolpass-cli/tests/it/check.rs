//! `toolpass check`: every outcome, its exit, and what is asked of whom.

use std::io::Read as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::support::{Folder, same, shown};

#[test]
fn the_exit_is_the_decision() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE)]);
    for (user, connection, action, resource, expected) in [
        (
            DANA,
            "main",
            "thing.read",
            "thing:1",
            "exit 0 allow | allowed: \"dana@example.com\" is a user",
        ),
        (
            ADMIN,
            "main",
            "thing.admin",
            "thing:1",
            "exit 0 allow | allowed: \"admin@example.com\" is an admin",
        ),
        (
            DANA,
            "main",
            "thing.write",
            "thing:1",
            "exit 1 deny | denied: \"dana@example.com\" is no admin",
        ),
        (
            "eve@example.com",
            "main",
            "thing.read",
            "thing:1",
            "exit 1 deny | user_not_found: no account has this e-mail",
        ),
        (
            "ambiguous@example.com",
            "main",
            "thing.read",
            "thing:1",
            "exit 3 unknown | user_ambiguous: two accounts have this e-mail",
        ),
        (
            DANA,
            "main",
            "thing.read",
            "thing:hidden",
            "exit 3 unknown | resource_not_visible: toolpass cannot see the thing",
        ),
        (
            DANA,
            "main",
            "thing.read",
            "thing:broken",
            "exit 3 unknown | unsupported: the thing has a rule that cannot be evaluated",
        ),
        (
            DANA,
            "main",
            "thing.read",
            "repo:a/b",
            "exit 3 unknown | invalid_request: expected a resource of type `thing`, found \"repo\"",
        ),
        (
            DANA,
            "main",
            "thing.eat",
            "thing:1",
            "exit 3 unknown | unknown_action: fake has no action \"thing.eat\"",
        ),
        (
            DANA,
            "other",
            "thing.read",
            "thing:1",
            "exit 3 unknown | unknown_connection: no connection has the id \"other\"",
        ),
        (
            DANA,
            "slow",
            "thing.read",
            "thing:1",
            "exit 3 unknown | upstream_timeout: this connection is set to fail",
        ),
        (
            DANA,
            "limited",
            "thing.read",
            "thing:1",
            "exit 3 unknown | upstream_rate_limited: this connection is set to fail",
        ),
    ] {
        let mut command = folder.command(&["check", "-config", "toolpass.yaml", "-user", user]);
        command.args([
            "-connection",
            connection,
            "-action",
            action,
            "-resource",
            resource,
        ]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.replace("\n  ", " | ").replace('\n', "");
        assert_eq!(
            format!("exit {} {line}", output.status.code().unwrap()),
            expected
        );
        assert_eq!(output.stderr, b"");
    }
}

#[test]
fn a_user_that_is_none_is_no_question() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE)]);
    let arguments = asking(&["-user", "dana", "-action", "thing.read"]);
    same(
        &folder.run(&arguments),
        r#"
exit 3
--- stdout
unknown
  invalid_request: expected the user's e-mail: one `@`, both sides non-empty, at most 320 bytes
"#,
    );
}

#[test]
fn json_is_the_whole_decision_on_one_line() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE)]);
    same(
        &folder.run(&asking(&["-user", DANA, "-action", "thing.read", "-json"])),
        r#"
exit 0
--- stdout
{"decision":"allow","reason":"allowed: \"dana@example.com\" is a user","identity":"dana@example.com","status":200,"id":"[ID]","as_of":"[TIME]"}
"#,
    );
    same(
        &folder.run(&asking(&[
            "-user",
            DANA,
            "-action",
            "thing.write",
            "-json",
            "-explain",
        ])),
        r#"
exit 1
--- stdout
{"decision":"deny","reason":"denied: \"dana@example.com\" is no admin","code":"denied","rule":"admins","integration":"fake","identity":"dana@example.com","status":200,"id":"[ID]","as_of":"[TIME]","cached":false,"calls":[],"steps":[{"name":"stored decision","took_ms":[MS],"note":"none"},{"name":"turn","took_ms":[MS]},{"name":"account","took_ms":[MS],"note":"\"dana@example.com\", looked up"},{"name":"system","took_ms":[MS]}],"took_ms":[MS]}
"#,
    );
    same(
        &folder.run(&asking(&[
            "-user",
            "eve@example.com",
            "-action",
            "thing.read",
            "-json=v1",
        ])),
        r#"
exit 1
--- stdout
{"decision":"deny","reason":"user_not_found: no account has this e-mail"}
"#,
    );
    same(
        &folder.run(&asking(&[
            "-user",
            "eve",
            "-action",
            "thing.read",
            "-json=true",
        ])),
        r#"
exit 3
--- stdout
{"decision":"unknown","reason":"invalid_request: expected the user's e-mail: one `@`, both sides non-empty, at most 320 bytes","status":400,"id":"[ID]"}
"#,
    );
}

#[test]
fn explain_shows_the_account() {
    let folder = Folder::with(&[("toolpass.yaml", FAKE)]);
    same(
        &folder.run(&asking(&[
            "-user",
            "Dana@Example.com",
            "-action",
            "thing.read",
            "-explain",
            "-fresh",
        ])),
        r#"
exit 0
--- stdout
allow
  allowed: "dana@example.com" is a user
  identity  dana@example.com
  rule      users
  as of     [TIME]
  step      stored decision  [MS] ms  none
  step      turn  [MS] ms
  step      account  [MS] ms  "dana@example.com", looked up
  step      system  [MS] ms
  took      [MS] ms
"#,
    );
    same(
        &folder.run(&asking(&[
            "-user",
            "eve@example.com",
            "-action",
            "thing.read",
            "-explain",
        ])),
        r#"
exit 1
--- stdout
deny
  user_not_found: no account has this e-mail
  identity  none was found
  as of     [TIME]
  step      stored decision  [MS] ms  none
  step      turn  [MS] ms
  step      account  [MS] ms  user_not_found, looked up
  took      [MS] ms
"#,
    );
}

#[test]
fn everything_missing_is_named_at_once() {
    let folder = Folder::with(&[]);
    let shown = folder.run(&["check", "-user", DANA, "-action="]);
    assert!(
        shown.starts_with(
            "exit 2\n--- stderr\ntoolpass check: required: -connection, -action, -resource\nusage: "
        ),
        "{shown}"
    );
}

#[test]
fn a_broken_sibling_does_not_matter() {
    let text = format!("{FAKE}  - {{id: broken, integration: fake, ca_file: toolpass.yaml}}\n");
    let folder = Folder::with(&[("toolpass.yaml", &text)]);
    let shown = folder.run(&asking(&["-user", DANA, "-action", "thing.read"]));
    assert!(shown.starts_with("exit 0\n--- stdout\nallow\n"), "{shown}");
    let arguments = [
        "check",
        "-config",
        "toolpass.yaml",
        "-user",
        DANA,
        "-connection",
        "broken",
        "-action",
        "thing.read",
    ];
    same(
        &folder.run(&[&arguments[..], &["-resource", "thing:1"]].concat()),
        r#"
exit 2
--- stderr
toolpass.yaml: connection "broken" (fake): `ca_file`: expected at least one PEM certificate
"#,
    );
}

#[test]
fn no_decision_is_logged_where_the_configuration_says() {
    let folder = Folder::with(&[("toolpass.yaml", &format!("decision_log: log.jsonl\n{FAKE}"))]);
    let shown = folder.run(&asking(&["-user", DANA, "-action", "thing.read"]));
    assert!(shown.starts_with("exit 0\n"), "{shown}");
    assert!(!folder.as_ref().join("log.jsonl").exists());
}

#[test]
fn a_configuration_that_cannot_be_read_is_no_decision() {
    let folder = Folder::with(&[("bad.yaml", "connections: 5\n")]);
    let question = [
        "-connection",
        "main",
        "-user",
        DANA,
        "-action",
        "thing.read",
        "-resource",
        "thing:1",
    ];
    same(
        &folder.run(&[&["check", "-config", "bad.yaml"], &question[..]].concat()),
        r#"
exit 2
--- stderr
bad.yaml:1: expected a list under `connections`; write `[]` for none
"#,
    );
    same(
        &folder.run(&[&["check", "-config", "none.yaml"], &question[..]].concat()),
        r#"
exit 2
--- stderr
none.yaml: there is no such file
hint: name the configuration with -config FILE or TOOLPASS_CONFIG
"#,
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_without_a_decision() {
    for signal in ["-INT", "-TERM"] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let text = format!(
            "connections:\n  - {{id: main, integration: github, organization: acme, token: 'env:TOOLPASS_TEST_TOKEN', \
         identity_mode: template, email_domains: example.com, url: 'http://127.0.0.1:{port}'}}\n"
        );
        let folder = Folder::with(&[("toolpass.yaml", &text)]);
        let mut command = folder.command(&[
            "check",
            "-config",
            "toolpass.yaml",
            "-connection",
            "main",
            "-user",
            DANA,
        ]);
        command
            .args(["-action", "repo.read", "-resource", "repo:acme/app"])
            .env("TOOLPASS_TEST_TOKEN", "t");
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Once the question arrived the signals are caught; it is never answered.
        let (mut asked, _) = listener.accept().unwrap();
        asked.read_exact(&mut [0; 4]).unwrap();
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        same(
            &shown(&output),
            r#"
exit 2
--- stderr
toolpass check: interrupted, so there is no answer
"#,
        );
    }
}

/// `check` of `thing:1` in `main`.
fn asking<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [
        &[
            "check",
            "-config",
            "toolpass.yaml",
            "-connection",
            "main",
            "-resource",
            "thing:1",
        ],
        rest,
    ]
    .concat()
}

const DANA: &str = "dana@example.com";
const ADMIN: &str = "admin@example.com";

const FAKE: &str = "connections:
  - {id: main, integration: fake, users: dana@example.com, admins: admin@example.com}
  - {id: slow, integration: fake, users: dana@example.com, fail: upstream_timeout}
  - {id: limited, integration: fake, users: dana@example.com, fail: upstream_rate_limited}
";
