//! The cross-checks of the keys, as rows.

use super::*;
use std::collections::BTreeMap;
use toolpass_integration::fields::Value;

fn settings(pairs: &[(&str, &str)]) -> Settings {
    let value =
        |key: &str, text: &str| match KEYS.iter().find(|row| row.name == key).map(|row| row.kind) {
            Some(toolpass_integration::fields::KeyKind::Secret) => {
                Value::Secret(SecretRef::parse(text).unwrap())
            }
            Some(_) => Value::Text(text.into()),
            None => panic!("no key {key}"),
        };
    Settings::new(
        pairs
            .iter()
            .map(|(key, text)| (key.to_string(), value(key, text)))
            .collect::<BTreeMap<_, _>>(),
    )
}

fn problems(pairs: &[(&str, &str)]) -> Vec<&'static str> {
    let common = [("organization", "acme")];
    check(&settings(&[&common, pairs].concat()))
        .into_iter()
        .map(|(key, _)| key)
        .collect()
}

#[test]
fn credentials_exclude_each_other() {
    assert!(problems(&[("token", "env:T")]).is_empty());
    assert!(problems(&[("credential", "env:K"), ("app_id", "Iv1.x")]).is_empty());
    assert_eq!(problems(&[]), ["credential"]);
    assert_eq!(problems(&[("credential", "env:K")]), ["app_id"]);
    assert_eq!(
        problems(&[("token", "env:T"), ("credential", "env:K"), ("app_id", "1")]),
        ["credential"]
    );
    assert_eq!(
        problems(&[
            ("token", "env:T"),
            ("app_id", "1"),
            ("installation_id", "7")
        ]),
        ["app_id", "installation_id"]
    );
}

#[test]
fn each_mode_has_its_keys() {
    let with = |pairs: &[(&str, &str)]| problems(&[&[("token", "env:T")], pairs].concat());
    assert_eq!(with(&[("identity_mode", "template")]), ["email_domains"]);
    assert_eq!(with(&[("identity_mode", "map_file")]), ["user_map_file"]);
    assert_eq!(
        with(&[("identity_mode", "enterprise_saml")]),
        ["enterprise"]
    );
    assert_eq!(with(&[("identity_mode", "callable")]), ["identity"]);
    assert_eq!(with(&[("identity_mode", "http")]), ["identity_url"]);
    assert!(with(&[("identity_url", "https://who.example.com/login")]).is_empty());
    assert_eq!(
        with(&[
            ("identity_mode", "saml"),
            ("identity_url", "https://who.example.com")
        ]),
        ["identity_url"]
    );
    assert_eq!(with(&[("identity_token", "env:I")]), ["identity_token"]);
    assert_eq!(
        with(&[("identity_allow_http", "true")]),
        ["identity_allow_http"]
    );
    assert_eq!(
        with(&[("identity_url", "http://who.example.com")]),
        ["identity_url"]
    );
    assert!(with(&[("identity_url", "http://127.0.0.1:8/x")]).is_empty());
    assert!(
        with(&[
            ("identity_url", "http://who.example.com"),
            ("identity_allow_http", "true")
        ])
        .is_empty()
    );
}

#[test]
fn single_values() {
    let ok = |check: fn(&str) -> Result<(), String>, text: &str| check(text).is_ok();
    for (text, fits) in [
        ("{local}", true),
        ("{email}-x", true),
        ("{domain}", false),
        ("{local}}", false),
        ("{user}{local}", false),
        ("", false),
    ] {
        assert_eq!(ok(check_template, text), fits, "{text}");
    }
    for (text, fits) in [
        ("a.example, B.example", true),
        ("", false),
        ("a,,b", false),
        ("-a.b", false),
        ("a_b.c", false),
        ("a..b", false),
    ] {
        assert_eq!(ok(check_domains, text), fits, "{text}");
    }
    assert!(
        ok(check_installation_id, "18446744073709551615")
            && !ok(check_installation_id, "99999999999999999999")
    );
    assert!(
        !ok(check_identity_url, "https://u:p@h/")
            && !ok(check_identity_url, "https://h/?q")
            && !ok(check_identity_url, "ftp://h/")
    );
    assert_eq!(domains("B.example,b.EXAMPLE").unwrap(), ["b.example"]);
}

#[test]
fn sites() {
    assert_eq!(Site::of(None).rest, "https://api.github.com");
    let server = Site::of(Some("https://git.acme.example/hub/"));
    assert_eq!(
        (server.edition, server.rest.as_str()),
        (Edition::Server, "https://git.acme.example/hub/api/v3")
    );
    assert_eq!(
        (server.graphql.as_str(), server.uploads.as_str()),
        (
            "https://git.acme.example/hub/api/graphql",
            "https://git.acme.example/hub/api/uploads"
        )
    );
    for url in ["https://acme.ghe.com", "https://api.acme.ghe.com/"] {
        assert_eq!(
            Site::of(Some(url)).graphql,
            "https://api.acme.ghe.com/graphql"
        );
    }
    assert_eq!(
        Site::of(Some("https://ghe.com.evil.example")).edition,
        Edition::Server
    );
}
