//! `/v1/openapi.json`: the description of every path, made of the table that routes them and of the schemas beside it.
//!
//! INVARIANT: a path that is routed is described and the other way round, because both read one table.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt, ready};
use http::StatusCode;
use serde_json::{Value, json};

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
    let mut operation = json!({
        "summary": row.summary,
        "operationId": row.path.trim_start_matches('/').replace(['/', '.', '-'], "_"),
        "responses": responses(row),
        "security": match row.access {
            Access::Open => json!([]),
            Access::Scope(_) => json!([{"key": []}]),
        },
    });
    if let Access::Scope(scope) = row.access {
        operation["description"] =
            format!("Needs a key with the scope `{}`.", scope.as_str()).into();
    }
    if let Some(schema) = row.takes {
        operation["requestBody"] = json!({"required": true, "content": content(schema)});
    }
    match row.method {
        Method::Get => json!({"get": operation}),
        Method::Post => json!({"post": operation}),
    }
}

fn responses(row: &Endpoint) -> Value {
    let error = match row.form {
        Form::Coded => "Error",
        Form::Decision => "Decision",
        Form::Full => "FullDecision",
    };
    let wrong = |text: &str| json!({"description": text, "content": content(error)});
    let mut responses = json!({"200": {"description": "answered", "content": match row.gives {
        Some(schema) => content(schema),
        None => json!({"text/plain": {"schema": {"type": "string"}}}),
    }}});
    if row.takes.is_some() {
        responses["400"] = wrong("the request is malformed, or names what is not there");
        responses["413"] = wrong("the body is too large");
    }
    let may_need_a_key = matches!(row.access, Access::Scope(_)) || row.also.contains(&401);
    if may_need_a_key {
        responses["401"] = wrong("no key, or none that is accepted");
        responses["403"] = wrong("the key does not cover it");
    }
    if row.takes.is_some() && matches!(row.access, Access::Scope(_)) {
        responses["429"] = wrong("the key asks too often; see Retry-After");
        responses["503"] = wrong("too much is being asked; see Retry-After");
    }
    for status in row.also.iter().filter(|status| **status != 401) {
        responses[status.to_string()] = match status {
            304 => json!({"description": "what the tag names is what is known"}),
            404 => {
                json!({"description": "switched off", "content": {"text/plain": {"schema": {"type": "string"}}}})
            }
            _ => {
                json!({"description": "not ready", "content": content(row.gives.unwrap_or("Error"))})
            }
        };
    }
    responses["405"] = wrong("another method");
    responses["431"] = wrong("the headers are too large");
    responses
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
            assert!(operation["responses"]["200"].is_object());
        }
    }
}
