//! Secrets of a call, found in any text in one pass and replaced.
//!
//! One automaton over all patterns, leftmost-longest. Today the pattern of a secret is the secret itself; further spellings
//! of it (percent, base64, …) are further rows of [`spellings`].

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use toolpass_core::secret::{REDACTED, Secret};

use crate::json::quote;

/// The shortest secret that is replaced: anything shorter would blank ordinary words.
pub const MIN_BYTES: usize = 8;

/// The secrets of one call.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    automaton: Option<AhoCorasick>,
}

impl Secrets {
    /// Secrets to be looked for; those shorter than [`MIN_BYTES`] are not.
    pub fn new<'s, I: IntoIterator<Item = &'s Secret>>(secrets: I) -> Secrets {
        let patterns: Vec<Vec<u8>> = secrets
            .into_iter()
            .filter(|secret| secret.expose().len() >= MIN_BYTES)
            .flat_map(spellings)
            .collect();
        if patterns.is_empty() {
            return Secrets::default();
        }
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&patterns);
        Secrets {
            automaton: built.ok(),
        }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// Whether a text holds a secret.
    pub fn mentioned_in(&self, text: &str) -> bool {
        self.automaton
            .as_ref()
            .is_some_and(|automaton| automaton.is_match(text))
    }

    /// The text with every secret replaced.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.automaton {
            Some(automaton) if automaton.is_match(text) => {
                let mut out = String::with_capacity(text.len());
                automaton.replace_all_with(text, &mut out, |_, _, dst| {
                    dst.push_str(REDACTED);
                    true
                });
                Cow::Owned(out)
            }
            _ => Cow::Borrowed(text),
        }
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

/// The spellings of one secret: as it is, and as [`crate::json::quote`] writes it into an audit event.
fn spellings(secret: &Secret) -> Vec<Vec<u8>> {
    let raw = secret.expose().to_vec();
    let quoted = secret.expose_str().map(quote);
    let quoted = quoted
        .as_deref()
        .and_then(|text| text.strip_prefix('"')?.strip_suffix('"'));
    let quoted = quoted
        .map(|text| text.as_bytes().to_vec())
        .filter(|quoted| *quoted != raw);
    std::iter::once(raw).chain(quoted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_secret_wins() {
        let secrets = [
            Secret::new("hunter22"),
            Secret::new("hunter22hunter22"),
            Secret::new("short"),
        ];
        let secrets = Secrets::new(&secrets);
        assert_eq!(
            secrets.redact("a hunter22hunter22 b hunter22 short"),
            "a [REDACTED] b [REDACTED] short"
        );
        assert!(!secrets.mentioned_in("short"));
        assert!(Secrets::new(&[]).is_empty());
    }

    #[test]
    fn keys_of_secrets() {
        for key in [
            "password",
            "client_secret",
            "APIKEY",
            "api-key",
            "pw",
            "GITHUB_TOKEN",
            "PrivatePem",
            "key",
            "Authorization",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in [
            "user", "username", "host", "email", "monkey", "keyboard", "region", "author", "path",
            "",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
    }

    #[test]
    fn a_secret_is_found_as_json_spells_it() {
        let secrets = Secrets::new(&[Secret::new("a\"b\\c\nd<e>")]);
        let json = quote("x a\"b\\c\nd<e> y");
        assert_eq!(secrets.redact(&json), "\"x [REDACTED] y\"");
    }

    proptest! {
        #[test]
        fn nothing_of_a_secret_is_left(secret in "[a-z0-9]{8,20}", before in ".{0,20}", after in ".{0,20}") {
            let secrets = Secrets::new(&[Secret::new(secret.clone())]);
            let text = format!("{before}{secret}{after}");
            prop_assert!(!secrets.redact(&text).contains(&secret));
        }
    }
}
