//! The resources an entry covers: one text, a template of the call's arguments, or a glob, which may hold fields too.
//!
//! | in the text | is |
//! |---|---|
//! | `{name}`, `{name:kind}` | an argument, held to its kind (`toolpass_core::template`) |
//! | `{name[]}`, `{name[]:kind}` | any item of a list argument; one such argument an entry |
//! | `*` `**` `?` `[...]` | a glob, outside the fields; but a first `?` before `key=` begins the resource's query |
//! | anything else, other braces too | itself |
//!
//! A glob with fields is filled by the same one rule as a template: its wild parts stand in as one character no value may
//! hold, and come back after the values have been made literal.
//! INVARIANT: an argument never widens a pattern. A pattern that cannot be filled, or whose glob cannot be compiled, covers
//! nothing.

use std::fmt;

use toolpass_core::glob::Glob;
use toolpass_core::resource::{InvalidResource, Resource};
use toolpass_core::template::{Filled, Template, TemplateError};

use super::arguments::{Arguments, Given};

/// The resources an entry covers. The default covers no resource, for actions that have none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ResourcePattern {
    text: String,
    body: Body,
}

/// How much a pattern leaves open. The order is the order in which entries are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Openness {
    /// One resource.
    Literal,
    /// The resource the arguments name.
    Template,
    /// Whatever a glob matches.
    Glob,
}

/// What becomes of glob characters in the values of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// They stay, for a text to be compared.
    No,
    /// They match themselves, for a text to be used as a glob.
    Yes,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A field between the brackets of a class.
    #[error("a field cannot stand inside `[...]`")]
    FieldInClass,
    /// Two list arguments, or a list argument that is used as one value too.
    #[error(
        "expected at most one list argument `{{name[]}}`, and no `{{name}}` of the same name beside it"
    )]
    Lists,
    /// A character that means nothing.
    #[error("a resource holds no characters of a private-use area")]
    PrivateUse,
    /// The text is no resource.
    #[error("{0}")]
    Resource(#[from] InvalidResource),
    /// The fields are wrong, or the text around them is no resource.
    #[error("{0}")]
    Template(#[from] TemplateError),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Body {
    /// No resource at all.
    #[default]
    Nothing,
    Literal,
    /// A glob without fields; none when it cannot be compiled.
    Glob(Option<Glob>),
    Fields(Fields),
}

/// A text with fields.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fields {
    /// The text with [`MASK`] for each of `masked`.
    template: Template,
    masked: Vec<String>,
    is_glob: bool,
    /// The argument of which any item will do.
    list: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    /// A brace that belongs to no field.
    Brace(&'t str),
    Field {
        name: &'t str,
        is_list: bool,
        kind: Option<&'t str>,
    },
    Literal(&'t str),
    Wild(&'t str),
}

impl ResourcePattern {
    /// Read a pattern.
    /// Errors: [`PatternError`].
    pub fn parse(text: &str) -> Result<ResourcePattern, PatternError> {
        if text.contains(MASK) {
            return Err(PatternError::PrivateUse);
        }
        let pieces = pieces(text)?;
        let has = |wanted: fn(&Piece<'_>) -> bool| pieces.iter().any(wanted);
        let is_glob = has(|piece| matches!(piece, Piece::Wild(_)));
        let body = if has(|piece| matches!(piece, Piece::Field { .. })) {
            Body::Fields(fields(&pieces, is_glob)?)
        } else if is_glob {
            if text.chars().any(char::is_control) {
                return Err(InvalidResource::Control.into());
            }
            Body::Glob(Glob::compile(&glob_text(&pieces)).ok())
        } else if text.is_empty() {
            Body::Nothing
        } else {
            Resource::parse(text)?;
            Body::Literal
        };
        Ok(ResourcePattern {
            text: text.into(),
            body,
        })
    }

    /// The pattern for exactly this resource, whatever it holds.
    /// Errors: [`PatternError`] for a text that is no resource, or holds what no pattern can say.
    pub fn exactly(resource: &str) -> Result<ResourcePattern, PatternError> {
        Resource::parse(resource)?;
        let mut text = String::with_capacity(resource.len());
        push_literal(&mut text, resource, &mut false);
        ResourcePattern::parse(&text)
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How much it leaves open.
    pub fn openness(&self) -> Openness {
        match &self.body {
            Body::Nothing | Body::Literal => Openness::Literal,
            Body::Glob(_) => Openness::Glob,
            Body::Fields(fields) if fields.is_glob => Openness::Glob,
            Body::Fields(_) => Openness::Template,
        }
    }

    /// Whether it is a glob.
    pub fn is_glob(&self) -> bool {
        self.openness() == Openness::Glob
    }

    /// Whether it is a glob that can never match.
    pub fn is_broken(&self) -> bool {
        matches!(self.body, Body::Glob(None))
    }

    /// The arguments it names, in the order they first stand, each once.
    pub fn fields(&self) -> Vec<&str> {
        match &self.body {
            Body::Nothing | Body::Literal | Body::Glob(_) => Vec::new(),
            Body::Fields(fields) => fields.template.fields(),
        }
    }

    /// Its text with the arguments in it, once for each item of a list; none when they do not fit.
    pub fn fill(&self, arguments: &Arguments, escape: Escape) -> Vec<String> {
        match &self.body {
            Body::Nothing | Body::Literal | Body::Glob(_) => vec![self.text.clone()],
            Body::Fields(fields) => fields.filled(arguments, escape).collect(),
        }
    }

    /// The resources it is known to mean before the body runs: none for a glob.
    pub fn known(&self, arguments: &Arguments) -> Vec<Resource> {
        match &self.body {
            Body::Nothing | Body::Glob(_) => Vec::new(),
            Body::Literal => Resource::parse(&self.text).into_iter().collect(),
            Body::Fields(fields) if fields.is_glob => Vec::new(),
            Body::Fields(fields) => fields
                .filled(arguments, Escape::No)
                .filter_map(|filled| Resource::parse(&filled).ok())
                .collect(),
        }
    }

    /// Whether it covers a resource in a call with these arguments.
    pub fn matches(&self, resource: &str, arguments: &Arguments) -> bool {
        match &self.body {
            Body::Nothing => resource.is_empty(),
            Body::Literal => is_same(&self.text, resource),
            Body::Glob(glob) => glob.as_ref().is_some_and(|glob| glob.matches(resource)),
            Body::Fields(fields) if fields.is_glob => fields
                .filled(arguments, Escape::Yes)
                .any(|glob| Glob::compile(&glob).is_ok_and(|glob| glob.matches(resource))),
            Body::Fields(fields) => fields
                .filled(arguments, Escape::No)
                .any(|filled| is_same(&filled, resource)),
        }
    }
}

impl fmt::Debug for ResourcePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourcePattern({:?})", self.text)
    }
}

impl fmt::Display for ResourcePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Fields {
    /// The text for each way the arguments can fill it.
    fn filled<'s>(
        &'s self,
        arguments: &'s Arguments,
        escape: Escape,
    ) -> impl Iterator<Item = String> + 's {
        let items = match self.list.as_deref().map(|name| arguments.get(name)) {
            Some(Some(Given::Many(items))) => items.iter().map(Some).collect(),
            Some(Some(Given::One(_)) | None) => Vec::new(),
            None => vec![None],
        };
        items.into_iter().filter_map(move |item| {
            let value_of = |name: &str| {
                let value = match item.filter(|_| self.list.as_deref() == Some(name)) {
                    Some(item) => item,
                    None => match arguments.get(name)? {
                        Given::One(value) => value,
                        Given::Many(_) => return None,
                    },
                };
                let holds_mask = matches!(value, Filled::Text(text) if text.contains(MASK));
                (!holds_mask).then(|| value.clone())
            };
            let filled = self.template.fill(value_of).ok()?;
            Some(self.unmasked(filled.as_str(), escape))
        })
    }

    fn unmasked(&self, filled: &str, escape: Escape) -> String {
        let mut masked = self.masked.iter();
        let mut out = String::with_capacity(filled.len() + 8);
        for c in filled.chars() {
            match (c, escape) {
                (MASK, _) => out.push_str(masked.next().map_or("", String::as_str)),
                (c, Escape::Yes) => push_escaped(&mut out, c),
                (c, Escape::No) => out.push(c),
            }
        }
        out
    }
}

/// Append the pattern text that means exactly `text`: what would be a glob or a field is put into a class of one character.
/// `has_query` says whether the resource's query has begun.
pub(super) fn push_literal(out: &mut String, text: &str, has_query: &mut bool) {
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        if c == '?' && !*has_query && begins_query(rest) {
            *has_query = true;
            out.push(c);
        } else if c == '{' && field_at(rest).is_some() {
            out.push_str("[{]");
        } else {
            push_escaped(out, c);
        }
    }
}

fn push_escaped(out: &mut String, c: char) {
    if matches!(c, '*' | '?' | '[') {
        out.extend(['[', c, ']']);
    } else {
        out.push(c);
    }
}

/// Whether two texts are one resource: the same text, or the same parts with a query that is encoded in another way.
fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if !(one.contains('?') && other.contains('?')) {
        return false;
    }
    match (Resource::parse(one), Resource::parse(other)) {
        (Ok(one), Ok(other)) => {
            one.kind() == other.kind() && one.id() == other.id() && one.query() == other.query()
        }
        (Ok(_) | Err(_), _) => false,
    }
}

fn fields(pieces: &[Piece<'_>], is_glob: bool) -> Result<Fields, PatternError> {
    let mut template = String::new();
    let mut masked = Vec::new();
    let mut lists: Vec<&str> = Vec::new();
    let mut plain: Vec<&str> = Vec::new();
    for piece in pieces {
        match *piece {
            Piece::Literal(text) => template.push_str(text),
            Piece::Wild(text) | Piece::Brace(text) => {
                template.push(MASK);
                masked.push(text.to_owned());
            }
            Piece::Field {
                name,
                is_list,
                kind,
            } => {
                if is_list { &mut lists } else { &mut plain }.push(name);
                match kind {
                    Some(kind) => template.push_str(&format!("{{{name}:{kind}}}")),
                    None => template.push_str(&format!("{{{name}}}")),
                }
            }
        }
    }
    lists.dedup();
    let list = lists.first().copied();
    if lists.len() > 1 || list.is_some_and(|list| plain.contains(&list)) {
        return Err(PatternError::Lists);
    }
    Ok(Fields {
        template: Template::parse(&template)?,
        masked,
        is_glob,
        list: list.map(str::to_owned),
    })
}

/// The glob of pieces without fields.
fn glob_text(pieces: &[Piece<'_>]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Literal(text) => text.chars().for_each(|c| push_escaped(&mut out, c)),
            Piece::Brace(text) | Piece::Wild(text) => out.push_str(text),
            Piece::Field { .. } => {}
        }
    }
    out
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, PatternError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut has_query = false;
    while let Some(c) = rest.chars().next() {
        let plain = rest.find(SPECIAL).unwrap_or(rest.len());
        let (piece, length) = match c {
            '{' => field_at(rest).unwrap_or((Piece::Brace("{"), 1)),
            '}' => (Piece::Brace("}"), 1),
            '*' => {
                let length = rest.len() - rest.trim_start_matches('*').len();
                (Piece::Wild(rest.get(..length).unwrap_or_default()), length)
            }
            '?' if !has_query && begins_query(rest) => {
                has_query = true;
                (Piece::Literal("?"), 1)
            }
            '?' => (Piece::Wild("?"), 1),
            '[' => match class_length(rest) {
                Some(length) => {
                    let class = rest.get(..length).unwrap_or_default();
                    let holds_field = |(at, _)| field_at(rest.get(at..)?);
                    if class.match_indices('{').find_map(holds_field).is_some() {
                        return Err(PatternError::FieldInClass);
                    }
                    (Piece::Wild(class), length)
                }
                None => (Piece::Literal("["), 1),
            },
            _ => (Piece::Literal(rest.get(..plain).unwrap_or_default()), plain),
        };
        pieces.push(piece);
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(pieces)
}

/// The field that `text` begins with, and its length.
fn field_at(text: &str) -> Option<(Piece<'_>, usize)> {
    let inner = text.strip_prefix('{')?;
    let inner = inner.get(..inner.find('}')?)?;
    let (name, kind) = match inner.split_once(':') {
        Some((name, kind)) => (name, Some(kind)),
        None => (inner, None),
    };
    let (name, is_list) = match name.strip_suffix("[]") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let mut chars = name.chars();
    let is_identifier = chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric());
    let field = Piece::Field {
        name,
        is_list,
        kind,
    };
    is_identifier.then_some((field, inner.len() + 2))
}

/// Whether the `?` that `text` begins with is followed by a key of a query and its `=`.
fn begins_query(text: &str) -> bool {
    let key = text
        .strip_prefix('?')
        .and_then(|after| after.split_once('='));
    key.is_some_and(|(key, _)| toolpass_core::resource::is_name(key))
}

/// How long the class is that `text` begins with, as globs read one; none when it is not closed.
fn class_length(text: &str) -> Option<usize> {
    let body = text.strip_prefix('[')?;
    let body = body.strip_prefix('!').unwrap_or(body);
    let first = body.chars().next()?.len_utf8();
    let close = body.get(first..)?.find(']')?;
    Some(text.len() - body.len() + first + close + 1)
}

/// Stands for what must not be filled. Of a private-use area, so no identifier of a system holds it.
const MASK: char = '\u{e000}';

/// Where literal text may end.
const SPECIAL: [char; 5] = ['{', '}', '*', '?', '['];

#[cfg(test)]
mod tests;
