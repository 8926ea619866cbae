//! Host names in one spelling, so that a connection's host has no other name that reaches it.
//!
//! Separate because the request, the endpoints of a connection and every name in a header must agree to the letter.
//! A name is mapped as UTS #46 says, an address in any of its old spellings becomes the address. What two resolvers could
//! read differently is refused.
//! SOURCE: UTS #46; WHATWG URL, "host parsing" (numbers as addresses); RFC 3986 section 3.2.2; RFC 5952 (IPv6 text).

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

/// Why a host is not one host. Holds nothing of its text, which may carry a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostProblem {
    /// Digits that look like an address and are none.
    #[error("the host looks like an IP address and is none")]
    Address,
    /// A character that no host holds: a control character, a space, `@`, `/`, `%` and the like.
    #[error("the host holds a character that no host name has")]
    Character,
    /// Nothing, an empty label, or too long.
    #[error("the host is empty, has an empty label, or is longer than a name may be")]
    Shape,
    /// Letters that resolvers map to different names (`ß`, `ς`, zero-width joiners), or that no name has.
    #[error("the host holds characters that resolvers read differently")]
    Unicode,
}

/// The one spelling of `host`: lower case ASCII without the trailing dot; an address in its shortest form, an IPv6 one without
/// brackets, an IPv4 address mapped into IPv6 as IPv4.
/// Errors: [`HostProblem`].
pub fn canonical(host: &str) -> Result<Cow<'_, str>, HostProblem> {
    if is_plain(host) || host.parse::<Ipv4Addr>().is_ok() {
        return Ok(Cow::Borrowed(host));
    }
    if let Some(inside) = host.strip_prefix('[') {
        return ipv6(inside.strip_suffix(']').ok_or(HostProblem::Character)?);
    }
    if host.contains(':') {
        return ipv6(host);
    }
    let mapped = ascii(host)?;
    let name = mapped.strip_suffix('.').unwrap_or(&mapped);
    check_labels(name)?;
    if ends_in_number(name) {
        return ipv4(name)
            .map(|address| Cow::Owned(address.to_string()))
            .ok_or(HostProblem::Address);
    }
    Ok(Cow::Owned(name.to_owned()))
}

/// Split `host[:port]` as a `Host` header has it.
/// Errors: [`HostProblem`] for a port that is no number; the host is canonical.
pub fn with_port(text: &str) -> Result<(Cow<'_, str>, Option<u16>), HostProblem> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let port = match port {
        None | Some("") => None,
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            Some(digits.parse().map_err(|_| HostProblem::Character)?)
        }
        Some(_) => return Err(HostProblem::Character),
    };
    Ok((canonical(host)?, port))
}

/// A name that is its own canonical spelling, as nearly all are: labels of `a-z 0-9 - _`, the last beginning with a letter,
/// none in Punycode.
fn is_plain(host: &str) -> bool {
    let mut last_starts_with_letter = false;
    let labels_fit = host.split('.').all(|label| {
        last_starts_with_letter = label.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
        (1..=MAX_LABEL).contains(&label.len())
            && label.bytes().all(fits)
            && !label.starts_with("xn--")
    });
    labels_fit && last_starts_with_letter && host.len() <= MAX_NAME
}

fn ascii(host: &str) -> Result<Cow<'_, str>, HostProblem> {
    if host.len() > MAX_NAME * 4 {
        return Err(HostProblem::Shape);
    }
    if host.chars().any(|c| c <= ' ' || c == '\u{7f}') {
        return Err(HostProblem::Character);
    }
    if host.chars().any(is_deviation) {
        return Err(HostProblem::Unicode);
    }
    let problem = if host.is_ascii() {
        HostProblem::Character
    } else {
        HostProblem::Unicode
    };
    Uts46::new()
        .to_ascii(
            host.as_bytes(),
            AsciiDenyList::URL,
            Hyphens::Allow,
            DnsLength::Ignore,
        )
        .map_err(|_| problem)
}

/// The four characters that IDNA 2003 and IDNA 2008 map to different names. In Punycode they have one reading only.
fn is_deviation(c: char) -> bool {
    matches!(c, 'ß' | 'ẞ' | 'ς' | '\u{200c}' | '\u{200d}')
}

fn check_labels(name: &str) -> Result<(), HostProblem> {
    let labels_fit = name
        .split('.')
        .all(|label| (1..=MAX_LABEL).contains(&label.len()));
    let fits =
        |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.');
    match labels_fit && name.len() <= MAX_NAME {
        false => Err(HostProblem::Shape),
        true if name.bytes().all(fits) => Ok(()),
        true => Err(HostProblem::Character),
    }
}

fn ipv6<'h>(text: &str) -> Result<Cow<'h, str>, HostProblem> {
    let address: Ipv6Addr = text.parse().map_err(|_| HostProblem::Address)?;
    Ok(Cow::Owned(match address.to_ipv4_mapped() {
        Some(mapped) => mapped.to_string(),
        None => address.to_string(),
    }))
}

/// Whether resolvers would try the name as a number: its last label is digits, or hexadecimal after `0x`.
fn ends_in_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or("");
    let hexadecimal = |digits: &str| digits.bytes().all(|b| b.is_ascii_hexdigit());
    (!last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()))
        || last.strip_prefix("0x").is_some_and(hexadecimal)
}

/// One to four numbers, decimal, octal or hexadecimal; the last fills the bytes that are left (`inet_aton`).
fn ipv4(name: &str) -> Option<Ipv4Addr> {
    let numbers: Vec<u32> = name.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    let room = 32
        - 8 * u32::try_from(first.len())
            .ok()
            .filter(|count| *count <= 3)?;
    if first.iter().any(|byte| *byte > 255) || u64::from(*last) >= 1u64 << room {
        return None;
    }
    let high = first
        .iter()
        .fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    u32::try_from(high << room | u64::from(*last))
        .ok()
        .map(Ipv4Addr::from)
}

fn number(part: &str) -> Option<u32> {
    let (digits, radix) = match part.as_bytes() {
        [b'0', b'x', ..] => (part.get(2..)?, 16),
        [b'0', _, ..] => (part.get(1..)?, 8),
        _ => (part, 10),
    };
    match digits {
        "" => (radix == 16).then_some(0),
        _ if !digits.bytes().all(|b| b.is_ascii_hexdigit()) => None,
        _ => u32::from_str_radix(digits, radix).ok(),
    }
}

const MAX_LABEL: usize = 63;
const MAX_NAME: usize = 253;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_spelling() {
        for (given, expected) in [
            ("api.github.com", "api.github.com"),
            ("API.GitHub.COM", "api.github.com"),
            ("api.github.com.", "api.github.com"),
            ("ｌocalhost", "localhost"),
            ("api.ｇithub.com", "api.github.com"),
            ("api。github．com", "api.github.com"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("my_bucket.s3.amazonaws.com", "my_bucket.s3.amazonaws.com"),
            ("a--b.example", "a--b.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("0177.0.0.1", "127.0.0.1"),
            ("0x7f.0.0.1", "127.0.0.1"),
            ("0x7F000001", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("１２７.0.0.1", "127.0.0.1"),
            ("0", "0.0.0.0"),
            ("0x.0x.0", "0.0.0.0"),
            ("[::1]", "::1"),
            ("::1", "::1"),
            ("[0:0:0:0:0:0:0:1]", "::1"),
            ("[2001:DB8::A]", "2001:db8::a"),
            ("[::ffff:127.0.0.1]", "127.0.0.1"),
            ("::ffff:7f00:1", "127.0.0.1"),
        ] {
            assert_eq!(canonical(given).as_deref(), Ok(expected), "{given}");
        }
    }

    #[test]
    fn refused() {
        for (given, problem) in [
            ("", HostProblem::Shape),
            (".", HostProblem::Shape),
            ("a..b", HostProblem::Shape),
            (".a", HostProblem::Shape),
            ("a..", HostProblem::Shape),
            ("user@api.github.com", HostProblem::Character),
            ("api.github.com\0.evil", HostProblem::Character),
            ("api.github.com\r\n", HostProblem::Character),
            ("api .github.com", HostProblem::Character),
            ("api.github.com/x", HostProblem::Character),
            ("%61pi.github.com", HostProblem::Character),
            ("a,b", HostProblem::Character),
            ("a*b", HostProblem::Character),
            ("[::1", HostProblem::Character),
            ("[::1%25eth0]", HostProblem::Address),
            ("fe80::1%eth0", HostProblem::Address),
            ("api.github.com:443", HostProblem::Address),
            ("256.0.0.1", HostProblem::Address),
            ("1.2.3.4.5", HostProblem::Address),
            ("1.2.3.08", HostProblem::Address),
            ("api.1", HostProblem::Address),
            ("4294967296", HostProblem::Address),
            ("127.0.0.0x100", HostProblem::Address),
            ("straße.example", HostProblem::Unicode),
            ("a\u{200d}b.example", HostProblem::Unicode),
            ("a\u{202e}b.example", HostProblem::Unicode),
            ("xn--\u{fc}.example", HostProblem::Unicode),
            ("xn--99zzzz99.example", HostProblem::Character),
        ] {
            assert_eq!(canonical(given), Err(problem), "{given:?}");
        }
        assert_eq!(canonical(&"a.".repeat(130)), Err(HostProblem::Shape));
        assert_eq!(canonical(&"a".repeat(64)), Err(HostProblem::Shape));
    }

    #[test]
    fn ports() {
        for (given, host, port) in [
            ("api.github.com", "api.github.com", None),
            ("API.github.com:443", "api.github.com", Some(443)),
            ("api.github.com:", "api.github.com", None),
            ("[::1]:8080", "::1", Some(8080)),
            ("[::1]", "::1", None),
            ("::1", "::1", None),
        ] {
            assert_eq!(with_port(given), Ok((host.into(), port)), "{given}");
        }
        for given in ["a:b", "a:80:90", "a:99999", "a:+80", ":80", "a: 80"] {
            assert!(with_port(given).is_err(), "{given}");
        }
    }

    proptest! {
        #[test]
        fn no_host_panics_and_a_canonical_host_stays(given in "\\PC{0,30}|[a-z0-9.x:\\[\\]%ß｜．-]{0,24}|(0x|0|[0-9]{1,4}|\\.){1,8}") {
            let _ = with_port(&given);
            if let Ok(host) = canonical(&given) {
                prop_assert!(host.is_ascii());
                prop_assert_eq!(canonical(&host), Ok(Cow::Borrowed(&*host)));
            }
        }

        #[test]
        fn every_spelling_of_an_address_is_the_address(bytes: [u8; 4], form in 0..5usize) {
            let number = u32::from_be_bytes(bytes);
            let [a, b, c, d] = bytes;
            let spelled = match form {
                0 => format!("{number}"),
                1 => format!("0x{number:x}"),
                2 => format!("0{number:o}"),
                3 => format!("{a}.0x{b:x}.{}", u32::from(c) << 8 | u32::from(d)),
                _ => format!("[::ffff:{a}.{b}.{c}.{d}]"),
            };
            prop_assert_eq!(canonical(&spelled), Ok(Cow::Owned(Ipv4Addr::from(bytes).to_string())));
        }
    }
}
