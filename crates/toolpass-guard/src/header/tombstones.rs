//! What stays of sessions that were forgotten for others: what they had seen, and nothing else.
//!
//! Separate from the remembered sessions because it outlives them. A conversation that goes on after it was forgotten begins with
//! the marks it had. INVARIANT: bounded; when it is full, a conversation that nobody remembers counts as having seen everything,
//! until the oldest of what filled it is too old to matter.

use std::collections::HashMap;
use std::time::Duration;

use toolpass_core::clock::Monotonic;

use super::Conversation;
use crate::session::stored::Marks;

/// How many are kept.
pub const CAPACITY: usize = 65_536;

/// How long a conversation may rest before its marks are forgotten, too.
pub const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The marks of forgotten conversations.
#[derive(Debug, Default)]
pub struct Tombstones {
    marks: HashMap<Conversation, (Marks, Monotonic)>,
    /// Until when nobody can tell what a conversation had seen.
    overflowed_until: Option<Monotonic>,
}

impl Tombstones {
    /// A conversation was forgotten. One that had seen nothing leaves nothing.
    pub fn leave(&mut self, conversation: Conversation, marks: Marks, now: Monotonic) {
        if marks == Marks::default() {
            return;
        }
        if self.marks.len() >= CAPACITY {
            self.marks
                .retain(|_, (_, left)| now.since(*left) < KEPT_FOR);
        }
        if self.marks.len() >= CAPACITY && !self.marks.contains_key(&conversation) {
            self.overflowed_until = Some(now.plus(KEPT_FOR));
            return;
        }
        self.marks.insert(conversation, (marks, now));
    }

    /// What a conversation had seen that goes on now.
    pub fn take(&mut self, conversation: &Conversation, now: Monotonic) -> Marks {
        let known = self.marks.remove(conversation);
        match known {
            Some((marks, left)) if now.since(left) < KEPT_FOR => marks,
            Some(_) | None if self.overflowed_until.is_some_and(|until| now < until) => Marks {
                untrusted: true,
                private: true,
            },
            Some(_) | None => Marks::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::remembered::tests::conversation;
    use super::*;

    const BOTH: Marks = Marks {
        untrusted: true,
        private: true,
    };
    const UNTRUSTED: Marks = Marks {
        untrusted: true,
        private: false,
    };

    fn at(seconds: u64) -> Monotonic {
        Monotonic(Duration::from_secs(seconds))
    }

    #[test]
    fn a_conversation_that_goes_on_has_its_marks_once_and_for_a_day() {
        let mut left = Tombstones::default();
        left.leave(conversation("dana", "1"), UNTRUSTED, at(0));
        left.leave(conversation("dana", "2"), UNTRUSTED, at(0));
        left.leave(conversation("dana", "3"), Marks::default(), at(0));
        assert_eq!(left.take(&conversation("dana", "1"), at(1)), UNTRUSTED);
        assert_eq!(
            left.take(&conversation("dana", "1"), at(1)),
            Marks::default()
        );
        assert_eq!(
            left.take(&conversation("sam", "2"), at(1)),
            Marks::default()
        );
        assert_eq!(
            left.take(&conversation("dana", "2"), at(86_400)),
            Marks::default()
        );
        assert_eq!(
            left.take(&conversation("dana", "3"), at(1)),
            Marks::default()
        );
    }

    #[test]
    fn what_has_no_room_counts_as_having_seen_everything() {
        let mut left = Tombstones::default();
        for number in 0..=CAPACITY {
            left.leave(conversation("dana", &number.to_string()), UNTRUSTED, at(0));
        }
        assert_eq!(left.marks.len(), CAPACITY);
        assert_eq!(left.take(&conversation("dana", "0"), at(1)), UNTRUSTED);
        assert_eq!(left.take(&conversation("dana", "65536"), at(1)), BOTH);
        assert_eq!(left.take(&conversation("sam", "new"), at(1)), BOTH);
        left.leave(conversation("sam", "later"), UNTRUSTED, at(86_400));
        assert_eq!(
            left.take(&conversation("sam", "another"), at(86_400)),
            Marks::default()
        );
        assert_eq!(
            left.take(&conversation("sam", "later"), at(86_401)),
            UNTRUSTED
        );
    }
}
