//! One line of a chain: how it is sealed, and how a sealed one is read.
//!
//! Pure: bytes in, bytes out. The seal stands at a fixed distance from the end, so it is found without reading the event.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash([u8; 32]);

/// A line as read: what it says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The hash of the line before.
    pub prev: Hash,
    /// Its own hash.
    pub hash: Hash,
    /// Whether its own hash is that of its bytes.
    pub fits: bool,
}

impl Hash {
    /// What the first line of a chain names as its predecessor.
    pub const ZERO: Hash = Hash([0; 32]);

    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Read 64 lower-case hex digits.
    pub fn parse(text: &[u8]) -> Option<Hash> {
        let mut hash = [0; 32];
        let (pairs, rest) = text.as_chunks::<2>();
        if pairs.len() != hash.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Hash(hash))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Seal a JSON object with members after the line with hash `prev`. Answers the line with its end, and its hash.
/// `None` for what is no object of one line, or too long.
pub fn seal(object: &str, prev: Hash) -> Option<(String, Hash)> {
    let open = object.strip_suffix('}')?;
    let one_line = !open.bytes().any(|byte| byte < b' ');
    if open.len() < 2 || open.len() > MAX_BYTES || !open.starts_with('{') || !one_line {
        return None;
    }
    let covered = format!("{open}{PREV}{prev}\"");
    let hash = Hash::of(covered.as_bytes());
    Some((format!("{covered}{HASH}{hash}{CLOSE}\n"), hash))
}

/// Read a line without its end; `None` for what has no seal.
pub fn read(line: &[u8]) -> Option<Sealed> {
    let (covered, seal) = line.split_at_checked(line.len().checked_sub(OWN)?)?;
    let prev = covered.strip_suffix(b"\"")?;
    let (open, prev) = prev.split_at_checked(prev.len().checked_sub(DIGITS)?)?;
    let event = open.strip_suffix(PREV.as_bytes())?;
    let hash = Hash::parse(
        seal.strip_prefix(HASH.as_bytes())?
            .strip_suffix(CLOSE.as_bytes())?,
    )?;
    Some(Sealed {
        prev: Hash::parse(prev)?,
        hash,
        fits: event.starts_with(b"{") && Hash::of(covered) == hash,
    })
}

/// The first line of a file.
pub(crate) const OPENING: &str = "{\"audit\":1}";

/// How the first line of a file begins.
pub(crate) const OPENS: &[u8] = b"{\"audit\":1,\"prev\":\"";

/// The line that stands for bytes which were cut off and have been dropped.
pub(crate) fn dropped(bytes: &[u8]) -> String {
    let hash = Hash::of(bytes);
    format!(
        "{{\"audit\":1,\"dropped_bytes\":{},\"dropped_sha256\":\"{hash}\"}}",
        bytes.len()
    )
}

/// How such a line begins.
pub(crate) const DROPPED: &[u8] = b"{\"audit\":1,\"dropped_bytes\":";

/// The longest event, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// The longest line with its end, in bytes.
pub(crate) const MAX_LINE: usize = MAX_BYTES + SEAL + 1;

/// How many bytes the seal takes: both hashes, with their names.
pub(crate) const SEAL: usize = PREV.len() + DIGITS + 1 + OWN;

const OWN: usize = HASH.len() + DIGITS + CLOSE.len();
const DIGITS: usize = 64;
const PREV: &str = ",\"prev\":\"";
const HASH: &str = ",\"hash\":\"";
const CLOSE: &str = "\"}";

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_sealed() {
        let (line, hash) = seal("{\"v\":1}", Hash::ZERO).unwrap();
        let covered = format!("{{\"v\":1,\"prev\":\"{}\"", "0".repeat(64));
        assert_eq!(hash, Hash::of(covered.as_bytes()));
        assert_eq!(line, format!("{covered},\"hash\":\"{hash}\"}}\n"));
        let sealed = Sealed {
            prev: Hash::ZERO,
            hash,
            fits: true,
        };
        assert_eq!(read(line.trim_end().as_bytes()), Some(sealed));
        assert_eq!(Hash::parse(hash.to_string().as_bytes()), Some(hash));
    }

    #[test]
    fn what_is_no_event_is_not_sealed() {
        for wrong in [
            "",
            "{}",
            "}",
            "[1]",
            "{\"a\":1",
            "{\"a\":\n1}",
            "{\"a\":1}\n",
        ] {
            assert_eq!(seal(wrong, Hash::ZERO), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_has_no_seal_is_no_line() {
        let (line, hash) = seal("{\"v\":1}", Hash::ZERO).unwrap();
        let line = line.trim_end();
        let upper = line.replace(&hash.to_string(), &hash.to_string().to_uppercase());
        for wrong in ["", "{}", "{\"v\":1}", &line[..line.len() - 1], &upper] {
            assert_eq!(read(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}
