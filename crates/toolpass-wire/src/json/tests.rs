//! What the strict reader takes, what it refuses, and that it agrees with `serde_json` wherever both take a text.

use proptest::prelude::*;

use super::*;

fn problem(text: &str) -> Option<JsonProblem> {
    Json::parse(text.as_bytes()).err()
}

fn string(text: &str) -> Json {
    Json::String(text.to_owned())
}

#[test]
fn values() {
    for (text, expected) in [
        ("null", Json::Null),
        (" true ", Json::Bool(true)),
        ("-0.50E+07", Json::Number("-0.50E+07".into())),
        (
            "123456789012345678901234567890",
            Json::Number("123456789012345678901234567890".into()),
        ),
        ("\"\"", string("")),
        (
            r#""a\"\\\/\b\f\n\r\tA\u00e9\ud83d\ude00""#,
            string("a\"\\/\u{8}\u{c}\n\r\tAé😀"),
        ),
        (
            r#""\ud83d x \udE00 \ud83d\ud83d\ude00""#,
            string("\u{fffd} x \u{fffd} \u{fffd}😀"),
        ),
        ("[]", Json::Array(vec![])),
        (
            "\u{feff}[1, null]",
            Json::Array(vec![Json::Number("1".into()), Json::Null]),
        ),
        ("{ }", Json::Object(vec![])),
        (
            r#"{"a":{"b":"c"},"d":[{}]}"#,
            Json::Object(vec![
                ("a".into(), Json::Object(vec![("b".into(), string("c"))])),
                ("d".into(), Json::Array(vec![Json::Object(vec![])])),
            ]),
        ),
    ] {
        assert_eq!(Json::parse(text.as_bytes()), Ok(expected), "{text}");
    }
}

#[test]
fn a_key_twice_is_refused_however_spelled_and_however_deep() {
    for text in [
        r#"{"channel":"B","channel":"A"}"#,
        r#"{"channel":"B","channel":"B"}"#,
        r#"{"channel":"B","ch\u0061nnel":"A"}"#,
        r#"{"\ud800":1,"\udfff":2}"#,
        r#"[[{"a":[{"b":1,"c":{},"b":2}]}]]"#,
        r#"{"":1,"":2}"#,
    ] {
        assert_eq!(problem(text), Some(JsonProblem::KeyTwice), "{text}");
    }
    let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\":0")).collect();
    assert_eq!(problem(&format!("{{{}}}", many.join(","))), None);
    assert_eq!(
        problem(&format!("{{{},\"k7\":1}}", many.join(","))),
        Some(JsonProblem::KeyTwice)
    );
}

#[test]
fn what_is_not_json_is_refused() {
    for text in [
        "",
        " ",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "0x1",
        "1 2",
        "[1,]",
        "[,1]",
        "[1",
        "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}",
        "{'a':1}",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u+123\"",
        "\"\\u12é4\"",
        "\"a\nb\"",
        "\"a\u{1}\"",
        "nul",
        "True",
        "// c\n1",
        "\u{feff}\u{feff}1",
        "\u{a0}1",
        "[1\u{c}]",
        "{\"a\":1 \"b\":2}",
    ] {
        let found = problem(text);
        let refused = [Some(JsonProblem::Malformed), Some(JsonProblem::Trailing)];
        assert!(refused.contains(&found), "{text:?}: {found:?}");
    }
    assert_eq!(Json::parse(b"\"\xff\""), Err(JsonProblem::Malformed));
    for text in ["{}x", "1 2", "null,", "[]]", "\"a\"\"b\""] {
        assert_eq!(problem(text), Some(JsonProblem::Trailing), "{text:?}");
    }
}

#[test]
fn a_problem_is_said_to_be_where_it_is() {
    let located =
        |text: &str| Json::parse_located(text.as_bytes(), &Limits::default()).unwrap_err();
    let twice = located("{\"a\":{\"b\":1,\"\\u0062\":2}}");
    assert_eq!(
        (twice.problem, twice.key.as_deref()),
        (JsonProblem::KeyTwice, Some("b"))
    );
    assert_eq!(located("{\"a\":tru}").at, 5);
    assert_eq!(located("{} x").at, 3);
}

#[test]
fn wide_encodings_are_told_from_malformed_text() {
    let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf32: Vec<u8> = "{}"
        .chars()
        .flat_map(|c| u32::from(c).to_be_bytes())
        .collect();
    for text in [&utf16[..], &utf32[..], b"\xff\xfe{\0}\0", b"\xfe\xff\0{\0}"] {
        assert_eq!(Json::parse(text), Err(JsonProblem::Encoding), "{text:?}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(problem(&nested(64)), None);
    assert_eq!(problem(&nested(65)), Some(JsonProblem::TooDeep));
    assert_eq!(problem(&"[".repeat(1_000_000)), Some(JsonProblem::TooDeep));
    assert_eq!(problem(&format!("[{}[]]", "[[]],".repeat(100))), None);
    let limits = Limits {
        json_values: 3,
        ..Limits::default()
    };
    assert!(Json::parse_within(b"[1,2]", &limits).is_ok());
    assert_eq!(
        Json::parse_within(b"[1,2,3]", &limits),
        Err(JsonProblem::TooLarge)
    );
}

#[test]
fn a_member_in_another_spelling_is_ambiguous() {
    let json =
        Json::parse(r#"{"channel":"A","Ts":1,"sHa":1,"sha":2,"ma\u017fk":3}"#.as_bytes()).unwrap();
    assert_eq!(json.member("channel"), Field::Present(&string("A")));
    assert_eq!(json.member("none"), Field::Absent);
    for name in ["ts", "sha", "mask"] {
        assert!(matches!(json.member(name), Field::Ambiguous(_)), "{name}");
    }
    assert!(matches!(
        Json::Array(vec![]).member("a"),
        Field::Ambiguous(_)
    ));
    assert_eq!(json.get("ts"), None);
}

#[test]
fn texts_are_keys_and_scalars_in_order() {
    let json = Json::parse(r#"{"a":["b\nc",1,true,null],"d":{"e":"f"}}"#.as_bytes()).unwrap();
    let mut texts = Vec::new();
    json.texts(&mut |text| texts.push(text));
    assert_eq!(texts, ["a", "b\nc", "1", "true", "d", "e", "f"]);
}

fn same(ours: &Json, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Json::Null, serde_json::Value::Null) => true,
        (Json::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Json::Number(a), serde_json::Value::Number(b)) => {
            a.replace("e", "E").replace('+', "") == b.to_string().replace("e", "E").replace('+', "")
        }
        (Json::String(a), serde_json::Value::String(b)) => a == b,
        (Json::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), serde_json::Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => false,
    }
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?",
        "\"([a-c]|\\\\[nt\"/]|\\\\u00[0-9a-f]{2}|\\\\ud83d\\\\ude00|é)*\"",
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(" ,"))),
            proptest::collection::vec(("\"[a-d]{1,2}\"", inner), 0..4).prop_map(|members| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{key} :{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(text in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = Json::parse(&text);
    }

    /// What we take, `serde_json` takes and reads the same; what we refuse of well-formed text has a key twice.
    #[test]
    fn we_agree_with_serde_json(text in any_json()) {
        let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
        match Json::parse(text.as_bytes()) {
            Ok(ours) => prop_assert!(same(&ours, &theirs), "{text}"),
            Err(problem) => prop_assert_eq!(problem, JsonProblem::KeyTwice, "{}", text),
        }
    }

    /// A mutated text that we take is never one `serde_json` refuses, nor one it reads differently.
    #[test]
    fn we_take_nothing_that_serde_json_refuses(text in any_json(), at in any::<proptest::sample::Index>(), put in "[\\[\\]{},:\"0-9eE.+\\-tn\\\\u ]{0,2}") {
        let at = (0..=at.index(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let mutated = format!("{}{put}{}", &text[..at], text[at..].chars().skip(1).collect::<String>());
        if let Ok(ours) = Json::parse(mutated.as_bytes()) {
            match serde_json::from_str::<serde_json::Value>(&mutated) {
                Ok(theirs) => prop_assert!(same(&ours, &theirs), "{mutated}"),
                Err(_) => prop_assert!(mutated.contains("\\ud83d") || mutated.contains("\\ude00"), "{mutated}"),
            }
        }
    }
}
