//! From a tree of texts to entitlements, strictly: every mistake is found, and says where it is and what is accepted.
//!
//! The tree is what a YAML file and a mapping given in code have in common, so both are read by the same rules; parsing the
//! file is for whoever may know YAML. Scalars are texts: `true` and `5` of either form arrive as such.

use toolpass_core::effect::Effect;

use super::host::HostPattern;
use super::model::{ActionName, Entitlement, Entitlements, ToolEntitlements};
use super::pattern::ResourcePattern;
use crate::settings::ActAs;

/// A value and the line it begins on, when it comes from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Counted from 1.
    pub line: Option<usize>,
    /// The value.
    pub content: Content,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Values in order.
    List(Vec<Node>),
    /// Keys and values in order; a key may be repeated.
    Mapping(Vec<(Node, Node)>),
    /// Nothing.
    Null,
    /// Something of no use here, by the name of its type.
    Other(String),
    /// A text, a number or a truth value, as text.
    Text(String),
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Problem {
    /// The line, when the tree comes from a file.
    pub line: Option<usize>,
    /// `tools.NAME.actions[0]`, or the name of a key of the file.
    pub place: String,
    /// What is wrong and what is accepted.
    pub message: String,
}

/// Entitlements, and what was passed over on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What was read.
    pub entitlements: Entitlements,
    /// Keys of the file that mean nothing here.
    pub ignored: Vec<Problem>,
}

/// Read entitlements.
/// Errors: every problem, in the order of the tree; never empty.
pub fn read(root: &Node) -> Result<Reading, Vec<Problem>> {
    let mut reader = Reader::default();
    let mut reading = Reading::default();
    match &root.content {
        Content::Null => {}
        Content::Mapping(pairs) => reader.file(pairs, &mut reading),
        Content::List(_) | Content::Other(_) | Content::Text(_) => {
            reader.say(root, "file", "expected a mapping with the key `tools`");
        }
    }
    if reader.problems.is_empty() {
        Ok(reading)
    } else {
        Err(reader.problems)
    }
}

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn say(&mut self, node: &Node, place: &str, message: impl Into<String>) {
        self.problems.push(Problem {
            line: node.line,
            place: place.into(),
            message: message.into(),
        });
    }

    fn file(&mut self, pairs: &[(Node, Node)], reading: &mut Reading) {
        let mut has_tools = false;
        let mut others = Vec::new();
        for (key, value) in self.keys(pairs, "file") {
            match key {
                "tools" => {
                    has_tools = true;
                    self.tools(value, &mut reading.entitlements);
                }
                "version" => {
                    if !matches!(text(value), Some("1" | "2")) {
                        self.say(value, "version", "expected `1` or `2`; another version may hold rules that this one cannot keep");
                    }
                }
                other => others.push(Problem {
                    line: value.line,
                    place: other.into(),
                    message: "this key is not read; expected `tools` and `version`".into(),
                }),
            }
        }
        // A mistyped `tools` would otherwise be a file that holds no tool to anything.
        if has_tools {
            reading.ignored = others;
        } else {
            self.problems.extend(others);
        }
    }

    fn tools(&mut self, value: &Node, entitlements: &mut Entitlements) {
        let pairs = match &value.content {
            Content::Null => return,
            Content::Mapping(pairs) => pairs,
            Content::List(_) | Content::Other(_) | Content::Text(_) => {
                return self.say(
                    value,
                    "tools",
                    "expected a mapping of tool names to their entries",
                );
            }
        };
        for (name, entry) in self.keys(pairs, "tools") {
            let place = format!("tools.{name}");
            let entry = self.tool(entry, &place);
            entitlements.insert(name.into(), entry);
        }
    }

    fn tool(&mut self, value: &Node, place: &str) -> ToolEntitlements {
        let mut entry = ToolEntitlements::default();
        let pairs = match &value.content {
            Content::Null => return entry,
            Content::Mapping(pairs) => pairs,
            Content::List(_) | Content::Other(_) | Content::Text(_) => {
                self.say(
                    value,
                    place,
                    "expected a mapping with `hosts` and `actions`",
                );
                return entry;
            }
        };
        for (key, value) in self.keys(pairs, place) {
            match key {
                "hosts" => {
                    for (item, place) in
                        self.items(value, &format!("{place}.hosts"), "host patterns")
                    {
                        match text(item).map(HostPattern::parse) {
                            Some(Ok(host)) => entry.hosts.push(host),
                            Some(Err(problem)) => self.say(item, &place, problem.to_string()),
                            None => self.say(item, &place, "expected a host pattern as text"),
                        }
                    }
                }
                "actions" => {
                    for (item, place) in self.items(value, &format!("{place}.actions"), "mappings")
                    {
                        entry.actions.extend(self.action(item, &place));
                    }
                }
                other => {
                    let message = format!("expected `hosts` or `actions`, not `{other}`");
                    self.say(value, place, message);
                }
            }
        }
        entry
    }

    fn action(&mut self, item: &Node, place: &str) -> Option<Entitlement> {
        let Content::Mapping(pairs) = &item.content else {
            self.say(item, place, format!("expected a mapping with {KEYS}"));
            return None;
        };
        let before = self.problems.len();
        let mut action = None;
        let mut entry = Parts::default();
        for (key, value) in self.keys(pairs, place) {
            match key {
                "action" => {
                    action = self.value(value, place, key, |text| {
                        ActionName::parse(text).map_err(|problem| problem.to_string())
                    });
                    if action.is_none() && self.problems.len() == before {
                        self.say(value, place, "`action`: expected `integration:action`");
                    }
                }
                "resource" => entry.resource = self.value(value, place, key, resource),
                "as" => entry.acts_as = self.value(value, place, key, acts_as),
                "effect" => entry.effect = self.value(value, place, key, effect),
                "fresh" => entry.fresh = self.value(value, place, key, flag),
                "limit" => entry.limit = self.value(value, place, key, count),
                "seen" => entry.seen = self.value(value, place, key, count),
                "candidate" => entry.candidate = self.value(value, place, key, resource),
                "approve" => {
                    if !matches!(text(value).map(flag), Some(Ok(false))) {
                        self.say(value, place, "`approve` was removed: no call waits for an approval; leave the key out");
                    }
                }
                other => self.say(value, place, format!("expected {KEYS}, not `{other}`")),
            }
        }
        if !pairs.iter().any(|(key, _)| text(key) == Some("action")) {
            self.say(item, place, "expected the key `action`");
        }
        if self.problems.len() > before {
            return None;
        }
        Some(entry.of(action?))
    }

    /// The value of a key; none when it is null, or wrong, which is then said.
    fn value<T>(
        &mut self,
        node: &Node,
        place: &str,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let read = match &node.content {
            Content::Null => return None,
            Content::Text(text) => read(text),
            Content::List(_) => Err("expected one value, not a list".into()),
            Content::Mapping(_) => Err("expected one value, not a mapping".into()),
            Content::Other(name) => Err(format!("expected a text, not {name}")),
        };
        read.map_err(|problem| self.say(node, place, format!("`{key}`: {problem}")))
            .ok()
    }

    /// The items of a list, each with its place.
    fn items<'n>(&mut self, list: &'n Node, place: &str, of: &str) -> Vec<(&'n Node, String)> {
        match &list.content {
            Content::Null => Vec::new(),
            Content::List(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| (item, format!("{place}[{index}]")))
                .collect(),
            Content::Mapping(_) | Content::Other(_) | Content::Text(_) => {
                self.say(list, place, format!("expected a list of {of}"));
                Vec::new()
            }
        }
    }

    /// The pairs of a mapping whose keys are texts, each once.
    fn keys<'n>(&mut self, pairs: &'n [(Node, Node)], place: &str) -> Vec<(&'n str, &'n Node)> {
        let mut known: Vec<(&str, &Node)> = Vec::with_capacity(pairs.len());
        let mut seen = std::collections::HashSet::with_capacity(pairs.len());
        for (key, value) in pairs {
            match text(key) {
                None => self.say(key, place, "expected a plain text as key"),
                Some(name) if !seen.insert(name) => {
                    self.say(key, place, format!("the key `{name}` stands twice"));
                }
                Some(name) => known.push((name, value)),
            }
        }
        known
    }
}

/// The keys of an entry but its action, as far as they are given.
#[derive(Default)]
struct Parts {
    resource: Option<ResourcePattern>,
    acts_as: Option<ActAs>,
    effect: Option<Effect>,
    fresh: Option<bool>,
    limit: Option<u32>,
    seen: Option<u32>,
    candidate: Option<ResourcePattern>,
}

impl Parts {
    fn of(self, action: ActionName) -> Entitlement {
        let defaults = Entitlement::new(action, self.resource.unwrap_or_default());
        Entitlement {
            acts_as: self.acts_as.unwrap_or(defaults.acts_as),
            effect: self.effect.unwrap_or(defaults.effect),
            fresh: self.fresh.unwrap_or(defaults.fresh),
            limit: self.limit,
            seen: self.seen,
            candidate: self.candidate,
            ..defaults
        }
    }
}

fn text(node: &Node) -> Option<&str> {
    match &node.content {
        Content::Text(text) => Some(text),
        Content::List(_) | Content::Mapping(_) | Content::Null | Content::Other(_) => None,
    }
}

fn resource(text: &str) -> Result<ResourcePattern, String> {
    ResourcePattern::parse(text).map_err(|problem| problem.to_string())
}

fn acts_as(text: &str) -> Result<ActAs, String> {
    match text {
        "agent" => Ok(ActAs::Agent),
        "user" => Ok(ActAs::User),
        other => Err(format!("expected `user` or `agent`, not `{other}`")),
    }
}

fn effect(text: &str) -> Result<Effect, String> {
    Effect::parse(text)
        .ok_or_else(|| format!("expected `read`, `write` or `destructive`, not `{text}`"))
}

fn flag(text: &str) -> Result<bool, String> {
    match text {
        "true" | "True" | "TRUE" => Ok(true),
        "false" | "False" | "FALSE" => Ok(false),
        other => Err(format!("expected `true` or `false`, not `{other}`")),
    }
}

fn count(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(number @ 1..) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(number),
        Ok(_) | Err(_) => Err(format!("expected a whole number from 1, not `{text}`")),
    }
}

/// The keys of an action, as a message lists them.
const KEYS: &str = "`action`, `resource`, `as`, `effect`, `fresh`, `limit`, `seen` and `candidate`";

#[cfg(test)]
mod tests;
