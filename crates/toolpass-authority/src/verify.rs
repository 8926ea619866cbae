//! Whether a chain holds: the order of the checks, and nothing but that order.
//!
//! size, number of hops; of each hop its encoding, header, claims; the root's key, then each signature and what it may not
//! widen; for whom, when, taken back or not; who holds it; no agent twice; then the caveats are read. The first that fails ends
//! it. Nothing is fetched: keys, time and what was revoked are given. Nothing of the chain is believed before all of it is.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::claims::{Agent, Claims, Taint};
use crate::invalid::{Invalid, Rule};
use crate::jws::Jws;
use crate::key::{PublicKey, Thumbprint};
use crate::proof::{Possession, Proven};
use crate::revoked::Revoked;
use crate::roots::Roots;
use crate::seal::{KIND, digest, first, next, sized};

/// What a verifier knows.
#[derive(Clone, Copy, Debug)]
pub struct Verifier<'a> {
    /// Whom it believes.
    pub roots: &'a Roots,
    /// What it is called.
    pub audience: &'a str,
    /// The seconds since 1970.
    pub now: u64,
    /// What was taken back.
    pub revoked: &'a Revoked,
}

/// A chain that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified<C> {
    /// The person.
    pub subject: String,
    /// Their conversation.
    pub session: String,
    /// Their groups, when the issuer verified them.
    pub groups: Option<Vec<String>>,
    /// What the conversation had seen.
    pub taint: Taint,
    /// Until when, in seconds since 1970.
    pub expires: u64,
    /// How many hops may follow.
    pub depth_left: u64,
    /// Whose it is.
    pub holder: Thumbprint,
    /// The hops, the root first.
    pub hops: Vec<Given<C>>,
}

/// One hop of a chain that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<C> {
    /// To whom.
    pub agent: Agent,
    /// What it is called.
    pub id: String,
    /// What it added.
    pub caveats: Vec<C>,
}

/// Verify a chain.
///
/// # Errors
/// [`Invalid`]: the first rule that is broken, and by which hop.
pub fn verify<C>(
    chain: &str,
    verifier: &Verifier<'_>,
    possession: Possession<'_, '_>,
    read: impl Fn(&Map<String, Value>) -> Option<C>,
) -> Result<Verified<C>, Invalid> {
    let claims = signed(chain, verifier.roots)?;
    for (at, hop) in claims.iter().enumerate() {
        timed(hop, verifier).map_err(|rule| Invalid::at(at, rule))?;
    }
    let last = claims.last().ok_or(Invalid::whole(Rule::Count))?;
    if !last.audience.iter().any(|one| one == verifier.audience) {
        return Err(Invalid::whole(Rule::NotForUs));
    }
    if let Some(at) = claims
        .iter()
        .position(|hop| verifier.revoked.holds(&hop.id) || verifier.revoked.holds(&hop.session))
    {
        return Err(Invalid::at(at, Rule::Revoked));
    }
    let Proven = possession.check(chain, &last.holder, verifier.now)?;
    no_agent_twice(&claims)?;
    let (depth_left, holder, taint, expires) = (
        last.depth_left,
        last.holder.clone(),
        last.taint,
        last.expires,
    );
    let (subject, session) = (last.subject.clone(), last.session.clone());
    let groups = claims.first().and_then(|root| root.groups.clone());
    let hops = claims
        .into_iter()
        .enumerate()
        .map(|(at, hop)| given(at, hop, &read))
        .collect::<Result<_, _>>()?;
    Ok(Verified {
        subject,
        session,
        groups,
        taint,
        expires,
        depth_left,
        holder,
        hops,
    })
}

/// What a chain says, believed by nobody: for showing it.
///
/// # Errors
/// It cannot be read.
pub fn inspect(chain: &str) -> Result<Vec<Claims>, Invalid> {
    sized(chain)?;
    chain
        .split('~')
        .enumerate()
        .map(|(at, text)| Ok(read_hop(at, text)?.1))
        .collect()
}

/// The hops, once each is signed by whom it has to be and widens nothing.
fn signed(chain: &str, roots: &Roots) -> Result<Vec<Claims>, Invalid> {
    sized(chain)?;
    let hops = chain
        .split('~')
        .enumerate()
        .map(|(at, text)| read_hop(at, text).map(|(jws, claims)| (text, jws, claims)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut verified: Vec<Claims> = Vec::with_capacity(hops.len());
    let mut parent_text = "";
    for (at, (text, jws, claims)) in hops.into_iter().enumerate() {
        let broken = |rule| Invalid::at(at, rule);
        match verified.last() {
            None => begins(&jws, &claims, roots).map_err(broken)?,
            Some(parent) => follows(&jws, &claims, parent, parent_text).map_err(broken)?,
        }
        parent_text = text;
        verified.push(claims);
    }
    Ok(verified)
}

fn read_hop(at: usize, text: &str) -> Result<(Jws<'_>, Claims), Invalid> {
    let mut jws = Jws::read(text, KIND).map_err(|rule| Invalid::at(at, rule))?;
    let claims =
        Claims::read(std::mem::take(&mut jws.claims)).map_err(|_| Invalid::at(at, Rule::Claims))?;
    Ok((jws, claims))
}

fn begins(jws: &Jws<'_>, claims: &Claims, roots: &Roots) -> Result<(), Rule> {
    let root = roots
        .named(&jws.kid)
        .filter(|root| root.issuer == claims.issuer)
        .ok_or(Rule::Root)?;
    if !jws.is_signed_by(&root.key) {
        return Err(Rule::Signature);
    }
    first(claims)
}

fn follows(jws: &Jws<'_>, claims: &Claims, parent: &Claims, parent_text: &str) -> Result<(), Rule> {
    let key = PublicKey::parse(&jws.kid).map_err(|_| Rule::Header)?;
    if key.thumbprint() != parent.holder {
        return Err(Rule::Holder);
    }
    if !jws.is_signed_by(&key) {
        return Err(Rule::Signature);
    }
    if claims.parent.as_deref() != Some(digest(parent_text).as_str()) {
        return Err(Rule::Parent);
    }
    next(parent, claims)
}

fn timed(hop: &Claims, verifier: &Verifier<'_>) -> Result<(), Rule> {
    if hop.issued > verifier.now.saturating_add(SKEW) {
        return Err(Rule::Early);
    }
    if hop.expires.saturating_add(SKEW) <= verifier.now {
        return Err(Rule::Expired);
    }
    Ok(())
}

fn no_agent_twice(claims: &[Claims]) -> Result<(), Invalid> {
    let mut seen = HashSet::new();
    for (at, hop) in claims.iter().enumerate() {
        if !seen.insert(hop.agent.id.as_str()) {
            return Err(Invalid::at(at, Rule::Cycle));
        }
    }
    Ok(())
}

fn given<C>(
    at: usize,
    hop: Claims,
    read: &impl Fn(&Map<String, Value>) -> Option<C>,
) -> Result<Given<C>, Invalid> {
    let caveats = hop
        .caveats
        .iter()
        .map(|caveat| read(caveat).ok_or(Invalid::at(at, Rule::Caveat)))
        .collect::<Result<_, _>>()?;
    Ok(Given {
        agent: hop.agent,
        id: hop.id,
        caveats,
    })
}

/// Seconds by which two clocks may differ.
pub(crate) const SKEW: u64 = 30;
