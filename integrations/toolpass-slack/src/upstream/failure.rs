//! What a refused call to Slack means: one place for its `error` words and its statuses.
//!
//! Slack answers nearly everything with status 200 and says in `ok` whether it did it.
//! Source: docs.slack.dev "Web API", "Rate limits", the errors of each method; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::quoted::Quoted;
use toolpass_http::error::Error;
use toolpass_integration::answers::Answer;
use toolpass_integration::failure::Failure;

/// The answer that a word in `error` stands for.
pub fn refusal(error: &str) -> Answer {
    let failed = |code, text: &str| Answer::Failed(Failure::new(code, text));
    match error {
        "account_inactive" | "invalid_auth" | "not_authed" | "token_expired" | "token_revoked" => {
            failed(
                Code::CredentialRejected,
                "Slack does not accept the token: revoked, expired or mistyped",
            )
        }
        "missing_scope" => Answer::Forbidden,
        "ratelimited" => failed(Code::UpstreamRateLimited, LIMITED),
        "channel_not_found" | "file_deleted" | "file_not_found" | "not_in_channel"
        | "user_not_found" | "user_not_visible" | "users_not_found" => Answer::Missing {
            message: error.to_owned(),
        },
        "" => failed(Code::UpstreamError, "Slack says no and does not say why"),
        other => Answer::Failed(Failure::new(
            Code::UpstreamError,
            format!("Slack answered with the error {}", Quoted::new(other)),
        )),
    }
}

/// Give a call that failed over HTTP its meaning about our credential.
pub fn meaning(error: Error) -> Error {
    match error.status() {
        Some(401 | 403) => {
            error.recoded(Code::CredentialRejected, "Slack does not accept the token")
        }
        Some(429) => error.recoded(Code::UpstreamRateLimited, LIMITED),
        _ => error,
    }
}

const LIMITED: &str = "Slack limits how often the app may ask";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_meaning() {
        let code = |error: &str| match refusal(error) {
            Answer::Failed(failure) => failure.code().to_string(),
            Answer::Forbidden => "forbidden".into(),
            Answer::Missing { .. } => "missing".into(),
            Answer::Body(_) | Answer::Moved => panic!("{error} is no record"),
        };
        for (error, expected) in [
            ("invalid_auth", "credential_rejected"),
            ("token_revoked", "credential_rejected"),
            ("missing_scope", "forbidden"),
            ("ratelimited", "upstream_rate_limited"),
            ("channel_not_found", "missing"),
            ("users_not_found", "missing"),
            ("fatal_error", "upstream_error"),
            ("a word of tomorrow", "upstream_error"),
            ("", "upstream_error"),
        ] {
            assert_eq!(code(error), expected, "{error}");
        }
    }
}
