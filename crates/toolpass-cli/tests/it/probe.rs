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
