//! The automatons that find every spelling of some secrets in a text.
//!
//! A pattern belongs to one pass: short secrets are looked for letter by letter, long ones without regard to ASCII case and with
//! separators left out of pattern and text alike, which finds `a-b c` for `abc`; a long one that is hardly more than separators
//! keeps them. Every match counts, overlapping ones too: of two secrets that share a part nothing is left, where the longest
//! match alone would leave the rest of the other. Linear in the text: one step a byte and pass.
//! INVARIANT: what cannot be looked for (more than [`MAX_PATTERN_BYTES`]) is found in every text.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};
use toolpass_core::secret::Secret;

use super::spellings::{NOTATIONS, Of};
use super::{MIN_BYTES, MIN_LONG};

/// The passes over a text; `None` when there is more to look for than can be.
pub(super) struct Passes(Option<Vec<Pass>>);

/// One automaton, and how the text is put to it.
struct Pass {
    automaton: NFA,
    reading: Reading,
}

/// How a text is put to an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    /// As it is.
    Exact,
    /// In lower case.
    Folded,
    /// In lower case, without separators.
    Squeezed,
}

impl Passes {
    /// What finds these secrets.
    pub(super) fn over(secrets: &[Secret]) -> Passes {
        let mut patterns = Patterns::default();
        for secret in secrets {
            patterns.add_secret(secret.expose());
        }
        if patterns.bytes > MAX_PATTERN_BYTES {
            return Passes(None);
        }
        let passes = READINGS.map(|reading| Pass::over(reading, &patterns));
        Passes(passes.into_iter().flatten().collect())
    }

    /// Call `found` with every match, in no order, until it answers no.
    pub(super) fn each(&self, text: &[u8], found: &mut dyn FnMut(Range<usize>) -> bool) {
        match &self.0 {
            Some(passes) => passes.iter().all(|pass| pass.each(text, found)),
            None => text.is_empty() || found(0..text.len()),
        };
    }
}

impl Pass {
    /// The pass of one reading, none without patterns; inside, none when it cannot be built.
    fn over(reading: Reading, patterns: &Patterns) -> Option<Option<Pass>> {
        let own: Vec<&[u8]> = patterns
            .all
            .iter()
            .filter(|(of, _)| *of == reading)
            .map(|(_, pattern)| pattern.as_slice())
            .collect();
        if own.is_empty() {
            return None;
        }
        let built = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(own);
        Some(built.ok().map(|automaton| Pass { automaton, reading }))
    }

    /// Whether `found` asked for more to the end.
    fn each(&self, text: &[u8], found: &mut dyn FnMut(Range<usize>) -> bool) -> bool {
        let automaton = &self.automaton;
        let Ok(start) = automaton.start_state(Anchored::No) else {
            return found(0..text.len());
        };
        let mut state = start;
        let mut kept = Kept::of_last(automaton.max_pattern_len().min(text.len()));
        let mut gap = 0;
        for (at, byte) in text.iter().enumerate() {
            if self.reading == Reading::Squeezed && is_separator(*byte) {
                gap += 1;
                if gap == MAX_GAP {
                    state = start;
                }
                continue;
            }
            gap = 0;
            kept.push(at);
            state = automaton.next_state(Anchored::No, state, self.reading.of_byte(*byte));
            if automaton.is_special(state) && automaton.is_match(state) {
                let longest = (0..automaton.match_len(state))
                    .map(|nth| automaton.pattern_len(automaton.match_pattern(state, nth)));
                let from = longest.max().map_or(at, |len| kept.back(len));
                if !found(from..at + 1) {
                    return false;
                }
            }
        }
        true
    }
}

impl Reading {
    fn of_byte(self, byte: u8) -> u8 {
        match self {
            Reading::Exact => byte,
            Reading::Folded | Reading::Squeezed => byte.to_ascii_lowercase(),
        }
    }

    fn of_pattern(self, pattern: &[u8]) -> Vec<u8> {
        let kept = pattern
            .iter()
            .filter(|byte| self != Reading::Squeezed || !is_separator(**byte));
        kept.map(|byte| self.of_byte(*byte)).collect()
    }
}

/// Where the last bytes that were put to an automaton stand in the text.
struct Kept {
    places: Vec<usize>,
    count: usize,
}

impl Kept {
    fn of_last(most: usize) -> Kept {
        Kept {
            places: vec![0; most.max(1)],
            count: 0,
        }
    }

    fn push(&mut self, at: usize) {
        let slot = self.count % self.places.len();
        if let Some(place) = self.places.get_mut(slot) {
            *place = at;
        }
        self.count += 1;
    }

    /// The place of the `nth` byte from the end.
    fn back(&self, nth: usize) -> usize {
        let slot = self.count.saturating_sub(nth) % self.places.len();
        self.places.get(slot).copied().unwrap_or_default()
    }
}

/// The patterns of some secrets, each once, and how long they are together.
#[derive(Default)]
struct Patterns {
    all: BTreeSet<(Reading, Vec<u8>)>,
    bytes: usize,
}

impl Patterns {
    fn add_secret(&mut self, secret: &[u8]) {
        let is_ordinary = secret.len() <= MAX_ORDINARY;
        let of_secret = |of| of != Of::Ordinary || is_ordinary;
        let of_line = |of| of == Of::Lines || (of == Of::Ordinary && is_ordinary);
        self.add(secret, of_secret);
        let trimmed = secret.trim_ascii();
        if trimmed != secret {
            self.add(trimmed, of_secret);
        }
        let lines = secret
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .map(<[u8]>::trim_ascii);
        let is_told = |line: &[u8]| line.len() >= MIN_LONG && !is_pem_boundary(line);
        for line in lines.filter(|line| is_told(line) && *line != trimmed) {
            self.add(line, of_line);
        }
    }

    /// The forms of a text in the notations that count.
    fn add(&mut self, text: &[u8], counts: impl Fn(Of) -> bool) {
        if text.len() < MIN_BYTES {
            return;
        }
        for notation in NOTATIONS.iter().filter(|notation| counts(notation.of)) {
            if self.bytes > MAX_PATTERN_BYTES {
                return;
            }
            let mut forms = Vec::new();
            (notation.forms)(text, &mut forms);
            for form in forms.iter().filter(|form| form.len() >= MIN_BYTES) {
                self.add_form(form, text.len() >= MIN_LONG);
            }
        }
    }

    /// A form, for the pass that finds it best. What begins or ends with separators is also looked for with them, so that they
    /// are replaced too.
    fn add_form(&mut self, form: &[u8], is_long: bool) {
        if !is_long {
            return self.push(Reading::Exact, form);
        }
        let squeezed = Reading::Squeezed.of_pattern(form);
        let fits = squeezed.len() >= MIN_LONG && is_varied(&squeezed);
        let bare = |end: Option<&u8>| end.is_some_and(|byte| !is_separator(*byte));
        if fits {
            self.push(Reading::Squeezed, form);
        }
        if !fits || !bare(form.first()) || !bare(form.last()) {
            self.push(Reading::Folded, form);
        }
    }

    fn push(&mut self, reading: Reading, form: &[u8]) {
        let pattern = reading.of_pattern(form);
        let len = pattern.len();
        if self.all.insert((reading, pattern)) {
            self.bytes += len;
        }
    }
}

/// The first or last line of a PEM block, which is no secret and occurs in any text about keys.
fn is_pem_boundary(line: &[u8]) -> bool {
    line.starts_with(b"-----BEGIN ") || line.starts_with(b"-----END ")
}

/// Whether a pattern is more than a few characters over and over, which any table of zeros would match.
fn is_varied(pattern: &[u8]) -> bool {
    let mut seen = BTreeSet::new();
    pattern.iter().any(|byte| {
        seen.insert(byte);
        seen.len() >= MIN_DISTINCT
    })
}

/// What may stand between the parts of a split secret.
fn is_separator(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'\r' | b'-' | b'"' | b'\'' | b'`' | b',' | b':' | b'\\'
    )
}

const READINGS: [Reading; 3] = [Reading::Exact, Reading::Folded, Reading::Squeezed];
/// The most separators in a row inside a split secret.
const MAX_GAP: usize = 64;
/// The fewest different characters of a pattern that is looked for without separators.
const MIN_DISTINCT: usize = 4;
/// The longest secret that is looked for in every notation.
const MAX_ORDINARY: usize = 8 * 1024;
/// The most that is looked for at once: all notations of some ten long keys, or of some hundred tokens.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;
