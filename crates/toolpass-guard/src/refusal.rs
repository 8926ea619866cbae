//! A stop: we do not let a call or a request through. Not an answer of a system, and not a failure of ours.

use std::fmt;

use toolpass_core::codes::{RefusalCode, RefusalKind};

use crate::audit::ObservedAction;

/// Why a call or a request does not go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The code.
    pub code: RefusalCode,
    /// The tool.
    pub tool: String,
    /// For the model and the person: short, no secret, no query, no body.
    pub reason: String,
    /// The request that was refused; `None` before the body, and for a check that failed.
    pub action: Option<Box<ObservedAction>>,
}

impl Refusal {
    /// A refusal of a call.
    pub fn of_call(code: RefusalCode, tool: &str, reason: impl Into<String>) -> Refusal {
        Refusal {
            code,
            tool: tool.into(),
            reason: reason.into(),
            action: None,
        }
    }

    /// Whether it was decided, could not be found out, or was never set up.
    pub fn kind(&self) -> RefusalKind {
        self.code.kind()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refused ({}): {}", self.tool, self.code, self.reason)
    }
}
