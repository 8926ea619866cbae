//! What the reader takes, and what it says about the rest.

use super::*;

fn text_node(text: &str) -> Node {
    node(Content::Text(text.into()))
}

fn node(content: Content) -> Node {
    Node {
        line: None,
        content,
    }
}

fn map(pairs: Vec<(&str, Node)>) -> Node {
    node(Content::Mapping(
        pairs
            .into_iter()
            .map(|(key, value)| (text_node(key), value))
            .collect(),
    ))
}

fn list(items: Vec<Node>) -> Node {
    node(Content::List(items))
}

fn texts(pairs: &[(&str, &str)]) -> Node {
    map(pairs
        .iter()
        .map(|(key, value)| (*key, text_node(value)))
        .collect())
}

fn of_action(pairs: &[(&str, &str)]) -> Node {
    let tool = map(vec![("actions", list(vec![texts(pairs)]))]);
    map(vec![("tools", map(vec![("t", tool)]))])
}

fn said(root: &Node) -> Vec<String> {
    read(root)
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn nothing_is_an_empty_set() {
    for root in [
        node(Content::Null),
        map(vec![]),
        map(vec![("tools", node(Content::Null))]),
        map(vec![("version", text_node("2")), ("tools", map(vec![]))]),
    ] {
        assert!(read(&root).unwrap().entitlements.is_empty());
    }
    let root = map(vec![("tools", map(vec![("t", node(Content::Null))]))]);
    let entitlements = read(&root).unwrap().entitlements;
    assert_eq!(
        entitlements.for_tool("t"),
        Some(&ToolEntitlements::default())
    );
}

#[test]
fn defaults_are_the_users_authority_and_write() {
    let root = of_action(&[("action", "github:pr.create"), ("approve", "false")]);
    let entitlements = read(&root).unwrap().entitlements;
    let entry = entitlements.for_tool("t").unwrap().actions.first().unwrap();
    assert_eq!(entry.to_string(), "github:pr.create as user, write");
    assert_eq!((entry.fresh, entry.limit, entry.seen), (false, None, None));
}

#[test]
fn every_problem_is_said_with_its_place() {
    let tool = map(vec![
        (
            "hosts",
            list(vec![
                text_node("ok.example"),
                text_node("a b"),
                node(Content::Null),
            ]),
        ),
        ("action", list(vec![])),
        (
            "actions",
            list(vec![
                texts(&[("resource", "repo:a")]),
                texts(&[("action", "github"), ("as", "root"), ("effect", "delete")]),
                texts(&[
                    ("action", "github:x"),
                    ("approve", "true"),
                    ("limit", "0"),
                    ("fresh", "yes"),
                ]),
                texts(&[
                    ("action", "github:x"),
                    ("when", "always"),
                    ("resource", "Repo:a"),
                ]),
                text_node("github:x"),
                map(vec![
                    ("action", node(Content::Null)),
                    ("resource", list(vec![])),
                ]),
            ]),
        ),
    ]);
    let root = map(vec![
        ("tools", map(vec![("t", tool)])),
        ("version", text_node("3")),
    ]);
    let said = said(&root);
    let starts = [
        "tools.t.hosts[1]: expected a host such as",
        "tools.t.hosts[2]: expected a host pattern as text",
        "tools.t: expected `hosts` or `actions`, not `action`",
        "tools.t.actions[0]: expected the key `action`",
        "tools.t.actions[1]: `action`: expected `integration:action`",
        "tools.t.actions[1]: `as`: expected `user` or `agent`, not `root`",
        "tools.t.actions[1]: `effect`: expected `read`, `write` or `destructive`, not `delete`",
        "tools.t.actions[2]: `approve` was removed",
        "tools.t.actions[2]: `limit`: expected a whole number from 1, not `0`",
        "tools.t.actions[2]: `fresh`: expected `true` or `false`, not `yes`",
        "tools.t.actions[3]: expected `action`, `resource`, `as`",
        "tools.t.actions[3]: `resource`: expected a resource type",
        "tools.t.actions[4]: expected a mapping with `action`",
        "tools.t.actions[5]: `action`: expected `integration:action`",
        "tools.t.actions[5]: `resource`: expected one value, not a list",
        "version: expected `1` or `2`",
    ];
    assert_eq!(said.len(), starts.len(), "{said:#?}");
    for (said, start) in said.iter().zip(starts) {
        assert!(said.starts_with(start), "{said} / {start}");
    }
}

#[test]
fn wrong_shapes_are_named() {
    let twice = node(Content::Mapping(vec![
        (text_node("t"), node(Content::Null)),
        (text_node("t"), node(Content::Null)),
    ]));
    for (root, message) in [
        (
            list(vec![]),
            "file: expected a mapping with the key `tools`",
        ),
        (
            map(vec![("tools", list(vec![]))]),
            "tools: expected a mapping of tool names",
        ),
        (
            map(vec![("tools", twice)]),
            "tools: the key `t` stands twice",
        ),
        (
            map(vec![("tools", map(vec![("t", list(vec![]))]))]),
            "tools.t: expected a mapping with `hosts` and `actions`",
        ),
        (
            map(vec![(
                "tools",
                map(vec![("t", texts(&[("hosts", "a.example")]))]),
            )]),
            "tools.t.hosts: expected a list of host patterns",
        ),
        (
            node(Content::Mapping(vec![(
                node(Content::Null),
                node(Content::Null),
            )])),
            "file: expected a plain text as key",
        ),
    ] {
        let said = said(&root);
        assert!(
            said.len() == 1 && said.iter().all(|said| said.starts_with(message)),
            "{said:?}"
        );
    }
}

#[test]
fn a_mistyped_tools_is_no_empty_set() {
    let said = said(&map(vec![("tool", map(vec![]))]));
    assert_eq!(
        said,
        ["tool: this key is not read; expected `tools` and `version`"]
    );
    let reading = read(&map(vec![
        ("tools", map(vec![])),
        ("notes", text_node("x")),
    ]))
    .unwrap();
    let ignored: Vec<_> = reading
        .ignored
        .iter()
        .map(|one| one.place.as_str())
        .collect();
    assert_eq!(ignored, ["notes"]);
}
