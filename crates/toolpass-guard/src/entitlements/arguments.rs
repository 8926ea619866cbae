//! The arguments of one call that may name a resource: plain texts and whole numbers, and lists of them.
//!
//! Taken out once when the call begins, because requests are checked when the host's own values are out of reach.
//! INVARIANT: a truth value, a text that could not be read whole, what a handle stands for, and everything else is no argument
//! here. A value is never shown in `Debug`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use toolpass_core::template::Filled;

use crate::arguments::Argument;
use crate::tool::Tool;
use crate::value::{Value, View};

/// What the arguments of a call can fill.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Arguments(BTreeMap<String, Given>);

/// What one argument holds.
#[derive(Clone, PartialEq, Eq)]
pub enum Given {
    /// The items of a list or tuple that are texts or whole numbers.
    Many(Vec<Filled<'static>>),
    /// One text or whole number.
    One(Filled<'static>),
}

impl Arguments {
    /// The usable ones of a call's bound arguments.
    pub fn of<V: Value>(tool: &Tool, bound: &[Argument<V>]) -> Arguments {
        let usable = bound.iter().filter(|argument| argument.handle.is_none());
        let usable = usable.filter_map(|argument| {
            let parameter = tool.parameters.get(argument.parameter)?;
            Some((parameter.name.clone(), given(&argument.value)?))
        });
        Arguments(usable.collect())
    }

    /// The usable ones of values given by name.
    pub fn of_pairs<V: Value>(pairs: impl IntoIterator<Item = (String, V)>) -> Arguments {
        let usable = pairs.into_iter();
        Arguments(
            usable
                .filter_map(|(name, value)| Some((name, given(&value)?)))
                .collect(),
        )
    }

    /// One argument.
    pub fn get(&self, name: &str) -> Option<&Given> {
        self.0.get(name)
    }

    /// Every argument, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Given)> {
        self.0.iter().map(|(name, given)| (name.as_str(), given))
    }
}

impl FromIterator<(String, Given)> for Arguments {
    fn from_iter<I: IntoIterator<Item = (String, Given)>>(pairs: I) -> Arguments {
        Arguments(pairs.into_iter().collect())
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Given::Many(_) => "Many",
            Given::One(_) => "One",
        })
    }
}

/// A value as a text to put into a resource; none when it is neither a whole text nor a whole number.
pub fn filled<V: Value>(value: &V) -> Option<Filled<'static>> {
    match value.view() {
        // U+FFFD stands for what could not be read: the resource would not be the one the body touches.
        View::Text(text) if !text.contains(char::REPLACEMENT_CHARACTER) => {
            Some(Filled::Text(Cow::Owned(text.into_owned())))
        }
        View::Int(digits) => digits.parse().ok().map(Filled::Integer),
        View::Bool(_)
        | View::Bytes(_)
        | View::Float(_)
        | View::FrozenSet(_)
        | View::List(_)
        | View::Mapping(_)
        | View::None
        | View::Other
        | View::Set(_)
        | View::Text(_)
        | View::Tuple(_) => None,
    }
}

/// The text a filled value becomes.
pub fn text_of<'f>(filled: &'f Filled<'_>) -> Cow<'f, str> {
    match filled {
        Filled::Integer(number) => Cow::Owned(number.to_string()),
        Filled::Text(text) => Cow::Borrowed(text),
    }
}

fn given<V: Value>(value: &V) -> Option<Given> {
    match value.view() {
        View::List(items) | View::Tuple(items) => {
            let usable: Vec<_> = items.iter().take(MAX_ITEMS).filter_map(filled).collect();
            (!usable.is_empty()).then_some(Given::Many(usable))
        }
        View::Bool(_)
        | View::Bytes(_)
        | View::Float(_)
        | View::FrozenSet(_)
        | View::Int(_)
        | View::Mapping(_)
        | View::None
        | View::Other
        | View::Set(_)
        | View::Text(_) => filled(value).map(Given::One),
    }
}

/// How many items of a list can name a resource; what comes after covers nothing.
const MAX_ITEMS: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::tests::Plain;

    #[test]
    fn only_plain_texts_and_whole_numbers_fill() {
        for (value, fills) in [
            (Plain::Text("x"), true),
            (Plain::Int(-3), true),
            (Plain::Bool(true), false),
            (Plain::Float(1.0), false),
            (Plain::None, false),
            (Plain::Text("a\u{fffd}"), false),
            (Plain::List(vec![Plain::Bool(true), Plain::None]), false),
            (Plain::List(vec![Plain::Bool(true), Plain::Text("x")]), true),
            (Plain::Set(vec![Plain::Text("x")]), false),
            (
                Plain::Map(vec![(Plain::Text("x"), Plain::Text("y"))]),
                false,
            ),
        ] {
            assert_eq!(given(&value).is_some(), fills, "{value:?}");
        }
    }

    #[test]
    fn values_are_not_shown() {
        let arguments: Arguments = [("key".to_owned(), Given::One(Filled::Text("s3cret".into())))]
            .into_iter()
            .collect();
        assert_eq!(format!("{arguments:?}"), "{\"key\"}");
        assert_eq!(format!("{:?}", arguments.get("key").unwrap()), "One");
    }
}
