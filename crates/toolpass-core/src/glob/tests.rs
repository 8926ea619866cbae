//! What a glob covers, every reading of a value, and the matcher beside an obvious one.

use super::*;
use proptest::prelude::*;

fn glob(text: &str) -> Glob {
    Glob::compile(text).unwrap()
}

fn scope(globs: &[&str], value: &str) -> bool {
    let globs: Vec<Glob> = globs.iter().map(|text| glob(text)).collect();
    in_scope(&globs, value)
}

/// The obvious matcher: exponential, and right by reading it.
fn slow(tokens: &[Token], text: &[char]) -> bool {
    let Some((token, rest)) = tokens.split_first() else {
        return text.is_empty();
    };
    match token {
        Token::AnyAcross => slow(rest, text) || (!text.is_empty() && slow(tokens, &text[1..])),
        Token::AnyInSegment => {
            slow(rest, text) || (!text.is_empty() && text[0] != '/' && slow(tokens, &text[1..]))
        }
        Token::Char(_) | Token::Class { .. } | Token::One => {
            !text.is_empty() && token.takes(text[0], Backslash::Itself) && slow(rest, &text[1..])
        }
    }
}

#[test]
fn globs_cover_whole_values() {
    for (pattern, covered, not_covered) in [
        (
            "acme/*",
            &["acme/shop", "acme/", "acme/a.b"][..],
            &["acme", "acme/a/b", "xacme/a", "acme/a\u{0}/"][..],
        ),
        (
            "acme/**",
            &["acme/shop", "acme/a/b/c", "acme/"],
            &["acme", "evil/acme/x"],
        ),
        ("**", &["", "a", "a/b"], &[]),
        ("*", &["", "a"], &["a/b", "/"]),
        ("***", &["a/b"], &[]),
        ("a/**/b", &["a/x/b", "a/x/y/b", "a//b"], &["a/b"]),
        ("a?c", &["abc", "a-c", "aéc"], &["ac", "a/c", "abbc"]),
        ("[abc]", &["a", "c"], &["d", "", "ab"]),
        ("[a-c]x", &["bx"], &["dx", "-x"]),
        ("[!abc]", &["d", "^"], &["a", "/"]),
        ("[]a]", &["]", "a"], &["b"]),
        ("[!]a]", &["b"], &["]", "a"]),
        ("[a-]", &["a", "-"], &["b"]),
        ("[-a]", &["a", "-"], &["b"]),
        ("[^a]", &["^", "a"], &["b"]),
        ("[\\]", &["\\"], &["]"]),
        ("[/a]", &["a"], &["/"]),
        ("[!a]/", &["b/"], &["//"]),
        ("[abc", &["[abc"], &["a"]),
        ("[]", &["[]"], &[""]),
        ("[!]", &["[!]"], &[]),
        ("{a,b}", &["{a,b}"], &["a", "b"]),
        ("a\\*", &["a\\x"], &["a*"]),
        ("Acme", &["Acme"], &["acme"]),
        ("", &[""], &["a"]),
    ] {
        for value in covered {
            assert!(
                glob(pattern).matches(value),
                "{pattern} should cover {value:?}"
            );
        }
        for value in not_covered {
            assert!(
                !glob(pattern).matches(value),
                "{pattern} should not cover {value:?}"
            );
        }
    }
    assert_eq!(
        Glob::compile("[z-a]").unwrap_err().to_string(),
        "expected a range such as `a-z` in the class, not `z-a`"
    );
}

#[test]
fn every_reading_must_be_in_scope() {
    for value in [
        "acme/shop",
        "acme/gitops-..",
        "acme/a%20b",
        "acme/50%",
        "acme/ａ",
        "acme/.github",
        "acme/...",
        "acme/a;v=1",
        "acme/a#b",
    ] {
        assert!(scope(&["acme/*"], value), "{value:?}");
    }
    for value in [
        "evil/shop",
        "acme/a%2fb",
        "acme/a%252Fb",
        "acme/..",
        "acme/.",
        "acme/%2e%2e",
        "acme/%252e%252e",
        "acme/\u{ff0e}\u{ff0e}",
        "acme/\u{2024}\u{2024}",
        "acme/\u{2025}",
        "acme/％2e％2e",
        "acme/..;x=1",
        "acme/.%3bx",
        "acme\\..",
        "acme/a\\b",
        "acme/a%5Cb",
        "acme/a\u{ff3c}b",
        "acme/a\u{ff0f}b",
        "acme/a\nb",
        "acme/a%0ab",
        "acme/a\tb",
        "acme/a\u{200b}",
        "acme/a%E2%80%8Bb",
        "acme/a\u{202e}b",
        "acme/a\u{2028}b",
        "acme/a\u{0}",
        "acme/a%ffb",
        "acme/a%c0%ae%c0%ae",
        "acme/x%2f..%2fy",
    ] {
        assert!(!scope(&["acme/*"], value), "{value:?}");
    }
    assert!(!scope(&["**"], "acme/../evil"));
    assert!(
        scope(&["acme/x", "acme/%78"], "acme/%78"),
        "each reading may be covered by another glob"
    );
    assert!(!scope(&["acme/%78"], "acme/%78"));
    assert!(scope(&["C:\\share\\*"], "C:\\share\\a") && scope(&["C:/share/*"], "C:\\share\\a"));
    assert!(!scope(&["C:\\work\\*"], "C:\\work\\a\\b"));
    assert!(!scope(&[], "a"));
}

#[test]
fn a_value_settles_within_eight_rounds_or_is_out() {
    let wrapped = |times: usize| format!("acme/%{}41", "25".repeat(times));
    assert_eq!(readings(&wrapped(6)).map(|readings| readings.len()), Ok(8));
    assert_eq!(readings(&wrapped(7)), Err(Unreadable));
    assert_eq!(readings(&wrapped(60)), Err(Unreadable));
}

#[test]
fn literal_rules_read_the_value_as_written() {
    let globs = [glob("100% of *")];
    assert!(in_scope_literally(&globs, "100% of ..\\%2e"));
    assert!(!in_scope_literally(&globs, "100% of a\nb"));
    assert!(!in_scope_literally(&globs, "100% of a\u{200b}b"));
    assert!(!in_scope_literally(&globs, "100% of a/b"));
}

#[test]
fn many_stars_take_no_longer_than_glob_times_value() {
    let value = "a".repeat(20_000);
    assert!(!glob(&"**a*a".repeat(20)).matches(&format!("{value}b")));
    assert!(!scope(&["*a*a*a*a*a*a*a*a*a*a*a*a*b"], &value));
    assert!(scope(&["*a*a*a*a*a*a*a*a*a*a*a*a*"], &value));
}

proptest! {
    #[test]
    fn the_matcher_agrees_with_the_obvious_one(pattern in "[a/*?\\[\\]!b-]{0,9}", text in "[ab/\\]!-]{0,9}") {
        if let Ok(glob) = Glob::compile(&pattern) {
            let chars: Vec<char> = text.chars().collect();
            prop_assert_eq!(glob.matches(&text), slow(&glob.tokens, &chars), "{} {}", pattern, text);
        }
    }

    #[test]
    fn a_glob_without_wildcards_is_equality(text in "[a-z/.\\\\ ^{}]{0,12}", other in "[a-z/.\\\\ ^{}]{0,12}") {
        prop_assert!(glob(&text).matches(&text));
        prop_assert_eq!(glob(&text).matches(&other), text == other);
    }

    #[test]
    fn no_reading_leaves_its_segment(tail in "[a.;%2eEfF5cC/\\\\\u{ff0e}\u{ff0f}\u{2025}\u{2024}％]{0,14}") {
        let value = format!("acme/{tail}");
        if scope(&["acme/*"], &value) {
            for reading in readings(&value).unwrap() {
                prop_assert_eq!(reading.matches('/').count(), 1, "{}", reading);
                let last = reading.rsplit('/').next().unwrap();
                prop_assert!(!matches!(last.split(';').next().unwrap(), "." | ".."), "{}", reading);
            }
        }
    }

    #[test]
    fn never_panics(pattern in "\\PC{0,20}", value in "\\PC{0,20}|[%0-9a-fA-F]{0,30}") {
        if let Ok(glob) = Glob::compile(&pattern) {
            let _ = (glob.matches(&value), in_scope(std::slice::from_ref(&glob), &value));
        }
    }
}
