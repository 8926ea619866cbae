//! Assertions signed with a key, and keys that are none.

use std::time::Duration;

use ring::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, UnparsedPublicKey, VerificationAlgorithm,
};

use super::*;

const PKCS1: &str = include_str!("rfc7515_a2.pkcs1.pem");
const PKCS8: &str = include_str!("rfc7515_a2.pkcs8.pem");

/// RFC 7515, appendix A.2.1.
const INPUT: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

#[test]
fn the_vector_of_rfc_7515() {
    for pem in [PKCS1, PKCS8] {
        let key = SigningKey::from_pem(pem.as_bytes()).unwrap();
        let signature = key.sign(Algorithm::Rs256, INPUT.as_bytes()).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.encode(signature), SIGNATURE);
    }
}

#[test]
fn assertions_verify_and_hold_what_was_given() {
    let key = SigningKey::from_pem(PKCS1.as_bytes()).unwrap();
    let header = Header {
        key_id: Some("k1".into()),
        thumbprint: Some(String::new()),
        ..Header::default()
    };
    let at = |seconds: u64| Some(Wall(Duration::from_millis(seconds * 1000 + 900)));
    let claims = Claims {
        issuer: Some("123".into()),
        subject: Some(String::new()),
        expires: at(1600),
        issued_at: at(1000),
        extra: Map::from_iter([("x".to_owned(), Value::Bool(true))]),
        ..Claims::default()
    };
    let rows: [(Algorithm, &'static dyn VerificationAlgorithm, &str); 2] = [
        (Algorithm::Rs256, &RSA_PKCS1_2048_8192_SHA256, "RS256"),
        (Algorithm::Ps256, &RSA_PSS_2048_8192_SHA256, "PS256"),
    ];
    for (algorithm, verification, name) in rows {
        let assertion = key.assertion(algorithm, &header, &claims).unwrap();
        let text = assertion.expose_str().unwrap();
        let (input, signature) = text.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(verification, key.0.public().as_ref());
        public
            .verify(
                input.as_bytes(),
                &URL_SAFE_NO_PAD.decode(signature).unwrap(),
            )
            .unwrap();
        let (header, claims) = input.split_once('.').unwrap();
        let shown = |part: &str| String::from_utf8(URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        assert_eq!(
            shown(header),
            format!(r#"{{"alg":"{name}","kid":"k1","typ":"JWT"}}"#)
        );
        assert_eq!(
            shown(claims),
            r#"{"exp":1600,"iat":1000,"iss":"123","x":true}"#
        );
    }
}

#[test]
fn keys_that_cannot_be_used_say_why() {
    let check = |pem: &str, expected: KeyError| {
        assert_eq!(
            SigningKey::from_pem(pem.as_bytes()).unwrap_err(),
            expected,
            "{pem}"
        );
    };
    check("", KeyError::Missing);
    check(
        "-----BEGIN EC PRIVATE KEY-----\nYWI=\n-----END EC PRIVATE KEY-----\n",
        KeyError::Missing,
    );
    check(
        &PKCS8.replace(" PRIVATE KEY", " ENCRYPTED PRIVATE KEY"),
        KeyError::Encrypted,
    );
    let old_style = PKCS1.replace(
        "BEGIN RSA PRIVATE KEY-----\n",
        "BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n",
    );
    check(&old_style, KeyError::Encrypted);
    check(
        &PKCS8.replace(" PRIVATE KEY", " RSA PRIVATE KEY"),
        KeyError::Unreadable,
    );
    check(
        &PKCS1.replace(" RSA PRIVATE KEY", " PRIVATE KEY"),
        KeyError::Unreadable,
    );
    check(
        "-----BEGIN PRIVATE KEY-----\n****\n-----END PRIVATE KEY-----\n",
        KeyError::Unreadable,
    );
    let after_another =
        format!("-----BEGIN CERTIFICATE-----\nYWI=\n-----END CERTIFICATE-----\n{PKCS1}");
    assert!(SigningKey::from_pem(after_another.as_bytes()).is_ok());
}

#[test]
fn a_key_is_parsed_once_per_content_and_errors_name_the_reference() {
    let key = KeyRef::new(SecretRef::Literal(Secret::new(PKCS8)));
    assert!(Arc::ptr_eq(&key.key().unwrap(), &key.key().unwrap()));
    assert!(!format!("{key:?} {:?}", key.key().unwrap()).contains("MII"));
    let error = KeyRef::new(SecretRef::Literal(Secret::new("hunter2hunter2")))
        .key()
        .unwrap_err();
    assert_eq!(error.code(), Code::CredentialRejected);
    assert_eq!(
        error.to_string(),
        "secret `literal`: expected a PEM block `RSA PRIVATE KEY` or `PRIVATE KEY`"
    );
}

#[test]
fn ids_and_unverified_expiries() {
    let (one, other) = (fresh_id().unwrap(), fresh_id().unwrap());
    assert_eq!((one.len(), other.len()), (22, 22));
    assert_ne!(one, other);
    let check = |claims: &str, expected: Option<u64>| {
        let token = format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(
            unverified_expiry(token.as_bytes()),
            expected.map(|seconds| Wall(Duration::from_secs(seconds))),
            "{claims}"
        );
    };
    check(r#"{"exp":1600}"#, Some(1600));
    check(r#"{"exp":-1}"#, Some(0));
    check(r#"{"exp":"1600"}"#, None);
    check(r#"{"exp":1e400}"#, None);
    check("{}", None);
    check("[]", None);
    assert_eq!(unverified_expiry(b"a.b"), None);
    assert_eq!(unverified_expiry(b"e30.e30.x.y"), None);
}
