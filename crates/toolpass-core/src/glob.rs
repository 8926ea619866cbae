//! Globs over values of calls, and every way a value can be read before one is believed.
//!
//! A glob covers the whole value, case-sensitive:
//! `*` any run within one `/` segment, `**` any run across segments, `?` one character but `/`, `[abc]` `[a-z]` `[!abc]` one
//! character of (or outside) the class and never `/`. A `]` right after `[` or `[!` is a member; `^` and `\` are themselves;
//! an unclosed `[` is itself. There are no braces and no escapes.
//!
//! The system behind a tool may decode a value again or fold its characters, so [`in_scope`] asks every *reading* of it:
//! percent-decoded and NFKC-folded until nothing changes, with `\` as `/`. A value with a control, format or line-separating
//! character, with a `.` or `..` segment, or that does not settle, is in no scope.
//! INVARIANT: matching takes time in proportion to glob times value, whatever the glob.

use std::borrow::Cow;
use std::fmt;

use unicode_normalization::{UnicodeNormalization, is_nfkc};

use crate::resource::hex;
use crate::text;

/// A compiled glob.
#[derive(Clone, PartialEq, Eq)]
pub struct Glob {
    text: String,
    tokens: Vec<Token>,
}

/// The text is no glob: a range in a class runs backwards, so it could never match what it seems to say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a range such as `a-z` in the class, not `{0}-{1}`")]
pub struct InvalidGlob(char, char);

/// The value has no reading that could be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// `*`
    AnyInSegment,
    /// `**`
    AnyAcross,
    Char(char),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// `?`
    One,
}

impl Glob {
    /// Compile a glob.
    /// Errors: [`InvalidGlob`].
    pub fn compile(glob: &str) -> Result<Glob, InvalidGlob> {
        let mut tokens = Vec::new();
        let mut rest = glob;
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            match c {
                '*' => {
                    let after = rest.trim_start_matches('*');
                    tokens.push(if after.len() == rest.len() {
                        Token::AnyInSegment
                    } else {
                        Token::AnyAcross
                    });
                    rest = after;
                }
                '?' => tokens.push(Token::One),
                '[' => match class(rest)? {
                    Some((token, after)) => {
                        tokens.push(token);
                        rest = after;
                    }
                    None => tokens.push(Token::Char('[')),
                },
                other => tokens.push(Token::Char(other)),
            }
        }
        Ok(Glob {
            text: glob.into(),
            tokens,
        })
    }

    /// The glob as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it covers the text exactly as it is.
    pub fn matches(&self, text: &str) -> bool {
        self.run(text, Backslash::Itself)
    }

    /// Walk the text once with the set of places in the glob that could be next.
    fn run(&self, text: &str, backslash: Backslash) -> bool {
        let end = self.tokens.len();
        let mut here = vec![false; end + 1];
        let mut next = here.clone();
        self.enter(&mut here, 0);
        for c in text.chars() {
            next.fill(false);
            let mut alive = false;
            for (place, token) in self.tokens.iter().enumerate() {
                if here.get(place) != Some(&true) {
                    continue;
                }
                match token {
                    Token::AnyAcross => self.enter(&mut next, place),
                    Token::AnyInSegment if c != '/' => self.enter(&mut next, place),
                    Token::AnyInSegment => continue,
                    Token::Char(_) | Token::Class { .. } | Token::One
                        if token.takes(c, backslash) =>
                    {
                        self.enter(&mut next, place + 1);
                    }
                    Token::Char(_) | Token::Class { .. } | Token::One => continue,
                }
                alive = true;
            }
            if !alive {
                return false;
            }
            std::mem::swap(&mut here, &mut next);
        }
        here.get(end) == Some(&true)
    }

    /// Mark `place`, and what follows it as long as it may stand for nothing.
    fn enter(&self, places: &mut [bool], place: usize) {
        for (offset, mark) in places.iter_mut().skip(place).enumerate() {
            *mark = true;
            if !matches!(
                self.tokens.get(place + offset),
                Some(Token::AnyInSegment | Token::AnyAcross)
            ) {
                break;
            }
        }
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Glob({:?})", self.text)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether every reading of the value is covered by at least one of the globs. A `\` in a glob separates segments like `/`.
pub fn in_scope(globs: &[Glob], value: &str) -> bool {
    let covered =
        |reading: &Cow<'_, str>| globs.iter().any(|glob| glob.run(reading, Backslash::Slash));
    readings(value).is_ok_and(|readings| readings.iter().all(covered))
}

/// Whether a value that is no path (a title, a query) is covered as written. It may hold `%`, `\` and `..`, but no control,
/// format or line-separating character.
pub fn in_scope_literally(globs: &[Glob], value: &str) -> bool {
    value.chars().all(is_visible) && globs.iter().any(|glob| glob.matches(value))
}

/// Every reading of a value: as written, percent-decoded, NFKC-folded, and so on until nothing changes; `\` stands as `/`.
/// Errors: [`Unreadable`] when a reading holds an invisible character or a dot segment, when an escape is no UTF-8, or when
/// nothing settles within [`MAX_ROUNDS`].
pub fn readings(value: &str) -> Result<Vec<Cow<'_, str>>, Unreadable> {
    let mut current = with_slashes(value);
    let mut seen = Vec::with_capacity(1);
    for _ in 0..MAX_ROUNDS {
        if !current.chars().all(is_visible) || has_dot_segment(&current) {
            return Err(Unreadable);
        }
        let Some(next) = next_reading(&current)? else {
            seen.push(current);
            return Ok(seen);
        };
        seen.push(current);
        current = Cow::Owned(next);
    }
    Err(Unreadable)
}

/// What the reading becomes when its escapes are decoded or, without any, its characters folded; `None` when neither
/// changes it.
fn next_reading(reading: &str) -> Result<Option<String>, Unreadable> {
    if let Some(decoded) = percent_decoded(reading)? {
        return Ok(Some(with_slashes(&decoded).into_owned()));
    }
    if is_nfkc(reading) {
        return Ok(None);
    }
    let folded: String = reading.nfkc().collect();
    Ok(Some(with_slashes(&folded).into_owned()))
}

/// The text with its `%XX` decoded; `None` when it has none. A `%` without two hex digits stays.
fn percent_decoded(text: &str) -> Result<Option<String>, Unreadable> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    let mut changed = false;
    while let [first, rest @ ..] = bytes {
        let escaped = match (first, rest) {
            (b'%', [high, low, after @ ..]) => hex(*high)
                .zip(hex(*low))
                .map(|(high, low)| (high * 16 + low, after)),
            _ => None,
        };
        changed |= escaped.is_some();
        let (byte, after) = escaped.unwrap_or((*first, rest));
        out.push(byte);
        bytes = after;
    }
    if !changed {
        return Ok(None);
    }
    String::from_utf8(out).map(Some).map_err(|_| Unreadable)
}

fn with_slashes(text: &str) -> Cow<'_, str> {
    if text.contains('\\') {
        Cow::Owned(text.replace('\\', "/"))
    } else {
        Cow::Borrowed(text)
    }
}

fn is_visible(c: char) -> bool {
    !text::is_control(c) && !text::is_format(c)
}

/// Whether a segment is `.` or `..` once its `;parameters` are cut off.
fn has_dot_segment(reading: &str) -> bool {
    reading
        .split('/')
        .any(|segment| matches!(segment.split(';').next(), Some("." | "..")))
}

/// The class after a `[`, and what follows it; `None` when it is not closed.
fn class(after_bracket: &str) -> Result<Option<(Token, &str)>, InvalidGlob> {
    let (negated, body) = match after_bracket.strip_prefix('!') {
        Some(body) => (true, body),
        None => (false, after_bracket),
    };
    let first_len = body.chars().next().map_or(0, char::len_utf8);
    let Some(close) = body
        .get(first_len..)
        .and_then(|rest| rest.find(']'))
        .map(|at| at + first_len)
    else {
        return Ok(None);
    };
    let (members, rest) = body.split_at(close);
    let mut ranges = Vec::new();
    let mut chars = members.chars().peekable();
    while let Some(low) = chars.next() {
        let mut ahead = chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(high)) if low <= high => ranges.push((low, high)),
            (Some('-'), Some(high)) => return Err(InvalidGlob(low, high)),
            (Some(_) | None, _) => {
                ranges.push((low, low));
                continue;
            }
        }
        chars = ahead;
    }
    Ok(Some((
        Token::Class { negated, ranges },
        rest.strip_prefix(']').unwrap_or_default(),
    )))
}

impl Token {
    /// Whether a token of one character takes `c`.
    fn takes(&self, c: char, backslash: Backslash) -> bool {
        match self {
            Token::Char('\\') if backslash == Backslash::Slash => c == '/',
            Token::Char(own) => *own == c,
            Token::Class { negated, ranges } => {
                c != '/' && ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
            }
            Token::One => c != '/',
            Token::AnyAcross | Token::AnyInSegment => false,
        }
    }
}

/// What a `\` in a glob stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backslash {
    Itself,
    Slash,
}

/// A value must settle within this many rounds of decoding or folding.
pub const MAX_ROUNDS: usize = 8;

#[cfg(test)]
mod tests;
