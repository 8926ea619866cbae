//! `/_standin/...`: reading the journal and changing a stand-in while it runs, over HTTP.
//!
//! | request | does |
//! |---|---|
//! | `GET requests` · `DELETE requests` | the journal · forget it |
//! | `POST reset` | forget requests and faults, go back to the first world |
//! | `GET state` · `PATCH state` | the world · change it by an RFC 7396 merge patch |
//! | `GET faults` · `POST faults` · `PUT faults` · `DELETE faults` | the rules · add one · replace all · none |
//! | `POST NAME` | the system's own command, such as GitHub's `revoke` and `expire` |
//!
//! INVARIANT: without the run's random token in `X-Standin-Control` these paths do not exist: the request goes to the system and
//! into the journal like any other, so a tool can neither use nor see them.

use serde_json::{Value, json};

use crate::error::Error;
use crate::faults::FaultRule;
use crate::message::Reply;
use crate::server::Shared;

/// What a request asks of the stand-in itself; `None` for all others.
pub(crate) fn command_name(shared: &Shared, parts: &http::request::Parts) -> Option<String> {
    let name = parts.uri.path().strip_prefix("/_standin/")?;
    let token = parts.headers.get("x-standin-control")?;
    (token.as_bytes() == shared.control_token.as_bytes()).then(|| name.to_owned())
}

/// Do it.
pub(crate) fn answer(shared: &Shared, method: &str, name: &str, body: &[u8]) -> Reply {
    let arguments = if body.is_empty() {
        Ok(Value::Null)
    } else {
        serde_json::from_slice(body)
    };
    let done = match arguments {
        Ok(arguments) => run(shared, method, name, arguments),
        Err(error) => Err(Error::World(format!("the body is not JSON: {error}"))),
    };
    match done {
        Ok(Value::Null) => Reply::empty(204),
        Ok(value) => Reply::json(200, &value),
        Err(error) => Reply::json(400, &json!({"message": error.to_string()})),
    }
}

fn run(shared: &Shared, method: &str, name: &str, arguments: Value) -> Result<Value, Error> {
    match (method, name) {
        ("GET", "requests") => Ok(json!({
            "requests": serde_json::to_value(shared.journal.entries()).map_err(unreadable)?,
            "connections": shared.journal.connections(),
        })),
        ("DELETE", "requests") => {
            shared.journal.clear();
            Ok(Value::Null)
        }
        ("POST", "reset") => {
            shared.reset();
            Ok(Value::Null)
        }
        ("GET", "state") => Ok(shared.system.state()),
        ("PATCH", "state") => shared.system.patch(&arguments).map(|()| Value::Null),
        ("GET", "faults") => serde_json::to_value(shared.faults.rules()).map_err(unreadable),
        ("POST", "faults") => {
            let rule: FaultRule = serde_json::from_value(arguments).map_err(unreadable)?;
            shared.faults.add(rule);
            Ok(Value::Null)
        }
        ("PUT", "faults") => {
            let rules: Vec<FaultRule> = serde_json::from_value(arguments).map_err(unreadable)?;
            shared.faults.replace(rules);
            Ok(Value::Null)
        }
        ("DELETE", "faults") => {
            shared.faults.replace(Vec::new());
            Ok(Value::Null)
        }
        ("POST", _) => shared
            .system
            .command(name, &arguments)
            .unwrap_or_else(|| Err(Error::World(format!("there is no command `{name}`")))),
        _ => Err(Error::World(format!("there is no `{method} {name}`"))),
    }
}

/// Apply an RFC 7396 merge patch: objects are merged, null removes, all else replaces.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Value::Object(object) = target else {
        return;
    };
    for (name, value) in members {
        if value.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::World(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of RFC 7396, appendix A.
    #[test]
    fn merge_patches_as_the_rfc_says() {
        let check = |target: Value, patch: Value, expected: Value| {
            let mut merged = target;
            merge(&mut merged, &patch);
            assert_eq!(merged, expected);
        };
        check(json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"}));
        check(json!({"a": "b"}), json!({"a": null}), json!({}));
        check(
            json!({"a": {"b": "c"}}),
            json!({"a": {"b": "d", "c": null}}),
            json!({"a": {"b": "d"}}),
        );
        check(
            json!({"a": [{"b": "c"}]}),
            json!({"a": [1]}),
            json!({"a": [1]}),
        );
        check(
            json!({}),
            json!({"a": {"bb": {"ccc": null}}}),
            json!({"a": {"bb": {}}}),
        );
        check(json!(["a"]), json!({"a": "b"}), json!({"a": "b"}));
    }
}
