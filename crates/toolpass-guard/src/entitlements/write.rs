//! The file of entitlements as text: one spelling for one set.
//!
//! Block YAML with a first line that says who wrote it, tools by name, an entry's keys in a fixed order. What an old reader
//! would reject is announced by `version: 2`. The writer knows only this shape; it is no writer of YAML.
//! INVARIANT: what is written reads back as what was given, and is written again byte for byte.

use super::model::{Entitlement, Entitlements, ToolEntitlements};
use super::read::{Content, Node};

/// The tree of a set, for a mapping in code: an entry's four keys always, the others where they say something.
pub fn tree(entitlements: &Entitlements) -> Node {
    let tools = entitlements
        .tools()
        .map(|(name, entry)| (text(name), tool_tree(entry)))
        .collect();
    let mut pairs = Vec::new();
    if needs_version(entitlements) {
        pairs.push((text("version"), text("2")));
    }
    pairs.push((text("tools"), node(Content::Mapping(tools))));
    node(Content::Mapping(pairs))
}

/// The tree of one tool's entry.
pub fn tool_tree(entry: &ToolEntitlements) -> Node {
    let mut pairs = Vec::new();
    if !entry.hosts.is_empty() {
        let hosts = entry.hosts.iter().map(|host| text(host.as_str())).collect();
        pairs.push((text("hosts"), node(Content::List(hosts))));
    }
    let actions = entry.actions.iter().map(action_tree).collect();
    pairs.push((text("actions"), node(Content::List(actions))));
    node(Content::Mapping(pairs))
}

/// The tree of one action.
pub fn action_tree(entry: &Entitlement) -> Node {
    let pairs = keys(entry).into_iter();
    node(Content::Mapping(
        pairs
            .map(|(key, value)| (text(key), text(&value)))
            .collect(),
    ))
}

/// The whole file.
pub fn write(entitlements: &Entitlements) -> String {
    let mut out = String::from(HEADER);
    if needs_version(entitlements) {
        out.push_str(VERSION);
    }
    if entitlements.is_empty() {
        out.push_str("tools: {}\n");
        return out;
    }
    out.push_str("tools:\n");
    for (name, entry) in entitlements.tools() {
        out.push_str(&tool_lines(name, entry));
    }
    out
}

/// The lines of one tool.
pub(super) fn tool_lines(name: &str, entry: &ToolEntitlements) -> String {
    let mut out = format!("  {}:\n", scalar(name));
    if !entry.hosts.is_empty() {
        out.push_str("    hosts:\n");
        for host in &entry.hosts {
            out.push_str(&format!("      - {}\n", scalar(host.as_str())));
        }
    }
    if entry.actions.is_empty() {
        out.push_str("    actions: []\n");
        return out;
    }
    out.push_str("    actions:\n");
    for action in &entry.actions {
        out.push_str(&action_lines(action));
    }
    out
}

/// The lines of one action.
pub(super) fn action_lines(entry: &Entitlement) -> String {
    let mut out = String::new();
    for (index, (key, value)) in keys(entry).into_iter().enumerate() {
        let lead = if index == 0 { "      - " } else { "        " };
        out.push_str(&format!("{lead}{key}: {}\n", key_value(key, &value)));
    }
    out
}

/// The keys of an entry with their values, in their order.
pub(super) fn keys(entry: &Entitlement) -> Vec<(&'static str, String)> {
    let mut keys = vec![
        ("action", entry.action.as_str().to_owned()),
        ("resource", entry.resource.as_str().to_owned()),
        ("as", entry.acts_as_str().to_owned()),
        ("effect", entry.effect.as_str().to_owned()),
    ];
    if entry.fresh {
        keys.push(("fresh", "true".into()));
    }
    keys.extend(entry.limit.map(|limit| ("limit", limit.to_string())));
    keys.extend(entry.seen.map(|seen| ("seen", seen.to_string())));
    let candidate = entry.candidate.as_ref();
    keys.extend(candidate.map(|candidate| ("candidate", candidate.as_str().to_owned())));
    keys
}

/// A value as it stands in the file.
pub(super) fn key_value(key: &str, value: &str) -> String {
    match key {
        "resource" | "candidate" => quoted(value),
        "fresh" | "limit" | "seen" => value.into(),
        _ => scalar(value),
    }
}

/// Whether an old reader would reject a key in it.
pub(super) fn needs_version(entitlements: &Entitlements) -> bool {
    let is_new = |entry: &Entitlement| {
        entry.fresh || entry.limit.is_some() || entry.seen.is_some() || entry.candidate.is_some()
    };
    entitlements
        .tools()
        .any(|(_, entry)| entry.actions.iter().any(is_new))
}

/// A text, plain where every reader of YAML takes it for the same text.
pub(super) fn scalar(text: &str) -> String {
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_.:/-".contains(&b);
    let is_word = RESERVED.contains(&text.to_ascii_lowercase().as_str());
    if starts_plain && text.bytes().all(fits) && !text.ends_with(':') && !is_word {
        text.into()
    } else {
        quoted(text)
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{20}'..='\u{7e}' => out.push(c),
            c if u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            c if c.is_alphanumeric() => out.push(c),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

fn text(text: &str) -> Node {
    node(Content::Text(text.into()))
}

fn node(content: Content) -> Node {
    Node {
        line: None,
        content,
    }
}

/// The first line of every file that is written whole.
pub const HEADER: &str = "# Written by toolpass from recorded calls. Review it, then commit it.\n";

/// What tells an old reader that there are keys it does not know.
pub(super) const VERSION: &str = "version: 2\n";

/// Words that some reader of YAML takes for something else than a text.
const RESERVED: [&str; 9] = ["false", "n", "no", "null", "off", "on", "true", "y", "yes"];

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use crate::entitlements::testing::set;
    use proptest::prelude::*;

    #[test]
    fn the_file_is_written_for_a_reader() {
        let entitlements = set(&[
            (
                "propose_fix",
                &["ci.example.com", "*.example.com:8443"],
                &[
                    ("github:repo.read", "repo:{repo}", "agent", "read"),
                    ("github:pr.create", "repo:acme/\"x\"", "user", "write"),
                ],
            ),
            ("on", &[], &[]),
        ]);
        assert_eq!(
            write(&entitlements),
            "# Written by toolpass from recorded calls. Review it, then commit it.
tools:
  \"on\":
    actions: []
  propose_fix:
    hosts:
      - ci.example.com
      - \"*.example.com:8443\"
    actions:
      - action: github:repo.read
        resource: \"repo:{repo}\"
        as: agent
        effect: read
      - action: github:pr.create
        resource: \"repo:acme/\\\"x\\\"\"
        as: user
        effect: write
"
        );
        assert_eq!(
            write(&Entitlements::default()),
            format!("{HEADER}tools: {{}}\n")
        );
    }

    #[test]
    fn what_old_readers_reject_is_announced() {
        let mut entitlements = set(&[("t", &[], &[("github:x", "repo:a", "user", "read")])]);
        assert!(!write(&entitlements).contains("version"));
        if let Some(entry) = entitlements.entry("t").actions.first_mut() {
            entry.fresh = true;
            entry.limit = Some(3);
        }
        let written = write(&entitlements);
        assert!(written.contains("\nversion: 2\n"), "{written}");
        assert!(
            written.ends_with("        fresh: true\n        limit: 3\n"),
            "{written}"
        );
    }

    proptest! {
        #[test]
        fn a_tree_reads_back(entitlements in crate::entitlements::testing::any_set()) {
            let reading = read(&tree(&entitlements)).unwrap();
            prop_assert!(reading.ignored.is_empty());
            prop_assert_eq!(reading.entitlements, entitlements);
        }
    }
}
