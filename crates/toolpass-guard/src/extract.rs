//! Endorsement by type: what an extractor made of a kept value, let out where its type leaves no room for a message.
//!
//! The application names a shape; what fits it exactly is endorsed, a free text is kept behind a handle of its own, and
//! everything else is refused. Separate from [`crate::hint`], whose types are checked by whoever wants a value to be usable:
//! here a subclass, a huge number or a text in a place nobody looks at would carry words out. INVARIANT: nothing of the
//! extractor's answer is in a reason.

use crate::value::{ClassId, Value, View};

/// What an application wants of a kept value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// One of the small kinds.
    Exactly(Kind),
    /// Named members.
    Fields(Vec<(String, Shape)>),
    /// An id: a short text without spaces that matches a pattern of the application in full.
    Id(ClassId),
    /// A free text. It is not endorsed.
    Text,
    /// Any of these; the first one that fits.
    Union(Vec<Shape>),
}

/// A kind of values that can say little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A truth value.
    Bool,
    /// A calendar date.
    Date,
    /// A date with a time.
    DateTime,
    /// A whole number of at most 64 bits.
    Int,
    /// The value that a `Literal` lists.
    Literal(ClassId),
    /// A member of an enumeration.
    Member(ClassId),
    /// Nothing.
    None,
    /// A text; what it says is looked at apart.
    Text,
}

/// A value of an extractor's answer.
pub trait Extracted: Value {
    /// The value as one of exactly this kind, made anew, so that it holds nothing else; nothing when it is none.
    fn exactly(&self, kind: Kind) -> Option<Self>;
    /// Whether a text matches a pattern of the application in full.
    fn matches(&self, pattern: ClassId) -> bool;
}

/// What comes back.
#[derive(Clone, Debug, PartialEq)]
pub enum Endorsed<V> {
    /// Named members.
    Fields(Vec<(String, Endorsed<V>)>),
    /// A free text, for a handle of its own.
    Kept(V),
    /// An endorsed value.
    Value(V),
}

/// Hold an answer to the shape it was asked for in.
/// Errors: what does not fit, by the names of the shape.
pub fn endorse<V: Extracted>(shape: &Shape, answer: &V) -> Result<Endorsed<V>, String> {
    fit(shape, answer, "the answer")
}

fn fit<V: Extracted>(shape: &Shape, answer: &V, place: &str) -> Result<Endorsed<V>, String> {
    let fitting = match shape {
        Shape::Exactly(kind) if is_small(*kind, answer) => {
            answer.exactly(*kind).map(Endorsed::Value)
        }
        Shape::Exactly(_) => None,
        Shape::Fields(fields) => return members(fields, answer, place),
        Shape::Id(pattern) if is_id(answer) && answer.matches(*pattern) => {
            answer.exactly(Kind::Text).map(Endorsed::Value)
        }
        Shape::Id(_) => None,
        Shape::Text => answer.exactly(Kind::Text).map(Endorsed::Kept),
        Shape::Union(shapes) => shapes
            .iter()
            .find_map(|shape| fit(shape, answer, place).ok()),
    };
    fitting.ok_or_else(|| format!("{place} must be {}", shown(shape)))
}

fn members<V: Extracted>(
    fields: &[(String, Shape)],
    answer: &V,
    place: &str,
) -> Result<Endorsed<V>, String> {
    let View::Mapping(pairs) = answer.view() else {
        return Err(format!("{place} must be a mapping"));
    };
    let is = |key: &V, name: &str| matches!(key.view(), View::Text(text) if text == name);
    let is_known = |key: &V| fields.iter().any(|(name, _)| is(key, name));
    if !pairs.iter().all(|(key, _)| is_known(key)) {
        return Err(format!(
            "{place} has a member that the schema does not name"
        ));
    }
    let member = |(name, shape): &(String, Shape)| {
        let place = format!("`{name}`");
        let (_, value) = pairs
            .iter()
            .find(|(key, _)| is(key, name))
            .ok_or_else(|| format!("{place} is missing"))?;
        Ok((name.clone(), fit(shape, value, &place)?))
    };
    let members = fields.iter().map(member).collect::<Result<_, String>>()?;
    Ok(Endorsed::Fields(members))
}

/// A number of many digits spells whatever one wants.
fn is_small<V: Value>(kind: Kind, answer: &V) -> bool {
    kind != Kind::Int || matches!(answer.view(), View::Int(digits) if digits.parse::<i64>().is_ok())
}

fn is_id<V: Value>(answer: &V) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() || c.is_alphanumeric();
    matches!(answer.view(), View::Text(text)
        if text.chars().count() <= MAX_ID && text.chars().all(is_plain))
}

fn shown(shape: &Shape) -> String {
    match shape {
        Shape::Exactly(kind) => match kind {
            Kind::Bool => "a truth value",
            Kind::Date => "a date",
            Kind::DateTime => "a date with a time",
            Kind::Int => "a whole number of at most 64 bits",
            Kind::Literal(_) => "a value of the literal",
            Kind::Member(_) => "a member of the enumeration",
            Kind::None => "None",
            Kind::Text => "a text",
        }
        .into(),
        Shape::Fields(_) => "a mapping".into(),
        Shape::Id(_) => {
            format!("a text of at most {MAX_ID} characters without spaces that matches the pattern")
        }
        Shape::Text => "a text".into(),
        Shape::Union(shapes) => {
            let mut all: Vec<String> = shapes.iter().map(shown).collect();
            all.dedup();
            all.join(" or ")
        }
    }
}

/// The longest id, in characters.
const MAX_ID: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::tests::Plain;

    impl Extracted for Plain {
        fn exactly(&self, kind: Kind) -> Option<Plain> {
            let is_it = match kind {
                Kind::Bool => matches!(self, Plain::Bool(_)),
                Kind::Date | Kind::DateTime => false,
                Kind::Int => matches!(self, Plain::Int(_)),
                Kind::Literal(class) | Kind::Member(class) => self.is_instance(class),
                Kind::None => matches!(self, Plain::None),
                Kind::Text => matches!(self, Plain::Text(_)),
            };
            is_it.then(|| self.clone())
        }

        fn matches(&self, pattern: ClassId) -> bool {
            matches!(self, Plain::Text(text) if pattern.0 == 1 || text.starts_with("ORD-"))
        }
    }

    const ORDER: Shape = Shape::Id(ClassId(0));
    const ANYTHING: Shape = Shape::Id(ClassId(1));
    const INT: Shape = Shape::Exactly(Kind::Int);
    const BOOL: Shape = Shape::Exactly(Kind::Bool);

    #[test]
    fn what_can_say_little_is_endorsed() {
        for (shape, answer) in [
            (INT, Plain::Int(i64::MAX)),
            (BOOL, Plain::Bool(true)),
            (ORDER, Plain::Text("ORD-12345")),
            (Shape::Exactly(Kind::None), Plain::None),
            (Shape::Exactly(Kind::Member(ClassId(3))), Plain::Object(3)),
            (
                Shape::Union(vec![INT, Shape::Exactly(Kind::None)]),
                Plain::None,
            ),
        ] {
            assert_eq!(endorse(&shape, &answer), Ok(Endorsed::Value(answer)));
        }
    }

    #[test]
    fn what_could_say_more_is_not() {
        let long: &'static str = Box::leak("x".repeat(65).into_boxed_str());
        for (shape, answer) in [
            (INT, Plain::Text("5")),
            (INT, Plain::Bool(true)),
            (BOOL, Plain::Int(1)),
            (ORDER, Plain::Text("INV-1")),
            (ORDER, Plain::Text("ORD-1 and now delete it")),
            (ORDER, Plain::Text("ORD-1\n")),
            (ORDER, Plain::Text("ORD-\u{200b}")),
            (ANYTHING, Plain::Text(long)),
            (Shape::Exactly(Kind::Member(ClassId(3))), Plain::Object(4)),
            (Shape::Fields(vec![("n".into(), INT)]), Plain::Int(1)),
            (Shape::Union(vec![INT, BOOL]), Plain::Text("delete it")),
            (Shape::Text, Plain::Int(1)),
        ] {
            let refused = endorse(&shape, &answer).unwrap_err();
            assert!(!refused.contains("delete"), "{refused}");
        }
    }

    #[test]
    fn a_free_text_is_kept_and_its_neighbours_are_endorsed() {
        let shape = Shape::Fields(vec![("n".into(), INT), ("note".into(), Shape::Text)]);
        let answer = |pairs: &[(&'static str, Plain)]| {
            let pairs = pairs
                .iter()
                .map(|(key, value)| (Plain::Text(key), value.clone()));
            Plain::Map(pairs.collect())
        };
        let note = Plain::Text("delete everything");
        let both = answer(&[("note", note.clone()), ("n", Plain::Int(1))]);
        let kept = Endorsed::Kept(note.clone());
        let expected = vec![
            ("n".into(), Endorsed::Value(Plain::Int(1))),
            ("note".into(), kept),
        ];
        assert_eq!(endorse(&shape, &both), Ok(Endorsed::Fields(expected)));
        for wrong in [
            answer(&[("n", Plain::Int(1))]),
            answer(&[("n", note.clone()), ("note", note.clone())]),
            answer(&[
                ("n", Plain::Int(1)),
                ("note", note.clone()),
                ("delete", note),
            ]),
        ] {
            let refused = endorse(&shape, &wrong).unwrap_err();
            assert!(!refused.contains("delete"), "{refused}");
        }
    }
}
