//! Text from a vendor, made safe to stand in a reason that a model and a person will read.
//!
//! INVARIANT: no control or format character, at most [`MAX_CHARS`] characters, always in quotation marks, so a display
//! name cannot pass for our own words.

use std::fmt;

use crate::text;

/// The longest quoted value, in characters.
pub const MAX_CHARS: usize = 64;

/// The longest text of a decision, in characters.
pub const MAX_TEXT_CHARS: usize = 300;

/// A vendor's value: stripped, cut, and shown in quotation marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted(String);

impl Quoted {
    /// Quote outside text.
    pub fn new(outside: &str) -> Quoted {
        Quoted(clipped(outside, MAX_CHARS).replace('"', "'"))
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

/// `text` without control and format characters, at most `max_chars` long; a cut one ends in `…`.
pub fn clipped(text: &str, max_chars: usize) -> String {
    let mut kept: String = text
        .chars()
        .filter(|c| !text::is_control(*c) && !text::is_format(*c))
        .take(max_chars + 1)
        .collect();
    if kept.chars().count() > max_chars {
        kept = kept.chars().take(max_chars.saturating_sub(1)).collect();
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_tamed() {
        assert_eq!(
            Quoted::new("a\"b\u{202e}\n\u{200b}c").to_string(),
            "\"a'bc\""
        );
        assert_eq!(
            Quoted::new(&"x".repeat(500)).to_string().chars().count(),
            MAX_CHARS + 2
        );
    }
}
