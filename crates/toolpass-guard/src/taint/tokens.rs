//! The tokens of a text, as keyed hashes: words, and the single characters of scripts written without spaces.
//!
//! Separate from the windows over them because both sides of a comparison must cut alike. Words are those of UAX #29 with
//! every inner punctuation a boundary too (`snake_case`, `3.14`, `a-b`, `don't`), so that no choice of separator hides a
//! phrase; a word held together by single separators (`ig-nore`) is given whole as well. No token is ever copied.
//! SOURCE: UAX #29 section 4, read 2026-11-30.

use super::key::HashKey;
use super::normal::{Byte, Memo, Piece, byte};

/// Who is told of the tokens, in order.
pub(super) trait Sink {
    /// Words that are nothing but themselves; their hashes are not sealed yet.
    fn words(&mut self, hashes: &[u64]);
    /// A part of a word with inner separators.
    fn part(&mut self, hash: u64);
    /// The last so many parts, two at least, read as one word.
    fn whole(&mut self, hash: u64, parts: usize);
    /// A character that is a token of its own.
    fn cluster(&mut self, hash: u64);
}

/// Tell `sink` the tokens of `text`.
pub(super) fn each(text: &str, key: &HashKey, memo: &mut Memo, sink: &mut impl Sink) {
    let mut reading = Reading {
        text,
        key,
        sink,
        hash: None,
        start: 0,
        parts: 0,
        words: [0; STRETCH],
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        if reading.hash.is_none() && reading.parts == 0 {
            let plain = reading.plain(bytes.get(at..).unwrap_or_default());
            if plain > 0 {
                at += plain;
                continue;
            }
        }
        match byte(b) {
            Byte::Letter(letter) => reading.letter(u32::from(letter), at),
            Byte::Gap => reading.gap(memo, at),
            Byte::M => {
                reading.letter(u32::from(b'r'), at);
                reading.letter(u32::from(b'n'), at);
            }
            Byte::Joiner => reading.joiner(memo, at),
            Byte::Dropped => (),
            Byte::Other => {
                at += reading.character(memo, at);
                continue;
            }
        }
        at += 1;
    }
    reading.gap(memo, at);
}

struct Reading<'r, S> {
    text: &'r str,
    key: &'r HashKey,
    sink: &'r mut S,
    /// Of the word being read.
    hash: Option<u64>,
    /// Where the first part of the word being read began.
    start: usize,
    /// How many parts of it were told.
    parts: usize,
    /// Words about to be told.
    words: [u64; STRETCH],
}

impl<S: Sink> Reading<'_, S> {
    /// Read plain ASCII words up to the last blank of the next stretch, without a branch that depends on the text; how many
    /// bytes that were. Nothing when the first word is longer than a stretch or needs a closer look.
    fn plain(&mut self, bytes: &[u8]) -> usize {
        let start = self.key.start();
        let (mut count, mut hash, mut read) = (0, start, 0);
        for (at, b) in bytes.iter().take(STRETCH).enumerate() {
            let step = self.key.byte(*b);
            let ends = step.times == 0;
            if ends & (step.plus == 0) {
                break;
            }
            if let Some(word) = self.words.get_mut(count) {
                *word = hash;
            }
            count += usize::from(ends & (hash != start));
            hash = hash.wrapping_mul(step.times).wrapping_add(step.plus);
            read = if ends { at + 1 } else { read };
        }
        self.sink.words(self.words.get(..count).unwrap_or_default());
        read
    }

    #[inline]
    fn letter(&mut self, letter: u32, at: usize) {
        let hash = match self.hash {
            Some(hash) => hash,
            None => {
                if self.parts == 0 {
                    self.start = at;
                }
                self.key.start()
            }
        };
        self.hash = Some(self.key.step(hash, letter));
    }

    #[inline]
    fn gap(&mut self, memo: &mut Memo, at: usize) {
        match self.hash.take() {
            Some(hash) if self.parts == 0 => self.sink.words(&[hash]),
            Some(hash) => {
                self.sink.part(self.key.seal(hash));
                self.parts += 1;
                self.whole(memo, at);
            }
            None if self.parts > 0 => self.whole(memo, at),
            None => (),
        }
    }

    /// A separator right after a word leaves it open; a second one, or anything else, ends it.
    fn joiner(&mut self, memo: &mut Memo, at: usize) {
        match self.hash.take() {
            Some(hash) => {
                self.sink.part(self.key.seal(hash));
                self.parts += 1;
            }
            None => self.gap(memo, at),
        }
    }

    fn whole(&mut self, memo: &mut Memo, end: usize) {
        let count = std::mem::take(&mut self.parts);
        if count < 2 {
            return;
        }
        let parts = self.text.get(self.start..end).unwrap_or_default();
        let mut hash = self.key.start();
        for c in parts.chars() {
            match u8::try_from(c).map_or(Byte::Other, byte) {
                Byte::Letter(letter) => hash = self.key.step(hash, u32::from(letter)),
                Byte::M => {
                    hash = self.key.step(hash, u32::from(b'r'));
                    hash = self.key.step(hash, u32::from(b'n'));
                }
                Byte::Other => {
                    for piece in memo.form(c) {
                        if let Piece::Letter(letter) = piece {
                            hash = self.key.step(hash, u32::from(*letter));
                        }
                    }
                }
                Byte::Dropped | Byte::Gap | Byte::Joiner => (),
            }
        }
        self.sink.whole(self.key.seal(hash), count);
    }

    /// Read one character beyond ASCII; how many bytes it has.
    fn character(&mut self, memo: &mut Memo, at: usize) -> usize {
        let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else {
            return 1;
        };
        for place in 0.. {
            match memo.form(c).get(place).copied() {
                None => break,
                Some(Piece::Letter(letter)) => self.letter(u32::from(letter), at),
                Some(Piece::Gap) => self.gap(memo, at),
                Some(Piece::Joiner) => self.joiner(memo, at),
                Some(Piece::Cluster(cluster)) => {
                    self.gap(memo, at);
                    let hash = self.key.step(self.key.start(), u32::from(cluster));
                    self.sink.cluster(self.key.seal(hash));
                }
            }
        }
        c.len_utf8()
    }
}

/// Bytes read at once.
const STRETCH: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Vec<(char, u64)>);

    impl Sink for Told {
        fn words(&mut self, hashes: &[u64]) {
            let key = HashKey::new([7; 16]);
            self.0
                .extend(hashes.iter().map(|hash| ('w', key.seal(*hash))));
        }
        fn part(&mut self, hash: u64) {
            self.0.push(('p', hash));
        }
        fn whole(&mut self, hash: u64, _: usize) {
            self.0.push(('W', hash));
        }
        fn cluster(&mut self, hash: u64) {
            self.0.push(('c', hash));
        }
    }

    fn told(text: &str) -> Vec<(char, u64)> {
        let mut told = Told::default();
        each(
            text,
            &HashKey::new([7; 16]),
            &mut Memo::default(),
            &mut told,
        );
        told.0
    }

    fn kinds(text: &str) -> String {
        told(text).into_iter().map(|(kind, _)| kind).collect()
    }

    #[test]
    fn texts_are_cut_where_they_should() {
        for (text, expected) in [
            ("", ""),
            ("one two", "ww"),
            ("don't", "ppW"),
            ("3.14", "ppW"),
            ("snake_case_name", "pppW"),
            ("end. Next", "pw"),
            ("a--b", "pw"),
            ("(a)/b:c", "www"),
            ("漢字kana", "ccw"),
            ("a\u{200B}b", "w"),
            ("a\u{FFFD}b \u{FFFD} c", "ww"),
            ("naïve Ünï-cøde", "wppW"),
            ("…—“x”", "p"),
            ("สวัสดี", "cccc"),
            ("안녕 하세요", "ww"),
            (&format!("{} b", "a".repeat(1000)), "ww"),
            (&"word ".repeat(100), &"w".repeat(100)),
            (&"wo-rd é ".repeat(60), &"ppWw".repeat(60)),
        ] {
            assert_eq!(kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_split_by_separators_is_also_itself() {
        let whole = |text: &str| told(text).last().copied().map(|(_, hash)| hash);
        for split in [
            "ig-nore",
            "i.g.n.o.r.e",
            "IG_nore",
            "ig'nοre",
            "ig\u{2011}nore",
        ] {
            assert_eq!(whole(split), whole("ignore"), "{split}");
        }
        assert_ne!(whole("ignored"), whole("ignore"));
    }

    #[test]
    fn words_are_those_of_the_standard_and_finer() {
        for text in [
            "The quick (“brown”) fox can’t jump 32.3 feet, right?",
            "a_b c.d",
            "x=1;y",
        ] {
            let ours = told(text)
                .iter()
                .filter(|(kind, _)| "wp".contains(*kind))
                .count();
            let split = text
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .count();
            assert_eq!(ours, split, "{text}");
        }
    }
}
