//! Whom a verifier believes as the beginning of a chain: issuers and their keys, as a JWK set (RFC 7517).
//!
//! ```json
//! {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "2026-11", "iss": "https://agents.example.com", "x": "11qY…"}]}
//! ```

use serde_json::Value;

use crate::key::PublicKey;

/// The trusted beginnings.
#[derive(Clone, Debug, Default)]
pub struct Roots(Vec<Root>);

/// One issuer's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Who signs with it.
    pub issuer: String,
    /// What the issuer calls it.
    pub kid: String,
    /// The key.
    pub key: PublicKey,
}

/// A set of roots that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRoots {
    /// No JWK set.
    #[error(
        "expected a JWK set: {{\"keys\": [{{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"kid\", \"iss\", \"x\"}}]}}"
    )]
    Form,
    /// An entry that is no such key.
    #[error("key {0}: expected `kty` OKP, `crv` Ed25519, and `kid`, `iss` and `x` as texts")]
    Key(usize),
    /// A private key among the roots.
    #[error("key {0} holds a private key (`d`); give the public key only")]
    Private(usize),
    /// Two keys of one name.
    #[error("key {0} has the `kid` of an earlier one")]
    Twice(usize),
    /// Nobody.
    #[error("the set has no key, so no chain could be believed")]
    Empty,
}

impl Roots {
    /// Of these.
    /// Errors: none at all, or two with one `kid`.
    pub fn new(roots: Vec<Root>) -> Result<Roots, InvalidRoots> {
        if roots.is_empty() {
            return Err(InvalidRoots::Empty);
        }
        for (at, root) in roots.iter().enumerate() {
            if roots.iter().take(at).any(|other| other.kid == root.kid) {
                return Err(InvalidRoots::Twice(at));
            }
        }
        Ok(Roots(roots))
    }

    /// Read a JWK set.
    /// Errors: [`InvalidRoots`], with the place of the key, counted from 0.
    pub fn parse(text: &str) -> Result<Roots, InvalidRoots> {
        let set = toolpass_http::json::parse(text.as_bytes()).map_err(|_| InvalidRoots::Form)?;
        let keys = set
            .get("keys")
            .and_then(Value::as_array)
            .ok_or(InvalidRoots::Form)?;
        let roots = keys
            .iter()
            .enumerate()
            .map(|(at, key)| root(at, key))
            .collect::<Result<_, _>>()?;
        Roots::new(roots)
    }

    pub(crate) fn named(&self, kid: &str) -> Option<&Root> {
        self.0.iter().find(|root| root.kid == kid)
    }
}

fn root(at: usize, key: &Value) -> Result<Root, InvalidRoots> {
    let text = |name: &str| {
        key.get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .ok_or(InvalidRoots::Key(at))
    };
    if key.get("d").is_some() {
        return Err(InvalidRoots::Private(at));
    }
    if text("kty")? != "OKP" || text("crv")? != "Ed25519" {
        return Err(InvalidRoots::Key(at));
    }
    Ok(Root {
        issuer: text("iss")?.into(),
        kid: text("kid")?.into(),
        key: PublicKey::parse(text("x")?).map_err(|_| InvalidRoots::Key(at))?,
    })
}
