//! What a refused call to GitHub means: one place for its statuses, headers and wording.
//!
//! GitHub answers 403 both to a credential that may not and to one that asks too often. A primary limit says so in a header; a
//! secondary one perhaps only in its message. So a 403 is looked at before anybody is told that the credential is bad.
//! Source: docs.github.com "Rate limits for the REST API", "Best practices for using the REST API", "Rate limits and query limits for
//! the GraphQL API"; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_http::error::Error;

/// Who asks, for the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The GitHub App.
    App,
    /// The configured token.
    Token,
}

impl Asker {
    /// As reasons name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Asker::App => "the App",
            Asker::Token => "the token",
        }
    }
}

/// Give a failed call its meaning. A 403 that is no rate limit is `credential_rejected`; whoever can say more looks at
/// [`is_forbidden`] first.
pub fn meaning(error: Error, asker: Asker) -> Error {
    let asker = asker.as_str();
    match error.status() {
        Some(403 | 429) if is_rate_limit(&error) => error.recoded(
            Code::UpstreamRateLimited,
            format!("GitHub limits how often {asker} may ask"),
        ),
        Some(401) => error.recoded(
            Code::CredentialRejected,
            format!("GitHub does not accept {asker}: revoked, expired or mistyped"),
        ),
        Some(403) => error.recoded(
            Code::CredentialRejected,
            format!("GitHub refuses {asker} this read"),
        ),
        _ => error,
    }
}

/// Whether GitHub refused the credential this one thing.
pub fn is_forbidden(error: &Error) -> bool {
    error.status() == Some(403) && !is_rate_limit(error)
}

/// Whether a 403 or 429 is about how often we ask.
fn is_rate_limit(error: &Error) -> bool {
    let header = |name: &str| error.headers().and_then(|headers| headers.get(name));
    error.status() == Some(429)
        || header("retry-after").is_some()
        || header("x-ratelimit-remaining").is_some_and(|left| left.as_bytes() == b"0")
        || names_a_rate_limit(&String::from_utf8_lossy(error.body_prefix()))
}

/// Whether a message or documentation address of GitHub's is about a rate limit. It is looked at and never shown.
pub fn names_a_rate_limit(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["rate limit", "rate-limit", "abuse detection"]
        .iter()
        .any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wordings() {
        for text in [
            "You have exceeded a secondary rate limit. Please wait a few minutes",
            "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api",
            "You have triggered an abuse detection mechanism",
        ] {
            assert!(names_a_rate_limit(text), "{text}");
        }
        assert!(!names_a_rate_limit(
            "Resource not accessible by integration"
        ));
    }
}
