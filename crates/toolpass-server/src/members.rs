//! Strict reading of JSON bodies: known members only, each once, of the right type, and a text that says which is wrong.
//!
//! Separate because every endpoint reads so. Syntax is `toolpass-wire`'s to read; here are the members.
//! Limits: nesting 32, a hundred thousand values.

use toolpass_wire::body::limits::Limits;
use toolpass_wire::json::{Json, JsonProblem, Located};

/// How names are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// ASCII letters in any case: `/check` and what came before it.
    AnyCase,
    /// As they are.
    Exact,
}

/// The members of an object, by the names an endpoint knows.
pub(crate) struct Members {
    what: &'static str,
    values: Vec<(&'static str, Json)>,
}

/// A body as JSON. Bytes that are no UTF-8 read as U+FFFD. Nothing sent and `null` are told apart.
/// Errors: a text that says what is wrong.
pub(crate) fn json(body: &[u8]) -> Result<Json, String> {
    if body
        .iter()
        .all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
    {
        return Err("the body is empty, expected a JSON object".into());
    }
    Json::parse_located(String::from_utf8_lossy(body).as_bytes(), &LIMITS)
        .map_err(|located| said(&located))
}

fn said(located: &Located) -> String {
    match located.problem {
        JsonProblem::Encoding | JsonProblem::Malformed => {
            format!("the body is not JSON: syntax error at byte {}", located.at)
        }
        JsonProblem::KeyTwice => format!(
            "the field {} is given twice",
            quoted(located.key.as_deref().unwrap_or_default())
        ),
        JsonProblem::TooDeep => format!("the body is nested deeper than {MAX_DEPTH}"),
        JsonProblem::TooLarge => format!("the body holds more than {MAX_VALUES} values"),
        JsonProblem::Trailing => {
            format!("the JSON is followed by more data at byte {}", located.at)
        }
    }
}

impl Members {
    /// Take an object apart. Where names are compared in any case, `null` is one without members, as it always was.
    /// Errors: it is none, or a member is unknown or given twice.
    pub(crate) fn of(
        what: &'static str,
        json: Json,
        known: &'static [&'static str],
        names: Names,
    ) -> Result<Members, String> {
        let members = match json {
            Json::Object(members) => members,
            Json::Null if names == Names::AnyCase => Vec::new(),
            Json::Null | Json::Array(_) | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                return Err(format!("{what} is {}, expected an object", kind(&json)));
            }
        };
        let mut values: Vec<(&'static str, Json)> = Vec::with_capacity(members.len());
        for (name, value) in members {
            let found = known.iter().find(|known| match names {
                Names::AnyCase => known.eq_ignore_ascii_case(&name),
                Names::Exact => **known == name,
            });
            let Some(known) = found else {
                return Err(format!("unknown field {} in {what}", quoted(&name)));
            };
            if values.iter().any(|(given, _)| given == known) {
                return Err(format!("the field {} is given twice", quoted(known)));
            }
            values.push((known, value));
        }
        Ok(Members { what, values })
    }

    /// Take a member out; `None` when absent or null.
    pub(crate) fn take(&mut self, name: &str) -> Option<Json> {
        let at = self.values.iter().position(|(given, _)| *given == name)?;
        Some(self.values.swap_remove(at).1).filter(|value| !value.is_null())
    }

    /// A string, empty when absent.
    pub(crate) fn text(&mut self, name: &str) -> Result<String, String> {
        Ok(self.text_if_given(name)?.unwrap_or_default())
    }

    /// A string.
    pub(crate) fn text_if_given(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, &other, "a string")),
        }
    }

    /// A string that must be there.
    pub(crate) fn required_text(&mut self, name: &str) -> Result<String, String> {
        self.text_if_given(name)?
            .ok_or_else(|| format!("the field {} of {} is missing", quoted(name), self.what))
    }

    /// A boolean, false when absent.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, String> {
        match self.take(name) {
            None => Ok(false),
            Some(Json::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(name, &other, "true or false")),
        }
    }

    /// A list of strings, empty when absent; a null in it reads as the empty string.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let items = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Json::Array(items)) => items,
            Some(other) => return Err(self.wrong(name, &other, "a list of strings")),
        };
        let texts = items.into_iter().map(|item| match item {
            Json::String(text) => Ok(text),
            Json::Null => Ok(String::new()),
            other => Err(self.wrong(name, &other, "only strings in the list")),
        });
        texts.collect()
    }

    /// That a member has the wrong type.
    pub(crate) fn wrong(&self, name: &str, found: &Json, expected: &str) -> String {
        format!(
            "the field {} of {} is or holds {}, expected {expected}",
            quoted(name),
            self.what,
            kind(found)
        )
    }
}

/// What a value is, in words.
pub(crate) fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// A name of a client, fit to be repeated.
fn quoted(name: &str) -> String {
    toolpass_core::quoted::Quoted::new(name).to_string()
}

/// The deepest nesting that is read.
pub(crate) const MAX_DEPTH: usize = 32;
const MAX_VALUES: usize = 100_000;
const LIMITS: Limits = Limits {
    body_bytes: 16 << 20,
    decoded_bytes: 16 << 20,
    decoded_ratio: 1,
    json_depth: MAX_DEPTH,
    json_values: MAX_VALUES,
    parts: 0,
};
