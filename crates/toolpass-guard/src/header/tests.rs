//! Every rule, with what comes before it satisfied and not.

use super::*;

/// What a request comes to, in one line: `400`, `nobody`, or the person with what else is known.
fn outcome(client: Option<&str>, key: Option<&str>, method: Option<&str>, lines: &str) -> String {
    let pairs: Vec<(&[u8], &[u8])> = lines
        .lines()
        .map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.as_bytes(), value.as_bytes())
        })
        .collect();
    let arrived = Arrived {
        client,
        method,
        headers: &pairs,
    };
    let key = key.map(Secret::new);
    shown(read(&arrived, key.as_ref()))
}

fn shown(answer: Result<Entry, Refused>) -> String {
    let person = match answer {
        Err(refused) => return refused.status.to_string(),
        Ok(Entry::Nobody) => return "nobody".into(),
        Ok(Entry::Person(person)) => person,
    };
    let mut text = person.user.clone();
    if let Some(groups) = person.groups {
        text += &format!(" {groups:?}");
    }
    if let Some(token) = person.token {
        text += &format!(" token {}", String::from_utf8_lossy(token.expose()));
    }
    match person.conversation.map(|conversation| conversation.name) {
        Some(Name::Caller(id)) => text += &format!(" caller {id}"),
        Some(Name::Mcp(id)) => text += &format!(" mcp {id}"),
        None => {}
    }
    if person.ends {
        text += " ends";
    }
    text
}

fn check(lines: &str, expected: &str) {
    let answer = outcome(Some("127.0.0.1"), None, Some("POST"), lines);
    assert_eq!(answer, expected, "{lines}");
}

#[test]
fn without_a_key_only_this_machine_is_let_in() {
    for local in [
        "localhost",
        "127.0.0.1",
        "127.9.8.7",
        "::1",
        "0:0:0:0:0:0:0:1",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
    ] {
        let answer = outcome(Some(local), None, Some("GET"), "x-toolpass-user: dana");
        assert_eq!(answer, "dana", "{local}");
    }
    for far in [
        "",
        "10.0.0.7",
        "127.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.01",
        "localhost.evil.example",
        "Localhost ",
        "::1234",
        "::1%eth0",
        "::2",
        "::127.0.0.1",
        "::ffff:10.0.0.7",
        "64:ff9b::7f00:1",
        "0.0.0.0",
        "::",
        "[::1]",
        "2130706433",
        "testclient",
    ] {
        let answer = outcome(Some(far), None, Some("GET"), "");
        assert_eq!(answer, "403", "{far}");
    }
    assert_eq!(outcome(None, None, None, "x-toolpass-user: dana"), "dana");
}

#[test]
fn what_a_proxy_passes_on_is_not_local() {
    for forwarded in [
        "forwarded: for=127.0.0.1",
        "X-Forwarded-For: 127.0.0.1",
        "x-forwarded-for:",
    ] {
        check(forwarded, "403");
        assert_eq!(outcome(None, None, None, forwarded), "403");
        let with_key = format!("{forwarded}\nx-toolpass-key: k3y\nx-toolpass-user: dana");
        assert_eq!(outcome(None, Some("k3y"), None, &with_key), "dana");
    }
}

#[test]
fn with_a_key_only_who_knows_it_is_let_in() {
    for (given, expected) in [
        ("x-toolpass-key: k3y", "nobody"),
        ("X-TOOLPASS-KEY:k3y \t", "nobody"),
        ("", "403"),
        ("x-toolpass-key:", "403"),
        ("x-toolpass-key: k3", "403"),
        ("x-toolpass-key: k3yy", "403"),
        ("x-toolpass-key: K3Y", "403"),
        ("x_toolpass_key: k3y", "403"),
        ("x-toolpass-key: k3y\nx-toolpass-key: k3y", "403"),
        ("x-toolpass-key: k3y\nx-toolpass-key: other", "403"),
        ("x-toolpass-key: k3y, k3y", "403"),
    ] {
        for client in [Some("127.0.0.1"), Some("10.0.0.7"), None] {
            assert_eq!(
                outcome(client, Some("k3y"), None, given),
                expected,
                "{given}"
            );
        }
    }
}

#[test]
fn a_caller_with_a_token_of_its_own_names_nobody() {
    check("authorization: Bearer t\nx-toolpass-user: dana", "400");
    check("x-toolpass-user:\nAuthorization: Basic x", "400");
    check("authorization: Bearer t", "nobody");
}

#[test]
fn without_a_user_there_is_nobody() {
    check("", "nobody");
    check("x-toolpass-session: s1\nx-toolpass-groups: sre", "nobody");
    check("x-user: dana\nx-toolpass-users: dana", "nobody");
}

#[test]
fn one_person_who_can_be_read() {
    check("x-toolpass-user: dana@example.com ", "dana@example.com");
    check("X-Toolpass-User: josé@example.com", "josé@example.com");
    check("x-toolpass-user:", "400");
    check("x-toolpass-user: \t ", "400");
    check("x-toolpass-user: \u{a0}\u{2003}", "400");
    check("x-toolpass-user: dana\nx-toolpass-user: dana", "400");
    check("x-toolpass-user: dana\nx-toolpass-user:", "400");
    check("x-toolpass-user: dana@example.com, sam@example.com", "400");
    check(
        &format!("x-toolpass-user: {}", "a".repeat(320)),
        &"a".repeat(320),
    );
    check(&format!("x-toolpass-user: {}", "a".repeat(321)), "400");
    let headers: &[(&[u8], &[u8])] = &[(b"x-toolpass-user", b"jos\xe9@example.com")];
    let arrived = Arrived {
        client: None,
        method: None,
        headers,
    };
    assert_eq!(shown(read(&arrived, None)), "400");
}

#[test]
fn everything_else_at_most_once() {
    for name in ["groups", "token", "session"] {
        let line = format!("x-toolpass-{name}: a");
        check(&format!("x-toolpass-user: dana\n{line}\n{line}"), "400");
        check(
            &format!("x-toolpass-user: dana\n{line}\nX-Toolpass-{name}:"),
            "400",
        );
        let raw = format!("x-toolpass-{name}");
        let headers: &[(&[u8], &[u8])] =
            &[(b"x-toolpass-user", b"dana"), (raw.as_bytes(), b"\xff")];
        let arrived = Arrived {
            client: None,
            method: None,
            headers,
        };
        assert_eq!(shown(read(&arrived, None)), "400", "{name}");
    }
    check("x-toolpass-user: dana\nx-toolpass-token: two words", "400");
    let long = format!(
        "x-toolpass-user: dana\nx-toolpass-session: {}",
        "s".repeat(257)
    );
    check(&long, "400");
    let many = format!(
        "x-toolpass-user: dana\nx-toolpass-groups: {}",
        "g,".repeat(201)
    );
    check(&many, "400");
}

#[test]
fn groups_and_token_as_sent() {
    check(
        "x-toolpass-user: dana\nx-toolpass-groups: sre, ,ops ,",
        "dana [\"sre\", \"ops\"]",
    );
    check("x-toolpass-user: dana\nx-toolpass-groups: ,", "dana []");
    check(
        "x-toolpass-user: dana\nx-toolpass-token: t0k3n ",
        "dana token t0k3n",
    );
    check("x-toolpass-user: dana\nx-toolpass-token:", "dana");
}

#[test]
fn the_callers_name_of_a_conversation_goes_before_the_protocols() {
    let user = "x-toolpass-user: dana\n";
    for (lines, expected) in [
        ("x-toolpass-session: s1", "dana caller s1"),
        (
            "x-toolpass-session: s1\nmcp-session-id: m1",
            "dana caller s1",
        ),
        ("x-toolpass-session: \nmcp-session-id: m1", "dana mcp m1"),
        ("Mcp-Session-Id: m1", "dana mcp m1"),
        ("mcp-session-id: m1\nmcp-session-id: m1", "dana"),
        ("mcp-session-id:", "dana"),
    ] {
        check(&format!("{user}{lines}"), expected);
    }
}

#[test]
fn deleting_ends_what_the_protocol_named() {
    let user = "x-toolpass-user: dana\n";
    for (method, lines, expected) in [
        (Some("DELETE"), "mcp-session-id: m1", "dana mcp m1 ends"),
        (Some("DELETE"), "x-toolpass-session: s1", "dana caller s1"),
        (
            Some("DELETE"),
            "x-toolpass-session: s1\nmcp-session-id: m1",
            "dana caller s1",
        ),
        (Some("DELETE"), "", "dana"),
        (Some("POST"), "mcp-session-id: m1", "dana mcp m1"),
        (None, "mcp-session-id: m1", "dana mcp m1"),
    ] {
        let lines = format!("{user}{lines}");
        assert_eq!(outcome(None, None, method, &lines), expected, "{lines}");
    }
}

#[test]
fn authority_that_cannot_be_held_is_refused() {
    for name in [
        "X-Toolpass-Authority",
        "x-toolpass-proof",
        "x_toolpass_authority",
    ] {
        check(&format!("{name}: chain"), "400");
        check(&format!("{name}:\nx-toolpass-user: dana"), "400");
        assert_eq!(
            outcome(Some("10.0.0.7"), None, None, &format!("{name}: c")),
            "403"
        );
    }
}

#[test]
fn a_spelling_that_folds_onto_ours_is_refused() {
    check("x_toolpass_user: sam\nx-toolpass-user: dana", "400");
    check("X-Toolpass_User: sam", "400");
    check("x-toolpass-user: dana\nx_toolpass_groups: admins", "400");
    check("x-toolpass-user: dana\nx_request_id: 7", "dana");
}

#[test]
fn a_conversation_belongs_to_its_person_groups_and_kind() {
    let of = |lines: &str| -> Conversation {
        let pairs: Vec<(&[u8], &[u8])> = lines
            .lines()
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
            .collect();
        let arrived = Arrived {
            client: None,
            method: None,
            headers: &pairs,
        };
        match read(&arrived, None) {
            Ok(Entry::Person(person)) => person.conversation.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let dana = of("x-toolpass-user:dana\nx-toolpass-session:1\nx-toolpass-groups:a,b");
    assert_eq!(
        dana,
        of("x-toolpass-user: dana\nx-toolpass-session: 1\nx-toolpass-groups: b, a")
    );
    for other in [
        "x-toolpass-user:Dana\nx-toolpass-session:1\nx-toolpass-groups:a,b",
        "x-toolpass-user:dana\nx-toolpass-session:2\nx-toolpass-groups:a,b",
        "x-toolpass-user:dana\nx-toolpass-session:1\nx-toolpass-groups:a",
        "x-toolpass-user:dana\nx-toolpass-session:1\nx-toolpass-groups:",
        "x-toolpass-user:dana\nx-toolpass-session:1",
        "x-toolpass-user:dana\nmcp-session-id:1\nx-toolpass-groups:a,b",
    ] {
        assert_ne!(dana, of(other), "{other}");
    }
    let none = of("x-toolpass-user:dana\nx-toolpass-session:1");
    assert_ne!(
        none,
        of("x-toolpass-user:dana\nx-toolpass-session:1\nx-toolpass-groups:")
    );
}

#[test]
fn nothing_of_a_value_is_shown() {
    let lines = "x-toolpass-user: dana\nmcp-session-id: m1-s3cret\nx-toolpass-token: t0k3n";
    let pairs: Vec<(&[u8], &[u8])> = lines
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
        .collect();
    let arrived = Arrived {
        client: None,
        method: None,
        headers: &pairs,
    };
    let shown = format!("{:?}", read(&arrived, None));
    assert!(
        !shown.contains("s3cret") && !shown.contains("t0k3n"),
        "{shown}"
    );
}
