//! Paths and form-encoded pairs, built from values that may hold anything.
//!
//! Separate so that no other code joins strings into an address. Every segment is escaped on its own, `/` included, and
//! a segment that would walk the path is refused: `repo:acme/..` can never become another endpoint.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::{Error, Kind};

/// The path of a request, segment by segment, relative to the client's base.
///
/// `client.get(["repos", owner, repo])` or `PathBuilder::new().segment("repos").segment(owner)`. A segment that is empty,
/// `.` or `..` makes the request fail when it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathBuilder {
    path: String,
    refused: bool,
}

impl PathBuilder {
    /// No segment yet: the base itself.
    pub fn new() -> PathBuilder {
        PathBuilder::default()
    }

    /// Add one segment, escaped.
    pub fn segment(mut self, segment: &str) -> PathBuilder {
        self.refused |= matches!(segment, "" | "." | "..");
        self.path.push('/');
        self.path
            .extend(utf8_percent_encode(segment, ESCAPED_IN_SEGMENT));
        self
    }

    /// Add each segment.
    pub fn segments<'a>(self, segments: impl IntoIterator<Item = &'a str>) -> PathBuilder {
        segments.into_iter().fold(self, PathBuilder::segment)
    }

    /// The path, beginning with `/` unless it is empty.
    /// Errors: a segment was empty, `.` or `..`.
    pub fn build(&self) -> Result<&str, Error> {
        if self.refused {
            return Err(Error::new(
                Kind::Request,
                "a path segment is empty, `.` or `..`, which would ask another endpoint",
            ));
        }
        Ok(&self.path)
    }
}

impl<const N: usize> From<[&str; N]> for PathBuilder {
    fn from(segments: [&str; N]) -> PathBuilder {
        PathBuilder::new().segments(segments)
    }
}

impl From<&[&str]> for PathBuilder {
    fn from(segments: &[&str]) -> PathBuilder {
        PathBuilder::new().segments(segments.iter().copied())
    }
}

/// `pairs` as `application/x-www-form-urlencoded`, in the order given.
pub fn form_encoded<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        push_form(&mut text, name);
        text.push('=');
        push_form(&mut text, value);
    }
    text
}

fn push_form(text: &mut String, value: &str) {
    for (position, words) in value.split(' ').enumerate() {
        if position > 0 {
            text.push('+');
        }
        text.extend(utf8_percent_encode(words, ESCAPED_IN_FORM));
    }
}

const ESCAPED_IN_FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
const ESCAPED_IN_SEGMENT: &AsciiSet = &ESCAPED_IN_FORM
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_escaped_one_by_one() {
        let check = |segments: &[&str], expected: Option<&str>| {
            assert_eq!(
                PathBuilder::from(segments).build().ok(),
                expected,
                "{segments:?}"
            );
        };
        check(&[], Some(""));
        check(&["repos", "acme", "x"], Some("/repos/acme/x"));
        check(
            &["a/b", "c?d", "e#f", "g%h", "i j", "é"],
            Some("/a%2Fb/c%3Fd/e%23f/g%25h/i%20j/%C3%A9"),
        );
        check(&["-._~$&+=:@"], Some("/-._~$&+=:@"));
        check(&["..."], Some("/..."));
        check(&["%2e%2e"], Some("/%252e%252e"));
        check(&["a", "..", "b"], None);
        check(&["."], None);
        check(&["a", ""], None);
    }

    #[test]
    fn forms() {
        assert_eq!(
            form_encoded([("a b", "c&d=é+/"), ("x", "")]),
            "a+b=c%26d%3D%C3%A9%2B%2F&x="
        );
        assert_eq!(form_encoded([("k", "-._~ *'")]), "k=-._~+%2A%27");
    }
}
