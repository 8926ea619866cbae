//! What both forms of a configuration come to before it is validated: keys with values and, from a file, lines.

use sha2::{Digest, Sha256};
use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::CodeValue;

use crate::error::Problem;
use crate::yaml::{Content, Node};

/// A configuration as written.
#[derive(Default)]
pub(crate) struct Raw {
    pub(crate) top: Vec<Entry>,
    pub(crate) connections: Vec<RawConnection>,
    /// Whether the list is there at all, and on which line.
    pub(crate) has_connections: bool,
    pub(crate) connections_line: Option<usize>,
    /// The keys of callers, and on which line they begin.
    pub(crate) api_keys: Vec<RawConnection>,
    pub(crate) api_keys_line: Option<usize>,
    /// The mapping of the server, and on which line it begins.
    pub(crate) server: Vec<Entry>,
    pub(crate) server_line: Option<usize>,
}

/// One item of the list.
pub(crate) struct RawConnection {
    pub(crate) line: Option<usize>,
    pub(crate) entries: Vec<Entry>,
}

/// A key and its value.
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_line: Option<usize>,
    pub(crate) line: Option<usize>,
    pub(crate) input: Input,
}

/// A value before it is held against its key.
#[derive(Clone)]
pub(crate) enum Input {
    Code(CodeValue),
    /// A list, a mapping or an alias, where a plain value belongs.
    Nested,
    Null,
    Secret(SecretRef),
    Text(String),
}

impl Raw {
    /// A digest of keys and values, whatever their order within a connection: 16 hexadecimal digits. Secrets count by their
    /// references; what only code can give counts as being there.
    pub(crate) fn digest(&self) -> String {
        let lists = self.connections.iter().chain(&self.api_keys);
        let server = Some(&self.server).filter(|entries| !entries.is_empty());
        let blocks = std::iter::once(&self.top)
            .chain(lists.map(|one| &one.entries))
            .chain(server);
        digest_of(blocks)
    }
}

impl RawConnection {
    /// The same of one connection.
    pub(crate) fn digest(&self) -> String {
        digest_of(std::iter::once(&self.entries))
    }
}

fn digest_of<'e>(blocks: impl Iterator<Item = &'e Vec<Entry>>) -> String {
    let mut hasher = Sha256::new();
    for entries in blocks {
        let mut pairs: Vec<_> = entries
            .iter()
            .map(|entry| (&entry.key, entry.input.shown()))
            .collect();
        pairs.sort();
        for (key, value) in pairs {
            for text in [key, &value] {
                hasher.update((text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
        }
        hasher.update(u64::MAX.to_le_bytes());
    }
    let digest = hasher.finalize();
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Input {
    fn shown(&self) -> String {
        match self {
            Input::Code(_) => "code".into(),
            Input::Nested | Input::Null => String::new(),
            Input::Secret(secret) => secret.shown(),
            Input::Text(text) => text.clone(),
        }
    }
}

/// Take a file's tree apart. What does not have the shape becomes a problem, the rest goes on.
pub(crate) fn from_tree(root: Node, problems: &mut Vec<Problem>) -> Raw {
    let Content::Mapping(pairs) = root.content else {
        problems.push(Problem::at(
            root.line,
            "expected a mapping with `connections` at the top of the file",
        ));
        return Raw {
            has_connections: true,
            ..Raw::default()
        };
    };
    let mut raw = Raw::default();
    for (key, value) in pairs {
        if matches!(&key.content, Content::Text(name) if name == CONNECTIONS)
            && !raw.has_connections
        {
            raw.has_connections = true;
            raw.connections_line = Some(key.line);
            raw.connections = list(CONNECTIONS, "connection", value, key.line, problems);
            continue;
        }
        if matches!(&key.content, Content::Text(name) if name == API_KEYS)
            && raw.api_keys_line.is_none()
        {
            raw.api_keys_line = Some(key.line);
            let value = match value.content {
                Content::List(items) => Node {
                    line: value.line,
                    content: Content::List(items.into_iter().map(joined).collect()),
                },
                _ => value,
            };
            raw.api_keys = list(API_KEYS, "api key", value, key.line, problems);
            continue;
        }
        if matches!(&key.content, Content::Text(name) if name == SERVER)
            && raw.server_line.is_none()
        {
            raw.server_line = Some(key.line);
            raw.server = mapping(joined(value), key.line, problems);
            continue;
        }
        raw.top.extend(entry(key, value, problems));
    }
    raw
}

/// A mapping whose values that are lists of plain texts are one text, separated by commas.
fn joined(mapping: Node) -> Node {
    let Content::Mapping(pairs) = mapping.content else {
        return mapping;
    };
    let joined = pairs.into_iter().map(|(key, value)| {
        let text = match &value.content {
            Content::List(items) => items
                .iter()
                .map(|item| match &item.content {
                    Content::Text(text) if !text.contains(',') => Some(text.as_str()),
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()
                .map(|texts| texts.join(", ")),
            _ => None,
        };
        match text {
            Some(text) => (
                key,
                Node {
                    line: value.line,
                    content: Content::Text(text),
                },
            ),
            None => (key, value),
        }
    });
    Node {
        line: mapping.line,
        content: Content::Mapping(joined.collect()),
    }
}

/// The entries of the mapping `server`.
fn mapping(value: Node, key_line: usize, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let Content::Mapping(pairs) = value.content else {
        problems.push(Problem::at(key_line, "expected a mapping under `server`"));
        return Vec::new();
    };
    pairs
        .into_iter()
        .filter_map(|(key, value)| entry(key, value, problems))
        .collect()
}

fn list(
    key: &str,
    what: &str,
    list: Node,
    key_line: usize,
    problems: &mut Vec<Problem>,
) -> Vec<RawConnection> {
    let Content::List(items) = list.content else {
        problems.push(Problem::at(
            key_line,
            format!("expected a list under `{key}`; write `[]` for none"),
        ));
        return Vec::new();
    };
    let mut connections = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let Content::Mapping(pairs) = item.content else {
            problems.push(Problem::at(
                item.line,
                format!(
                    "{what} {}: expected a mapping of keys and values",
                    index + 1
                ),
            ));
            continue;
        };
        let line = pairs.first().map_or(item.line, |(key, _)| key.line);
        let entries = pairs
            .into_iter()
            .filter_map(|(key, value)| entry(key, value, problems))
            .collect();
        connections.push(RawConnection {
            line: Some(line),
            entries,
        });
    }
    connections
}

fn entry(key: Node, value: Node, problems: &mut Vec<Problem>) -> Option<Entry> {
    let Content::Text(name) = key.content else {
        problems.push(Problem::at(key.line, "expected a plain text as key"));
        return None;
    };
    let (line, input) = match value.content {
        Content::Alias | Content::List(_) | Content::Mapping(_) => (value.line, Input::Nested),
        // Nothing has no place of its own.
        Content::Null => (key.line, Input::Null),
        Content::Text(text) => (value.line, Input::Text(text)),
    };
    Some(Entry {
        key: name,
        key_line: Some(key.line),
        line: Some(line),
        input,
    })
}

/// The list of callers' keys.
pub(crate) const API_KEYS: &str = "api_keys";
/// The list of systems.
pub(crate) const CONNECTIONS: &str = "connections";
/// The mapping of the server.
pub(crate) const SERVER: &str = "server";
