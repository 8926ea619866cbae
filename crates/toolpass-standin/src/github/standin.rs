//! The stand-in itself: its world behind a lock, the way from a request to its endpoint, its commands.
//!
//! Commands beside those every stand-in has: `revoke` and `expire`, each with `{"token": VALUE}` for one token or nothing for every
//! minted one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::auth::{self, Caller, Minted, message};
use super::call::{Call, Links};
use super::world::{GithubWorld, StaticToken};
use super::{apps, branches, contents, graphql, issues, jwt, orgs, pulls, repos};
use crate::control::merge;
use crate::error::Error;
use crate::message::{Received, Reply, segments};
use crate::server::{Running, System, Transport, start};

/// The stand-in of github.com or of a GitHub Enterprise Server.
pub struct GithubStandin {
    first: GithubWorld,
    style: ApiStyle,
    state: Mutex<State>,
}

/// How it is served.
pub struct Options {
    /// Plain or TLS.
    pub transport: Transport,
    /// Where the API is.
    pub style: ApiStyle,
}

/// Where the API is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiStyle {
    /// As `api.github.com`: at the root, `/graphql`.
    DotCom,
    /// As GitHub Enterprise Server: `/api/v3`, `/api/graphql`, `/api/uploads`.
    Enterprise,
}

struct State {
    world: GithubWorld,
    minted: BTreeMap<String, Minted>,
}

impl GithubStandin {
    /// Serve a world on a free port of 127.0.0.1. Errors: `World` for a key that is none; see [`start`].
    pub fn start(world: GithubWorld, options: &Options) -> Result<Running, Error> {
        let mut world = world;
        check(&world)?;
        world.complete();
        let base_path = match options.style {
            ApiStyle::DotCom => "",
            ApiStyle::Enterprise => REST_PREFIX,
        };
        let state = Mutex::new(State {
            world: world.clone(),
            minted: BTreeMap::new(),
        });
        start(
            Box::new(GithubStandin {
                first: world,
                style: options.style,
                state,
            }),
            &options.transport,
            base_path,
        )
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path inside the API; `None` when it is outside.
    fn inside<'a>(&self, path: &'a str) -> Option<&'a str> {
        if self.style == ApiStyle::DotCom {
            return Some(path);
        }
        if path == "/api/graphql" {
            return Some("/graphql");
        }
        let rest = path
            .strip_prefix(REST_PREFIX)
            .or_else(|| path.strip_prefix("/api/uploads"))?;
        if rest.is_empty() {
            Some("/")
        } else {
            rest.starts_with('/').then_some(rest)
        }
    }

    fn links(&self, request: &Received) -> Links {
        match self.style {
            ApiStyle::DotCom => Links {
                api: request.origin.clone(),
                web: "https://github.com".to_owned(),
                server_version: None,
            },
            ApiStyle::Enterprise => Links {
                api: format!("{}{REST_PREFIX}", request.origin),
                web: request.origin.clone(),
                server_version: Some(SERVER_VERSION),
            },
        }
    }

    fn respond(&self, request: &Received, state: &mut State, caller: &Caller, path: &str) -> Reply {
        let now = Timestamp::now().as_second();
        let method = if request.method == "HEAD" {
            "GET"
        } else {
            request.method.as_str()
        };
        let mut call = Call {
            request,
            caller,
            links: self.links(request),
            world: &mut state.world,
            minted: &mut state.minted,
            now,
        };
        let names = match call.by_names(segments(path)) {
            Ok(names) => names,
            Err(refused) => return refused,
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = call
            .moved(&names)
            .or_else(|| apps::route(&mut call, method, &names))
            .or_else(|| graphql::route(&mut call, method, &names))
            .or_else(|| orgs::route(&mut call, method, &names))
            .or_else(|| repos::route(&mut call, method, &names))
            .or_else(|| branches::route(&mut call, method, &names))
            .or_else(|| contents::route(&mut call, method, &names))
            .or_else(|| issues::route(&mut call, method, &names))
            .or_else(|| pulls::route(&mut call, method, &names));
        let answer = found.unwrap_or_else(|| fallback(&call, method, &names));
        answer.unwrap_or_else(|refused| refused)
    }
}

impl System for GithubStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        self.inside(path).unwrap_or(path)
    }

    fn answer(&self, request: &Received) -> Reply {
        let Some(path) = self.inside(&request.path) else {
            return message(404, "Not Found");
        };
        if request.header("user-agent").is_none_or(str::is_empty) {
            return message(
                403,
                "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
            );
        }
        if request
            .header("x-github-api-version")
            .is_some_and(|version| !API_VERSIONS.contains(&version))
        {
            return message(400, "X-GitHub-Api-Version names no supported version");
        }
        let mut state = self.lock();
        let now = Timestamp::now().as_second();
        let caller = match auth::identify(request, &state.world, &state.minted, now) {
            Ok(caller) => caller,
            Err(refused) => return refused,
        };
        let mut reply = self.respond(request, &mut state, &caller, path);
        reply.credential = Some(caller.name());
        decorate(reply, &caller, now)
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.lock().world).unwrap_or_default()
    }

    fn patch(&self, patch: &Value) -> Result<(), Error> {
        let mut state = self.lock();
        let mut value =
            serde_json::to_value(&state.world).map_err(|error| Error::World(error.to_string()))?;
        merge(&mut value, patch);
        let mut world: GithubWorld =
            serde_json::from_value(value).map_err(|error| Error::World(error.to_string()))?;
        check(&world)?;
        world.complete();
        state.world = world;
        Ok(())
    }

    fn reset(&self) {
        let mut state = self.lock();
        state.world = self.first.clone();
        state.minted.clear();
    }

    fn command(&self, name: &str, arguments: &Value) -> Option<Result<Value, Error>> {
        let mut state = self.lock();
        let one = arguments.get("token").and_then(Value::as_str);
        match name {
            "expire" => Some(end(
                &mut state,
                one,
                |token| token.expires_at = 0,
                |token| token.expired = true,
            )),
            "revoke" => Some(end(
                &mut state,
                one,
                |token| token.revoked = true,
                |token| token.revoked = true,
            )),
            _ => None,
        }
    }
}

/// End one token, or every minted one; answers how many.
fn end(
    state: &mut State,
    one: Option<&str>,
    minted: impl Fn(&mut Minted),
    fixed: impl Fn(&mut StaticToken),
) -> Result<Value, Error> {
    let Some(value) = one else {
        state.minted.values_mut().for_each(&minted);
        return Ok(json!({"ended": state.minted.len()}));
    };
    if let Some(token) = state.minted.get_mut(value) {
        minted(token);
    } else {
        let token = state.world.tokens.get_mut(value);
        fixed(token.ok_or_else(|| Error::World("`token` is no token of this world".to_owned()))?);
    }
    Ok(json!({"ended": 1}))
}

fn check(world: &GithubWorld) -> Result<(), Error> {
    if jwt::public_key(&world.app.key).is_none() {
        return Err(Error::World(
            "`app.key` is no RSA key in PEM: expected RSA PRIVATE KEY, PRIVATE KEY or PUBLIC KEY"
                .to_owned(),
        ));
    }
    match world
        .repositories
        .keys()
        .find(|name| name.split('/').count() != 2)
    {
        Some(name) => Err(Error::World(format!(
            "`repositories.{name}` is not called `owner/name`"
        ))),
        None => Ok(()),
    }
}

/// What every request without an endpoint of its own gets; a repository that cannot be seen stays unseen.
fn fallback(call: &Call<'_>, method: &str, names: &[&str]) -> Result<Reply, Reply> {
    if matches!(call.caller, Caller::App) {
        return Err(message(403, "Resource not accessible by integration"));
    }
    if let ["repos", owner, name, ..] = names {
        call.repository(owner, name)?;
    }
    let mut reply = match method {
        "GET" => Reply::json(200, &json!([])),
        "POST" => Reply::json(201, &json!({})),
        "DELETE" => Reply::empty(204),
        _ => Reply::json(200, &json!({})),
    };
    reply.fallback = true;
    Ok(reply.with_header("x-standin-fallback", "true"))
}

/// The header fields GitHub adds to every answer.
fn decorate(reply: Reply, caller: &Caller, now: i64) -> Reply {
    let mut reply = reply
        .with_header("x-github-media-type", "github.v3; format=json")
        .with_header("x-github-request-id", "STANDIN")
        .with_header("x-ratelimit-limit", "5000")
        .with_header("x-ratelimit-remaining", "4999")
        .with_header("x-ratelimit-reset", (now + 3600).to_string())
        .with_header("x-ratelimit-used", "1");
    if let Caller::User(auth::UserToken {
        grant: auth::Grant::Scopes(scopes),
        ..
    }) = caller
    {
        let list: Vec<&str> = scopes.iter().map(String::as_str).collect();
        reply = reply.with_header("x-oauth-scopes", list.join(", "));
    }
    reply
}

const SERVER_VERSION: &str = "3.19.0";
const REST_PREFIX: &str = "/api/v3";
const API_VERSIONS: [&str; 2] = ["2022-11-28", "2026-03-10"];
