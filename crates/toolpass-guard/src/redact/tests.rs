//! Secrets found in every spelling, and replaced.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use proptest::prelude::*;

use super::spellings::NOTATIONS;
use super::*;

const TOKEN: &str = "ghp_AbC/123+xYz\"é'<& 789";

fn secrets<const N: usize>(texts: [&str; N]) -> Secrets {
    Secrets::new(&texts.map(Secret::new))
}

fn check(secret: &str, text: &str, expected: &str) {
    assert_eq!(secrets([secret]).redact(text), expected, "{text}");
    assert_eq!(
        secrets([secret]).mentioned_in(text),
        text != expected,
        "{text}"
    );
    assert_eq!(
        secrets([secret]).redact_bytes(text.as_bytes()).as_ref(),
        expected.as_bytes(),
        "{text}"
    );
}

#[test]
fn secrets_that_overlap_leave_nothing() {
    let both = secrets(["hunter22", "hunter22hunter22", "short"]);
    assert_eq!(
        both.redact("a hunter22hunter22 b hunter22 short"),
        "a [REDACTED] b [REDACTED] short"
    );
    assert!(!both.mentioned_in("short"));
    assert!(Secrets::new(&[]).is_empty() && secrets(["short"]).is_empty());
    assert_eq!(
        secrets(["aaaabbbb", "bbbbcccccccccccc"]).redact("x aaaabbbbcccccccccccc y"),
        "x [REDACTED] y"
    );
    assert_eq!(
        secrets(["aaaabbbbcccc", "bbbbcccc", "abcdefgh"]).redact("aaaabbbbccccabcdefgh"),
        "[REDACTED][REDACTED]"
    );
}

#[test]
fn nothing_is_shown() {
    assert_eq!(
        format!("{:?}", secrets(["hunter22", "hunter23"])),
        "Secrets(2)"
    );
}

#[test]
fn keys_of_secrets() {
    for key in [
        "password",
        "client_secret",
        "APIKEY",
        "api-key",
        "pw",
        "GITHUB_TOKEN",
        "PrivatePem",
        "key",
        "Authorization",
    ] {
        assert!(is_secret_key(key), "{key}");
    }
    for key in [
        "user", "username", "host", "email", "monkey", "keyboard", "region", "author", "path", "",
    ] {
        assert!(!is_secret_key(key), "{key}");
    }
}

#[test]
fn a_secret_is_found_as_others_write_it() {
    let short = "p&s/wörd1";
    for text in [
        "p&s/wörd1",
        "p&amp;s/wörd1",
        "p\\u0026s/w\\u00f6rd1",
        "p&s\\/w\\u00F6rd1",
        "p%26s%2fw%c3%b6rd1",
        "p%26s/w%C3%B6rd1",
        "p&s/w\\xf6rd1",
        "p\\&s/wörd1",
        "702673 702673f677264 70267",
    ] {
        let expected = if text.starts_with("7026") {
            text
        } else {
            "[REDACTED]"
        };
        check(short, text, expected);
    }
    let hex = short
        .bytes()
        .map(|b| format!("{b:02X}"))
        .collect::<String>();
    check(short, &format!("x {hex} y"), "x [REDACTED] y");
    assert_eq!(secrets([short]).redact("P&S/WÖRD1"), "P&S/WÖRD1");
}

#[test]
fn long_secrets_are_found_in_another_case_and_split() {
    let token = "ghp_AbCdEf123456";
    for text in [
        "GHP_ABCDEF123456",
        "ghp_AbCd Ef123456",
        "g-h-p-_-A-b-C-d-E-f-1-2-3-4-5-6",
        "ghp_\nAbCd\r\n    Ef12\t3456",
        "g', 'h', 'p', '_', 'A', 'b', 'C', 'd', 'E', 'f', '1', '2', '3', '4', '5', '6",
        "ghp_\" \"AbCdEf\\\"123456",
    ] {
        check(token, &format!("x{text}y"), "x[REDACTED]y");
    }
    check(token, "ghp_AbCdEf12345", "ghp_AbCdEf12345");
    let gap = " ".repeat(100);
    check(
        token,
        &format!("ghp_AbCd{gap}Ef123456"),
        &format!("ghp_AbCd{gap}Ef123456"),
    );
    check("ghp_AbCd1234567", "ghp_AbCd 1234567", "ghp_AbCd 1234567");
}

#[test]
fn a_secret_is_found_in_basic_authorization_and_data() {
    for user in ["", "a:", "bot:", "user:", "x-access-token:"] {
        for secret in ["hunter22", TOKEN] {
            for encoded in [
                BASE64_STANDARD.encode(format!("{user}{secret}")),
                BASE64_URL_SAFE.encode(format!("{user}{secret}\n{user}")),
            ] {
                let found = secrets([secret]);
                let redacted = found.redact(&encoded).into_owned();
                assert!(redacted.contains(REDACTED), "{encoded}");
                let left = redacted.split(REDACTED).map(str::len).max().unwrap();
                assert!(left <= (user.len() * 2 + 6), "{redacted}");
            }
        }
    }
}

#[test]
fn lines_of_a_key_are_found_alone_and_its_frame_is_not() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort==\n-----END PRIVATE KEY-----\n";
    let found = secrets([key]);
    assert_eq!(
        found.redact("-----BEGIN PRIVATE KEY----- AQEFAASCBKcwggSjAgEAAoIB short=="),
        "-----BEGIN PRIVATE KEY----- [REDACTED] short=="
    );
    let json = key.replace('\n', "\\n");
    assert_eq!(
        found.redact(&format!("{{\"key\": \"{json}\"}}")),
        "{\"key\": \"[REDACTED]\"}"
    );
    assert_eq!(found.redact(key.trim()), REDACTED);
    assert_eq!(
        found.redact(&format!("x{}y", key.replace('\n', ""))),
        "x-----[REDACTED]-----y"
    );
}

#[test]
fn ordinary_text_is_borrowed() {
    let found = secrets([
        TOKEN,
        "0000000000000000",
        "----------------",
        "correct horse battery staple",
    ]);
    for text in [
        "",
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        "- - - - - - - - - - - - - - - - -",
        "a correct horse",
        "ghp_ and ABC123xyz",
        "<>&\"'",
    ] {
        assert!(matches!(found.redact(text), Cow::Borrowed(_)), "{text}");
        assert!(!found.mentioned_in(text));
    }
    assert_eq!(
        found.redact("x 0000000000000000 ----------------"),
        "x [REDACTED] [REDACTED]"
    );
}

#[test]
fn bytes_that_are_no_text_are_found() {
    let found = Secrets::new(&[Secret::new(b"\xff\xfe12345678\x80".to_vec())]);
    assert_eq!(
        found.redact_bytes(b"x\xff\xfe12345678\x80y").as_ref(),
        b"x[REDACTED]y"
    );
    assert_eq!(found.redact("x fffe313233343536373880 y"), "x [REDACTED] y");
    assert_eq!(found.redact("b'\\xff\\xfe12345678\\x80'"), "b'[REDACTED]'");
    assert_eq!(
        found.redact("\u{fffd}\u{fffd}12345678\u{fffd}"),
        "[REDACTED]"
    );
}

#[test]
fn a_secret_too_large_to_look_for_is_everywhere() {
    let large = secrets([&"0123456789abcdef".repeat(20_000)]);
    assert_eq!(large.redact("anything"), REDACTED);
    assert!(large.mentioned_in("anything"));
    assert_eq!(large.redact(""), "");
    let big = "0123456789abcdef".repeat(600);
    let text = format!("anything {big}");
    assert_eq!(secrets([&big]).redact(&text), "anything [REDACTED]");
}

/// Work that grew with the square of the text would not end here.
#[test]
fn hostile_texts_are_read_in_linear_time() {
    let periodic = "abcd".repeat(500);
    let found = secrets([&periodic, "abcdabcdabcdabcd", TOKEN]);
    for text in [
        "abcd".repeat(100_000),
        "a b-c\nd".repeat(50_000),
        "ghp_AbC/123+".repeat(30_000),
        " ".repeat(400_000),
    ] {
        let redacted = found.redact(&text);
        assert!(redacted.len() <= text.len());
    }
}

/// A secret's characters: what notations escape, and what they do not.
fn a_secret() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_+/=&<>\"'$%\\\\ é€-]{8,40}"
}

/// Surroundings that share no character with any notation of a secret.
fn other() -> impl Strategy<Value = String> {
    "[αβγδ。]{0,12}"
}

/// Whether eight bytes in a row of one text are left in another.
fn has_run(of: &str, left: &str) -> bool {
    of.as_bytes()
        .windows(MIN_BYTES)
        .any(|run| left.as_bytes().windows(MIN_BYTES).any(|own| own == run))
}

proptest! {
    // Each case makes an automaton, which takes long without optimization.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_of_a_secret_is_left_in_any_notation(secret in a_secret(), before in other(), after in other()) {
        let found = secrets([&secret]);
        for notation in NOTATIONS {
            let mut forms = Vec::new();
            (notation.forms)(secret.as_bytes(), &mut forms);
            for form in forms {
                let form = String::from_utf8(form).unwrap();
                let text = format!("{before}{form}{after}");
                let left = found.redact(&text);
                prop_assert!(!has_run(&form, &left), "{form} left {left}");
                prop_assert!(left.starts_with(&before) && left.ends_with(&after));
            }
        }
    }

    #[test]
    fn nothing_of_a_secret_is_left_in_base64(secret in a_secret(), user in "[a-z]{0,9}", after in "[a-z]{0,9}") {
        let text = format!("{user}:{secret}{after}");
        let left = secrets([&secret]).redact(&BASE64_STANDARD.encode(&text)).into_owned();
        let parts: Vec<&str> = left.split(REDACTED).collect();
        prop_assert!(parts.len() > 1, "{left}");
        // A group at either end may hold bits of one more byte of the secret.
        prop_assert!(parts[0].len() <= (user.len() + 1).div_ceil(3) * 4, "{left}");
        prop_assert!(parts[parts.len() - 1].len() <= (after.len() + 2).div_ceil(3) * 4 + 4, "{left}");
    }

    #[test]
    fn nothing_of_a_split_secret_is_left(secret in "[a-z0-9]{16,40}", gaps in prop::collection::vec(prop::sample::select(vec!["", " ", "-", "\n", "\", \"", "\r\n  "]), 40)) {
        prop_assume!(secret.bytes().collect::<std::collections::BTreeSet<_>>().len() >= 4);
        let split: String = secret.chars().zip(&gaps).map(|(c, gap)| format!("{c}{gap}")).collect();
        let left = secrets([&secret]).redact(&split).into_owned();
        let squeezed: String = left.chars().filter(char::is_ascii_alphanumeric).collect();
        prop_assert!(!has_run(&secret, &squeezed), "{split} left {left}");
    }

    #[test]
    fn text_without_a_secret_is_borrowed(secret in "[A-Z0-9]{8,40}", text in "[α-ω \\n\"'%&;/\\\\-]{0,200}") {
        prop_assert!(matches!(secrets([&secret]).redact(&text), Cow::Borrowed(_)));
    }

    #[test]
    fn of_any_two_secrets_nothing_is_left(one in "[ab]{8,20}", two in "[ab]{8,20}", text in "[ab]{0,60}") {
        let left = secrets([&one, &two]).redact(&format!("{text}{one}{two}{text}")).into_owned();
        prop_assert!(!left.contains(&one) && !left.contains(&two), "{left}");
    }
}
