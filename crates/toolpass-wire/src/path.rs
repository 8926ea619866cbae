//! A request's path as segments: split at `/`, each decoded once, nothing collapsed.
//!
//! Separate because both the matcher and the host attribution must see the same segments.
//! INVARIANT: no segment of a [`PathSegments`] can be read as another path by a server that decodes again, trims dots and
//! spaces, takes `\` for `/` or cuts at `;` (the last only unless [`PathSegments::has_semicolon`] is asked).
//! SOURCE: RFC 3986 sections 3.3, 5.2.4 and 6.2.2.2.

use std::ops::Range;

use crate::field::Unresolved;
use crate::percent;

/// The decoded segments of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSegments {
    text: String,
    spans: Vec<Span>,
    gapped: bool,
    semicolon: bool,
}

/// One segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'p> {
    /// The decoded text, never empty unless the path is gapped.
    pub text: &'p str,
    /// The text holds a `/` that was spelled encoded. Only a variable whose template allows it may take such a segment.
    pub slashed: bool,
    /// It was spelled with at least one escape.
    pub escaped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    range: Range<usize>,
    slashed: bool,
    escaped: bool,
}

impl PathSegments {
    /// Read a path as sent. One slash at the start and one at the end belong to no segment.
    /// Errors: [`Unresolved`], naming the rule that a segment breaks.
    pub fn read(raw_path: &str) -> Result<PathSegments, Unresolved> {
        let inner = raw_path.strip_prefix('/').unwrap_or(raw_path);
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let is_root = inner.is_empty() && raw_path.len() <= 1;
        let mut path = PathSegments {
            text: String::with_capacity(inner.len()),
            spans: Vec::with_capacity(8),
            gapped: inner.is_empty() && !is_root,
            semicolon: false,
        };
        if inner.is_empty() {
            return Ok(path);
        }
        for raw in inner.split('/') {
            if path.spans.len() == MAX_SEGMENTS {
                return Err(Unresolved::new(format!(
                    "the path has more than {MAX_SEGMENTS} segments"
                )));
            }
            path.push(raw)?;
        }
        Ok(path)
    }

    /// How many segments there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether it is the path `/`.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The segment at `index`.
    pub fn get(&self, index: usize) -> Option<Segment<'_>> {
        self.spans.get(index).map(|span| self.segment(span))
    }

    /// The segments in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Segment<'_>> {
        self.spans.iter().map(|span| self.segment(span))
    }

    /// Whether a segment inside is empty (`/a//b`). Such a path matches no row, and a write of it is refused.
    pub fn is_gapped(&self) -> bool {
        self.gapped
    }

    /// Whether a segment holds a `;`, at which some servers cut it.
    pub fn has_semicolon(&self) -> bool {
        self.semicolon
    }

    /// The decoded segments, joined by `/`. For reading text only: an encoded slash looks like any other here.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn segment(&self, span: &Span) -> Segment<'_> {
        let text = self.text.get(span.range.clone()).unwrap_or("");
        Segment {
            text,
            slashed: span.slashed,
            escaped: span.escaped,
        }
    }

    fn push(&mut self, raw: &str) -> Result<(), Unresolved> {
        let text = percent::decode(raw)
            .map_err(|problem| Unresolved::new(format!("the path holds {problem}")))?;
        if let Some(rule) = broken_rule(&text) {
            return Err(Unresolved::new(rule));
        }
        let slashed = text.contains('/');
        if slashed && text.split('/').any(str::is_empty) {
            return Err(Unresolved::new(
                "the path holds an encoded slash with nothing on one side of it",
            ));
        }
        if !self.spans.is_empty() {
            self.text.push('/');
        }
        let start = self.text.len();
        self.text.push_str(&text);
        self.gapped |= text.is_empty();
        self.semicolon |= text.contains(';');
        self.spans.push(Span {
            range: start..self.text.len(),
            slashed,
            escaped: raw.contains('%'),
        });
        Ok(())
    }
}

/// What a decoded segment must not hold, for any server. The common segment of letters, digits, `-` and `_` holds none of it.
fn broken_rule(text: &str) -> Option<&'static str> {
    if text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    {
        return None;
    }
    if text.contains('\\') {
        return Some("the path holds a backslash");
    }
    if text.chars().any(toolpass_core::text::is_control) {
        return Some("the path holds a control character");
    }
    if percent::escapes(text).any(reads_as_path) {
        return Some("the path holds a character that is encoded twice");
    }
    if text.split(['/', ';']).any(is_dots) {
        return Some("the path holds a dot segment");
    }
    None
}

/// A byte that changes what a path means once somebody decodes it a second time.
fn reads_as_path(byte: u8) -> bool {
    matches!(byte, b'.' | b'/' | b'\\' | b'%' | b';') || byte.is_ascii_control()
}

/// `.` and `..`, also with dots or spaces after them, which some file systems drop.
fn is_dots(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c == '.' || c.is_whitespace())
}

const MAX_SEGMENTS: usize = 256;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segments(raw: &str) -> Vec<String> {
        PathSegments::read(raw)
            .unwrap()
            .iter()
            .map(|segment| segment.text.into())
            .collect()
    }

    #[test]
    fn segments_are_decoded_once() {
        for (raw, expected) in [
            ("", &[] as &[&str]),
            ("/", &[]),
            ("/repos/acme/shop", &["repos", "acme", "shop"]),
            ("/repos/acme/shop/", &["repos", "acme", "shop"]),
            ("/%61pi/v3", &["api", "v3"]),
            ("/a%20b/%C3%A9", &["a b", "é"]),
            ("/labels/100%25", &["labels", "100%"]),
            ("/heads/feature%2Fx", &["heads", "feature/x"]),
            ("/a/b.c/..d/e..", &["a", "b.c", "..d", "e.."]),
        ] {
            assert_eq!(segments(raw), expected, "{raw}");
        }
    }

    #[test]
    fn refused_by_every_table() {
        for raw in [
            "/a/../b",
            "/a/./b",
            "/..",
            "/a/%2e%2e/b",
            "/a/.%2E/b",
            "/a/..%20/b",
            "/a/.../b",
            "/a/.. ./b",
            "/a/%20/b",
            "/repos/acme/x%2F..%2Fsecret",
            "/x%2F.%2Fy",
            "/x%2F",
            "/%2Fx",
            "/x%2F%2Fy",
            "/a/x%2F%20",
            "/a/..;/b",
            "/a/..;x=1/b",
            "/a/.%3Bx/b",
            "/a/;/../b",
            "/a/%252e%252e/b",
            "/a/x%252fy",
            "/a/x%255cy",
            "/a/x%253by",
            "/a/x%2525y",
            "/a/%2500",
            "/a/%250d",
            "/a\\b",
            "/a%5Cb",
            "/a%00b",
            "/a%0d%0ab",
            "/a%7fb",
            "/a%C2%85b",
            "/a%E2%80%A8b",
            "/a%",
            "/a%zz",
            "/a%ffb",
            "/%c0%ae%c0%ae/b",
        ] {
            assert!(PathSegments::read(raw).is_err(), "{raw}");
        }
        assert!(PathSegments::read(&"/a".repeat(MAX_SEGMENTS)).is_ok());
        assert!(PathSegments::read(&"/a".repeat(MAX_SEGMENTS + 1)).is_err());
    }

    #[test]
    fn an_encoded_slash_stays_in_its_segment_and_says_so() {
        let path = PathSegments::read("/repos/acme/x%2Fy").unwrap();
        assert_eq!(path.len(), 3);
        assert_eq!(
            path.get(2),
            Some(Segment {
                text: "x/y",
                slashed: true,
                escaped: true
            })
        );
        assert_eq!(
            path.get(1),
            Some(Segment {
                text: "acme",
                slashed: false,
                escaped: false
            })
        );
        assert_eq!(path.text(), "repos/acme/x/y");
    }

    #[test]
    fn an_empty_inner_segment_is_kept_and_said() {
        for raw in ["/a//b", "//a", "/a//", "//", "///"] {
            assert!(PathSegments::read(raw).unwrap().is_gapped(), "{raw}");
        }
        for raw in ["", "/", "/a", "/a/"] {
            assert!(!PathSegments::read(raw).unwrap().is_gapped(), "{raw}");
        }
    }

    #[test]
    fn a_semicolon_is_said_however_spelled() {
        assert!(PathSegments::read("/a;b=1/c").unwrap().has_semicolon());
        assert!(PathSegments::read("/a%3Bb/c").unwrap().has_semicolon());
        assert!(!PathSegments::read("/a/b").unwrap().has_semicolon());
    }

    /// What a careless server does to a path: decode until nothing changes, turn backslashes, cut at `;`, resolve dot segments
    /// (with dots and spaces at their end dropped), drop empty segments.
    fn as_careless_server(raw: &str) -> Vec<String> {
        let mut kept = Vec::new();
        for segment in fully_decoded(raw).replace('\\', "/").split('/') {
            let segment = segment.split(';').next().unwrap_or("");
            match segment.trim_end_matches(' ') {
                ".." => drop(kept.pop()),
                dots if dots.chars().all(|c| c == '.' || c == ' ') => {}
                _ => kept.push(segment.to_owned()),
            }
        }
        kept
    }

    fn fully_decoded(text: &str) -> String {
        let decoded = percent_encoding::percent_decode_str(text)
            .decode_utf8_lossy()
            .into_owned();
        if decoded == text {
            decoded
        } else {
            fully_decoded(&decoded)
        }
    }

    proptest! {
        #[test]
        fn no_path_panics(raw in "\\PC{0,40}|(/|%|2|e|f|5|c|\\.|;|\\\\| |a|\\x00|é){0,24}") {
            let _ = PathSegments::read(&raw);
        }

        /// A path we read names the same place to a server that decodes more than it should.
        #[test]
        fn a_read_path_is_what_a_careless_server_reads(raw in "(/|/|%2f|%2F|%25|%2e|\\.|%5c|%3b|;|%20|a|b|2e|2f|%61){1,16}") {
            let raw = format!("/{raw}");
            let plain = PathSegments::read(&raw).ok().filter(|path| !path.is_gapped() && !path.has_semicolon());
            if let Some(path) = plain {
                let ours: Vec<String> = path.text().split('/').filter(|part| !part.is_empty()).map(fully_decoded).collect();
                prop_assert_eq!(ours, as_careless_server(&raw));
            }
        }

        /// What is put into a path to make it read as another is refused, or reads as other segments.
        #[test]
        fn no_insertion_reads_as_the_path_without_it(
            parts in proptest::collection::vec("[a-c]{1,2}", 1..5), at in any::<proptest::sample::Index>(),
            put in prop::sample::select(vec![
                "/.", "/..", "//", "/./", "/x/..", ";a", ";", "%2e", "%2E%2e", "%00", "\\", "%5c", "%2f", "%252f", "%25", ".", " ", "%20",
                "%3b", "%09", "%E2%80%A8", "..;/", "%c0%af",
            ]),
        ) {
            let plain = format!("/{}", parts.join("/"));
            let at = at.index(plain.len()) + 1;
            let changed = format!("{}{put}{}", &plain[..at], &plain[at..]);
            if let Ok(path) = PathSegments::read(&changed) {
                prop_assert!(!path.iter().map(|segment| segment.text).eq(parts.iter().map(String::as_str)), "{}", changed);
            }
        }

        /// Spelling a letter encoded changes nothing, spelling it encoded twice is refused or kept as text.
        #[test]
        fn encoding_a_letter_changes_nothing(before in "[a-z]{0,4}", letter in "[a-z]", after in "[a-z]{0,4}") {
            let plain = format!("/repos/{before}{letter}{after}");
            let encoded = format!("/repos/{before}%{:02x}{after}", letter.as_bytes()[0]);
            prop_assert_eq!(segments(&plain), segments(&encoded));
        }
    }
}
