//! Making a root, and adding a hop to a chain one holds.
//!
//! Both are offline. What a maker asks for beyond what its parent allows is refused here, and again by whoever verifies.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::claims::{Agent, Claims, Taint};
use crate::invalid::{Invalid, Rule};
use crate::jws::{self, Jws};
use crate::key::{SigningKey, Thumbprint, Unusable, new_id};

/// What a chain begins with.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Who signs.
    pub issuer: String,
    /// What the issuer calls the key it signs with.
    pub kid: String,
    /// The person.
    pub subject: String,
    /// Their conversation.
    pub session: String,
    /// Their groups, when the issuer verified them.
    pub groups: Option<Vec<String>>,
    /// How many hops may follow, at most 15.
    pub depth_left: u64,
}

/// What every hop has of its own.
#[derive(Clone, Debug)]
pub struct Hop {
    /// Who may accept it.
    pub audience: Vec<String>,
    /// From when, in seconds since 1970.
    pub now: u64,
    /// For how many seconds: at most [`MAX_LIFETIME`]; a child ends with its parent at the latest.
    pub lifetime: u64,
    /// The key it is bound to.
    pub holder: Thumbprint,
    /// Whom it is given to.
    pub agent: Agent,
    /// What the conversation has seen so far.
    pub taint: Taint,
    /// What is added; each an object.
    pub caveats: Vec<Map<String, Value>>,
}

/// A chain that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The chain.
    pub chain: String,
    /// What its last hop is called, to revoke it.
    pub id: String,
    /// Until when it is good, in seconds since 1970.
    pub expires: u64,
}

/// A chain that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsealed {
    /// It would not hold.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// The key cannot be used.
    #[error("{0}")]
    Key(#[from] Unusable),
}

/// Begin a chain.
/// Errors: a lifetime or depth beyond the limits, no audience, no random bytes.
pub fn root(key: &SigningKey, beginning: Beginning, hop: Hop) -> Result<Sealed, Unsealed> {
    let kid = beginning.kid;
    let claims = Claims {
        issuer: beginning.issuer,
        subject: beginning.subject,
        session: beginning.session,
        audience: hop.audience,
        issued: hop.now,
        expires: hop.now.saturating_add(hop.lifetime),
        id: new_id()?,
        holder: hop.holder,
        parent: None,
        hop: 0,
        depth_left: beginning.depth_left,
        agent: hop.agent,
        groups: beginning.groups,
        taint: hop.taint,
        caveats: hop.caveats,
    };
    first(&claims).map_err(|rule| Invalid::at(0, rule))?;
    finish(None, &claims, &kid, key)
}

/// Add a hop to a chain that is bound to `key`. The parents are not verified: whoever accepts does that.
/// Errors: `key` is not the holder's, the hop asks for more than its parent has, the chain would be too long.
pub fn child(chain: &str, key: &SigningKey, hop: Hop) -> Result<Sealed, Unsealed> {
    let parts: Vec<&str> = chain.split('~').collect();
    let at = parts.len();
    let text = parts.last().copied().unwrap_or_default();
    let unreadable = |rule| Invalid::at(at.saturating_sub(1), rule);
    let read = Jws::read(text, KIND).map_err(unreadable)?;
    let parent = Claims::read(read.claims).map_err(|_| unreadable(Rule::Claims))?;
    let claims = Claims {
        issuer: key.public().thumbprint().as_str().into(),
        subject: parent.subject.clone(),
        session: parent.session.clone(),
        audience: hop.audience,
        issued: hop.now.max(parent.issued),
        expires: hop.now.saturating_add(hop.lifetime).min(parent.expires),
        id: new_id()?,
        holder: hop.holder,
        parent: Some(digest(text)),
        hop: parent.hop.saturating_add(1),
        depth_left: parent
            .depth_left
            .checked_sub(1)
            .ok_or(Invalid::at(at, Rule::Depth))?,
        agent: hop.agent,
        groups: None,
        taint: parent.taint.and(hop.taint),
        caveats: hop.caveats,
    };
    next(&parent, &claims).map_err(|rule| Invalid::at(at, rule))?;
    finish(Some(chain), &claims, &key.public().x(), key)
}

fn finish(
    chain: Option<&str>,
    claims: &Claims,
    kid: &str,
    key: &SigningKey,
) -> Result<Sealed, Unsealed> {
    let text = jws::signed(&claims.write(), KIND, kid, key);
    let chain = match chain {
        Some(parents) => format!("{parents}~{text}"),
        None => text,
    };
    sized(&chain)?;
    Ok(Sealed {
        chain,
        id: claims.id.clone(),
        expires: claims.expires,
    })
}

/// The size and number of hops of a chain.
pub(crate) fn sized(chain: &str) -> Result<(), Invalid> {
    if chain.len() > MAX_BYTES {
        return Err(Invalid::whole(Rule::Size));
    }
    if chain.is_empty() || chain.split('~').count() > MAX_HOPS {
        return Err(Invalid::whole(Rule::Count));
    }
    Ok(())
}

/// What a root has to keep.
pub(crate) fn first(root: &Claims) -> Result<(), Rule> {
    if root.parent.is_some() {
        return Err(Rule::Parent);
    }
    if root.hop != 0 || root.depth_left >= MAX_HOPS as u64 {
        return Err(Rule::Depth);
    }
    if root.audience.is_empty() {
        return Err(Rule::Audience);
    }
    let lifetime = root.expires.checked_sub(root.issued);
    if lifetime.is_none_or(|lifetime| lifetime > MAX_LIFETIME) {
        return Err(Rule::Lifetime);
    }
    Ok(())
}

/// What a child has to keep of its parent.
pub(crate) fn next(parent: &Claims, child: &Claims) -> Result<(), Rule> {
    if child.issuer != parent.holder.as_str() {
        return Err(Rule::Holder);
    }
    if child.subject != parent.subject || child.session != parent.session {
        return Err(Rule::Subject);
    }
    let within = child
        .audience
        .iter()
        .all(|one| parent.audience.contains(one));
    if child.audience.is_empty() || !within {
        return Err(Rule::Audience);
    }
    if child.issued < parent.issued
        || child.expires > parent.expires
        || child.expires < child.issued
    {
        return Err(Rule::Lifetime);
    }
    if Some(child.hop) != parent.hop.checked_add(1)
        || Some(child.depth_left) != parent.depth_left.checked_sub(1)
    {
        return Err(Rule::Depth);
    }
    if child.groups.is_some() && child.groups != parent.groups {
        return Err(Rule::Groups);
    }
    if !child.taint.covers(parent.taint) {
        return Err(Rule::Taint);
    }
    Ok(())
}

/// What a child says of the exact bytes of its parent.
pub(crate) fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}

/// The `typ` of a hop.
pub(crate) const KIND: &str = "toolpass-authority+jwt";

/// Seconds a root lives at most.
pub const MAX_LIFETIME: u64 = 3600;

/// Bytes of a chain.
const MAX_BYTES: usize = 32 * 1024;

/// Hops of a chain, with the root.
const MAX_HOPS: usize = 16;
