//! Tokens that name a place or an object: addresses, accounts, numbers, handles, paths, ids.
//!
//! One such token is often all of an attack: where the money goes, who gets the mail. They are cut out of any text, each in the
//! one spelling of its class, and compared where a value says where something goes. Shapes only: no list of known names. A
//! word too many here costs nothing as long as no destination holds it, so the shapes are wide.
//! SOURCE: ISO 13616 (IBAN), ISO/IEC 7812 (cards), E.164 (phones), RFC 3986 and 5321 (URL, mail), read 2026-11-30.

use std::borrow::Cow;
use std::net::IpAddr;

use toolpass_wire::host;
use unicode_normalization::UnicodeNormalization;

use super::normal::is_unseen;

/// What a token names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// An IBAN, or what looks like one: capitals and digits.
    Account = 1,
    /// `#channel`, without the sign, lower case.
    Channel,
    /// `@handle`, without the sign, lower case.
    Handle,
    /// Twelve hexadecimal digits or more, one of them a number, a UUID among them: lower case, digits only.
    Hex,
    /// A name with a dot, as `toolpass-wire` spells hosts.
    Host,
    /// An id of ten characters or more that mixes cases or digits, as it is.
    Id,
    /// An IP address, in its shortest form.
    Ip,
    /// A mail address, lower case.
    Mail,
    /// Six digits or more, a card and a phone number among them: digits only.
    Number,
    /// `owner/repo`, or a path of two segments or more: lower case, no outer slashes.
    Path,
    /// A URL without its scheme and fragment: host and path, once with and once without the query.
    Url,
}

impl Class {
    /// What it is, for a reason; never the token itself.
    pub fn noun(self) -> &'static str {
        match self {
            Class::Account => "an account number",
            Class::Channel => "a channel",
            Class::Handle => "a handle",
            Class::Hex | Class::Id => "an id",
            Class::Host => "a host",
            Class::Ip => "an IP address",
            Class::Mail => "a mail address",
            Class::Number => "a number",
            Class::Path => "a path",
            Class::Url => "a URL",
        }
    }
}

/// Tell `sink` the distinctive tokens of `text`. Linear: a piece of text is looked at a fixed number of times.
pub(super) fn each(text: &str, sink: &mut dyn FnMut(Class, &str)) {
    let text = plain(text);
    let mut cutter = Cutter {
        sink,
        digits: Digits::default(),
        account: String::new(),
        buffer: String::new(),
    };
    let bytes = text.as_bytes();
    let ends = |b: &u8| traits_of(*b) & END != 0;
    let mut at = 0;
    while let Some(telling) = cutter.next(bytes, at) {
        let before = bytes.get(at..telling).unwrap_or_default();
        let start = before
            .iter()
            .rposition(ends)
            .map_or(at, |blank| at + blank + 1);
        let rest = bytes.get(start..).unwrap_or_default();
        let end = start + rest.iter().position(ends).unwrap_or(rest.len());
        let alone = !before.iter().take(start - at).all(ends);
        let blanks = if alone { FAR } else { start - at };
        cutter.chunk(text.get(start..end).unwrap_or_default(), blanks);
        at = end;
    }
}

/// Tell `sink` what a value that says where something goes may name: its tokens, the domains above a host in it, and, when it
/// is one bare word, the handle and the channel of that name.
pub(super) fn each_destination(text: &str, sink: &mut dyn FnMut(Class, &str)) {
    each(text, &mut |class, token| {
        sink(class, token);
        if class == Class::Host {
            let parents = token
                .match_indices('.')
                .filter_map(|(at, _)| token.get(at + 1..));
            parents
                .filter(|parent| parent.contains('.'))
                .for_each(|parent| sink(Class::Host, parent));
        }
    });
    let text = plain(text);
    let word = text.trim().trim_start_matches(['@', '#']).to_lowercase();
    if is_name(&word) {
        sink(Class::Handle, &word);
        sink(Class::Channel, &word);
    }
}

struct Cutter<'c> {
    sink: &'c mut dyn FnMut(Class, &str),
    digits: Digits,
    /// The groups of an account number so far.
    account: String,
    buffer: String,
}

/// Groups of digits in a row, one separator apart, as numbers are written.
#[derive(Default)]
struct Digits {
    all: String,
    /// Where each group starts in `all`.
    groups: Vec<usize>,
}

impl Cutter<'_> {
    /// Where the next piece is that may be a token, or go on with one that has begun.
    fn next(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = bytes.get(at..)?;
        if !self.account.is_empty() {
            let piece = rest.iter().position(|b| traits_of(*b) & END == 0)?;
            return Some(at + piece);
        }
        next_telling(rest).map(|telling| at + telling)
    }

    /// A piece between blanks, quotes and brackets; `blank`: how many of those are between it and the piece before.
    fn chunk(&mut self, chunk: &str, blank: usize) {
        let traits = chunk.bytes().fold(0, |traits, b| traits | traits_of(b));
        if traits & DIGIT != 0 || !self.account.is_empty() {
            self.account_group(chunk, blank);
        }
        if traits & DIGIT != 0 && !is_day(chunk) {
            self.digits(chunk, traits, blank);
        } else {
            self.digits.clear();
        }
        let inner_dot = traits & DOT != 0 && chunk.trim_end_matches('.').contains('.');
        let telling = inner_dot || traits & (SIGN | SLASH) != 0 || chunk.len() >= SHORTEST_ID;
        if !telling {
            return;
        }
        self.token(chunk);
        if let Some((_, url)) = chunk.split_once("://") {
            self.url(url);
        }
        let inner = |c: char| matches!(c, '=' | '?' | '&' | ':' | '!' | '*' | '~' | '%' | '$');
        if chunk.contains(inner) {
            chunk.split(inner).for_each(|part| self.token(part));
        }
    }

    fn token(&mut self, part: &str) {
        let part = part
            .trim_end_matches(['.', ':', '!', '?', '-', '…'])
            .trim_start_matches(['.', ':', '!', '*', '-']);
        if part.len() < 2 {
            return;
        }
        if let Some(name) = part.strip_prefix('@') {
            self.named(Class::Handle, name);
        } else if let Some(name) = part.strip_prefix('#') {
            self.named(Class::Channel, name);
        } else if let Some((local, domain)) = part.rsplit_once('@') {
            self.mail(local, domain);
        } else if part.contains('/') {
            self.path(part);
        } else if let Ok(ip) = part.parse::<IpAddr>() {
            (self.sink)(Class::Ip, &ip.to_canonical().to_string());
        } else if part.contains('.') {
            self.host(part);
        }
        self.id(part);
    }

    fn named(&mut self, class: Class, name: &str) {
        if is_name(name) {
            (self.sink)(class, &name.to_lowercase());
        }
    }

    fn mail(&mut self, local: &str, domain: &str) {
        let local = local.rsplit(['/', ':']).next().unwrap_or(local);
        let domain = domain.split(['/', '?']).next().unwrap_or(domain);
        if let (Some(domain), false) = (host_name(domain), local.is_empty()) {
            (self.sink)(Class::Mail, &format!("{}@{domain}", local.to_lowercase()));
        }
    }

    fn host(&mut self, name: &str) {
        if let Some(name) = host_name(name) {
            (self.sink)(Class::Host, &name);
        }
    }

    /// A path, and the URL it may be: something with a host before the first slash.
    fn path(&mut self, part: &str) {
        let path = part.trim_matches('/');
        if path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .count()
            >= 2
        {
            (self.sink)(Class::Path, &path.to_lowercase());
        }
        if part.starts_with("//") || !part.starts_with('/') {
            self.url(part.trim_start_matches('/'));
        }
    }

    /// What follows the scheme of a URL.
    fn url(&mut self, url: &str) {
        let end = url.find(['/', '?', '#', '\\']).unwrap_or(url.len());
        let (authority, rest) = url.split_at_checked(end).unwrap_or((url, ""));
        let place = authority.rsplit('@').next().unwrap_or(authority);
        let (name, port) = match place.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (name, port),
            _ => (place, ""),
        };
        let name = match name.parse::<IpAddr>() {
            Ok(ip) => {
                let ip = ip.to_canonical().to_string();
                (self.sink)(Class::Ip, &ip);
                ip
            }
            Err(_) => match host_name(name) {
                Some(name) => {
                    (self.sink)(Class::Host, &name);
                    name
                }
                None => return,
            },
        };
        let rest = rest.split('#').next().unwrap_or(rest);
        let path = rest
            .split('?')
            .next()
            .unwrap_or(rest)
            .trim_end_matches(['/', '.']);
        if path.len() > 1 || !port.is_empty() {
            (self.sink)(Class::Url, &format!("{name}:{port}{path}"));
        }
        if path.len() < rest.len() && rest.contains('?') {
            (self.sink)(Class::Url, &format!("{name}:{port}{rest}"));
        }
    }

    /// Hexadecimal digits, an account number in one piece, or an id.
    fn id(&mut self, part: &str) {
        let has = |wanted: fn(&u8) -> bool| part.as_bytes().iter().any(wanted);
        let only = |wanted: fn(u8) -> bool| part.bytes().all(wanted);
        let capitals = part.as_bytes().iter().take(2).all(u8::is_ascii_alphabetic);
        let checked = part
            .as_bytes()
            .iter()
            .skip(2)
            .take(2)
            .all(u8::is_ascii_digit);
        if only(|b| b.is_ascii_hexdigit() || matches!(b, b'-' | b':')) {
            self.buffer.clear();
            self.buffer.extend(
                part.chars()
                    .filter(char::is_ascii_hexdigit)
                    .map(|c| c.to_ascii_lowercase()),
            );
            if self.buffer.len() >= SHORTEST_HEX {
                (self.sink)(Class::Hex, &self.buffer);
            }
        }
        if ACCOUNT.contains(&part.len())
            && capitals
            && checked
            && only(|b| b.is_ascii_alphanumeric())
        {
            (self.sink)(Class::Account, &part.to_ascii_uppercase());
        }
        if part.len() >= SHORTEST_ID
            && only(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        {
            let digit = has(u8::is_ascii_digit);
            let cases = has(u8::is_ascii_lowercase)
                && part.as_bytes().iter().skip(1).any(u8::is_ascii_uppercase);
            if cases || (digit && has(u8::is_ascii_alphabetic)) {
                (self.sink)(Class::Id, part);
            }
        }
    }

    /// An account number written in groups of four: every length it may have so far.
    fn account_group(&mut self, chunk: &str, blank: usize) {
        let group = chunk.trim_end_matches(['.', ':', '!', '?']);
        let fits = group.len() <= 4
            && !group.is_empty()
            && group
                .bytes()
                .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        let begins = matches!(group.as_bytes(), [a, b, c, d]
            if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit());
        if !self.account.is_empty()
            && fits
            && blank == 1
            && self.account.len() + group.len() <= *ACCOUNT.end()
        {
            self.account.push_str(group);
            if self.account.len() >= *ACCOUNT.start() {
                (self.sink)(Class::Account, &self.account);
            }
            if group.len() < 4 || group.len() < chunk.len() {
                self.account.clear();
            }
        } else {
            self.account.clear();
            if begins {
                self.account.push_str(group);
            }
        }
    }

    /// Every number of up to [`GROUPS`] groups that ends in this piece.
    fn digits(&mut self, chunk: &str, traits: u8, blank: usize) {
        let foreign = traits & (LOWER | UPPER | SIGN) != 0;
        if blank > 2 || foreign || chunk.starts_with('+') {
            self.digits.clear();
        }
        for group in chunk.split(|c: char| !c.is_ascii_digit()) {
            if group.is_empty() {
                continue;
            }
            self.digits.push(group);
            let Digits { all, groups } = &self.digits;
            for from in groups.iter().rev().take(GROUPS) {
                let number = all.get(*from..).unwrap_or_default();
                if NUMBER.contains(&number.len()) {
                    (self.sink)(Class::Number, number);
                }
            }
        }
        if foreign {
            self.digits.clear();
        }
    }
}

impl Digits {
    fn clear(&mut self) {
        self.all.clear();
        self.groups.clear();
    }

    fn push(&mut self, group: &str) {
        if self.groups.len() >= KEPT_GROUPS {
            self.clear();
        }
        self.groups.push(self.all.len());
        self.all.push_str(group);
    }
}

/// The text in its compatible form, without what nobody sees. ASCII stays as it is.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.find(|c: char| !c.is_ascii()).unwrap_or(rest.len());
        let (before, other) = rest.split_at_checked(ascii).unwrap_or((rest, ""));
        let end = other.find(|c: char| c.is_ascii()).unwrap_or(other.len());
        let (other, after) = other.split_at_checked(end).unwrap_or((other, ""));
        out.push_str(before);
        rest = after;
        if other.chars().all(is_its_own_form) {
            out.push_str(other);
            continue;
        }
        let seen = other.chars().filter(|c| !is_unseen(*c)).nfkc();
        out.extend(seen.filter(|c| !is_unseen(*c)));
    }
    Cow::Owned(out)
}

/// Common letters and quotes that are seen and that NFKC leaves alone; the test asks the library.
fn is_its_own_form(c: char) -> bool {
    matches!(c,
        '\u{C0}'..='\u{131}' | '\u{391}'..='\u{3A1}' | '\u{3A3}'..='\u{3C9}' | '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}'
        | '\u{2013}'..='\u{2015}' | '\u{2018}'..='\u{201F}' | '\u{2022}' | '\u{3041}'..='\u{3096}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}')
}

/// A name with a dot whose last label is a word, in its one spelling.
fn host_name(name: &str) -> Option<String> {
    let name = name.trim_matches('.');
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    if name.len() > LONGEST_HOST || !name.contains(['.', '\u{3002}']) {
        return None;
    }
    let name = host::canonical(name).ok()?;
    let (_, last) = name.rsplit_once('.')?;
    let word = last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic());
    (word || last.starts_with("xn--")).then(|| name.into_owned())
}

/// What a handle or a channel may be called.
fn is_name(name: &str) -> bool {
    (2..=LONGEST_NAME).contains(&name.len())
        && name.chars().any(char::is_alphabetic)
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Whether a piece begins with a day, as `2024-05-15` and `15/5/2024`: nobody pays to a day.
fn is_day(chunk: &str) -> bool {
    let end = |c: char| !c.is_ascii_digit() && !matches!(c, '-' | '/' | '.');
    let day = chunk
        .split(end)
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let mut lengths = day.split(['-', '/', '.']).map(str::len);
    let parts = (
        lengths.next(),
        lengths.next(),
        lengths.next(),
        lengths.next(),
    );
    matches!(
        parts,
        (Some(4), Some(1 | 2), Some(1 | 2), None) | (Some(1 | 2), Some(1 | 2), Some(4), None)
    )
}

/// Where the first byte is that only a token has: a digit, a sign, a dot before something, a capital after a small letter. By
/// blocks, each looked at as a whole: most of a text is plain words.
fn next_telling(bytes: &[u8]) -> Option<usize> {
    let tells = |b: u8, next: u8| {
        let sign = (b.wrapping_sub(b'/') <= b':' - b'/') | (b == b'@') | (b == b'#') | (b == b'=');
        let dot = (b == b'.') & (next > b'-');
        sign | dot | (b.is_ascii_lowercase() & next.is_ascii_uppercase())
    };
    let mut before = 0;
    let next = bytes.get(1..).unwrap_or_default();
    for (block, next) in bytes.chunks(BLOCK).zip(next.chunks(BLOCK)) {
        let pairs = || block.iter().zip(next).map(|(b, next)| tells(*b, *next));
        if pairs().fold(false, |any, told| any | told) {
            return Some(before + pairs().position(|told| told)?);
        }
        before += block.len();
    }
    let last = bytes.len().checked_sub(1)?;
    bytes
        .get(last)
        .is_some_and(|b| tells(*b, 0))
        .then_some(last)
}

fn traits_of(b: u8) -> u8 {
    TRAITS.get(usize::from(b)).copied().unwrap_or_default()
}

const END: u8 = 1;
const DIGIT: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;
const DOT: u8 = 16;
const SLASH: u8 = 32;
const SIGN: u8 = 64;

const TRAITS: [u8; 256] = {
    let mut traits = [LOWER; 256];
    let mut b = 0;
    while b < 128 {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiled")]
        let slot = &mut traits[b];
        *slot = ascii(b as u8);
        b += 1;
    }
    traits
};

const fn ascii(b: u8) -> u8 {
    match b {
        b'0'..=b'9' => DIGIT,
        b'A'..=b'Z' => UPPER,
        b'a'..=b'z' => LOWER,
        b'.' => DOT,
        b'/' => SLASH,
        b'@' | b'#' | b':' | b'=' => SIGN,
        0..=b' '
        | b'"'
        | b'\''
        | b'('
        | b')'
        | b','
        | b';'
        | b'<'
        | b'>'
        | b'['
        | b'\\'
        | b']'
        | b'`'
        | b'{'
        | b'|'
        | b'}'
        | 127 => END,
        _ => 0,
    }
}

const SHORTEST_ID: usize = 10;
const SHORTEST_HEX: usize = 12;
const NUMBER: std::ops::RangeInclusive<usize> = 6..=24;
const ACCOUNT: std::ops::RangeInclusive<usize> = 15..=34;
/// Groups of one number.
const GROUPS: usize = 7;
/// Groups kept; more in a row are a table.
const KEPT_GROUPS: usize = 64;
/// Other words are between.
const FAR: usize = usize::MAX;
const BLOCK: usize = 64;
const LONGEST_HOST: usize = 255;
const LONGEST_NAME: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Class, String)> {
        let mut tokens = Vec::new();
        each(text, &mut |class, token| {
            tokens.push((class, token.to_owned()))
        });
        tokens
    }

    #[test]
    fn every_class_is_found_in_its_one_spelling() {
        use Class::*;
        for (text, class, token) in [
            (
                "pay DE89370400440532013000 now",
                Account,
                "DE89370400440532013000",
            ),
            (
                "pay DE89 3704 0044 0532 0130 00, please",
                Account,
                "DE89370400440532013000",
            ),
            (
                "US133000000121212121212",
                Account,
                "US133000000121212121212",
            ),
            ("gb82west12345698765432", Account, "GB82WEST12345698765432"),
            ("post in #Team-External!", Channel, "team-external"),
            ("ask @Mallory_1.", Handle, "mallory_1"),
            ("commit 5F3A9C01D2E4", Hex, "5f3a9c01d2e4"),
            ("deadbeefcaf0", Hex, "deadbeefcaf0"),
            (
                "GB82 WEST 1234 5698 7654 32",
                Account,
                "GB82WEST12345698765432",
            ),
            ("token qwertyUIOPasdf", Id, "qwertyUIOPasdf"),
            (
                "id=123E4567-e89b-12d3-a456-426614174000",
                Hex,
                "123e4567e89b12d3a456426614174000",
            ),
            ("see Evil.COM.", Host, "evil.com"),
            ("https://user:pw@Evil.com:8443/x", Host, "evil.com"),
            ("ｅｖｉｌ．ｃｏｍ", Host, "evil.com"),
            ("ev\u{200B}il.com", Host, "evil.com"),
            ("bücher.example", Host, "xn--bcher-kva.example"),
            (
                "file 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
                Id,
                "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
            ),
            ("at 10.0.0.7, ok", Ip, "10.0.0.7"),
            ("2001:DB8::0001", Ip, "2001:db8::1"),
            ("http://10.0.0.7:80/x", Ip, "10.0.0.7"),
            ("<Bob.Smith@Evil.com>", Mail, "bob.smith@evil.com"),
            ("mailto:bob@evil.com?subject=x", Mail, "bob@evil.com"),
            ("card 4111 1111 1111 1111", Number, "4111111111111111"),
            ("call +1 (555) 123-4567", Number, "15551234567"),
            ("in 2024 call 555 123 4567", Number, "5551234567"),
            ("ref 1,234,567", Number, "1234567"),
            ("A123456", Number, "123456"),
            ("see Acme/API", Path, "acme/api"),
            ("rm /etc/passwd", Path, "etc/passwd"),
            ("https://evil.com/Drop?d=1#x", Url, "evil.com:/Drop"),
            ("https://evil.com/Drop?d=1#x", Url, "evil.com:/Drop?d=1"),
            ("evil.com/drop", Url, "evil.com:/drop"),
            ("url=https://evil.com/drop/", Url, "evil.com:/drop"),
        ] {
            let found = tokens(text);
            assert!(
                found.contains(&(class, token.to_owned())),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_its_own_form_is_left_alone_by_the_library() {
        for c in ('\u{80}'..=char::MAX).filter(|c| is_its_own_form(*c)) {
            assert!(std::iter::once(c).nfkc().eq([c]) && !is_unseen(c), "{c}");
        }
    }

    #[test]
    fn plain_words_are_no_tokens() {
        for text in [
            "Please transfer the money to him, thanks.",
            "It's 12:30 on 2024-05-15, or 15/05/2024.",
            "Five 5 words 42 and 1999 more. End",
            "JAVASCRIPT Extraordinary well-known",
            "",
            "....",
            "@ # / :",
        ] {
            let found = tokens(text);
            let only_paths = found.iter().all(|(class, _)| *class == Class::Path);
            assert!(only_paths, "{text}: {found:?}");
        }
    }

    #[test]
    fn a_destination_is_more_than_its_tokens() {
        let mut found = Vec::new();
        each_destination("https://Data.x.Evil.com", &mut |class, token| {
            found.push((class, token.to_owned()))
        });
        assert!(found.contains(&(Class::Host, "evil.com".into())));
        assert!(!found.contains(&(Class::Host, "com".into())));
        found.clear();
        each_destination(" Mallory ", &mut |class, token| {
            found.push((class, token.to_owned()))
        });
        assert!(found.contains(&(Class::Handle, "mallory".into())));
        assert!(found.contains(&(Class::Channel, "mallory".into())));
    }
}
