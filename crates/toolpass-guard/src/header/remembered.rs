//! The sessions of conversations that go on, the least recently used dropped when there are too many.
//!
//! Separate because it is the only state: what a session is here is its holder's affair. Whoever takes a session out drops
//! it after letting go of the lock around this.

use std::collections::{BTreeMap, HashMap};

use super::Conversation;

/// How many sessions are remembered.
pub const CAPACITY: usize = 4096;

/// Sessions by conversation.
#[derive(Debug)]
pub struct Remembered<S> {
    sessions: HashMap<Conversation, Slot<S>>,
    by_use: BTreeMap<u64, Conversation>,
    uses: u64,
}

#[derive(Debug)]
struct Slot<S> {
    session: S,
    used: u64,
}

impl<S> Remembered<S> {
    /// None yet.
    pub fn new() -> Remembered<S> {
        Remembered {
            sessions: HashMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
        }
    }

    /// The session of a conversation, which is now the one used last.
    pub fn find(&mut self, conversation: &Conversation) -> Option<&S> {
        let slot = self.sessions.get_mut(conversation)?;
        self.uses += 1;
        self.by_use.remove(&slot.used);
        self.by_use.insert(self.uses, conversation.clone());
        slot.used = self.uses;
        Some(&slot.session)
    }

    /// Remember a session, and give back the one that was forgotten for it, with its conversation.
    pub fn insert(&mut self, conversation: Conversation, session: S) -> Option<(Conversation, S)> {
        let before = self.remove(&conversation);
        let before = before.map(|session| (conversation.clone(), session));
        let dropped = if self.sessions.len() >= CAPACITY {
            let oldest = self.by_use.pop_first();
            oldest.and_then(|(_, oldest)| {
                let slot = self.sessions.remove(&oldest)?;
                Some((oldest, slot.session))
            })
        } else {
            None
        };
        self.uses += 1;
        self.by_use.insert(self.uses, conversation.clone());
        let used = self.uses;
        self.sessions.insert(conversation, Slot { session, used });
        before.or(dropped)
    }

    /// Forget a conversation.
    pub fn remove(&mut self, conversation: &Conversation) -> Option<S> {
        let slot = self.sessions.remove(conversation)?;
        self.by_use.remove(&slot.used);
        Some(slot.session)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }
}

impl<S> Default for Remembered<S> {
    fn default() -> Remembered<S> {
        Remembered::new()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Arrived, Entry, read};
    use super::*;

    pub(in super::super) fn conversation(user: &str, id: &str) -> Conversation {
        let headers: &[(&[u8], &[u8])] = &[
            (b"x-toolpass-user", user.as_bytes()),
            (b"x-toolpass-session", id.as_bytes()),
        ];
        let arrived = Arrived {
            client: None,
            method: Some("GET"),
            headers,
        };
        match read(&arrived, None) {
            Ok(Entry::Person(person)) => person.conversation.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_least_recently_used_is_forgotten() {
        let mut kept = Remembered::new();
        for n in 0..CAPACITY {
            assert_eq!(kept.insert(conversation("dana", &n.to_string()), n), None);
        }
        assert_eq!(kept.find(&conversation("dana", "0")), Some(&0));
        assert_eq!(
            kept.insert(conversation("dana", "new"), 9999),
            Some((conversation("dana", "1"), 1))
        );
        assert_eq!(kept.len(), CAPACITY);
        assert_eq!(kept.find(&conversation("dana", "1")), None);
        assert_eq!(kept.find(&conversation("dana", "0")), Some(&0));
        assert_eq!(kept.by_use.len(), CAPACITY);
    }

    #[test]
    fn a_replaced_session_is_given_back_and_nothing_else_forgotten() {
        let mut kept = Remembered::new();
        for n in 0..CAPACITY {
            kept.insert(conversation("dana", &n.to_string()), n);
        }
        assert_eq!(
            kept.insert(conversation("dana", "7"), 70),
            Some((conversation("dana", "7"), 7))
        );
        assert_eq!(kept.len(), CAPACITY);
        assert_eq!(kept.find(&conversation("dana", "0")), Some(&0));
    }

    #[test]
    fn a_removed_conversation_begins_anew() {
        let mut kept = Remembered::default();
        kept.insert(conversation("dana", "1"), 1);
        assert_eq!(kept.find(&conversation("sam", "1")), None);
        assert_eq!(kept.remove(&conversation("dana", "1")), Some(1));
        assert_eq!(kept.remove(&conversation("dana", "1")), None);
        assert!(kept.is_empty());
        assert!(kept.by_use.is_empty());
    }
}
