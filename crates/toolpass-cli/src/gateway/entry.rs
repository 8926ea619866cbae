//! Which entries of a client's file were rewritten, and what each was before. Pure, so that it is a table of cases.

use toolpass_wire::json::Json;

type Members = Vec<(String, Json)>;

/// Put back every rewritten entry, and give their names.
pub(super) fn restore_all(whole: &mut Json) -> Vec<String> {
    let mut restored = Vec::new();
    let Json::Object(top) = whole else {
        return restored;
    };
    if let Some(servers) = member(top, SERVERS) {
        restore(servers, &mut restored);
    }
    if let Some(Json::Object(projects)) = member(top, "projects") {
        for (_, project) in projects {
            if let Json::Object(project) = project
                && let Some(servers) = member(project, SERVERS)
            {
                restore(servers, &mut restored);
            }
        }
    }
    restored
}

fn restore(servers: &mut Json, restored: &mut Vec<String>) {
    let Json::Object(servers) = servers else {
        return;
    };
    for (name, entry) in servers {
        if let Json::Object(entry) = entry
            && let Some(saved) = taken_saved(entry)
        {
            put_back(entry, saved);
            restored.push(name.clone());
        }
    }
}

/// The members an entry had; taken out of it.
fn taken_saved(entry: &mut Members) -> Option<Members> {
    let at = entry
        .iter()
        .position(|(name, value)| name == SAVED && matches!(value, Json::Object(_)))?;
    match entry.remove(at) {
        (_, Json::Object(saved)) => Some(saved),
        _ => None,
    }
}

fn put_back(entry: &mut Members, saved: Members) {
    let is_address = saved.iter().any(|(name, _)| name == "url");
    let replaced: &[&str] = if is_address {
        &["type", "command", "args"]
    } else {
        &["command", "args"]
    };
    entry.retain(|(name, _)| !replaced.contains(&name.as_str()));
    if is_address {
        drop_headers(entry);
    }
    for (name, value) in saved {
        if is_address || replaced.contains(&name.as_str()) {
            match member(entry, &name) {
                Some(present) => *present = value,
                None => entry.push((name, value)),
            }
        }
    }
}

/// What handed the address's headers to the wrapper.
fn drop_headers(entry: &mut Members) {
    let Some(Json::Object(variables)) = member(entry, "env") else {
        return;
    };
    let before = variables.len();
    variables.retain(|(name, _)| name != HEADERS);
    if variables.is_empty() && before > 0 {
        entry.retain(|(name, _)| name != "env");
    }
}

fn member<'m>(members: &'m mut Members, name: &str) -> Option<&'m mut Json> {
    members
        .iter_mut()
        .find_map(|(key, value)| (key == name).then_some(value))
}

const HEADERS: &str = "TOOLPASS_MCP_HEADERS";
const SAVED: &str = "toolpass";
const SERVERS: &str = "mcpServers";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::text::pretty;

    fn check(before: &str, after: &str, names: &[&str]) {
        let mut whole = Json::parse(before.as_bytes()).unwrap();
        assert_eq!(restore_all(&mut whole), names, "{before}");
        assert_eq!(
            whole,
            Json::parse(after.as_bytes()).unwrap(),
            "{}",
            pretty(&whole)
        );
        assert!(
            restore_all(&mut whole).is_empty(),
            "a second run finds nothing"
        );
    }

    #[test]
    fn entries_as_they_were() {
        // A program, with variables of its own.
        check(
            r#"{"mcpServers":{"gh":{"command":"toolpass","args":["mcp","--","npx","gh"],"env":{"A":"b"},"toolpass":{"command":"npx","args":["gh"]}}}}"#,
            r#"{"mcpServers":{"gh":{"env":{"A":"b"},"command":"npx","args":["gh"]}}}"#,
            &["gh"],
        );
        // One without arguments.
        check(
            r#"{"mcpServers":{"gh":{"command":"toolpass","args":["mcp","--","gh"],"toolpass":{"command":"gh"}}}}"#,
            r#"{"mcpServers":{"gh":{"command":"gh"}}}"#,
            &["gh"],
        );
        // An address, with headers that are secrets.
        check(
            r#"{"mcpServers":{"x":{"type":"stdio","command":"toolpass","args":["mcp"],"env":{"TOOLPASS_MCP_HEADERS":"k"},"toolpass":{"type":"http","url":"https://x.example/mcp","headers":{"A":"b"}}}}}"#,
            r#"{"mcpServers":{"x":{"type":"http","url":"https://x.example/mcp","headers":{"A":"b"}}}}"#,
            &["x"],
        );
        check(
            r#"{"mcpServers":{"x":{"command":"toolpass","env":{"TOOLPASS_MCP_HEADERS":"k","A":"b"},"toolpass":{"url":"https://x.example"}}}}"#,
            r#"{"mcpServers":{"x":{"env":{"A":"b"},"url":"https://x.example"}}}"#,
            &["x"],
        );
        // In a project, beside one that was never rewritten.
        check(
            r#"{"projects":{"/home/dana/shop":{"mcpServers":{"a":{"command":"t","toolpass":{"command":"a"}},"b":{"command":"b"}},"n":1.50}},"z":[]}"#,
            r#"{"projects":{"/home/dana/shop":{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}},"n":1.50}},"z":[]}"#,
            &["a"],
        );
    }

    #[test]
    fn what_is_none_of_ours_stays() {
        for text in [
            "[]",
            r#"{"mcpServers":[]}"#,
            r#"{"mcpServers":{"a":{"command":"a","toolpass":true}}}"#,
            r#"{"mcpServers":{"a":"toolpass"}}"#,
            r#"{"toolpass":{"command":"a"}}"#,
        ] {
            check(text, text, &[]);
        }
    }
}
