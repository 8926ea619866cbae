//! Whose credential a request shows: a personal key as it is, an OAuth token as a bearer token.
//!
//! Source: linear.app/developers "Graphql", "OAuth 2.0 authentication".

use serde_json::{Value, json};

use super::world::LinearWorld;
use crate::message::{Received, Reply};

/// Who asks.
pub(super) struct Caller {
    /// The account, by id.
    pub(super) user: String,
    /// Whether it may change anything.
    pub(super) writes: bool,
}

impl Caller {
    /// As the journal names it.
    pub(super) fn name(&self, world: &LinearWorld) -> String {
        let name = world.users.get(&self.user).map(|user| user.name.as_str());
        format!("user:{}", name.unwrap_or_default().to_ascii_lowercase())
    }
}

/// The caller. Errors: Linear's answer to a credential it does not know.
pub(super) fn identify(request: &Received, world: &LinearWorld) -> Result<Caller, Reply> {
    let header = request.header("authorization").unwrap_or_default();
    let (scheme, value) = match header.split_once(' ') {
        Some((scheme, value)) => (scheme, value),
        None => ("", header),
    };
    let is_key = value.starts_with("lin_api_");
    let fits = match scheme {
        "" => is_key,
        scheme => !is_key && scheme.eq_ignore_ascii_case("bearer"),
    };
    let token = world
        .tokens
        .get(value)
        .filter(|token| fits && !token.revoked);
    token
        .map(|token| Caller {
            user: token.user.clone(),
            writes: token.writes,
        })
        .ok_or_else(refused)
}

fn refused() -> Reply {
    Reply::json(
        401,
        &json!({"errors": [error("authentication error", "Authentication required, not authenticated")]}),
    )
}

/// An error as Linear writes it.
pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"message": message, "extensions": {"type": kind, "userError": true, "userPresentableMessage": message}})
}
