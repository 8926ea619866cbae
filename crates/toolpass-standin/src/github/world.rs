//! What the stand-in GitHub consists of: plain data, in Rust and in JSON world files.
//!
//! Everything is keyed by its name, so that a merge patch can change one grant. A member that is left out has GitHub's own default;
//! missing ids, commits and accounts are given when a world is taken. Unknown members are errors that name them.

mod complete;
pub mod organization;
pub mod repository;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use self::organization::Organization;
use self::repository::Repository;

/// A GitHub with its accounts, organizations, repositories and credentials.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GithubWorld {
    /// The one App.
    pub app: App,
    /// Organizations by login.
    pub organizations: BTreeMap<String, Organization>,
    /// Accounts by login; those only mentioned elsewhere are added.
    pub users: BTreeMap<String, Account>,
    /// Tokens that exist from the start, by their value.
    pub tokens: BTreeMap<String, StaticToken>,
    /// Repositories by `owner/name`.
    pub repositories: BTreeMap<String, Repository>,
    /// How long a minted installation token lives; not positive: it is born expired. GitHub's is an hour.
    pub token_life_seconds: Option<i64>,
}

/// A GitHub App.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct App {
    /// The App id.
    pub id: u64,
    /// The client id, the other accepted issuer.
    pub client_id: String,
    /// The name in URLs.
    pub slug: String,
    /// The shown name.
    pub name: String,
    /// Its key: `RSA PRIVATE KEY`, `PRIVATE KEY` or `PUBLIC KEY`, as PEM. The public half verifies.
    pub key: String,
}

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// The numeric id.
    pub id: u64,
    /// `User` or `Bot`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The public name.
    pub name: Option<String>,
    /// The public e-mail.
    pub email: Option<String>,
    /// When it was suspended, as the vendor writes times.
    pub suspended_at: Option<String>,
}

/// A token that exists from the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StaticToken {
    /// What sort it is.
    pub kind: TokenKind,
    /// Its user, or for an installation token its organization.
    pub owner: String,
    /// Of a classic token: its scopes, such as `repo`.
    pub scopes: BTreeSet<String>,
    /// Of the others: `read`, `write` or `admin` by permission. `*` stands for those not listed.
    pub permissions: BTreeMap<String, String>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// Whether it has expired.
    pub expired: bool,
}

/// The sorts of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A personal access token (classic).
    #[default]
    Classic,
    /// A fine-grained personal access token.
    FineGrained,
    /// An App's installation token.
    Installation,
}

impl Default for App {
    fn default() -> App {
        App {
            id: 777,
            client_id: "Iv23standinclient".to_owned(),
            slug: "toolpass-standin".to_owned(),
            name: "Toolpass stand-in".to_owned(),
            key: APP_KEY.to_owned(),
        }
    }
}

impl Default for Account {
    fn default() -> Account {
        Account {
            id: 0,
            kind: "User".to_owned(),
            name: None,
            email: None,
            suspended_at: None,
        }
    }
}

/// The key of the default App; public on purpose, see `keys/README.md`.
pub const APP_KEY: &str = include_str!("../../keys/app.pem");

/// A key no App of the default world has.
pub const STRANGER_KEY: &str = include_str!("../../keys/stranger.pem");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_member_is_named() {
        let error = serde_json::from_str::<GithubWorld>(
            r#"{"repositories":{"acme/a":{"visibilty":"public"}}}"#,
        )
        .err()
        .unwrap();
        assert!(error.to_string().contains("visibilty"), "{error}");
    }
}
