//! What a body is, by its content type.
//!
//! Separate because every reader asks it first: a body is read as JSON, a form or a multipart only when it says that it is one.
//! SOURCE: RFC 9110 section 8.3; RFC 6838 (`+json`, `+xml`).

use crate::field::Field;
use crate::headers::is_token;

/// How a body is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// `application/x-www-form-urlencoded`
    Form,
    /// `application/json` and anything `+json`.
    Json,
    /// A content type that is no content type, or stands twice.
    Malformed,
    /// `multipart/...`
    Multipart,
    /// Anything else.
    Other,
    /// Text for people or for a parser that is not ours: `text/...`, XML, YAML, GraphQL.
    Text,
    /// No content type.
    Untyped,
}

/// A content type as the readers need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentType {
    /// How to read the body.
    pub kind: BodyKind,
    /// Type and subtype in lower case; empty when there is none.
    pub essence: String,
    /// The parameter `boundary`.
    pub boundary: Option<String>,
    /// Whether its `charset`, if any, is UTF-8 or a part of it.
    pub is_utf8: bool,
}

/// A value with parameters, `a; b=c; d="e"`: the value in lower case, the parameters in order, their names in lower case.
pub(crate) struct Parameterised {
    pub(crate) value: String,
    pub(crate) parameters: Vec<(String, String)>,
}

impl ContentType {
    /// Read a `Content-Type` header.
    pub fn read(header: Field<&str>) -> ContentType {
        let of_kind = |kind| ContentType {
            kind,
            essence: String::new(),
            boundary: None,
            is_utf8: true,
        };
        match header {
            Field::Absent => of_kind(BodyKind::Untyped),
            Field::Ambiguous(_) | Field::Unread(_) => of_kind(BodyKind::Malformed),
            Field::Present(text) => {
                ContentType::parse(text).unwrap_or_else(|| of_kind(BodyKind::Malformed))
            }
        }
    }

    fn parse(text: &str) -> Option<ContentType> {
        let mut parsed = Parameterised::parse(text)?;
        let (main, sub) = parsed.value.split_once('/')?;
        if !is_token(main) || !is_token(sub) {
            return None;
        }
        let is_utf8 = parsed.get("charset").is_none_or(|charset| {
            ["utf-8", "utf8", "us-ascii", "ascii"]
                .iter()
                .any(|known| charset.eq_ignore_ascii_case(known))
        });
        let kind = kind_of(main, sub);
        let boundary = parsed.take("boundary");
        Some(ContentType {
            kind,
            essence: parsed.value,
            boundary,
            is_utf8,
        })
    }
}

impl Parameterised {
    /// Nothing when the text is no such value, or a parameter stands twice.
    pub(crate) fn parse(text: &str) -> Option<Parameterised> {
        let (value, mut rest) = match text.find(';') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let mut parsed = Parameterised {
            value: value.trim().to_ascii_lowercase(),
            parameters: Vec::new(),
        };
        loop {
            rest = rest.trim_start_matches([' ', '\t']);
            if rest.is_empty() {
                return Some(parsed);
            }
            rest = rest.strip_prefix(';')?.trim_start_matches([' ', '\t']);
            if rest.is_empty() {
                return Some(parsed);
            }
            let (name, after) = rest.split_once('=')?;
            let (value, after) = parameter_value(after)?;
            let name = name.to_ascii_lowercase();
            if !is_token(&name) || parsed.get(&name).is_some() {
                return None;
            }
            parsed.parameters.push((name, value));
            rest = after;
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find_map(|(known, value)| (known == name).then_some(value.as_str()))
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        let at = self
            .parameters
            .iter()
            .position(|(known, _)| known == name)?;
        Some(self.parameters.swap_remove(at).1)
    }
}

fn kind_of(main: &str, sub: &str) -> BodyKind {
    match (main, sub) {
        ("multipart", _) => BodyKind::Multipart,
        ("application", "x-www-form-urlencoded") => BodyKind::Form,
        ("application" | "text", "json") => BodyKind::Json,
        (_, sub) if sub.ends_with("+json") => BodyKind::Json,
        ("text", _)
        | (
            "application",
            "graphql" | "javascript" | "ndjson" | "x-ndjson" | "x-yaml" | "xml" | "yaml",
        ) => BodyKind::Text,
        (_, sub) if sub.ends_with("+xml") || sub.ends_with("+yaml") => BodyKind::Text,
        _ => BodyKind::Other,
    }
}

/// A token or a quoted string, and what stands behind it. A backslash before a quote is refused: parsers end the string at
/// different places.
fn parameter_value(text: &str) -> Option<(String, &str)> {
    if let Some(inside) = text.strip_prefix('"') {
        let (value, after) = inside.split_once('"')?;
        return (!value.ends_with('\\')).then(|| (value.to_owned(), after));
    }
    let end = text.find([';', ' ', '\t']).unwrap_or(text.len());
    let (value, after) = text.split_at(end);
    is_token(value).then(|| (value.to_owned(), after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn kinds() {
        for (text, kind) in [
            ("application/json", BodyKind::Json),
            ("Application/JSON ; Charset=\"UTF-8\"", BodyKind::Json),
            ("application/vnd.github+json", BodyKind::Json),
            ("text/json", BodyKind::Json),
            ("application/x-www-form-urlencoded;", BodyKind::Form),
            ("multipart/form-data; boundary=a", BodyKind::Multipart),
            ("text/plain", BodyKind::Text),
            ("application/atom+xml", BodyKind::Text),
            ("application/octet-stream", BodyKind::Other),
            ("application/jsonish", BodyKind::Other),
            ("", BodyKind::Malformed),
            ("json", BodyKind::Malformed),
            ("application/json, text/plain", BodyKind::Malformed),
            (
                "application/json; charset=utf-8; charset=utf-16",
                BodyKind::Malformed,
            ),
            ("application/json; charset", BodyKind::Malformed),
            (
                "application/json; charset=\"utf-8\\\"; x=\"",
                BodyKind::Malformed,
            ),
            ("application/json charset=utf-8", BodyKind::Malformed),
            ("application/json/x", BodyKind::Malformed),
        ] {
            assert_eq!(ContentType::read(Field::Present(text)).kind, kind, "{text}");
        }
        assert_eq!(ContentType::read(Field::Absent).kind, BodyKind::Untyped);
    }

    #[test]
    fn parameters() {
        let read = |text| ContentType::read(Field::Present(text));
        assert_eq!(
            read("multipart/form-data; boundary=\"a b\"")
                .boundary
                .as_deref(),
            Some("a b")
        );
        assert!(read("application/json; charset=us-ascii").is_utf8);
        assert!(!read("application/json; charset=utf-16").is_utf8);
        assert!(!read("application/json; charset=latin1").is_utf8);
    }

    proptest! {
        #[test]
        fn no_content_type_panics(text in "\\PC{0,30}|(a|/|;|=|\"|\\\\| |charset|boundary|json){0,16}") {
            let _ = ContentType::read(Field::Present(&text));
        }
    }
}
