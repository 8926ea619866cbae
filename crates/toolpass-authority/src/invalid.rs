//! Why a chain is not believed: which hop, which rule. Never what it says.

use std::fmt;

/// A chain, proof or receipt that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Counted from the root, which is 0; nothing when it is the chain as a whole, or its proof.
    pub hop: Option<usize>,
    /// What it breaks.
    pub rule: Rule,
}

/// What a chain has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Bytes in all.
    Size,
    /// One hop at least, sixteen at most.
    Count,
    /// Three parts of strict base64url.
    Encoding,
    /// Exactly `alg`, `typ` and `kid`, with the values of this form.
    Header,
    /// A JSON object that repeats no member and has only claims of this form, each of its type.
    Claims,
    /// A caveat the verifier does not know or cannot read.
    Caveat,
    /// Signed by nobody the verifier trusts as a beginning.
    Root,
    /// Signed by somebody else than it says.
    Signature,
    /// Made for another parent.
    Parent,
    /// Signed by somebody else than its parent was given to.
    Holder,
    /// Another person or conversation than its parent's.
    Subject,
    /// For somebody its parent was not for.
    Audience,
    /// Begins before its parent, ends after it, or lives longer than a root may.
    Lifetime,
    /// Not one further than its parent, or further than its parent allowed.
    Depth,
    /// Other groups than its parent's.
    Groups,
    /// Forgets what its parent had seen.
    Taint,
    /// Not meant for this verifier.
    NotForUs,
    /// Its time has not come.
    Early,
    /// Its time is over.
    Expired,
    /// Taken back.
    Revoked,
    /// The holder did not prove to be it.
    Proof,
    /// The same proof was used before.
    Replay,
    /// An agent twice.
    Cycle,
}

impl Rule {
    /// The rule in words, as a part of a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Size => "is larger than 32 KiB",
            Rule::Count => "has no hop, or more than 16",
            Rule::Encoding => "is not three parts of base64url without padding",
            Rule::Header => "has another header than `alg`, `typ` and `kid` of this form",
            Rule::Claims => "has claims that are missing, unknown, repeated or of a wrong type",
            Rule::Caveat => "has a caveat that is not known here",
            Rule::Root => "is signed by no trusted root",
            Rule::Signature => "does not carry the signature of its signer",
            Rule::Parent => "was made for another parent",
            Rule::Holder => "is not signed by the holder of its parent",
            Rule::Subject => "is for another person or conversation than its parent",
            Rule::Audience => "is for an audience its parent is not for",
            Rule::Lifetime => "lives longer than its parent, or than a root may",
            Rule::Depth => "goes further than its parent allows",
            Rule::Groups => "names other groups than its parent",
            Rule::Taint => "forgets what its parent had seen",
            Rule::NotForUs => "is not meant for this receiver",
            Rule::Early => "is not valid yet",
            Rule::Expired => "has expired",
            Rule::Revoked => "was revoked",
            Rule::Proof => "comes without a proof that its sender holds it",
            Rule::Replay => "comes with a proof that was used before",
            Rule::Cycle => "comes back to an agent that is on it already",
        }
    }
}

impl Invalid {
    pub(crate) fn whole(rule: Rule) -> Invalid {
        Invalid { hop: None, rule }
    }

    pub(crate) fn at(hop: usize, rule: Rule) -> Invalid {
        Invalid {
            hop: Some(hop),
            rule,
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hop {
            Some(hop) => write!(f, "hop {hop} of the authority {}", self.rule.as_str()),
            None => write!(f, "the authority {}", self.rule.as_str()),
        }
    }
}

impl std::error::Error for Invalid {}
