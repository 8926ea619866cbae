//! One line of the decision log: one compact JSON object with a fixed order of keys.
//!
//! Separate from where lines go (`log.rs`). The types of a decision are not serialisable, so the order and the escapes are
//! written out here.
//!
//! INVARIANT: one line is one line: every control character, `<`, `>`, `&` and the two Unicode line ends are escaped. The
//! token is never in it.

use std::fmt::Write as _;
use std::time::Duration;

use jiff::Timestamp;
use toolpass_core::clock::Wall;
use toolpass_core::decision::Decision;
use toolpass_core::evidence::{Evidence, UpstreamCall};
use toolpass_core::question::Question;

/// What a line says.
pub(crate) struct DecisionRecord<'a> {
    pub(crate) time: Wall,
    pub(crate) question: &'a Question,
    pub(crate) decision: &'a Decision,
    /// Empty when there is no such connection.
    pub(crate) integration: &'a str,
    pub(crate) took: Duration,
    pub(crate) remote: Option<&'a str>,
}

impl DecisionRecord<'_> {
    /// The line, with its end.
    pub(crate) fn line(&self) -> String {
        let (question, decision) = (self.question, self.decision);
        let mut line = Object::begin(512);
        line.text("time", &rfc3339(self.time));
        line.text("connection", &question.connection);
        line.text("user", &question.user);
        if !question.groups.is_empty() {
            line.texts("groups", &question.groups);
        }
        line.text("action", &question.action);
        line.text("resource", &question.resource);
        line.text("decision", decision.outcome().as_str());
        line.text("code", decision.code().as_str());
        line.text("reason", decision.text());
        line.flag("cached", decision.cached);
        if question.freshness.fresh {
            line.flag("fresh", true);
        }
        line.number(
            "duration_ms",
            u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        );
        line.number("status", u64::from(decision.status));
        if let Some(remote) = self.remote {
            line.text("remote", remote);
        }
        if !decision.evidence.is_empty() {
            line.raw("evidence", &evidence(&decision.evidence));
        }
        line.text("id", &decision.id);
        if !self.integration.is_empty() {
            line.text("integration", self.integration);
        }
        if !decision.identity.is_empty() {
            line.text("identity", &decision.identity);
        }
        if let Some(as_of) = decision.as_of {
            line.text("as_of", &rfc3339(as_of));
        }
        let mut line = line.end();
        line.push('\n');
        line
    }
}

/// Wall time as RFC 3339 in UTC, its fraction without trailing zeros.
pub(crate) fn rfc3339(time: Wall) -> String {
    let seconds = i64::try_from(time.0.as_secs()).unwrap_or(i64::MAX);
    let nanos = i32::try_from(time.0.subsec_nanos()).unwrap_or(0);
    Timestamp::new(seconds, nanos)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}

fn evidence(evidence: &Evidence) -> String {
    let mut calls = String::from("[");
    for (index, upstream) in evidence.upstream.iter().enumerate() {
        if index > 0 {
            calls.push(',');
        }
        calls.push_str(&call(upstream));
    }
    calls.push(']');
    let mut object = Object::begin(calls.len() + 32);
    object.raw("upstream", &calls);
    if evidence.truncated {
        object.flag("truncated", true);
    }
    object.end()
}

fn call(call: &UpstreamCall) -> String {
    let mut object = Object::begin(128);
    object.text("method", &call.method);
    object.text("path", &call.path);
    if let Some(host) = &call.host {
        object.text("host", host);
    }
    object.number("status", u64::from(call.status));
    if let Some(etag) = &call.etag {
        object.text("etag", etag);
    }
    if let Some(digest) = &call.sha256 {
        object.text("sha256", digest);
    }
    if call.cached {
        object.flag("cached", true);
    }
    if call.shared {
        object.flag("shared", true);
    }
    object.end()
}

/// A JSON object being written.
struct Object(String);

impl Object {
    fn begin(capacity: usize) -> Object {
        let mut text = String::with_capacity(capacity);
        text.push('{');
        Object(text)
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        quote(&mut self.0, value);
    }

    fn texts(&mut self, key: &str, values: &[String]) {
        self.key(key);
        self.0.push('[');
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            quote(&mut self.0, value);
        }
        self.0.push(']');
    }

    fn flag(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    fn number(&mut self, key: &str, value: u64) {
        self.raw(key, &value.to_string());
    }

    /// A value that is JSON already.
    fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.0.push_str(json);
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    /// A key, which is one of ours and needs no escapes.
    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for (at, c) in text.char_indices() {
        match c {
            _ if at >= MAX_TEXT_BYTES => {
                out.push('…');
                break;
            }
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<'
            | '>'
            | '&'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// A text of a malformed question may be of any length; a valid one is never this long.
const MAX_TEXT_BYTES: usize = 4096;

#[cfg(test)]
mod tests {
    use toolpass_core::question::Freshness;

    use super::*;

    fn question() -> Question {
        Question {
            user: "dana@example.com".into(),
            connection: "gh".into(),
            action: "pr.create".into(),
            resource: "repo:acme/shop".into(),
            ..Question::default()
        }
    }

    fn line(question: &Question, decision: &Decision) -> String {
        DecisionRecord {
            time: Wall(Duration::new(1_893_456_000, 120_000_000)),
            question,
            decision,
            integration: "github",
            took: Duration::from_micros(12_900),
            remote: Some("cli"),
        }
        .line()
    }

    #[test]
    fn the_whole_line() {
        let question = Question {
            groups: vec!["b".into(), "a".into()],
            freshness: Freshness {
                fresh: true,
                max_age: None,
            },
            ..question()
        };
        let own = UpstreamCall {
            method: "GET".into(),
            path: "/a%20b".into(),
            status: 200,
            etag: Some("\"e\"".into()),
            ..UpstreamCall::default()
        };
        let old = UpstreamCall {
            host: Some("h.example".into()),
            sha256: Some("ab".into()),
            cached: true,
            ..own.clone()
        };
        let mut decision = Decision::deny("role \"read\"");
        decision.identity = "42".into();
        decision.id = "0190".into();
        decision.as_of = Some(Wall(Duration::from_secs(1_893_455_999)));
        decision.evidence = Evidence {
            upstream: vec![own, UpstreamCall { etag: None, ..old }],
            truncated: true,
        };
        let expected = concat!(
            r#"{"time":"2030-01-01T00:00:00.12Z","connection":"gh","user":"dana@example.com","groups":["b","a"],"#,
            r#""action":"pr.create","resource":"repo:acme/shop","decision":"deny","code":"denied","reason":"role \"read\"","#,
            r#""cached":false,"fresh":true,"duration_ms":12,"status":200,"remote":"cli","evidence":{"upstream":["#,
            r#"{"method":"GET","path":"/a%20b","status":200,"etag":"\"e\""},"#,
            r#"{"method":"GET","path":"/a%20b","host":"h.example","status":200,"sha256":"ab","cached":true}],"truncated":true},"#,
            r#""id":"0190","integration":"github","identity":"42","as_of":"2029-12-31T23:59:59Z"}"#,
            "\n"
        );
        assert_eq!(line(&question, &decision), expected);
    }

    #[test]
    fn no_text_breaks_the_line_or_grows_without_end() {
        let question = Question {
            user: "<&>\n\u{2028}\u{7}\u{85}\\\"".into(),
            resource: "é".repeat(10_000),
            ..question()
        };
        let line = line(
            &question,
            &Decision::unknown(toolpass_core::codes::Code::InvalidRequest, ""),
        );
        assert!(
            line.contains(r#""user":"\u003c\u0026\u003e\n\u2028\u0007\u0085\\\"""#),
            "{line}"
        );
        assert!(line.len() < 5000);
        assert_eq!(line.matches('\n').count(), 1);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["user"], question.user.as_str());
    }
}
