//! `toolpass entitlements`: what is remarkable in a file, and what changed between two.

use crate::support::{Folder, same};

const OLD: &str = "tools:
  read:
    hosts: [ci.example.com]
    actions:
      - {action: 'github:repo.read', resource: 'repo:{repo}', effect: read}
      - {action: 'github:repo.admin', resource: 'repo:{repo}', effect: write}
";
const LESS: &str = "tools:
  read:
    actions:
      - {action: 'github:repo.read', resource: 'repo:{repo}', effect: read, fresh: true}
      - {action: 'github:repo.admin', resource: 'repo:{repo}', effect: write}
";
const MORE: &str = "tools:
  read:
    hosts: [ci.example.com]
    actions:
      - {action: 'github:repo.read', resource: 'repo:{repo}', as: agent, effect: read}
      - {action: 'github:repo.admin', resource: 'repo:{repo}', effect: destructive}
";
const ODD: &str = "tools:
  read:
    hosts: ['*']
    actions:
      - {action: 'github:repo.admin', resource: 'repo:acme/*', effect: destructive}
      - {action: 'github:repo.read', resource: 'repo:{repo}', effect: read, seen: 1}
note: mine
";

fn folder() -> Folder {
    Folder::with(&[
        ("old.yaml", OLD),
        ("less.yaml", LESS),
        ("more.yaml", MORE),
        ("odd.yaml", ODD),
        ("bad.yaml", "tools:\n  read: {may: everything}\n"),
    ])
}

#[test]
fn what_deserves_a_look() {
    same(
        &folder().run(&["entitlements", "check", "old.yaml", "odd.yaml"]),
        r#"
exit 0
--- stdout
old.yaml: ok, 1 tool, nothing deserves a look
odd.yaml: ok, 1 tool, 3 entries deserve a look
  tools.read.hosts[0]: *: every host is listed
  tools.read.actions[0]: github:repo.admin on repo:acme/* as user, destructive: a destructive action on whatever the glob matches
  tools.read.actions[1]: github:repo.read on repo:{repo} as user, read: seen once; check that the argument names the resource and does not equal it by chance
--- stderr
warning: odd.yaml:7: note: this key is not read; expected `tools` and `version`
"#,
    );
}

#[test]
fn files_that_cannot_be_used() {
    same(
        &folder().run(&["entitlements", "check", "old.yaml", "bad.yaml"]),
        r#"
exit 1
--- stderr
bad.yaml:2: tools.read: expected `hosts` or `actions`, not `may`
"#,
    );
    same(
        &folder().run(&["entitlements", "check", "no.yaml"]),
        r#"
exit 1
--- stderr
toolpass entitlements check: no.yaml: there is no such file
"#,
    );
}

#[test]
fn less_is_no_failure() {
    same(
        &folder().run(&["entitlements", "diff", "old.yaml", "less.yaml"]),
        r#"
exit 0
--- stdout
  - read: may no longer call ci.example.com
  ~ read: github:repo.read on repo:{repo} as user, read; is asked fresh now
"#,
    );
    same(
        &folder().run(&["entitlements", "diff", "old.yaml", "old.yaml"]),
        r#"
exit 0
"#,
    );
}

#[test]
fn more_is_one() {
    same(
        &folder().run(&["entitlements", "diff", "old.yaml", "more.yaml"]),
        r#"
exit 1
--- stdout
! ~ read: github:repo.admin on repo:{repo} as user, destructive; was write
! ~ read: github:repo.read on repo:{repo} as agent, read; was as user
"#,
    );
}
