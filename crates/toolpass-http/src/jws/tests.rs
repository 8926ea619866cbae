//! The vectors of the standards, and tokens made to be believed.

use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
};
use serde_json::json;

use super::*;

const RSA: &str = include_str!("../jwt/rfc7515_a2.pkcs8.pem");
/// RFC 7515, appendix A.2.1 and A.3.1: one payload, two algorithms.
const RS256: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
const ES256: &str = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

fn rsa() -> RsaKeyPair {
    RsaKeyPair::from_pkcs8(&crate::pem::blocks(RSA)[0].der.clone().unwrap()).unwrap()
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa_jwk() -> Value {
    let public = PublicKeyComponents::<Vec<u8>>::from(rsa().public());
    json!({"kty": "RSA", "n": encoded(public.n), "e": encoded(public.e)})
}

fn es256_jwk() -> Value {
    json!({
        "kty": "EC",
        "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })
}

/// A key with more members.
fn with(mut key: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    key.as_object_mut().unwrap().extend(more);
    key
}

fn keys(keys: Value) -> KeySet {
    KeySet::read(&json!({ "keys": keys })).unwrap()
}

/// A token of these parts, signed with the RSA key.
fn signed(header: &str, claims: &str, encoding: &'static dyn RsaEncoding) -> String {
    let input = format!("{}.{}", encoded(header), encoded(claims));
    let key = rsa();
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        encoding,
        &SystemRandom::new(),
        input.as_bytes(),
        &mut signature,
    )
    .unwrap();
    format!("{input}.{}", encoded(signature))
}

fn rs256(header: &str) -> String {
    signed(header, "{}", &RSA_PKCS1_SHA256)
}

/// What becomes of a token: `ok`, or why not.
fn outcome(token: &str, keys: &KeySet) -> String {
    let verified = Token::parse(token.as_bytes())
        .map_err(Unverified::from)
        .and_then(|token| token.verify(keys));
    verified.map_or_else(|why| format!("{why:?}"), |()| "ok".into())
}

#[test]
fn the_vectors_of_rfc_7515() {
    let both = keys(json!([rsa_jwk(), es256_jwk()]));
    assert_eq!(outcome(RS256, &both), "ok");
    assert_eq!(outcome(ES256, &both), "ok");
    let token = Token::parse(ES256.as_bytes()).unwrap();
    assert_eq!(token.algorithm(), Algorithm::Es256);
    assert_eq!(token.claims()["iss"], "joe");
}

#[test]
fn every_algorithm_has_its_own_key() {
    let random = SystemRandom::new();
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let edwards = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
    let input = format!("{}.{}", encoded(r#"{"alg":"EdDSA"}"#), encoded("{}"));
    let eddsa = format!("{input}.{}", encoded(edwards.sign(input.as_bytes())));
    let okp = json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(edwards.public_key())});
    assert_eq!(outcome(&eddsa, &keys(json!([okp]))), "ok");
    let ps256 = signed(r#"{"alg":"PS256"}"#, "{}", &RSA_PSS_SHA256);
    assert_eq!(outcome(&ps256, &keys(json!([rsa_jwk()]))), "ok");
    // The signature of one scheme under the name of another.
    let confused = signed(r#"{"alg":"RS256"}"#, "{}", &RSA_PSS_SHA256);
    assert_eq!(
        outcome(&confused, &keys(json!([rsa_jwk()]))),
        "Token(Signature)"
    );
    // A curve belongs to its algorithm.
    let other_curve = with(es256_jwk(), json!({"crv": "P-384"}));
    assert_eq!(outcome(ES256, &keys(json!([other_curve]))), "Key(Absent)");
}

#[test]
fn tokens_made_to_be_believed() {
    let set = keys(json!([with(rsa_jwk(), json!({"kid": "k"}))]));
    let public = encoded(rsa_jwk().to_string());
    let hmac = |secret: &[u8]| {
        let input = format!(
            "{}.{}",
            encoded(r#"{"alg":"HS256","kid":"k"}"#),
            encoded("{}")
        );
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        format!(
            "{input}.{}",
            encoded(ring::hmac::sign(&key, input.as_bytes()))
        )
    };
    let none = format!("{}.{}.", encoded(r#"{"alg":"none"}"#), encoded("{}"));
    let rows: Vec<(String, &str)> = vec![
        (rs256(r#"{"alg":"RS256","kid":"k"}"#), "ok"),
        (none.clone(), "Token(Algorithm)"),
        (
            none.replace(&encoded(r#"{"alg":"none"}"#), &encoded(r#"{"alg":"nOnE"}"#)),
            "Token(Algorithm)",
        ),
        (hmac(public.as_bytes()), "Token(Algorithm)"),
        (hmac(RSA.as_bytes()), "Token(Algorithm)"),
        (rs256("{}"), "Token(Algorithm)"),
        (rs256(r#"{"alg":["RS256"]}"#), "Token(Algorithm)"),
        (rs256(r#"{"alg":"ES512"}"#), "Token(Unsupported)"),
        (rs256(r#"{"alg":"RS256","kid":"../../k"}"#), "Key(Absent)"),
        (rs256(r#"{"alg":"RS256","kid":"/dev/null"}"#), "Key(Absent)"),
        (
            rs256(r#"{"alg":"RS256","kid":"k' OR '1'='1"}"#),
            "Key(Absent)",
        ),
        (rs256(r#"{"alg":"RS256","kid":""}"#), "Key(Absent)"),
        (rs256(r#"{"alg":"RS256","kid":7}"#), "Token(KeyId)"),
        (rs256(r#"{"alg":"RS256","kid":null}"#), "Token(KeyId)"),
        (
            rs256(r#"{"alg":"RS256","kid":"k","crit":["exp"]}"#),
            "Token(Critical)",
        ),
        (
            rs256(r#"{"alg":"RS256","kid":"k","crit":[]}"#),
            "Token(Critical)",
        ),
        // Two readings of one header.
        (
            rs256(r#"{"alg":"RS256","alg":"none","kid":"k"}"#),
            "Token(Form)",
        ),
        (
            rs256(r#"{"alg":"RS256","kid":"k"}{"alg":"none"}"#),
            "Token(Form)",
        ),
        (rs256(r#"["RS256"]"#), "Token(Form)"),
        (String::new(), "Token(Form)"),
        ("a.b".into(), "Token(Form)"),
        (format!("{RS256}."), "Token(Form)"),
        (format!("{RS256}="), "Token(Form)"),
        (RS256.replace('.', ".."), "Token(Form)"),
        (RS256.replace('_', "/"), "Token(Form)"),
    ];
    for (token, expected) in rows {
        assert_eq!(outcome(&token, &set), expected, "{token}");
    }
    // The key it brings itself is not looked at.
    let attacker = rsa_jwk();
    let brought = rs256(
        &json!({"alg": "RS256", "jwk": attacker, "jku": "https://evil.example/"}).to_string(),
    );
    assert_eq!(
        outcome(&brought, &keys(json!([es256_jwk()]))),
        "Key(Absent)"
    );
}

#[test]
fn which_keys_may_verify() {
    let check =
        |key: Value, expected: &str| assert_eq!(outcome(RS256, &keys(json!([key]))), expected);
    check(
        with(
            rsa_jwk(),
            json!({"use": "sig", "alg": "RS256", "kid": "any", "key_ops": ["verify"]}),
        ),
        "ok",
    );
    check(with(rsa_jwk(), json!({"use": "enc"})), "Key(Absent)");
    check(with(rsa_jwk(), json!({"use": 7})), "Key(Absent)");
    check(
        with(rsa_jwk(), json!({"key_ops": ["sign", "encrypt"]})),
        "Key(Absent)",
    );
    check(with(rsa_jwk(), json!({"key_ops": "verify"})), "Key(Absent)");
    check(with(rsa_jwk(), json!({"alg": "RS512"})), "Key(Absent)");
    check(
        with(rsa_jwk(), json!({"kty": "oct", "k": "AA"})),
        "Key(Absent)",
    );
    check(
        with(rsa_jwk(), json!({"n": encoded([255; 128])})),
        "Key(Unreadable)",
    );
    check(
        with(rsa_jwk(), json!({"n": encoded([255; 1025])})),
        "Key(Unreadable)",
    );
    check(with(rsa_jwk(), json!({"n": "***"})), "Key(Unreadable)");
    check(with(rsa_jwk(), json!({"e": "AQ"})), "Token(Signature)");
    let n = URL_SAFE_NO_PAD
        .decode(rsa_jwk()["n"].as_str().unwrap())
        .unwrap();
    check(
        with(rsa_jwk(), json!({"n": encoded([vec![0], n].concat())})),
        "ok",
    );
    let two = keys(json!([rsa_jwk(), with(rsa_jwk(), json!({"kid": "other"}))]));
    assert_eq!(
        outcome(RS256, &two),
        "Key(Absent)",
        "without `kid` only a single key is clear"
    );
    let short = with(es256_jwk(), json!({"x": encoded([1; 31])}));
    assert_eq!(outcome(ES256, &keys(json!([short]))), "Key(Unreadable)");
    let off_curve = with(es256_jwk(), json!({"x": encoded([1; 32])}));
    assert_eq!(
        outcome(ES256, &keys(json!([off_curve]))),
        "Token(Signature)"
    );
}

#[test]
fn an_ecdsa_signature_has_its_own_length() {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random)
        .unwrap();
    let point = pair.public_key().as_ref();
    let key = json!({"kty": "EC", "crv": "P-256", "x": encoded(&point[1..33]), "y": encoded(&point[33..])});
    let input = format!("{}.{}", encoded(r#"{"alg":"ES256"}"#), encoded("{}"));
    let signature = pair.sign(&random, input.as_bytes()).unwrap();
    let signature = signature.as_ref();
    let set = keys(json!([key]));
    let token = |signature: &[u8]| format!("{input}.{}", encoded(signature));
    assert_eq!(outcome(&token(signature), &set), "ok");
    for wrong in [
        &signature[..63],
        &[signature, &[0]].concat(),
        &[0; 64][..],
        &[],
    ] {
        assert_eq!(outcome(&token(wrong), &set), "Token(Signature)");
    }
}

#[test]
fn what_is_no_set_of_keys() {
    let many = json!({"keys": vec![json!({}); MAX_KEYS + 1]});
    for document in [
        json!({}),
        json!([]),
        json!({"keys": {}}),
        json!({"keys": [1]}),
        many,
    ] {
        assert_eq!(KeySet::read(&document).unwrap_err(), NoKey::Malformed);
    }
    assert!(keys(json!([])).is_empty());
    assert_eq!(keys(json!([{}, {"kty": "new"}, rsa_jwk()])).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_changed_token_never_verifies(at in 0_usize..600, to in "[A-Za-z0-9_.-]") {
        let set = keys(json!([rsa_jwk(), es256_jwk()]));
        for token in [RS256, ES256] {
            let mut changed = token.to_owned();
            let at = at % token.len();
            changed.replace_range(at..=at, &to);
            // The same bits may be written in two ways only if the decoder were lax.
            prop_assert!(changed == token || outcome(&changed, &set) != "ok");
        }
    }

    #[test]
    fn no_text_is_too_odd_to_parse(text in "[ -~]{0,80}", json in r#"[\[\]{}:,"algnoekid0-9. ]{0,60}"#) {
        let _ = Token::parse(text.as_bytes());
        let _ = Token::parse(format!("{}.{}.", encoded(&json), encoded(&text)).as_bytes());
        if let Ok(value) = serde_json::from_str::<Value>(&json) {
            let _ = KeySet::read(&value);
            let _ = KeySet::read(&json!({"keys": [value]}));
        }
    }
}
