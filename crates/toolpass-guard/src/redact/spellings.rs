//! How a secret is written by whoever echoes it: one row a notation.
//!
//! GitHub and GitLab mask a log's secrets in their common encodings too, because `base64` or a URL is all it takes to get one
//! past an exact match. Each row gives every form its notation has; forms that are the same are kept once.

use std::fmt::Write;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// One notation.
pub(super) struct Notation {
    /// Which texts are looked for in it.
    pub(super) of: Of,
    /// The forms of a text.
    pub(super) forms: fn(&[u8], &mut Vec<Vec<u8>>),
}

/// Which texts are looked for in a notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Secrets and the lines of those that have several.
    Lines,
    /// Secrets of an ordinary size, and lines.
    Ordinary,
    /// Secrets.
    Whole,
}

/// Every notation.
pub(super) const NOTATIONS: &[Notation] = &[
    Notation {
        of: Of::Lines,
        forms: as_is,
    },
    Notation {
        of: Of::Whole,
        forms: base64,
    },
    Notation {
        of: Of::Whole,
        forms: hex,
    },
    Notation {
        of: Of::Ordinary,
        forms: html,
    },
    Notation {
        of: Of::Lines,
        forms: json,
    },
    Notation {
        of: Of::Ordinary,
        forms: percent,
    },
    Notation {
        of: Of::Ordinary,
        forms: python,
    },
    Notation {
        of: Of::Ordinary,
        forms: shell,
    },
];

fn as_is(text: &[u8], out: &mut Vec<Vec<u8>>) {
    out.push(text.to_vec());
    push_texts(out, [String::from_utf8_lossy(text).into_owned()]);
}

/// The characters that every neighbour leaves alone, at each of the three places a secret may begin in its group: so the
/// secret is found behind `user:` as well. Both alphabets, and what an address or JSON makes of the first.
fn base64(text: &[u8], out: &mut Vec<Vec<u8>>) {
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(text);
        let whole = bytes.len() * 8 / 6;
        let own = (before * 8).div_ceil(6)..whole;
        let core = |encoded: String| encoded.get(own.clone()).unwrap_or_default().to_owned();
        let standard = core(BASE64_STANDARD_NO_PAD.encode(&bytes));
        let upper = standard.replace('+', "%2B").replace('/', "%2F");
        let lower = standard.replace('+', "%2b").replace('/', "%2f");
        let escaped = standard.replace('/', "\\/");
        let url = core(BASE64_URL_SAFE_NO_PAD.encode(&bytes));
        push_texts(out, [standard, upper, lower, escaped, url]);
    }
}

fn hex(text: &[u8], out: &mut Vec<Vec<u8>>) {
    let mut lower = String::with_capacity(text.len() * 2);
    for byte in text {
        let _ = write!(lower, "{byte:02x}"); // writing to a String cannot fail
    }
    push_texts(out, [lower.to_ascii_uppercase(), lower]);
}

fn html(text: &[u8], out: &mut Vec<Vec<u8>>) {
    if is_tame(text) {
        return;
    }
    let text = String::from_utf8_lossy(text);
    for (quote, apostrophe, slash) in [
        ("\"", "'", "/"),
        ("&quot;", "'", "/"),
        ("&quot;", "&apos;", "/"),
        ("&quot;", "&#x27;", "/"),
        ("&quot;", "&#x27;", "&#x2F;"),
        ("&quot;", "&#39;", "/"),
        ("&quot;", "&#39;", "&#x2F;"),
        ("&#34;", "&#39;", "/"),
    ] {
        let escaped = |c: char, out: &mut String| match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str(quote),
            '\'' => out.push_str(apostrophe),
            '/' => out.push_str(slash),
            c => out.push(c),
        };
        let numbers = |c: char, out: &mut String| match c.is_ascii() {
            true => escaped(c, out),
            false => push(out, format_args!("&#{};", u32::from(c))),
        };
        push_texts(out, [each(&text, escaped), each(&text, numbers)]);
    }
}

/// With and without escapes for what is not ASCII, for HTML's characters, for the slash; and all of it in JSON once more.
fn json(text: &[u8], out: &mut Vec<Vec<u8>>) {
    if is_tame(text) {
        return;
    }
    let text = String::from_utf8_lossy(text);
    for (ascii, html, slash) in CHOICES {
        for upper in [false, true] {
            let once = json_once(&text, ascii, html, slash, upper);
            let twice = json_once(&once, ascii, html, slash, upper);
            push_texts(out, [once, twice]);
        }
    }
}

fn json_once(text: &str, ascii: bool, html: bool, slash: bool, upper: bool) -> String {
    each(text, |c, out| match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '/' if slash => out.push_str("\\/"),
        c if c < ' '
            || (html && matches!(c, '<' | '>' | '&' | '\u{7f}' | '\u{2028}' | '\u{2029}'))
            || (ascii && !c.is_ascii()) =>
        {
            for unit in c.encode_utf16(&mut [0; 2]) {
                match upper {
                    true => push(out, format_args!("\\u{unit:04X}")),
                    false => push(out, format_args!("\\u{unit:04x}")),
                }
            }
        }
        c => out.push(c),
    })
}

/// What each encoder leaves alone differs; both hex cases; a space also as `+`; and all of it encoded once more.
fn percent(text: &[u8], out: &mut Vec<Vec<u8>>) {
    let mut forms = vec![text.iter().fold(String::new(), |mut all, byte| {
        push(&mut all, format_args!("%{byte:02X}"));
        all
    })];
    for set in [
        COMPONENT,
        FORM,
        NON_ALPHANUMERIC,
        PATH,
        SEGMENT,
        UNRESERVED,
        UNRESERVED_AND_SLASH,
    ] {
        let spaces = percent_encode(text, set).to_string();
        forms.push(spaces.replace("%20", "+"));
        forms.push(spaces);
    }
    for form in forms {
        let lower = lower_escapes(&form);
        push_texts(
            out,
            [
                form.replace('%', "%25"),
                lower.replace('%', "%25"),
                form,
                lower,
            ],
        );
    }
}

fn lower_escapes(form: &str) -> String {
    let mut parts = form.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        out.push('%');
        out.push_str(&digits.to_ascii_lowercase());
        out.push_str(rest);
    }
    out
}

/// `repr` and `ascii` of the text, `repr` of its bytes; the apostrophe is escaped only beside a quotation mark.
fn python(text: &[u8], out: &mut Vec<Vec<u8>>) {
    if is_tame(text) {
        return;
    }
    let lossy = String::from_utf8_lossy(text);
    let bytes: String = text.iter().map(|byte| char::from(*byte)).collect();
    for apostrophe in [false, true] {
        let plain = |c: char, out: &mut String| match c {
            '\\' => out.push_str("\\\\"),
            '\'' if apostrophe => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || matches!(c, '\u{7f}'..='\u{a0}' | '\u{ad}') => {
                push(out, format_args!("\\x{:02x}", u32::from(c)))
            }
            c => out.push(c),
        };
        let ascii = |c: char, out: &mut String| match u32::from(c) {
            0..0x80 => plain(c, out),
            code @ 0x80..0x100 => push(out, format_args!("\\x{code:02x}")),
            code @ 0x100..0x1_0000 => push(out, format_args!("\\u{code:04x}")),
            code => push(out, format_args!("\\U{code:08x}")),
        };
        push_texts(
            out,
            [
                each(&lossy, plain),
                each(&lossy, ascii),
                each(&bytes, ascii),
            ],
        );
    }
}

/// In apostrophes, in quotation marks, with backslashes, and as `$'…'`.
fn shell(text: &[u8], out: &mut Vec<Vec<u8>>) {
    if is_tame(text) {
        return;
    }
    let text = String::from_utf8_lossy(text);
    let quoted = |c: char, out: &mut String| match c {
        '"' | '\\' | '$' | '`' => out.extend(['\\', c]),
        c => out.push(c),
    };
    let escaped = |c: char, out: &mut String| match c {
        c if c.is_alphanumeric() || "@%+=:,./-_".contains(c) => out.push(c),
        c => out.extend(['\\', c]),
    };
    let ansi = |c: char, out: &mut String| match c {
        '\'' | '\\' => out.extend(['\\', c]),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.push(c),
    };
    push_texts(
        out,
        [
            text.replace('\'', "'\"'\"'"),
            text.replace('\'', "'\\''"),
            each(&text, quoted),
            each(&text, escaped),
            each(&text, ansi),
        ],
    );
}

/// Whether a text is the same in every notation that escapes some characters.
fn is_tame(text: &[u8]) -> bool {
    text.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn each(text: &str, mut write: impl FnMut(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| write(c, &mut out));
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text); // writing to a String cannot fail
}

fn push_texts<const N: usize>(out: &mut Vec<Vec<u8>>, texts: [String; N]) {
    out.extend(texts.map(String::into_bytes));
}

/// All choices of three switches.
const CHOICES: [(bool, bool, bool); 8] = [
    (false, false, false),
    (false, false, true),
    (false, true, false),
    (false, true, true),
    (true, false, false),
    (true, false, true),
    (true, true, false),
    (true, true, true),
];

/// RFC 3986's unreserved characters stay.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// Python's `quote`.
const UNRESERVED_AND_SLASH: &AsciiSet = &UNRESERVED.remove(b'/');
/// JavaScript's `encodeURIComponent`.
const COMPONENT: &AsciiSet = &UNRESERVED
    .remove(b'!')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*');
/// The WHATWG's form encoding.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'*');
/// RFC 3986's path segment.
const SEGMENT: &AsciiSet = &COMPONENT
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');
/// RFC 3986's path.
const PATH: &AsciiSet = &SEGMENT.remove(b'/');

#[cfg(test)]
mod tests {
    use super::*;

    /// That a notation of a text has these forms.
    fn check(notation: fn(&[u8], &mut Vec<Vec<u8>>), text: &str, forms: &[&str]) {
        let mut own = Vec::new();
        notation(text.as_bytes(), &mut own);
        for form in forms {
            assert!(
                own.iter().any(|own| own == form.as_bytes()),
                "{text}: {form}"
            );
        }
    }

    #[test]
    fn each_notation_has_its_forms() {
        check(as_is, "a\nb", &["a\nb"]);
        check(
            base64,
            "s3cr3t:/?",
            &[
                "czNjcjN0Oi8/",
                "zM2NyM3Q6Lz",
                "MzY3IzdDovP",
                "czNjcjN0Oi8_",
                "czNjcjN0Oi8%2F",
                "czNjcjN0Oi8%2f",
            ],
        );
        check(hex, "Jk/", &["4a6b2f", "4A6B2F"]);
        check(
            html,
            "<a&\"'/é>",
            &[
                "&lt;a&amp;\"'/é&gt;",
                "&lt;a&amp;&#34;&#39;/é&gt;",
                "&lt;a&amp;&quot;&#x27;&#x2F;é&gt;",
                "&lt;a&amp;&quot;&#x27;/&#233;&gt;",
            ],
        );
        check(
            json,
            "\"\\\n/<é😀",
            &[
                "\\\"\\\\\\n/<é😀",
                "\\\"\\\\\\n\\/<\\u00e9\\ud83d\\ude00",
                "\\\"\\\\\\n/\\u003C\\u00E9\\uD83D\\uDE00",
                "\\\\\\\"\\\\\\\\\\\\n/<é😀",
            ],
        );
        check(
            percent,
            "a b/é~!",
            &[
                "a%20b%2F%C3%A9~%21",
                "a+b%2f%c3%a9~%21",
                "a%20b/%C3%A9~!",
                "a+b%2F%C3%A9%7E%21",
                "%61%20%62%2F%C3%A9%7E%21",
                "a%2520b%252F%25C3%25A9~%2521",
            ],
        );
        check(
            python,
            "a'\"\\\n\u{1}é€",
            &[
                "a'\"\\\\\\n\\x01é€",
                "a\\'\"\\\\\\n\\x01\\xe9\\u20ac",
                "a\\'\"\\\\\\n\\x01\\xc3\\xa9\\xe2\\x82\\xac",
            ],
        );
        check(
            shell,
            "a'\"$ \n",
            &[
                "a'\"'\"'\"$ \n",
                "a'\\''\"$ \n",
                "a'\\\"\\$ \n",
                "a\\'\\\"\\$\\ \\\n",
                "a\\'\"$ \\n",
            ],
        );
    }
}
