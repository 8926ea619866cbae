//! The stand-in itself: its world behind a lock, the way from a request to its answer, its command.
//!
//! Command beside those every stand-in has: `revoke`, with `{"token": VALUE}`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::auth::{self, Caller};
use super::objects::Objects;
use super::world::LinearWorld;
use crate::control::merge;
use crate::error::Error;
use crate::graphql::{document, walk};
use crate::message::{Received, Reply};
use crate::server::{Running, System, Transport, start};

/// The stand-in of a workspace.
pub struct LinearStandin {
    first: LinearWorld,
    world: Mutex<LinearWorld>,
}

impl LinearStandin {
    /// Serve a world on a free port of 127.0.0.1, at `/graphql`. Errors: see [`start`].
    pub fn start(world: LinearWorld, transport: &Transport) -> Result<Running, Error> {
        let system = LinearStandin {
            first: world.clone(),
            world: Mutex::new(world),
        };
        start(Box::new(system), transport, API)
    }

    fn lock(&self) -> MutexGuard<'_, LinearWorld> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl System for LinearStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        path
    }

    fn answer(&self, request: &Received) -> Reply {
        if request.path.trim_end_matches('/') != API {
            return Reply::empty(404);
        }
        let mut world = self.lock();
        let caller = match auth::identify(request, &world) {
            Ok(caller) => caller,
            Err(refused) => return refused,
        };
        let mut reply = run(&mut world, &caller, request);
        reply.credential = Some(caller.name(&world));
        reply
            .with_header("x-ratelimit-requests-limit", "5000")
            .with_header("x-ratelimit-requests-remaining", "4999")
            .with_header("x-complexity", "1")
    }

    fn state(&self) -> Value {
        serde_json::to_value(&*self.lock()).unwrap_or_default()
    }

    fn patch(&self, patch: &Value) -> Result<(), Error> {
        let mut world = self.lock();
        let mut value =
            serde_json::to_value(&*world).map_err(|error| Error::World(error.to_string()))?;
        merge(&mut value, patch);
        *world = serde_json::from_value(value).map_err(|error| Error::World(error.to_string()))?;
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

/// One document. Linear answers what it could not run with 400, and what failed while it ran with 200.
fn run(world: &mut LinearWorld, caller: &Caller, request: &Received) -> Reply {
    let body = request.json();
    let refused = |message: &str| {
        Reply::json(
            400,
            &json!({"errors": [auth::error("graphql error", message)]}),
        )
    };
    let is_json = request
        .header("content-type")
        .is_some_and(|kind| kind.contains("json"));
    if request.method != "POST" || !is_json {
        return refused("POST body missing, invalid Content-Type, or JSON object has no keys.");
    }
    let Some(query) = body.get("query").and_then(Value::as_str) else {
        return refused("GraphQL operations must contain a non-empty `query`.");
    };
    let variables = body.get("variables").cloned().unwrap_or(Value::Null);
    let wanted = body
        .get("operationName")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    let operation = match document::read(query, &variables, wanted) {
        Ok(operation) => operation,
        Err(text) => return refused(&text),
    };
    let answer = walk::answer(&mut Objects { world, caller }, &operation);
    let status = if answer.get("data").is_some() {
        200
    } else {
        400
    };
    Reply::json(status, &answer)
}

const API: &str = "/graphql";
