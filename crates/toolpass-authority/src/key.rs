//! The keys of holders: Ed25519 only, so there is no algorithm to choose wrongly.
//!
//! A private key is kept as PKCS#8 in PEM, as `openssl genpkey -algorithm ed25519` writes it; a public key is written as the `x`
//! of its JWK (RFC 8037), 43 characters of base64url.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};
use toolpass_core::secret::Secret;

/// A key that signs.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

/// The key that checks what a [`SigningKey`] signed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

/// What a key is called: the thumbprint of its JWK (RFC 7638), 43 characters of base64url.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Thumbprint(String);

/// Why there is no key. Holds nothing of what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// No PEM.
    #[error("expected a private key in PEM, as `openssl genpkey -algorithm ed25519` writes it")]
    Pem,
    /// Another kind of key.
    #[error("the private key is not an Ed25519 key in PKCS#8")]
    Kind,
    /// No public key.
    #[error(
        "expected the 43 characters of base64url that an Ed25519 public key has in a JWK as `x`"
    )]
    Public,
    /// The system gives no random bytes.
    #[error("the system gives no random bytes")]
    Random,
}

impl SigningKey {
    /// A new key, and the PEM to keep it by.
    /// Errors: the system gives no random bytes.
    pub fn generate() -> Result<(SigningKey, Secret), Unusable> {
        let document =
            Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| Unusable::Random)?;
        let key = SigningKey::of_der(document.as_ref())?;
        Ok((key, written(document.as_ref())))
    }

    /// Read a key from its PEM.
    /// Errors: no PEM, or another kind of key.
    pub fn from_pem(pem: &Secret) -> Result<SigningKey, Unusable> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.expose()).map_err(|_| Unusable::Pem)?;
        SigningKey::of_der(der.secret_pkcs8_der())
    }

    fn of_der(der: &[u8]) -> Result<SigningKey, Unusable> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| Unusable::Kind)?;
        let public = pair
            .public_key()
            .as_ref()
            .try_into()
            .map_err(|_| Unusable::Kind)?;
        Ok(SigningKey {
            pair,
            public: PublicKey(public),
        })
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; SIGNATURE] {
        let mut bytes = [0; SIGNATURE];
        let made = self.pair.sign(message);
        for (to, from) in bytes.iter_mut().zip(made.as_ref()) {
            *to = *from;
        }
        bytes
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl PublicKey {
    /// Read it as a JWK's `x`.
    /// Errors: it is none.
    pub fn parse(x: &str) -> Result<PublicKey, Unusable> {
        let bytes = URL_SAFE_NO_PAD.decode(x).map_err(|_| Unusable::Public)?;
        Ok(PublicKey(bytes.try_into().map_err(|_| Unusable::Public)?))
    }

    /// The `x` of its JWK.
    pub fn x(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// What it is called.
    pub fn thumbprint(&self) -> Thumbprint {
        let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.x());
        Thumbprint(URL_SAFE_NO_PAD.encode(Sha256::digest(jwk)))
    }

    pub(crate) fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0)
            .verify(message, signature)
            .is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.x())
    }
}

impl Thumbprint {
    /// Read one.
    /// Errors: it is not 32 bytes of base64url.
    pub fn parse(text: &str) -> Result<Thumbprint, Unusable> {
        PublicKey::parse(text)?;
        Ok(Thumbprint(text.into()))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An identifier nobody can guess: 128 bits.
pub(crate) fn new_id() -> Result<String, Unusable> {
    let mut bytes = [0; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Unusable::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn written(der: &[u8]) -> Secret {
    let body = base64::engine::general_purpose::STANDARD.encode(der);
    let mut pem = String::with_capacity(body.len() + 64);
    pem.push_str("-----BEGIN PRIVATE KEY-----\n");
    for (at, letter) in body.chars().enumerate() {
        if at > 0 && at % 64 == 0 {
            pem.push('\n');
        }
        pem.push(letter);
    }
    pem.push_str("\n-----END PRIVATE KEY-----\n");
    Secret::new(pem)
}

/// Bytes of a signature.
pub(crate) const SIGNATURE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thumbprint_is_that_of_the_rfc() {
        // RFC 8037, appendix A.3.
        let key = PublicKey::parse("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
        assert_eq!(
            key.thumbprint().as_str(),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        );
    }

    #[test]
    fn a_key_comes_back_from_its_pem_and_shows_nothing() {
        let (key, pem) = SigningKey::generate().unwrap();
        let again = SigningKey::from_pem(&pem).unwrap();
        assert_eq!(again.public(), key.public());
        assert!(again.public().signed(b"text", &key.sign(b"text")));
        assert!(!again.public().signed(b"texT", &key.sign(b"text")));
        let secret = pem.expose_str().unwrap().lines().nth(1).unwrap();
        assert!(!format!("{key:?}").contains(secret));
    }

    #[test]
    fn a_key_of_openssl_is_read() {
        let pem = "-----BEGIN PRIVATE KEY-----\n\
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
            -----END PRIVATE KEY-----\n";
        let key = SigningKey::from_pem(&Secret::new(pem)).unwrap();
        assert_eq!(
            key.public().x(),
            "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        );
    }

    #[test]
    fn what_is_no_key_is_refused_without_showing_it() {
        for text in [
            "",
            "hunter2",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ] {
            let error = SigningKey::from_pem(&Secret::new(text)).unwrap_err();
            assert!(text.is_empty() || !error.to_string().contains(text));
        }
        for x in [
            "",
            "AAAA",
            "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
            "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ] {
            assert_eq!(PublicKey::parse(x).unwrap_err(), Unusable::Public);
        }
        // The last two bits of the 43rd letter mean nothing and have to be zero: one key has one spelling.
        assert!(PublicKey::parse("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp").is_err());
    }
}
