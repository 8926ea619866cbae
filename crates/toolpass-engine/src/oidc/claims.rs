//! What the claims of an ID token must say, and which groups they list: pure rules.
//!
//! Looked at before a key is fetched, so that a wrong token costs no request, and believed only after its signature was verified.
//! Sources: OpenID Connect Core §2, §3.1.3.7, §5.6.2; RFC 9068 §2.1 (`at+jwt`); Microsoft identity platform, "Configure group
//! claims" (overage), "Migrate away from using email claims" (`xms_edov`), read 2026-11-30.
//!
//! INVARIANT: no text here holds a value of the token.

use std::time::Duration;

use serde_json::Value;
use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_core::user::{Groups, User};
use toolpass_integration::failure::Failure;
use toolpass_integration::oidc::Oidc;

/// Hold the claims of a token against what is expected of it.
/// Errors: `invalid_request`, naming the claim.
pub(super) fn check(
    claims: &Value,
    media_type: Option<&str>,
    wanted: &Oidc,
    user: &User,
    now: Wall,
) -> Result<(), Failure> {
    if matches!(media_type, Some("at+jwt" | "application/at+jwt")) {
        return Err(refused("it is an access token, expected an ID token"));
    }
    let issuer = claims.get("iss").and_then(Value::as_str);
    if issuer.map(|issuer| issuer.trim_end_matches('/')) != Some(wanted.issuer.as_str()) {
        return Err(refused("its `iss` is not `oidc_issuer`"));
    }
    audience(claims, &wanted.audience)?;
    times(claims, now)?;
    email(claims, wanted, user)
}

/// The groups the claims list.
/// Errors: `unsupported` when they are not all in the token, or are no list of texts; `invalid_request` for groups no caller could send.
pub(super) fn groups(claims: &Value, name: &str) -> Result<Groups, Failure> {
    let elsewhere = claims
        .get("_claim_names")
        .is_some_and(|names| names.get(name).is_some());
    if elsewhere || claims.get("hasgroups").is_some_and(is_true) {
        return Err(Failure::unsupported(
            "the user has more groups than the ID token holds; let the provider send fewer, such as those of one application",
        ));
    }
    let Some(listed) = claims.get(name) else {
        return Ok(Groups::default());
    };
    let texts = listed
        .as_array()
        .and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>())
        .ok_or_else(|| {
            Failure::unsupported("the ID token's claim of groups is no list of texts")
        })?;
    let named = texts.into_iter().filter(|group| !group.is_empty());
    Groups::new(named.map(str::to_owned)).map_err(|error| refused(&format!("its groups: {error}")))
}

fn audience(claims: &Value, wanted: &str) -> Result<(), Failure> {
    let wrong = || refused("its `aud` does not name `oidc_audience`");
    match claims.get("aud") {
        Some(Value::String(one)) if one == wanted => Ok(()),
        Some(Value::Array(several)) if several.iter().any(|one| one == wanted) => {
            let party = claims.get("azp");
            if several.len() > 1 && party.is_some_and(|party| party != wanted) {
                return Err(refused("it was issued to another party (`azp`)"));
            }
            Ok(())
        }
        _ => Err(wrong()),
    }
}

fn times(claims: &Value, now: Wall) -> Result<(), Failure> {
    let now = now.0.as_secs_f64();
    let expires = claims
        .get("exp")
        .and_then(Value::as_f64)
        .ok_or_else(|| refused("expected `exp` to be a number"))?;
    // What is no real number has no place in time.
    let is_valid = expires.is_finite() && expires + LEEWAY.as_secs_f64() >= now;
    if !is_valid {
        return Err(refused("it has expired"));
    }
    let begins = claims.get("nbf").and_then(Value::as_f64);
    if begins.is_some_and(|begins| begins - LEEWAY.as_secs_f64() > now) {
        return Err(refused("it is not valid yet"));
    }
    Ok(())
}

fn email(claims: &Value, wanted: &Oidc, user: &User) -> Result<(), Failure> {
    let claim = &wanted.email_claim;
    let email = claims.get(claim).and_then(Value::as_str).map(str::trim);
    // ASCII letters alone have no case here: any other letter could be somebody else's.
    if !email.is_some_and(|email| email.eq_ignore_ascii_case(user.as_str())) {
        return Err(refused(
            "its claim of the e-mail is not the user asked about",
        ));
    }
    if claims.get("email_verified").is_some_and(is_false) {
        return Err(refused("its e-mail is not verified (`email_verified`)"));
    }
    let is_verified = ["email_verified", "xms_edov"]
        .iter()
        .any(|name| claims.get(*name).is_some_and(is_true));
    if claim == "email" && is_entra(&wanted.issuer) && !is_verified {
        return Err(refused(
            "its `email` can be changed by whoever administers the account; let Entra send `xms_edov`, or name another claim with `oidc_email_claim`",
        ));
    }
    Ok(())
}

/// Whether a provider is Microsoft Entra, in any of its clouds.
fn is_entra(issuer: &str) -> bool {
    let host = issuer
        .split_once("://")
        .and_then(|(_, rest)| rest.split('/').next());
    matches!(
        host,
        Some(
            "login.microsoftonline.com"
                | "login.microsoftonline.us"
                | "login.partner.microsoftonline.cn"
                | "sts.windows.net"
        )
    )
}

/// Providers write truth as a boolean, a number or a text.
fn is_true(value: &Value) -> bool {
    value == &Value::Bool(true)
        || value.as_u64() == Some(1)
        || matches!(value.as_str(), Some("true" | "1"))
}

fn is_false(value: &Value) -> bool {
    !value.is_null() && !is_true(value)
}

fn refused(why: &str) -> Failure {
    Failure::new(Code::InvalidRequest, format!("the user's ID token: {why}"))
}

/// How far the clocks of the provider and ours may be apart.
const LEEWAY: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const NOW: u64 = 1_900_000_000;

    fn wanted() -> Oidc {
        Oidc {
            issuer: "https://idp.example/realm".into(),
            audience: "toolpass".into(),
            groups_claim: "groups".into(),
            email_claim: "email".into(),
            ca_file: None,
        }
    }

    fn claims(change: Value) -> Value {
        let mut claims = json!({
            "iss": "https://idp.example/realm",
            "aud": "toolpass",
            "exp": NOW + 300,
            "email": "dana@example.com",
        });
        let members = claims.as_object_mut().unwrap();
        for (name, value) in change.as_object().unwrap() {
            if value == "ABSENT" {
                members.remove(name);
            } else {
                members.insert(name.clone(), value.clone());
            }
        }
        claims
    }

    fn outcome(change: Value, wanted: &Oidc) -> String {
        let user = User::parse("Dana@example.com").unwrap();
        let now = Wall(Duration::from_secs(NOW));
        check(&claims(change), Some("jwt"), wanted, &user, now)
            .map_or_else(|failure| failure.to_string(), |()| "ok".into())
    }

    #[test]
    fn what_the_claims_must_say() {
        let rows = [
            (json!({}), "ok"),
            (json!({"iss": "https://idp.example/realm/"}), "ok"),
            (json!({"iss": "https://idp.example"}), "`iss`"),
            (
                json!({"iss": "https://idp.example/realm.evil.example"}),
                "`iss`",
            ),
            (json!({"iss": ["https://idp.example/realm"]}), "`iss`"),
            (json!({"iss": "ABSENT"}), "`iss`"),
            (json!({"aud": ["toolpass"]}), "ok"),
            (json!({"aud": ["other", "toolpass"]}), "ok"),
            (
                json!({"aud": ["other", "toolpass"], "azp": "toolpass"}),
                "ok",
            ),
            (
                json!({"aud": ["other", "toolpass"], "azp": "other"}),
                "`azp`",
            ),
            (json!({"aud": ["other", "toolpass"], "azp": 7}), "`azp`"),
            (json!({"aud": ["toolpass"], "azp": "other"}), "ok"),
            (json!({"aud": "Toolpass"}), "`aud`"),
            (json!({"aud": "toolpass2"}), "`aud`"),
            (json!({"aud": []}), "`aud`"),
            (json!({"aud": {"toolpass": 1}}), "`aud`"),
            (json!({"aud": "ABSENT"}), "`aud`"),
            (json!({"exp": NOW - 60}), "ok"),
            (json!({"exp": NOW - 61}), "expired"),
            (json!({"exp": (NOW + 1).to_string()}), "`exp`"),
            (json!({"exp": "ABSENT"}), "`exp`"),
            (json!({"exp": null}), "`exp`"),
            (json!({"exp": -1e308}), "expired"),
            (json!({"nbf": NOW + 60}), "ok"),
            (json!({"nbf": NOW + 61}), "not valid yet"),
            (json!({"nbf": "soon"}), "ok"),
            (json!({"email": " dana@EXAMPLE.com\t"}), "ok"),
            (json!({"email": "eve@example.com"}), "not the user"),
            (json!({"email": ["dana@example.com"]}), "not the user"),
            (json!({"email": "ABSENT"}), "not the user"),
            (json!({"email_verified": true}), "ok"),
            (json!({"email_verified": "true"}), "ok"),
            (json!({"email_verified": null}), "ok"),
            (json!({"email_verified": false}), "not verified"),
            (json!({"email_verified": "false"}), "not verified"),
            (json!({"email_verified": 0}), "not verified"),
        ];
        for (change, expected) in rows {
            let found = outcome(change.clone(), &wanted());
            let holds = if expected == "ok" {
                found == "ok"
            } else {
                found.contains(expected)
            };
            assert!(holds, "{change}: {found}");
            assert!(!found.contains("eve@"), "{found}");
        }
    }

    #[test]
    fn an_access_token_is_none() {
        let user = User::parse("dana@example.com").unwrap();
        for kind in ["at+jwt", "application/at+jwt"] {
            let now = Wall(Duration::from_secs(NOW));
            assert!(check(&claims(json!({})), Some(kind), &wanted(), &user, now).is_err());
        }
    }

    #[test]
    fn other_letters_have_case() {
        let user = User::parse("émile@example.com").unwrap();
        let now = Wall(Duration::from_secs(NOW));
        let of = |email: &str| {
            check(
                &claims(json!({"email": email})),
                None,
                &wanted(),
                &user,
                now,
            )
        };
        assert!(of("émile@EXAMPLE.com").is_ok());
        assert!(of("Émile@example.com").is_err());
    }

    #[test]
    fn a_plain_email_of_entra_is_not_believed() {
        for host in ["login.microsoftonline.com", "sts.windows.net"] {
            let issuer = format!("https://{host}/tenant/v2.0");
            let entra = Oidc {
                issuer: issuer.clone(),
                ..wanted()
            };
            let of = |more: Value| {
                let mut change = json!({"iss": issuer});
                change
                    .as_object_mut()
                    .unwrap()
                    .extend(more.as_object().unwrap().clone());
                outcome(change, &entra)
            };
            assert!(of(json!({})).contains("xms_edov"));
            assert!(of(json!({"xms_edov": false})).contains("xms_edov"));
            for yes in [json!(true), json!(1), json!("1")] {
                assert_eq!(of(json!({"xms_edov": yes})), "ok");
            }
            let upn = Oidc {
                email_claim: "upn".into(),
                ..entra.clone()
            };
            let found = outcome(json!({"iss": issuer, "upn": "dana@example.com"}), &upn);
            assert_eq!(found, "ok");
        }
    }

    #[test]
    fn which_groups() {
        let of = |claims: Value| {
            groups(&claims, "groups")
                .map(|groups| groups.as_slice().join(","))
                .unwrap_or_else(|failure| failure.code().to_string())
        };
        let rows = [
            (json!({}), ""),
            (json!({"groups": []}), ""),
            (json!({"groups": ["b", "", "a", "b"]}), "a,b"),
            (json!({"groups": "a"}), "unsupported"),
            (json!({"groups": null}), "unsupported"),
            (json!({"groups": ["a", 7]}), "unsupported"),
            (json!({"groups": ["a\u{200b}"]}), "invalid_request"),
            (json!({"groups": vec!["x".repeat(257)]}), "invalid_request"),
            (
                json!({"groups": (0..201).map(|n| n.to_string()).collect::<Vec<_>>()}),
                "invalid_request",
            ),
            (json!({"_claim_names": {"groups": "src1"}}), "unsupported"),
            (
                json!({"_claim_names": {"groups": "src1"}, "groups": ["a"]}),
                "unsupported",
            ),
            (
                json!({"_claim_names": {"roles": "src1"}, "groups": ["a"]}),
                "a",
            ),
            (json!({"hasgroups": true}), "unsupported"),
            (json!({"hasgroups": "true", "groups": ["a"]}), "unsupported"),
            (json!({"hasgroups": false, "groups": ["a"]}), "a"),
        ];
        for (claims, expected) in rows {
            assert_eq!(of(claims.clone()), expected, "{claims}");
        }
    }

    proptest! {
        #[test]
        fn no_expiry_in_the_past_is_taken(exp in proptest::num::f64::ANY) {
            let taken = outcome(json!({"exp": exp}), &wanted()) == "ok";
            prop_assert_eq!(taken, exp.is_finite() && exp + 60.0 >= NOW as f64);
        }
    }
}
