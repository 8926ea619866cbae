//! A value of the host language, looked at in place.
//!
//! Arguments are never copied wholesale: a check asks for the [`View`] it needs. The Python face implements [`Value`] for a
//! borrowed object, tests for a small enum.

use std::borrow::Cow;

use crate::budget::{Budget, TooLarge};

/// Which class, which value of a `Literal`, or which pattern a type names; an index into a list the host keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassId(pub usize);

/// A value of the host language.
pub trait Value: Sized {
    /// What it is.
    fn view(&self) -> View<'_, Self>;
    /// The name of its type, for messages.
    fn type_name(&self) -> String;
    /// Whether it is an instance of a class of the host.
    fn is_instance(&self, class: ClassId) -> bool;
    /// Whether it equals a value of the host that a `Literal` lists, and is of the same type.
    fn is_member(&self, member: ClassId) -> bool;
    /// How the host would show it, for the audit event; at most `max_chars` characters of it are kept.
    fn shown(&self, max_chars: usize) -> String;
    /// Every text in it, keys included, in order.
    /// Errors: [`TooLarge`] when that is more than is looked at.
    fn texts(&self, budget: &mut Budget, found: &mut Vec<String>) -> Result<(), TooLarge>;
}

/// What a value is. A string is a string also when its class is derived from the host's.
pub enum View<'v, V> {
    /// A truth value.
    Bool(bool),
    /// Bytes.
    Bytes(Cow<'v, [u8]>),
    /// A binary floating-point number.
    Float(f64),
    /// A frozen set.
    FrozenSet(Vec<V>),
    /// A whole number, as decimal text.
    Int(Cow<'v, str>),
    /// A list.
    List(Vec<V>),
    /// A mapping, in its order.
    Mapping(Vec<(V, V)>),
    /// Nothing.
    None,
    /// Anything else.
    Other,
    /// A set.
    Set(Vec<V>),
    /// A text. A lone surrogate of the host reads as U+FFFD.
    Text(Cow<'v, str>),
    /// A tuple.
    Tuple(Vec<V>),
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A value of no language, for the tests of this crate.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) enum Plain {
        Bool(bool),
        Float(f64),
        Int(i64),
        List(Vec<Plain>),
        Map(Vec<(Plain, Plain)>),
        None,
        Object(usize),
        Set(Vec<Plain>),
        Text(&'static str),
        Tuple(Vec<Plain>),
    }

    impl Value for Plain {
        fn view(&self) -> View<'_, Plain> {
            match self {
                Plain::Bool(b) => View::Bool(*b),
                Plain::Float(f) => View::Float(*f),
                Plain::Int(n) => View::Int(n.to_string().into()),
                Plain::List(items) => View::List(items.clone()),
                Plain::Map(pairs) => View::Mapping(pairs.clone()),
                Plain::None => View::None,
                Plain::Object(_) => View::Other,
                Plain::Set(items) => View::Set(items.clone()),
                Plain::Text(text) => View::Text((*text).into()),
                Plain::Tuple(items) => View::Tuple(items.clone()),
            }
        }

        fn type_name(&self) -> String {
            match self {
                Plain::Bool(_) => "bool",
                Plain::Float(_) => "float",
                Plain::Int(_) => "int",
                Plain::List(_) => "list",
                Plain::Map(_) => "dict",
                Plain::None => "NoneType",
                Plain::Object(_) => "Object",
                Plain::Set(_) => "set",
                Plain::Text(_) => "str",
                Plain::Tuple(_) => "tuple",
            }
            .into()
        }

        fn is_instance(&self, class: ClassId) -> bool {
            matches!(self, Plain::Object(id) if *id == class.0)
        }

        fn is_member(&self, member: ClassId) -> bool {
            self.is_instance(member)
        }

        fn shown(&self, max_chars: usize) -> String {
            format!("{self:?}").chars().take(max_chars).collect()
        }

        fn texts(&self, budget: &mut Budget, found: &mut Vec<String>) -> Result<(), TooLarge> {
            match self {
                Plain::Text(text) => {
                    budget.take(text.len())?;
                    found.push((*text).into());
                    Ok(())
                }
                Plain::List(items) | Plain::Set(items) | Plain::Tuple(items) => {
                    items.iter().try_for_each(|item| item.texts(budget, found))
                }
                Plain::Map(pairs) => pairs.iter().try_for_each(|(key, item)| {
                    key.texts(budget, found)?;
                    item.texts(budget, found)
                }),
                Plain::Bool(_)
                | Plain::Float(_)
                | Plain::Int(_)
                | Plain::None
                | Plain::Object(_) => Ok(()),
            }
        }
    }
}
