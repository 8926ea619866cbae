//! Secrets replaced in JSON that stays JSON.
//!
//! A record is redacted as it is written. Replaced as mere text, a secret that is a number, that begins in the middle of an
//! escape, or that is split over a key and its value would leave something no reader can parse. So each literal is looked at by
//! itself; what is mentioned only by several together costs the whole.

use std::borrow::Cow;

use toolpass_core::secret::REDACTED;

use super::Secrets;

impl Secrets {
    /// The JSON with every secret replaced. What goes in is valid, and so is what comes out.
    pub fn redact_json<'t>(&self, json: &'t str) -> Cow<'t, str> {
        if !self.mentioned_in(json) {
            return Cow::Borrowed(json);
        }
        let mut out = String::with_capacity(json.len());
        let mut rest = json;
        while !rest.is_empty() {
            let (token, after) = rest.split_at(token_len(rest));
            match token
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'))
            {
                Some(text) => self.push_string(text, &mut out),
                None if self.mentioned_in(token) => self.push_string(REDACTED, &mut out),
                None => out.push_str(token),
            }
            rest = after;
        }
        if self.mentioned_in(&out) {
            out.clear();
            self.push_string(REDACTED, &mut out);
        }
        Cow::Owned(out)
    }

    fn push_string(&self, escaped: &str, out: &mut String) {
        let redacted = self.redact(escaped);
        out.push('"');
        out.push_str(if is_escaped(&redacted) {
            &redacted
        } else {
            REDACTED
        });
        out.push('"');
    }
}

/// The length of the string, the number or word, or the one other character that JSON begins with.
fn token_len(json: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let bytes = json.as_bytes();
    match bytes.first() {
        Some(b'"') => string_len(bytes),
        Some(byte) if is_word(*byte) => bytes.iter().take_while(|byte| is_word(**byte)).count(),
        _ => json.chars().next().map_or(0, char::len_utf8),
    }
}

fn string_len(bytes: &[u8]) -> usize {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

/// Whether the inside of a string has whole escapes only.
fn is_escaped(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, escape)) = rest.split_once('\\') {
        let len = match escape.as_bytes() {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 1,
            [b'u', digits @ ..]
                if digits
                    .iter()
                    .take(4)
                    .filter(|digit| digit.is_ascii_hexdigit())
                    .count()
                    == 4 =>
            {
                5
            }
            _ => return false,
        };
        rest = escape.get(len..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::quote;
    use toolpass_core::secret::Secret;

    fn check(secret: &str, json: &str, expected: &str) {
        assert_eq!(
            Secrets::new(&[Secret::new(secret)]).redact_json(json),
            expected,
            "{json}"
        );
    }

    #[test]
    fn what_was_json_stays_json() {
        check(
            "hunter22",
            "{\"a\": \"x hunter22\", \"hunter22\": [1, true]}",
            "{\"a\": \"x [REDACTED]\", \"[REDACTED]\": [1, true]}",
        );
        check(
            "12345678",
            "{\"pin\":12345678,\"n\":-1.5e3}",
            "{\"pin\":\"[REDACTED]\",\"n\":-1.5e3}",
        );
        check("nabcdefg", "[\"a\\nabcdefg\"]", "[\"[REDACTED]\"]");
        check(
            "a\"b\\c\nd<e>",
            &format!("[{}]", quote("x a\"b\\c\nd<e>")),
            "[\"x [REDACTED]\"]",
        );
        check(
            "abcdefgh12345678",
            "{\"abcdefgh\": \"12345678\"}",
            "\"[REDACTED]\"",
        );
        check(
            "abcdefgh12345678",
            "[\"abcdefgh\", 12345678]",
            "\"[REDACTED]\"",
        );
        check("hunter22", "{\"a\": \"\\\"é\"}", "{\"a\": \"\\\"é\"}");
    }
}
