//! `toolpass routes -diff`: an integration's table held against the vendor's own description of its API, in both directions.
//!
//! A row that no operation stands behind is a row nobody will ever reach, or one whose path the vendor changed; a write that no row
//! names is refused. Both are compared by shape: what variables are called says nothing.
//! SOURCE: spec.openapis.org/oas/v3.1.1 (paths, servers), swagger.io/specification/v2 (basePath), Google's discovery documents.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::path::PathSegments;

use crate::exit::{Done, Exit, Stop};
use crate::input;
use crate::output::{Page, counted};

/// What was found.
#[derive(Debug, Serialize)]
struct Difference {
    integration: &'static str,
    operations: usize,
    routes: usize,
    /// Rows that no operation stands behind, and that do not say why.
    without_operation: Vec<Line>,
    /// Writes under the table's claims that no row names and that are not left out on purpose.
    unrouted_writes: Vec<Line>,
}

/// A method and a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Line {
    method: String,
    path: String,
}

/// Compare `table` with the description in `file`.
/// Errors: the file cannot be read, or describes no operation.
pub(super) fn done(
    integration: &'static str,
    table: &RouteTable,
    file: &str,
    json: bool,
) -> Result<Done, Stop> {
    let bytes = input::large("diff", file)?;
    let described: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Stop::Failed(format!("-diff `{file}`: expected a description in JSON (OpenAPI, Swagger or Google discovery): {error}")))?;
    let operations = operations(&described);
    if operations.is_empty() {
        return Err(Stop::Failed(format!(
            "-diff `{file}`: describes no operation; expected `paths` or `resources`"
        )));
    }
    let difference = compare(integration, table, &operations);
    let is_same = difference.without_operation.is_empty() && difference.unrouted_writes.is_empty();
    let page = if json {
        Page::json(&difference)?
    } else {
        shown(&difference)
    };
    Ok(Done {
        page,
        exit: if is_same { Exit::Done } else { Exit::Failed },
    })
}

fn shown(difference: &Difference) -> Page {
    let mut page = Page::new();
    page.line(&format!(
        "{}: {}, {}",
        difference.integration,
        counted(difference.routes, "route"),
        counted(difference.operations, "operation")
    ));
    for (title, lines) in [
        (
            "routes that no operation stands behind",
            &difference.without_operation,
        ),
        ("writes that no route names", &difference.unrouted_writes),
    ] {
        if !lines.is_empty() {
            let rows: Vec<_> = lines
                .iter()
                .map(|line| [line.method.clone(), line.path.clone()])
                .collect();
            page.line("");
            page.line(title);
            page.columns("  ", &rows);
        }
    }
    page
}

fn compare(
    integration: &'static str,
    table: &RouteTable,
    operations: &BTreeSet<Line>,
) -> Difference {
    let known: Vec<(&str, Vec<String>)> = operations
        .iter()
        .map(|line| (line.method.as_str(), spellings(table, &line.path)))
        .collect();
    let without_operation = table.rows().iter().filter(|row| row.no_operation.is_none());
    let without_operation = without_operation.filter(|row| {
        let shape = shape(&row.path);
        !known.iter().any(|(method, spellings)| {
            (row.method == "*" || row.method == *method)
                && spellings
                    .iter()
                    .any(|path| has_shape(&self::shape(path), &shape))
        })
    });
    let writes = operations
        .iter()
        .filter(|line| WRITES.contains(&line.method.as_str()));
    let unrouted = writes.filter(|line| {
        let spellings = spellings(table, &line.path);
        let is_claimed =
            table.claims().is_empty() || spellings.iter().any(|path| is_claimed(table, path));
        is_claimed
            && !spellings
                .iter()
                .any(|path| is_routed(table, &line.method, path))
    });
    Difference {
        integration,
        operations: operations.len(),
        routes: table.rows().len(),
        without_operation: without_operation
            .map(|row| Line {
                method: row.method.to_string(),
                path: row.path.to_string(),
            })
            .collect(),
        unrouted_writes: unrouted.cloned().collect(),
    }
}

/// A path as the table may have it: whole, and without a prefix that is the table's own.
fn spellings(table: &RouteTable, path: &str) -> Vec<String> {
    let cut = table
        .prefixes()
        .iter()
        .filter_map(|prefix| path.strip_prefix(prefix.as_ref()));
    let cut = cut.filter(|rest| rest.starts_with('/')).map(str::to_owned);
    std::iter::once(path.to_owned()).chain(cut).collect()
}

fn is_claimed(table: &RouteTable, path: &str) -> bool {
    let path = shape(path);
    table.claims().iter().any(|claim| {
        let claim = shape(claim);
        let mut parts = path.iter();
        claim
            .iter()
            .filter(|part| !part.is_empty())
            .all(|part| parts.by_ref().find(|own| !own.is_empty()) == Some(part))
    })
}

/// Whether a request for the operation would fall under a row, or is left out on purpose.
fn is_routed(table: &RouteTable, method: &str, path: &str) -> bool {
    // A variable may be anything; a word that is in no table tells it from a literal.
    let sample: Vec<String> = path.split('/').map(filled).collect();
    let Ok(segments) = PathSegments::read(&sample.join("/")) else {
        return false;
    };
    table.find(method, &segments).is_some() || table.left_out(method, &segments).is_some()
}

/// A segment with something in place of each variable.
fn filled(segment: &str) -> String {
    let mut text = String::new();
    let mut rest = segment;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        text.push_str("sample");
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    text + rest
}

/// A path's segments, each with a variable in it as `{}`; one that takes the rest as `**`.
fn shape(path: &str) -> Vec<String> {
    let anonymous = |segment: &str| {
        if segment == "**" || segment.ends_with("+}") || segment.ends_with("+%}") {
            "**".to_owned()
        } else if segment.contains('{') {
            "{}".to_owned()
        } else {
            segment.to_owned()
        }
    };
    path.trim_end_matches('/')
        .split('/')
        .map(anonymous)
        .collect()
}

/// Whether an operation's shape is a row's: segment by segment, the last of the row taking the rest where it may.
fn has_shape(operation: &[String], row: &[String]) -> bool {
    match row.split_last() {
        Some((last, front)) if last == "**" => {
            operation.len() > front.len() && operation.starts_with(front)
        }
        _ => operation == row,
    }
}

/// Every operation of a description.
fn operations(described: &Value) -> BTreeSet<Line> {
    let mut found = BTreeSet::new();
    if let Some(paths) = described.get("paths").and_then(Value::as_object) {
        let base = base(described);
        for (path, item) in paths {
            let methods = item.as_object().into_iter().flat_map(|item| item.keys());
            for method in methods.filter(|method| METHODS.contains(&method.as_str())) {
                found.insert(Line {
                    method: method.to_ascii_uppercase(),
                    path: format!("{base}{path}"),
                });
            }
        }
    }
    discovered(
        described,
        described
            .get("servicePath")
            .and_then(Value::as_str)
            .unwrap_or_default(),
        &mut found,
    );
    found
}

/// What stands before every path: the path of the first server that has no variables, or Swagger's `basePath`.
fn base(described: &Value) -> &str {
    let url = described.pointer("/servers/0/url").and_then(Value::as_str);
    let of_server = url.map(|url| match url.split_once("://") {
        Some((_, rest)) => rest
            .find('/')
            .map_or("", |at| rest.get(at..).unwrap_or_default()),
        None => url,
    });
    let base = of_server.or_else(|| described.get("basePath").and_then(Value::as_str));
    base.filter(|base| !base.contains('{'))
        .unwrap_or_default()
        .trim_end_matches('/')
}

/// The methods of a discovery document, of all its resources.
fn discovered(part: &Value, base: &str, found: &mut BTreeSet<Line>) {
    let each = |name: &str| {
        part.get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|all| all.values())
    };
    for method in each("methods") {
        let path = method
            .get("flatPath")
            .or_else(|| method.get("path"))
            .and_then(Value::as_str);
        let verb = method.get("httpMethod").and_then(Value::as_str);
        if let (Some(path), Some(verb)) = (path, verb) {
            found.insert(Line {
                method: verb.to_owned(),
                path: format!("/{}{path}", base.trim_start_matches('/')),
            });
        }
    }
    for resource in each("resources") {
        discovered(resource, base, found);
    }
}

const METHODS: &[&str] = &[
    "delete", "get", "head", "options", "patch", "post", "put", "trace",
];
const WRITES: &[&str] = &["DELETE", "PATCH", "POST", "PUT"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(described: &Value) -> Vec<String> {
        operations(described)
            .iter()
            .map(|line| format!("{} {}", line.method, line.path))
            .collect()
    }

    #[test]
    fn descriptions() {
        let paths = json!({"/a/{b}": {"get": {}, "parameters": [], "x-y": {}}, "/c": {"post": {}}});
        assert_eq!(lines(&json!({"paths": paths})), ["GET /a/{b}", "POST /c"]);
        for (key, value) in [
            ("basePath", json!("/v1/")),
            ("servers", json!([{"url": "https://x.example/v1"}])),
            ("servers", json!([{"url": "/v1"}])),
        ] {
            let mut described = json!({"paths": paths});
            described[key] = value;
            assert_eq!(lines(&described), ["GET /v1/a/{b}", "POST /v1/c"]);
        }
        let described = json!({"paths": paths, "servers": [{"url": "https://{host}/v1"}]});
        assert_eq!(lines(&described).len(), 2);
        let google = json!({"servicePath": "storage/v1/", "resources": {"b": {
            "methods": {"get": {"httpMethod": "GET", "path": "b/{bucket}"}},
            "resources": {"o": {"methods": {"insert": {"httpMethod": "POST", "flatPath": "b/{bucket}/o"}}}},
        }}});
        assert_eq!(
            lines(&google),
            [
                "GET /storage/v1/b/{bucket}",
                "POST /storage/v1/b/{bucket}/o"
            ]
        );
        assert!(lines(&json!({"paths": 1, "resources": []})).is_empty());
    }

    #[test]
    fn shapes() {
        for (operation, row, expected) in [
            ("/a/{b}", "/a/{c}", true),
            ("/a/{b}.json", "/a/{c}", true),
            ("/a/b", "/a/{c}", false),
            ("/a/{b}/c/d", "/a/{b}/{rest+}", true),
            ("/a/{b}", "/a/{b}/{rest+}", false),
            ("/a/{b}/", "/a/{b}", true),
            ("/a/{b}/c", "/a/**", true),
        ] {
            assert_eq!(
                has_shape(&shape(operation), &shape(row)),
                expected,
                "{operation} {row}"
            );
        }
    }
}
