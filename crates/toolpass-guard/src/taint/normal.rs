//! The normal form of a character: what is left of it once case, width, style, disguise and everything unseen are gone.
//!
//! Separate because recording, checking and every table here must agree to the letter. The form is taken one character at a
//! time, so a text is read once, without a copy, in linear time: compatibility decomposition, marks and ignorable characters
//! dropped, case folded, the UTS #39 prototype, case folded again. Marks are dropped although the prototype keeps some: text
//! under stacked accents reads like text without them, and a match may only become likelier.
//! INVARIANT: two words that are equal after NFKC, dropping ignorables, case folding and UTS #39 are equal here too.
//! SOURCE: UAX #15 (NFKC), UAX #44 (`Default_Ignorable_Code_Point`), UTS #39 section 4, read 2026-11-30.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_security::confusable_detection::skeleton;

/// A piece of the normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// An ideograph, a kana or a letter of a script written without spaces: a token of its own.
    Cluster(char),
    /// Ends a word.
    Gap,
    /// Ends a word, and may also stand inside one.
    Joiner,
    /// Part of a word.
    Letter(char),
}

/// What an ASCII byte is, or that it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Byte {
    /// Seen by nobody: dropped.
    Dropped,
    /// Ends a word.
    Gap,
    /// Ends a word, and may also stand inside one (`ig-nore`).
    Joiner,
    /// Part of a word, already in normal form.
    Letter(u8),
    /// `m`, which looks like `rn` and is read as that.
    M,
    /// Part of a longer character.
    Other,
}

/// The characters met last with their normal forms; a text of one script has few.
#[derive(Default)]
pub(super) struct Memo {
    entries: Vec<Entry>,
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy)]
struct Entry {
    of: char,
    /// Of its pieces in the memo.
    start: usize,
    end: usize,
}

impl Memo {
    /// The normal form of a character beyond ASCII.
    pub(super) fn form(&mut self, c: char) -> &[Piece] {
        if self.entries.is_empty() || self.pieces.len() > MEMO_PIECES {
            self.entries.clear();
            self.entries.resize(MEMO_ENTRIES, NOTHING);
            self.pieces.clear();
        }
        let Some(entry) = self.entries.get_mut(c as usize % MEMO_ENTRIES) else {
            return &[];
        };
        if entry.of != c {
            let start = self.pieces.len();
            each(c, &mut |piece| self.pieces.push(piece));
            *entry = Entry {
                of: c,
                start,
                end: self.pieces.len(),
            };
        }
        self.pieces.get(entry.start..entry.end).unwrap_or_default()
    }
}

/// What a byte is.
pub(super) fn byte(b: u8) -> Byte {
    BYTES.get(usize::from(b)).copied().unwrap_or(Byte::Other)
}

/// Whether nobody sees a character: ignorable, format, variation selector, or what is left of a broken one.
pub(super) fn is_unseen(c: char) -> bool {
    match c {
        '\u{0}'..='\u{8}' | '\u{E}'..='\u{1F}' | '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}' => true,
        '\t'..='\u{AC}' => false,
        '\u{FFFD}' => true,
        c => is_ignorable(c) || c.general_category() == GeneralCategory::Format,
    }
}

/// The normal form of one character, piece by piece.
fn each(c: char, sink: &mut impl FnMut(Piece)) {
    if is_dropped(c) {
        return;
    }
    let mut prototype = |folded: char| {
        let mut utf8 = [0; 4];
        skeleton(folded.encode_utf8(&mut utf8))
            .flat_map(char::to_lowercase)
            .filter(|c| !is_dropped(*c))
            .for_each(|c| match alike(c) {
                'm' => ['r', 'n'].into_iter().for_each(|c| sink(Piece::Letter(c))),
                // Lines and rings draw tables and lists.
                'l' | 'o' if matches!(folded, '|' | '\u{2190}'..='\u{2BFF}') => sink(Piece::Gap),
                c => sink(piece(folded, c)),
            });
    };
    std::iter::once(c)
        .nfkd()
        .filter(|c| !is_dropped(*c))
        .map(unframed)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .filter(|c| !is_dropped(*c))
        .for_each(&mut prototype);
}

fn is_dropped(c: char) -> bool {
    let mark = |c: char| {
        matches!(
            c.general_category(),
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
        )
    };
    is_unseen(c) || (!c.is_ascii() && mark(c))
}

/// What the prototype `c` of `folded` is. A dash looks like the long sound of kana and a jamo like a stroke of ideographs: what
/// a character is decides, not what it looks like, unless that is plain ASCII.
fn piece(folded: char, c: char) -> Piece {
    let continues =
        |c: char| c.is_alphanumeric() || c.general_category() == GeneralCategory::SpacingMark;
    match c {
        '-' | '_' | '+' | '.' | '\'' | '\u{2010}' => Piece::Joiner,
        c if c.is_ascii_alphanumeric() => Piece::Letter(c),
        _ if !continues(folded) || !continues(c) => Piece::Gap,
        _ if is_cluster(folded) && !folded.is_numeric() => Piece::Cluster(c),
        c => Piece::Letter(c),
    }
}

/// UTS #39 folds no case, so the prototype of a small letter may not be that of its capital (`н` and `Н`, which is `H`).
/// Here both are the one ASCII letter that either looks like; the test of this table finds the rows.
fn alike(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | 'i' | '|' => 'l',
        'h' | 'v' => 'n',
        'u' => 'y',
        c if c.is_ascii() => c,
        c => ALIKE
            .iter()
            .find(|(_, those)| those.contains(&c))
            .map_or(c, |(letter, _)| *letter),
    }
}

/// The letter in a dark circle, a dark square or a flag, which has no decomposition.
fn unframed(c: char) -> char {
    let first = match c {
        '\u{1F150}'..='\u{1F169}' => 0x1_F150,
        '\u{1F170}'..='\u{1F189}' => 0x1_F170,
        '\u{1F1E6}'..='\u{1F1FF}' => 0x1_F1E6,
        c => return c,
    };
    char::from_u32(c as u32 - first + u32::from(b'a')).unwrap_or(c)
}

/// `Default_Ignorable_Code_Point` of DerivedCoreProperties, Unicode 17; it has been stable since 9.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Scripts written without spaces: ideographs and kana, and those of line breaking class SA (Thai, Lao, Myanmar, Khmer, Tai).
fn is_cluster(c: char) -> bool {
    matches!(c,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{1950}'..='\u{19DF}' | '\u{1A20}'..='\u{1AAF}'
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303B}'
        | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AADF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}'
        | '\u{11700}'..='\u{1174F}' | '\u{1AFF0}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFF}')
}

/// Capitals and small letters that look like a letter, by that letter's form here.
const ALIKE: &[(char, &[char])] = &[
    ('2', &['ƨ', 'ჷ', 'ⴧ', 'ꝛ']),
    ('3', &['ȝ', 'ɜ', 'ʓ', 'ვ']),
    ('6', &['ẟ']),
    ('a', &['ᴀ']),
    ('b', &['ß', 'ƅ', 'ʙ']),
    ('d', &['ᴅ', '∂', 'ꮷ']),
    ('e', &['ᴇ', 'ꞓ']),
    ('f', &['ϝ']),
    ('g', &['ɢ']),
    ('j', &['ʝ', 'ᴊ']),
    ('k', &['ĸ', 'ⱪ', 'ꝁ']),
    ('l', &['ʟ']),
    ('m', &['ʍ', 'μ', 'ϻ']),
    ('n', &['ɴ', 'ʜ', 'ᏺ', 'ⱨ', 'ⴙ', 'ꮒ']),
    ('p', &['ᴘ']),
    ('r', &['ʀ']),
    ('s', &['տ', 'ⴝ', 'ꮥ']),
    ('t', &['ʈ', 'ᴛ', 'ⱦ', 'ꮏ']),
    ('x', &['χ', 'ҳ']),
    ('y', &['ʉ', 'ꭹ', 'ꮍ']),
    ('z', &['ζ']),
];

const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Other; 256];
    let mut b = 0;
    while b < 128 {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiled")]
        let slot = &mut bytes[b];
        *slot = ascii(b as u8);
        b += 1;
    }
    bytes
};

const fn ascii(b: u8) -> Byte {
    match b {
        b'0' => Byte::Letter(b'o'),
        b'1' | b'i' | b'I' => Byte::Letter(b'l'),
        b'h' | b'H' | b'v' | b'V' => Byte::Letter(b'n'),
        b'u' | b'U' => Byte::Letter(b'y'),
        b'm' | b'M' => Byte::M,
        b'a'..=b'z' | b'A'..=b'Z' | b'2'..=b'9' => Byte::Letter(b.to_ascii_lowercase()),
        b'-' | b'_' | b'+' | b'.' | b'\'' => Byte::Joiner,
        0..=8 | 14..=31 | 127 => Byte::Dropped,
        _ => Byte::Gap,
    }
}

const MEMO_ENTRIES: usize = 1024;
const MEMO_PIECES: usize = 1 << 16;
const NOTHING: Entry = Entry {
    of: '\0',
    start: 0,
    end: 0,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> String {
        let mut form = String::new();
        for c in text.chars() {
            each(c, &mut |piece| match piece {
                Piece::Cluster(c) => form.extend(['[', c, ']']),
                Piece::Gap => form.push(' '),
                Piece::Joiner => form.push('-'),
                Piece::Letter(c) => form.push(c),
            });
        }
        form
    }

    #[test]
    fn disguises_have_the_form_of_what_they_hide() {
        let rows = [
            ("Ignore", "іɡոоrе"),
            ("Ignore", "ＩＧＮＯＲＥ"),
            ("ignore", "𝒊𝓰𝔫𝕠𝖗𝚎"),
            ("ignore", "i\u{200B}g\u{AD}n\u{FE0F}o\u{34F}r\u{E0041}e"),
            ("ignore", "i\u{301}g\u{327}n\u{332}o\u{20DD}re"),
            ("ignore", "i\u{FFFD}gnore"),
            ("ignore", "ig\u{1}nore"),
            ("ignore", "🇮🇬🇳🇴🇷🇪"),
            ("HELLO", "НЕLLО"),
            ("hello", "нello"),
            ("modern", "rnodem"),
            ("l1I", "iil"),
            ("straße", "STRASSE"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("café", "cafe\u{301}"),
            ("ﬁle", "file"),
        ];
        for (plain, disguised) in rows {
            assert_eq!(form(plain), form(disguised), "{plain} {disguised}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_clusters() {
        for (text, expected) in [
            ("漢字", "[漢][字]"),
            ("ｶﾞ", "[力]"),
            ("カー—", "[力][ー] "),
            ("กำ", "[ก][า]"),
            ("ក្", "[ក]"),
            ("한", &form("한")),
            ("a漢b", "a[漢]b"),
            ("๕", "๕"),
        ] {
            assert_eq!(form(text), expected, "{text}");
        }
        assert!(!form("한글").contains('['));
    }

    #[test]
    fn bytes_agree_with_characters() {
        for b in 0..128u8 {
            let expected = match byte(b) {
                Byte::Dropped => String::new(),
                Byte::Gap => " ".into(),
                Byte::Joiner => "-".into(),
                Byte::Letter(l) => char::from(l).into(),
                Byte::M => "rn".into(),
                Byte::Other => unreachable!("ASCII"),
            };
            let got = form(&char::from(b).to_string());
            if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'.' | b'\'') {
                assert_eq!(got, expected, "{b}");
            } else {
                assert!(!got.contains(char::is_alphanumeric), "{b}");
                assert_eq!(got.is_empty(), expected.is_empty(), "{b}");
            }
        }
    }

    #[test]
    fn a_letter_has_the_form_of_every_letter_it_looks_like() {
        // Where the two cases of one letter look like different letters, or like a letter and a digit, no form fits both;
        // and letters that look like two (`Ы`, `Ю`) stay what they are.
        let left_out = "БбЮюЫыЅՅյϬϭƼƽꜨꜩᲄỺỻ";
        let symbol = |c: char| !c.is_alphanumeric();
        let obscure = |c: char| matches!(c as u32, 0x104B0..=0x104FF | 0x10C80..=0x10CFF | 0x118A0..=0x118DF | 0x16E40..=0x16EFF);
        for c in
            ('\u{80}'..=char::MAX).filter(|c| !left_out.contains(*c) && !obscure(*c) && !symbol(*c))
        {
            if c.nfkd().count() != 1 || c.nfkd().next() != Some(c) {
                continue;
            }
            let looks: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
            if looks.len() == 1 && looks.bytes().all(|b| b.is_ascii_alphanumeric()) {
                assert_eq!(form(&c.to_string()), form(&looks), "{c} {looks}");
                assert_eq!(
                    form(&c.to_lowercase().to_string()),
                    form(&looks),
                    "{c} {looks}"
                );
            }
        }
    }

    #[test]
    fn the_memo_answers_like_the_rules() {
        let mut memo = Memo::default();
        for c in ('\u{80}'..'\u{3400}')
            .chain('\u{FB00}'..'\u{FFFF}')
            .chain(['ﷺ'])
        {
            for _ in 0..2 {
                let mut plain = Vec::new();
                each(c, &mut |piece| plain.push(piece));
                assert_eq!(memo.form(c), plain, "{c:?}");
            }
        }
    }
}
