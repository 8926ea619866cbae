//! One compact JWS: three parts, one algorithm, a header with nothing in it that could ask for something else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::invalid::Rule;
use crate::key::{PublicKey, SIGNATURE, SigningKey};

/// A JWS, read and not yet believed.
pub(crate) struct Jws<'a> {
    /// Who it says signed it.
    pub(crate) kid: String,
    /// What it says.
    pub(crate) claims: Map<String, Value>,
    signed: &'a str,
    signature: [u8; SIGNATURE],
}

impl<'a> Jws<'a> {
    /// Read one whose `typ` is `kind`.
    pub(crate) fn read(text: &'a str, kind: &str) -> Result<Jws<'a>, Rule> {
        let (signed, signature) = text.rsplit_once('.').ok_or(Rule::Encoding)?;
        let (header, claims) = signed.split_once('.').ok_or(Rule::Encoding)?;
        if claims.contains('.') {
            return Err(Rule::Encoding);
        }
        let header = decoded(header)?;
        let claims = decoded(claims)?;
        let signature = decoded(signature)?.try_into().map_err(|_| Rule::Encoding)?;
        let kid = kid_of(&object(&header).ok_or(Rule::Header)?, kind).ok_or(Rule::Header)?;
        let claims = object(&claims).ok_or(Rule::Claims)?;
        Ok(Jws {
            kid,
            claims,
            signed,
            signature,
        })
    }

    /// Whether `key` signed it.
    pub(crate) fn is_signed_by(&self, key: &PublicKey) -> bool {
        key.signed(self.signed.as_bytes(), &self.signature)
    }
}

/// Sign claims.
pub(crate) fn signed(claims: &Value, kind: &str, kid: &str, key: &SigningKey) -> String {
    let header = Value::from(Map::from_iter([
        ("alg".to_owned(), Value::from(ALGORITHM)),
        ("typ".to_owned(), Value::from(kind)),
        ("kid".to_owned(), Value::from(kid)),
    ]));
    let mut text = URL_SAFE_NO_PAD.encode(header.to_string());
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(claims.to_string(), &mut text);
    let signature = key.sign(text.as_bytes());
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut text);
    text
}

fn decoded(part: &str) -> Result<Vec<u8>, Rule> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Rule::Encoding)
}

/// A JSON object that stands alone and repeats no member, at any depth.
fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    // What is after the first value is not looked at by the reader, so there must not be anything.
    let ends = bytes.first() == Some(&b'{') && bytes.last() == Some(&b'}');
    let parsed = ends
        .then(|| toolpass_http::json::parse(bytes).ok())
        .flatten()?;
    let whole = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    match parsed {
        Value::Object(members) if whole => Some(members),
        _ => None,
    }
}

fn kid_of(header: &Map<String, Value>, kind: &str) -> Option<String> {
    let text = |name: &str| header.get(name).and_then(Value::as_str);
    let is_ours = header.len() == 3 && text("alg") == Some(ALGORITHM) && text("typ") == Some(kind);
    text("kid")
        .filter(|kid| is_ours && !kid.is_empty() && kid.len() <= MAX_KID)
        .map(str::to_owned)
}

const ALGORITHM: &str = "EdDSA";

/// Bytes.
const MAX_KID: usize = 256;
