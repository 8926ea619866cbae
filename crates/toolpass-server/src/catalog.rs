//! What there is to ask about: `/v1/connections` for people and adapters, `/v1/endpoints` for remote toolkits.
//!
//! INVARIANT: nobody is told of a connection that their key does not cover, and no secret setting is ever told.

use std::collections::BTreeMap;

use futures_util::future::{BoxFuture, FutureExt, ready};
use http::header::{ETAG, HeaderValue, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use sha2::{Digest, Sha256};
use toolpass_config::config::ConnectionConfig;
use toolpass_wire::endpoint::Endpoint;

use crate::exchange::Asked;
use crate::reply::Reply;

#[derive(Serialize)]
struct Connections<'a> {
    connections: Vec<Connection<'a>>,
}

#[derive(Serialize)]
struct Connection<'a> {
    id: &'a str,
    integration: &'static str,
    actions: Vec<&'static str>,
}

#[derive(Serialize)]
struct Endpoints<'a> {
    connections: Vec<Reached<'a>>,
    tables: BTreeMap<&'static str, &'static str>,
}

/// Where one connection is reached: the hosts and, place by place, what their paths begin with.
#[derive(Serialize)]
struct Reached<'a> {
    id: &'a str,
    integration: &'static str,
    hosts: Vec<String>,
    prefixes: Vec<&'a str>,
    /// Which face of the system the host of the same place is: its templates begin with it.
    mounts: Vec<Option<&'static str>>,
    selectors: BTreeMap<&'static str, &'a str>,
    private: bool,
    strict_reads: bool,
}

/// Answer `/v1/connections`.
pub(crate) fn connections(asked: Asked) -> BoxFuture<'static, Reply> {
    let connections = covered(&asked).map(|connection| Connection {
        id: &connection.id,
        integration: connection.integration.name(),
        actions: connection
            .integration
            .actions()
            .iter()
            .map(|action| action.name)
            .collect(),
    });
    let body = Connections {
        connections: connections.collect(),
    };
    ready(Reply::json(StatusCode::OK, &body)).boxed()
}

/// Answer `/v1/endpoints`.
pub(crate) fn endpoints(asked: Asked) -> BoxFuture<'static, Reply> {
    let systems = &asked.live.systems;
    let connections = covered(&asked).filter_map(|connection| {
        let system = systems
            .iter()
            .find(|system| system.connection == connection.id)?;
        let selectors = connection.integration.selectors().iter().filter_map(|key| {
            let value = connection.settings.text(key)?;
            Some((*key, value))
        });
        Some(Reached {
            id: &connection.id,
            integration: system.integration,
            hosts: system.endpoints.iter().map(Endpoint::origin).collect(),
            prefixes: system
                .endpoints
                .iter()
                .map(|endpoint| endpoint.prefix.as_str())
                .collect(),
            mounts: system
                .endpoints
                .iter()
                .map(|endpoint| endpoint.mount)
                .collect(),
            selectors: selectors.collect(),
            private: system.private,
            strict_reads: system.strict_reads,
        })
    });
    let connections: Vec<Reached<'_>> = connections.collect();
    let table = |one: &Reached<'_>| {
        let system = systems.iter().find(|system| system.connection == one.id)?;
        Some((system.integration, system.table?.version()))
    };
    let tables = connections.iter().filter_map(table).collect();
    let body = Endpoints {
        connections,
        tables,
    };
    ready(tagged(&asked.head.headers, &body)).boxed()
}

/// The connections the key may ask about.
fn covered(asked: &Asked) -> impl Iterator<Item = &ConnectionConfig> {
    let connections = asked.live.config.connections.iter();
    connections.filter(|connection| {
        asked
            .key
            .as_ref()
            .is_none_or(|key| key.covers_connection(&connection.id))
    })
}

/// A body under its tag; nothing but the tag to who has it already.
fn tagged(headers: &HeaderMap, body: &impl Serialize) -> Reply {
    let bytes = serde_json::to_vec(body).unwrap_or_default();
    let digest = Sha256::digest(&bytes);
    let hex: String = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{hex}\"");
    let known = headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut known = known.flat_map(|value| value.split(',')).map(str::trim);
    let is_known = known.any(|known| known == "*" || known.trim_start_matches("W/") == tag);
    let reply = if is_known {
        Reply::new(StatusCode::NOT_MODIFIED, crate::reply::JSON, "")
    } else {
        Reply::json(StatusCode::OK, body)
    };
    match HeaderValue::from_str(&tag) {
        Ok(tag) => reply.with(ETAG, tag),
        Err(_) => reply,
    }
}
