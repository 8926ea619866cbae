//! One call on its way to a method: who calls, with which arguments, and refusals in Slack's words.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::world::{Channel, SlackWorld, Token};
use crate::message::{Received, Reply, decode};

/// A method's answer; the error is the word Slack says instead.
pub(super) type Answer = Result<Value, &'static str>;

/// A call and all a method may use.
pub(super) struct Call<'a> {
    /// What was sent, from the query, a form and JSON.
    pub(super) arguments: BTreeMap<String, String>,
    /// The token, as the world has it.
    pub(super) token: Token,
    /// The world.
    pub(super) world: &'a mut SlackWorld,
    /// Scheme and authority: links in answers start with it.
    pub(super) origin: String,
}

/// The arguments of a request: a form or JSON, and the query for what neither gives.
pub(super) fn arguments(request: &Received) -> BTreeMap<String, String> {
    let mut arguments = pairs(request.query.as_deref().unwrap_or_default());
    let kind = request.header("content-type").unwrap_or_default();
    if kind.starts_with("application/json") {
        if let Value::Object(members) = request.json() {
            for (name, value) in members {
                let text = match value {
                    Value::String(text) => text,
                    Value::Null => continue,
                    other => other.to_string(),
                };
                arguments.insert(name, text);
            }
        }
    } else {
        arguments.extend(pairs(&String::from_utf8_lossy(&request.body)));
    }
    arguments
}

/// The token's value: of the `Authorization` header, or an argument.
pub(super) fn credential(
    request: &Received,
    arguments: &BTreeMap<String, String>,
) -> Option<String> {
    request
        .credential()
        .or_else(|| arguments.get("token").cloned())
}

/// The token of that value. Errors: Slack's words for none, an unknown and a revoked one.
pub(super) fn token(world: &SlackWorld, credential: Option<&str>) -> Result<Token, &'static str> {
    let credential = credential.ok_or("not_authed")?;
    match world.tokens.get(credential) {
        Some(token) if token.revoked => Err("token_revoked"),
        Some(token) => Ok(token.clone()),
        None => Err("invalid_auth"),
    }
}

impl Call<'_> {
    /// An argument that must be there. Errors: Slack's word for one that is not.
    pub(super) fn need(&self, name: &str) -> Result<String, &'static str> {
        self.given(name).ok_or("invalid_arguments")
    }

    /// An argument that says something.
    pub(super) fn given(&self, name: &str) -> Option<String> {
        self.arguments
            .get(name)
            .filter(|text| !text.is_empty())
            .cloned()
    }

    /// An argument that is true or false.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.given(name)
            .is_some_and(|text| matches!(text.as_str(), "1" | "true"))
    }

    /// Whether the token's account sees a conversation: it is public, or they are in it.
    pub(super) fn sees(&self, channel: &Channel) -> bool {
        !(channel.is_private || channel.is_im) || channel.members.contains(&self.token.user)
    }

    /// The conversation an argument names. Errors: it is not there, or not seen.
    pub(super) fn channel(&mut self, name: &str) -> Result<(String, &mut Channel), &'static str> {
        let id = self.given(name).ok_or("channel_not_found")?;
        let seen = self
            .world
            .channels
            .get(&id)
            .is_some_and(|channel| self.sees(channel));
        match self.world.channels.get_mut(&id).filter(|_| seen) {
            Some(channel) => Ok((id, channel)),
            None => Err("channel_not_found"),
        }
    }

    /// The same, which the token's account must be in, and which must be open.
    pub(super) fn own_channel(
        &mut self,
        name: &str,
    ) -> Result<(String, &mut Channel), &'static str> {
        let user = self.token.user.clone();
        let (id, channel) = self.channel(name)?;
        match (channel.is_archived, channel.members.contains(&user)) {
            (true, _) => Err("is_archived"),
            (_, false) => Err("not_in_channel"),
            (false, true) => Ok((id, channel)),
        }
    }

    /// A number nothing made before had.
    pub(super) fn next(&mut self) -> u64 {
        self.world.made += 1;
        self.world.made
    }

    /// A page of a list, with where the next one begins.
    pub(super) fn page(&self, name: &str, items: Vec<Value>) -> Answer {
        let number = |name| {
            self.given(name)
                .map(|text| text.parse::<usize>().map_err(|_| "invalid_cursor"))
        };
        let start = number("cursor").transpose()?.unwrap_or(0);
        let limit = number("limit").transpose()?.unwrap_or(100).clamp(1, 1000);
        let next = start.saturating_add(limit);
        let cursor = if next < items.len() {
            next.to_string()
        } else {
            String::new()
        };
        let page: Vec<Value> = items.into_iter().skip(start).take(limit).collect();
        Ok(json!({name: page, "response_metadata": {"next_cursor": cursor}}))
    }
}

/// What Slack answers.
pub(super) fn reply(answer: Answer, scopes: Option<&Token>, needed: &[&str]) -> Reply {
    let mut body = match answer {
        Ok(body) => body,
        Err("missing_scope") => {
            let provided = scopes.map(list).unwrap_or_default();
            json!({"ok": false, "error": "missing_scope", "needed": needed.join(","), "provided": provided})
        }
        Err(error) => json!({"ok": false, "error": error}),
    };
    if let Value::Object(members) = &mut body {
        members.entry("ok").or_insert(json!(true));
    }
    let reply = Reply::json(200, &body);
    match scopes {
        Some(token) => reply
            .with_header("x-oauth-scopes", list(token))
            .with_header("x-accepted-oauth-scopes", needed.join(",")),
        None => reply,
    }
}

fn list(token: &Token) -> String {
    let scopes: Vec<&str> = token.scopes.iter().map(String::as_str).collect();
    scopes.join(",")
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    let pieces = text.split('&').filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            (decode(name), decode(value))
        })
        .collect()
}
