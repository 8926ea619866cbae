//! `toolpass doctor`: whether this machine can reach each system as configured, before any credential is shown to it.
//!
//! Looks at what usually stands in the way: secrets that cannot be read or are about to expire, names, proxies, certificates, clocks.
//! Whether a credential works is `toolpass probe`'s to say.

use std::sync::Arc;
use std::time::Duration;

use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use toolpass_config::build::{Built, build_one};
use toolpass_config::config::{Config, ConnectionConfig};
use toolpass_config::warnings;
use toolpass_core::clock::{Clock, Wall};
use toolpass_core::duration;
use toolpass_core::question::Freshness;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::clock::SystemClock;
use toolpass_http::proxy::{ProxyEnvironment, ProxyRules};
use toolpass_http::url::Url;
use toolpass_local::expiry::{self, Ending};

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::Page;
use crate::{input, local};

/// One thing looked at.
struct Finding {
    state: State,
    connection: String,
    what: &'static str,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fail,
    Fine,
    Warn,
}

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let config = input::config_without_traces(arguments)?;
    let only = arguments.value("connection");
    let chosen: Vec<&ConnectionConfig> = config
        .connections
        .iter()
        .filter(|connection| only.is_none_or(|only| only == connection.id))
        .collect();
    if let (Some(only), true) = (only, chosen.is_empty()) {
        return Err(Stop::Failed(format!(
            "-connection: no connection has the id `{only}`"
        )));
    }
    let findings = local::wait(examine(&config, &chosen))?;
    let mut page = Page::new();
    for finding in &findings {
        let state = match finding.state {
            State::Fail => "FAIL",
            State::Fine => "ok",
            State::Warn => "warn",
        };
        page.line(&format!(
            "{state:4}  {:24}  {:10}  {}",
            finding.connection, finding.what, finding.text
        ));
    }
    let is_fine = findings.iter().all(|finding| finding.state == State::Fine);
    Ok(Done {
        page,
        exit: if is_fine { Exit::Done } else { Exit::Failed },
    })
}

async fn examine(config: &Config, chosen: &[&ConnectionConfig]) -> Vec<Finding> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut findings: Vec<Finding> = warnings::of_secrets(config)
        .into_iter()
        .map(|text| finding(State::Warn, "-", "secret", text))
        .collect();
    for connection in chosen {
        findings.extend(expiries(connection, clock.wall()));
        match build_one(config, &connection.id, &clock) {
            Err(error) => {
                findings.push(finding(
                    State::Fail,
                    &connection.id,
                    "build",
                    error.to_string(),
                ));
            }
            Ok(built) => {
                let own = built.into_iter().find(|built| built.id == connection.id);
                if let Some(own) = own {
                    reach(connection, &own, &clock, &mut findings).await;
                }
            }
        }
    }
    findings
}

/// Secrets that say themselves when they end.
fn expiries(connection: &ConnectionConfig, now: Wall) -> Vec<Finding> {
    let mut findings = Vec::new();
    for Ending { key, at } in expiry::of_secrets(connection) {
        let left = at.0.saturating_sub(now.0);
        let (state, text) = if left.is_zero() {
            (State::Fail, format!("`{key}` has expired"))
        } else if left < SOON {
            (State::Warn, format!("`{key}` expires in {}", shown(left)))
        } else {
            (State::Fine, format!("`{key}` expires in {}", shown(left)))
        };
        findings.push(finding(state, &connection.id, "expiry", text));
    }
    findings
}

/// Ask every place the system answers at for anything at all, without a credential.
async fn reach(
    connection: &ConnectionConfig,
    built: &Built,
    clock: &Arc<dyn Clock>,
    findings: &mut Vec<Finding>,
) {
    let id = connection.id.as_str();
    let endpoints = match connection.integration.endpoints(&connection.settings) {
        Ok(endpoints) => endpoints,
        Err(error) => {
            findings.push(finding(State::Fail, id, "address", error.to_string()));
            return;
        }
    };
    if endpoints.is_empty() {
        findings.push(finding(
            State::Fine,
            id,
            "address",
            "nothing to reach".into(),
        ));
    }
    for endpoint in endpoints {
        let Some(host) = endpoint.host.exact() else {
            continue;
        };
        let text = format!(
            "{}://{host}:{}{}/",
            endpoint.scheme.as_str(),
            endpoint.port_number(),
            endpoint.prefix
        );
        let Ok(url) = Url::parse(&text) else { continue };
        let proxy = proxy_of(connection, &url);
        match &proxy {
            Some(proxy) => findings.push(finding(State::Fine, id, "proxy", proxy.clone())),
            None => {
                let found = tokio::net::lookup_host((url.host(), url.port())).await;
                let found = found.map(Iterator::count).unwrap_or(0);
                let (state, text) = if found == 0 {
                    (State::Fail, format!("{host} has no address"))
                } else {
                    (State::Fine, format!("{host} has {found} addresses"))
                };
                findings.push(finding(state, id, "name", text));
            }
        }
        let fresh = Freshness {
            fresh: true,
            max_age: Some(Duration::ZERO),
        };
        let ctx = Context::new(Arc::clone(clock), connection.timeout, fresh);
        let client = Client::without_base(built.transport.clone());
        let asked = client.head(url.clone()).once().accept_4xx();
        let (status, headers) = match asked.send(&ctx).await {
            Ok(answer) => (Some(answer.status), Some(answer.headers)),
            Err(error) if error.status().is_some() => (error.status(), error.headers().cloned()),
            Err(error) => {
                findings.push(finding(State::Fail, id, "reach", error.to_string()));
                continue;
            }
        };
        let status = status.unwrap_or_default();
        findings.push(finding(
            State::Fine,
            id,
            "reach",
            format!("{url} answers ({status})"),
        ));
        let date = headers
            .as_ref()
            .and_then(|headers| headers.get("date")?.to_str().ok());
        if let Some(skew) = date.and_then(|date| skew(date, clock.wall())) {
            let (state, text) = if skew > MAX_SKEW {
                (
                    State::Warn,
                    format!(
                        "this clock and {host}'s are {} apart; tokens may be refused",
                        shown(skew)
                    ),
                )
            } else {
                (
                    State::Fine,
                    format!("within {} of {host}'s", shown(MAX_SKEW)),
                )
            };
            findings.push(finding(state, id, "clock", text));
        }
    }
}

/// The proxy a request would take, by host and port only.
fn proxy_of(connection: &ConnectionConfig, url: &Url) -> Option<String> {
    if let Some(proxy) = &connection.transport.proxy_url {
        let proxy = Url::parse(proxy).ok()?;
        return Some(format!("{} (`proxy_url`)", proxy.host_and_port()));
    }
    let rules = ProxyRules::from_environment(&ProxyEnvironment::from_env());
    match rules.proxy_for(url) {
        Ok(Some(proxy)) => Some(format!(
            "{}:{} (the environment)",
            proxy.host(),
            proxy.port()
        )),
        Ok(None) => None,
        Err(error) => Some(error.to_string()),
    }
}

/// How far apart the clocks are; `None` for a date that cannot be read.
fn skew(date: &str, now: Wall) -> Option<Duration> {
    let date = strtime::parse("%a, %d %b %Y %H:%M:%S GMT", date).ok()?;
    let date = TimeZone::UTC.to_timestamp(date.to_datetime().ok()?).ok()?;
    let theirs = Duration::from_secs(u64::try_from(date.as_second()).ok()?);
    Some(now.0.abs_diff(theirs))
}

fn finding(state: State, connection: &str, what: &'static str, text: String) -> Finding {
    Finding {
        state,
        connection: connection.to_owned(),
        what,
        text,
    }
}

fn shown(time: Duration) -> String {
    duration::shown(Duration::from_secs(time.as_secs()))
}

/// Assertions of a minute's life are refused by a clock that is further off.
const MAX_SKEW: Duration = Duration::from_secs(30);
const SOON: Duration = Duration::from_secs(7 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks() {
        let now = Wall(Duration::from_secs(784_111_777));
        for (date, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Sun, 06 Nov 1994 08:49:07 GMT", Some(30)),
            ("soon", None),
        ] {
            assert_eq!(
                skew(date, now).map(|skew| skew.as_secs()),
                expected,
                "{date}"
            );
        }
    }
}
