//! `toolpass probe`: one line a connection, and the exit.

use crate::support::{Folder, same};

#[test]
fn connections_that_work() {
    let folder = Folder::with(&[("toolpass.yaml", MIXED)]);
    same(
        &folder.run(&["probe", "-config", "toolpass.yaml", "-connection", "main"]),
        r#"
exit 0
--- stdout
ok    main                      fake              users: 1, admins: 0
"#,
    );
}

#[test]
fn one_that_fails_stops_no_other() {
    let folder = Folder::with(&[("toolpass.yaml", MIXED)]);
    same(
        &folder.run(&["probe", "-config", "toolpass.yaml"]),
        r#"
exit 1
--- stdout
ok    main                      fake              users: 1, admins: 0
FAIL  down                      fake              credential_rejected: this connection is set to fail
ok    empty                     fake              users: 0, admins: 0
      warning: no `users` and no `admins`: nobody has an account here
"#,
    );
}

#[test]
fn warnings_fail_only_who_asks_for_it() {
    let folder = Folder::with(&[("toolpass.yaml", WARNS)]);
    let probe =
        |more: &[&str]| folder.run(&[&["probe", "-config", "toolpass.yaml"], more].concat());
    assert!(probe(&[]).starts_with("exit 0\n"));
    assert!(probe(&["-require-no-warnings"]).starts_with("exit 3\n"));
    assert!(probe(&["-require-no-warnings", "-connection", "main"]).starts_with("exit 0\n"));
    same(
        &probe(&["-json", "-timeout", "5s"]),
        r#"
exit 0
--- stdout
{"connection":"main","integration":"fake","ok":true,"text":"users: 1, admins: 0","warnings":[]}
{"connection":"empty","integration":"fake","ok":true,"text":"users: 0, admins: 0","warnings":["no `users` and no `admins`: nobody has an account here"]}
"#,
    );
    assert!(
        probe(&["-timeout", "0"]).starts_with(
            "exit 2\n--- stderr\ntoolpass probe: -timeout: expected a duration above 0"
        )
    );
    let failing = Folder::with(&[("toolpass.yaml", MIXED)]);
    let shown = failing.run(&["probe", "-config", "toolpass.yaml", "-require-no-warnings"]);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
}

#[test]
fn an_unknown_id_is_told_the_known() {
    let folder = Folder::with(&[("toolpass.yaml", MIXED)]);
    same(
        &folder.run(&["probe", "-config", "toolpass.yaml", "-connection", "maim"]),
        r#"
exit 1
--- stderr
toolpass probe: -connection: no connection has the id `maim`; there are `main`, `down`, `empty`
"#,
    );
}

const MIXED: &str = "connections:
  - {id: main, integration: fake, users: dana@example.com}
  - {id: down, integration: fake, users: dana@example.com, fail: credential_rejected}
  - {id: empty, integration: fake}
";
const WARNS: &str = "connections:
  - {id: main, integration: fake, users: dana@example.com}
  - {id: empty, integration: fake}
";
