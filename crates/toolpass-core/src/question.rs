//! One question to the engine: may this user do this action to this resource in this connection.
//!
//! The same value is asked by the in-process engine, a server and a guard, so that none of them can ask another one.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::user::Token;

/// What a request said besides its resource, taken from it by a route's extractor: name → value. Part of every cache key.
pub type Facts = BTreeMap<String, String>;

/// A question as asked: texts, not yet parsed, because a malformed question is answered, not thrown.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The user's e-mail.
    pub user: String,
    /// The user's groups; none when empty.
    pub groups: Vec<String>,
    /// The user's own ID token.
    pub token: Option<Token>,
    /// The connection's id.
    pub connection: String,
    /// The action, without the integration.
    pub action: String,
    /// The resource.
    pub resource: String,
    /// What an observed request said besides.
    pub facts: Facts,
    /// How new the answer must be.
    pub freshness: Freshness,
}

/// How old the reads behind an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Freshness {
    /// Take no stored answer. A bulk listing may still be as old as its own fresh maximum.
    pub fresh: bool,
    /// Take only what was read at most this long ago; zero takes only reads that begin after the question.
    pub max_age: Option<Duration>,
}

/// What a request has instead of a resource, to be looked up before it is decided.
///
/// `kind` names the look-up to the integration (`repository_id`), `value` is what the request carried.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    /// Which look-up.
    pub kind: String,
    /// What the request carried.
    pub value: String,
    /// What of the request belongs to it besides: an owner, a number, a suffix.
    pub parts: Facts,
}
