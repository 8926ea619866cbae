//! One line of the decision log: one compact JSON object with a fixed order of keys.
//!
//! Separate from where lines go (`log.rs`). The types of a decision are not serialisable, so the order and the escapes are
//! written out here.
//!
//! INVARIANT: one line is one line: every control character, `<`, `>`, `&` and the two Unicode line ends are escaped. The
//! token is never in it.

use std::fmt::Write as _;
use std::time::Duration;

use toolpass_core::clock::Wall;
use toolpass_core::decision::Decision;
use toolpass_core::evidence::{Evidence, UpstreamCall};
use toolpass_core::question::Question;
use toolpass_core::secret::REDACTED;

use crate::caller::Caller;
use crate::log::Mask;
use crate::stamp::rfc3339;

/// What a line says.
pub(crate) struct DecisionRecord<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) config: &'a str,
    pub(crate) mask: Mask,
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
        line.text("user", self.masked(self.mask.user, &question.user));
        if !question.groups.is_empty() {
            if self.mask.groups {
                line.texts("groups", &[REDACTED.to_owned()]);
            } else {
                line.texts("groups", &question.groups);
            }
        }
        line.text("action", &question.action);
        line.text("resource", &question.resource);
        line.text("decision", decision.outcome().as_str());
        line.text("code", decision.code().as_str());
        // What a system says may name the person it was asked about, and so may the paths it was asked at.
        let names_people = self.mask.user || self.mask.groups;
        line.text("reason", self.masked(names_people, decision.text()));
        line.flag("cached", decision.cached);
        if question.freshness.fresh {
            line.flag("fresh", true);
        }
        line.number(
            "duration_ms",
            u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        );
        line.number("status", u64::from(decision.status));
        if let Some(remote) = self.caller.remote.as_deref().or(self.remote) {
            line.text("remote", self.masked(self.mask.remote, remote));
        }
        if !decision.evidence.is_empty() {
            let calls = evidence(&decision.evidence, self.mask.user);
            line.raw("evidence", &calls);
        }
        line.text("id", &decision.id);
        if !self.integration.is_empty() {
            line.text("integration", self.integration);
        }
        if !decision.identity.is_empty() {
            line.text("identity", self.masked(self.mask.user, &decision.identity));
        }
        line.some_text("caller", self.caller.name.as_deref().unwrap_or_default());
        if let Some(as_of) = decision.as_of {
            line.text("as_of", &rfc3339(as_of));
        }
        line.text("version", env!("CARGO_PKG_VERSION"));
        line.some_text("config", self.config);
        line.some_text(
            "trace_id",
            self.caller.trace_id.as_deref().unwrap_or_default(),
        );
        let mut line = line.end();
        line.push('\n');
        line
    }

    fn masked<'t>(&self, is_masked: bool, text: &'t str) -> &'t str {
        if is_masked { REDACTED } else { text }
    }
}

fn evidence(evidence: &Evidence, is_masked: bool) -> String {
    let mut object = Object::begin(256);
    let calls = evidence.upstream.iter();
    object.list("upstream", calls.map(|one| call(one, is_masked)));
    if evidence.truncated {
        object.flag("truncated", true);
    }
    object.end()
}

fn call(call: &UpstreamCall, is_masked: bool) -> String {
    let mut object = Object::begin(128);
    object.text("method", &call.method);
    object.text("path", if is_masked { REDACTED } else { &call.path });
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
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn begin(capacity: usize) -> Object {
        let mut text = String::with_capacity(capacity);
        text.push('{');
        Object(text)
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        quote(&mut self.0, value);
    }

    /// A text, unless it is empty.
    pub(crate) fn some_text(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.text(key, value);
        }
    }

    /// A list of values that are JSON already.
    pub(crate) fn list(&mut self, key: &str, values: impl Iterator<Item = String>) {
        self.raw(key, &format!("[{}]", values.collect::<Vec<_>>().join(",")));
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

    pub(crate) fn flag(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        self.raw(key, &value.to_string());
    }

    /// A value that is JSON already.
    pub(crate) fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.0.push_str(json);
    }

    pub(crate) fn end(mut self) -> String {
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
            caller: &Caller {
                name: Some("ci".into()),
                trace_id: Some("4bf9".into()),
                ..Caller::default()
            },
            config: "c0ffee",
            mask: Mask::default(),
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
            r#""id":"0190","integration":"github","identity":"42","caller":"ci","as_of":"2029-12-31T23:59:59Z","#,
            r#""version":"0.0.0","config":"c0ffee","trace_id":"4bf9"}"#,
            "\n"
        );
        assert_eq!(line(&question, &decision), expected);
    }

    #[test]
    fn a_masked_line_names_nobody_in_what_the_system_said() {
        let mut decision = Decision::deny("dana-gh may read acme/shop, not push");
        decision.identity = "dana-gh".into();
        decision.evidence.upstream.push(UpstreamCall {
            method: "GET".into(),
            path: "/repos/acme/shop/collaborators/dana-gh/permission".into(),
            status: 200,
            sha256: Some("ab".into()),
            ..UpstreamCall::default()
        });
        let masked = |mask| {
            DecisionRecord {
                time: Wall(Duration::from_secs(1_893_456_000)),
                caller: &Caller::default(),
                config: "",
                mask,
                question: &question(),
                decision: &decision,
                integration: "github",
                took: Duration::ZERO,
                remote: None,
            }
            .line()
        };
        let line = masked(Mask {
            user: true,
            ..Mask::default()
        });
        assert!(!line.contains("dana"), "{line}");
        assert!(
            line.contains(r#""code":"denied","reason":"[REDACTED]""#)
                && line.contains(r#""path":"[REDACTED]","status":200,"sha256":"ab""#),
            "{line}"
        );
        // What only says which groups somebody is in hides no path.
        let line = masked(Mask {
            groups: true,
            ..Mask::default()
        });
        assert!(
            line.contains(r#""reason":"[REDACTED]""#) && line.contains("/collaborators/"),
            "{line}"
        );
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
