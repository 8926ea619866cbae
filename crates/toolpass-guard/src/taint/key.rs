//! The keyed hashes of a session's untrusted text.
//!
//! Two steps. Inside, a polynomial over letters and over words, cheap enough for every letter of a page; its base comes from
//! the key. Outside, SipHash-1-3 over the result, so that what is stored says nothing without the key: nobody finds the text
//! by trying a dictionary. A collision can only make a match likelier, never hide one.

use std::fmt;
use std::sync::Arc;

use siphasher::sip::SipHasher13;

use super::normal::{Byte, byte};

/// The key of a session's fingerprints. Two processes that share a session share it.
#[derive(Clone)]
pub struct HashKey {
    outside: SipHasher13,
    letters: u64,
    words: u64,
    steps: Arc<[Step; 256]>,
}

/// What a byte does to the hash of a word: `hash * times + plus`. A byte that ends a word makes it the hash of no letter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Zero for a byte that is no letter.
    pub(super) times: u64,
    /// Zero, too, for a byte that takes a closer look.
    pub(super) plus: u64,
}

/// What a fingerprint is of: equal values of two domains are unrelated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// Characters in a row of scripts without spaces.
    Clusters,
    /// Words in a row.
    Words,
}

impl HashKey {
    /// A key from random bytes.
    pub fn new(bytes: [u8; 16]) -> HashKey {
        let outside = SipHasher13::new_with_key(&bytes);
        let letters = outside.hash(b"letters") | 1;
        let words = outside.hash(b"words") | 1;
        let mut steps = [CLOSER_LOOK; 256];
        for (b, step) in (0..=u8::MAX).zip(&mut steps) {
            let one = |before: Step, letter: u8| Step {
                times: before.times.wrapping_mul(letters),
                plus: before
                    .plus
                    .wrapping_add(u64::from(letter))
                    .wrapping_mul(letters),
            };
            let none = Step { times: 1, plus: 0 };
            match byte(b) {
                Byte::Letter(letter) => *step = one(none, letter),
                Byte::M => *step = one(one(none, b'r'), b'n'),
                Byte::Gap => step.plus = words,
                Byte::Dropped | Byte::Joiner | Byte::Other => (),
            }
        }
        HashKey {
            letters,
            words,
            outside,
            steps: Arc::new(steps),
        }
    }

    /// What a byte does to the hash of a word.
    #[inline]
    pub(super) fn byte(&self, b: u8) -> Step {
        self.steps
            .get(usize::from(b))
            .copied()
            .unwrap_or(CLOSER_LOOK)
    }

    /// The hash of no letter.
    #[inline]
    pub(super) fn start(&self) -> u64 {
        self.words
    }

    /// One letter more.
    #[inline]
    pub(super) fn step(&self, hash: u64, letter: u32) -> u64 {
        hash.wrapping_add(u64::from(letter))
            .wrapping_mul(self.letters)
    }

    /// A word's hash, its bits mixed.
    #[inline]
    pub(super) fn seal(&self, hash: u64) -> u64 {
        let mixed = (hash ^ (hash >> 32)).wrapping_mul(self.words);
        mixed ^ (mixed >> 29)
    }

    /// What a window of words is multiplied with when it moves.
    pub(super) fn base(&self) -> u64 {
        self.words
    }

    /// The fingerprint of a window.
    #[inline]
    pub(super) fn window(&self, domain: Domain, value: u64) -> u64 {
        let value = match domain {
            Domain::Clusters => !value,
            Domain::Words => value,
        };
        self.outside.hash(&value.to_le_bytes())
    }

    /// The fingerprint of a name that is no text of a page: unrelated to every token of the same spelling.
    pub(crate) fn named(&self, kind: u8, name: &str) -> u64 {
        use std::hash::Hasher;
        let mut hasher = self.outside;
        hasher.write(&[u8::MAX, kind]);
        hasher.write(name.as_bytes());
        hasher.finish()
    }

    /// The fingerprint of two hashes in a row, `class` telling one kind from another.
    pub(super) fn pair(&self, class: u8, first: u64, second: u64) -> u64 {
        let value = first.wrapping_mul(self.words) ^ second.rotate_left(u32::from(class));
        self.outside.hash(&value.to_le_bytes())
    }

    /// The fingerprint of a distinctive token, `class` telling one kind from another.
    pub(super) fn token(&self, class: u8, text: &str) -> u64 {
        use std::hash::Hasher;
        let mut hasher = self.outside;
        hasher.write(&[class]);
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey(..)")
    }
}

const CLOSER_LOOK: Step = Step { times: 0, plus: 0 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_key_gives_other_fingerprints() {
        let (a, b) = (HashKey::new([1; 16]), HashKey::new([2; 16]));
        assert_ne!(a.window(Domain::Words, 5), b.window(Domain::Words, 5));
        assert_ne!(a.token(1, "x"), b.token(1, "x"));
        assert_ne!(a.token(1, "x"), a.token(2, "x"));
        assert_ne!(a.window(Domain::Words, 5), a.window(Domain::Clusters, 5));
        assert_eq!(format!("{a:?}"), "HashKey(..)");
    }
}
