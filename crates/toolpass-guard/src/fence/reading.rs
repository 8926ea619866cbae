//! Outside text as a model may read it: escapes resolved, what nobody sees left out, lookalikes made plain.
//!
//! Made for finding ASCII markers, nothing else: a character that does not stand for ASCII is kept as it is, and case is kept.
//! Escapes are HTML references, JSON and Markdown backslashes and percent-encoding, up to [`MAX_NESTED`] of them in each
//! other. Character classes are NFKC, UTS #39 skeletons, combining marks and default ignorables dropped, dashes and spaces made
//! plain, and the tag block of Unicode (U+E0020 to U+E007E) read as the ASCII it spells.
//! INVARIANT: linear in the text; no offsets are kept. [`located`] walks the text a second time, which only a finding costs.

use std::borrow::Cow;
use std::ops::Range;

use toolpass_core::text::{is_control, is_format};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_security::skeleton;

/// The reading of a text; borrowed when it is the text itself.
pub(super) fn read(text: &str) -> Cow<'_, str> {
    let mut units = Units::new(text);
    let mut same = 0;
    let mut out = String::new();
    for unit in &mut units {
        if let Read::Same = unit.read {
            continue;
        }
        out.push_str(text.get(same..unit.at.start).unwrap_or_default());
        unit.read.push_to(&mut out);
        same = unit.at.end;
    }
    if same == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(same..).unwrap_or_default());
    Cow::Owned(out)
}

/// Where ranges of a reading stand in the text. The ranges are in order and do not overlap.
pub(super) fn located(text: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut units = Units::new(text);
    let mut unit = Unit {
        at: 0..0,
        read: NOTHING,
    };
    let (mut begin, mut end) = (0, 0);
    // Where the byte at `offset` of the reading comes from: its place in what reads as itself, else a whole unit.
    let mut source = |offset: usize| {
        while end <= offset {
            let Some(next) = units.next() else { break };
            unit = next;
            begin = end;
            end += unit.read.len(&unit.at);
        }
        match unit.read {
            Read::Same => {
                let at = unit.at.start + (offset - begin);
                at..at + 1
            }
            Read::Ascii(..) | Read::Char(_) => unit.at.clone(),
        }
    };
    ranges
        .iter()
        .filter(|range| !range.is_empty())
        .map(|range| source(range.start).start..source(range.end - 1).end)
        .collect()
}

/// Some bytes of a text and what they read as.
struct Unit {
    at: Range<usize>,
    read: Read,
}

/// What a piece of text reads as.
#[derive(Clone, Copy)]
enum Read {
    /// At most [`MAX_SPELLED`] ASCII characters; none at all for what is not seen.
    Ascii([u8; MAX_SPELLED], u8),
    /// Another character, once its escape is resolved.
    Char(char),
    /// Itself.
    Same,
}

impl Read {
    fn push_to(self, out: &mut String) {
        match self {
            Read::Ascii(bytes, len) => {
                out.extend(bytes.iter().take(len.into()).map(|b| char::from(*b)))
            }
            Read::Char(c) => out.push(c),
            Read::Same => {}
        }
    }

    fn len(self, at: &Range<usize>) -> usize {
        match self {
            Read::Ascii(_, len) => len.into(),
            Read::Char(c) => c.len_utf8(),
            Read::Same => at.len(),
        }
    }

    fn ascii(c: char) -> Read {
        Read::spelled(std::iter::once(c)).unwrap_or(Read::Same)
    }

    /// Characters that are all ASCII and few.
    fn spelled(chars: impl Iterator<Item = char>) -> Option<Read> {
        let mut bytes = [0; MAX_SPELLED];
        let mut len = 0;
        for c in chars {
            *bytes.get_mut(usize::from(len))? = u8::try_from(c).ok().filter(u8::is_ascii)?;
            len += 1;
        }
        Some(Read::Ascii(bytes, len))
    }
}

/// The units of a text, one after the other. What reads as itself comes in long units.
struct Units<'t> {
    text: &'t str,
    at: usize,
    known: Vec<(char, Read)>,
}

impl<'t> Units<'t> {
    fn new(text: &'t str) -> Units<'t> {
        Units {
            text,
            at: 0,
            known: vec![('\0', NOTHING); KNOWN],
        }
    }

    /// What a character reads as, remembered: pages repeat their letters.
    fn read_char(&mut self, c: char) -> Read {
        if matches!(c, '\u{4e40}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') {
            return Read::Same;
        }
        match self.known.get_mut(c as usize % KNOWN) {
            Some((known, read)) if *known == c => *read,
            Some(slot) => {
                *slot = (c, folded(c));
                slot.1
            }
            None => folded(c),
        }
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let plain = rest.bytes().take_while(|b| is_plain(*b)).count();
        let (len, read) = if plain > 0 {
            (plain, Read::Same)
        } else if let Some((c, len)) = escaped(rest) {
            let read = if c.is_ascii() && !is_control(c) {
                Read::ascii(c)
            } else {
                self.read_char(c)
            };
            (
                len,
                if let Read::Same = read {
                    Read::Char(c)
                } else {
                    read
                },
            )
        } else {
            let c = rest.chars().next()?;
            let read = if matches!(c, '&' | '\\' | '%') {
                Read::Same
            } else {
                self.read_char(c)
            };
            (c.len_utf8(), read)
        };
        self.at = start + len;
        Some(Unit {
            at: start..self.at,
            read,
        })
    }
}

/// A byte that reads as itself wherever it stands.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r') && !matches!(byte, b'&' | b'\\' | b'%')
}

/// What a character reads as.
fn folded(c: char) -> Read {
    match c {
        '\t' | '\n' | '\r' => return Read::Same,
        '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => return Read::ascii('\n'),
        '\u{e0020}'..='\u{e007e}' => {
            return char::from_u32(c as u32 - 0xe0000).map_or(NOTHING, Read::ascii);
        }
        _ if is_control(c) || is_format(c) || is_combining_mark(c) => return NOTHING,
        _ if c.is_whitespace() => return Read::ascii(' '),
        _ if c == '\u{2212}' || c.general_category() == GeneralCategory::DashPunctuation => {
            return Read::ascii('-');
        }
        _ => {}
    }
    if let Some((_, ascii)) = LOOKALIKES.iter().find(|(look, _)| look.contains(c)) {
        return Read::ascii(*ascii);
    }
    let capitals = SMALL_CAPITALS
        .iter()
        .zip(b'a'..=b'z')
        .find(|(capital, _)| **capital == c);
    if let Some((_, letter)) = capitals {
        return Read::ascii(letter.into());
    }
    let compatible: String = c.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    look(&compatible)
        .or_else(|| look(&compatible.to_uppercase()))
        .unwrap_or(Read::Same)
}

/// The ASCII a text looks like. What is ASCII already looks like itself: a skeleton would make `l` of `1`.
fn look(text: &str) -> Option<Read> {
    if text.is_ascii() {
        return Read::spelled(text.chars());
    }
    let marks = |c: &char| !is_combining_mark(*c);
    Read::spelled(skeleton(text).nfkd().filter(marks))
}

/// The character an escape at the start of a text stands for, and the escape's length.
fn escaped(text: &str) -> Option<(char, usize)> {
    let mut c = text.chars().next()?;
    let mut len = 1;
    for _ in 0..MAX_NESTED {
        let next = match c {
            '%' => percent(text.get(len..)?),
            '&' => reference(text.get(len..)?),
            '\\' => backslash(text.get(len..)?),
            _ => None,
        };
        let Some((meant, more)) = next else { break };
        c = meant;
        len += more;
    }
    (len > 1).then_some((c, len)) // nothing but one byte long begins an escape
}

/// What follows the `&` of an HTML reference. The semicolon may be missing, as browsers have it.
fn reference(rest: &str) -> Option<(char, usize)> {
    let (c, len) = if let Some(number) = rest.strip_prefix('#') {
        match number.strip_prefix(['x', 'X']) {
            Some(hex) => number_of(hex, 16).map(|(c, len)| (c, len + 2))?,
            None => number_of(number, 10).map(|(c, len)| (c, len + 1))?,
        }
    } else {
        let (name, c) = REFERENCES.iter().find(|(name, _)| rest.starts_with(name))?;
        (*c, name.len())
    };
    let semicolon = rest.get(len..).is_some_and(|rest| rest.starts_with(';'));
    Some((c, len + usize::from(semicolon)))
}

/// What follows the backslash of an escape of JSON, a programming language or Markdown.
fn backslash(rest: &str) -> Option<(char, usize)> {
    let first = rest.chars().next()?;
    match first {
        'u' if rest.starts_with("u{") => {
            let (c, len) = number_of(rest.get(2..)?, 16)?;
            rest.get(len + 2..)?
                .starts_with('}')
                .then_some((c, len + 3))
        }
        'u' => exactly(rest.get(1..5)?).map(|c| (c, 5)),
        'U' => exactly(rest.get(1..9)?).map(|c| (c, 9)),
        'x' => exactly(rest.get(1..3)?).map(|c| (c, 3)),
        _ => first.is_ascii_punctuation().then_some((first, 1)),
    }
}

/// What follows the `%` of a percent-encoded character, of all its bytes.
fn percent(rest: &str) -> Option<(char, usize)> {
    let byte = |at: usize| u8::from_str_radix(rest.get(at..at + 2)?, 16).ok();
    let mut bytes = vec![byte(0)?];
    let more = bytes.first().map_or(0, |b| match b {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => 0,
    });
    for nth in 1..=more {
        let at = nth * 3;
        if rest.get(at - 1..at)? != "%" {
            return None;
        }
        bytes.push(byte(at)?);
    }
    let c = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((c, 2 + more * 3))
}

/// A number at the start of a text, as a character.
fn number_of(text: &str, radix: u32) -> Option<(char, usize)> {
    let len = text
        .bytes()
        .take(MAX_DIGITS)
        .take_while(|b| char::from(*b).is_digit(radix))
        .count();
    let number = u32::from_str_radix(text.get(..len)?, radix).ok()?;
    Some((char::from_u32(number)?, len))
}

/// A text that is nothing but hexadecimal digits, as a character.
fn exactly(digits: &str) -> Option<char> {
    let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| {
        u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
    })
    .flatten()
}

/// The most ASCII characters one character reads as.
const MAX_SPELLED: usize = 6;
/// What is not seen.
const NOTHING: Read = Read::Ascii([0; MAX_SPELLED], 0);
/// How many characters are remembered.
const KNOWN: usize = 512;
/// How many escapes may stand in each other.
const MAX_NESTED: usize = 8;
/// The most digits of a numeric reference, leading zeros included.
const MAX_DIGITS: usize = 10;

/// Characters that look like one that markers are made of, and have no skeleton that says so.
const LOOKALIKES: &[(&str, char)] = &[
    ("‹〈⟨❬❮❰⧼˂≺⋖«≪", '<'),
    ("›〉⟩❭❯❱⧽˃≻⋗»≫", '>'),
    ("丿ノ⁄∕⧸╱⟋", '/'),
];

/// The small capitals from A to Z, as far as there are some.
const SMALL_CAPITALS: &[char] = &[
    'ᴀ', 'ʙ', 'ᴄ', 'ᴅ', 'ᴇ', 'ꜰ', 'ɢ', 'ʜ', 'ɪ', 'ᴊ', 'ᴋ', 'ʟ', 'ᴍ', 'ɴ', 'ᴏ', 'ᴘ', 'ꞯ', 'ʀ', 'ꜱ',
    'ᴛ', 'ᴜ', 'ᴠ', 'ᴡ', 'ˣ', 'ʏ', 'ᴢ',
];

/// Named references of the characters that markers are made of. A name that begins another stands after it.
const REFERENCES: &[(&str, char)] = &[
    ("GT", '>'),
    ("LT", '<'),
    ("NewLine", '\n'),
    ("Tab", '\t'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("amp", '&'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("dash", '-'),
    ("gt", '>'),
    ("hyphen", '-'),
    ("lowbar", '_'),
    ("lt", '<'),
    ("nbsp", ' '),
    ("percnt", '%'),
    ("quot", '"'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("verbar", '|'),
    ("vert", '|'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_reads_as() {
        for (text, expected) in [
            ("plain & simple 100% \\ ok", "plain & simple 100% \\ ok"),
            ("&lt;a&gt; &amp;amp;lt; &#60 &#x3C;", "<a> < < <"),
            ("\\u003c \\x3c \\/ \\\\u003c \\u{3c} \\_", "< < / < < _"),
            ("%3C %253c %EF%BC%9C %zz %", "< < < %zz %"),
            ("％３Ｃ ＜／ｕ＞", "%3C </u>"),
            ("u\u{200b}n\u{ad}t\u{301} \u{e0075}\u{e006e}", "unt un"),
            ("ᴜɴᴛʀᴜꜱᴛᴇᴅ", "untrusted"),
            ("untr‑usted–x—y−z", "untr-usted-x-y-z"),
            ("日本 été", "日本 ete"),
            ("a\u{a0}b\u{2028}c\u{0}d", "a b\ncd"),
            ("ＡB\\n", "AB\\n"),
            ("\\u0026lt; %26lt;", "< <"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert!(matches!(read("plain & simple"), Cow::Borrowed(_)));
        assert_eq!(read("аеорсух").chars().filter(char::is_ascii).count(), 7);
        assert_eq!(read("untrustеd-υпt").get(..9), Some("untrusted"));
    }

    #[test]
    fn a_range_is_found_again() {
        for text in [
            "ab &lt;x&gt; cd",
            "＜x＞",
            "\u{200b}<\u{200b}x\u{200b}>\u{200b}",
            "é<x>é",
            "\\u003cx%3E",
        ] {
            let reading = read(text);
            let start = reading.find("<x>").unwrap();
            let found = located(text, std::slice::from_ref(&(start..start + 3)));
            let slice = &text[found[0].clone()];
            assert_eq!(read(slice), "<x>", "{text}");
            assert!(
                !slice.starts_with('\u{200b}') && !slice.ends_with('\u{200b}'),
                "{text}"
            );
        }
    }
}
