//! A failure on the way to an answer: a code and a short text, with the cause kept for logs.

use std::fmt;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::quoted::{MAX_TEXT_CHARS, clipped};

/// Why an identity, a check or a look-up has no answer. Becomes a decision in the engine, and nowhere else.
#[derive(Clone, Debug)]
pub struct Failure {
    code: Code,
    text: String,
    source: Option<toolpass_http::error::Error>,
}

impl Failure {
    /// A failure of `code`; the text holds neither a secret nor an upstream body. `allowed` becomes `unsupported`.
    pub fn new(code: Code, text: impl AsRef<str>) -> Failure {
        let code = if code.outcome() == Outcome::Allow {
            Code::Unsupported
        } else {
            code
        };
        Failure {
            code,
            text: clipped(text.as_ref(), MAX_TEXT_CHARS),
            source: None,
        }
    }

    /// The resource or action is not one this integration can be asked about.
    pub fn invalid(text: impl AsRef<str>) -> Failure {
        Failure::new(Code::InvalidRequest, text)
    }

    /// A rule that cannot be evaluated.
    pub fn unsupported(text: impl AsRef<str>) -> Failure {
        Failure::new(Code::Unsupported, text)
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The upstream failure it came from.
    pub fn upstream(&self) -> Option<&toolpass_http::error::Error> {
        self.source.as_ref()
    }
}

impl From<toolpass_http::error::Error> for Failure {
    fn from(error: toolpass_http::error::Error) -> Failure {
        Failure {
            source: Some(error.clone()),
            ..Failure::new(error.code(), error.to_string())
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}
