//! Secrets, found in any text however they are written, and replaced.
//!
//! `spellings` is how a secret may be written, `passes` finds all of that at a cost that grows with the text alone. Secrets
//! shorter than [`MIN_BYTES`] are not looked for, since they would blank ordinary words: whoever declares one is warned.
//! `json` replaces them in records; [`injected`] remembers what bodies were given so far, so that a later tool cannot give
//! away an earlier one's secret.
//! INVARIANT: `Debug` shows no secret. What cannot be looked for, for its size, is taken to be everywhere.
//!
//! Sources: GitHub Actions masks common encodings of its secrets; Jenkins credentials-binding masks base64 at three offsets.

pub mod injected;
mod json;
mod passes;
mod spellings;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use toolpass_core::secret::{REDACTED, Secret};

use passes::Passes;

/// The shortest secret that is replaced: anything shorter would blank ordinary words.
pub const MIN_BYTES: usize = 8;

/// The shortest secret, or line of one, that is found in another case and with separators in between.
pub const MIN_LONG: usize = 16;

/// Some secrets. A clone shares them and what finds them, which is made at the first text.
#[derive(Clone, Default)]
pub struct Secrets {
    sets: Arc<[Arc<Set>]>,
}

/// Secrets that are looked for together.
struct Set {
    secrets: Vec<Secret>,
    passes: OnceLock<Passes>,
}

impl Secrets {
    /// Secrets to be looked for; those shorter than [`MIN_BYTES`] are not.
    pub fn new<'s, I: IntoIterator<Item = &'s Secret>>(secrets: I) -> Secrets {
        let long = secrets
            .into_iter()
            .filter(|secret| secret.expose().len() >= MIN_BYTES);
        let secrets: Vec<Secret> = long.cloned().collect();
        let sets = if secrets.is_empty() {
            Vec::new()
        } else {
            vec![Arc::new(Set::new(secrets))]
        };
        Secrets { sets: sets.into() }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// These and others. A set that both share is looked for once.
    #[must_use]
    pub fn and(&self, others: &Secrets) -> Secrets {
        let is_new = |other: &&Arc<Set>| !self.sets.iter().any(|own| Arc::ptr_eq(own, other));
        let new: Vec<_> = others.sets.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return self.clone();
        }
        if new.len() == others.sets.len() && self.is_empty() {
            return others.clone();
        }
        Secrets {
            sets: self.sets.iter().cloned().chain(new).collect(),
        }
    }

    /// Whether a text holds a secret.
    pub fn mentioned_in(&self, text: &str) -> bool {
        self.mentioned_in_bytes(text.as_bytes())
    }

    /// Whether bytes hold a secret.
    pub fn mentioned_in_bytes(&self, bytes: &[u8]) -> bool {
        self.sets.iter().any(|set| {
            let mut found = false;
            set.passes().each(bytes, &mut |_| {
                found = true;
                false
            });
            found
        })
    }

    /// The text with every secret replaced.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = self.found(text.as_bytes());
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        for range in &mut found {
            while !text.is_char_boundary(range.start) {
                range.start -= 1;
            }
            while !text.is_char_boundary(range.end) {
                range.end += 1;
            }
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for range in merged(found) {
            out.push_str(text.get(done..range.start).unwrap_or_default());
            out.push_str(REDACTED);
            done = range.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The bytes with every secret replaced.
    pub fn redact_bytes<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        let found = self.found(bytes);
        if found.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for range in merged(found) {
            out.extend_from_slice(bytes.get(done..range.start).unwrap_or_default());
            out.extend_from_slice(REDACTED.as_bytes());
            done = range.end;
        }
        out.extend_from_slice(bytes.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// Where secrets are. Matches that overlap the one before, as those of one pass do, are one.
    fn found(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = Vec::new();
        let mut keep = |range: Range<usize>| {
            match all.last_mut() {
                Some(last) if range.start < last.end && range.end >= last.end => {
                    *last = last.start.min(range.start)..range.end;
                }
                _ => all.push(range),
            }
            true
        };
        self.sets
            .iter()
            .for_each(|set| set.passes().each(bytes, &mut keep));
        all
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: usize = self.sets.iter().map(|set| set.secrets.len()).sum();
        write!(f, "Secrets({count})")
    }
}

impl Set {
    fn new(secrets: Vec<Secret>) -> Set {
        Set {
            secrets,
            passes: OnceLock::new(),
        }
    }

    fn passes(&self) -> &Passes {
        self.passes.get_or_init(|| Passes::over(&self.secrets))
    }
}

/// Whether the member of a credential under this key is secret, rather than a user's or a host's name.
/// Shape: a key is read in lower case, and as the words between anything that is neither letter nor digit.
pub fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase();
    let words = || key.split(|c: char| !c.is_alphanumeric());
    SECRET_PARTS.iter().any(|part| key.contains(part))
        || words().any(|word| SECRET_WORDS.contains(&word))
}

/// What a key of a secret holds anywhere in it.
const SECRET_PARTS: &[&str] = &[
    "credential",
    "passphrase",
    "passwd",
    "password",
    "private",
    "secret",
    "token",
];

/// What a key of a secret holds as a word of its own, or is.
const SECRET_WORDS: &[&str] = &[
    "accesskey",
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "dsn",
    "jwt",
    "key",
    "pass",
    "pat",
    "pem",
    "pin",
    "pw",
    "pwd",
    "sas",
    "signature",
];

/// Ranges in order, with those that overlap made one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}
