//! Keys and values that stand together, at the top or in a connection, held against their rows.
//!
//! Separate because the rules for repeats, unknown keys, missing keys and defaults are the same in both places.

use std::collections::BTreeMap;

use toolpass_core::quoted::clipped;
use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{Key, Value};

use crate::error::Problem;
use crate::keys::{is_shared, top_names};
use crate::near::{hint, listed};
use crate::raw::Entry;
use crate::value::{Empty, Origin, validated};

/// What a block may hold, and how its problems are told.
pub(crate) struct Block<'b> {
    /// `connection "id": `, or nothing at the top.
    pub(crate) about: String,
    pub(crate) keys: Vec<&'b Key>,
    pub(crate) empty: Empty,
    /// Whether keys outside `keys` are a mistake; not so while the integration is unknown.
    pub(crate) closed: bool,
    /// Where the block begins.
    pub(crate) line: Option<usize>,
    /// Where a missing key is reported.
    pub(crate) id_line: Option<usize>,
}

/// The values of a block that passed, and where they stand.
pub(crate) struct Checked {
    about: String,
    values: BTreeMap<String, Value>,
    lines: BTreeMap<String, Option<usize>>,
    /// For what has no line of its own.
    line: Option<usize>,
}

impl Block<'_> {
    /// Check every entry, then what is missing; fill in defaults.
    pub(crate) fn check(
        self,
        origin: Origin<'_>,
        entries: &[&Entry],
        problems: &mut Vec<Problem>,
    ) -> Checked {
        let mut lines: BTreeMap<String, Option<usize>> = BTreeMap::new();
        let mut values = BTreeMap::new();
        for entry in entries {
            if let Some(first) = lines.get(&entry.key) {
                problems.push(Problem::at(
                    entry.key_line,
                    format!("{}{}", self.about, repeated(&entry.key, *first)),
                ));
                continue;
            }
            lines.insert(entry.key.clone(), entry.line);
            let Some(key) = self.keys.iter().find(|key| key.name == entry.key) else {
                problems.extend(self.unknown(entry));
                continue;
            };
            match validated(origin, key, &entry.input, self.empty) {
                Ok(value) => {
                    values.insert(entry.key.clone(), value);
                }
                Err(problem) => problems.push(Problem::at(
                    entry.line,
                    format!("{}`{}`: {problem}", self.about, key.name),
                )),
            }
        }
        for key in self.keys.iter().filter(|key| !lines.contains_key(key.name)) {
            if key.required {
                let line = if is_shared(key.name) {
                    self.line
                } else {
                    self.id_line.or(self.line)
                };
                problems.push(Problem::at(
                    line,
                    format!("{}`{}` is missing", self.about, key.name),
                ));
            } else if let Some(default) = key.default {
                values.insert(key.name.into(), Value::Text(default.into()));
            }
        }
        Checked {
            line: self.id_line.or(self.line),
            about: self.about,
            values,
            lines,
        }
    }

    fn unknown(&self, entry: &Entry) -> Option<Problem> {
        if !self.closed {
            return None;
        }
        let names = self.names();
        let hint = hint(&entry.key, names.iter().copied());
        let accepted = listed(names, "and");
        let message = format!(
            "{}unknown key `{}`{hint}; accepted: {accepted}",
            self.about,
            shown(&entry.key)
        );
        Some(Problem::at(entry.key_line, message))
    }

    fn names(&self) -> Vec<&str> {
        if self.about.is_empty() {
            return top_names();
        }
        let mut names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        names.sort_unstable();
        names
    }
}

impl Checked {
    /// The value of a key in its own type: `None` when it has a problem, `Some(None)` when it is absent.
    pub(crate) fn typed<T>(
        &self,
        problems: &mut Vec<Problem>,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<Option<T>> {
        let Some(Value::Text(text)) = self.values.get(key) else {
            return (!self.is_given(key)).then_some(None);
        };
        match parse(text) {
            Ok(value) => Some(Some(value)),
            Err(problem) => {
                self.refuse(problems, key, &problem);
                None
            }
        }
    }

    /// Report a problem of a key where it stands.
    pub(crate) fn refuse(&self, problems: &mut Vec<Problem>, key: &str, problem: &str) {
        let line = self.lines.get(key).copied().flatten().or(self.line);
        problems.push(Problem::at(
            line,
            format!("{}`{key}`: {problem}", self.about),
        ));
    }

    /// Whether the key stands in the block, whatever its value.
    pub(crate) fn is_given(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// Take a value out, with its key.
    pub(crate) fn take(&mut self, key: &str) -> Option<(String, Value)> {
        self.values.remove_entry(key)
    }

    /// Take a text out.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        match self.values.remove(key) {
            Some(Value::Text(text)) => Some(text),
            Some(Value::Code(_) | Value::Secret(_)) | None => None,
        }
    }

    /// Take a secret out.
    pub(crate) fn secret(&mut self, key: &str) -> Option<SecretRef> {
        match self.values.remove(key) {
            Some(Value::Secret(secret)) => Some(secret),
            Some(Value::Code(_) | Value::Text(_)) | None => None,
        }
    }
}

/// That a key stands twice, and where it stood first.
pub(crate) fn repeated(key: &str, first: Option<usize>) -> String {
    let first = first
        .map(|line| format!("; it is already on line {line}"))
        .unwrap_or_default();
    format!("the key `{}` stands twice{first}", shown(key))
}

/// A name from the file, fit to be repeated in one line.
pub(crate) fn shown(name: &str) -> String {
    clipped(name, 64).replace('`', "'")
}
