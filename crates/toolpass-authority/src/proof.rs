//! Proof that whoever presents a chain holds the key it is bound to, in the form of RFC 9449.
//!
//! A proof is one JWS by that key about one request: its method, its address without query and fragment, the digest of its body
//! and of the exact chain. It is good for a minute and once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::invalid::{Invalid, Rule};
use crate::jws::{self, Jws};
use crate::key::{PublicKey, SigningKey, Thumbprint, Unusable, new_id};
use crate::members::Members;
use crate::seal::digest;

/// A request that carries a chain.
#[derive(Clone, Copy, Debug)]
pub struct Carried<'a> {
    /// Its method, as sent.
    pub method: &'a str,
    /// Its address. What is from `?` or `#` on is not bound.
    pub url: &'a str,
    /// Its body.
    pub body: &'a [u8],
}

/// How a verifier learns that the sender holds the chain.
#[derive(Clone, Copy, Debug)]
pub enum Possession<'p, 's> {
    /// By a proof about this request.
    Proof {
        /// The proof.
        text: &'p str,
        /// What it must be about.
        request: Carried<'p>,
        /// The proofs seen before.
        seen: &'s Seen,
    },
    /// Not at all: the chain never left this machine, or the caller says so.
    Bearer,
}

/// The sender holds the chain.
pub(crate) struct Proven;

/// The proofs that were used, for as long as one is good.
#[derive(Debug, Default)]
pub struct Seen(Mutex<HashMap<String, u64>>);

/// Prove that `key` holds `chain`, for one request.
/// Errors: no random bytes.
pub fn prove(
    chain: &str,
    key: &SigningKey,
    request: Carried<'_>,
    now: u64,
) -> Result<String, Unusable> {
    let claims = json!({
        "htm": request.method,
        "htu": address(request.url),
        "ath": digest(chain),
        "bod": hashed(request.body),
        "iat": now,
        "jti": new_id()?,
    });
    Ok(jws::signed(&claims, KIND, &key.public().x(), key))
}

impl Possession<'_, '_> {
    pub(crate) fn check(
        &self,
        chain: &str,
        holder: &Thumbprint,
        now: u64,
    ) -> Result<Proven, Invalid> {
        let Possession::Proof {
            text,
            request,
            seen,
        } = self
        else {
            return Ok(Proven);
        };
        let id = about(text, chain, holder, *request, now).ok_or(Invalid::whole(Rule::Proof))?;
        if seen.is_new(id, now) {
            Ok(Proven)
        } else {
            Err(Invalid::whole(Rule::Replay))
        }
    }
}

impl Seen {
    /// Whether it was not used before. From now on it was. When there are too many to remember, none is new: a proof is never
    /// forgotten while it is good.
    fn is_new(&self, id: String, now: u64) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MAX_SEEN {
            seen.retain(|_, until| *until >= now);
        }
        if seen.len() >= MAX_SEEN || seen.contains_key(&id) {
            return false;
        }
        seen.insert(id, now.saturating_add(2 * WINDOW));
        true
    }
}

/// What a proof is called, when it is about this chain and request and not too old.
fn about(
    text: &str,
    chain: &str,
    holder: &Thumbprint,
    request: Carried<'_>,
    now: u64,
) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let jws = Jws::read(text, KIND).ok()?;
    let key = PublicKey::parse(&jws.kid).ok()?;
    if key.thumbprint() != *holder || !jws.is_signed_by(&key) {
        return None;
    }
    let mut claims = Members::of(jws.claims);
    let issued = claims.number("iat").ok()?;
    let is_about = claims.text("htm").ok()? == request.method
        && claims.text("htu").ok()? == address(request.url)
        && claims.text("ath").ok()? == digest(chain)
        && claims.text("bod").ok()? == hashed(request.body);
    let id = claims.text("jti").ok()?;
    claims.end().ok()?;
    (is_about && issued.abs_diff(now) <= WINDOW).then_some(id)
}

/// What of an address is bound.
fn address(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn hashed(body: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(body))
}

const KIND: &str = "toolpass-proof+jwt";

/// Seconds a proof is good, to either side of its time.
const WINDOW: u64 = 60;

/// Bytes of a proof.
const MAX_BYTES: usize = 8 * 1024;

/// Proofs that are remembered at once.
const MAX_SEEN: usize = 100_000;
