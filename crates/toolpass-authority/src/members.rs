//! Taking members out of a JSON object, so that what is left over shows.

use serde_json::{Map, Value};

/// The members of an object that nobody took yet.
pub(crate) struct Members(Map<String, Value>);

/// A member is missing, of a wrong type, or left over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Odd;

impl Members {
    pub(crate) fn of(object: Map<String, Value>) -> Members {
        Members(object)
    }

    /// A text that is not empty, within the bytes a name may have.
    pub(crate) fn text(&mut self, name: &str) -> Result<String, Odd> {
        match self.0.remove(name) {
            Some(Value::String(text)) if !text.is_empty() && text.len() <= MAX_TEXT => Ok(text),
            _ => Err(Odd),
        }
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<u64, Odd> {
        self.0
            .remove(name)
            .as_ref()
            .and_then(Value::as_u64)
            .ok_or(Odd)
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Odd> {
        self.0
            .remove(name)
            .as_ref()
            .and_then(Value::as_bool)
            .ok_or(Odd)
    }

    pub(crate) fn object(&mut self, name: &str) -> Result<Members, Odd> {
        match self.0.remove(name) {
            Some(Value::Object(members)) => Ok(Members(members)),
            _ => Err(Odd),
        }
    }

    /// Texts, none of them empty.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, Odd> {
        self.array(name)?
            .into_iter()
            .map(|item| match item {
                Value::String(text) if !text.is_empty() && text.len() <= MAX_TEXT => Ok(text),
                _ => Err(Odd),
            })
            .collect()
    }

    pub(crate) fn objects(&mut self, name: &str) -> Result<Vec<Map<String, Value>>, Odd> {
        self.array(name)?
            .into_iter()
            .map(|item| match item {
                Value::Object(members) => Ok(members),
                _ => Err(Odd),
            })
            .collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<(), Odd> {
        if self.0.is_empty() { Ok(()) } else { Err(Odd) }
    }

    fn array(&mut self, name: &str) -> Result<Vec<Value>, Odd> {
        match self.0.remove(name) {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(Odd),
        }
    }
}

/// Bytes of one name, address or identifier.
const MAX_TEXT: usize = 2048;
