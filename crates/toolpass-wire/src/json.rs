//! JSON read strictly: what two readers could read differently is no JSON here.
//!
//! Separate, and not `serde_json`, because that keeps the last of two equal keys, and a check that reads another key than the
//! vendor is no check. Keys are compared after their escapes are undone, at every depth; numbers stay text, so that no digit is
//! lost.
//! SOURCE: RFC 8259; RFC 7493 (I-JSON) section 2.3 for repeated names.

use crate::body::limits::Limits;
use crate::field::{Field, Unresolved};
use crate::query::folds_to;

mod parser;

/// A JSON value.
#[derive(Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string. An escaped surrogate without its pair is U+FFFD.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: members in order, no key twice.
    Object(Vec<(String, Json)>),
}

/// Why bytes are not one JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonProblem {
    /// UTF-16 or UTF-32, which this reader leaves unread.
    #[error("the JSON is not in UTF-8")]
    Encoding,
    /// One key twice in one object.
    #[error("the JSON has a key twice in one object")]
    KeyTwice,
    /// Anything else than JSON.
    #[error("the body is not well-formed JSON")]
    Malformed,
    /// JSON, and something after it.
    #[error("the JSON is followed by something else")]
    Trailing,
    /// More values than the limit.
    #[error("the JSON holds more values than are read")]
    TooLarge,
    /// Nested deeper than the limit.
    #[error("the JSON is nested deeper than is read")]
    TooDeep,
}

/// A problem and where it is, for whoever must say so to the one who wrote the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What is wrong.
    pub problem: JsonProblem,
    /// The byte after what could still be read.
    pub at: usize,
    /// The key that is there twice, when that is the problem.
    pub key: Option<String>,
}

impl Json {
    /// Read a whole text, within the default limits. A byte order mark in front of it is allowed.
    /// Errors: [`JsonProblem`].
    pub fn parse(text: &[u8]) -> Result<Json, JsonProblem> {
        Json::parse_within(text, &Limits::default())
    }

    /// Read a whole text.
    /// Errors: [`JsonProblem`].
    pub fn parse_within(text: &[u8], limits: &Limits) -> Result<Json, JsonProblem> {
        parser::parse(text, limits).map_err(|located| located.problem)
    }

    /// Read a whole text, and say where a problem is.
    /// Errors: [`Located`].
    pub fn parse_located(text: &[u8], limits: &Limits) -> Result<Json, Located> {
        parser::parse(text, limits)
    }

    /// The member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?
            .iter()
            .find_map(|(key, value)| (key == name).then_some(value))
    }

    /// The member `name` of an object, where a reader that ignores case could find another: ambiguous, as is a value that is no
    /// object.
    pub fn member(&self, name: &str) -> Field<&Json> {
        let Some(members) = self.as_object() else {
            return Field::Ambiguous(Unresolved::new(format!(
                "`{name}` is asked of a JSON value that is no object"
            )));
        };
        let mut found = members.iter().filter(|(key, _)| folds_to(key, name));
        match (found.next(), found.next()) {
            (None, _) => Field::Absent,
            (Some((key, value)), None) if key == name => Field::Present(value),
            _ => Field::Ambiguous(Unresolved::new(format!(
                "`{name}` is given in another spelling"
            ))),
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth of `true` and `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A number as written.
    pub fn as_number(&self) -> Option<&str> {
        match self {
            Json::Number(digits) => Some(digits),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// A string, number, `true` or `false` as the text a form would hold for it.
    pub fn scalar(&self) -> Option<&str> {
        match self {
            Json::Bool(true) => Some("true"),
            Json::Bool(false) => Some("false"),
            Json::Number(text) | Json::String(text) => Some(text),
            Json::Array(_) | Json::Null | Json::Object(_) => None,
        }
    }

    /// Every key and every scalar in it, in order, given to `take`.
    pub fn texts<'j>(&'j self, take: &mut impl FnMut(&'j str)) {
        match self {
            Json::Null => {}
            Json::Bool(_) | Json::Number(_) | Json::String(_) => take(self.scalar().unwrap_or("")),
            Json::Array(items) => items.iter().for_each(|item| item.texts(take)),
            Json::Object(members) => {
                for (key, value) in members {
                    take(key);
                    value.texts(take);
                }
            }
        }
    }
}

/// Shows the shape only: a body may hold a secret.
impl std::fmt::Debug for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(_) => f.write_str("bool"),
            Json::Number(_) => f.write_str("number"),
            Json::String(_) => f.write_str("string"),
            Json::Array(items) => write!(f, "array of {}", items.len()),
            Json::Object(members) => f
                .debug_map()
                .entries(members.iter().map(|(key, value)| (key, value)))
                .finish(),
        }
    }
}

#[cfg(test)]
mod tests;
