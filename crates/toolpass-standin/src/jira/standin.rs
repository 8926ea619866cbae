//! The stand-in itself: its world behind a lock, the way from a request to its endpoint, its commands.
//!
//! The site at the root, the gateway below `/ex/jira/<cloud id>`, and Atlassian's token service at `/oauth/token`. Commands beside those
//! every stand-in has: `revoke`, with `{"token": VALUE}` for one token or nothing for every minted one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::call::{Call, identify, message};
use super::world::JiraWorld;
use super::{boards, issues, people};
use crate::control::merge;
use crate::error::Error;
use crate::message::{Received, Reply, segments};
use crate::server::{Running, System, Transport, start};

/// The stand-in of one site of Jira Cloud.
pub struct JiraStandin {
    first: JiraWorld,
    state: Mutex<State>,
}

struct State {
    world: JiraWorld,
    /// Accounts by the tokens that OAuth clients were given.
    minted: BTreeMap<String, String>,
}

impl JiraStandin {
    /// Serve a world on a free port of 127.0.0.1. Errors: see [`start`].
    pub fn start(world: JiraWorld, transport: &Transport) -> Result<Running, Error> {
        let state = Mutex::new(State {
            world: world.clone(),
            minted: BTreeMap::new(),
        });
        start(
            Box::new(JiraStandin {
                first: world,
                state,
            }),
            transport,
            "",
        )
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl System for JiraStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        let inside = path
            .strip_prefix("/ex/jira/")
            .and_then(|rest| rest.find('/').map(|at| &rest[at..]));
        inside.unwrap_or(path)
    }

    fn answer(&self, request: &Received) -> Reply {
        let state = &mut *self.lock();
        if request.method == "GET" && request.path == "/_edge/tenant_info" {
            return Reply::json(200, &json!({ "cloudId": state.world.cloud_id }));
        }
        if request.method == "POST" && request.path == "/oauth/token" {
            return token(request, state);
        }
        let gateway = format!("/ex/jira/{}/", state.world.cloud_id);
        let on_gateway = request.path.starts_with("/ex/jira/");
        if on_gateway && !request.path.starts_with(&gateway) {
            return message(404, "Site not found");
        }
        let local = self.local_path(&request.path).to_owned();
        let Some(account) = identify(request, &state.world, &state.minted, on_gateway) else {
            return match local.ends_with("/user/search") {
                true => Reply::json(200, &json!([])),
                false => message(401, "Client must be authenticated to access this resource."),
            };
        };
        let name = format!("account {account}");
        let mut reply = respond(request, &mut state.world, account, &local);
        reply.credential = Some(name);
        reply
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.lock().world).unwrap_or_default()
    }

    fn patch(&self, patch: &Value) -> Result<(), Error> {
        let mut state = self.lock();
        let mut value =
            serde_json::to_value(&state.world).map_err(|error| Error::World(error.to_string()))?;
        merge(&mut value, patch);
        state.world =
            serde_json::from_value(value).map_err(|error| Error::World(error.to_string()))?;
        Ok(())
    }

    fn reset(&self) {
        let mut state = self.lock();
        state.world = self.first.clone();
        state.minted.clear();
    }

    fn command(&self, name: &str, arguments: &Value) -> Option<Result<Value, Error>> {
        let mut state = self.lock();
        match (name, arguments.get("token").and_then(Value::as_str)) {
            ("revoke", Some(value)) => Some(match state.world.tokens.get_mut(value) {
                Some(token) => {
                    token.revoked = true;
                    Ok(json!({ "ended": 1 }))
                }
                None => Err(Error::World("`token` is no token of this world".to_owned())),
            }),
            ("revoke", None) => {
                let ended = state.minted.len();
                state.minted.clear();
                Some(Ok(json!({ "ended": ended })))
            }
            _ => None,
        }
    }
}

fn respond(request: &Received, world: &mut JiraWorld, account: String, path: &str) -> Reply {
    let names = segments(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let method = if request.method == "HEAD" {
        "GET"
    } else {
        request.method.as_str()
    };
    let version = match names.as_slice() {
        ["rest", "api", version, ..] => *version,
        _ => "3",
    };
    let mut call = Call {
        request,
        account,
        plain_text: version == "2",
        base: format!("{}/rest/api/{version}", request.origin),
        world,
    };
    let found = match names.as_slice() {
        ["rest", "api", "2" | "3" | "latest", rest @ ..] => people::route(&mut call, method, rest)
            .or_else(|| issues::route(&mut call, method, rest))
            .or_else(|| boards::filters(&mut call, method, rest)),
        ["rest", "agile", "1.0", rest @ ..] => boards::agile(&mut call, method, rest),
        ["rest", "servicedeskapi", rest @ ..] => boards::desk(&mut call, method, rest),
        _ => None,
    };
    found
        .unwrap_or_else(|| Ok(fallback(method)))
        .unwrap_or_else(|refused| refused)
}

/// A token for an OAuth client.
fn token(request: &Received, state: &mut State) -> Reply {
    let body = request.json();
    let text = |name: &str| {
        body.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let client = state.world.clients.get(&text("client_id"));
    let client = client.filter(|client| {
        client.secret == text("client_secret") && text("grant_type") == "client_credentials"
    });
    let Some(client) = client else {
        return Reply::json(
            401,
            &json!({ "error": "invalid_client", "error_description": "Unauthorized" }),
        );
    };
    let value = format!("minted-{}", state.minted.len() + 1);
    state.minted.insert(value.clone(), client.account.clone());
    Reply::json(
        200,
        &json!({ "access_token": value, "expires_in": 3600, "token_type": "Bearer" }),
    )
}

/// What every request without an endpoint of its own gets.
fn fallback(method: &str) -> Reply {
    let mut reply = match method {
        "GET" => Reply::json(200, &json!({})),
        "POST" => Reply::json(201, &json!({})),
        _ => Reply::empty(204),
    };
    reply.fallback = true;
    reply.with_header("x-standin-fallback", "true")
}
