//! JSON as clients write their files: two spaces a level, members in the order they were read, numbers as they were written.

use toolpass_wire::json::Json;

/// The whole text, with a line end.
pub(super) fn pretty(whole: &Json) -> String {
    let mut text = String::new();
    add(&mut text, whole, 0);
    text.push('\n');
    text
}

fn add(text: &mut String, value: &Json, depth: usize) {
    match value {
        Json::Null => text.push_str("null"),
        Json::Bool(true) => text.push_str("true"),
        Json::Bool(false) => text.push_str("false"),
        Json::Number(digits) => text.push_str(digits),
        Json::String(string) => quote(text, string),
        Json::Array(items) => list(text, '[', items, ']', depth, |text, item| {
            add(text, item, depth + 1)
        }),
        Json::Object(members) => list(text, '{', members, '}', depth, |text, (name, value)| {
            quote(text, name);
            text.push_str(": ");
            add(text, value, depth + 1);
        }),
    }
}

fn list<T>(
    text: &mut String,
    open: char,
    items: &[T],
    close: char,
    depth: usize,
    one: impl Fn(&mut String, &T),
) {
    text.push(open);
    for (index, item) in items.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        one(text, item);
    }
    if !items.is_empty() {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    }
    text.push(close);
}

fn quote(text: &mut String, string: &str) {
    text.push_str(&serde_json::Value::from(string).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written() {
        let text = "{\n  \"b\": [\n    1.50,\n    \"é\\n\",\n    {}\n  ],\n  \"a\": null,\n  \"c\": []\n}\n";
        assert_eq!(pretty(&Json::parse(text.as_bytes()).unwrap()), text);
    }
}
