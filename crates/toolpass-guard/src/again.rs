//! After the body: whether the person may still do what was destructive.
//!
//! A permission can be taken away between the question and the act. Nothing undoes the act, so each question about something
//! destructive is asked once more when the body is over, past every cache, and the event says what came of it.
//! INVARIANT: no answer changes the outcome of the call.

use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Question};

use crate::call::Asked;

/// One question to be asked again.
#[derive(Clone, Debug)]
pub struct Again {
    /// Who answered it.
    pub by: AnsweredBy,
    /// The question, past every cache.
    pub question: Question,
}

/// Which engine answered a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The one the tool names.
    Tool,
    /// The toolkit's.
    Toolkit,
}

/// What a call did that was destructive, and what became of the permission.
#[derive(Default)]
pub(crate) struct Destroyed {
    known: Vec<Asked>,
    left: Vec<Again>,
    still_allowed: bool,
    denied: bool,
    unanswered: bool,
}

impl Destroyed {
    /// Something destructive was done on the strength of this question's answer. The same one is asked again once.
    pub(crate) fn add(&mut self, by: AnsweredBy, mut question: Question) {
        let asked = Asked::of(&question);
        if self.known.contains(&asked) {
            return;
        }
        if self.known.len() >= MAX_AGAIN {
            self.unanswered = true;
            return;
        }
        question.freshness = Freshness {
            fresh: true,
            max_age: None,
        };
        self.known.push(asked);
        self.left.push(Again { by, question });
    }

    /// What is still to be asked.
    pub(crate) fn take(&mut self) -> Vec<Again> {
        std::mem::take(&mut self.left)
    }

    /// What one of them was answered.
    pub(crate) fn answer(&mut self, decision: &Decision) {
        match decision.outcome() {
            Outcome::Allow => self.still_allowed = true,
            Outcome::Deny => self.denied = true,
            Outcome::Unknown => self.unanswered = true,
        }
    }

    /// Whether a permission was lost; `None` when nothing was asked, or not everything was answered.
    pub(crate) fn revoked(&self) -> Option<bool> {
        if self.denied {
            Some(true)
        } else if self.unanswered || !self.left.is_empty() || !self.still_allowed {
            None
        } else {
            Some(false)
        }
    }
}

/// How many questions of a call are asked again at most; with more, the event does not say that nothing was lost.
const MAX_AGAIN: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_core::codes::Code;

    fn question(resource: &str) -> Question {
        Question {
            resource: resource.into(),
            ..Question::default()
        }
    }

    #[test]
    fn a_denial_is_a_loss_and_silence_says_nothing() {
        let mut destroyed = Destroyed::default();
        assert_eq!(destroyed.revoked(), None);
        destroyed.add(AnsweredBy::Toolkit, question("thing:1"));
        destroyed.add(AnsweredBy::Toolkit, question("thing:1"));
        destroyed.add(AnsweredBy::Toolkit, question("thing:2"));
        assert_eq!(destroyed.revoked(), None);
        let asked = destroyed.take();
        assert_eq!(asked.len(), 2);
        assert!(asked.iter().all(|again| again.question.freshness.fresh));
        destroyed.answer(&Decision::allow("yes"));
        assert_eq!(destroyed.revoked(), Some(false));
        destroyed.answer(&Decision::unknown(Code::UpstreamTimeout, "no answer"));
        assert_eq!(destroyed.revoked(), None);
        destroyed.answer(&Decision::deny("no"));
        assert_eq!(destroyed.revoked(), Some(true));
    }

    #[test]
    fn more_than_are_asked_again_is_not_nothing_lost() {
        let mut destroyed = Destroyed::default();
        for number in 0..=MAX_AGAIN {
            destroyed.add(AnsweredBy::Tool, question(&format!("thing:{number}")));
        }
        for _ in destroyed.take() {
            destroyed.answer(&Decision::allow("yes"));
        }
        assert_eq!(destroyed.revoked(), None);
    }
}
