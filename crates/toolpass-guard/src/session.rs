//! One person's run of an assistant: who, and what it has seen and spent.
//!
//! A handle that can be cloned; all clones are one session. Limits are taken all or none, under one lock.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use toolpass_core::effect::Effect;
use toolpass_core::user::Token;

/// A session.
#[derive(Clone)]
pub struct Session(Arc<State>);

struct State {
    user: String,
    groups: Option<Vec<String>>,
    token: Mutex<Option<Token>>,
    id: String,
    saw_untrusted: AtomicBool,
    read_private: AtomicBool,
    counts: Mutex<HashMap<Key, u32>>,
}

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Requests of one action of one tool.
    Action {
        /// The tool.
        tool: String,
        /// `integration:action`.
        action: String,
    },
    /// Calls and requests of an effect.
    Effect(Effect),
    /// Calls of a tool.
    Tool(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Action { tool, action } => write!(f, "action:{tool}:{action}"),
            Key::Effect(effect) => write!(f, "effect:{effect}"),
            Key::Tool(name) => write!(f, "tool:{name}"),
        }
    }
}

/// A count and how high it may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cap {
    /// What is counted.
    pub key: Key,
    /// How many at most.
    pub at_most: u32,
}

/// Counts that were taken. Given back when dropped, unless [`Slots::keep`] spends them.
#[must_use]
#[derive(Debug)]
pub struct Slots {
    session: Option<Session>,
    keys: Vec<Key>,
}

/// Why a session cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSession {
    /// No user.
    #[error("expected `user` to be a non-empty text naming the person the agent works for")]
    User,
}

impl Session {
    /// A session of `user`, who is kept as given.
    /// Errors: [`InvalidSession::User`] when blank.
    pub fn new(
        user: &str,
        groups: Option<Vec<String>>,
        token: Option<Token>,
        id: Option<String>,
    ) -> Result<Session, InvalidSession> {
        if user.trim().is_empty() {
            return Err(InvalidSession::User);
        }
        let id = id
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| uuid::Uuid::now_v7().simple().to_string());
        Ok(Session(Arc::new(State {
            user: user.into(),
            groups,
            token: Mutex::new(token),
            id,
            saw_untrusted: AtomicBool::new(false),
            read_private: AtomicBool::new(false),
            counts: Mutex::new(HashMap::new()),
        })))
    }

    /// The person.
    pub fn user(&self) -> &str {
        &self.0.user
    }

    /// The person's groups; `None` when none were given.
    pub fn groups(&self) -> Option<&[String]> {
        self.0.groups.as_deref()
    }

    /// The person's own login token.
    pub fn token(&self) -> Option<Token> {
        self.0
            .token
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Take a newer token of the person's in place of the last one.
    pub fn replace_token(&self, token: Token) {
        *self.0.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token);
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Whether outside text was seen. Never goes back.
    pub fn saw_untrusted(&self) -> bool {
        self.0.saw_untrusted.load(Ordering::Acquire)
    }

    /// Whether private data was read. Never goes back.
    pub fn read_private(&self) -> bool {
        self.0.read_private.load(Ordering::Acquire)
    }

    /// Note that outside text is about to be seen.
    pub fn mark_untrusted(&self) {
        self.0.saw_untrusted.store(true, Ordering::Release);
    }

    /// Note that private data is about to be read.
    pub fn mark_private(&self) {
        self.0.read_private.store(true, Ordering::Release);
    }

    /// How often a key was counted.
    pub fn count(&self, key: &Key) -> u32 {
        self.0
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .copied()
            .unwrap_or(0)
    }

    /// Take one of each cap, all or none.
    /// Errors: the first exhausted key; nothing is taken then.
    pub fn reserve(&self, caps: &[Cap]) -> Result<Slots, Key> {
        if caps.is_empty() {
            return Ok(Slots {
                session: None,
                keys: Vec::new(),
            });
        }
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let exhausted = |cap: &&Cap| counts.get(&cap.key).copied().unwrap_or(0) >= cap.at_most;
        if let Some(cap) = caps.iter().find(exhausted) {
            return Err(cap.key.clone());
        }
        for cap in caps {
            *counts.entry(cap.key.clone()).or_insert(0) += 1;
        }
        Ok(Slots {
            session: Some(self.clone()),
            keys: caps.iter().map(|cap| cap.key.clone()).collect(),
        })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("user", &self.0.user)
            .field("id", &self.0.id)
            .finish_non_exhaustive()
    }
}

impl Slots {
    /// Spend them: they are not given back.
    pub fn keep(mut self) {
        self.keys.clear();
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        let Some(session) = &self.session else { return };
        let mut counts = session
            .0
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for key in self.keys.drain(..) {
            if let Some(count) = counts.get_mut(&key) {
                *count = count.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cap(name: &str, at_most: u32) -> Cap {
        Cap {
            key: Key::Tool(name.into()),
            at_most,
        }
    }

    #[test]
    fn caps_are_taken_all_or_none() {
        let session = Session::new("dana@example.com", None, None, None).unwrap();
        session.reserve(&[cap("a", 2), cap("b", 1)]).unwrap().keep();
        assert_eq!(
            session.reserve(&[cap("a", 2), cap("b", 1)]).unwrap_err(),
            Key::Tool("b".into())
        );
        assert_eq!(session.count(&Key::Tool("a".into())), 1);
        drop(session.reserve(&[cap("a", 2)]).unwrap());
        assert_eq!(session.count(&Key::Tool("a".into())), 1);
        assert!(session.reserve(&[cap("a", 0)]).is_err());
    }

    #[test]
    fn one_slot_is_taken_by_one_of_many_threads() {
        let session = Session::new("dana@example.com", None, None, None).unwrap();
        let taken = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| session.reserve(&[cap("a", 3)]).map(Slots::keep).is_ok()))
                .collect();
            tries
                .into_iter()
                .filter(|_| true)
                .map(|t| usize::from(t.join().unwrap()))
                .sum::<usize>()
        });
        assert_eq!(taken, 3);
    }

    #[test]
    fn a_blank_user_is_no_user() {
        assert_eq!(
            Session::new("  ", None, None, None).unwrap_err(),
            InvalidSession::User
        );
    }
}
