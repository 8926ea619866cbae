//! What an action is done to: `type[:id][?query]`.
//!
//! Grammar, in the order it is applied:
//! 1. not empty, at most 1024 bytes, no control character (Unicode category Cc);
//! 2. split at the first `?` into head and query; split the head at the first `:` into type and id. The id may be empty and
//!    may hold `:`; it is never percent-decoded and keeps `@`, `#` and `/`;
//! 3. the type is `^[a-z][a-z0-9_]{0,63}$`;
//! 4. the query is pairs split at `&`, empty ones skipped, none with a `;`; `+` is a space; `%XX` is two hex digits;
//! 5. each key has the grammar of a type and stands once; a decoded value has no control character, and each byte of it
//!    that is not UTF-8 reads as U+FFFD.

use std::fmt;
use std::sync::Arc;

/// The longest resource, in bytes.
pub const MAX_BYTES: usize = 1024;

/// A well-formed resource. Each integration checks type and id further.
#[derive(Clone)]
pub struct Resource {
    raw: Arc<str>,
    kind_end: usize,
    id_start: usize,
    id_end: usize,
    query: Arc<[(String, String)]>,
}

/// Why a text is no resource. Holds nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidResource {
    /// A control character.
    #[error("a resource holds no control characters")]
    Control,
    /// Nothing at all.
    #[error("expected a resource of the form `type:id`")]
    Empty,
    /// A `%` that two hex digits do not follow.
    #[error("expected two hex digits after `%` in the resource's query")]
    Escape,
    /// A query key that is repeated.
    #[error("a key stands twice in the resource's query")]
    KeyTwice,
    /// A query key of the wrong form.
    #[error("expected query keys of lower-case letters, digits and `_`")]
    Key,
    /// Over [`MAX_BYTES`].
    #[error("a resource has at most {MAX_BYTES} bytes")]
    Long,
    /// A `;` in the query.
    #[error("a resource's query is separated by `&`, not `;`")]
    Semicolon,
    /// A type of the wrong form.
    #[error(
        "expected a resource type of at most 64 lower-case letters, digits and `_`, beginning with a letter"
    )]
    Type,
}

/// Who can read a resource. The order of the variants is the order of width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Those with access to it.
    Private,
    /// Everyone in the organization.
    Internal,
    /// Anyone.
    Public,
}

impl Visibility {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Visibility::Private => "private",
            Visibility::Internal => "internal",
            Visibility::Public => "public",
        }
    }
}

impl Resource {
    /// Read a resource.
    /// Errors: [`InvalidResource`].
    pub fn parse(text: &str) -> Result<Resource, InvalidResource> {
        if text.is_empty() {
            return Err(InvalidResource::Empty);
        }
        if text.len() > MAX_BYTES {
            return Err(InvalidResource::Long);
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidResource::Control);
        }
        let head_end = text.find('?').unwrap_or(text.len());
        let (head, tail) = text.split_at(head_end);
        let kind_end = head.find(':').unwrap_or(head.len());
        if !is_name(head.get(..kind_end).unwrap_or_default()) {
            return Err(InvalidResource::Type);
        }
        let query = parse_query(tail.strip_prefix('?').unwrap_or_default())?;
        Ok(Resource {
            raw: text.into(),
            kind_end,
            id_start: (kind_end + 1).min(head_end),
            id_end: head_end,
            query: query.into(),
        })
    }

    /// The text as given: the cache key and the value of logs.
    pub fn as_str(&self) -> &str {
        &self.raw
    }

    /// The type, before the first `:`.
    pub fn kind(&self) -> &str {
        self.raw.get(..self.kind_end).unwrap_or_default()
    }

    /// The id; empty when there is none.
    pub fn id(&self) -> &str {
        self.raw.get(self.id_start..self.id_end).unwrap_or_default()
    }

    /// The query's pairs in order, decoded.
    pub fn query(&self) -> &[(String, String)] {
        &self.query
    }

    /// The decoded value of one query key.
    pub fn param(&self, key: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }
}

impl PartialEq for Resource {
    fn eq(&self, other: &Resource) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Resource {}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Resource({:?})", self.raw)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.raw)
    }
}

/// Whether `text` is `^[a-z][a-z0-9_]{0,63}$`.
pub fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn parse_query(text: &str) -> Result<Vec<(String, String)>, InvalidResource> {
    if text.split('&').any(|pair| pair.contains(';')) {
        return Err(InvalidResource::Semicolon);
    }
    let mut pairs: Vec<(String, String)> = Vec::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (decode(key)?, decode(value)?);
        if !is_name(&key) {
            return Err(InvalidResource::Key);
        }
        if pairs.iter().any(|(seen, _)| *seen == key) {
            return Err(InvalidResource::KeyTwice);
        }
        if value.chars().any(char::is_control) {
            return Err(InvalidResource::Control);
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

fn decode(text: &str) -> Result<String, InvalidResource> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        out.push(match b {
            b'+' => b' ',
            b'%' => {
                let high = bytes.next().and_then(hex).ok_or(InvalidResource::Escape)?;
                let low = bytes.next().and_then(hex).ok_or(InvalidResource::Escape)?;
                high * 16 + low
            }
            other => other,
        });
    }
    Ok(lossy_per_byte(&out))
}

/// The value of one hex digit.
pub(crate) fn hex(b: u8) -> Option<u8> {
    char::from(b)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// UTF-8 with one U+FFFD for each byte that is not part of a character.
fn lossy_per_byte(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(std::iter::repeat_n('\u{fffd}', chunk.invalid().len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> (String, String, Vec<(String, String)>) {
        let resource = Resource::parse(text).unwrap();
        (
            resource.kind().into(),
            resource.id().into(),
            resource.query().to_vec(),
        )
    }

    #[test]
    fn shapes() {
        let pair = |k: &str, v: &str| (k.to_string(), v.to_string());
        assert_eq!(
            parts("repo:acme/shop@main"),
            ("repo".into(), "acme/shop@main".into(), vec![])
        );
        assert_eq!(parts("global"), ("global".into(), "".into(), vec![]));
        assert_eq!(
            parts("s3:arn:aws:s3:::b/k"),
            ("s3".into(), "arn:aws:s3:::b/k".into(), vec![])
        );
        assert_eq!(
            parts("nonresource:/metrics"),
            ("nonresource".into(), "/metrics".into(), vec![])
        );
        assert_eq!(
            parts("cluster?resource=nodes"),
            ("cluster".into(), "".into(), vec![pair("resource", "nodes")])
        );
        assert_eq!(parts("ns?"), ("ns".into(), "".into(), vec![]));
        assert_eq!(
            parts("ns:x?a=b+c%20d&&e").2,
            vec![pair("a", "b c d"), pair("e", "")]
        );
        assert_eq!(
            parts("ns:x?a=%ff%fe").2,
            vec![pair("a", "\u{fffd}\u{fffd}")]
        );
    }

    #[test]
    fn refusals() {
        for (text, why) in [
            ("", InvalidResource::Empty),
            ("repo:x\n", InvalidResource::Control),
            ("Repo:x", InvalidResource::Type),
            (":x", InvalidResource::Type),
            ("ns:x?Bad=1", InvalidResource::Key),
            ("ns:x?a=1&a=2", InvalidResource::KeyTwice),
            ("ns:x?a=%0A", InvalidResource::Control),
            ("ns:x?a=%C2%85", InvalidResource::Control),
            ("ns:x?a=%zz&b=1;c", InvalidResource::Semicolon),
            ("ns:x?a=%z", InvalidResource::Escape),
        ] {
            assert_eq!(Resource::parse(text), Err(why), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_keeps_its_text(text in "\\PC{0,60}|[a-z]{1,3}:.{0,20}(\\?[a-z=&%;0-9]{0,20})?") {
            if let Ok(resource) = Resource::parse(&text) {
                prop_assert_eq!(resource.as_str(), text.as_str());
                prop_assert!(is_name(resource.kind()));
                prop_assert!(text.starts_with(resource.kind()));
            }
        }
    }
}
