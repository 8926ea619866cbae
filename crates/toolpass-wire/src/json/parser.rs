//! The parser: one pass over the text, each byte looked at once.
//!
//! Separate because it alone walks bytes; everyone else holds a [`Json`].
//! INVARIANT: it recurses at most `json_depth` deep and makes at most `json_values` values.

use std::collections::HashSet;

use super::{Json, JsonProblem, Located};
use crate::body::limits::Limits;

/// Read a whole text.
/// Errors: [`Located`].
pub(super) fn parse(text: &[u8], limits: &Limits) -> Result<Json, Located> {
    let nowhere = |problem| Located {
        problem,
        at: 0,
        key: None,
    };
    if is_wide(text) {
        return Err(nowhere(JsonProblem::Encoding));
    }
    let text = std::str::from_utf8(text).map_err(|_| nowhere(JsonProblem::Malformed))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser {
        text,
        at: 0,
        depth_left: limits.json_depth,
        values_left: limits.json_values,
        key_twice: None,
    };
    parser.whole().map_err(|problem| Located {
        problem,
        at: parser.at,
        key: parser.key_twice.take(),
    })
}

/// Whether the text is UTF-16 or UTF-32: its byte order mark, or a NUL among the first four bytes (RFC 4627 section 3).
fn is_wide(text: &[u8]) -> bool {
    text.starts_with(&[0xff, 0xfe])
        || text.starts_with(&[0xfe, 0xff])
        || text.iter().take(4).any(|b| *b == 0)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth_left: usize,
    values_left: usize,
    /// The first key found twice in one object.
    key_twice: Option<String>,
}

impl<'t> Parser<'t> {
    fn whole(&mut self) -> Result<Json, JsonProblem> {
        let value = self.value()?;
        self.skip_space();
        if self.at == self.text.len() {
            Ok(value)
        } else {
            Err(JsonProblem::Trailing)
        }
    }

    fn value(&mut self) -> Result<Json, JsonProblem> {
        self.values_left = self
            .values_left
            .checked_sub(1)
            .ok_or(JsonProblem::TooLarge)?;
        self.skip_space();
        match self.peek() {
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b'{') => self.nested(Parser::object),
            Some(b'[') => self.nested(Parser::array),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            _ => Err(JsonProblem::Malformed),
        }
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Json, JsonProblem>,
    ) -> Result<Json, JsonProblem> {
        self.depth_left = self.depth_left.checked_sub(1).ok_or(JsonProblem::TooDeep)?;
        self.at += 1;
        let value = read(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Json, JsonProblem> {
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            self.expect(b',')?;
        }
    }

    fn object(&mut self) -> Result<Json, JsonProblem> {
        let mut members: Vec<(String, Json)> = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            members.push((key, self.value()?));
            self.skip_space();
            if self.take(b'}') {
                break;
            }
            self.expect(b',')?;
        }
        match key_twice(&members) {
            Some(key) => {
                self.key_twice = Some(key.to_owned());
                Err(JsonProblem::KeyTwice)
            }
            None => Ok(Json::Object(members)),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonProblem> {
        if !self.rest().starts_with(word) {
            return Err(JsonProblem::Malformed);
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, JsonProblem> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(Json::Number(
            self.text.get(start..self.at).unwrap_or("").to_owned(),
        ))
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), JsonProblem> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start {
            Ok(())
        } else {
            Err(JsonProblem::Malformed)
        }
    }

    fn string(&mut self) -> Result<String, JsonProblem> {
        self.expect(b'"')?;
        let mut text = String::new();
        loop {
            let plain = self
                .rest()
                .bytes()
                .position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))
                .ok_or(JsonProblem::Malformed)?;
            text.push_str(self.rest().get(..plain).unwrap_or(""));
            self.at += plain;
            if self.take(b'"') {
                return Ok(text);
            }
            self.expect(b'\\')?;
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, JsonProblem> {
        let kind = self.peek().ok_or(JsonProblem::Malformed)?;
        self.at += 1;
        Ok(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode()?,
            _ => return Err(JsonProblem::Malformed),
        })
    }

    /// The character after `\u`, of two escapes where it takes a surrogate pair.
    fn unicode(&mut self) -> Result<char, JsonProblem> {
        let first = self.four_digits()?;
        if !(0xd800..0xdc00).contains(&first) || !self.rest().starts_with("\\u") {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let before_second = self.at;
        self.at += 2;
        let second = self.four_digits()?;
        if !(0xdc00..0xe000).contains(&second) {
            self.at = before_second;
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        Ok(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, JsonProblem> {
        let digits = self.rest().get(..4).ok_or(JsonProblem::Malformed)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(JsonProblem::Malformed);
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| JsonProblem::Malformed)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonProblem> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(JsonProblem::Malformed)
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
}

fn key_twice(members: &[(String, Json)]) -> Option<&str> {
    let mut keys = members.iter().map(|(key, _)| key.as_str());
    if members.len() > 16 {
        let mut seen = HashSet::with_capacity(members.len());
        return keys.find(|key| !seen.insert(*key));
    }
    let mut rest = members;
    while let [(key, _), after @ ..] = rest {
        if after.iter().any(|(other, _)| other == key) {
            return Some(key);
        }
        rest = after;
    }
    None
}
