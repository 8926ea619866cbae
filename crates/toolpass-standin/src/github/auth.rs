//! Whose credential a request shows, and what that credential may at all.
//!
//! Every endpoint passes through [`identify`]; there is no anonymous access, not even to public repositories.
//!
//! INVARIANT: an unknown, revoked or expired credential never reaches an endpoint.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::jwt;
use super::world::{GithubWorld, StaticToken, TokenKind};
use crate::message::{Received, Reply};

/// Who a request comes from.
pub(super) enum Caller {
    /// The App itself, by a JSON web token.
    App,
    /// An installation of the App.
    Installation(Installed),
    /// A user's own token.
    User(UserToken),
}

/// What an installation token may.
pub(super) struct Installed {
    pub(super) organization: String,
    pub(super) permissions: BTreeMap<String, String>,
    /// `owner/name`; absent: all of the organization's.
    pub(super) repositories: Option<BTreeSet<String>>,
}

/// What a user's token may; the user's own rights come on top.
pub(super) struct UserToken {
    pub(super) login: String,
    pub(super) grant: Grant,
}

/// The two ways of narrowing a user's token.
pub(super) enum Grant {
    Permissions(BTreeMap<String, String>),
    Scopes(BTreeSet<String>),
}

/// A token minted for an installation.
pub(super) struct Minted {
    pub(super) organization: String,
    pub(super) permissions: BTreeMap<String, String>,
    pub(super) repositories: Option<BTreeSet<String>>,
    /// Unix time.
    pub(super) expires_at: i64,
    pub(super) revoked: bool,
}

/// How much of a permission is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Read,
    Write,
    Admin,
}

/// Find the caller. The error is GitHub's answer to a missing or wrong credential.
pub(super) fn identify(
    request: &Received,
    world: &GithubWorld,
    minted: &BTreeMap<String, Minted>,
    now: i64,
) -> Result<Caller, Reply> {
    let Some(credential) = request.credential() else {
        return Err(message(401, "Requires authentication"));
    };
    if jwt::looks_like_one(&credential) {
        return match jwt::verify(&credential, &world.app, now) {
            Ok(()) => Ok(Caller::App),
            Err(refused) => {
                let (status, text) = refused.answer();
                Err(message(status, text))
            }
        };
    }
    if let Some(token) = minted.get(&credential) {
        let suspended = world
            .organizations
            .get(&token.organization)
            .and_then(|o| o.installation.as_ref())
            .is_none_or(|i| i.suspended_at.is_some());
        if token.revoked || token.expires_at <= now || suspended {
            return Err(message(401, "Bad credentials"));
        }
        return Ok(Caller::Installation(Installed {
            organization: token.organization.clone(),
            permissions: token.permissions.clone(),
            repositories: token.repositories.clone(),
        }));
    }
    match world.tokens.get(&credential) {
        Some(token) if !token.revoked && !token.expired => Ok(of_static(token)),
        _ => Err(message(401, "Bad credentials")),
    }
}

impl Caller {
    /// Its name in the journal; never its value.
    pub(super) fn name(&self) -> String {
        match self {
            Caller::App => "app".to_owned(),
            Caller::Installation(installed) => format!("installation:{}", installed.organization),
            Caller::User(user) => format!("user:{}", user.login),
        }
    }

    /// Require a permission. The error is GitHub's 403.
    pub(super) fn need(&self, permission: &str, level: Level) -> Result<(), Reply> {
        let (held, text) = match self {
            Caller::App => (false, BY_INTEGRATION),
            Caller::Installation(installed) => (
                holds(&installed.permissions, permission, level),
                BY_INTEGRATION,
            ),
            Caller::User(UserToken {
                grant: Grant::Permissions(permissions),
                ..
            }) => (
                holds(permissions, permission, level),
                "Resource not accessible by personal access token",
            ),
            Caller::User(UserToken {
                grant: Grant::Scopes(scopes),
                ..
            }) => (
                has_scope(scopes, permission, level),
                "Your token has not been granted the required scopes",
            ),
        };
        if held {
            Ok(())
        } else {
            Err(message(403, text))
        }
    }
}

/// GitHub's error body.
pub(super) fn message(status: u16, text: &str) -> Reply {
    let body = json!({"message": text, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()});
    Reply::json(status, &body)
}

fn of_static(token: &StaticToken) -> Caller {
    match token.kind {
        TokenKind::Classic => Caller::User(UserToken {
            login: token.owner.clone(),
            grant: Grant::Scopes(token.scopes.clone()),
        }),
        TokenKind::FineGrained => Caller::User(UserToken {
            login: token.owner.clone(),
            grant: Grant::Permissions(token.permissions.clone()),
        }),
        TokenKind::Installation => Caller::Installation(Installed {
            organization: token.owner.clone(),
            permissions: token.permissions.clone(),
            repositories: None,
        }),
    }
}

fn holds(permissions: &BTreeMap<String, String>, permission: &str, level: Level) -> bool {
    let held = permissions
        .get(permission)
        .or_else(|| permissions.get("*"))
        .map(String::as_str);
    let held = match held {
        Some("read") => Level::Read,
        Some("write") => Level::Write,
        Some("admin") => Level::Admin,
        _ => return permission == "metadata" && level == Level::Read && !permissions.is_empty(),
    };
    held >= level
}

/// Source: docs.github.com, "Scopes for OAuth apps". `repo` covers whatever is in a repository.
fn has_scope(scopes: &BTreeSet<String>, permission: &str, level: Level) -> bool {
    let any = |wanted: &[&str]| wanted.iter().any(|scope| scopes.contains(*scope));
    match (permission, level) {
        ("members", Level::Read) => any(&["read:org", "write:org", "admin:org"]),
        ("members", Level::Write) => any(&["write:org", "admin:org"]),
        ("members", Level::Admin)
        | ("organization_administration" | "organization_custom_roles", _) => any(&["admin:org"]),
        ("metadata", Level::Read) => true,
        _ => any(&["repo", "public_repo"]),
    }
}

const BY_INTEGRATION: &str = "Resource not accessible by integration";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_covers_the_weaker_levels_only() {
        let permissions = BTreeMap::from([("contents".to_owned(), "write".to_owned())]);
        assert!(holds(&permissions, "contents", Level::Read));
        assert!(holds(&permissions, "contents", Level::Write));
        assert!(!holds(&permissions, "contents", Level::Admin));
        assert!(!holds(&permissions, "issues", Level::Read));
        assert!(
            holds(&permissions, "metadata", Level::Read),
            "metadata is granted with anything else"
        );
        assert!(!holds(&BTreeMap::new(), "metadata", Level::Read));
    }
}
