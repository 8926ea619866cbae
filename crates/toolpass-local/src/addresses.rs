//! Where hosts lead: the addresses of connections' servers, and of a host that belongs to none.
//!
//! Separate because it asks the resolver, which nothing below may. What an address means is for `toolpass-wire` to say.
//! INVARIANT: the connections' addresses count as known only once they are learnt, so that nobody is answered meanwhile.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use toolpass_core::clock::{Clock, Monotonic};
use toolpass_wire::observe::Systems;

/// Until when the addresses of the connections are known.
#[derive(Debug, Default)]
pub struct Looked(Mutex<Option<Monotonic>>);

/// How long the connections' addresses are taken as known.
const KNOWN_FOR: Duration = Duration::from_secs(60);

/// How long they are when some could not be found.
const PARTLY_KNOWN_FOR: Duration = Duration::from_secs(5);

/// How many hosts are asked for at a time: the resolver has a thread for each.
const AT_A_TIME: usize = 16;

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
    if !looked.is_known(clock.monotonic()) {
        let known_for = if learn(systems).await {
            KNOWN_FOR
        } else {
            PARTLY_KNOWN_FOR
        };
        looked.known_until(clock.monotonic().plus(known_for));
    }
    match at_once(host) {
        Some(address) => vec![address],
        None => resolve(host, port).await,
    }
}

/// The address of a host written as one, when the connections' own are known already.
pub fn located(looked: &Looked, clock: &dyn Clock, host: &str) -> Option<Vec<IpAddr>> {
    let address = at_once(host)?;
    looked.is_known(clock.monotonic()).then(|| vec![address])
}

impl Looked {
    fn is_known(&self, now: Monotonic) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some_and(|until| now < until)
    }

    fn known_until(&self, until: Monotonic) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }
}

/// Learn where the connections' hosts lead; whether all of them were found.
async fn learn(systems: &Systems) -> bool {
    let mut places: BTreeMap<(String, u16), Vec<usize>> = BTreeMap::new();
    for (index, system) in systems.iter().enumerate() {
        for endpoint in &system.endpoints {
            if let Some(host) = endpoint.host.exact() {
                let place = (host.to_owned(), endpoint.port_number());
                places.entry(place).or_default().push(index);
            }
        }
    }
    let found = stream::iter(places).map(|((host, port), indices)| async move {
        let addresses = resolve(&host, port).await;
        for (index, address) in indices
            .iter()
            .flat_map(|index| addresses.iter().map(move |address| (*index, *address)))
        {
            systems.learn_address(index, address);
        }
        !addresses.is_empty()
    });
    found
        .buffer_unordered(AT_A_TIME)
        .fold(true, |all, one| async move { all && one })
        .await
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::Poll;

    use toolpass_http::clock::ManualClock;
    use toolpass_wire::endpoint::Endpoint;
    use toolpass_wire::observe::System;

    use super::*;

    fn systems(hosts: &[&str]) -> Systems {
        let endpoint = |host: &&str| Endpoint::parse(&format!("https://{host}:8443")).unwrap();
        Systems::new(vec![System {
            connection: "one".into(),
            integration: "fake",
            table: None,
            endpoints: hosts.iter().map(endpoint).collect(),
            owns: Arc::new(|_| true),
            private: false,
            strict_reads: false,
            vendor_hosts: &[],
            is_served: false,
        }])
    }

    #[tokio::test]
    async fn nobody_is_answered_while_the_connections_are_looked_up() {
        let (systems, looked, clock) = (
            systems(&["localhost"]),
            Looked::default(),
            ManualClock::new(),
        );
        let mut first = pin!(locate(&systems, &looked, &clock, "127.0.0.1", 8443));
        let polled = poll_fn(|cx| Poll::Ready(first.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        assert_eq!(located(&looked, &clock, "127.0.0.1"), None);
        assert_eq!(first.await.len(), 1);
        assert_eq!(located(&looked, &clock, "127.0.0.1").unwrap().len(), 1);
        let address = "127.0.0.1".parse().unwrap();
        assert!(systems.led_to("10.0.0.1", address, 8443).is_some());
        clock.advance(KNOWN_FOR);
        assert_eq!(located(&looked, &clock, "127.0.0.1"), None);
    }

    #[tokio::test]
    async fn what_was_not_found_is_looked_up_again_soon() {
        let (systems, looked, clock) = (
            systems(&["localhost", "nowhere.invalid"]),
            Looked::default(),
            ManualClock::new(),
        );
        locate(&systems, &looked, &clock, "127.0.0.1", 8443).await;
        assert!(located(&looked, &clock, "127.0.0.1").is_some());
        clock.advance(PARTLY_KNOWN_FOR);
        assert_eq!(located(&looked, &clock, "127.0.0.1"), None);
    }
}
