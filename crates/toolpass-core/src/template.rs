//! Filling a resource from the arguments of a call: the one rule, for every place that has a template.
//!
//! A template is resource text (see `resource`) in which `{name}` or `{name:kind}` stands for an argument. Its type and its
//! query's keys are always written out. Values come from a model, so each is held to its field's kind:
//!
//! | kind | the value may hold |
//! |---|---|
//! | `id` (default) | no control, format or space character, none of `? # & ; % \ @`, no `.` or `..` segment; `/` and `:` only where the field is a whole part |
//! | `path` | the same, and `/`, `:` and single inner spaces anywhere |
//! | `email` | one address of the strict shape |
//! | `any` | what the grammar of a resource takes |
//!
//! A field is a whole part when it is all of the id, or, in a template with an `@` of its own, all that stands before the last
//! one or all that stands after it. In the query a value is percent-encoded, so only control and format characters are refused.
//! INVARIANT: a filled resource has the template's own type and query keys. A value is never shown in an error.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::email::StrictEmail;
use crate::resource::{InvalidResource, Resource};
use crate::text;

/// A resource with fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
    /// What the template is with every field an `x`, to hold a filled one against.
    sample: Resource,
}

/// A value for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filled<'a> {
    /// A whole number.
    Integer(i128),
    /// A text, which must not be empty.
    Text(Cow<'a, str>),
}

/// What a value may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whatever the grammar of a resource takes: the developer's word that it is safe.
    Any,
    /// One strict address.
    Email,
    /// An identifier.
    Id,
    /// Identifiers joined by `/` and `:`.
    Path,
}

/// Why a text is no template. For the developer, at declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A brace that opens or closes nothing.
    #[error("a brace in the template has no partner; fields are `{{name}}` or `{{name:kind}}`")]
    Braces,
    /// Something between braces that is no field.
    #[error(
        "expected `{{name}}` or `{{name:kind}}`, not `{{{0}}}`; attributes, indexes, conversions and formats are not fields"
    )]
    Field(String),
    /// A kind there is not.
    #[error("expected the kind `any`, `email`, `id` or `path`, not `{0}`")]
    Kind(String),
    /// The type, or a key of the query, would come from an argument.
    #[error(
        "the field `{0}` would choose the resource's type or a key of its query; those are written out"
    )]
    Place(String),
    /// The text around the fields is no resource.
    #[error("{0}")]
    Resource(#[from] InvalidResource),
}

/// A field that could not be filled, by its argument's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the argument `{field}` cannot name the resource: {problem}")]
pub struct Unfilled {
    /// The argument.
    pub field: String,
    /// What is wrong with its value.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A character its kind does not take.
    #[error("it holds a character that is not part of an identifier")]
    Character,
    /// Not a strict address.
    #[error("it is not a plain e-mail address")]
    Email,
    /// An empty text.
    #[error("it is empty")]
    Empty,
    /// There is no text or whole number under that name.
    #[error("it is missing, or neither a text nor a whole number")]
    Missing,
    /// It would become another resource than the template's.
    #[error("the resource would not be the one the template describes")]
    Resource,
    /// A `.` or `..` between slashes.
    #[error("it holds a `.` or `..` segment")]
    Segment,
    /// A `/` or `:` where the template divides the id itself.
    #[error("it holds a `/` or `:`, which would move the template's own parts")]
    Separator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Field {
        name: String,
        kind: Kind,
        place: Place,
    },
    Literal(String),
}

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Beside other text of the id.
    Part,
    /// In a value of the query.
    Query,
    /// All of the id, or all of one side of its last `@`.
    Whole,
}

impl Template {
    /// Read a template.
    /// Errors: [`TemplateError`], naming the field or what the text around the fields lacks.
    pub fn parse(template: &str) -> Result<Template, TemplateError> {
        let mut pieces = split(template)?;
        place_fields(&mut pieces)?;
        let sample: String = pieces.iter().map(Piece::sample).collect();
        Ok(Template {
            text: template.into(),
            sample: Resource::parse(&sample)?,
            pieces,
        })
    }

    /// The template as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The type of every resource it fills.
    pub fn kind(&self) -> &str {
        self.sample.kind()
    }

    /// The names of its fields in the order they first stand, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in &self.pieces {
            if let Piece::Field { name, .. } = piece
                && !names.contains(&name.as_str())
            {
                names.push(name.as_str());
            }
        }
        names
    }

    /// Fill it from a call's arguments.
    /// Errors: [`Unfilled`], naming the first field whose value does not fit.
    pub fn fill<'a>(
        &self,
        mut value_of: impl FnMut(&str) -> Option<Filled<'a>>,
    ) -> Result<Resource, Unfilled> {
        let mut out = String::with_capacity(self.text.len() + 32);
        let mut query_at = None;
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) => {
                    query_at = query_at.or_else(|| literal.find('?').map(|at| out.len() + at));
                    out.push_str(literal);
                }
                Piece::Field { name, kind, place } => {
                    let unfilled = |problem| Unfilled {
                        field: name.clone(),
                        problem,
                    };
                    let value = match value_of(name).ok_or_else(|| unfilled(Problem::Missing))? {
                        Filled::Integer(number) => Cow::Owned(number.to_string()),
                        Filled::Text(text) => text,
                    };
                    check(&value, *kind, *place).map_err(unfilled)?;
                    match place {
                        Place::Query => push_encoded(&mut out, &value),
                        Place::Part | Place::Whole => out.push_str(&value),
                    }
                }
            }
        }
        let problem = match Resource::parse(&out) {
            Ok(resource) => match self.moved(&resource, query_at) {
                None => return Ok(resource),
                Some(problem) => problem,
            },
            Err(_) => Problem::Resource,
        };
        Err(Unfilled {
            field: self.fields().first().copied().unwrap_or_default().into(),
            problem,
        })
    }

    /// What a filled resource has become that the template does not say: another type, other query keys, a query elsewhere, a
    /// dot segment that a value and the text beside it made together.
    fn moved(&self, resource: &Resource, query_at: Option<usize>) -> Option<Problem> {
        let keys = |resource: &Resource| {
            resource
                .query()
                .iter()
                .map(|(key, _)| key.clone())
                .collect::<Vec<_>>()
        };
        let other_query = query_at.is_some() && resource.as_str().find('?') != query_at;
        if other_query || resource.kind() != self.kind() || keys(resource) != keys(&self.sample) {
            return Some(Problem::Resource);
        }
        let vouched = |piece: &Piece| {
            matches!(
                piece,
                Piece::Field {
                    kind: Kind::Any,
                    ..
                }
            )
        };
        let more_dots = dot_segments(resource.id()) > dot_segments(self.sample.id());
        (more_dots && !self.pieces.iter().any(vouched)).then_some(Problem::Segment)
    }
}

impl Kind {
    fn parse(text: &str) -> Option<Kind> {
        match text {
            "any" => Some(Kind::Any),
            "email" => Some(Kind::Email),
            "id" => Some(Kind::Id),
            "path" => Some(Kind::Path),
            _ => None,
        }
    }
}

impl Piece {
    /// A text the piece could become, to see what the template is around its fields.
    fn sample(&self) -> &str {
        match self {
            Piece::Field { .. } => "x",
            Piece::Literal(literal) => literal,
        }
    }
}

/// The pieces of a template, its fields not yet placed.
fn split(template: &str) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(brace) = rest.find(['{', '}']) {
        let (literal, after) = rest.split_at(brace);
        let after = after.strip_prefix('{').ok_or(TemplateError::Braces)?;
        let (field, after) = after.split_once('}').ok_or(TemplateError::Braces)?;
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal.into()));
        }
        let (name, kind) = field.split_once(':').unwrap_or((field, "id"));
        if !is_identifier(name) {
            return Err(TemplateError::Field(field.into()));
        }
        let kind = Kind::parse(kind).ok_or_else(|| TemplateError::Kind(kind.into()))?;
        pieces.push(Piece::Field {
            name: name.into(),
            kind,
            place: Place::Part,
        });
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest.into()));
    }
    Ok(pieces)
}

/// Say of each field where it stands.
/// Errors: [`TemplateError::Place`] for one in the type or in a query key.
fn place_fields(pieces: &mut [Piece]) -> Result<(), TemplateError> {
    let last_at = last_at(pieces);
    let count = pieces.len();
    let mut section = Section::Type;
    for index in 0..count {
        let (before, rest) = pieces.split_at_mut(index);
        let Some((piece, after)) = rest.split_first_mut() else {
            break;
        };
        match piece {
            Piece::Literal(literal) => section = section.after(literal),
            Piece::Field { name, place, .. } => {
                *place = match section {
                    Section::Type | Section::Key => return Err(TemplateError::Place(name.clone())),
                    Section::Value => Place::Query,
                    Section::Id
                        if opens_part(before, last_at) && closes_part(after, index, last_at) =>
                    {
                        Place::Whole
                    }
                    Section::Id => Place::Part,
                }
            }
        }
    }
    Ok(())
}

/// What of a resource the text read so far has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Type,
    Id,
    Key,
    Value,
}

impl Section {
    fn after(self, literal: &str) -> Section {
        literal.chars().fold(self, |section, c| match (section, c) {
            (Section::Type, ':') => Section::Id,
            (Section::Type | Section::Id, '?') | (Section::Value, '&') => Section::Key,
            (Section::Key, '=') => Section::Value,
            (same, _) => same,
        })
    }
}

/// The piece that holds the last `@` of the id, and where in it.
fn last_at(pieces: &[Piece]) -> Option<(usize, usize)> {
    let mut found = None;
    let mut section = Section::Type;
    for (index, piece) in pieces.iter().enumerate() {
        if let Piece::Literal(literal) = piece {
            for (offset, c) in literal.char_indices() {
                section = section.after(c.encode_utf8(&mut [0; 4]));
                if section == Section::Id && c == '@' {
                    found = Some((index, offset));
                }
            }
        }
    }
    found
}

/// Whether a field after `before` begins the id, or what follows its last `@`.
fn opens_part(before: &[Piece], last_at: Option<(usize, usize)>) -> bool {
    let Some(Piece::Literal(literal)) = before.last() else {
        return false;
    };
    let only_type = before.len() == 1 && literal.find(':') == Some(literal.len().saturating_sub(1));
    let after_at = last_at
        == Some((
            before.len().saturating_sub(1),
            literal.len().saturating_sub(1),
        ));
    only_type || after_at
}

/// Whether a field at `index` ends the id, or what stands before its last `@`.
fn closes_part(after: &[Piece], index: usize, last_at: Option<(usize, usize)>) -> bool {
    match after.first() {
        None => true,
        Some(Piece::Literal(literal)) => {
            literal.starts_with('?') || last_at == Some((index + 1, 0))
        }
        Some(Piece::Field { .. }) => false,
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}

/// Hold a value against its field.
fn check(value: &str, kind: Kind, place: Place) -> Result<(), Problem> {
    if value.is_empty() {
        return Err(Problem::Empty);
    }
    if value
        .chars()
        .any(|c| text::is_control(c) || text::is_format(c))
    {
        return Err(Problem::Character);
    }
    match (kind, place) {
        (Kind::Email, _) => StrictEmail::parse(value)
            .map(|_| ())
            .map_err(|_| Problem::Email),
        (Kind::Any, _) | (Kind::Id | Kind::Path, Place::Query) => Ok(()),
        (Kind::Id, Place::Part) if value.contains(['/', ':']) => Err(Problem::Separator),
        (Kind::Id, Place::Part | Place::Whole) => check_identifier(value, false),
        (Kind::Path, Place::Part | Place::Whole) => check_identifier(value, true),
    }
}

fn check_identifier(value: &str, inner_spaces: bool) -> Result<(), Problem> {
    let spaced = |c: char| c.is_whitespace() && !(inner_spaces && c == ' ');
    if value.chars().any(|c| spaced(c) || FORBIDDEN.contains(&c)) {
        return Err(Problem::Character);
    }
    if value.starts_with(' ') || value.ends_with(' ') || value.contains("  ") {
        return Err(Problem::Character);
    }
    if dot_segments(value) > 0 {
        Err(Problem::Segment)
    } else {
        Ok(())
    }
}

/// How many segments of the text are `.` or `..`.
fn dot_segments(text: &str) -> usize {
    text.split(['/', ':', '@'])
        .filter(|segment| matches!(*segment, "." | ".."))
        .count()
}

/// Percent-encode all but the characters that stand for themselves everywhere.
/// Source: RFC 3986 §2.3.
fn push_encoded(out: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// What separates parts of a resource, or of the URL a vendor makes of it.
const FORBIDDEN: [char; 7] = ['?', '#', '&', ';', '%', '\\', '@'];

#[cfg(test)]
mod tests;
