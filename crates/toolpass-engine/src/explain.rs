//! Why a decision is what it is: the account, the calls, the rule, and where the time went.
//!
//! An explanation is a check like any other, whose steps are noted: it is answered from the same caches, counted and logged. Separate
//! from the decision because only somebody who asks "why" wants it. The command and the server print [`Explanation::json`].

use std::fmt::Write as _;
use std::time::Duration;

use toolpass_core::decision::Decision;
use toolpass_core::evidence::UpstreamCall;
use toolpass_http::budget::Step;

use crate::record::Object;
use crate::stamp::rfc3339;

/// A decision and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The decision.
    pub decision: Decision,
    /// The product that was asked; empty when there is no such connection.
    pub integration: &'static str,
    /// What was done, in order of its end.
    pub steps: Vec<Step>,
    /// How long it took in all.
    pub took: Duration,
}

impl Explanation {
    /// One JSON object, without a line end.
    pub fn json(&self) -> String {
        let decision = &self.decision;
        let mut object = Object::begin(1024);
        object.text("decision", decision.outcome().as_str());
        object.text("reason", &decision.reason());
        object.text("code", decision.code().as_str());
        object.some_text("rule", decision.rule);
        object.some_text("integration", self.integration);
        object.some_text("identity", &decision.identity);
        object.number("status", u64::from(decision.status));
        object.some_text("id", &decision.id);
        if let Some(as_of) = decision.as_of {
            object.text("as_of", &rfc3339(as_of));
        }
        object.flag("cached", decision.cached);
        if let Some(after) = decision.retry_after_ms {
            object.number("retry_after_ms", after);
        }
        object.list("calls", decision.evidence.upstream.iter().map(call));
        if decision.evidence.truncated {
            object.flag("truncated", true);
        }
        object.list("steps", self.steps.iter().map(step));
        object.raw("took_ms", &millis(self.took));
        object.end()
    }

    /// Lines for a person, without what the decision itself says.
    pub fn lines(&self) -> Vec<String> {
        let decision = &self.decision;
        let shown = |text: &str, none: &str| {
            if text.is_empty() {
                none.to_owned()
            } else {
                text.to_owned()
            }
        };
        let mut lines = vec![format!(
            "identity  {}",
            shown(&decision.identity, "none was found")
        )];
        if !decision.rule.is_empty() {
            lines.push(format!("rule      {}", decision.rule));
        }
        if let Some(as_of) = decision.as_of {
            lines.push(format!("as of     {}", rfc3339(as_of)));
        }
        for call in &decision.evidence.upstream {
            let mut line = format!(
                "call      {} {}{}  {}",
                call.method,
                call.host.as_deref().unwrap_or_default(),
                call.path,
                call.status
            );
            // Writing to a String cannot fail.
            let _ = match (call.cached, call.shared, call.took) {
                (true, _, _) => write!(line, "  from a stored look-up"),
                (false, true, _) => write!(line, "  made for another question"),
                (false, false, Some(took)) => write!(line, "  {} ms", millis(took)),
                (false, false, None) => Ok(()),
            };
            lines.push(line);
        }
        if decision.evidence.truncated {
            lines.push("call      more were made than are kept".to_owned());
        }
        for step in &self.steps {
            let note = if step.note.is_empty() {
                String::new()
            } else {
                format!("  {}", step.note)
            };
            lines.push(format!(
                "step      {}  {} ms{note}",
                step.name,
                millis(step.took)
            ));
        }
        lines.push(format!("took      {} ms", millis(self.took)));
        lines
    }
}

fn call(call: &UpstreamCall) -> String {
    let mut object = Object::begin(128);
    object.text("method", &call.method);
    object.text("path", &call.path);
    if let Some(host) = &call.host {
        object.text("host", host);
    }
    object.number("status", u64::from(call.status));
    object.flag("cached", call.cached);
    object.flag("shared", call.shared);
    if let Some(took) = call.took {
        object.raw("took_ms", &millis(took));
    }
    object.end()
}

fn step(step: &Step) -> String {
    let mut object = Object::begin(64);
    object.text("name", step.name);
    object.raw("took_ms", &millis(step.took));
    object.some_text("note", &step.note);
    object.end()
}

/// Milliseconds with three decimals.
fn millis(time: Duration) -> String {
    let micros = time.as_micros();
    format!("{}.{:03}", micros / 1000, micros % 1000)
}

#[cfg(test)]
mod tests {
    use toolpass_core::clock::Wall;
    use toolpass_core::evidence::Evidence;

    use super::*;

    fn explanation() -> Explanation {
        let mut decision = Decision::deny("no \"role\"").by("repo");
        decision.identity = "dana".into();
        decision.as_of = Some(Wall(Duration::from_secs(1_893_456_000)));
        let own = UpstreamCall {
            method: "GET".into(),
            path: "/a".into(),
            status: 200,
            took: Some(Duration::from_micros(1250)),
            ..UpstreamCall::default()
        };
        let old = UpstreamCall {
            cached: true,
            host: Some("h".into()),
            ..own.clone()
        };
        decision.evidence = Evidence {
            upstream: vec![own, old],
            truncated: false,
        };
        Explanation {
            decision,
            integration: "github",
            steps: vec![Step {
                name: "account",
                took: Duration::from_millis(2),
                note: "stored".into(),
            }],
            took: Duration::from_millis(5),
        }
    }

    #[test]
    fn as_json() {
        let expected = concat!(
            r#"{"decision":"deny","reason":"denied: no \"role\"","code":"denied","rule":"repo","integration":"github","#,
            r#""identity":"dana","status":200,"as_of":"2030-01-01T00:00:00Z","cached":false,"calls":["#,
            r#"{"method":"GET","path":"/a","status":200,"cached":false,"shared":false,"took_ms":1.250},"#,
            r#"{"method":"GET","path":"/a","host":"h","status":200,"cached":true,"shared":false,"took_ms":1.250}],"#,
            r#""steps":[{"name":"account","took_ms":2.000,"note":"stored"}],"took_ms":5.000}"#,
        );
        assert_eq!(explanation().json(), expected);
    }

    #[test]
    fn as_lines() {
        let expected = [
            "identity  dana",
            "rule      repo",
            "as of     2030-01-01T00:00:00Z",
            "call      GET /a  200  1.250 ms",
            "call      GET h/a  200  from a stored look-up",
            "step      account  2.000 ms  stored",
            "took      5.000 ms",
        ];
        assert_eq!(explanation().lines(), expected);
    }
}
