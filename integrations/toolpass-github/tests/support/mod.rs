//! The stand-in GitHub, and connections to it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part"
)]

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_github::GITHUB;
use toolpass_integration::connection::Connection;
use toolpass_standin::faults::Fault;
use toolpass_standin::github::world::GithubWorld;
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_testkit::ask::{self, Ask};
use toolpass_testkit::connect;

pub const SECONDS: Duration = Duration::from_secs(20);

/// A stand-in and connections to it.
pub struct Github {
    pub standin: Running,
    pub world: GithubWorld,
}

impl Github {
    pub fn new() -> Github {
        Github::serve(demo::world(), &Transport::Plain, ApiStyle::Enterprise)
    }

    pub fn serve(world: GithubWorld, transport: &Transport, style: ApiStyle) -> Github {
        let options = Options {
            transport: transport.clone(),
            style,
        };
        Github {
            standin: GithubStandin::start(world.clone(), &options).unwrap(),
            world,
        }
    }

    pub fn app(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        self.connect(
            &[
                &[
                    ("app_id", self.world.app.client_id.as_str()),
                    ("credential", self.world.app.key.as_str()),
                ],
                keys,
            ]
            .concat(),
        )
    }

    pub fn token(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        self.connect(&[&[("token", demo::ENGINE_TOKEN)], keys].concat())
    }

    pub fn keys(&self, keys: &[(&str, &str)]) -> Vec<(String, String)> {
        let usual = [
            ("organization", demo::ORGANIZATION),
            ("url", self.standin.url.as_str()),
        ];
        usual
            .iter()
            .chain(keys)
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect()
    }

    pub fn connect(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        let keys = self.keys(keys);
        let keys: Vec<(&str, &str)> = keys
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        connect::connection(
            &GITHUB,
            connect::settings(&GITHUB, &keys).unwrap(),
            self.standin.ca_pem.as_deref(),
        )
        .unwrap()
    }

    pub fn count(&self, method: &str, path: &str) -> usize {
        self.standin.count(method, path)
    }

    pub async fn ask(
        &self,
        connection: &Arc<dyn Connection>,
        user: &str,
        action: &str,
        resource: &str,
    ) -> Decision {
        self.ask_with(connection, user, action, resource, Facts::new())
            .await
    }

    pub async fn ask_with(
        &self,
        connection: &Arc<dyn Connection>,
        user: &str,
        action: &str,
        resource: &str,
        said: Facts,
    ) -> Decision {
        let user = format!("{user}@example.com");
        let question = Ask {
            user: &user,
            action,
            resource,
        };
        ask::decide(connection.as_ref(), question, said, SECONDS).await
    }

    pub async fn identify(
        &self,
        connection: &Arc<dyn Connection>,
        email: &str,
    ) -> Result<String, Code> {
        ask::identify(connection.as_ref(), email, SECONDS).await
    }
}

pub fn status(status: u16, headers: &[(&str, &str)], message: &str) -> Fault {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    Fault::Status {
        status,
        headers,
        body: Some(json!({"message": message}).to_string()),
    }
}

pub fn body(text: &str) -> Fault {
    Fault::Status {
        status: 200,
        headers: Default::default(),
        body: Some(text.into()),
    }
}
