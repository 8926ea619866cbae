//! The service `identity_mode: http` asks: `GET ...?email=E` answers the login as a JSON string.
//!
//! Its world: logins by e-mail, and the bearer token it wants, if any. Source: the "Who the user is" chapter of the GitHub integration.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::control::merge;
use crate::error::Error;
use crate::message::{Received, Reply};
use crate::server::{Running, System, Transport, start};

/// Who is who.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IdentityWorld {
    /// The bearer token to be shown; none is asked for when absent.
    pub token: Option<String>,
    /// Login by lower-case e-mail.
    pub logins: BTreeMap<String, String>,
}

/// The stand-in of an identity service.
pub struct IdentityStandin {
    first: IdentityWorld,
    world: Mutex<IdentityWorld>,
}

impl IdentityStandin {
    /// Serve on a free port of 127.0.0.1. Errors: see [`start`].
    pub fn start(world: IdentityWorld, transport: &Transport) -> Result<Running, Error> {
        let system = IdentityStandin {
            first: world.clone(),
            world: Mutex::new(world),
        };
        start(Box::new(system), transport, "")
    }

    fn lock(&self) -> MutexGuard<'_, IdentityWorld> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl System for IdentityStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        path
    }

    fn answer(&self, request: &Received) -> Reply {
        let world = self.lock();
        if world.token.is_some() && request.credential() != world.token {
            return Reply::json(401, &json!({"error": "wrong or missing bearer token"}));
        }
        let Some(email) = request
            .query_value("email")
            .filter(|_| request.method == "GET")
        else {
            return Reply::json(
                422,
                &json!({"error": "expected GET with the query member email"}),
            );
        };
        let mut reply = match world.logins.get(&email.to_lowercase()) {
            Some(login) => Reply::json(200, &json!(login)),
            None => Reply::json(404, &json!({"error": "nobody has this address"})),
        };
        reply.credential = world.token.as_ref().map(|_| "identity".to_owned());
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

    fn command(&self, _name: &str, _arguments: &Value) -> Option<Result<Value, Error>> {
        None
    }
}
