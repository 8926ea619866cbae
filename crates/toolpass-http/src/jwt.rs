//! Signed assertions: RS256 and PS256 over a private key kept as PEM.
//!
//! Separate because a private key is read here and nowhere else. A key is parsed once per content, not per signature.
//! Sources: RFC 7515 (form, test vector A.2), RFC 7518 §3.3 and §3.5 (algorithms), RFC 7519 §4.1 (claims).

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair};
use serde_json::{Map, Value};
use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};

use crate::error::Error;
use crate::{json, pem, random, secrets};

/// How an assertion is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSASSA-PSS with SHA-256, salt of 32 bytes.
    Ps256,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
}

/// What stands in the header besides `alg` and `typ`.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// `kid`: which key.
    pub key_id: Option<String>,
    /// `x5t#S256`: the certificate's thumbprint.
    pub thumbprint: Option<String>,
    /// Anything else.
    pub extra: Map<String, Value>,
}

/// The registered claims an assertion uses; empty ones are left out.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// `iss`.
    pub issuer: Option<String>,
    /// `sub`.
    pub subject: Option<String>,
    /// `aud`.
    pub audience: Option<String>,
    /// `exp`.
    pub expires: Option<Wall>,
    /// `nbf`.
    pub not_before: Option<Wall>,
    /// `iat`.
    pub issued_at: Option<Wall>,
    /// `jti`; see [`fresh_id`].
    pub id: Option<String>,
    /// `scope`.
    pub oauth_scope: Option<String>,
    /// Anything else.
    pub extra: Map<String, Value>,
}

/// A private key, parsed.
pub struct SigningKey(RsaKeyPair);

/// A private key kept where a reference says, parsed again only when its content changed.
pub struct KeyRef {
    reference: SecretRef,
    parsed: Mutex<Option<(Secret, Arc<SigningKey>)>>,
}

/// Why a PEM text gives no signing key. Never holds any of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The key needs a passphrase.
    #[error(
        "the private key is encrypted; store it decrypted, as `openssl pkey -in key.pem -out plain.pem` writes it"
    )]
    Encrypted,
    /// No block of a private key.
    #[error("expected a PEM block `RSA PRIVATE KEY` or `PRIVATE KEY`")]
    Missing,
    /// The block does not hold what its label says, or not an RSA key of 2048 to 4096 bits.
    #[error(
        "the PEM block does not hold an RSA private key of 2048 to 4096 bits in the form its label says"
    )]
    Unreadable,
}

impl Algorithm {
    /// The value of `alg`.
    pub fn as_str(self) -> &'static str {
        match self {
            Algorithm::Ps256 => "PS256",
            Algorithm::Rs256 => "RS256",
        }
    }

    fn encoding(self) -> &'static dyn RsaEncoding {
        match self {
            Algorithm::Ps256 => &RSA_PSS_SHA256,
            Algorithm::Rs256 => &RSA_PKCS1_SHA256,
        }
    }
}

impl SigningKey {
    /// Read the first private key of a PEM text; what stands around it is ignored.
    /// Errors: [`KeyError`].
    pub fn from_pem(pem: &[u8]) -> Result<SigningKey, KeyError> {
        let text = String::from_utf8_lossy(pem);
        let is_key = |label: &str| {
            matches!(
                label,
                "RSA PRIVATE KEY" | "PRIVATE KEY" | "ENCRYPTED PRIVATE KEY"
            )
        };
        let block = pem::blocks(&text)
            .into_iter()
            .find(|block| is_key(block.label))
            .ok_or(KeyError::Missing)?;
        if block.label == "ENCRYPTED PRIVATE KEY" || block.has_headers {
            return Err(KeyError::Encrypted);
        }
        let der = Secret::new(block.der.ok_or(KeyError::Unreadable)?);
        let pair = match block.label {
            "RSA PRIVATE KEY" => RsaKeyPair::from_der(der.expose()),
            _ => RsaKeyPair::from_pkcs8(der.expose()),
        };
        pair.map(SigningKey).map_err(|_| KeyError::Unreadable)
    }

    /// Sign an assertion.
    /// Errors: `credential_rejected` when the key cannot sign.
    pub fn assertion(
        &self,
        algorithm: Algorithm,
        header: &Header,
        claims: &Claims,
    ) -> Result<Secret, Error> {
        let header = Value::Object(header.members(algorithm)).to_string();
        let claims = Value::Object(claims.members()).to_string();
        let input = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(header),
            URL_SAFE_NO_PAD.encode(claims)
        );
        let signature = self.sign(algorithm, input.as_bytes())?;
        Ok(Secret::new(format!(
            "{input}.{}",
            URL_SAFE_NO_PAD.encode(signature)
        )))
    }

    fn sign(&self, algorithm: Algorithm, input: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        let signed = self.0.sign(
            algorithm.encoding(),
            &SystemRandom::new(),
            input,
            &mut signature,
        );
        signed
            .map_err(|_| Error::coded(Code::CredentialRejected, "the private key cannot sign"))?;
        Ok(signature)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey([REDACTED])")
    }
}

impl KeyRef {
    /// A key kept where `reference` says; nothing is read yet.
    pub fn new(reference: SecretRef) -> KeyRef {
        KeyRef {
            reference,
            parsed: Mutex::new(None),
        }
    }

    /// The key as it is now.
    /// Errors: `credential_rejected` when it cannot be read or parsed, naming the reference.
    pub fn key(&self) -> Result<Arc<SigningKey>, Error> {
        let pem = secrets::read(&self.reference)?;
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, key)) = &*parsed
            && known.matches(pem.expose())
        {
            return Ok(key.clone());
        }
        let key = SigningKey::from_pem(pem.expose()).map_err(|why| {
            Error::coded(
                Code::CredentialRejected,
                format!("secret `{}`: {why}", self.reference.shown()),
            )
        })?;
        let key = Arc::new(key);
        *parsed = Some((pem, key.clone()));
        Ok(key)
    }
}

impl fmt::Debug for KeyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyRef").field(&self.reference).finish()
    }
}

impl Header {
    fn members(&self, algorithm: Algorithm) -> Map<String, Value> {
        let mut members = self.extra.clone();
        members.insert("alg".into(), algorithm.as_str().into());
        members.insert("typ".into(), "JWT".into());
        put(&mut members, "kid", self.key_id.as_deref());
        put(&mut members, "x5t#S256", self.thumbprint.as_deref());
        members
    }
}

impl Claims {
    fn members(&self) -> Map<String, Value> {
        let mut members = self.extra.clone();
        put(&mut members, "iss", self.issuer.as_deref());
        put(&mut members, "sub", self.subject.as_deref());
        put(&mut members, "aud", self.audience.as_deref());
        put(&mut members, "jti", self.id.as_deref());
        put(&mut members, "scope", self.oauth_scope.as_deref());
        for (name, time) in [
            ("exp", self.expires),
            ("nbf", self.not_before),
            ("iat", self.issued_at),
        ] {
            if let Some(time) = time {
                members.insert(name.into(), time.0.as_secs().into());
            }
        }
        members
    }
}

/// 128 random bits for `jti`, 22 characters.
/// Errors: the system has no randomness to give.
pub fn fresh_id() -> Result<String, Error> {
    let bytes = random::id().ok_or_else(|| {
        Error::coded(
            Code::UpstreamError,
            "the system has no random numbers to give",
        )
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The `exp` of a token that nobody has verified: good only for shortening a life.
pub fn unverified_expiry(token: &[u8]) -> Option<Wall> {
    let mut parts = std::str::from_utf8(token).ok()?.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let claims = json::parse(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let seconds = claims.get("exp")?.as_f64()?;
    std::time::Duration::try_from_secs_f64(seconds.max(0.0))
        .ok()
        .map(Wall)
}

fn put(members: &mut Map<String, Value>, name: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        members.insert(name.into(), value.into());
    }
}

#[cfg(test)]
mod tests;
