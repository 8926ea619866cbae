//! One person's run of an assistant: who, and what it has seen and spent.
//!
//! A handle that can be cloned; all clones are one session. Limits are taken all or none, under one lock.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use toolpass_core::effect::Effect;
use toolpass_core::user::Token;

use crate::privacy::Privacy;
use crate::taint::key::HashKey;
use crate::taint::record::{self, Match, Reader, Record, Tokens};

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
    memory: Memory,
    /// What is known of outside text; nothing until there is some. Comparing a big text takes its time, and others of the session
    /// compare meanwhile.
    record: RwLock<Option<Record>>,
    /// What is known of private data.
    privacy: Mutex<Option<Privacy>>,
}

/// How outside text is remembered.
#[derive(Clone, Copy)]
pub struct Memory {
    /// What the fingerprints are made with; nobody else may know it.
    pub key: [u8; 16],
    /// How many words in a row are a repetition.
    pub ngram: usize,
    /// How many fingerprints are kept at most.
    pub capacity: usize,
}

impl Memory {
    /// Under a key of random bytes: six words in a row, a million fingerprints.
    pub fn new(key: [u8; 16]) -> Memory {
        Memory {
            key,
            ngram: 6,
            capacity: 1_000_000,
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("ngram", &self.ngram)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
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
    /// Too few words in a row.
    #[error("expected `ngram` to be a whole number of at least 2")]
    Ngram,
    /// No room.
    #[error("expected `untrusted_capacity` to be a whole number of at least 1")]
    Capacity,
}

impl Session {
    /// A session of `user`, who is kept as given.
    /// Errors: [`InvalidSession`].
    pub fn new(
        user: &str,
        groups: Option<Vec<String>>,
        token: Option<Token>,
        id: Option<String>,
        memory: Memory,
    ) -> Result<Session, InvalidSession> {
        if memory.ngram < 2 {
            return Err(InvalidSession::Ngram);
        }
        if memory.capacity == 0 {
            return Err(InvalidSession::Capacity);
        }
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
            memory,
            record: RwLock::new(None),
            privacy: Mutex::new(None),
        })))
    }

    /// Remember outside text, as fingerprints.
    pub fn record(&self, texts: &[String]) {
        let reader = self.record_of(&mut self.recording()).reader().clone();
        // Reading a page takes its time, and other calls of the session need not wait for it.
        let prints = reader.prints(texts.iter().map(String::as_str));
        self.record_of(&mut self.recording()).record_prints(&prints);
    }

    /// Remember text that is never held against a call: the user's own words.
    pub fn trust(&self, text: &str) {
        self.record_of(&mut self.recording()).trust([text]);
    }

    /// What arguments repeat of outside text, once `ignored` is left out.
    pub(crate) fn repeats<'a>(
        &self,
        arguments: &[record::Argument<'a>],
        ignored: &[&str],
        tokens: Tokens,
    ) -> Option<Match<'a>> {
        let recorded = self.recorded();
        recorded.as_ref()?.check(arguments, ignored, tokens)
    }

    /// Whether no outside text was recorded.
    pub(crate) fn remembers_nothing(&self) -> bool {
        self.recorded().as_ref().is_none_or(Record::is_empty)
    }

    fn recorded(&self) -> RwLockReadGuard<'_, Option<Record>> {
        self.0.record.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn recording(&self) -> RwLockWriteGuard<'_, Option<Record>> {
        let locked = self.0.record.write();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// The record, begun when there is none. Who the session is for is trusted.
    fn record_of<'r>(&self, record: &'r mut Option<Record>) -> &'r mut Record {
        record.get_or_insert_with(|| {
            let reader = Reader::new(HashKey::new(self.0.memory.key), self.0.memory.ngram);
            let mut record = Record::new(reader, self.0.memory.capacity);
            let groups = self.0.groups.iter().flatten().map(String::as_str);
            record.trust(groups.chain([self.user()]));
            record
        })
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

    /// Note that private data is about to be read: where it comes from, and who may read it besides the person.
    pub fn mark_private<T: AsRef<str>>(&self, what: &str, readers: &[T]) {
        self.privacy(|privacy| privacy.add(what, readers));
        self.0.read_private.store(true, Ordering::Release);
    }

    /// Remember private text, as fingerprints, to say later what repeats it.
    pub fn record_private(&self, texts: &[String]) {
        let reader = self.privacy(|privacy| privacy.reader().clone());
        // Reading a page takes its time, and other calls of the session need not wait for it.
        let prints = reader.prints(texts.iter().map(String::as_str));
        self.privacy(|privacy| privacy.record(&prints));
    }

    /// What is known of private data.
    pub(crate) fn privacy<T>(&self, look: impl FnOnce(&mut Privacy) -> T) -> T {
        let mut privacy = self
            .0
            .privacy
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let memory = &self.0.memory;
        look(privacy.get_or_insert_with(|| Privacy::new(memory.key, memory.ngram, self.user())))
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
        let session =
            Session::new("dana@example.com", None, None, None, Memory::new([1; 16])).unwrap();
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
        let session =
            Session::new("dana@example.com", None, None, None, Memory::new([1; 16])).unwrap();
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
            Session::new("  ", None, None, None, Memory::new([1; 16])).unwrap_err(),
            InvalidSession::User
        );
    }
}
