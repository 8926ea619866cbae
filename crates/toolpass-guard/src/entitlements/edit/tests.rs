//! What an edit keeps, what it adds, and what it leaves to the writer.

use super::*;
use crate::entitlements::pattern::ResourcePattern;
use crate::entitlements::testing::set;
use crate::entitlements::write::write;

const FILE: &str = "# Ours.
tools:
  # Asked by the on-call.
  propose_fix:
    hosts: [ci.example.com]          # other hosts the body may call
    actions:
      - action: github:repo.read     # <integration>:<action>
        resource: 'repo:{repo}'
        as: agent
        effect: read
      # Opens it.
      - action: github:pr.create
        resource: \"repo:{repo}\"
        as: user # always
        effect: write

# The end.
";

fn before() -> Entitlements {
    set(&[(
        "propose_fix",
        &["ci.example.com"],
        &[
            ("github:repo.read", "repo:{repo}", "agent", "read"),
            ("github:pr.create", "repo:{repo}", "user", "write"),
        ],
    )])
}

#[test]
fn nothing_changed_is_the_same_text() {
    assert_eq!(
        edit(FILE, &before(), &before(), None).as_deref(),
        Some(FILE)
    );
}

#[test]
fn additions_keep_comments_order_and_spelling() {
    let after = set(&[
        (
            "alpha",
            &[],
            &[("github:repo.read", "repo:acme/x", "agent", "read")],
        ),
        (
            "propose_fix",
            &["ci.example.com", "b.example.com:8443"],
            &[
                ("github:repo.read", "repo:{repo}", "agent", "write"),
                ("github:pr.create", "repo:{repo}", "user", "write"),
                ("github:repo.push", "repo:{repo}", "user", "destructive"),
            ],
        ),
        ("zulu", &[], &[]),
    ]);
    assert_eq!(
        edit(FILE, &before(), &after, Some("raised")).unwrap(),
        "# Ours.
tools:
  alpha:
    actions:
      - action: github:repo.read # from: raised
        resource: \"repo:acme/x\"
        as: agent
        effect: read
  # Asked by the on-call.
  propose_fix:
    hosts: [ci.example.com, b.example.com:8443]          # other hosts the body may call
    actions:
      - action: github:repo.read     # <integration>:<action>
        resource: 'repo:{repo}'
        as: agent
        effect: write
      # Opens it.
      - action: github:pr.create
        resource: \"repo:{repo}\"
        as: user # always
        effect: write
      - action: github:repo.push # from: raised
        resource: \"repo:{repo}\"
        as: user
        effect: destructive
  zulu:
    actions: []

# The end.
"
    );
}

#[test]
fn new_keys_come_with_the_version_and_old_ones_go() {
    let mut after = before();
    if let [one, two] = after.entry("propose_fix").actions.as_mut_slice() {
        one.seen = Some(1);
        two.candidate = Some(ResourcePattern::parse("repo:{a}").unwrap());
    }
    let text = edit(FILE, &before(), &after, None).unwrap();
    assert!(text.starts_with("# Ours.\nversion: 2\ntools:\n"), "{text}");
    assert!(
        text.contains("        effect: read\n        seen: 1\n      # Opens it.\n"),
        "{text}"
    );
    let back = edit(&text, &after, &before(), None).unwrap();
    assert_eq!(back.replace("version: 2\n", ""), FILE);
}

#[test]
fn what_the_writer_wrote_can_be_edited() {
    let written = write(&before());
    let after = set(&[(
        "propose_fix",
        &["ci.example.com", "c.example"],
        &[
            ("github:repo.read", "repo:{repo}", "agent", "read"),
            ("github:pr.create", "repo:{repo}", "user", "write"),
            ("github:pr.create", "repo:{other}", "user", "write"),
        ],
    )]);
    assert_eq!(
        edit(&written, &before(), &after, None).unwrap(),
        write(&after)
    );
    let empty = Entitlements::default();
    assert_eq!(
        edit(&write(&empty), &empty, &before(), None).unwrap(),
        written
    );
}

#[test]
fn other_forms_are_left_to_the_writer() {
    let after = set(&[(
        "propose_fix",
        &["ci.example.com", "x.example"],
        &[
            ("github:repo.read", "repo:{repo}", "agent", "read"),
            ("github:pr.create", "repo:{repo}", "user", "write"),
            ("github:pr.merge", "repo:{repo}", "user", "write"),
        ],
    )]);
    for other in [
        "",
        "tools: {propose_fix: {hosts: [ci.example.com], actions: []}}\n",
        "tools:\n  propose_fix: {actions: []}\n",
        "{\"tools\": {}}\n",
        "tools: &a\n  propose_fix:\n    actions: []\n",
    ] {
        assert_eq!(edit(other, &before(), &after, None), None, "{other}");
    }
    let removed = set(&[("other", &[], &[])]);
    assert_eq!(edit(FILE, &before(), &removed, None), None);
}
