//! The keys of a connection, and what they come to.
//!
//! One connection is one workspace, because a credential of Linear's belongs to one. Separate so that a value is validated once and
//! every other file sees types.
//! Source: linear.app/developers "Graphql", "OAuth 2.0 authentication"; read 2026-12-01.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::auth::{HeaderSecret, ReadSecret, read_at_use};
use toolpass_http::error::Error;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::parts::ConnectError;

/// The keys, beyond the common ones.
pub const KEYS: &[Key] = &[
    Key::url("url", "address of the GraphQL API; Linear's own without it"),
    Key::text(
        "auth_mode",
        "what the credential is: a personal key, or an OAuth token",
    )
    .one_of(&["api_key", "oauth"])
    .default("api_key"),
    Key::secret(
        "credential",
        "personal API key or OAuth token; reading is enough",
    )
    .required(),
];

/// Linear's own address.
pub const CLOUD: &str = "https://api.linear.app/graphql";

/// One connection's settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address of the API.
    pub url: String,
    /// What the credential is.
    pub auth: AuthMode,
    /// The credential.
    pub credential: SecretRef,
}

/// What a credential is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthMode {
    /// A personal key, sent as it is.
    ApiKey,
    /// An OAuth token, sent as a bearer token.
    OAuth,
}

impl Config {
    /// Read validated settings.
    /// Errors: [`ConnectError`], naming the key that is missing.
    pub fn read(settings: &Settings) -> Result<Config, ConnectError> {
        let credential = settings
            .secret("credential")
            .ok_or_else(|| ConnectError("`credential` is missing".into()))?;
        Ok(Config {
            url: url(settings).to_owned(),
            auth: match settings.text("auth_mode") {
                Some("oauth") => AuthMode::OAuth,
                Some(_) | None => AuthMode::ApiKey,
            },
            credential: credential.clone(),
        })
    }

    /// The header of each call; the credential is read every time.
    pub fn header(&self) -> HeaderSecret {
        let (stored, auth) = (read_at_use(self.credential.clone()), self.auth);
        let value: ReadSecret = Arc::new(move || value_of(&stored()?, auth));
        HeaderSecret::new(AUTHORIZATION, value)
    }
}

/// The address of the API.
pub fn url(settings: &Settings) -> &str {
    settings
        .text("url")
        .map(|url| url.trim().trim_end_matches('/'))
        .filter(|url| !url.is_empty())
        .unwrap_or(CLOUD)
}

/// The value of the header. A token that was stored with its scheme is sent as it is.
fn value_of(stored: &Secret, auth: AuthMode) -> Result<Secret, Error> {
    let text = stored.expose().trim_ascii();
    if text.is_empty() {
        return Err(Error::coded(
            Code::CredentialRejected,
            "the credential is empty",
        ));
    }
    let has_scheme = text
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"bearer "));
    Ok(match auth {
        AuthMode::OAuth if !has_scheme => Secret::new([b"Bearer ", text].concat()),
        AuthMode::ApiKey | AuthMode::OAuth => Secret::new(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let sent = |stored: &str, auth| {
            value_of(&Secret::new(stored), auth)
                .map(|value| String::from_utf8(value.expose().to_vec()).unwrap())
                .map_err(|error| error.code())
        };
        assert_eq!(
            sent(" lin_api_x\n", AuthMode::ApiKey),
            Ok("lin_api_x".into())
        );
        assert_eq!(sent("tok", AuthMode::OAuth), Ok("Bearer tok".into()));
        assert_eq!(sent("bearer tok", AuthMode::OAuth), Ok("bearer tok".into()));
        for empty in ["", " ", "\n"] {
            assert_eq!(sent(empty, AuthMode::ApiKey), Err(Code::CredentialRejected));
        }
    }
}
