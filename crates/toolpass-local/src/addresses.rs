//! Where hosts lead: the addresses of connections' servers, and of a host that belongs to none.
//!
//! Separate because it asks the resolver, which nothing below may. What an address means is for `toolpass-wire` to say.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use toolpass_core::clock::{Clock, Monotonic};
use toolpass_wire::observe::Systems;

/// When the addresses of the connections were looked up last.
#[derive(Debug, Default)]
pub struct Looked(Mutex<Option<Monotonic>>);

/// How long the connections' addresses are taken as known.
const KNOWN_FOR: Duration = Duration::from_secs(60);

/// How long the resolver is waited for. A name that cannot be resolved in it will not be connected to either, or is looked at
/// again at its next request.
const PATIENCE: Duration = Duration::from_secs(2);

/// The addresses of `host`, after the connections' own are known. Empty when it cannot be resolved.
pub async fn locate(
    systems: &Systems,
    looked: &Looked,
    clock: &dyn Clock,
    host: &str,
    port: u16,
) -> Vec<IpAddr> {
    if looked.is_due(clock.monotonic()) {
        learn(systems).await;
    }
    match at_once(host) {
        Some(address) => vec![address],
        None => resolve(host, port).await,
    }
}

/// The address of a host written as one, when the connections' own are known already.
pub fn located(looked: &Looked, clock: &dyn Clock, host: &str) -> Option<Vec<IpAddr>> {
    if looked.was_lately(clock.monotonic()) {
        at_once(host).map(|address| vec![address])
    } else {
        None
    }
}

impl Looked {
    /// Whether it is time to look again; if so, the caller does.
    fn is_due(&self, now: Monotonic) -> bool {
        let mut last = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let due = last.is_none_or(|then| now.since(then) > KNOWN_FOR);
        if due {
            *last = Some(now);
        }
        due
    }

    fn was_lately(&self, now: Monotonic) -> bool {
        let last = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        last.is_some_and(|then| now.since(then) <= KNOWN_FOR)
    }
}

async fn learn(systems: &Systems) {
    for (index, system) in systems.iter().enumerate() {
        for endpoint in &system.endpoints {
            let Some(host) = endpoint.host.exact() else {
                continue;
            };
            for address in resolve(host, endpoint.port_number()).await {
                systems.learn_address(index, address);
            }
        }
    }
}

async fn resolve(host: &str, port: u16) -> Vec<IpAddr> {
    match tokio::time::timeout(PATIENCE, tokio::net::lookup_host((host, port))).await {
        Ok(Ok(found)) => found.map(|address| address.ip()).collect(),
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

fn at_once(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}
