//! The types of a tool's parameters, compiled when it is declared, checked at every call.
//!
//! No coercion happens, and a message names the argument, the expected type and the actual type's name, never the value.

use crate::value::{ClassId, Value, View};

/// A type, as far as it can be checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint {
    /// Everything is accepted: no annotation, `Any`, `object`, or a form that cannot be checked.
    Any,
    /// `bool`.
    Bool,
    /// An instance of a class of the host.
    Class(ClassId),
    /// `float`: a float or an int, no bool.
    Float,
    /// `frozenset[T]`.
    FrozenSet(Box<Hint>),
    /// `int`: no bool.
    Int,
    /// `list[T]`.
    List(Box<Hint>),
    /// `Literal[...]`: one of these values of the host.
    Literal(Vec<ClassId>),
    /// `dict[K, V]`, `Mapping[K, V]`.
    Mapping(Box<Hint>, Box<Hint>),
    /// `Never`: no value is accepted.
    Never,
    /// `None`.
    None,
    /// `Sequence[T]`, `Iterable[T]`, `Collection[T]`: a list or a tuple.
    Sequence(Box<Hint>),
    /// `set[T]`.
    Set(Box<Hint>),
    /// `str`.
    Text,
    /// `tuple[A, B]`.
    Tuple(Vec<Hint>),
    /// `tuple[T, ...]`.
    TupleOf(Box<Hint>),
    /// A `TypedDict`: named members, each required or not.
    TypedDict(Vec<Member>),
    /// `Union`, `X | Y`, `Optional`.
    Union(Vec<Hint>),
}

/// One member of a `TypedDict`.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its key.
    pub name: String,
    /// Its type.
    pub hint: Hint,
    /// Whether it must be there.
    pub required: bool,
}

impl Hint {
    /// Whether `value` fits.
    pub fn fits<V: Value>(&self, value: &V) -> bool {
        match self {
            Hint::Any => true,
            Hint::Never => false,
            Hint::Class(class) => value.is_instance(*class),
            Hint::Union(members) => members.iter().any(|member| member.fits(value)),
            Hint::Literal(members) => members.iter().any(|member| value.is_member(*member)),
            other => other.fits_view(value.view()),
        }
    }

    fn fits_view<V: Value>(&self, view: View<'_, V>) -> bool {
        match (self, view) {
            (Hint::Bool, View::Bool(_))
            | (Hint::Float, View::Float(_) | View::Int(_))
            | (Hint::Int, View::Int(_))
            | (Hint::None, View::None)
            | (Hint::Text, View::Text(_)) => true,
            (Hint::List(item), View::List(items))
            | (Hint::Sequence(item), View::List(items) | View::Tuple(items))
            | (Hint::Set(item), View::Set(items))
            | (Hint::FrozenSet(item), View::FrozenSet(items))
            | (Hint::TupleOf(item), View::Tuple(items)) => {
                items.iter().all(|value| item.fits(value))
            }
            (Hint::Tuple(members), View::Tuple(items)) => {
                members.len() == items.len()
                    && members
                        .iter()
                        .zip(&items)
                        .all(|(member, value)| member.fits(value))
            }
            (Hint::Mapping(key, item), View::Mapping(pairs)) => {
                pairs.iter().all(|(k, v)| key.fits(k) && item.fits(v))
            }
            (Hint::TypedDict(members), View::Mapping(pairs)) => fits_members(members, &pairs),
            _ => false,
        }
    }
}

fn fits_members<V: Value>(members: &[Member], pairs: &[(V, V)]) -> bool {
    let find = |name: &str| {
        pairs
            .iter()
            .find(|(key, _)| matches!(key.view(), View::Text(text) if text == name))
    };
    let known = pairs.iter().all(
        |(key, _)| matches!(key.view(), View::Text(text) if members.iter().any(|m| m.name == text)),
    );
    known
        && members.iter().all(|member| match find(&member.name) {
            Some((_, value)) => member.hint.fits(value),
            None => !member.required,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::tests::Plain;

    #[test]
    fn hints() {
        let list_of_int = Hint::List(Box::new(Hint::Int));
        let optional = Hint::Union(vec![Hint::Text, Hint::None]);
        let literal = Hint::Literal(vec![ClassId(3), ClassId(5)]);
        let pair = Hint::Tuple(vec![Hint::Text, Hint::Int]);
        for (hint, value, fits) in [
            (&Hint::Int, Plain::Bool(true), false),
            (&Hint::Int, Plain::Int(1), true),
            (&Hint::Float, Plain::Int(1), true),
            (&Hint::Float, Plain::Bool(true), false),
            (&Hint::Text, Plain::None, false),
            (&optional, Plain::None, true),
            (
                &list_of_int,
                Plain::List(vec![Plain::Int(1), Plain::Text("2")]),
                false,
            ),
            (&list_of_int, Plain::Tuple(vec![Plain::Int(1)]), false),
            (
                &Hint::Sequence(Box::new(Hint::Int)),
                Plain::Tuple(vec![Plain::Int(1)]),
                true,
            ),
            (
                &Hint::Sequence(Box::new(Hint::Text)),
                Plain::Text("ab"),
                false,
            ),
            (&literal, Plain::Int(1), false),
            (&literal, Plain::Object(5), true),
            (&literal, Plain::Object(4), false),
            (
                &pair,
                Plain::Tuple(vec![Plain::Text("a"), Plain::Int(1)]),
                true,
            ),
            (&pair, Plain::Tuple(vec![Plain::Text("a")]), false),
            (&Hint::Class(ClassId(3)), Plain::Object(3), true),
            (&Hint::Class(ClassId(3)), Plain::Object(4), false),
            (&Hint::Never, Plain::None, false),
            (&Hint::Any, Plain::Object(9), true),
            (
                &Hint::Set(Box::new(Hint::Int)),
                Plain::Set(vec![Plain::Int(1)]),
                true,
            ),
        ] {
            assert_eq!(hint.fits(&value), fits, "{hint:?} {value:?}");
        }
    }

    #[test]
    fn typed_dicts_check_their_members() {
        let hint = Hint::TypedDict(vec![
            Member {
                name: "a".into(),
                hint: Hint::Int,
                required: true,
            },
            Member {
                name: "b".into(),
                hint: Hint::Text,
                required: false,
            },
        ]);
        let map = |pairs: &[(&'static str, Plain)]| {
            Plain::Map(
                pairs
                    .iter()
                    .map(|(k, v)| (Plain::Text(k), v.clone()))
                    .collect(),
            )
        };
        assert!(hint.fits(&map(&[("a", Plain::Int(1))])));
        assert!(!hint.fits(&map(&[])));
        assert!(!hint.fits(&map(&[("a", Plain::Text("1"))])));
        assert!(!hint.fits(&map(&[("a", Plain::Int(1)), ("c", Plain::None)])));
    }
}
