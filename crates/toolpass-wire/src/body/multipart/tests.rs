//! Multipart bodies that clients send, and those that two servers would read differently.

use proptest::prelude::*;

use super::*;
use crate::field::Field;

fn read(body: &[u8], content_type: &str) -> Result<Parts, String> {
    Parts::read(
        body,
        &ContentType::read(Field::Present(content_type)),
        &Limits::default(),
    )
    .map_err(|problem| problem.to_string())
}

fn form(body: &str) -> Result<Parts, String> {
    read(body.as_bytes(), "multipart/form-data; boundary=b")
}

fn field(parts: &Parts, name: &str) -> Result<Option<String>, ()> {
    parts
        .fields
        .value(name)
        .map(str::to_owned)
        .known()
        .map_err(drop)
}

const CHANNEL: &str = "--b\r\nContent-Disposition: form-data; name=\"channel\"\r\n\r\nC1\r\n";

#[test]
fn fields_and_files_of_the_usual_clients() {
    let body = format!(
        "{CHANNEL}--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\r\n--\r\n\r\n\
         --b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=text\r\n\r\n\r\n--b--\r\n"
    );
    let parts = form(&body).unwrap();
    assert_eq!(parts.list.len(), 3);
    assert_eq!(field(&parts, "channel"), Ok(Some("C1".into())));
    assert_eq!(field(&parts, "text"), Ok(Some(String::new())));
    assert_eq!(field(&parts, "file"), Err(()));
    assert_eq!(field(&parts, "none"), Ok(None));
    let multipart = Multipart {
        body: body.as_bytes(),
        parts: &parts,
    };
    assert_eq!(multipart.content(&multipart.parts()[1]), b"\0\r\n--\r\n");
}

#[test]
fn line_ends_may_be_lf_throughout() {
    let parts = form(&format!("{CHANNEL}--b--").replace("\r\n", "\n")).unwrap();
    assert_eq!(field(&parts, "channel"), Ok(Some("C1".into())));
}

#[test]
fn related_parts_need_no_names() {
    let body = "--b\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{}\r\n--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--";
    let parts = read(body.as_bytes(), "multipart/related; boundary=\"b\"").unwrap();
    assert_eq!(parts.list.len(), 2);
    assert_eq!(parts.list[0].content_type.kind, BodyKind::Json);
    assert!(parts.fields.is_empty());
}

#[test]
fn what_two_servers_read_differently_is_refused() {
    let part = |headers: &str| format!("--b\r\n{headers}\r\n\r\nC1\r\n--b--");
    let name = "Content-Disposition: form-data; name=\"channel\"";
    for body in [
        String::new(),
        "--b".into(),
        "--b\r\n".into(),
        format!("preamble\r\n{CHANNEL}--b--"),
        format!("\r\n{CHANNEL}--b--"),
        format!("{CHANNEL}--b--\r\nepilogue"),
        format!("{CHANNEL}--b-- "),
        CHANNEL.into(),
        format!("{CHANNEL}--b"),
        format!("{CHANNEL}--b \r\n"),
        format!("{CHANNEL}--bx\r\n\r\n--b--"),
        format!("--b\r\n{name}\r\n\r\nC1--b--"),
        format!("--b\r\n{name}\r\n\r\nC1--b\r\n{name}\r\n\r\nC2\r\n--b--"),
        format!("--b\r\n{name}\r\n\r\nC1\n--b--"),
        format!("--b\r\n{name}\r\n\r\nC1\r--b--"),
        format!("--b\n{name}\n\nC1\r\n--b--"),
        format!("--b\r\n{name}\n\r\nC1\r\n--b--"),
        format!("--b\r\n{name}\r\n\r\n--b--"),
        part(""),
        part(&format!("{name}\r\n{name}")),
        part(&format!(
            "{name}\r\ncontent-type: text/plain\r\nContent-Type: text/html"
        )),
        part(&format!("{name}\r\nContent-Transfer-Encoding: base64")),
        part(&format!("{name}\r\nContent-Type: a")),
        part(&format!("{name}\r\n folded")),
        part(&format!("{name}\r\nno colon")),
        part("Content-Type: text/plain"),
        part("Content-Disposition: form-data"),
        part("Content-Disposition: attachment; name=\"channel\""),
        part("Content-Disposition: form-data; name=\"a\"; name=\"b\""),
        part("Content-Disposition: form-data; name=\"a\"; name*=utf-8''b"),
        part("Content-Disposition: form-data; filename=\"x\\\"; name=\"channel\""),
        part("Content-Disposition: form-data; name=\"cha\\nnel\""),
        part("Content-Disposition: form-data; name=\"cha%22nnel\""),
        part("Content-Disposition: form-data; name=\"cha\0nnel\""),
    ] {
        assert!(form(&body).is_err(), "{body:?}");
    }
    for content_type in [
        "multipart/form-data",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"b \"",
        "multipart/form-data; boundary=\"b{\"",
    ] {
        assert!(
            read(format!("{CHANNEL}--b--").as_bytes(), content_type).is_err(),
            "{content_type}"
        );
    }
    let long = "x".repeat(71);
    assert!(
        read(
            format!("--{long}--").as_bytes(),
            &format!("multipart/form-data; boundary={long}")
        )
        .is_err()
    );
    assert!(form("--b--\r\n").unwrap().list.is_empty());
    assert!(form(&format!("{}--b--", CHANNEL.repeat(10_001))).is_err());
}

#[test]
fn a_field_twice_or_not_text_is_ambiguous() {
    let parts = form(&format!("{CHANNEL}{CHANNEL}--b--")).unwrap();
    assert_eq!(field(&parts, "channel"), Err(()));
    let parts = form(&format!(
        "{CHANNEL}{}--b--",
        CHANNEL.replace("channel\"", "channel\"; filename=x")
    ))
    .unwrap();
    assert_eq!(field(&parts, "channel"), Err(()));
    let latin = [
        CHANNEL.replace("C1", "").trim_end().as_bytes(),
        b"\r\n\r\n\xe9\r\n--b--",
    ]
    .concat();
    assert_eq!(
        field(
            &read(&latin, "multipart/form-data; boundary=b").unwrap(),
            "channel"
        ),
        Err(())
    );
    let typed = CHANNEL.replace(
        "\r\n\r\n",
        "\r\nContent-Type: text/plain; charset=utf-16\r\n\r\n",
    );
    assert_eq!(
        field(&form(&format!("{typed}--b--")).unwrap(), "channel"),
        Err(())
    );
}

proptest! {
    #[test]
    fn no_body_panics(body in "(--b|--|\r\n|\n|\r|Content-Disposition: form-data; name=\"a\"|:|x|\"){0,16}") {
        let _ = form(&body);
        let _ = read(body.as_bytes(), "multipart/mixed; boundary=b");
    }

    /// What a client writes is what is read, whatever the values hold.
    #[test]
    fn parts_read_back(values in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..24), 0..4)) {
        let mut body = Vec::new();
        for (at, value) in values.iter().enumerate() {
            body.extend(format!("--bOuNdArY\r\nContent-Disposition: form-data; name=\"f{at}\"\r\n\r\n").into_bytes());
            body.extend(value);
            body.extend(b"\r\n");
        }
        body.extend(b"--bOuNdArY--\r\n");
        let parts = read(&body, "multipart/form-data; boundary=bOuNdArY").unwrap();
        let multipart = Multipart { body: &body, parts: &parts };
        let contents: Vec<&[u8]> = multipart.parts().iter().map(|part| multipart.content(part)).collect();
        prop_assert_eq!(contents, values);
    }
}
