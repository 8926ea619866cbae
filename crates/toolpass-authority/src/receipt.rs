//! What a receiver reports when it is done: how much of its share it spent, and what it saw.
//!
//! Signed by the key the last hop was bound to. Slots a receipt does not name as spent go back to whoever sealed the chain;
//! without a receipt all of them count as spent.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::claims::Taint;
use crate::invalid::{Invalid, Rule};
use crate::jws::{self, Jws};
use crate::key::{PublicKey, SigningKey, Thumbprint};
use crate::members::Members;

/// A receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The hop it is for.
    pub id: String,
    /// By limit, how many slots were spent.
    pub spent: BTreeMap<String, u64>,
    /// What the receiver saw.
    pub taint: Taint,
}

impl Receipt {
    /// Sign it.
    pub fn sign(&self, key: &SigningKey) -> String {
        let claims = json!({
            "jti": self.id,
            "spent": self.spent,
            "taint": {"untrusted": self.taint.untrusted, "private": self.taint.private},
        });
        jws::signed(&claims, KIND, &key.public().x(), key)
    }

    /// Read one that `holder` has to have signed.
    /// Errors: it did not, or the receipt cannot be read.
    pub fn verify(text: &str, holder: &Thumbprint) -> Result<Receipt, Invalid> {
        read(text, holder).map_err(Invalid::whole)
    }
}

fn read(text: &str, holder: &Thumbprint) -> Result<Receipt, Rule> {
    if text.len() > MAX_BYTES {
        return Err(Rule::Size);
    }
    let jws = Jws::read(text, KIND)?;
    let key = PublicKey::parse(&jws.kid).map_err(|_| Rule::Header)?;
    if key.thumbprint() != *holder {
        return Err(Rule::Holder);
    }
    if !jws.is_signed_by(&key) {
        return Err(Rule::Signature);
    }
    let mut claims = jws.claims;
    let spent = spent(claims.remove("spent")).ok_or(Rule::Claims)?;
    let mut members = Members::of(claims);
    let mut taint = members.object("taint").map_err(|_| Rule::Claims)?;
    let receipt = Receipt {
        id: members.text("jti").map_err(|_| Rule::Claims)?,
        spent,
        taint: Taint {
            untrusted: taint.flag("untrusted").map_err(|_| Rule::Claims)?,
            private: taint.flag("private").map_err(|_| Rule::Claims)?,
        },
    };
    taint.end().map_err(|_| Rule::Claims)?;
    members.end().map_err(|_| Rule::Claims)?;
    Ok(receipt)
}

fn spent(value: Option<Value>) -> Option<BTreeMap<String, u64>> {
    match value? {
        Value::Object(limits) => limits
            .into_iter()
            .map(|(name, count)| Some((name, count.as_u64()?)))
            .collect(),
        _ => None,
    }
}

const KIND: &str = "toolpass-receipt+jwt";

const MAX_BYTES: usize = 32 * 1024;
