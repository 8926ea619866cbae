//! Canonical requests: what is refused where, and what is read.

use proptest::prelude::*;

use super::*;

const BASE: RawRequest<'static> = RawRequest {
    scheme: "https",
    host: "api.github.com",
    port: None,
    method: "GET",
    target: "/repos/acme/shop",
    headers: Vec::new(),
    body: RawBody::None,
};

const JSON: (&str, &[u8]) = ("Content-Type", b"application/json");
const FORM: (&str, &[u8]) = ("Content-Type", b"application/x-www-form-urlencoded");

fn read(raw: RawRequest<'_>) -> WireRequest {
    WireRequest::read(raw, &Limits::default())
}

fn target(target: &str) -> WireRequest {
    read(RawRequest { target, ..BASE })
}

fn with_headers<'a>(headers: &[(&'a str, &'a [u8])]) -> WireRequest {
    read(RawRequest {
        headers: headers.to_vec(),
        ..BASE
    })
}

fn posted<'a>(content_type: (&'a str, &'a [u8]), body: &'a [u8]) -> WireRequest {
    read(RawRequest {
        method: "POST",
        headers: vec![content_type],
        body: RawBody::Bytes(body),
        ..BASE
    })
}

fn on_connection(request: &WireRequest) -> Option<Unresolved> {
    request.problem_on_connection(&Quirks::default())
}

#[test]
fn an_ordinary_request() {
    let request = read(RawRequest {
        host: "API.GitHub.com.",
        method: "post",
        target: "/repos/a%20b?secret=x#",
        headers: vec![("Host", b"api.github.com:443")],
        ..BASE
    });
    assert_eq!(
        (request.host(), request.port(), request.method()),
        ("api.github.com", 443, "POST")
    );
    assert_eq!(
        (request.raw_path(), request.query_len(), request.effect()),
        ("/repos/a%20b", 9, Effect::Write)
    );
    assert_eq!(
        request.describe(),
        "POST https://api.github.com/repos/a%20b"
    );
    assert_eq!(
        format!("{request:?}"),
        "WireRequest(POST https://api.github.com/repos/a%20b)"
    );
    assert_eq!(
        (
            request.host_problem(),
            request.host_key().as_str(),
            request.has_body()
        ),
        (None, "api.github.com", false)
    );
}

#[test]
fn names_and_ports() {
    for (scheme, host, port, key, described) in [
        (
            "https",
            "a.example",
            None,
            "a.example",
            "GET https://a.example/",
        ),
        (
            "https",
            "a.example",
            Some(443),
            "a.example",
            "GET https://a.example/",
        ),
        (
            "https",
            "a.example",
            Some(8443),
            "a.example:8443",
            "GET https://a.example:8443/",
        ),
        (
            "http",
            "a.example",
            Some(443),
            "a.example:443",
            "GET http://a.example/",
        ),
        (
            "http",
            "[::1]",
            Some(8080),
            "[::1]:8080",
            "GET http://[::1]:8080/",
        ),
        ("http", "::1", None, "::1", "GET http://[::1]/"),
        (
            "WSS",
            "a.example",
            None,
            "a.example",
            "GET https://a.example/",
        ),
        (
            "tcp",
            "a.example",
            Some(5432),
            "a.example:5432",
            "GET tcp://a.example:5432/",
        ),
        (
            "http",
            "0x7f.1",
            Some(80),
            "127.0.0.1",
            "GET http://127.0.0.1/",
        ),
    ] {
        let request = read(RawRequest {
            scheme,
            host,
            port,
            target: "",
            ..BASE
        });
        assert_eq!(
            (request.host_key().as_str(), request.describe().as_str()),
            (key, described)
        );
    }
    let long = target(&"/a".repeat(200));
    assert_eq!(long.describe().chars().count(), MAX_DESCRIPTION);
    assert_eq!(
        read(RawRequest {
            host: "u:secret@h",
            ..BASE
        })
        .describe(),
        "GET https://(unreadable host)/repos/acme/shop"
    );
    assert_eq!(
        target("/a\u{202e}\n").describe(),
        "GET https://api.github.com/a"
    );
}

/// Rows 11 and 26 of the escapes, and `Host`, `:authority`.
#[test]
fn every_name_of_the_host_must_agree() {
    let host = |header: &'static str, value: &'static str, port: Option<u16>| {
        read(RawRequest {
            port,
            headers: vec![(header, value.as_bytes())],
            ..BASE
        })
        .host_problem()
        .is_none()
    };
    for (value, port) in [
        ("api.github.com", None),
        ("API.github.com.", None),
        ("api.github.com:443", None),
        ("api.github.com:443", Some(443)),
        ("api.github.com:8443", Some(8443)),
        ("api.github.com", Some(8443)),
    ] {
        assert!(
            host("Host", value, port) && host(":authority", value, port),
            "{value} {port:?}"
        );
    }
    for (value, port) in [
        ("evil.example", None),
        ("", None),
        ("api.github.com:444", None),
        ("api.github.com:443", Some(8443)),
        ("api.github.com, evil.example", None),
        ("user@api.github.com", None),
        ("api.github.com/x", None),
        ("bucket.api.github.com", None),
        ("api.github.com:x", None),
    ] {
        assert!(
            !host("Host", value, port) && !host(":authority", value, port),
            "{value} {port:?}"
        );
    }
    assert!(
        with_headers(&[("Host", b"api.github.com"), ("host", b"api.github.com")])
            .host_problem()
            .is_some()
    );
    assert!(
        read(RawRequest {
            host: "api.ｇithub.com",
            ..BASE
        })
        .host_problem()
        .is_none()
    );
    assert_eq!(
        read(RawRequest {
            host: "api.ｇithub.com",
            ..BASE
        })
        .host(),
        "api.github.com"
    );
    for host in [
        "",
        "a b",
        "user@api.github.com",
        "api.github.com\0",
        "straße.example",
        "1.2.3.999",
    ] {
        assert!(
            read(RawRequest { host, ..BASE }).host_problem().is_some(),
            "{host:?}"
        );
    }
}

#[test]
fn headers_that_reroute_are_refused_on_a_connection_only() {
    for name in [
        "X-Forwarded-Host",
        "Forwarded",
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-Forwarded-Prefix",
        "x_forwarded_host",
    ] {
        let request = with_headers(&[(name, b"")]);
        assert!(
            on_connection(&request).is_some() && request.problem().is_none(),
            "{name}"
        );
        assert_eq!(request.host_problem(), None);
    }
    assert_eq!(
        on_connection(&with_headers(&[
            ("X-Forwarded-For", b"1.2.3.4"),
            ("Accept", b"*/*")
        ])),
        None
    );
}

/// Row 8 of the escapes, and every other place of a method.
#[test]
fn a_method_is_never_overridden() {
    for name in [
        "X-HTTP-Method-Override",
        "x-http-method",
        "X-METHOD-OVERRIDE",
        "X_HTTP_Method_Override",
    ] {
        for value in [&b"DELETE"[..], b""] {
            assert!(with_headers(&[(name, value)]).problem().is_some(), "{name}");
        }
    }
    for query in [
        "_method=DELETE",
        "_METHOD=x",
        "_method",
        "a=1&%5Fmethod=DELETE",
        "_method[]=DELETE",
        "a=1;_method=DELETE",
    ] {
        assert!(
            target(&format!("/x?{query}")).problem().is_some(),
            "{query}"
        );
        if !query.contains(';') {
            assert!(
                posted(FORM, query.as_bytes()).problem().is_some(),
                "{query}"
            );
        }
    }
    let untyped = ("X-A", &b""[..]);
    for (header, body) in [
        (JSON, &br#"{"_method":"DELETE"}"#[..]),
        (JSON, br#"{"\u005fmethod":null}"#),
        (JSON, br#"{"_Method":"DELETE"}"#),
        (untyped, br#"{"_method":"DELETE"}"#),
        (untyped, b"_method=DELETE"),
        (FORM, br#"{"_method":"DELETE"}"#),
        (
            ("Content-Type", b"multipart/form-data; boundary=b"),
            b"--b\r\nContent-Disposition: form-data; name=_method\r\n\r\nDELETE\r\n--b--",
        ),
    ] {
        assert!(
            posted(header, body).problem().is_some(),
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    for (header, body) in [
        (JSON, &br#"{"a":{"_method":"x"}}"#[..]),
        (JSON, b"[1]"),
        (FORM, b"a=_method"),
        (untyped, b"\x00\xff"),
        (FORM, br#"{"title":"100%"}"#),
        (
            ("Content-Type", b"application/octet-stream"),
            b"_method=DELETE",
        ),
    ] {
        assert_eq!(
            posted(header, body).problem(),
            None,
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    for method in ["CONNECT", "trace", "GET X", ""] {
        assert!(
            read(RawRequest { method, ..BASE }).problem().is_some(),
            "{method}"
        );
    }
}

/// Rows 13 to 15 of the escapes.
#[test]
fn paths_that_are_two_paths_are_refused_anywhere() {
    for path in [
        "/repos/acme/x%2F..%2Fsecret",
        "/repos/..;/admin",
        "/a/%252e%252e/b",
        "/a/../b",
        "/a\\b",
        "/a;b=1/c",
        "/a%3Bb",
        "/a%zz",
    ] {
        assert!(
            target(path).problem().is_some() && on_connection(&target(path)).is_some(),
            "{path}"
        );
    }
    assert_eq!(target("/repos/acme/x%2Fy").problem(), None);
    let semicolon = Quirks {
        allows_semicolon: true,
        ..Quirks::default()
    };
    assert_eq!(target("/a;b=1/c").problem_on_connection(&semicolon), None);
    assert!(
        target("/a/..;/b")
            .problem_on_connection(&semicolon)
            .is_some()
    );
}

#[test]
fn an_empty_segment_is_refused_for_writes_on_a_connection() {
    assert_eq!(on_connection(&target("/a//b")), None);
    assert!(target("/a//b").path().unwrap().is_gapped());
    let write = read(RawRequest {
        method: "PUT",
        target: "/a//b",
        ..BASE
    });
    assert!(on_connection(&write).is_some() && write.problem().is_none());
}

#[test]
fn targets_queries_and_headers_that_are_no_such_thing() {
    for bad in [
        "x",
        "*",
        "http://api.github.com/x",
        "/a b",
        "/a\r\nHost: b",
        "/a#b",
        "/a?b#c",
        "/é",
        "/a?é=1",
        "/\u{c3}\u{a9}",
        "/a?b=%zz",
        "/a?b=%ff",
        "/a?b=%",
    ] {
        assert!(target(bad).problem().is_some(), "{bad}");
    }
    assert!(
        target(&format!("/{}", "a".repeat(MAX_TARGET)))
            .problem()
            .is_some()
    );
    for good in [
        "",
        "/",
        "?a=b",
        "/?a=b",
        "/%C3%A9?%C3%A9=%C3%A9",
        "/a?b=c&b=d",
    ] {
        assert_eq!(target(good).problem(), None, "{good}");
    }
    assert_eq!(target("?a=b").raw_path(), "/");
    for headers in [
        &[JSON, JSON][..],
        &[("Content-Length", b"1"), ("Content-Length", b"1")],
        &[("Transfer-Encoding", b"gzip")],
        &[("X-A", b"b\r\n c")],
    ] {
        assert!(with_headers(headers).problem().is_some(), "{headers:?}");
    }
}

/// Rows 7, 9 and 10 of the escapes: what is inside a body.
#[test]
fn bodies_that_are_two_bodies_are_refused_anywhere() {
    for (header, body) in [
        (JSON, &br#"{"channel":"B","channel":"A"}"#[..]),
        (JSON, b"{"),
        (FORM, b"a=%zz"),
        (
            ("Content-Type", b"multipart/form-data; boundary=b"),
            b"x--b",
        ),
        (("Content-Type", b"application/json, text/plain"), b"{}"),
    ] {
        assert!(
            posted(header, body).problem().is_some(),
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    let length = |announced: &'static [u8], body| {
        read(RawRequest {
            method: "POST",
            headers: vec![("Content-Length", announced)],
            body,
            ..BASE
        })
    };
    assert!(length(b"1", RawBody::Bytes(b"ab")).problem().is_some());
    assert!(length(b"2", RawBody::Bytes(b"")).problem().is_some());
    assert_eq!(length(b"2", RawBody::Bytes(b"ab")).problem(), None);
}

#[test]
fn a_compressed_body_is_read_and_an_unread_one_is_not_empty() {
    let encoded = |coding: &'static [u8], body: &[u8]| {
        let headers = vec![JSON, ("Content-Encoding", coding)];
        read(RawRequest {
            method: "PUT",
            headers,
            body: RawBody::Bytes(body),
            ..BASE
        })
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, br#"{"branch":"main"}"#).unwrap();
    let gzip = gzip.finish().unwrap();
    let request = encoded(b"gzip", &gzip);
    assert_eq!(
        request
            .json(&Quirks::default())
            .known()
            .unwrap()
            .unwrap()
            .get("branch")
            .unwrap()
            .as_str(),
        Some("main")
    );
    for request in [encoded(b"gzip", b"{}"), encoded(b"lzma", b"{}")] {
        assert!(matches!(request.json(&Quirks::default()), Field::Unread(_)));
        assert!(request.has_body() && request.problem().is_none());
        assert!(matches!(request.text(), Field::Unread(_)));
    }
    let announced = |header: &'static str, value: &'static [u8]| {
        read(RawRequest {
            method: "POST",
            headers: vec![(header, value)],
            ..BASE
        })
    };
    for request in [
        announced("Content-Length", b"5"),
        announced("Transfer-Encoding", b"chunked"),
        read(RawRequest {
            method: "POST",
            body: RawBody::Unread,
            ..BASE
        }),
        WireRequest::read(
            RawRequest {
                method: "POST",
                body: RawBody::Bytes(b"abcde"),
                ..BASE
            },
            &Limits {
                body_bytes: 4,
                ..Limits::default()
            },
        ),
    ] {
        assert!(matches!(request.content(), Field::Unread(_)) && request.has_body());
    }
    assert!(!announced("Content-Length", b"0").has_body());
}

#[test]
fn text_is_all_that_could_be_words() {
    let texts = |request: &WireRequest| request.text().known().unwrap().unwrap().join("|");
    let json = read(RawRequest {
        method: "POST",
        target: "/a%20b/c?q=x+y",
        headers: vec![JSON],
        body: RawBody::Bytes(br#"{"body":"one\ntwo","n":[1,{"k":"\u0443"}]}"#),
        ..BASE
    });
    assert_eq!(texts(&json), "a b/c|q|x y|body|one\ntwo|n|1|k|у");
    assert_eq!(
        texts(&posted(FORM, b"text=a+b&c")),
        "repos/acme/shop|text|a b|c"
    );
    let parts = b"--b\r\nContent-Disposition: form-data; name=t\r\n\r\nhello\r\n--b\r\nContent-Disposition: form-data; name=f; filename=x\r\nContent-Type: image/png\r\n\r\n\xff\r\n--b\r\nContent-Disposition: form-data; name=j\r\nContent-Type: application/json\r\n\r\n{\"k\":\"v\"}\r\n--b--";
    assert_eq!(
        texts(&posted(
            ("Content-Type", b"multipart/form-data; boundary=b"),
            parts
        )),
        "repos/acme/shop|t|hello|f|j|k|v"
    );
    assert_eq!(
        texts(&posted(("Content-Type", b"text/plain"), b"plain words")),
        "repos/acme/shop|plain words"
    );
    assert_eq!(
        texts(&posted(("X-A", b""), b"{\"a\":\"\\u0062\"}")),
        "repos/acme/shop|a|b"
    );
    assert_eq!(
        texts(&posted(
            ("Content-Type", b"application/octet-stream"),
            b"\xff\xfe"
        )),
        "repos/acme/shop"
    );
    assert_eq!(
        texts(&posted(
            ("Content-Type", b"application/octet-stream"),
            b"words"
        )),
        "repos/acme/shop|words"
    );
    assert_eq!(
        texts(&target("/a?q=some+words;b")),
        "a|q|some words;b|q|some words|b"
    );
    assert_eq!(
        texts(&posted(FORM, b"{\"a\":\"100%\"}")),
        "repos/acme/shop|a|100%"
    );
    assert_eq!(
        texts(&posted(("X-A", b""), b"a=some+words")),
        "repos/acme/shop|a=some+words|a|some words"
    );
    let unread = |content_type: &'static [u8]| {
        read(RawRequest {
            method: "POST",
            headers: vec![("Content-Type", content_type)],
            body: RawBody::Unread,
            ..BASE
        })
    };
    for content_type in [
        &b"text/plain"[..],
        b"application/json",
        FORM.1,
        b"multipart/form-data; boundary=b",
        b"nonsense",
    ] {
        assert!(matches!(unread(content_type).text(), Field::Unread(_)));
    }
    assert!(matches!(
        unread(b"application/octet-stream").text(),
        Field::Present(_)
    ));
    assert!(matches!(
        read(RawRequest {
            method: "POST",
            body: RawBody::Unread,
            ..BASE
        })
        .text(),
        Field::Unread(_)
    ));
    assert!(matches!(posted(JSON, b"{").text(), Field::Unread(_)));
    assert!(matches!(
        posted(("Content-Type", b"text/plain"), b"\xff").text(),
        Field::Unread(_)
    ));
}

#[test]
fn a_sending_is_the_request_and_what_its_headers_say() {
    let with = |headers: &[(&'static str, &'static [u8])]| {
        read(RawRequest {
            method: "POST",
            body: RawBody::Bytes(b"a"),
            headers: headers.to_vec(),
            ..BASE
        })
    };
    let base: [(&str, &[u8]); 2] = [("Accept", b"a/b"), ("X-A", b"1")];
    let sending = with(&base).sending();
    for same in [
        &[("x-a", b"1" as &[u8]), ("accept", b"a/b")][..],
        &[
            ("Accept", b"a/b"),
            ("X-A", b"1"),
            ("Host", b"api.github.com"),
            ("User-Agent", b"x"),
            ("Content-Length", b"1"),
            ("Connection", b"close"),
        ],
    ] {
        assert_eq!(with(same).sending(), sending, "{same:?}");
        assert!(with(same).is_plain());
    }
    for other in [
        &[("Accept", b"a/b" as &[u8])][..],
        &[("Accept", b"a/b"), ("X-A", b"2")],
        &[("Accept", b"a/b"), ("X-A", b"1"), ("X-A", b"2")],
        &[("Accept", b"a/b"), ("X-A", b"1"), ("Content-Type", b"a/b")],
        &[("Accept", b"a/b"), ("X-A", b"1"), ("Upgrade", b"websocket")],
        &[
            ("Accept", b"a/b"),
            ("X-A", b"1"),
            ("X-HTTP-Method-Override", b"DELETE"),
        ],
    ] {
        assert_ne!(with(other).sending(), sending, "{other:?}");
    }
    for unclear in [
        &[("Host", b"b.example" as &[u8])][..],
        &[("Content-Length", b"2")],
        &[("X-HTTP-Method-Override", b"DELETE")],
    ] {
        assert!(!with(unclear).is_plain(), "{unclear:?}");
    }
    let unread = read(RawRequest {
        method: "POST",
        body: RawBody::Unread,
        ..BASE
    });
    assert!(!unread.is_plain(), "two unread bodies look alike");
}

#[test]
fn what_is_shown_of_a_path_is_chosen_before_it_is_cut() {
    let target = format!("/{}/hunter2hunter2", "a".repeat(160));
    let request = read(RawRequest {
        target: &target,
        ..BASE
    });
    assert!(request.describe().contains("hunt"));
    let shown = request.describe_with(|path| path.replace("hunter2hunter2", "X").into());
    assert!(!shown.contains("hunt") && shown.ends_with("/X"), "{shown}");
}

#[test]
fn the_digest_is_the_request() {
    let base = || RawRequest {
        method: "POST",
        body: RawBody::Bytes(b"a"),
        ..BASE
    };
    let digest = |raw| read(raw).digest();
    let same = [
        digest(RawRequest {
            host: "API.github.com",
            ..base()
        }),
        digest(RawRequest {
            port: Some(443),
            method: "post",
            ..base()
        }),
        digest(RawRequest {
            headers: vec![("X-Request-Id", b"2")],
            ..base()
        }),
    ];
    assert!(same.iter().all(|digest| *digest == read(base()).digest()));
    let different = [
        digest(base()),
        digest(RawRequest {
            scheme: "http",
            port: Some(443),
            ..base()
        }),
        digest(RawRequest {
            port: Some(444),
            ..base()
        }),
        digest(RawRequest {
            host: "b.example",
            ..base()
        }),
        digest(RawRequest {
            method: "PUT",
            ..base()
        }),
        digest(RawRequest {
            target: "/repos/acme/shop?a",
            ..base()
        }),
        digest(RawRequest {
            body: RawBody::Bytes(b"b"),
            ..base()
        }),
        digest(RawRequest {
            body: RawBody::None,
            ..base()
        }),
        digest(RawRequest {
            body: RawBody::Unread,
            ..base()
        }),
    ];
    for (at, one) in different.iter().enumerate() {
        assert!(
            different.iter().skip(at + 1).all(|other| one != other),
            "{at}"
        );
    }
}

#[test]
fn an_upgrade_is_at_least_a_write() {
    assert_eq!(
        with_headers(&[("Upgrade", b"websocket")]).effect(),
        Effect::Write
    );
    assert_eq!(
        read(RawRequest {
            method: "HEAD",
            ..BASE
        })
        .effect(),
        Effect::Read
    );
    assert_eq!(
        read(RawRequest {
            method: "PURGE",
            ..BASE
        })
        .effect(),
        Effect::Write
    );
    assert_eq!(
        read(RawRequest {
            method: "DELETE",
            headers: vec![("Upgrade", b"h2c")],
            ..BASE
        })
        .effect(),
        Effect::Destructive
    );
}

fn any_header() -> impl Strategy<Value = (String, Vec<u8>)> {
    let name = prop_oneof![
        Just("Content-Type".to_owned()),
        Just("Content-Encoding".to_owned()),
        Just("Content-Length".to_owned()),
        Just("Host".to_owned()),
        "\\PC{0,8}",
    ];
    let value = prop_oneof![
        Just(b"application/json".to_vec()),
        Just(FORM.1.to_vec()),
        Just(b"multipart/form-data; boundary=b".to_vec()),
        Just(b"gzip".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
    ];
    (name, value)
}

proptest! {
    #[test]
    fn no_request_panics(
        host in "\\PC{0,12}", method in "[A-Za-z ]{0,6}", target in "/?\\PC{0,24}",
        headers in proptest::collection::vec(any_header(), 0..4), body in proptest::collection::vec(any::<u8>(), 0..48), kind in 0..3u8,
    ) {
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let body = match kind {
            0 => RawBody::None,
            1 => RawBody::Unread,
            _ => RawBody::Bytes(&body),
        };
        let request = read(RawRequest { scheme: "https", host: &host, port: None, method: &method, target: &target, headers, body });
        let _ = (request.problem(), on_connection(&request), request.text(), request.describe(), request.digest());
        prop_assert!(request.host_problem().is_some() || !request.host().is_empty());
        prop_assert!(request.describe().chars().count() <= MAX_DESCRIPTION);
        prop_assert!(!matches!((request.has_body(), request.content()), (false, Field::Present(_))));
    }

    /// Spelling any character of a refused path encoded, once or twice, does not let it through.
    #[test]
    fn encoding_a_refused_path_again_does_not_let_it_through(
        path in prop_oneof![Just("/repos/acme/../x"), Just("/a/..;/b"), Just("/a\\b/c"), Just("/x/./y")], at in any::<proptest::sample::Index>(), upper: bool,
    ) {
        let at = at.index(path.len() - 1) + 1;
        let (before, after) = path.split_at(at);
        let byte = after.as_bytes()[0];
        let escape = if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
        for mutated in [format!("{before}{escape}{}", &after[1..]), format!("{before}{}{}", escape.replace('%', "%25"), &after[1..])] {
            let request = target(&mutated);
            prop_assert!(request.problem().is_some(), "{}", mutated);
        }
    }
}
