//! PEM blocks, as files in the field have them.
//!
//! Separate because certificates and private keys share the splitting and nothing else. Text around blocks is ignored;
//! a block cut short by another BEGIN, with headers inside, or that is not base64, is skipped, as certificate bundles
//! made by hand hold such blocks and the rest of them is good. Source: RFC 7468.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// One block.
pub(crate) struct Block<'a> {
    /// What stands after BEGIN.
    pub(crate) label: &'a str,
    /// The content; none when it cannot be read.
    pub(crate) der: Option<Vec<u8>>,
    /// Whether headers stand before the content, as in keys encrypted the old way.
    pub(crate) has_headers: bool,
}

/// The closed blocks of `text`, in order; one whose content cannot be read has no DER.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    // The text may be a private key. It never grows, so no copy is left behind, and is wiped.
    let mut open: Option<(&str, Zeroizing<String>, bool)> = None;
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(label) = label_of(line, "-----BEGIN ") {
            open = Some((
                label,
                Zeroizing::new(String::with_capacity(text.len())),
                true,
            ));
            continue;
        }
        let Some((label, base64, plain)) = &mut open else {
            continue;
        };
        match label_of(line, "-----END ") {
            Some(end) if end == *label => {
                let der = plain
                    .then(|| STANDARD.decode(base64.as_bytes()).ok())
                    .flatten();
                found.push(Block {
                    label,
                    der: der.filter(|der| !der.is_empty()),
                    has_headers: !*plain,
                });
                open = None;
            }
            Some(_) => open = None,
            // A header such as `Proc-Type: 4,ENCRYPTED`.
            None if line.contains(':') => *plain = false,
            None => base64.extend(line.chars().filter(|c| !c.is_ascii_whitespace())),
        }
    }
    found
}

fn label_of<'a>(line: &'a str, opening: &str) -> Option<&'a str> {
    line.strip_prefix(opening)?.strip_suffix("-----")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_blocks() {
        let check = |text: &str, expected: &[(&str, Option<&[u8]>)]| {
            let found = blocks(text);
            let found: Vec<_> = found
                .iter()
                .map(|block| (block.label, block.der.as_deref()))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check(
            "-----BEGIN A-----  \nYWI=\n-----END A-----\t\r\n",
            &[("A", Some(b"ab"))],
        );
        check(
            "notes: x\n-----BEGIN A-----\nYW\nI=\n-----END A-----\nafter",
            &[("A", Some(b"ab"))],
        );
        check(
            "-----BEGIN A-----\nYW\n-----BEGIN B-----\nYWI=\n-----END B-----",
            &[("B", Some(b"ab"))],
        );
        check(
            "-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\nYWI=\n-----END A-----",
            &[("A", None)],
        );
        check("-----BEGIN A-----\n***\n-----END A-----", &[("A", None)]);
        check("-----BEGIN A-----\n-----END A-----", &[("A", None)]);
        check("-----BEGIN A-----\nYWI=\n-----END B-----", &[]);
        check("-----BEGIN A-----\nYWI=", &[]);
    }
}
