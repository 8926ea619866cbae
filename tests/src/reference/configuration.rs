//! The page of configuration keys, and the rows other pages have of keys.

use toolpass_config::keys::{API_KEY, COMMON, SERVER, TOP};
use toolpass_integration::fields::{Key, KeyKind};

use super::page::{code, start, table};

/// The columns of a table of keys.
pub(super) const COLUMNS: &[&str] = &["key", "takes", "default", "meaning"];

/// `toolpass.yaml`: the keys that are no integration's.
pub(super) fn page() -> String {
    let about = "The keys of `toolpass.yaml`, and of connections in code. A key that is not listed is an error that lists those there are. Each \
                 integration adds keys of its own: see [integrations](../integrations/README.md).\n\n\
                 A *secret* is a reference, `env:NAME` or `file:/path`, never the value; in code also `toolpass.env`, `toolpass.file` and \
                 `toolpass.literal`. A *duration* is written `8s`, `1m30s`, `250ms`. A *URL* is https, or http on loopback.\n\n\
                 `api_key`, `api_keys`, `listen` and `server` are for `toolpass serve`; whatever else reads the file leaves them alone.";
    let mut page = start("Configuration", about);
    let mut top = rows(TOP);
    top.push(vec![
        code("connections"),
        "list".into(),
        "required".into(),
        "the systems; may be empty".into(),
    ]);
    top.push(vec![
        code("api_keys"),
        "list".into(),
        String::new(),
        "more keys that callers of `toolpass serve` show, each with what it may do".into(),
    ]);
    top.push(vec![
        code("server"),
        "mapping".into(),
        String::new(),
        "what only `toolpass serve` reads".into(),
    ]);
    top.sort();
    table(&mut page, "At the top", COLUMNS, &top);
    table(&mut page, "Of every connection", COLUMNS, &rows(COMMON));
    table(&mut page, "Of one of `api_keys`", COLUMNS, &rows(API_KEY));
    table(&mut page, "Of `server`", COLUMNS, &rows(SERVER));
    page
}

/// One row a key.
pub(super) fn rows(keys: &[Key]) -> Vec<Vec<String>> {
    keys.iter()
        .map(|key| {
            vec![
                code(key.name),
                takes(key),
                default(key),
                key.help.to_owned(),
            ]
        })
        .collect()
}

fn takes(key: &Key) -> String {
    if !key.one_of.is_empty() {
        return key
            .one_of
            .iter()
            .map(|value| code(value))
            .collect::<Vec<_>>()
            .join(", ");
    }
    match key.kind {
        KeyKind::Code => "a value of code".to_owned(),
        KeyKind::Connection(products) => {
            format!("the id of a connection ({})", products.join(", "))
        }
        KeyKind::File => "a file".to_owned(),
        KeyKind::Secret => "a secret".to_owned(),
        KeyKind::Text => "text".to_owned(),
        KeyKind::Url => "a URL".to_owned(),
    }
}

fn default(key: &Key) -> String {
    if key.required {
        "required".to_owned()
    } else {
        key.default.map(code).unwrap_or_default()
    }
}
