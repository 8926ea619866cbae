//! E-mails as integrations' settings use them: templates of account names, a strict shape, domains.
//!
//! Separate from `user`, which says which e-mails may be asked about at all. Here an address becomes part of something else,
//! an account name or a query, so each type says exactly which characters it lets through. The strict shape admits `'`: it
//! still needs the escaping of whatever query language it goes into.

use std::fmt;

/// A template of an account name: `{email}`, `{local}` and `{domain}` stand for parts of the e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTemplate {
    pieces: Vec<Piece>,
}

/// Why a text is no name template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNameTemplate {
    /// Nothing in it but white space.
    #[error("expected a template such as `{{local}}`, not an empty text")]
    Blank,
    /// A brace without its partner.
    #[error("a brace in the template has no partner")]
    Braces,
    /// It would name the same account for everybody.
    #[error("expected `{{email}}` or `{{local}}` in the template")]
    Constant,
    /// A placeholder there is not.
    #[error("expected only the placeholders `{{email}}`, `{{local}}` and `{{domain}}`")]
    Placeholder,
}

/// An address of the strict shape: a local part of 1 to 64 of `A-Za-z0-9!#$%&'*+/=?^_{|}~.-`, a domain of 1 to 255 of
/// `A-Za-z0-9.-`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct StrictEmail(String);

/// The text has not the strict shape of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a plain e-mail address of ASCII letters, digits and common punctuation")]
pub struct InvalidEmail;

/// A set of mail domains, each compared whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailDomains(Vec<String>);

/// The text is no list of domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected mail domains separated by commas, such as `example.com, example.org`")]
pub struct InvalidDomains;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Domain,
    Email,
    Literal(String),
    Local,
}

impl NameTemplate {
    /// Read a template. Placeholders are case-sensitive and hold no spaces.
    /// Errors: [`InvalidNameTemplate`].
    pub fn parse(text: &str) -> Result<NameTemplate, InvalidNameTemplate> {
        if text.trim().is_empty() {
            return Err(InvalidNameTemplate::Blank);
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(brace) = rest.find(['{', '}']) {
            let (literal, after) = rest.split_at(brace);
            let after = after.strip_prefix('{').ok_or(InvalidNameTemplate::Braces)?;
            let (name, after) = after.split_once('}').ok_or(InvalidNameTemplate::Braces)?;
            if name.contains('{') {
                return Err(InvalidNameTemplate::Braces);
            }
            if !literal.is_empty() {
                pieces.push(Piece::Literal(literal.into()));
            }
            pieces.push(match name {
                "domain" => Piece::Domain,
                "email" => Piece::Email,
                "local" => Piece::Local,
                _ => return Err(InvalidNameTemplate::Placeholder),
            });
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Literal(rest.into()));
        }
        if !pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Email | Piece::Local))
        {
            return Err(InvalidNameTemplate::Constant);
        }
        Ok(NameTemplate { pieces })
    }

    /// The name of an e-mail's account. A value put in is never read again for placeholders. Without an `@` the whole is the
    /// local part.
    pub fn render(&self, email: &str) -> String {
        let (local, domain) = email.split_once('@').unwrap_or((email, ""));
        let text_of = |piece: &Piece| match piece {
            Piece::Domain => domain.to_owned(),
            Piece::Email => email.to_owned(),
            Piece::Literal(text) => text.clone(),
            Piece::Local => local.to_owned(),
        };
        self.pieces.iter().map(text_of).collect()
    }
}

impl StrictEmail {
    /// Read an address, the whole text.
    /// Errors: [`InvalidEmail`].
    pub fn parse(text: &str) -> Result<StrictEmail, InvalidEmail> {
        let (local, domain) = text.split_once('@').ok_or(InvalidEmail)?;
        let fits_local = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_{|}~.-".contains(&b);
        let fits_domain = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
        let local_fits = (1..=64).contains(&local.len()) && local.bytes().all(fits_local);
        let domain_fits = (1..=255).contains(&domain.len()) && domain.bytes().all(fits_domain);
        if local_fits && domain_fits {
            Ok(StrictEmail(text.into()))
        } else {
            Err(InvalidEmail)
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for StrictEmail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StrictEmail({:?})", self.0)
    }
}

impl fmt::Display for StrictEmail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl EmailDomains {
    /// Read a list separated by commas: trimmed, lower-cased, repeats kept once, no empty entry.
    /// Errors: [`InvalidDomains`].
    pub fn parse(text: &str) -> Result<EmailDomains, InvalidDomains> {
        let mut domains: Vec<String> = Vec::new();
        for entry in text.split(',') {
            let domain = entry.trim().to_ascii_lowercase();
            if !is_domain(&domain) {
                return Err(InvalidDomains);
            }
            if !domains.contains(&domain) {
                domains.push(domain);
            }
        }
        Ok(EmailDomains(domains))
    }

    /// Whether the e-mail's whole domain is one of these, in any case.
    pub fn has(&self, email: &str) -> bool {
        self.0.contains(&email_domain(email))
    }

    /// The domains, in the order given.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

/// The lower-cased text after the first `@`; empty when there is none.
pub fn email_domain(email: &str) -> String {
    email
        .split_once('@')
        .map(|(_, domain)| lower(domain))
        .unwrap_or_default()
}

/// Lower case, one character for one: U+0130 lowers to `i` alone.
pub fn lower(text: &str) -> String {
    text.chars()
        .map(|c| c.to_lowercase().next().unwrap_or(c))
        .collect()
}

/// Whether two texts are equal under simple case folding: one character for one, so `ß` is not `ss`.
pub fn equal_fold(left: &str, right: &str) -> bool {
    left.chars().map(folded).eq(right.chars().map(folded))
}

fn folded(c: char) -> char {
    match c {
        // The dotted and the dotless i fold to nothing but themselves outside Turkic languages.
        '\u{130}' | '\u{131}' => c,
        _ => {
            let upper = single(c, c.to_uppercase());
            single(upper, upper.to_lowercase())
        }
    }
}

/// The one character a case mapping gives, or `c` when it gives several.
fn single(c: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(only), None) => only,
        (Some(_) | None, _) => c,
    }
}

/// Whether `text` is a lower-case name of letter-digit-hyphen labels, each at most 63 bytes, in all at most 253.
fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn templates_render_in_one_pass() {
        for (template, email, name) in [
            ("{local}", "dana@example.com", "dana"),
            ("{email}", "dana@example.com", "dana@example.com"),
            ("{local}_{domain}", "dana@example.com", "dana_example.com"),
            ("{local}", "{domain}@example.com", "{domain}"),
            ("corp-{local}", "dana", "corp-dana"),
            ("{local}{domain}", "dana", "dana"),
            ("{local}!{domain}", "a@b@c", "a!b@c"),
        ] {
            assert_eq!(
                NameTemplate::parse(template).unwrap().render(email),
                name,
                "{template} {email}"
            );
        }
    }

    #[test]
    fn templates_that_are_none() {
        for (template, why) in [
            ("", InvalidNameTemplate::Blank),
            (" \t", InvalidNameTemplate::Blank),
            ("fixed", InvalidNameTemplate::Constant),
            ("{domain}", InvalidNameTemplate::Constant),
            ("{local", InvalidNameTemplate::Braces),
            ("local}", InvalidNameTemplate::Braces),
            ("{local}}", InvalidNameTemplate::Braces),
            ("{{local}}", InvalidNameTemplate::Braces),
            ("{Local}", InvalidNameTemplate::Placeholder),
            ("{ local }", InvalidNameTemplate::Placeholder),
            ("{}", InvalidNameTemplate::Placeholder),
            ("{local}{name}", InvalidNameTemplate::Placeholder),
        ] {
            assert_eq!(NameTemplate::parse(template), Err(why), "{template:?}");
        }
    }

    #[test]
    fn strict_addresses() {
        for good in [
            "a@b",
            "o'neil+x@ex.co.uk",
            "a.b{c|d}~@x-y.example",
            &format!("{}@{}", "a".repeat(64), "b".repeat(255)),
        ] {
            assert!(StrictEmail::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "a@b@c",
            "a b@c",
            "a@b\n",
            "josé@b",
            "a@bücher",
            "a`b@c",
            "\"a\"@b",
            "a@b_c",
            "a(b)@c",
            "a,b@c",
            "a\\b@c",
            &format!("{}@b", "a".repeat(65)),
            &format!("a@{}", "b".repeat(256)),
        ] {
            assert_eq!(StrictEmail::parse(bad), Err(InvalidEmail), "{bad:?}");
        }
    }

    #[test]
    fn domains_are_compared_whole() {
        let domains = EmailDomains::parse(" Example.com ,example.org,EXAMPLE.COM").unwrap();
        assert_eq!(domains.as_slice(), ["example.com", "example.org"]);
        assert!(domains.has("dana@EXAMPLE.com"));
        for outside in [
            "dana@evil-example.com",
            "dana@sub.example.com",
            "dana@example.com.evil.com",
            "dana",
            "dana@",
            "a@b@example.com",
        ] {
            assert!(!domains.has(outside), "{outside}");
        }
        for bad in [
            "",
            ",",
            "a,",
            "a..b",
            "-a.com",
            "a-.com",
            "a_b.com",
            "bücher.example",
            "a b.com",
            &format!("{}.com", "a".repeat(64)),
            &vec!["a"; 128].join("."),
        ] {
            assert_eq!(EmailDomains::parse(bad), Err(InvalidDomains), "{bad:?}");
        }
    }

    #[test]
    fn case_maps_one_character_to_one() {
        assert_eq!(lower("\u{130}STANBUL"), "istanbul");
        assert_eq!(email_domain("a@EXAMPLE.Com"), "example.com");
        for (left, right, equal) in [
            ("Dana", "dANA", true),
            ("ΣΑΣ", "σας", true),
            ("\u{212a}", "k", true),
            ("\u{17f}", "s", true),
            ("ß", "ss", false),
            ("ß", "\u{1e9e}", true),
            ("\u{130}", "i", false),
            ("\u{131}", "i", false),
            ("é", "e", false),
        ] {
            assert_eq!(equal_fold(left, right), equal, "{left} {right}");
        }
    }

    proptest! {
        #[test]
        fn a_rendered_name_holds_the_local_part(local in "[a-z{}@]{0,8}", domain in "[a-z{}.]{0,8}") {
            let email = format!("{local}@{domain}");
            let (local, domain) = email.split_once('@').unwrap();
            let rendered = NameTemplate::parse("x{local}y{domain}z").unwrap().render(&email);
            prop_assert_eq!(rendered, format!("x{local}y{domain}z"));
        }

        #[test]
        fn never_panics(text in "[{}a-z@., -]{0,30}|\\PC{0,20}") {
            let _ = (NameTemplate::parse(&text), StrictEmail::parse(&text), EmailDomains::parse(&text), lower(&text));
        }
    }
}
