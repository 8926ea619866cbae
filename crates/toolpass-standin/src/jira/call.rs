//! One request on its way to an endpoint: who asks, and refusals in Jira's words.
//!
//! INVARIANT: an unknown, revoked or foreign credential never reaches an endpoint.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::world::{JiraWorld, project_of};
use crate::message::{AuthorizationKind, Received, Reply, authorization_kind};

/// An endpoint's answer; the error is one too, given early.
pub(super) type Answer = Result<Reply, Reply>;

/// A request and all an endpoint may use.
pub(super) struct Call<'a> {
    pub(super) request: &'a Received,
    /// The account that asks.
    pub(super) account: String,
    /// `2` writes texts plainly, the others as documents.
    pub(super) plain_text: bool,
    /// Where links in answers lead.
    pub(super) base: String,
    pub(super) world: &'a mut JiraWorld,
}

/// The account behind a credential; `None` for none that is good here.
pub(super) fn identify(
    request: &Received,
    world: &JiraWorld,
    minted: &BTreeMap<String, String>,
    on_gateway: bool,
) -> Option<String> {
    let value = request.header("authorization")?.split_once(' ')?.1.trim();
    let (email, secret) = match authorization_kind(&request.headers) {
        AuthorizationKind::Basic => {
            let pair = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
            let (email, secret) = pair.split_once(':')?;
            (Some(email.to_owned()), secret.to_owned())
        }
        AuthorizationKind::Bearer => (None, value.to_owned()),
        AuthorizationKind::None | AuthorizationKind::Other | AuthorizationKind::Token => {
            return None;
        }
    };
    if let Some(account) = minted.get(&secret) {
        return on_gateway.then(|| account.clone());
    }
    let token = world.tokens.get(&secret).filter(|token| !token.revoked)?;
    let account = world.accounts.get(&token.account)?;
    let is_theirs = email.is_none_or(|email| account.email == email);
    let is_here = token.scoped == on_gateway;
    (is_theirs && is_here && account.active).then(|| token.account.clone())
}

/// Jira's way to refuse.
pub(super) fn message(status: u16, text: &str) -> Reply {
    Reply::json(status, &json!({ "errorMessages": [text], "errors": {} }))
}

pub(super) fn not_found() -> Reply {
    message(
        404,
        "Issue does not exist or you do not have permission to see it.",
    )
}

impl Call<'_> {
    /// Whether the asking account holds a key of the site.
    pub(super) fn has_global(&self, key: &str) -> bool {
        let account = self.world.accounts.get(&self.account);
        account.is_some_and(|account| account.global.contains(key))
    }

    /// A project the caller sees, by key in any case, or id. Errors: Jira's 404.
    pub(super) fn project(&self, name: &str) -> Result<String, Reply> {
        let wanted = name.to_ascii_uppercase();
        let found = self
            .world
            .projects
            .iter()
            .find(|(key, project)| **key == wanted || project.id.to_string() == name);
        let key = found.map(|(key, _)| key.clone());
        key.filter(|key| {
            self.world
                .holds(&self.account, "BROWSE_PROJECTS", key, None)
        })
        .ok_or_else(|| message(404, "No project could be found with key or id."))
    }

    /// An issue the caller sees, by key in any case, or id. Errors: Jira's 404.
    pub(super) fn issue(&self, name: &str) -> Result<String, Reply> {
        let wanted = name.to_ascii_uppercase();
        let found = self
            .world
            .issues
            .iter()
            .find(|(key, issue)| **key == wanted || issue.id.to_string() == name);
        let key = found.map(|(key, _)| key.clone()).ok_or_else(not_found)?;
        let project = project_of(&key).to_owned();
        match self
            .world
            .holds(&self.account, "BROWSE_PROJECTS", &project, Some(&key))
        {
            true => Ok(key),
            false => Err(not_found()),
        }
    }

    /// A member of the body. Errors: Jira's 400.
    pub(super) fn given(&self, name: &str) -> Result<Value, Reply> {
        let body = self.request.json();
        let member = body.get(name).cloned().filter(|value| !value.is_null());
        member.ok_or_else(|| message(400, &format!("The `{name}` is missing.")))
    }

    /// A number of the query.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.request.query_value(name)?.parse().ok()
    }

    /// One page of `values`, as the newer endpoints write it.
    pub(super) fn page(&self, values: Vec<Value>) -> Reply {
        let start = self.number("startAt").unwrap_or(0);
        let size = self.number("maxResults").unwrap_or(50).clamp(1, 50);
        let total = values.len();
        let page: Vec<Value> = values.into_iter().skip(start).take(size).collect();
        let is_last = start + page.len() >= total;
        Reply::json(
            200,
            &json!({ "startAt": start, "maxResults": size, "total": total, "isLast": is_last, "values": page }),
        )
    }
}
