//! `toolpass validate`: what is right, what is wrong, and where the file comes from.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Folder, known, same, shown};

#[test]
fn a_file_without_mistakes() {
    let folder = Folder::with(&[("toolpass.yaml", FINE)]);
    same(
        &folder.run(&["validate", "-config", "toolpass.yaml"]),
        r#"
exit 0
--- stdout
toolpass.yaml: ok, 1 connection
main                      fake
--- stderr
note: toolpass.yaml: without `api_key` or `api_keys`; fine in process, `serve` needs one
"#,
    );
}

#[test]
fn several_files_as_json_and_warnings_as_mistakes() {
    let folder = Folder::with(&[
        ("a.yaml", FINE),
        ("b.yaml", "connections: 7\n"),
        ("c.yaml", LONG),
    ]);
    same(
        &folder.run(&["validate", "-json", "a.yaml", "b.yaml"]),
        r#"
exit 1
--- stdout
{"file":"a.yaml","ok":true,"connections":[{"id":"main","integration":"fake"}],"problems":[],"warnings":[],"serves":false}
{"file":"b.yaml","ok":false,"connections":[],"problems":["b.yaml:1: expected a list under `connections`; write `[]` for none"],"warnings":[],"serves":false}
"#,
    );
    let loose = folder.run(&["validate", "c.yaml"]);
    assert!(
        loose.starts_with("exit 0\n--- stdout\nc.yaml: ok, 0 connections\n--- stderr\nwarning: "),
        "{loose}"
    );
    let strict = folder.run(&["validate", "-strict", "c.yaml"]);
    assert!(
        strict.starts_with("exit 1\n--- stdout\nc.yaml: warnings, 0 connections\n"),
        "{strict}"
    );
    let both = folder.run(&["validate", "-config", "a.yaml", "b.yaml"]);
    assert!(both.starts_with("exit 2\n"), "{both}");
}

#[test]
fn a_list_where_one_text_is_read_is_told_how() {
    let file =
        "connections:\n  - {id: main, integration: fake, users: [a@b.example, c@d.example]}\n";
    same(
        &Folder::with(&[("toolpass.yaml", file)]).run(&["validate", "-config", "toolpass.yaml"]),
        r#"
exit 1
--- stderr
toolpass.yaml:2: connection "main": `users`: expected one text, separated by commas, as in `a, b`; not a list, a mapping or an alias
"#,
    );
}

#[test]
fn twelve_mistakes_are_twelve_lines() {
    let folder = Folder::with(&[("toolpass.yaml", TWELVE)]);
    let shown = folder.run(&["validate", "-config", "toolpass.yaml"]);
    assert_eq!(
        shown
            .lines()
            .filter(|line| line.starts_with("toolpass.yaml:"))
            .count(),
        12,
        "{shown}"
    );
    let expected = r#"
exit 1
--- stderr
toolpass.yaml:1: unknown key `lisen`; did you mean `listen`?; accepted: `api_key`, `api_keys`, `connections`, `decision_cache_seconds`, `decision_log`, `decision_log_mask`, `decision_log_on_error`, `decision_log_otlp`, `identity_cache_seconds`, `listen` and `server`
toolpass.yaml:2: `api_key`: expected `env:NAME` or `file:/path`; inline secrets are not accepted
toolpass.yaml:3: `decision_cache_seconds`: expected whole seconds from 0 to 3600, or a duration up to 1h
toolpass.yaml:5: connection 1: `id`: expected lower-case letters, digits and `-`, at most 64, not beginning with `-`
toolpass.yaml:9: connection "a": `fail`: expected `none`, `upstream_timeout`, `upstream_error`, `credential_rejected` or `upstream_rate_limited`
toolpass.yaml:10: connection "a": unknown key `userz`; did you mean `users`?; accepted: `admins`, `ca_file`, `ca_mode`, `caller_groups`, `decision_cache_seconds`, `deny_cache_seconds`, `fail`, `groups`, `groups_mapped`, `id`, `identity_cache_seconds`, `integration`, `max_concurrency`, `no_proxy`, `not_found_cache_seconds`, `private`, `proxy_credential`, `proxy_url`, `proxy_username`, `strict_reads`, `timeout`, `tls_server_name` and `users`
toolpass.yaml:11: connection "a": the id is taken by another connection on line 7
toolpass.yaml:12: connection "a": unknown integration `githup`; did you mean `github`?; known: [SYSTEMS]
toolpass.yaml:13: connection "b": `organization` is missing
toolpass.yaml:15: connection "b": `token`: expected `env:NAME` or `file:/path`; inline secrets are not accepted
toolpass.yaml:16: connection "b": `url`: expected an `https://` URL; `http://` is accepted for `localhost` and loopback addresses only
toolpass.yaml:17: connection "b": `ca_file`: there is no such file
"#;
    same(&shown, &expected.replace("[SYSTEMS]", &known(" and ")));
}

#[test]
fn the_file_is_named_by_flag_or_variable() {
    let folder = Folder::with(&[("a.yaml", FINE), ("b.yaml", "connections: []\n")]);
    let run = |arguments: &[&str], variable: &str| {
        shown(
            &folder
                .command(arguments)
                .env("TOOLPASS_CONFIG", variable)
                .output()
                .unwrap(),
        )
    };
    assert!(run(&["validate"], "a.yaml").contains("a.yaml: ok, 1 connection\n"));
    assert!(
        run(&["validate", "-config", "b.yaml"], "a.yaml").contains("b.yaml: ok, 0 connections\n")
    );
}

#[test]
fn a_missing_file_says_how_to_name_one() {
    let folder = Folder::with(&[]);
    same(
        &folder.run(&["validate", "-config", "toolpass.yaml"]),
        r#"
exit 1
--- stderr
toolpass.yaml: there is no such file
hint: name the configuration with -config FILE or TOOLPASS_CONFIG
"#,
    );
}

#[test]
fn a_dash_is_standard_input() {
    let folder = Folder::with(&[]);
    let run = |text: &[u8]| {
        let mut command = folder.command(&["validate", "-config", "-"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text).unwrap();
        shown(&child.wait_with_output().unwrap())
    };
    same(
        &run(FINE.as_bytes()),
        r#"
exit 0
--- stdout
<stdin>: ok, 1 connection
main                      fake
--- stderr
note: <stdin>: without `api_key` or `api_keys`; fine in process, `serve` needs one
"#,
    );
    same(
        &run(b"connections: {}\n"),
        r#"
exit 1
--- stderr
<stdin>:1: expected a list under `connections`; write `[]` for none
"#,
    );
    same(
        &run(b"\xff"),
        r#"
exit 1
--- stderr
standard input: expected a text in UTF-8
"#,
    );
    same(
        &run(b""),
        r#"
exit 1
--- stderr
<stdin>: the file is empty; expected a mapping with `connections`
"#,
    );
}

#[test]
fn certificates_are_read() {
    let text = "connections:\n  - {id: main, integration: fake, ca_file: toolpass.yaml}\n";
    let folder = Folder::with(&[("toolpass.yaml", text)]);
    same(
        &folder.run(&["validate", "-config", "toolpass.yaml"]),
        r#"
exit 1
--- stderr
toolpass.yaml: connection "main" (fake): `ca_file`: expected at least one PEM certificate
"#,
    );
}

#[test]
fn an_api_key_must_be_readable_and_other_secrets_should_be() {
    let folder = Folder::with(&[(
        "toolpass.yaml",
        &format!("api_key: env:TOOLPASS_TEST_UNSET\n{FINE}"),
    )]);
    same(
        &folder.run(&["validate", "-config", "toolpass.yaml"]),
        r#"
exit 1
--- stderr
toolpass.yaml: `api_key`: secret `env:TOOLPASS_TEST_UNSET`: the environment variable is unset or empty
"#,
    );
    let github =
        "  - {id: gh, integration: github, organization: acme, token: 'env:TOOLPASS_TEST_UNSET'}\n";
    let folder = Folder::with(&[(
        "toolpass.yaml",
        &format!("api_key: env:TOOLPASS_TEST_KEY\n{FINE}{github}"),
    )]);
    let mut command = folder.command(&["validate", "-config", "toolpass.yaml"]);
    same(
        &shown(
            &command
                .env("TOOLPASS_TEST_KEY", "hunter2")
                .output()
                .unwrap(),
        ),
        r#"
exit 0
--- stdout
toolpass.yaml: ok, 2 connections
main                      fake
gh                        github
--- stderr
warning: connection "gh": `token`: secret `env:TOOLPASS_TEST_UNSET`: the environment variable is unset or empty
"#,
    );
}

const FINE: &str = "connections:\n  - {id: main, integration: fake, users: dana@example.com}\n";

const TWELVE: &str = "\
lisen: ':8080'
api_key: hunter2
decision_cache_seconds: soon
connections:
  - id: Main
    integration: fake
  - id: a
    integration: fake
    fail: often
    userz: dana@example.com
  - id: a
    integration: githup
  - id: b
    integration: github
    token: ghp_hunter2
    url: http://github.example.com
    ca_file: nowhere.pem
";

const LONG: &str = "decision_cache_seconds: 1h\nconnections: []\n";
