//! `/v1/openapi.json`: the description of every path, made of the table that routes them and of the schemas beside it.
//!
//! INVARIANT: a path that is routed is described and the other way round, because both read one table.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt, ready};
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::dashboard;
use crate::endpoints::{Access, ENDPOINTS, Endpoint, Method};
use crate::exchange::Asked;
use crate::reply::{Form, JSON, Reply};

/// Answer `/v1/openapi.json`.
pub(crate) fn description(_: Asked) -> BoxFuture<'static, Reply> {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    let text = TEXT.get_or_init(|| format!("{:#}\n", whole()).into());
    ready(Reply::new(StatusCode::OK, JSON, text.clone())).boxed()
}

/// The whole description.
pub fn whole() -> Value {
    let schemas: Value = serde_json::from_str(SCHEMAS).unwrap_or_default();
    let paths: BTreeMap<&str, Value> = ENDPOINTS.iter().map(|row| (row.path, path(row))).collect();
    json!({
        "openapi": "3.1.0",
        "info": {"title": "toolpass", "version": env!("CARGO_PKG_VERSION"), "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn path(row: &Endpoint) -> Value {
    let name = row
        .path
        .trim_start_matches('/')
        .replace(['/', '.', '-'], "_")
        .replace(['{', '}'], "");
    let mut operation = Map::new();
    let mut say = |key: &str, value: Value| {
        operation.insert(key.to_owned(), value);
    };
    say("summary", row.summary.into());
    say("operationId", name.into());
    say("responses", responses(row).into());
    match row.access {
        Access::Open => say("security", json!([])),
        Access::Scope(scope) => {
            let needs = format!("Needs a key with the scope `{}`.", scope.as_str());
            say("security", json!([{"key": []}]));
            say("description", needs.into());
        }
    }
    if let Some(schema) = row.takes {
        say(
            "requestBody",
            json!({"required": true, "content": content(schema)}),
        );
    }
    let parameters = parameters(row.path);
    if !parameters.is_empty() {
        say("parameters", parameters.into());
    }
    match row.method {
        Method::Get => json!({"get": operation}),
        Method::Post => json!({"post": operation}),
    }
}

fn responses(row: &Endpoint) -> Map<String, Value> {
    let error = match row.form {
        Form::Coded => "Error",
        Form::Decision => "Decision",
        Form::Full => "FullDecision",
    };
    let plain = || json!({"text/plain": {"schema": {"type": "string"}}});
    let mut responses = Map::new();
    let mut say = |status: u16, text: &str, content: Value| {
        responses.insert(
            status.to_string(),
            json!({"description": text, "content": content}),
        );
    };
    let answered = if row.also.contains(&202) { 202 } else { 200 };
    say(
        answered,
        "answered",
        row.gives.map_or_else(|| texts(row.path), content),
    );
    let has_scope = matches!(row.access, Access::Scope(_));
    if row.takes.is_some() {
        let text = "the request is malformed, or names what is not there";
        say(400, text, content(error));
        say(413, "the body is too large", content(error));
    }
    if has_scope || row.also.contains(&401) {
        say(401, "no key, or none that is accepted", content(error));
        say(403, "the key does not cover it", content(error));
    }
    if has_scope && row.takes.is_some() {
        say(
            429,
            "the key asks too often; see Retry-After",
            content(error),
        );
        say(
            503,
            "too much is being asked; see Retry-After",
            content(error),
        );
    }
    for status in row.also {
        match status {
            400 => say(400, "the query is malformed", content(error)),
            304 => say(304, "what the tag names is what is known", json!({})),
            404 => say(404, "switched off", plain()),
            503 => say(
                503,
                "not ready",
                content(if has_scope {
                    error
                } else {
                    row.gives.unwrap_or(error)
                }),
            ),
            _ => {}
        }
    }
    say(405, "another method", content(error));
    say(431, "the headers are too large", content(error));
    responses
}

/// What a path's query may say.
fn parameters(path: &str) -> Vec<Value> {
    let of_query = |name: &str, schema: Value| json!({"name": name, "in": "query", "required": false, "schema": schema});
    match path {
        path if path.starts_with("/dashboard/") => dashboard::NAMES
            .iter()
            .map(|name| of_query(name, dashboard::schema(name)))
            .collect(),
        "/v1/sessions/{id}" => vec![json!({
            "name": "id", "in": "path", "required": true,
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"},
        })],
        "/readyz" => vec![of_query("verbose", json!({"type": "string"}))],
        _ => Vec::new(),
    }
}

/// The kinds of text that a path answers with where it gives no object.
fn texts(path: &str) -> Value {
    let kinds: &[&str] = match path {
        "/dashboard/decisions/events/stream" | "/dashboard/events/stream" => &["text/event-stream"],
        "/dashboard/decisions/export" | "/dashboard/export" => {
            &["application/x-ndjson", "text/csv"]
        }
        _ => &["text/plain"],
    };
    let text = |kind: &&str| ((*kind).to_owned(), json!({"schema": {"type": "string"}}));
    Value::Object(kinds.iter().map(text).collect())
}

fn content(schema: &str) -> Value {
    json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}})
}

const SCHEMAS: &str = include_str!("schemas.json");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let whole = whole();
        let schemas = whole["components"]["schemas"].as_object().unwrap();
        let text = whole.to_string();
        let named: Vec<&str> = text
            .split("#/components/schemas/")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        for name in &named {
            assert!(schemas.contains_key(*name), "{name}");
        }
        for name in schemas.keys() {
            assert!(named.contains(&name.as_str()), "{name} describes nothing");
        }
    }

    #[test]
    fn every_path_is_described() {
        let whole = whole();
        for row in ENDPOINTS {
            let path = &whole["paths"][row.path];
            let operation = path.as_object().unwrap().values().next().unwrap();
            assert_eq!(operation["summary"], row.summary);
            let responses = &operation["responses"];
            assert!(responses["200"].is_object() || responses["202"].is_object());
        }
    }
}
