//! What servers answer, and what that is taken for.

use super::*;

fn of(status: u16, body: &str) -> Decision {
    decision(&Answer {
        status,
        body: body.as_bytes(),
        retry_after: None,
    })
}

/// The words of one decision: outcome, code, text, status.
fn words(decision: &Decision) -> (&'static str, Code, String, u16) {
    (
        decision.outcome().as_str(),
        decision.code(),
        decision.text().to_owned(),
        decision.status,
    )
}

#[test]
fn what_a_server_says() {
    for (status, body, outcome, code, text) in [
        (
            200,
            r#"{"decision":"allow","reason":"allowed: write access"}"#,
            "allow",
            Code::Allowed,
            "write access",
        ),
        (
            200,
            r#"{"decision":"allow","reason":"allowed","identity":"7","more":[1]}"#,
            "allow",
            Code::Allowed,
            "",
        ),
        (200, r#"{"decision":"allow"}"#, "allow", Code::Allowed, ""),
        (
            200,
            r#"{"decision":"allow","reason":"fine"}"#,
            "allow",
            Code::Allowed,
            "fine",
        ),
        (
            200,
            r#"{"decision":"deny","reason":"denied: read access"}"#,
            "deny",
            Code::Denied,
            "read access",
        ),
        (
            200,
            r#"{"decision":"deny","reason":"user_not_found: nobody"}"#,
            "deny",
            Code::UserNotFound,
            "nobody",
        ),
        (200, r#"{"decision":"deny"}"#, "deny", Code::Denied, ""),
        (
            200,
            r#"{"decision":"unknown","reason":"upstream_timeout: 8 s"}"#,
            "unknown",
            Code::UpstreamTimeout,
            "8 s",
        ),
        (
            200,
            r#"{"decision":"unknown","reason":"a: b"}"#,
            "unknown",
            Code::Unsupported,
            "a: b",
        ),
        (
            401,
            r#"{"decision":"unknown","reason":"unauthorized: the API key is not accepted"}"#,
            "unknown",
            Code::Unauthorized,
            "the API key is not accepted",
        ),
        (
            503,
            r#"{"decision":"unknown","code":"overloaded","text":"x","reason":"overloaded: x"}"#,
            "unknown",
            Code::Overloaded,
            "x",
        ),
    ] {
        assert_eq!(
            words(&of(status, body)),
            (outcome, code, text.into(), status),
            "{body}"
        );
    }
    let full = of(
        200,
        r#"{"decision":"deny","code":"denied","reason":"denied: no","identity":"7","id":"0192","as_of":"2026-12-01T00:00:01.5Z","cached":true,"retry_after_ms":7}"#,
    );
    assert_eq!((full.identity.as_str(), full.id.as_str()), ("7", "0192"));
    assert_eq!(
        full.as_of,
        Some(Wall(Duration::from_millis(1_796_083_201_500)))
    );
    assert!(full.cached && full.retry_after_ms == Some(7));
    assert_eq!(of(200, r#"{"decision":"allow","identity":7}"#).identity, "");
}

#[test]
fn a_lie_is_no_allow() {
    let huge = format!(
        "{{\"decision\":\"allow\",\"reason\":\"{}\"}}",
        "a".repeat(MAX_ANSWER)
    );
    let deep = format!(
        "{{\"decision\":\"allow\",\"x\":{}{}}}",
        "[".repeat(40),
        "]".repeat(40)
    );
    for (status, body) in [
        (201, r#"{"decision":"allow","reason":"allowed"}"#),
        (203, r#"{"decision":"allow","reason":"allowed"}"#),
        (302, r#"{"decision":"allow","reason":"allowed"}"#),
        (401, r#"{"decision":"allow","reason":"allowed"}"#),
        (500, r#"{"decision":"allow","reason":"allowed"}"#),
        (200, r#"{"decision":"allow","reason":"denied: no"}"#),
        (
            200,
            r#"{"decision":"allow","code":"denied","reason":"allowed"}"#,
        ),
        (200, r#"{"decision":"allow","code":"ALLOWED"}"#),
        (200, r#"{"decision":"allow","code":1}"#),
        (200, r#"{"decision":"allow","reason":"upstream_timeout"}"#),
        (200, r#"{"decision":"deny","decision":"allow"}"#),
        (200, r#"{"decision":"allow","decision":"allow"}"#),
        (200, r#"{"decision":"allow","x":1,"x":1}"#),
        (
            200,
            r#"{"decision":"deny","reason":"x","\u0064ecision":"allow"}"#,
        ),
        (200, r#"{"Decision":"allow"}"#),
        (200, r#"{"decision":"Allow"}"#),
        (200, r#"{"decision":"allow "}"#),
        (200, r#"{"decision":true}"#),
        (200, r#"{"decision":["allow"]}"#),
        (200, r#"{"decision":null}"#),
        (200, r#"{"result":{"decision":"allow"}}"#),
        (200, r#"[{"decision":"allow"}]"#),
        (200, r#""allow""#),
        (200, "allow"),
        (200, ""),
        (200, r#"{"decision":"allow"} {"decision":"deny"}"#),
        (200, r#"{"decision":"allow""#),
        (200, r#"{"decision":"allow","x":NaN}"#),
        (200, &huge),
        (200, &deep),
    ] {
        let found = of(status, body);
        let shown: String = body.chars().take(60).collect();
        assert_eq!(found.outcome(), Outcome::Unknown, "{status} {shown}");
        assert_eq!(found.code(), Code::ClientError, "{status} {shown}");
        assert_eq!(found.status, status);
    }
}

#[test]
fn a_batch_is_answered_item_by_item_or_not_at_all() {
    let of = |status, body: &str| {
        let answer = Answer {
            status,
            body: body.as_bytes(),
            retry_after: Some(Duration::from_secs(1)),
        };
        decisions(&answer, 2)
    };
    let both = of(
        200,
        r#"{"results":[{"decision":"allow","code":"allowed"},{"decision":"unknown","reason":"unknown_action: x"}]}"#,
    );
    assert_eq!((both[0].code(), both[0].status), (Code::Allowed, 200));
    assert_eq!((both[1].code(), both[1].status), (Code::UnknownAction, 400));
    for body in [
        r#"{"results":[{"decision":"allow"}]}"#,
        r#"{"results":[{"decision":"allow"},{"decision":"allow"},{"decision":"allow"}]}"#,
        r#"{"results":{"0":{"decision":"allow"}}}"#,
        r#"[{"decision":"allow"},{"decision":"allow"}]"#,
        r#"{"results":["allow","allow"]}"#,
        r#"{"results":[{"decision":"allow"},{"decision":"allow"}],"results":[]}"#,
    ] {
        let found = of(200, body);
        assert_eq!(found.len(), 2);
        assert!(
            found.iter().all(|one| one.code() == Code::ClientError),
            "{body}"
        );
    }
    let found = of(
        201,
        r#"{"results":[{"decision":"allow"},{"decision":"allow"}]}"#,
    );
    assert!(found.iter().all(|one| one.outcome() == Outcome::Unknown));
    let found = of(503, r#"{"code":"overloaded","error":"too much"}"#);
    assert!(
        found
            .iter()
            .all(|one| one.code() == Code::Overloaded && one.retry_after_ms == Some(1000))
    );
}

#[test]
fn look_ups() {
    let resolve = |status, body: &str| {
        let answer = Answer {
            status,
            body: body.as_bytes(),
            retry_after: None,
        };
        resolved(&answer).map(|found| found.map(|resource| resource.as_str().to_owned()))
    };
    assert_eq!(
        resolve(200, r#"{"resource":"repo:a/b"}"#),
        Ok(Some("repo:a/b".into()))
    );
    assert_eq!(resolve(200, r#"{"resource":null}"#), Ok(None));
    for (status, body, code) in [
        (
            200,
            r#"{"code":"upstream_timeout","text":"x"}"#,
            Code::UpstreamTimeout,
        ),
        (200, r#"{"code":"allowed","text":"x"}"#, Code::Unsupported),
        (200, r#"{"resource":"No such"}"#, Code::ClientError),
        (200, r#"{"resource":1}"#, Code::ClientError),
        (200, "{}", Code::ClientError),
        (
            200,
            r#"{"resource":null,"resource":"repo:a/b"}"#,
            Code::ClientError,
        ),
        (
            403,
            r#"{"code":"unauthorized","error":"x"}"#,
            Code::Unauthorized,
        ),
        (404, "not found", Code::NotConfigured),
        (500, "boom", Code::ClientError),
        (201, r#"{"resource":"repo:a/b"}"#, Code::ClientError),
    ] {
        assert_eq!(resolve(status, body).unwrap_err().code(), code, "{body}");
    }
    let see = |body: &str| {
        seen(&Answer {
            status: 200,
            body: body.as_bytes(),
            retry_after: None,
        })
    };
    assert_eq!(
        see(r#"{"visibility":"public"}"#),
        Ok(Some(Visibility::Public))
    );
    assert_eq!(see(r#"{"visibility":null}"#), Ok(None));
    assert!(see(r#"{"visibility":"PUBLIC"}"#).is_err());
}

#[test]
fn where_connections_are() {
    let of = |body: &str| {
        told(&Answer {
            status: 200,
            body: body.as_bytes(),
            retry_after: None,
        })
    };
    let one = r#"{"id":"gh","integration":"github","hosts":["https://a","https://b"],"prefixes":["","/raw"],"mounts":[null,"\\raw"],"selectors":{"organization":"acme"},"private":true,"strict_reads":false}"#;
    let found = of(&format!(
        "{{\"connections\":[{one}],\"tables\":{{\"github\":\"v\"}}}}"
    ))
    .unwrap();
    assert_eq!(found.tables["github"], "v");
    let [connection] = found.connections.as_slice() else {
        panic!()
    };
    assert!(connection.private && !connection.strict_reads && connection.tells_faces);
    assert_eq!(connection.places[1].mount.as_deref(), Some("\\raw"));
    assert_eq!(connection.selectors["organization"], "acme");
    for (from, to) in [
        ("\"private\":true", "\"private\":\"no\""),
        (",\"private\":true", ""),
        ("[\"\",\"/raw\"]", "[\"\"]"),
        ("[null,\"\\\\raw\"]", "[null]"),
        ("\"id\":\"gh\"", "\"id\":\"\""),
        ("{\"organization\":\"acme\"}", "{\"organization\":1}"),
        ("\"id\":\"gh\"", "\"id\":\"gh\",\"id\":\"gl\""),
    ] {
        let changed = one.replace(from, to);
        assert_ne!(changed, one);
        let body = format!("{{\"connections\":[{changed}],\"tables\":{{}}}}");
        assert!(of(&body).is_err(), "{to}");
    }
}

proptest::proptest! {
    #[test]
    fn no_answer_panics(status in 0_u16..600, body in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let answer = Answer { status, body: &body, retry_after: None };
        let _ = (decision(&answer), decisions(&answer, 3), resolved(&answer), seen(&answer), told(&answer));
    }

    /// Whatever is put around the members, an allow has been said in so many words.
    #[test]
    fn an_allow_was_said(word in "[a-zA-Z]{0,7}|allow", status in 199_u16..204, code in "allowed|denied|x|", twice in proptest::bool::ANY) {
        let again = if twice { ",\"decision\":\"allow\"" } else { "" };
        let body = format!("{{\"decision\":\"{word}\",\"reason\":\"{code}\"{again}}}");
        let found = decision(&Answer { status, body: body.as_bytes(), retry_after: None });
        let said = word == "allow" && status == 200 && !twice && code != "denied";
        proptest::prop_assert_eq!(found.outcome() == Outcome::Allow, said);
    }
}
