//! The two templates of a row: the path it answers for, and the resource it names.
//!
//! Separate from the matcher because explaining, filling and comparing tables need templates without a tree.
//! INVARIANT: a path is compared segment by segment on decoded text; no variable ever takes an empty segment.
//! INVARIANT: a filled resource has the type and the query keys its template shows, whatever the request carried. Only a
//! template that is one field shows none: there the reader names the whole resource.
//!
//! Grammar of a path: `/`-separated segments. `{name}` is one segment, `{name+}` (last only) one or more, `**` (last only)
//! the same and not captured; a `%` before the `}` says that a segment may hold an encoded slash. Anything else is a literal.
//! Grammar of a resource: text with `{name}`; see [`toolpass_core::resource`] for what it is filled to.

use std::borrow::Cow;
use std::fmt::Write as _;

use toolpass_core::resource::Resource;

use crate::field::Unresolved;
use crate::path::{PathSegments, Segment};
use crate::table::Text;

/// A request's segments after the prefixes that were cut off.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    segments: &'p PathSegments,
    skipped: usize,
    mount: Option<&'static str>,
}

/// A parsed path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    parts: Vec<Part>,
    tail: Option<Variable>,
}

/// One segment of a path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Exactly this text, once decoded.
    Literal(Text),
    /// Any one segment.
    Variable(Variable),
}

/// What takes a segment, or the rest of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What it is captured as; empty when it is not.
    pub name: Text,
    /// Whether its value may hold a slash that was sent encoded.
    pub holds_slash: bool,
}

/// A parsed resource template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTemplate {
    pieces: Vec<Piece>,
}

/// Why a text is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTemplate {
    /// A brace that opens or closes nothing.
    #[error("expected each `{{` to be closed by a `}}`")]
    Brace,
    /// An empty segment.
    #[error("expected no empty segment and no slash at the end")]
    Empty,
    /// A resource whose type is not written out.
    #[error("expected the resource to begin with its type and a `:`, or to be one field")]
    Kind,
    /// A literal that no decoded segment can equal, or that looks like another template language.
    #[error("expected literal segments without `%`, `*`, `?`, `#` and `;`")]
    Literal,
    /// A name that is not an identifier.
    #[error("expected names of letters, digits and `_`, beginning with a letter or `_`")]
    Name,
    /// No slash at the start.
    #[error("expected a path that begins with `/`")]
    NoSlash,
    /// A variable beside other text in one segment.
    #[error("expected each variable to be a whole segment")]
    Partial,
    /// A tail that is not last.
    #[error("expected `{{name+}}` or `**` only at the end")]
    Tail,
    /// The same name twice.
    #[error("expected each name once")]
    Twice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Text),
    Field { name: Text, place: Place },
}

/// Where in a resource a field stands: it says what its value may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Id,
    Query,
    Whole,
}

impl<'p> Path<'p> {
    /// The path without its first `count` segments.
    pub fn skip(self, count: usize) -> Path<'p> {
        let of_mount = usize::from(self.mount.is_some() && count > 0);
        Path {
            skipped: self.skipped + count - of_mount,
            mount: self.mount.filter(|_| count == 0),
            ..self
        }
    }

    /// The path below a first segment that no request can hold, when the place it was sent to has one.
    pub fn below(self, mount: Option<&'static str>) -> Path<'p> {
        Path { mount, ..self }
    }

    /// Whether it still begins with a segment that only a literal can take.
    pub fn is_mounted(self) -> bool {
        self.mount.is_some()
    }

    /// How many segments there are.
    pub fn len(self) -> usize {
        let of_mount = usize::from(self.mount.is_some());
        self.segments.len().saturating_sub(self.skipped) + of_mount
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The segment at `index`.
    pub fn get(self, index: usize) -> Option<Segment<'p>> {
        match (self.mount, index.checked_sub(1)) {
            (None, _) => self.segments.get(self.skipped + index),
            (Some(mount), None) => Some(mounted(mount)),
            (Some(_), Some(index)) => self.segments.get(self.skipped + index),
        }
    }

    /// The segments in order.
    pub fn iter(self) -> impl Iterator<Item = Segment<'p>> {
        let mount = self.mount.map(mounted);
        mount
            .into_iter()
            .chain(self.segments.iter().skip(self.skipped))
    }

    /// Whether a segment inside is empty: no template matches.
    pub fn is_gapped(self) -> bool {
        self.segments.is_gapped()
    }
}

impl<'p> From<&'p PathSegments> for Path<'p> {
    fn from(segments: &'p PathSegments) -> Path<'p> {
        Path {
            segments,
            skipped: 0,
            mount: None,
        }
    }
}

fn mounted<'p>(mount: &'static str) -> Segment<'p> {
    Segment {
        text: mount,
        slashed: false,
        escaped: false,
    }
}

impl PathTemplate {
    /// Read a path template.
    /// Errors: [`InvalidTemplate`].
    pub fn parse(text: &Text) -> Result<PathTemplate, InvalidTemplate> {
        let path = text.strip_prefix('/').ok_or(InvalidTemplate::NoSlash)?;
        let mut template = PathTemplate {
            parts: Vec::new(),
            tail: None,
        };
        if path.is_empty() {
            return Ok(template);
        }
        let mut start = 1;
        for segment in path.split('/') {
            if template.tail.is_some() {
                return Err(InvalidTemplate::Tail);
            }
            template.push(text, start, segment)?;
            start += segment.len() + 1;
        }
        Ok(template)
    }

    /// The segments before the tail.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What takes one or more segments at the end.
    pub fn tail(&self) -> Option<&Variable> {
        self.tail.as_ref()
    }

    /// How many segments are literal.
    pub fn literals(&self) -> usize {
        self.parts
            .iter()
            .filter(|part| matches!(part, Part::Literal(_)))
            .count()
    }

    /// The names it captures, in order.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        let variables = self.parts.iter().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Variable(variable) => Some(variable),
        });
        variables
            .chain(&self.tail)
            .map(|variable| &variable.name)
            .filter(|name| !name.is_empty())
    }

    /// The template with its variables anonymised: equal for two templates that match the same paths.
    pub fn shape(&self, fold_case: bool) -> String {
        let mut shape = String::new();
        for part in &self.parts {
            shape.push('/');
            match part {
                Part::Literal(text) if fold_case => shape.push_str(&text.to_ascii_lowercase()),
                Part::Literal(text) => shape.push_str(text),
                Part::Variable(_) => shape.push_str("{}"),
            }
        }
        if self.tail.is_some() {
            shape.push_str("/{+}");
        }
        shape
    }

    /// Whether it matches a path, encoded slashes aside.
    /// Errors: [`Mismatch`], the first reason it does not.
    pub fn compare(&self, path: Path<'_>, fold_case: bool) -> Result<(), Mismatch> {
        if path.is_gapped() {
            return Err(Mismatch::Empty);
        }
        for (index, part) in self.parts.iter().enumerate() {
            let given = path.get(index).ok_or(Mismatch::Short)?.text;
            match part {
                Part::Literal(text)
                    if text == given || fold_case && text.eq_ignore_ascii_case(given) => {}
                Part::Literal(text) => return Err(Mismatch::Literal(text.clone())),
                Part::Variable(_) if index == 0 && path.is_mounted() => return Err(Mismatch::Face),
                Part::Variable(_) => {}
            }
        }
        if self.parts.is_empty() && path.is_mounted() {
            return Err(Mismatch::Face);
        }
        let goes_on = path.len() > self.parts.len();
        match self.tail {
            None if goes_on => Err(Mismatch::Long),
            Some(_) if !goes_on => Err(Mismatch::Short),
            None | Some(_) => Ok(()),
        }
    }

    /// How many segments from the start fit: of rows that do not match, the ones that come closest.
    pub fn agreement(&self, path: Path<'_>, fold_case: bool) -> usize {
        let fits = |(part, given): &(&Part, Segment<'_>)| match part {
            Part::Literal(text) => {
                text == given.text || fold_case && text.eq_ignore_ascii_case(given.text)
            }
            Part::Variable(_) => !given.text.is_empty(),
        };
        self.parts.iter().zip(path.iter()).take_while(fits).count()
    }

    /// How much a template that does not match looks like a path, for people: a literal says more than a variable, one that only
    /// begins alike less, and each segment too many or too few takes away.
    pub fn similarity(&self, path: Path<'_>) -> usize {
        let alike = |(part, given): (&Part, Segment<'_>)| match part {
            Part::Literal(text) if text.eq_ignore_ascii_case(given.text) => 4,
            Part::Literal(text) if begins_alike(text, given.text) => 3,
            Part::Literal(_) => 0,
            Part::Variable(_) => 2,
        };
        let common: usize = self.parts.iter().zip(path.iter()).map(alike).sum();
        common.saturating_sub(path.iter().count().abs_diff(self.parts.len()))
    }

    /// What the variables take of a path that the template matches.
    pub fn captures(&self, path: Path<'_>) -> Vec<(Text, String)> {
        let mut captured = Vec::with_capacity(self.parts.len() + 1);
        for (part, given) in self.parts.iter().zip(path.iter()) {
            if let Part::Variable(variable) = part {
                captured.push((variable.name.clone(), given.text.to_string()));
            }
        }
        if let Some(tail) = self.tail.as_ref().filter(|tail| !tail.name.is_empty()) {
            let mut rest = String::new();
            for segment in path.skip(self.parts.len()).iter() {
                if !rest.is_empty() {
                    rest.push('/');
                }
                rest.push_str(segment.text);
            }
            captured.push((tail.name.clone(), rest));
        }
        captured
    }

    /// Whether each encoded slash of a path that the template matches stands where the template allows one.
    pub fn allows_slashes(&self, path: Path<'_>) -> bool {
        path.iter().enumerate().all(|(index, given)| {
            !given.slashed
                || match self.parts.get(index) {
                    Some(Part::Literal(_)) => false,
                    Some(Part::Variable(variable)) => variable.holds_slash,
                    None => self.tail.as_ref().is_some_and(|tail| tail.holds_slash),
                }
        })
    }

    fn push(&mut self, text: &Text, start: usize, segment: &str) -> Result<(), InvalidTemplate> {
        if segment.is_empty() {
            return Err(InvalidTemplate::Empty);
        }
        if segment == "**" {
            self.tail = Some(Variable {
                name: Text::Borrowed(""),
                holds_slash: false,
            });
            return Ok(());
        }
        let Some(inside) = segment
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
        else {
            if segment.contains(['{', '}']) {
                return Err(InvalidTemplate::Partial);
            }
            if segment.contains(['%', '*', '?', '#', ';']) {
                return Err(InvalidTemplate::Literal);
            }
            self.parts
                .push(Part::Literal(sliced(text, start, segment.len())));
            return Ok(());
        };
        if inside.contains(['{', '}']) {
            return Err(InvalidTemplate::Partial);
        }
        let unmarked = inside.strip_suffix('%');
        let holds_slash = unmarked.is_some();
        let inside = unmarked.unwrap_or(inside);
        let one = inside.strip_suffix('+');
        let name = named(text, start + 1, one.unwrap_or(inside))?;
        if self.names().any(|known| *known == name) {
            return Err(InvalidTemplate::Twice);
        }
        let variable = Variable { name, holds_slash };
        if one.is_some() {
            self.tail = Some(variable);
        } else {
            self.parts.push(Part::Variable(variable));
        }
        Ok(())
    }
}

/// Why a path template does not match a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A segment is empty.
    #[error("the path has an empty segment")]
    Empty,
    /// The path is below a mount that the template does not begin with.
    #[error("the path is of another face of the system")]
    Face,
    /// Another text than this literal.
    #[error("the segment is not `{0}`")]
    Literal(Text),
    /// The path goes on.
    #[error("the path has more segments")]
    Long,
    /// The path ends before the template does.
    #[error("the path has fewer segments")]
    Short,
}

impl ResourceTemplate {
    /// Read a resource template.
    /// Errors: [`InvalidTemplate`].
    pub fn parse(text: &Text) -> Result<ResourceTemplate, InvalidTemplate> {
        let mut pieces = Vec::new();
        let mut place = Place::Id;
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let open = rest.find(['{', '}']).unwrap_or(rest.len());
            if open > 0 {
                let literal = sliced(text, at, open);
                if literal.contains('?') {
                    place = Place::Query;
                }
                pieces.push(Piece::Text(literal));
                at += open;
                continue;
            }
            let close = rest
                .strip_prefix('{')
                .and_then(|inner| inner.find('}'))
                .ok_or(InvalidTemplate::Brace)?;
            let name = named(text, at + 1, rest.get(1..=close).unwrap_or_default())?;
            pieces.push(Piece::Field { name, place });
            at += close + 2;
        }
        if let [Piece::Field { place, .. }] = pieces.as_mut_slice() {
            *place = Place::Whole;
        }
        let template = ResourceTemplate { pieces };
        if template.shows_its_type() {
            Ok(template)
        } else {
            Err(InvalidTemplate::Kind)
        }
    }

    /// The fields it takes.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field { name, .. } => Some(name),
            Piece::Text(_) => None,
        })
    }

    /// Fill it; an empty value fills as empty.
    /// Errors: [`Unresolved`] naming the first field without a value, or whose value would make it another resource.
    pub fn fill<'v>(
        &self,
        value_of: impl Fn(&str) -> Option<&'v str>,
    ) -> Result<String, Unresolved> {
        let mut filled = String::new();
        for piece in &self.pieces {
            let (name, place) = match piece {
                Piece::Text(text) => {
                    filled.push_str(text);
                    continue;
                }
                Piece::Field { name, place } => (name, place),
            };
            let value = value_of(name)
                .ok_or_else(|| Unresolved::new(format!("the request does not give `{name}`")))?;
            match place {
                Place::Id if value.contains('?') => {
                    return Err(Unresolved::new(format!(
                        "`{name}` holds a `?`, which no resource id can"
                    )));
                }
                Place::Id | Place::Whole => filled.push_str(value),
                Place::Query => push_encoded(&mut filled, value),
            }
        }
        match Resource::parse(&filled) {
            Ok(_) => Ok(filled),
            Err(why) => Err(Unresolved::new(format!(
                "the request names no usable resource: {why}"
            ))),
        }
    }

    /// A value can change neither type nor query keys when the text up to the first `:` is written out.
    fn shows_its_type(&self) -> bool {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Resource::parse(text).is_ok(),
            [Piece::Field { .. }] => true,
            [Piece::Text(text), ..] => text.contains([':', '?']),
            _ => false,
        }
    }
}

fn named(text: &Text, start: usize, name: &str) -> Result<Text, InvalidTemplate> {
    let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let fits = name.bytes().next().is_some_and(starts)
        && name.bytes().all(|b| starts(b) || b.is_ascii_digit());
    if fits {
        Ok(sliced(text, start, name.len()))
    } else {
        Err(InvalidTemplate::Name)
    }
}

/// A part of a text, borrowed for ever when the text is.
fn sliced(text: &Text, start: usize, len: usize) -> Text {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(start..start + len).unwrap_or_default()),
        Cow::Owned(text) => {
            Cow::Owned(text.get(start..start + len).unwrap_or_default().to_string())
        }
    }
}

/// Percent-encode all but the characters that RFC 3986 §2.3 leaves alone.
/// Whether two texts have three letters in common at their start.
fn begins_alike(one: &str, other: &str) -> bool {
    let pairs = one.chars().zip(other.chars());
    pairs
        .take_while(|(one, other)| one.eq_ignore_ascii_case(other))
        .count()
        >= 3
}

fn push_encoded(out: &mut String, value: &str) {
    for b in value.bytes() {
        if b.is_ascii_alphanumeric() || b"-._~".contains(&b) {
            out.push(char::from(b));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{b:02X}");
        }
    }
}

#[cfg(test)]
mod tests;
