//! The stand-in itself: its world behind a lock, the way from a request to its endpoint, its commands.
//!
//! Commands beside those every stand-in has: `revoke`, with `{"token": VALUE}`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::call::Call;
use super::rbac::{self, What};
use super::reviews::{self, who};
use super::world::{Account, KubernetesWorld};
use super::{discovery, objects, streams};
use crate::control::merge;
use crate::error::Error;
use crate::message::{Received, Reply};
use crate::server::{Running, System, Transport, start};

/// The stand-in of one cluster's API server.
pub struct KubernetesStandin {
    first: KubernetesWorld,
    world: Mutex<KubernetesWorld>,
}

impl KubernetesStandin {
    /// Serve a world on a free port of 127.0.0.1. Errors: see [`start`].
    pub fn start(world: KubernetesWorld, transport: &Transport) -> Result<Running, Error> {
        let standin = KubernetesStandin {
            first: world.clone(),
            world: Mutex::new(world),
        };
        start(Box::new(standin), transport, "")
    }

    fn lock(&self) -> MutexGuard<'_, KubernetesWorld> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl System for KubernetesStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        path
    }

    fn answer(&self, request: &Received) -> Reply {
        let mut world = self.lock();
        let token = request.credential().unwrap_or_default();
        let account = world
            .tokens
            .get(&token)
            .filter(|account| !account.revoked)
            .cloned();
        let Some(account) = account else {
            return status(401, "Unauthorized", "Unauthorized");
        };
        let mut reply = respond(&mut world, &account, request);
        reply.credential = Some(account.user);
        reply
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
        let token = arguments
            .get("token")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Some(match self.lock().tokens.get_mut(token) {
            Some(account) => {
                account.revoked = true;
                Ok(json!({"ended": 1}))
            }
            None => Err(Error::World("`token` is no token of this world".to_owned())),
        })
    }
}

fn respond(world: &mut KubernetesWorld, account: &Account, request: &Received) -> Reply {
    let Some(call) = Call::read(request) else {
        let verb = request.method.to_ascii_lowercase();
        let what = What {
            verb: &verb,
            namespace: "",
            group: "",
            resource: String::new(),
            name: "",
            path: Some(&request.path),
        };
        if rbac::allowed(world, &who(account), &what).is_none() {
            return forbidden(account, &format!("{verb} path \"{}\"", request.path));
        }
        return match discovery::answer(&request.path) {
            Some(body) => Reply::json(200, &body),
            None => status(
                404,
                "NotFound",
                "the server could not find the requested resource",
            ),
        };
    };
    let resource = match call.part.as_str() {
        "" => call.resource.clone(),
        part => format!("{}/{part}", call.resource),
    };
    let what = What {
        verb: call.verb,
        namespace: call.namespace.as_deref().unwrap_or_default(),
        group: &call.group,
        resource: resource.clone(),
        name: &call.name,
        path: None,
    };
    let is_own = call.resource.starts_with("selfsubject");
    if !is_own && rbac::allowed(world, &who(account), &what).is_none() {
        return forbidden(
            account,
            &format!(
                "{} resource \"{resource}\" in API group \"{}\"",
                call.verb, call.group
            ),
        );
    }
    let is_review = matches!(
        call.group.as_str(),
        "authentication.k8s.io" | "authorization.k8s.io"
    );
    if is_review
        && let Some(reply) = reviews::answer(world, account, &call.resource, request.json())
    {
        return reply;
    }
    streams::answer(&call, request).unwrap_or_else(|| objects::answer(world, &call, request))
}

fn forbidden(account: &Account, what: &str) -> Reply {
    status(
        403,
        "Forbidden",
        &format!("User \"{}\" cannot {what}", account.user),
    )
}

/// A refusal as the API server words it.
pub(super) fn status(code: u16, reason: &str, message: &str) -> Reply {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    });
    Reply::json(code, &body)
}
