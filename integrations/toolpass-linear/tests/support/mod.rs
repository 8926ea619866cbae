//! The stand-in Linear, and connections to it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part"
)]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_integration::connection::Connection;
use toolpass_linear::LINEAR;
use toolpass_standin::faults::Fault;
use toolpass_standin::linear::{LinearStandin, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_testkit::ask::{self, Ask};
use toolpass_testkit::connect;

pub const SECONDS: Duration = Duration::from_secs(20);

/// A stand-in and connections to it.
pub struct Linear {
    pub standin: Running,
}

impl Linear {
    pub fn new() -> Linear {
        Linear {
            standin: LinearStandin::start(demo::world(), &Transport::Plain).unwrap(),
        }
    }

    /// With the usual key.
    pub fn usual(&self) -> Arc<dyn Connection> {
        connect_with(&self.standin, &[("credential", demo::ENGINE_KEY)])
    }

    pub fn patch(&self, patch: Value) {
        self.standin.patch(&patch).unwrap();
    }

    pub async fn ask(&self, user: &str, action: &str, resource: &str) -> Decision {
        self.ask_with(&self.usual(), user, action, resource).await
    }

    pub async fn ask_with(
        &self,
        connection: &Arc<dyn Connection>,
        user: &str,
        action: &str,
        resource: &str,
    ) -> Decision {
        let user = format!("{user}@example.com");
        let question = Ask {
            user: &user,
            action,
            resource,
        };
        ask::decide(connection.as_ref(), question, Facts::new(), SECONDS).await
    }
}

pub fn connect_with(standin: &Running, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
    let url = format!("{}/graphql", standin.url);
    let keys = [&[("url", url.as_str())], keys].concat();
    connect::connection(
        &LINEAR,
        connect::settings(&LINEAR, &keys).unwrap(),
        standin.ca_pem.as_deref(),
    )
    .unwrap()
}

/// An answer of Linear's with one error in it.
pub fn error(status: u16, kind: &str, message: &str) -> Fault {
    let body = json!({"errors": [{"message": message, "extensions": {"type": kind, "userError": true}}], "data": null});
    Fault::Status {
        status,
        headers: [("Content-Type".to_owned(), "application/json".to_owned())].into(),
        body: Some(body.to_string()),
    }
}
