//! An App's JSON web token, verified as GitHub verifies it: RS256, issuer, issue time, at most ten minutes of life.
//!
//! Source: docs.github.com, "Generating a JSON Web Token (JWT) for a GitHub App"; the messages are those the API answers with.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{PrivatePkcs1KeyDer, PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use serde_json::Value;

use super::world::App;

/// Why a token is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Not three parts of JSON, another algorithm, or a signature of another key.
    Undecodable,
    /// `exp` absent or past.
    Expired,
    /// `iat` absent or in the future.
    NotYet,
    /// `exp` more than ten minutes ahead.
    TooLong,
    /// No App is called `iss`.
    UnknownIssuer,
}

impl Refused {
    /// The status and message GitHub answers with.
    pub(super) fn answer(self) -> (u16, &'static str) {
        match self {
            Refused::Undecodable => (401, "A JSON web token could not be decoded"),
            Refused::Expired => (
                401,
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
            ),
            Refused::NotYet => (
                401,
                "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
            ),
            Refused::TooLong => (
                401,
                "'Expiration time' claim ('exp') is too far in the future",
            ),
            Refused::UnknownIssuer => (404, "Integration not found"),
        }
    }
}

/// Whether a credential has the form of a JSON web token.
pub(super) fn looks_like_one(credential: &str) -> bool {
    credential.starts_with("eyJ") && credential.matches('.').count() == 2
}

/// Verify a token at the Unix time `now`.
pub(super) fn verify(token: &str, app: &App, now: i64) -> Result<(), Refused> {
    let (signed, signature) = token.rsplit_once('.').ok_or(Refused::Undecodable)?;
    let (header, claims) = signed.split_once('.').ok_or(Refused::Undecodable)?;
    let (header, claims) = (part(header)?, part(claims)?);
    if header.get("alg").and_then(Value::as_str) != Some("RS256") {
        return Err(Refused::Undecodable);
    }
    let issuer = match claims.get("iss") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => return Err(Refused::Undecodable),
    };
    if issuer != app.client_id && issuer != app.id.to_string() {
        return Err(Refused::UnknownIssuer);
    }
    let key = public_key(&app.key).ok_or(Refused::Undecodable)?;
    let signature = URL_SAFE_NO_PAD
        .decode(signature)
        .map_err(|_| Refused::Undecodable)?;
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key)
        .verify(signed.as_bytes(), &signature)
        .map_err(|_| Refused::Undecodable)?;
    let time = |name: &str| claims.get(name).and_then(Value::as_i64);
    let expires = time("exp").ok_or(Refused::Expired)?;
    let issued = time("iat").ok_or(Refused::NotYet)?;
    match () {
        () if issued > now => Err(Refused::NotYet),
        () if expires <= now => Err(Refused::Expired),
        () if expires > now + MAX_LIFE_SECONDS => Err(Refused::TooLong),
        () => Ok(()),
    }
}

/// The public half of a PEM key, as PKCS#1; `None` when it is none of the three accepted forms.
pub(super) fn public_key(pem: &str) -> Option<Vec<u8>> {
    let bytes = pem.as_bytes();
    if let Ok(der) = PrivatePkcs1KeyDer::from_pem_slice(bytes) {
        return Some(
            RsaKeyPair::from_der(der.secret_pkcs1_der())
                .ok()?
                .public_key()
                .as_ref()
                .to_vec(),
        );
    }
    if let Ok(der) = PrivatePkcs8KeyDer::from_pem_slice(bytes) {
        return Some(
            RsaKeyPair::from_pkcs8(der.secret_pkcs8_der())
                .ok()?
                .public_key()
                .as_ref()
                .to_vec(),
        );
    }
    let der = SubjectPublicKeyInfoDer::from_pem_slice(bytes).ok()?;
    inside_subject_public_key_info(&der)
}

fn part(text: &str) -> Result<Value, Refused> {
    let bytes = URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|_| Refused::Undecodable)?;
    serde_json::from_slice(&bytes).map_err(|_| Refused::Undecodable)
}

/// The RSAPublicKey in a SubjectPublicKeyInfo. Source: RFC 5280 section 4.1, RFC 3279 section 2.3.1.
fn inside_subject_public_key_info(der: &[u8]) -> Option<Vec<u8>> {
    let (outer, _) = der_value(der, 0x30)?;
    let (_algorithm, rest) = der_value(outer, 0x30)?;
    let (bits, _) = der_value(rest, 0x03)?;
    bits.strip_prefix(&[0]).map(<[u8]>::to_vec)
}

/// The content of a DER value with this tag, and what follows it.
fn der_value(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (first, rest) = der.split_first()?;
    let (length, rest) = rest.split_first()?;
    if *first != tag {
        return None;
    }
    if *length < 0x80 {
        return rest.split_at_checked(usize::from(*length));
    }
    let (digits, rest) = rest.split_at_checked(usize::from(*length & 0x7f))?;
    let length = digits.iter().try_fold(0_usize, |sum, digit| {
        sum.checked_mul(256)?.checked_add(usize::from(*digit))
    })?;
    rest.split_at_checked(length)
}

/// GitHub's own limit.
const MAX_LIFE_SECONDS: i64 = 600;

#[cfg(test)]
mod tests {
    use super::super::world::{APP_KEY, STRANGER_KEY};
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::RSA_PKCS1_SHA256;
    use serde_json::json;

    fn signed(pem: &str, header: &Value, claims: &Value) -> String {
        let key = PrivatePkcs1KeyDer::from_pem_slice(pem.as_bytes())
            .map(|der| RsaKeyPair::from_der(der.secret_pkcs1_der()).unwrap())
            .or_else(|_| {
                PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes())
                    .map(|der| RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap())
            })
            .unwrap();
        let text = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(header.to_string()),
            URL_SAFE_NO_PAD.encode(claims.to_string())
        );
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(
            &RSA_PKCS1_SHA256,
            &SystemRandom::new(),
            text.as_bytes(),
            &mut signature,
        )
        .unwrap();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn check(pem: &str, header: &Value, claims: &Value, expected: Result<(), Refused>) {
        assert_eq!(
            verify(&signed(pem, header, claims), &App::default(), 1_000_000),
            expected,
            "{header} {claims}"
        );
    }

    #[test]
    fn only_a_fresh_token_of_the_apps_own_key_is_taken() {
        let rs256 = json!({"alg": "RS256", "typ": "JWT"});
        let good = json!({"iss": "Iv23standinclient", "iat": 999_940, "exp": 1_000_540});
        check(APP_KEY, &rs256, &good, Ok(()));
        check(
            APP_KEY,
            &rs256,
            &json!({"iss": 777, "iat": 999_940, "exp": 1_000_540}),
            Ok(()),
        );
        check(STRANGER_KEY, &rs256, &good, Err(Refused::Undecodable));
        check(
            APP_KEY,
            &json!({"alg": "none"}),
            &good,
            Err(Refused::Undecodable),
        );
        check(
            APP_KEY,
            &rs256,
            &json!({"iss": "other", "iat": 999_940, "exp": 1_000_540}),
            Err(Refused::UnknownIssuer),
        );
        check(
            APP_KEY,
            &rs256,
            &json!({"iss": 777, "iat": 999_000, "exp": 1_000_000}),
            Err(Refused::Expired),
        );
        check(
            APP_KEY,
            &rs256,
            &json!({"iss": 777, "iat": 1_000_001, "exp": 1_000_540}),
            Err(Refused::NotYet),
        );
        check(
            APP_KEY,
            &rs256,
            &json!({"iss": 777, "iat": 999_940, "exp": 1_000_601}),
            Err(Refused::TooLong),
        );
    }

    #[test]
    fn a_public_key_alone_is_enough() {
        let private = public_key(APP_KEY).unwrap();
        let algorithm = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05,
            0x00,
        ];
        let long = |tag: u8, content: &[u8]| {
            let length = u16::try_from(content.len()).unwrap().to_be_bytes();
            [&[tag, 0x82], length.as_slice(), content].concat()
        };
        let bits = long(0x03, &[&[0], private.as_slice()].concat());
        let der = long(0x30, &[algorithm.as_slice(), &bits].concat());
        let pem = format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            base64::engine::general_purpose::STANDARD.encode(der)
        );
        assert_eq!(public_key(&pem), Some(private));
    }
}
