//! Strict percent-decoding (RFC 3986 section 2.1), the same for a path, a query and a form.
//!
//! Separate because every one of them must refuse the same things: an escape that is none, and bytes that are no UTF-8. What
//! one server keeps and another repairs is ambiguous.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Why text does not decode to one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PercentProblem {
    /// A `%` without two hexadecimal digits after it.
    #[error("a `%` that is not followed by two hexadecimal digits")]
    Escape,
    /// Escapes whose bytes are no UTF-8.
    #[error("escapes that are not UTF-8")]
    NotUtf8,
}

/// Decode `text` once; what holds no escape is borrowed.
/// Errors: [`PercentProblem`].
pub fn decode(text: &str) -> Result<Cow<'_, str>, PercentProblem> {
    if !text.as_bytes().contains(&b'%') {
        return Ok(Cow::Borrowed(text));
    }
    if !has_only_escapes(text.as_bytes()) {
        return Err(PercentProblem::Escape);
    }
    percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| PercentProblem::NotUtf8)
}

/// Decode a name or value of a query or form, where `+` is a space.
/// Errors: [`PercentProblem`].
pub fn decode_form(text: &str) -> Result<Cow<'_, str>, PercentProblem> {
    if !text.as_bytes().contains(&b'+') {
        return decode(text);
    }
    let spaced = text.replace('+', " ");
    Ok(Cow::Owned(decode(&spaced)?.into_owned()))
}

/// The byte of each `%XX` that stands in `text`.
pub(crate) fn escapes(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.as_bytes()
        .windows(3)
        .filter_map(|window| match *window {
            [b'%', high, low] => Some(hex(high)? << 4 | hex(low)?),
            _ => None,
        })
}

fn has_only_escapes(bytes: &[u8]) -> bool {
    bytes.split(|b| *b == b'%').skip(1).all(|rest| {
        matches!(rest, [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
    })
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decodes_and_what_does_not() {
        assert!(matches!(decode("plain"), Ok(Cow::Borrowed("plain"))));
        for (text, decoded) in [
            ("%61b", "ab"),
            ("a%2Fb", "a/b"),
            ("%C3%A9", "é"),
            ("%2565", "%65"),
            ("é", "é"),
            ("a+b", "a+b"),
        ] {
            assert_eq!(decode(text).unwrap(), decoded, "{text}");
        }
        for text in ["%", "%6", "%zz", "a%", "%%41", "%4%31"] {
            assert_eq!(decode(text), Err(PercentProblem::Escape), "{text}");
        }
        for text in ["%ff", "%c0%ae", "%ed%a0%80", "%C3"] {
            assert_eq!(decode(text), Err(PercentProblem::NotUtf8), "{text}");
        }
    }

    #[test]
    fn plus_is_a_space_in_a_form_and_an_encoded_plus_is_not() {
        assert_eq!(decode_form("a+b%2B+").unwrap(), "a b+ ");
        assert_eq!(decode_form("a+%").unwrap_err(), PercentProblem::Escape);
    }

    #[test]
    fn escapes_are_found_wherever_they_stand() {
        assert_eq!(escapes("a%2e%zz%41%4").collect::<Vec<_>>(), [b'.', b'A']);
    }
}
