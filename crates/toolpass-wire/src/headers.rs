//! The headers of a request: every value kept, names in lower case, values as latin-1.
//!
//! Separate because most ways to show two servers two different requests are headers, and they are refused here in one place:
//! framing that can be read twice, folded lines, names a server folds onto another.
//! SOURCE: RFC 9110 sections 5.1 to 5.6 and 6.6; RFC 9112 sections 5.2 and 6.1 to 6.3.

use std::ops::Range;

use crate::field::{Field, Unresolved};

/// The headers in order, repeats kept.
#[derive(Clone)]
pub struct Headers {
    text: String,
    entries: Vec<Entry>,
    problem: Option<Unresolved>,
}

#[derive(Clone)]
struct Entry {
    name: Range<usize>,
    value: Range<usize>,
}

impl Headers {
    /// Keep the headers; what is wrong with them is [`Headers::problem`].
    pub fn read(raw: &[(&str, &[u8])]) -> Headers {
        let size = raw
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>();
        if raw.len() > MAX_HEADERS || size > MAX_BYTES {
            let problem = format!(
                "the request has more than {MAX_HEADERS} headers or {MAX_BYTES} bytes of them"
            );
            return Headers {
                text: String::new(),
                entries: Vec::new(),
                problem: Some(Unresolved::new(problem)),
            };
        }
        let mut headers = Headers {
            text: String::with_capacity(size),
            entries: Vec::with_capacity(raw.len()),
            problem: None,
        };
        for (name, value) in raw {
            headers.push(name, value);
        }
        headers.problem = headers.problem.take().or_else(|| headers.framing_problem());
        headers
    }

    /// Why the headers can be read in more than one way.
    pub fn problem(&self) -> Option<&Unresolved> {
        self.problem.as_ref()
    }

    /// The values of a header, its name in lower case.
    pub fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        self.iter()
            .filter_map(move |(known, value)| (known == name).then_some(value))
    }

    /// The value of a header that must not stand twice, its name in lower case.
    pub fn one(&self, name: &str) -> Field<&str> {
        let mut values = self.iter().filter(|(known, _)| *known == name);
        match (values.next(), values.next()) {
            (None, _) => Field::Absent,
            (Some((_, value)), None) => Field::Present(value),
            (Some(_), Some(_)) => {
                Field::Ambiguous(Unresolved::new(format!("the header `{name}` stands twice")))
            }
        }
    }

    /// Whether one of `names` is there, however a server folds its spelling: `X_Http_Method` reaches many as `x-http-method`.
    pub fn has_any(&self, names: &[&str]) -> bool {
        self.iter()
            .any(|(known, _)| names.iter().any(|name| folds_to(known, name)))
    }

    /// The length of the body as announced; nothing when none is, or not as a number.
    pub fn content_length(&self) -> Option<u64> {
        self.all("content-length").next().and_then(length)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let text = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or("");
        self.entries
            .iter()
            .map(move |entry| (text(&entry.name), text(&entry.value)))
    }

    fn push(&mut self, name: &str, value: &[u8]) {
        if self.problem.is_none() {
            self.problem = line_problem(name, value);
        }
        let start = self.text.len();
        self.text.push_str(name);
        if let Some(name) = self.text.get_mut(start..) {
            name.make_ascii_lowercase();
        }
        let middle = self.text.len();
        push_latin_1(&mut self.text, value);
        let spaces = |c| c == ' ' || c == '\t';
        let kept = self
            .text
            .get(middle..)
            .unwrap_or("")
            .trim_end_matches(spaces);
        let (kept, shown) = (kept.len(), kept.trim_start_matches(spaces).len());
        self.entries.push(Entry {
            name: start..middle,
            value: middle + kept - shown..middle + kept,
        });
    }

    fn framing_problem(&self) -> Option<Unresolved> {
        for name in SINGLE {
            if let Field::Ambiguous(problem) = self.one(name) {
                return Some(problem);
            }
        }
        let is_twin =
            |known: &str| known.contains('_') && FRAMING.iter().any(|name| folds_to(known, name));
        if self.iter().any(|(known, _)| is_twin(known)) {
            return Some(Unresolved::new(
                "a header has the name of one that frames the body, with `_` for `-`",
            ));
        }
        let length_text = self.all("content-length").next();
        let transfer_coding = self.all("transfer-encoding").next();
        if length_text.is_some() && self.content_length().is_none() {
            return Some(Unresolved::new("`content-length` is not a number"));
        }
        match transfer_coding {
            Some(_) if length_text.is_some() => Some(Unresolved::new(
                "the request has both `content-length` and `transfer-encoding`",
            )),
            Some(coding) if !coding.eq_ignore_ascii_case("chunked") => {
                Some(Unresolved::new("`transfer-encoding` is not `chunked`"))
            }
            _ => None,
        }
    }
}

/// Shows names only: values hold credentials.
impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

fn line_problem(name: &str, value: &[u8]) -> Option<Unresolved> {
    if !is_token(name.strip_prefix(':').unwrap_or(name)) {
        return Some(Unresolved::new("a header has a name that is no token"));
    }
    let ends_line = value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    ends_line.then(|| Unresolved::new("a header is folded over lines or holds NUL"))
}

fn push_latin_1(text: &mut String, value: &[u8]) {
    match std::str::from_utf8(value) {
        Ok(ascii) if value.is_ascii() => text.push_str(ascii),
        _ => text.extend(value.iter().map(|byte| char::from(*byte))),
    }
}

/// Whether `text` is a token of RFC 9110: what a method or a header's name may be.
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || matches!(b, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

fn length(text: &str) -> Option<u64> {
    text.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

fn folds_to(known: &str, name: &str) -> bool {
    known.len() == name.len()
        && known
            .bytes()
            .zip(name.bytes())
            .all(|(a, b)| a == b || (a == b'_' && b == b'-'))
}

/// Headers of which a second one makes the request two requests. `host` has its own rule ([`crate::request`]).
const SINGLE: [&str; 3] = ["content-type", "content-length", "transfer-encoding"];

/// Headers that say where a body ends and how it is read.
const FRAMING: [&str; 4] = [
    "content-encoding",
    "content-length",
    "content-type",
    "transfer-encoding",
];

const MAX_HEADERS: usize = 1000;
const MAX_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn problem(raw: &[(&str, &[u8])]) -> Option<String> {
        Headers::read(raw)
            .problem()
            .map(|problem| problem.as_str().to_owned())
    }

    #[test]
    fn values_are_latin_1_and_all_kept() {
        let headers = Headers::read(&[("X-A", b" caf\xe9 "), ("x-a", b"2"), ("X-B", b"")]);
        assert_eq!(headers.all("x-a").collect::<Vec<_>>(), ["café", "2"]);
        assert_eq!(headers.one("x-b"), Field::Present(""));
        assert_eq!(headers.one("x-c"), Field::Absent);
        assert!(matches!(headers.one("x-a"), Field::Ambiguous(_)));
        assert!(headers.problem().is_none());
    }

    #[test]
    fn what_two_servers_read_differently_is_a_problem() {
        let bad: [&[(&str, &[u8])]; 15] = [
            &[("Content_Type", b"a/b")],
            &[("transfer_encoding", b"chunked")],
            &[("Content-Type", b"a/b"), ("content-type", b"a/b")],
            &[("Content-Length", b"1"), ("content-length", b"1")],
            &[
                ("Transfer-Encoding", b"chunked"),
                ("transfer-encoding", b"chunked"),
            ],
            &[("Content-Length", b"1"), ("Transfer-Encoding", b"chunked")],
            &[("Content-Length", b"+1")],
            &[("Content-Length", b"")],
            &[("Transfer-Encoding", b"gzip, chunked")],
            &[("X-A", b"a\r\n b")],
            &[("X-A", b"\r\nX-B: c")],
            &[("X-A", b"a\n")],
            &[("X-A", b"a\0b")],
            &[("X A", b"b")],
            &[("", b"b")],
        ];
        for raw in bad {
            assert!(problem(raw).is_some(), "{raw:?}");
        }
        for raw in [
            &[("Transfer-Encoding", b"Chunked" as &[u8])],
            &[("Content-Length", b"0")],
            &[(":authority", b"a")],
        ] {
            assert_eq!(problem(raw), None, "{raw:?}");
        }
        assert!(problem(&vec![("a", b"" as &[u8]); MAX_HEADERS + 1]).is_some());
        assert!(problem(&[("a", &[b'a'; MAX_BYTES])]).is_some());
    }

    #[test]
    fn underscores_fold_to_hyphens() {
        let headers = Headers::read(&[("X_HTTP-Method_override", b"")]);
        assert!(headers.has_any(&["x-http-method-override"]));
        assert!(!headers.has_any(&["x-http-method"]));
    }

    #[test]
    fn values_are_not_shown() {
        let headers = Headers::read(&[("Authorization", b"Bearer ghp_secret")]);
        assert_eq!(format!("{headers:?}"), "[\"authorization\"]");
    }

    proptest! {
        #[test]
        fn no_header_panics(raw in proptest::collection::vec(("\\PC{0,12}", proptest::collection::vec(any::<u8>(), 0..12)), 0..6)) {
            let raw: Vec<(&str, &[u8])> = raw.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
            let headers = Headers::read(&raw);
            prop_assert_eq!(headers.iter().count(), raw.len());
        }
    }
}
