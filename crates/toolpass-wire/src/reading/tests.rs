//! What an extractor is told of requests that say a thing once, twice, differently, or where it cannot be read.

use super::*;
use crate::body::limits::Limits;
use crate::raw::{RawBody, RawRequest};

fn request(target: &str, content_type: Option<&str>, body: RawBody<'_>) -> WireRequest {
    let headers = content_type
        .map(|text| ("Content-Type", text.as_bytes()))
        .into_iter()
        .collect();
    WireRequest::read(
        RawRequest {
            scheme: "https",
            host: "api.example",
            port: None,
            method: "POST",
            target,
            headers,
            body,
        },
        &Limits::default(),
    )
}

#[derive(Debug, PartialEq)]
enum Answer {
    Absent,
    Ambiguous,
    Is(&'static str),
    Unread,
}

fn check<T: AsRef<str>>(answer: Field<T>, expected: &Answer, case: &str) {
    let fits = match (&answer, expected) {
        (Field::Absent, Answer::Absent)
        | (Field::Ambiguous(_), Answer::Ambiguous)
        | (Field::Unread(_), Answer::Unread) => true,
        (Field::Present(text), Answer::Is(wanted)) => text.as_ref() == *wanted,
        _ => false,
    };
    assert!(
        fits,
        "{case}: expected {expected:?}, got {:?}",
        answer.map(|text| text.as_ref().to_owned())
    );
}

const JSON: Option<&str> = Some("application/json");
const FORM: Option<&str> = Some("application/x-www-form-urlencoded");
const PARTS: Option<&str> = Some("multipart/form-data; boundary=b");

#[test]
fn field_is_one_text_wherever_it_stands() {
    use Answer::{Absent, Ambiguous, Is, Unread};
    let part = "--b\r\nContent-Disposition: form-data; name=\"channel\"\r\n\r\nA\r\n--b--";
    for (target, content_type, body, expected) in [
        ("/x", None, "", Absent),
        ("/x?channel=A", None, "", Is("A")),
        ("/x?channel=A&channel=B", None, "", Ambiguous),
        ("/x?channel[]=A", None, "", Ambiguous),
        ("/x?channel=A;b", None, "", Ambiguous),
        ("/x", JSON, r#"{"channel":"A"}"#, Is("A")),
        ("/x", JSON, r#"{"channel":7.0}"#, Is("7.0")),
        ("/x", JSON, r#"{"channel":true}"#, Is("true")),
        ("/x", JSON, r#"{"channel":null}"#, Absent),
        ("/x", JSON, r#"{"other":"A"}"#, Absent),
        ("/x", JSON, r#"{"channel":["A"]}"#, Ambiguous),
        ("/x", JSON, r#"{"Channel":"A"}"#, Ambiguous),
        ("/x", JSON, r#"{"channel":"B","channel":"A"}"#, Ambiguous),
        ("/x", JSON, r#"["A"]"#, Ambiguous),
        ("/x", JSON, "{", Ambiguous),
        ("/x?channel=A", JSON, r#"{"channel":"A"}"#, Is("A")),
        ("/x?channel=B", JSON, r#"{"channel":"A"}"#, Ambiguous),
        ("/x?channel=B", JSON, r#"{"channel":null}"#, Ambiguous),
        ("/x?channel=B", JSON, "{}", Is("B")),
        ("/x", FORM, "channel=A", Is("A")),
        ("/x?channel=B", FORM, "channel=A", Ambiguous),
        ("/x?channel=B&channel=A", FORM, "channel=A", Ambiguous),
        ("/x", FORM, "channel=A&channel=A", Ambiguous),
        ("/x", FORM, r#"{"channel":"A"}"#, Ambiguous),
        ("/x", PARTS, part, Is("A")),
        ("/x", PARTS, &part[3..], Ambiguous),
        ("/x?channel=A", Some("text/plain"), "channel=A", Unread),
        (
            "/x?channel=A",
            Some("application/octet-stream"),
            "x",
            Unread,
        ),
        ("/x", Some("application/json, text/plain"), "{}", Ambiguous),
        ("/x?channel=A", None, "{}", Unread),
    ] {
        let request = request(target, content_type, RawBody::Bytes(body.as_bytes()));
        check(
            Reading::new(&request, &[], Quirks::default()).field("channel"),
            &expected,
            &format!("{target} {content_type:?} {body}"),
        );
    }
}

#[test]
fn an_unread_body_is_never_absent() {
    for content_type in [JSON, FORM, PARTS, None, Some("text/plain")] {
        let request = request("/x?name=A", content_type, RawBody::Unread);
        let reading = Reading::new(
            &request,
            &[],
            Quirks {
                untyped_body_is_json: true,
                ..Quirks::default()
            },
        );
        check(reading.field("name"), &Answer::Unread, "field");
        check(reading.form("name"), &Answer::Unread, "form");
        check(reading.query("name"), &Answer::Is("A"), "query");
        assert!(matches!(reading.member("name"), Field::Unread(_)));
        assert!(matches!(reading.json(), Field::Unread(_)));
        assert!(matches!(reading.graphql(), Field::Unread(_)));
        assert!(!reading.body_absent());
    }
}

#[test]
fn a_body_of_another_kind_is_unread() {
    let json = request("/x", JSON, RawBody::Bytes(b"{}"));
    check(
        Reading::new(&json, &[], Quirks::default()).form("a"),
        &Answer::Unread,
        "form of JSON",
    );
    let form = request("/x", FORM, RawBody::Bytes(b"a=1"));
    assert!(matches!(
        Reading::new(&form, &[], Quirks::default()).member("a"),
        Field::Unread(_)
    ));
    let latin = request(
        "/x",
        Some("application/json; charset=latin1"),
        RawBody::Bytes(b"{}"),
    );
    assert!(matches!(
        Reading::new(&latin, &[], Quirks::default()).json(),
        Field::Unread(_)
    ));
    let utf16 = request("/x", JSON, RawBody::Bytes(b"{\0}\0"));
    assert!(matches!(
        Reading::new(&utf16, &[], Quirks::default()).json(),
        Field::Unread(_)
    ));
    let untyped = request("/x", None, RawBody::Bytes(b"{\"a\":\"A\"}"));
    assert!(matches!(
        Reading::new(&untyped, &[], Quirks::default()).json(),
        Field::Unread(_)
    ));
    let quirks = Quirks {
        untyped_body_is_json: true,
        ..Quirks::default()
    };
    check(
        Reading::new(&untyped, &[], quirks).field("a"),
        &Answer::Is("A"),
        "untyped JSON",
    );
}

#[test]
fn path_method_and_headers() {
    let request = request("/x", JSON, RawBody::None);
    let path = [(Text::from("owner"), "acme".to_owned())];
    let reading = Reading::new(&request, &path, Quirks::default());
    assert_eq!(
        (
            reading.method(),
            reading.path("owner"),
            reading.path("repo")
        ),
        ("POST", "acme", "")
    );
    check(
        reading.header("content-type"),
        &Answer::Is("application/json"),
        "header",
    );
    check(reading.header("accept"), &Answer::Absent, "header");
    assert!(reading.body_absent());
}

#[test]
fn graphql_is_one_operation_in_one_spelling() {
    let read = |target: &str, body: &str| {
        let request = request(target, JSON, RawBody::Bytes(body.as_bytes()));
        Reading::new(&request, &[], Quirks::default())
            .graphql()
            .map(|operation| operation.fields.len())
            .known()
            .map_err(drop)
    };
    assert_eq!(
        read("/graphql", r#"{"query":"{ viewer { login } }"}"#),
        Ok(Some(1))
    );
    for (target, body) in [
        ("/graphql", r#"{"query":"{ a }","Query":"mutation { b }"}"#),
        ("/graphql", r#"{"query":"{ a }","query":"mutation { b }"}"#),
        ("/graphql", r#"[{"query":"{ a }"}]"#),
        ("/graphql?query=mutation{b}", r#"{"query":"{ a }"}"#),
        ("/graphql?QUERY=x", r#"{"query":"{ a }"}"#),
        ("/graphql", "{}"),
        ("/graphql", ""),
    ] {
        assert_eq!(read(target, body), Err(()), "{target} {body}");
    }
}
