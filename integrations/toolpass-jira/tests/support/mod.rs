//! The stand-in Jira, and connections to it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_http::clock::SystemClock;
use toolpass_http::transport::{self, TransportSettings};
use toolpass_integration::connection::Connection;
use toolpass_integration::parts::Parts;
use toolpass_jira::config::Config;
use toolpass_jira::{JIRA, connection};
use toolpass_standin::faults::Fault;
use toolpass_standin::jira::{JiraStandin, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_testkit::ask::{self, Ask};
use toolpass_testkit::connect;

pub const SECONDS: Duration = Duration::from_secs(20);

/// A stand-in and connections to it.
pub struct Jira {
    pub standin: Running,
}

impl Jira {
    pub fn new() -> Jira {
        Jira {
            standin: JiraStandin::start(demo::world(), &Transport::Plain).unwrap(),
        }
    }

    /// With the usual token, and these keys besides.
    pub fn basic(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        let usual = [("username", demo::BOT), ("credential", demo::ENGINE_TOKEN)];
        let mut all: BTreeMap<&str, &str> = usual.into();
        all.extend(keys.iter().copied());
        self.connect(&all.into_iter().collect::<Vec<_>>())
    }

    pub fn connect(&self, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
        connect(&self.standin, keys)
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

/// A connection whose gateway and token service are the stand-in too.
pub fn connect(standin: &Running, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
    let keys = [&[("url", standin.url.as_str())], keys].concat();
    let settings = connect::settings(&JIRA, &keys).unwrap();
    let config = Config {
        gateway: standin.url.clone(),
        token_endpoint: format!("{}/oauth/token", standin.url),
        ..Config::read(&settings).unwrap()
    };
    let parts = Parts {
        id: "jira".into(),
        transport: transport::Transport::new(TransportSettings::default()).unwrap(),
        clock: Arc::new(SystemClock),
        referenced: BTreeMap::new(),
    };
    connection::connect(config, &parts).unwrap()
}

pub fn status(status: u16) -> Fault {
    Fault::Status {
        status,
        headers: Default::default(),
        body: Some(r#"{"errorMessages": ["no"]}"#.into()),
    }
}

pub fn body(text: &str) -> Fault {
    Fault::Status {
        status: 200,
        headers: Default::default(),
        body: Some(text.into()),
    }
}
