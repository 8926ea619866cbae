//! The keys of a connection, and what they come to.
//!
//! One connection is one site of Jira Cloud. Separate so that a value is validated once and every other file sees types.
//! Source: developer.atlassian.com "Basic auth for REST APIs", support.atlassian.com "Manage API tokens for your Atlassian account",
//! "Create OAuth 2.0 credential for service accounts"; read 2026-12-01.

use toolpass_core::secret::SecretRef;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::parts::ConnectError;

/// The keys, beyond the common ones.
pub const KEYS: &[Key] = &[
    Key::url("url", "address of the site, such as https://acme.atlassian.net").required(),
    Key::text("auth_mode", "how toolpass logs in: an account's API token, a scoped token, an OAuth client of a service account")
        .one_of(&["basic", "scoped_token", "oauth_client"])
        .default("basic"),
    Key::text("username", "e-mail of the account whose token `credential` is; a scoped token of a service account has none"),
    Key::secret("credential", "the API token, or the OAuth client's secret").required(),
    Key::text("client_id", "id of the OAuth client, in mode `oauth_client`"),
    Key::text("cloud_id", "the site's cloud id: names requests to api.atlassian.com/ex/jira; looked up for toolpass's own without it")
        .checked(check_cloud_id),
    Key::text("missing_user", "what it means that no account shows the e-mail: Jira lets people hide theirs")
        .one_of(&["deny", "unknown"])
        .default("deny"),
    Key::text("service_projects", "whether a right in a service project counts only for its agents: portal customers are said to have some too")
        .one_of(&["strict", "plain"])
        .default("strict"),
];

/// One connection's settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    /// The site, without a slash at the end.
    pub url: String,
    /// How toolpass proves who it is.
    pub auth: Auth,
    /// The site's cloud id, when it is configured.
    pub cloud_id: Option<String>,
    /// Whether an e-mail that no account shows is nobody.
    pub missing_user_denies: bool,
    /// Whether service projects are like any other.
    pub plain_service_projects: bool,
    /// Where scoped credentials call; another place in tests.
    pub gateway: String,
    /// Where OAuth clients get their tokens; another place in tests.
    pub token_endpoint: String,
}

/// Toolpass's own credential.
#[derive(Clone, Debug)]
pub enum Auth {
    /// An account's API token.
    Basic {
        /// The account's e-mail.
        username: String,
        /// The token.
        token: SecretRef,
    },
    /// An OAuth client of a service account.
    OAuthClient {
        /// Its id.
        client_id: String,
        /// Its secret.
        secret: SecretRef,
    },
    /// A token with scopes: of a person with their e-mail, of a service account without.
    Scoped {
        /// The account's e-mail.
        username: Option<String>,
        /// The token.
        token: SecretRef,
    },
}

impl Config {
    /// Read validated settings.
    /// Errors: the first problem [`check`] would name.
    pub fn read(settings: &Settings) -> Result<Config, ConnectError> {
        if let Some((key, problem)) = check(settings).into_iter().next() {
            return Err(ConnectError(format!("`{key}`: {problem}")));
        }
        let url = settings.text("url").ok_or_else(|| missing("url"))?;
        Ok(Config {
            url: url.trim_end_matches('/').to_owned(),
            auth: auth(settings)?,
            cloud_id: settings.text("cloud_id").map(str::to_owned),
            missing_user_denies: settings.text("missing_user") != Some("unknown"),
            plain_service_projects: settings.text("service_projects") == Some("plain"),
            gateway: GATEWAY.to_owned(),
            token_endpoint: TOKEN_ENDPOINT.to_owned(),
        })
    }
}

impl Auth {
    /// Its name in the configuration.
    pub fn name(&self) -> &'static str {
        match self {
            Auth::Basic { .. } => "basic",
            Auth::OAuthClient { .. } => "oauth_client",
            Auth::Scoped { .. } => "scoped_token",
        }
    }
}

/// What no single key can say: pairs of (key, problem).
pub fn check(settings: &Settings) -> Vec<(&'static str, String)> {
    let mode = settings.text("auth_mode").unwrap_or("basic");
    let mut problems = Vec::new();
    let mut refuse = |key: &'static str, when: bool, problem: &str| {
        if when {
            problems.push((key, problem.to_owned()));
        }
    };
    let (client, user) = (settings.has("client_id"), settings.has("username"));
    refuse(
        "username",
        mode == "basic" && !user,
        "expected in mode `basic`",
    );
    refuse(
        "username",
        mode == "oauth_client" && user,
        "belongs to the modes `basic` and `scoped_token`",
    );
    refuse(
        "client_id",
        mode == "oauth_client" && !client,
        "expected in mode `oauth_client`",
    );
    refuse(
        "client_id",
        mode != "oauth_client" && client,
        "belongs to mode `oauth_client`",
    );
    problems
}

/// Whether a text is a cloud id: 1 to 128 letters, digits and `-`.
pub fn is_cloud_id(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    (1..=128).contains(&text.len()) && text.bytes().all(fits)
}

fn check_cloud_id(text: &str) -> Result<(), String> {
    match is_cloud_id(text) {
        true => Ok(()),
        false => Err("1 to 128 letters, digits and `-`".into()),
    }
}

fn auth(settings: &Settings) -> Result<Auth, ConnectError> {
    let secret = settings
        .secret("credential")
        .cloned()
        .ok_or_else(|| missing("credential"))?;
    let text = |key: &'static str| settings.text(key).map(str::to_owned);
    Ok(match settings.text("auth_mode") {
        Some("oauth_client") => Auth::OAuthClient {
            client_id: text("client_id").ok_or_else(|| missing("client_id"))?,
            secret,
        },
        Some("scoped_token") => Auth::Scoped {
            username: text("username"),
            token: secret,
        },
        Some(_) | None => Auth::Basic {
            username: text("username").ok_or_else(|| missing("username"))?,
            token: secret,
        },
    })
}

fn missing(key: &str) -> ConnectError {
    ConnectError(format!("`{key}`: expected"))
}

/// Where scoped tokens and OAuth clients call.
pub const GATEWAY: &str = "https://api.atlassian.com";
const TOKEN_ENDPOINT: &str = "https://auth.atlassian.com/oauth/token";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloud_ids() {
        for good in ["a", "11223344-a1b2-3b33-c444-def123456789"] {
            assert!(is_cloud_id(good), "{good}");
        }
        for bad in ["", "a/b", "a.b", "a\n", &"a".repeat(129)] {
            assert!(!is_cloud_id(bad), "{bad}");
        }
    }
}
