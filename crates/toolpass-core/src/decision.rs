//! The answer to one question: a code, a short text, and what it rests on.

use crate::clock::Wall;
use crate::codes::{Code, Outcome};
use crate::evidence::Evidence;
use crate::quoted::{MAX_TEXT_CHARS, clipped};

/// A decision. Its outcome is computed from its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    code: Code,
    text: String,
    /// The account the user resolved to; empty when none was.
    pub identity: String,
    /// The upstream responses it rests on.
    pub evidence: Evidence,
    /// Start of the oldest read it rests on.
    pub as_of: Option<Wall>,
    /// Whether it came from the decision cache.
    pub cached: bool,
    /// When asking again is worth it, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The decision log's id of it; empty until the engine gave it one.
    pub id: String,
    /// The vendor's rule that decided, as its code calls it; empty when none is named. Shown by an explanation only.
    pub rule: &'static str,
    /// The HTTP status a server would answer with: 200, or 400 and the like when nothing was asked of an integration.
    pub status: u16,
}

impl Decision {
    /// A decision of `code`; `text` is short, human, and holds neither a secret nor an upstream body.
    pub fn new(code: Code, text: impl AsRef<str>) -> Decision {
        Decision {
            code,
            text: clipped(text.as_ref(), MAX_TEXT_CHARS),
            identity: String::new(),
            evidence: Evidence::default(),
            as_of: None,
            cached: false,
            retry_after_ms: None,
            id: String::new(),
            rule: "",
            status: 200,
        }
    }

    /// The system said yes.
    pub fn allow(text: impl AsRef<str>) -> Decision {
        Decision::new(Code::Allowed, text)
    }

    /// The system said no.
    pub fn deny(text: impl AsRef<str>) -> Decision {
        Decision::new(Code::Denied, text)
    }

    /// It could not be decided. A code that is not of an unknown outcome becomes `unsupported`.
    pub fn unknown(code: Code, text: impl AsRef<str>) -> Decision {
        let code = if code.outcome() == Outcome::Unknown {
            code
        } else {
            Code::Unsupported
        };
        Decision::new(code, text)
    }

    /// The same, decided by the rule of this name.
    pub fn by(self, rule: &'static str) -> Decision {
        Decision { rule, ..self }
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The text without the code.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it means.
    pub fn outcome(&self) -> Outcome {
        self.code.outcome()
    }

    /// `code: text`, or the code alone when there is no text.
    pub fn reason(&self) -> String {
        if self.text.is_empty() {
            self.code.as_str().into()
        } else {
            format!("{}: {}", self.code, self.text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_can_never_be_made_an_allow() {
        assert_eq!(
            Decision::unknown(Code::Allowed, "x").code(),
            Code::Unsupported
        );
        assert_eq!(
            Decision::unknown(Code::Denied, "x").outcome(),
            Outcome::Unknown
        );
        assert_eq!(
            Decision::unknown(Code::UpstreamTimeout, "").reason(),
            "upstream_timeout"
        );
    }

    #[test]
    fn texts_are_tamed() {
        let decision = Decision::deny(format!("a\nb\u{202e}{}", "x".repeat(1000)));
        assert_eq!(decision.text().chars().count(), MAX_TEXT_CHARS);
        assert!(!decision.text().contains('\n'));
    }
}
