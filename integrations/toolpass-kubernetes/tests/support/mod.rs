//! The stand-in cluster, and connections to it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part"
)]

use std::sync::Arc;
use std::time::Duration;

use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_integration::connection::Connection;
use toolpass_kubernetes::KUBERNETES;
use toolpass_standin::kubernetes::{KubernetesStandin, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_testkit::ask::{self, Ask};
use toolpass_testkit::connect;

pub const SECONDS: Duration = Duration::from_secs(20);
pub const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

pub fn standin() -> Running {
    KubernetesStandin::start(demo::world(), &Transport::Plain).unwrap()
}

pub fn connection(standin: &Running, keys: &[(&str, &str)]) -> Arc<dyn Connection> {
    let usual = [
        ("url", standin.url.as_str()),
        ("credential", demo::ENGINE_TOKEN),
        ("username_template", demo::USERNAME_TEMPLATE),
    ];
    let keys = [&usual, keys].concat();
    connect::connection(
        &KUBERNETES,
        connect::settings(&KUBERNETES, &keys).unwrap(),
        None,
    )
    .unwrap()
}

pub async fn decide(
    connection: &Arc<dyn Connection>,
    user: &str,
    action: &str,
    resource: &str,
    facts: Facts,
) -> Decision {
    let user = format!("{user}@example.com");
    let question = Ask {
        user: &user,
        action,
        resource,
    };
    ask::decide(connection.as_ref(), question, facts, SECONDS).await
}
