//! Tokens of others, verified: the compact form, published keys, signatures.
//!
//! Separate from `jwt.rs`, which signs, because everything here comes from outside: a token from whoever asks, keys from a provider.
//! Parsing and verifying are pure; who fetches the keys and what the claims must say is elsewhere.
//!
//! INVARIANT: a key is chosen by the algorithm's own type and curve, never by what the token says about keys (`jku`, `jwk`, `x5u` and
//! `x5c` are not looked at); HMAC and `none` do not exist here; an extension that must be understood (`crit`) refuses.
//! Sources: RFC 7515 §3, §4.1.11, §7.1; RFC 7517 §4; RFC 7518 §3.1, §3.4, §6.2, §6.3; RFC 8037 §2, §3.1; RFC 8725 §3.1, §3.11.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Map, Value};

use crate::json;

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Edwards curve 25519.
    EdDsa,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PSS with SHA-384.
    Ps384,
    /// RSASSA-PSS with SHA-512.
    Ps512,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
}

/// A token taken apart. Nothing of it is verified yet.
#[derive(Clone, Debug)]
pub struct Token {
    algorithm: Algorithm,
    key_id: Option<String>,
    media_type: Option<String>,
    claims: Value,
    signed: Vec<u8>,
    signature: Vec<u8>,
}

/// Why a token is none that can be verified. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    /// An algorithm of another kind, or none.
    #[error("expected `alg` to be one of {ACCEPTED}")]
    Algorithm,
    /// An extension that must be understood.
    #[error("it has `crit`, an extension that is not understood")]
    Critical,
    /// Not three parts of base64url, or no JSON objects in them.
    #[error(
        "expected a signed JSON web token: three parts, of which the first two are JSON objects"
    )]
    Form,
    /// `kid` is no text.
    #[error("expected `kid` to be a text")]
    KeyId,
    /// No key of the provider has made it.
    #[error("its signature does not verify")]
    Signature,
    /// ES512, for which there is no code here.
    #[error("ES512 is not supported; let the provider sign with ES256 or RS256")]
    Unsupported,
}

/// The keys a provider publishes.
#[derive(Clone, Debug, Default)]
pub struct KeySet(Vec<PublicKey>);

/// A published key, as far as choosing it needs; its numbers are read when it is used.
#[derive(Clone, Debug)]
struct PublicKey {
    kind: Kind,
    id: Option<String>,
    algorithm: Option<String>,
    members: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    P256,
    P384,
    Ed25519,
    Rsa,
}

/// Why no published key can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoKey {
    /// None fits the token.
    #[error("the provider publishes no key that fits the token")]
    Absent,
    /// The document is no set of keys, or a larger one than is read.
    #[error("expected a JSON object whose `keys` are at most {MAX_KEYS} objects")]
    Malformed,
    /// A key fits but cannot be read.
    #[error("the provider's key for the token cannot be read, or is not of 2048 to 8192 bits")]
    Unreadable,
}

/// How a token and the keys of its provider fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// No key can be used.
    #[error(transparent)]
    Key(#[from] NoKey),
    /// The keys say no.
    #[error(transparent)]
    Token(#[from] BadToken),
}

/// At most so many keys are read of one provider.
pub const MAX_KEYS: usize = 100;

impl Token {
    /// Take a token apart.
    /// Errors: [`BadToken`], but never `Signature`.
    pub fn parse(text: &[u8]) -> Result<Token, BadToken> {
        let text = std::str::from_utf8(text).map_err(|_| BadToken::Form)?;
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(BadToken::Form);
        };
        let signed = format!("{header}.{claims}").into_bytes();
        let signature = URL_SAFE_NO_PAD
            .decode(signature)
            .map_err(|_| BadToken::Form)?;
        let (header, claims) = (object(header)?, object(claims)?);
        if header.get("crit").is_some() {
            return Err(BadToken::Critical);
        }
        let algorithm = header.get("alg").and_then(Value::as_str);
        let algorithm = Algorithm::parse(algorithm.ok_or(BadToken::Algorithm)?)?;
        let key_id = match header.get("kid") {
            None => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(BadToken::KeyId),
        };
        let media_type = header.get("typ").and_then(Value::as_str);
        Ok(Token {
            algorithm,
            key_id,
            media_type: media_type.map(str::to_ascii_lowercase),
            claims,
            signed,
            signature,
        })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// `typ`, in lower case.
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// The claims, a JSON object. Not to be believed before [`Token::verify`] said so.
    pub fn claims(&self) -> &Value {
        &self.claims
    }

    /// Whether a published key made the signature.
    /// Errors: [`Unverified`].
    pub fn verify(&self, keys: &KeySet) -> Result<(), Unverified> {
        let fitting = keys.fitting(self)?;
        let mut why = Unverified::Token(BadToken::Signature);
        for key in fitting {
            match key.verify(self.algorithm, &self.signed, &self.signature) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(unreadable) => why = unreadable.into(),
            }
        }
        Err(why)
    }
}

impl Algorithm {
    fn parse(text: &str) -> Result<Algorithm, BadToken> {
        match text {
            "ES256" => Ok(Algorithm::Es256),
            "ES384" => Ok(Algorithm::Es384),
            "ES512" => Err(BadToken::Unsupported),
            "EdDSA" | "Ed25519" => Ok(Algorithm::EdDsa),
            "PS256" => Ok(Algorithm::Ps256),
            "PS384" => Ok(Algorithm::Ps384),
            "PS512" => Ok(Algorithm::Ps512),
            "RS256" => Ok(Algorithm::Rs256),
            "RS384" => Ok(Algorithm::Rs384),
            "RS512" => Ok(Algorithm::Rs512),
            _ => Err(BadToken::Algorithm),
        }
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Algorithm::EdDsa => &["EdDSA", "Ed25519"],
            Algorithm::Es256 => &["ES256"],
            Algorithm::Es384 => &["ES384"],
            Algorithm::Ps256 => &["PS256"],
            Algorithm::Ps384 => &["PS384"],
            Algorithm::Ps512 => &["PS512"],
            Algorithm::Rs256 => &["RS256"],
            Algorithm::Rs384 => &["RS384"],
            Algorithm::Rs512 => &["RS512"],
        }
    }

    fn kind(self) -> Kind {
        match self {
            Algorithm::EdDsa => Kind::Ed25519,
            Algorithm::Es256 => Kind::P256,
            Algorithm::Es384 => Kind::P384,
            Algorithm::Ps256
            | Algorithm::Ps384
            | Algorithm::Ps512
            | Algorithm::Rs256
            | Algorithm::Rs384
            | Algorithm::Rs512 => Kind::Rsa,
        }
    }

    fn rsa(self) -> Option<&'static RsaParameters> {
        match self {
            Algorithm::Ps256 => Some(&RSA_PSS_2048_8192_SHA256),
            Algorithm::Ps384 => Some(&RSA_PSS_2048_8192_SHA384),
            Algorithm::Ps512 => Some(&RSA_PSS_2048_8192_SHA512),
            Algorithm::Rs256 => Some(&RSA_PKCS1_2048_8192_SHA256),
            Algorithm::Rs384 => Some(&RSA_PKCS1_2048_8192_SHA384),
            Algorithm::Rs512 => Some(&RSA_PKCS1_2048_8192_SHA512),
            Algorithm::EdDsa | Algorithm::Es256 | Algorithm::Es384 => None,
        }
    }
}

impl KeySet {
    /// Read a provider's document. Keys of other kinds, for encryption, or for other operations are left out.
    /// Errors: [`NoKey::Malformed`].
    pub fn read(document: &Value) -> Result<KeySet, NoKey> {
        let keys = document.get("keys").and_then(Value::as_array);
        let keys = keys
            .filter(|keys| keys.len() <= MAX_KEYS)
            .ok_or(NoKey::Malformed)?;
        let mut kept = Vec::new();
        for key in keys {
            kept.extend(PublicKey::read(key.as_object().ok_or(NoKey::Malformed)?));
        }
        Ok(KeySet(kept))
    }

    /// How many keys can verify something.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no key can verify anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys that may have made the token: of its `kid`, or the only one of its kind.
    fn fitting(&self, token: &Token) -> Result<Vec<&PublicKey>, NoKey> {
        let of_kind = self.0.iter().filter(|key| key.is_for(token.algorithm));
        let fitting: Vec<&PublicKey> = match &token.key_id {
            Some(id) => of_kind.filter(|key| key.id.as_ref() == Some(id)).collect(),
            None => of_kind.collect(),
        };
        let is_clear = !fitting.is_empty() && (token.key_id.is_some() || fitting.len() == 1);
        if is_clear {
            Ok(fitting)
        } else {
            Err(NoKey::Absent)
        }
    }
}

impl PublicKey {
    fn read(members: &Map<String, Value>) -> Option<PublicKey> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let kind = match (text("kty")?, text("crv")) {
            ("RSA", _) => Kind::Rsa,
            ("EC", Some("P-256")) => Kind::P256,
            ("EC", Some("P-384")) => Kind::P384,
            ("OKP", Some("Ed25519")) => Kind::Ed25519,
            _ => return None,
        };
        let signs = match (members.get("use"), members.get("key_ops")) {
            (Some(purpose), _) if purpose != "sig" => false,
            (_, Some(operations)) => operations
                .as_array()
                .is_some_and(|operations| operations.iter().any(|one| one == "verify")),
            (_, None) => true,
        };
        signs.then(|| PublicKey {
            kind,
            id: text("kid").map(str::to_owned),
            algorithm: text("alg").map(str::to_owned),
            members: members.clone(),
        })
    }

    fn is_for(&self, algorithm: Algorithm) -> bool {
        let own = self.algorithm.as_deref();
        self.kind == algorithm.kind() && own.is_none_or(|own| algorithm.names().contains(&own))
    }

    /// Whether it made the signature.
    /// Errors: it cannot be read.
    fn verify(&self, algorithm: Algorithm, signed: &[u8], signature: &[u8]) -> Result<bool, NoKey> {
        if let Some(parameters) = algorithm.rsa() {
            let (n, e) = (self.number("n")?, self.number("e")?);
            if !(256..=1024).contains(&n.len()) {
                return Err(NoKey::Unreadable);
            }
            let key = RsaPublicKeyComponents { n: &n, e: &e };
            return Ok(key.verify(parameters, signed, signature).is_ok());
        }
        let (with, bytes): (&'static dyn VerificationAlgorithm, usize) = match self.kind {
            Kind::P256 => (&ECDSA_P256_SHA256_FIXED, 32),
            Kind::P384 => (&ECDSA_P384_SHA384_FIXED, 48),
            Kind::Ed25519 => (&ED25519, 32),
            Kind::Rsa => return Err(NoKey::Unreadable),
        };
        let point = if self.kind == Kind::Ed25519 {
            self.exactly("x", bytes)?
        } else {
            // An uncompressed point: its mark, then both coordinates.
            [
                vec![4],
                self.exactly("x", bytes)?,
                self.exactly("y", bytes)?,
            ]
            .concat()
        };
        let key = UnparsedPublicKey::new(with, point);
        Ok(key.verify(signed, signature).is_ok())
    }

    /// A number without leading zeros, which some providers write.
    fn number(&self, name: &str) -> Result<Vec<u8>, NoKey> {
        let bytes = self.bytes(name)?;
        let first = bytes.iter().position(|byte| *byte != 0);
        let number = first.and_then(|first| bytes.get(first..));
        number.map(<[u8]>::to_vec).ok_or(NoKey::Unreadable)
    }

    fn exactly(&self, name: &str, bytes: usize) -> Result<Vec<u8>, NoKey> {
        let found = self.bytes(name)?;
        if found.len() == bytes {
            Ok(found)
        } else {
            Err(NoKey::Unreadable)
        }
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, NoKey> {
        let text = self.members.get(name).and_then(Value::as_str);
        text.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok())
            .ok_or(NoKey::Unreadable)
    }
}

/// A part of a token: base64url of one JSON object and nothing after it.
fn object(part: &str) -> Result<Value, BadToken> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| BadToken::Form)?;
    let is_one_value = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
    let value = json::parse(&bytes).map_err(|_| BadToken::Form)?;
    if is_one_value && value.is_object() {
        Ok(value)
    } else {
        Err(BadToken::Form)
    }
}

const ACCEPTED: &str = "RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and EdDSA";

#[cfg(test)]
mod tests;
