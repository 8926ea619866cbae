//! For whom: the e-mail an application gives, the groups and token that come with it.
//!
//! Lengths are UTF-8 bytes. A user is refused when any part of it could read as another's to a vendor's search.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use crate::secret::Secret;
use crate::text;

/// A well-formed user: an e-mail, kept as given.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct User(Arc<str>);

/// Why a question names no user, groups or token that can be used. Holds nothing of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUser {
    /// Not one `@` between two non-empty parts, or too long.
    #[error("expected the user's e-mail: one `@`, both sides non-empty, at most 320 bytes")]
    Shape,
    /// A character that is invisible, folds onto another, or ends the address in some parser.
    #[error("the user holds a character that is invisible, is a space, or can be read as another")]
    Character,
    /// Letters outside ASCII in the domain.
    #[error(
        "expected the user's domain in ASCII; an international domain is given in its `xn--` form"
    )]
    Domain,
    /// A group of the wrong form, or too many.
    #[error(
        "expected at most 200 groups, each of 1 to 256 bytes without control or format characters"
    )]
    Groups,
    /// A token of the wrong form.
    #[error("expected a token of at most 16384 printable ASCII characters")]
    Token,
}

impl User {
    /// Read a user.
    /// Errors: [`InvalidUser::Shape`], [`InvalidUser::Character`], [`InvalidUser::Domain`].
    pub fn parse(email: &str) -> Result<User, InvalidUser> {
        let (local, domain) = email.split_once('@').ok_or(InvalidUser::Shape)?;
        if email.len() > 320 || local.is_empty() || domain.is_empty() || domain.contains('@') {
            return Err(InvalidUser::Shape);
        }
        if email.chars().any(is_refused) || !email.nfkc().eq(email.chars()) {
            return Err(InvalidUser::Character);
        }
        if !domain.is_ascii() {
            return Err(InvalidUser::Domain);
        }
        Ok(User(email.into()))
    }

    /// The e-mail as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The one spelling used in every key: ASCII e-mails in lower case, any other as given.
    pub fn canonical(&self) -> String {
        if self.0.is_ascii() {
            self.0.to_ascii_lowercase()
        } else {
            self.0.to_string()
        }
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "User({:?})", self.0)
    }
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_refused(c: char) -> bool {
    let folds_to_ascii = matches!(c, '\u{130}' | '\u{131}' | '\u{17f}' | '\u{212a}');
    let ends_an_address = matches!(c, '<' | '>' | ',' | '"');
    folds_to_ascii
        || ends_an_address
        || c <= ' '
        || c == '\u{feff}'
        || c.is_whitespace()
        || text::is_control(c)
        || text::is_format(c)
        || text::is_unassigned(c)
}

/// The groups a caller sent: none, or a sorted set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Groups(Arc<[String]>);

impl Groups {
    /// Normalise groups: repeats dropped, sorted by UTF-8 bytes. None at all and an empty list are the same.
    /// Errors: [`InvalidUser::Groups`].
    pub fn new<I: IntoIterator<Item = String>>(groups: I) -> Result<Groups, InvalidUser> {
        let mut kept: Vec<String> = groups.into_iter().collect();
        let fits = |group: &String| {
            !group.is_empty()
                && group.len() <= 256
                && !group
                    .chars()
                    .any(|c| text::is_control(c) || text::is_format(c))
        };
        if kept.len() > 200 || !kept.iter().all(fits) {
            return Err(InvalidUser::Groups);
        }
        kept.sort();
        kept.dedup();
        Ok(Groups(kept.into()))
    }

    /// The groups, sorted.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Whether none were sent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The user's own ID token.
#[derive(Clone, Debug)]
pub struct Token(Secret);

impl Token {
    /// Read a token; an empty one is none.
    /// Errors: [`InvalidUser::Token`].
    pub fn parse(text: &str) -> Result<Option<Token>, InvalidUser> {
        if text.is_empty() {
            return Ok(None);
        }
        if text.len() > 16_384 || !text.bytes().all(|b| (0x21..=0x7e).contains(&b)) {
            return Err(InvalidUser::Token);
        }
        Ok(Some(Token(Secret::new(text))))
    }

    /// The value, for the one place that verifies it.
    pub fn expose(&self) -> &[u8] {
        self.0.expose()
    }

    /// SHA-256 of the value: what keys hold instead of it.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.expose()).into()
    }
}

/// Whether an e-mail can be handed to a system as it is: 1 to 254 bytes, one `@` between two parts, nothing that another parser could end at.
pub fn is_plain_email(email: &str) -> bool {
    let refused = |b: u8| b <= b' ' || matches!(b, 0x7f | b'"' | b'\'' | b'\\' | b'/');
    let halves = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !domain.contains('@')
    });
    halves && email.len() <= 254 && !email.bytes().any(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users() {
        for good in [
            "a@b",
            "o'neil+x@ex.co.uk",
            "josé@example.com",
            "Dana@Example.com",
            "a@xn--bcher-kva.example",
        ] {
            assert!(User::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "a@b@c",
            "a b@c",
            "a@b\n",
            "a\u{200b}@b",
            "a\u{202e}@b",
            "ｄana@b",
            "a\u{e000}@b",
            "a@bücher.example",
            "<a@b>",
            "a,b@c",
            "\"a\"@b",
            "\u{212a}@b",
            "a\u{a0}@b",
            "a\u{2028}@b",
        ] {
            assert!(User::parse(bad).is_err(), "{bad:?}");
        }
        assert!(User::parse(&format!("{}@b", "a".repeat(319))).is_err());
    }

    #[test]
    fn ascii_spellings_share_a_key_and_others_do_not() {
        let key = |email| User::parse(email).unwrap().canonical();
        assert_eq!(key("Dana@Example.com"), key("dana@example.com"));
        assert_ne!(key("Émile@example.com"), key("émile@example.com"));
    }

    #[test]
    fn groups_have_no_order_and_no_repeats() {
        let groups = |list: &[&str]| Groups::new(list.iter().map(|g| g.to_string()));
        assert_eq!(groups(&["b", "a", "b"]), groups(&["a", "b"]));
        assert_eq!(groups(&[]), Ok(Groups::default()));
        assert!(groups(&["\u{3000}wide"]).is_ok());
        assert_eq!(groups(&[""]), Err(InvalidUser::Groups));
        assert_eq!(groups(&["a\u{200b}"]), Err(InvalidUser::Groups));
    }

    #[test]
    fn tokens_show_nothing() {
        let token = Token::parse("eyJ.abc.def").unwrap().unwrap();
        assert!(!format!("{token:?}").contains("eyJ"));
        assert!(Token::parse("").unwrap().is_none());
        assert!(Token::parse("a b").is_err());
    }

    #[test]
    fn plain_emails() {
        for good in ["dana@example.com", "d+x@e", "josé@example.com"] {
            assert!(is_plain_email(good), "{good}");
        }
        for bad in [
            "",
            "dana",
            "@e",
            "d@",
            "d@e@f",
            "d a@e",
            "d\"@e",
            "d'@e",
            "d\\@e",
            "d/@e",
            "d@e\u{7f}",
            &format!("{}@e", "d".repeat(253)),
        ] {
            assert!(!is_plain_email(bad), "{bad}");
        }
    }
}
