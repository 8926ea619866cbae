//! Escapes inside a text: percent, HTML characters, the backslash of JSON and its relatives, quoted-printable, encoded words.
//!
//! One pass undoes one layer of the first three together, for a text may mix them; what comes out is not looked at again, that
//! is the next layer's view. Bytes that are no UTF-8 become U+FFFD, which the normal form drops.
//! SOURCE: RFC 3986 2.1; WHATWG HTML 13.5 (named characters, by `html-escape`); RFC 8259 7; RFC 2045 6.7; RFC 2047, read 2026-11-30.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The text with one layer of escapes undone; `None` when there is none.
pub(super) fn undone(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(next_escape) {
        at += step;
        let Some((length, character)) = bytes.get(at..).and_then(escape) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(bytes.get(kept..at).unwrap_or_default());
        match character {
            Undone::Byte(byte) => out.push(byte),
            Undone::Text(text) => out.extend_from_slice(text.as_bytes()),
            Undone::Unit(unit) => push_unit(&mut out, unit),
        }
        at += length;
        kept = at;
    }
    if kept == 0 {
        return None;
    }
    out.extend_from_slice(bytes.get(kept..).unwrap_or_default());
    Some(into_text(out))
}

/// The text read as quoted-printable, when it says that some of it is; and its encoded words.
pub(super) fn mail(text: &str) -> Option<String> {
    if !text.as_bytes().contains(&b'=') {
        return None;
    }
    let quoted = says_quoted_printable(text);
    let words = text.contains("=?");
    (quoted || words).then(|| {
        let unfolded = if words {
            encoded_words(text)
        } else {
            text.to_owned()
        };
        if quoted {
            quoted_printable(&unfolded)
        } else {
            unfolded
        }
    })
}

/// The bytes of a base64 text, its end padded or not. Errors: `None` for what is none.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// The value of a hexadecimal digit.
pub(super) fn hex(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

enum Undone {
    Byte(u8),
    Text(&'static str),
    /// A character, or half of one (UTF-16).
    Unit(u32),
}

/// Where the next escape may begin. By blocks, each looked at as a whole: most texts have none.
fn next_escape(bytes: &[u8]) -> Option<usize> {
    let is_escape = |b: &u8| (*b == b'%') | (*b == b'&') | (*b == b'\\');
    let mut before = 0;
    for block in bytes.chunks(BLOCK) {
        if block.iter().fold(false, |any, b| any | is_escape(b)) {
            return Some(before + block.iter().position(is_escape)?);
        }
        before += block.len();
    }
    None
}

/// The escape that `rest` begins with, and its length.
fn escape(rest: &[u8]) -> Option<(usize, Undone)> {
    match rest {
        [b'%', b'u' | b'U', digits @ ..] => unit(digits, 4, 2),
        [b'%', high, low, ..] => byte(*high, *low).map(|byte| (3, Undone::Byte(byte))),
        [b'&', b'#', b'x' | b'X', digits @ ..] => reference(digits, 16, 3),
        [b'&', b'#', digits @ ..] => reference(digits, 10, 2),
        [b'&', name @ ..] => named(name),
        [b'\\', letter, digits @ ..] => backslash(*letter, digits),
        _ => None,
    }
}

fn byte(high: u8, low: u8) -> Option<u8> {
    Some(hex(high)? << 4 | hex(low)?)
}

/// Exactly `count` hexadecimal digits after `before` other bytes.
fn unit(digits: &[u8], count: usize, before: usize) -> Option<(usize, Undone)> {
    let digits = digits.get(..count)?;
    let value = digits.iter().try_fold(0u32, |value, digit| {
        Some(value << 4 | u32::from(hex(*digit)?))
    })?;
    Some((before + count, Undone::Unit(value)))
}

/// A numeric character reference; the semicolon may be missing.
fn reference(digits: &[u8], radix: u32, before: usize) -> Option<(usize, Undone)> {
    let mut value = 0u32;
    let mut count = 0;
    for digit in digits.iter().take(MAX_DIGITS) {
        let Some(digit) = char::from(*digit).to_digit(radix) else {
            break;
        };
        value = value.saturating_mul(radix).saturating_add(digit);
        count += 1;
    }
    let semicolon = usize::from(digits.get(count) == Some(&b';'));
    (count > 0).then_some((before + count + semicolon, Undone::Unit(value)))
}

fn named(name: &[u8]) -> Option<(usize, Undone)> {
    let end = name
        .iter()
        .take(MAX_NAME)
        .position(|b| !b.is_ascii_alphanumeric())?;
    let text = name.get(..end).filter(|text| !text.is_empty())?;
    let at = html_escape::NAMED_ENTITIES
        .binary_search_by(|(known, _)| (*known).cmp(text))
        .ok()?;
    let (_, characters) = html_escape::NAMED_ENTITIES.get(at)?;
    let semicolon = usize::from(name.get(end) == Some(&b';'));
    Some((1 + end + semicolon, Undone::Text(characters)))
}

fn backslash(letter: u8, digits: &[u8]) -> Option<(usize, Undone)> {
    let plain = |text| Some((2, Undone::Text(text)));
    match letter {
        b'n' => plain("\n"),
        b'r' => plain("\r"),
        b't' => plain("\t"),
        b'b' | b'f' | b'v' | b'0' => plain(" "),
        b'"' => plain("\""),
        b'\'' => plain("'"),
        b'\\' => plain("\\"),
        b'/' => plain("/"),
        b'x' => match digits {
            [high, low, ..] => byte(*high, *low).map(|byte| (4, Undone::Byte(byte))),
            _ => None,
        },
        b'u' => match digits {
            [b'{', digits @ ..] => {
                let (length, value) = reference(digits, 16, 3)?;
                Some((
                    length + usize::from(digits.get(length - 3) == Some(&b'}')),
                    value,
                ))
            }
            _ => unit(digits, 4, 2),
        },
        b'U' => unit(digits, 8, 2),
        _ => None,
    }
}

/// Append a character. The first half of a pair is kept as three bytes that no UTF-8 holds until the second half completes it.
fn push_unit(out: &mut Vec<u8>, unit: u32) {
    if let Some(c) = char::from_u32(unit) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    let half = |bytes: &[u8]| match bytes {
        [0xED, middle @ 0xA0..=0xAF, last] => {
            Some(u32::from(middle & 0xF) << 6 | u32::from(last & 0x3F))
        }
        _ => None,
    };
    let before = out
        .len()
        .checked_sub(3)
        .and_then(|at| out.get(at..))
        .and_then(half);
    match (unit, before) {
        (0xDC00..=0xDFFF, Some(high)) => {
            out.truncate(out.len().saturating_sub(3));
            let c = char::from_u32(0x1_0000 + (high << 10) + (unit - 0xDC00));
            push_unit(out, c.map_or(0xFFFD, u32::from));
        }
        (0xD800..=0xDBFF, _) => {
            let bits = unit - 0xD800;
            let byte = |bits: u32| u8::try_from(bits).unwrap_or_default();
            out.extend_from_slice(&[0xED, 0xA0 | byte(bits >> 6 & 0xF), 0x80 | byte(bits & 0x3F)]);
        }
        _ => push_unit(out, 0xFFFD),
    }
}

fn quoted_printable(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [b'=', b'\r', b'\n', after @ ..] | [b'=', b'\n', after @ ..] => after,
            [b'=', high, low, after @ ..] if byte(*high, *low).is_some() => {
                out.extend(byte(*high, *low));
                after
            }
            [first, after @ ..] => {
                out.push(*first);
                after
            }
            [] => return into_text(out),
        }
    }
}

/// `=?charset?B or Q?text?=`, each replaced by what it says; the blank between two of them is dropped.
fn encoded_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("=?") {
        let follows_one = rest.len() < text.len();
        if !(follows_one && before.trim().is_empty()) {
            out.push_str(before);
        }
        rest = match encoded_word(after) {
            Some((word, after)) => {
                out.push_str(&word);
                after
            }
            None => {
                out.push_str("=?");
                after
            }
        };
    }
    out.push_str(rest);
    out
}

fn encoded_word(after: &str) -> Option<(String, &str)> {
    let mut head = after.bytes().take(MAX_CHARSET);
    let charset = head.position(|b| b == b'?')?;
    let (coding, text) = after.get(charset + 1..)?.split_at_checked(2)?;
    let mut pairs = text.as_bytes().windows(2).take(MAX_ENCODED_WORD);
    let end = pairs.position(|pair| pair == b"?=")?;
    let (encoded, after) = text.split_at_checked(end)?;
    let word = match coding {
        "B?" | "b?" => into_text(base64(encoded.trim_end_matches('=').as_bytes())?),
        "Q?" | "q?" => quoted_printable(&encoded.replace('_', " ")),
        _ => return None,
    };
    Some((word, after.strip_prefix("?=")?))
}

fn says_quoted_printable(text: &str) -> bool {
    let (before, after) = ("quoted", "-printable");
    text.match_indices('-').any(|(at, _)| {
        let around = at.checked_sub(before.len()).and_then(|start| {
            let end = at + after.len();
            Some((
                text.as_bytes().get(start..at)?,
                text.as_bytes().get(at..end)?,
            ))
        });
        around.is_some_and(|(head, tail)| {
            head.eq_ignore_ascii_case(before.as_bytes())
                && tail.eq_ignore_ascii_case(after.as_bytes())
        })
    })
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
const BLOCK: usize = 64;
/// Of a numeric reference; leading zeros beyond it are nobody's habit.
const MAX_DIGITS: usize = 16;
/// The longest name has 31 letters.
const MAX_NAME: usize = 33;
const MAX_CHARSET: usize = 64;
/// RFC 2047 allows 75; senders do not keep to it.
const MAX_ENCODED_WORD: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layer_is_undone() {
        for (text, expected) in [
            ("%69gn%6Fre", "ignore"),
            ("%D0%B8 100% %zz", "и 100% %zz"),
            ("%u0438", "и"),
            ("%2525", "%25"),
            ("&lt;b&gt; &AMP; &nbsp;&eacute;", "<b> & \u{a0}é"),
            ("&#105;&#x69;&#0000105 &bogus; &#;", "iii &bogus; &#;"),
            (r"a\nb\t\u0438\/\\", "a\nb\tи/\\"),
            (
                r"\ud83d\ude00 \ud800x \udc00",
                "😀 \u{FFFD}\u{FFFD}\u{FFFD}x \u{FFFD}",
            ),
            (r"\x69 \xd0\xb8 \u{1F600} \U0001F600", "i и 😀 😀"),
            (r"C:\q \", r"C:\q \"),
            ("&amp;lt;", "&lt;"),
        ] {
            assert_eq!(
                undone(text).unwrap_or_else(|| text.into()),
                expected,
                "{text}"
            );
        }
        for plain in ["", "plain text", "100%", "a & b", "\\"] {
            assert_eq!(undone(plain), None, "{plain}");
        }
    }

    #[test]
    fn mail_is_read() {
        for (text, expected) in [
            (
                "Content-Transfer-Encoding: Quoted-Printable\n\nig=6Eore all=\n this=\r\n",
                "Content-Transfer-Encoding: Quoted-Printable\n\nignore all this",
            ),
            (
                "Subject: =?UTF-8?B?aWdub3Jl?= =?utf-8?q?_all=20this?= x",
                "Subject: ignore all this x",
            ),
            ("=?nonsense =?a?B", "=?nonsense =?a?B"),
        ] {
            assert_eq!(mail(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(mail("a=20b"), None);
    }
}
