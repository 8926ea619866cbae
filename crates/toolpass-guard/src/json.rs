//! Writing JSON with a fixed key order, for records that are data.
//!
//! Separate from `serde` because the types of this crate are not serialisable: a record is written member by member, so
//! nothing reaches it by being added to a struct. The output is valid UTF-8 and valid JSON whatever goes in.

use std::fmt::Write;

/// A JSON object being written.
pub struct Object {
    out: String,
    empty: bool,
}

impl Object {
    /// An empty object.
    pub fn new() -> Object {
        Object {
            out: String::from("{"),
            empty: true,
        }
    }

    /// A text member.
    pub fn text(&mut self, key: &str, value: &str) -> &mut Object {
        self.raw(key, &quote(value))
    }

    /// A text member, left out when there is none.
    pub fn maybe(&mut self, key: &str, value: Option<&str>) -> &mut Object {
        if let Some(value) = value {
            self.text(key, value);
        }
        self
    }

    /// A truth member, left out when false.
    pub fn flag(&mut self, key: &str, value: bool) -> &mut Object {
        if value {
            self.raw(key, "true");
        }
        self
    }

    /// A count, left out when zero.
    pub fn count(&mut self, key: &str, value: u64) -> &mut Object {
        if value > 0 {
            self.raw(key, &value.to_string());
        }
        self
    }

    /// A member that is JSON already.
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Object {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        self.out.push_str(&quote(key));
        self.out.push(':');
        self.out.push_str(json);
        self
    }

    /// The finished text.
    pub fn finish(&mut self) -> String {
        let mut out = std::mem::take(&mut self.out);
        out.push('}');
        out
    }
}

impl Default for Object {
    fn default() -> Object {
        Object::new()
    }
}

/// A JSON array of members that are JSON already.
pub fn array<I: IntoIterator<Item = String>>(items: I) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// A JSON string. Controls and the characters that HTML or a line reader could stumble over are escaped.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{7f}' | '\u{2028}' | '\u{2029}' => escape(&mut out, c),
            c if u32::from(c) < 0x20 => escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escape(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\\u{:04x}", u32::from(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_the_order_they_are_written() {
        let mut object = Object::new();
        object
            .text("b", "x\"\n<\u{0}é")
            .maybe("a", None)
            .flag("f", false)
            .flag("g", true)
            .raw("n", "1.5");
        assert_eq!(
            object.finish(),
            "{\"b\":\"x\\\"\\n\\u003c\\u0000é\",\"g\":true,\"n\":1.5}"
        );
        assert_eq!(array(["1".into(), quote("a")]), "[1,\"a\"]");
    }
}
