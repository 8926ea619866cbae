//! The stand-in itself: its world behind a lock, the way from a request to its method, its command.
//!
//! Command beside those every stand-in has: `revoke`, with `{"token": VALUE}`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::call::{self, Answer, Call};
use super::world::SlackWorld;
use super::{chat, conversations, files, users};
use crate::control::merge;
use crate::error::Error;
use crate::message::{Received, Reply};
use crate::server::{Running, System, Transport, start};

/// The stand-in of a workspace.
pub struct SlackStandin {
    first: SlackWorld,
    world: Mutex<SlackWorld>,
}

impl SlackStandin {
    /// Serve a world on a free port of 127.0.0.1, its Web API under `/api`. Errors: see [`start`].
    pub fn start(world: SlackWorld, transport: &Transport) -> Result<Running, Error> {
        let system = SlackStandin {
            first: world.clone(),
            world: Mutex::new(world),
        };
        start(Box::new(system), transport, API)
    }

    fn lock(&self) -> MutexGuard<'_, SlackWorld> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl System for SlackStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(API).unwrap_or(path)
    }

    fn answer(&self, request: &Received) -> Reply {
        let mut world = self.lock();
        if let Some(reply) = files::upload(&mut world, request) {
            return reply;
        }
        let Some(method) = request.path.strip_prefix("/api/") else {
            return Reply::empty(404);
        };
        let arguments = call::arguments(request);
        let credential = call::credential(request, &arguments);
        let token = match call::token(&world, credential.as_deref()) {
            Ok(token) => token,
            Err(refused) => return call::reply(Err(refused), None, &[]),
        };
        let needed = scopes(method);
        let lacks = needed.iter().any(|scope| !token.scopes.contains(*scope));
        let mut call = Call {
            arguments,
            token: token.clone(),
            world: &mut world,
            origin: request.origin.clone(),
        };
        let played = if lacks {
            Some(Err("missing_scope"))
        } else {
            respond(&mut call, method)
        };
        let fallback = played.is_none();
        let answer = played.unwrap_or(Ok(json!({})));
        let mut reply = call::reply(answer, Some(&token), needed);
        reply.credential = Some(format!("{}:{}", kind(&token), token.user));
        reply.fallback = fallback;
        reply
    }

    fn state(&self) -> Value {
        serde_json::to_value(&*self.lock()).unwrap_or_default()
    }

    fn patch(&self, patch: &Value) -> Result<(), Error> {
        let mut state = self.state();
        merge(&mut state, patch);
        *self.lock() =
            serde_json::from_value(state).map_err(|error| Error::World(error.to_string()))?;
        Ok(())
    }

    fn reset(&self) {
        *self.lock() = self.first.clone();
    }

    fn command(&self, name: &str, arguments: &Value) -> Option<Result<Value, Error>> {
        if name != "revoke" {
            return None;
        }
        let mut world = self.lock();
        let token = arguments.get("token").and_then(Value::as_str);
        let found = token.and_then(|token| world.tokens.get_mut(token));
        Some(match found {
            Some(token) => {
                token.revoked = true;
                Ok(json!({"ended": 1}))
            }
            None => Err(Error::World("`token` is no token of this world".to_owned())),
        })
    }
}

fn respond(call: &mut Call<'_>, method: &str) -> Option<Answer> {
    users::route(call, method)
        .or_else(|| conversations::route(call, method))
        .or_else(|| chat::route(call, method))
        .or_else(|| files::route(call, method))
}

fn scopes(method: &str) -> &'static [&'static str] {
    let families = [
        users::scopes,
        conversations::scopes,
        chat::scopes,
        files::scopes,
    ];
    let mut needed = families.into_iter().map(|family| family(method));
    needed.find(|scopes| !scopes.is_empty()).unwrap_or(&[])
}

fn kind(token: &super::world::Token) -> &'static str {
    match token.bot_id {
        Some(_) => "bot",
        None => "user",
    }
}

const API: &str = "/api";
