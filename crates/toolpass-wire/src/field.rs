//! What a reader of a request answers: present, absent, ambiguous, or unread.
//!
//! Separate because it is the rule every extractor lives by: the only way to the value is [`Field::known`], which turns
//! ambiguous and unread into [`Unresolved`], so no extractor can forget to ask.

use std::fmt;

/// One thing looked for in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field<T> {
    /// It is not there.
    Absent,
    /// It stands in the request in ways that two readers could read differently.
    Ambiguous(Unresolved),
    /// It is there, once.
    Present(T),
    /// The place it would stand in could not be read.
    Unread(Unresolved),
}

/// Why a request does not say what it acts on. Text for people: never a value of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved(String);

impl Unresolved {
    /// Say why, in a lower-case fragment that names the field or the rule.
    pub fn new(why: impl Into<String>) -> Unresolved {
        Unresolved(why.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T> Field<T> {
    /// The value when present, nothing when absent.
    /// Errors: [`Unresolved`] when ambiguous or unread.
    pub fn known(self) -> Result<Option<T>, Unresolved> {
        match self {
            Field::Absent => Ok(None),
            Field::Present(value) => Ok(Some(value)),
            Field::Ambiguous(why) | Field::Unread(why) => Err(why),
        }
    }

    /// The value, which must be there.
    /// Errors: [`Unresolved`] when ambiguous, unread or absent (then naming `name`).
    pub fn required(self, name: &str) -> Result<T, Unresolved> {
        self.known()?
            .ok_or_else(|| Unresolved::new(format!("the request does not give `{name}`")))
    }

    /// The same, with the value changed when present.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Field::Absent => Field::Absent,
            Field::Ambiguous(why) => Field::Ambiguous(why),
            Field::Present(value) => Field::Present(change(value)),
            Field::Unread(why) => Field::Unread(why),
        }
    }
}
