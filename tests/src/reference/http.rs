//! The page of the HTTP interface, of the table that routes it.

#![expect(
    clippy::indexing_slicing,
    reason = "a member of a JSON value that is not there is null"
)]

use serde_json::Value;

use super::page::{code, start, table};

/// Every path, who may ask it, what it takes and gives.
pub(super) fn page() -> String {
    let about = "The paths of `toolpass serve`. A key goes into `Authorization: Bearer <key>`; which scopes there are: \
                 [configuration](configuration.md). Bodies are JSON, read strictly: unknown members (but of AuthZEN), repeated ones and wrong types \
                 are errors that name them. The whole description, with every schema, is served at `/v1/openapi.json`.\n\n\
                 What all paths have: 401 without a key where one is needed, 403 when the key does not cover it, 405 with `Allow` for another method, \
                 413 and 431 for what is too large, 429 and 503 with `Retry-After`. `X-Request-ID` is repeated, or made; the trace of a `traceparent` \
                 stands in the decision log.";
    let mut page = start("HTTP", about);
    let description = toolpass_server::openapi::whole();
    let schemas = &description["components"]["schemas"];
    let paths = description["paths"].as_object();
    let rows: Vec<Vec<String>> = paths
        .into_iter()
        .flatten()
        .flat_map(|(path, operations)| {
            let operations = operations.as_object().into_iter().flatten();
            operations.map(move |(method, operation)| row(path, method, operation))
        })
        .collect();
    table(
        &mut page,
        "Paths",
        &["path", "method", "key", "takes", "gives", "to"],
        &rows,
    );
    for (name, schema) in schemas.as_object().into_iter().flatten() {
        let members = schema["properties"].as_object().into_iter().flatten();
        let required = |name: &str| {
            let names = schema["required"].as_array().into_iter().flatten();
            names.into_iter().any(|one| one == name)
        };
        let rows: Vec<Vec<String>> = members
            .map(|(member, of)| {
                let always = if required(member) { "always" } else { "" };
                vec![code(member), kind(of), always.to_owned(), meaning(of)]
            })
            .collect();
        if !rows.is_empty() {
            table(
                &mut page,
                name,
                &["member", "type", "there", "meaning"],
                &rows,
            );
        }
    }
    page
}

fn row(path: &str, method: &str, operation: &Value) -> Vec<String> {
    let key = operation["description"]
        .as_str()
        .and_then(|text| text.split('`').nth(1));
    let schema = |at: &Value| {
        let reference = at["content"]["application/json"]["schema"]["$ref"].as_str();
        reference
            .and_then(|text| text.rsplit('/').next())
            .unwrap_or_default()
            .to_owned()
    };
    vec![
        code(path),
        method.to_uppercase(),
        key.map(code).unwrap_or_default(),
        schema(&operation["requestBody"]),
        schema(answered(&operation["responses"])),
        operation["summary"].as_str().unwrap_or_default().to_owned(),
    ]
}

/// What is answered when all is well.
fn answered(responses: &Value) -> &Value {
    match &responses["200"] {
        Value::Null => &responses["202"],
        answered => answered,
    }
}

fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|text| text.rsplit('/').next())
    {
        return name.to_owned();
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().filter_map(Value::as_str).map(code).collect();
        return values.join(", ");
    }
    if let Some(either) = schema["anyOf"].as_array() {
        return either.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some(name) => name.to_owned(),
        None => "anything".to_owned(),
    }
}

fn meaning(schema: &Value) -> String {
    let own = schema["description"].as_str();
    let of_choice = schema["anyOf"][0]["description"].as_str();
    own.or(of_choice).unwrap_or_default().to_owned()
}
