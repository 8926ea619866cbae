//! A reported event, read strictly: known members of the right type and of bounded length, written anew.
//!
//! Nothing of a reporter's bytes is kept as it came, so one that reports nonsense spoils no page. Members nobody knows, and
//! members of the wrong type, are dropped and named in the answer; an event without a tool or an outcome is refused. What only
//! the server may say (`seq`, `server`, `at`, `reported_by`) cannot be reported.

use toolpass_guard::json::{Object, array, quote};
use toolpass_wire::json::Json;

use super::Reporter;
use super::filter::group;

/// The longest run, in bytes of JSON. What is longer is kept without `actions` and `arguments`.
pub const MAX_RUN: usize = 64 * 1024;

/// How many requests of a run are kept.
const MAX_ACTIONS: usize = 500;
/// How many names of dropped members are remembered.
const MAX_DROPPED: usize = 20;

/// A run that may be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The event's id.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// How it ended.
    pub outcome: String,
    /// The outcomes it is shown among.
    pub group: &'static str,
    /// The person.
    pub user: Option<String>,
    /// Its systems: connections, else hosts, each once.
    pub systems: Vec<String>,
    /// Its members as JSON, without the braces.
    members: String,
}

/// What a member is.
#[derive(Clone, Copy)]
enum Kind {
    /// Any JSON, which the limit of the whole bounds.
    Any,
    /// Objects of these members.
    Actions,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A text of at most so many characters.
    Text(usize),
}

/// The members of an event, in the order they are written.
const MEMBERS: &[(&str, Kind)] = &[
    ("v", Kind::Number),
    ("id", Kind::Text(100)),
    ("parent", Kind::Text(100)),
    ("time", Kind::Text(40)),
    ("tool", Kind::Text(200)),
    ("effect", Kind::Text(40)),
    ("outcome", Kind::Text(40)),
    ("code", Kind::Text(100)),
    ("reason", Kind::Text(2000)),
    ("session", Kind::Text(200)),
    ("user", Kind::Text(320)),
    ("arguments", Kind::Any),
    ("authorization", Kind::Text(2000)),
    ("authority", Kind::Any),
    ("entitled", Kind::Flag),
    ("duration_ms", Kind::Number),
    ("redacted", Kind::Number),
    ("fenced", Kind::Number),
    ("tainted", Kind::Number),
    ("revoked_during_call", Kind::Flag),
    ("actions", Kind::Actions),
];

/// The members of a request.
const ACTION: &[(&str, Kind)] = &[
    ("time", Kind::Text(40)),
    ("duration_ms", Kind::Number),
    ("method", Kind::Text(20)),
    ("host", Kind::Text(300)),
    ("path", Kind::Text(2000)),
    ("effect", Kind::Text(40)),
    ("outcome", Kind::Text(40)),
    ("connection", Kind::Text(200)),
    ("integration", Kind::Text(100)),
    ("action", Kind::Text(200)),
    ("resource", Kind::Text(1000)),
    ("as_agent", Kind::Flag),
    ("sends_out", Kind::Flag),
    ("untrusted_output", Kind::Flag),
    ("sensitive", Kind::Flag),
    ("code", Kind::Text(100)),
    ("reason", Kind::Text(2000)),
    ("note", Kind::Text(100)),
];

/// Members that a reporter sends and the server says itself.
const OURS: &[&str] = &["at", "cut", "reported_by", "seq", "server"];

/// The names of members that were dropped, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped(Vec<String>);

impl Dropped {
    fn note(&mut self, name: &str) {
        let name = clip(name, 60);
        if self.0.len() < MAX_DROPPED && !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// The names.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl Run {
    /// Read an event; what is dropped of it is noted.
    /// Errors: what is wrong, as the end of a sentence about the event.
    pub fn read(event: &Json, dropped: &mut Dropped) -> Result<Run, String> {
        let Some(given) = event.as_object() else {
            return Err("is no object".into());
        };
        let needed = |name: &str| {
            let text = event.get(name).and_then(Json::as_str).unwrap_or_default();
            if text.trim().is_empty() {
                return Err(format!("has no `{name}`, expected a string"));
            }
            Ok(text)
        };
        let (tool, outcome) = (needed("tool")?, needed("outcome")?);
        for (name, _) in given {
            if !MEMBERS.iter().any(|(known, _)| known == name) && !OURS.contains(&name.as_str()) {
                dropped.note(name);
            }
        }
        let mut members = written(event, MEMBERS, "", dropped, false);
        if members.len() > MAX_RUN {
            members = written(event, MEMBERS, "", &mut Dropped::default(), true);
            let note =
                "the event was too long to be kept whole; its arguments and requests are left out";
            members.push_str(&format!(",\"cut\":{}", quote(note)));
        }
        let text = |name: &str, most| Some(clip(event.get(name)?.as_str()?, most));
        Ok(Run {
            id: text("id", 100).filter(|id| !id.is_empty()),
            tool: clip(tool, 200),
            outcome: clip(outcome, 40),
            group: group(
                outcome,
                event.get("code").is_some_and(|code| !code.is_null()),
            ),
            user: text("user", 320).filter(|user| !user.is_empty()),
            systems: systems(event),
            members,
        })
    }

    /// Read a decision in the form of an event, with how it was made (`explained`, one JSON object). Only the server makes one: of
    /// an event that is reported, a member of that name is dropped.
    /// Errors: as of [`Run::read`].
    pub fn decided(event: &Json, explained: &str) -> Result<Run, String> {
        let mut run = Run::read(event, &mut Dropped::default())?;
        if run.members.len() + explained.len() <= MAX_RUN {
            run.members.push_str(",\"explained\":");
            run.members.push_str(explained);
        } else {
            let note = "the explanation was too long to be kept";
            run.members.push_str(&format!(",\"cut\":{}", quote(note)));
        }
        Ok(run)
    }

    /// Whether it has not ended.
    pub fn is_started(&self) -> bool {
        self.outcome == "started"
    }

    /// As it is kept: with what only the server says.
    pub fn text(&self, from: &Reporter, at: std::time::Duration) -> String {
        let (seconds, millis) = (at.as_secs(), at.subsec_millis());
        format!(
            "{{\"server\":{},\"at\":{seconds}.{millis:03},\"reported_by\":{},{}}}",
            quote(&from.server),
            quote(&from.key),
            self.members
        )
    }
}

/// The systems of a run's requests.
fn systems(event: &Json) -> Vec<String> {
    let requests = event.get("actions").and_then(Json::as_array).unwrap_or(&[]);
    let named = requests.iter().take(MAX_ACTIONS).filter_map(|request| {
        let given = |name| {
            request
                .get(name)
                .and_then(Json::as_str)
                .filter(|text| !text.is_empty())
        };
        given("connection").or_else(|| given("host"))
    });
    let mut systems: Vec<String> = named.map(|name| clip(name, 300)).collect();
    systems.sort_unstable();
    systems.dedup();
    systems
}

/// The members of an object that are known and fit, without the braces.
fn written(
    event: &Json,
    known: &[(&str, Kind)],
    place: &str,
    dropped: &mut Dropped,
    is_cut: bool,
) -> String {
    let mut object = Object::new();
    for (name, kind) in known {
        let Some(value) = event.get(name).filter(|value| !value.is_null()) else {
            continue;
        };
        if is_cut && matches!(kind, Kind::Any | Kind::Actions) {
            continue;
        }
        match member(value, *kind, dropped) {
            Some(json) => {
                object.raw(name, &json);
            }
            None => dropped.note(&format!("{place}{name}")),
        }
    }
    let whole = object.finish();
    whole
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or_default()
        .to_owned()
}

fn member(value: &Json, kind: Kind, dropped: &mut Dropped) -> Option<String> {
    match kind {
        Kind::Any => Some(to_json(value)),
        Kind::Flag => value.as_bool().map(|flag| flag.to_string()),
        Kind::Number => number(value.as_number()?),
        Kind::Text(most) => Some(quote(&clip(value.as_str()?, most))),
        Kind::Actions => {
            let requests = value.as_array()?;
            if requests.len() > MAX_ACTIONS {
                dropped.note(&format!("actions past {MAX_ACTIONS}"));
            }
            let mut kept = Vec::new();
            for request in requests.iter().take(MAX_ACTIONS) {
                match request.as_object() {
                    Some(given) => {
                        for (name, _) in given {
                            if !ACTION.iter().any(|(known, _)| known == name) {
                                dropped.note(&format!("actions.{name}"));
                            }
                        }
                        let members = written(request, ACTION, "actions.", dropped, false);
                        kept.push(format!("{{{members}}}"));
                    }
                    None => dropped.note("actions"),
                }
            }
            Some(array(kept))
        }
    }
}

/// Any JSON, written anew.
pub fn to_json(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(flag) => flag.to_string(),
        Json::Number(digits) => number(digits).unwrap_or_else(|| quote(&clip(digits, 100))),
        Json::String(text) => quote(text),
        Json::Array(items) => array(items.iter().map(to_json)),
        Json::Object(members) => {
            let mut object = Object::new();
            for (name, value) in members {
                object.raw(name, &to_json(value));
            }
            object.finish()
        }
    }
}

/// A number as it was written, unless that is absurdly long.
fn number(digits: &str) -> Option<String> {
    (digits.len() <= 100).then(|| digits.to_owned())
}

fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<(Run, Dropped), String> {
        let mut dropped = Dropped::default();
        Run::read(&Json::parse(text.as_bytes()).unwrap(), &mut dropped).map(|run| (run, dropped))
    }

    fn from() -> Reporter {
        Reporter {
            key: "agents".into(),
            server: "shop".into(),
        }
    }

    #[test]
    fn an_event_is_written_anew_and_what_is_dropped_is_named() {
        let (run, dropped) = read(
            r#"{"seq":9,"server":"forged","reported_by":"forged","at":1,"tool":"t","outcome":"ran","evil":1,
                "user":"dana@acme.com","entitled":"yes","duration_ms":1.5,
                "actions":[{"host":"api.github.com","connection":"gh","x":1,"sends_out":true},{"host":"a.example"},7]}"#,
        )
        .unwrap();
        assert_eq!(
            run.text(&from(), Duration::from_millis(1500)),
            r#"{"server":"shop","at":1.500,"reported_by":"agents","tool":"t","outcome":"ran","user":"dana@acme.com","duration_ms":1.5,"actions":[{"host":"api.github.com","connection":"gh","sends_out":true},{"host":"a.example"}]}"#
        );
        assert_eq!(run.systems, ["a.example", "gh"]);
        assert_eq!(
            dropped.names(),
            ["evil", "entitled", "actions.x", "actions"]
        );
    }

    #[test]
    fn what_has_no_tool_or_outcome_is_refused() {
        for (text, said) in [
            ("7", "is no object"),
            ("{}", "has no `tool`"),
            (r#"{"tool":1,"outcome":"ran"}"#, "has no `tool`"),
            (r#"{"tool":"t","outcome":" "}"#, "has no `outcome`"),
        ] {
            assert!(read(text).unwrap_err().starts_with(said), "{text}");
        }
    }

    #[test]
    fn a_long_event_loses_its_arguments_and_requests() {
        let long = "x".repeat(MAX_RUN);
        let (run, _) = read(&format!(
            r#"{{"tool":"t","outcome":"ran","arguments":{{"a":"{long}"}},"actions":[{{"host":"h"}}]}}"#
        ))
        .unwrap();
        let text = run.text(&from(), Duration::ZERO);
        assert!(text.len() < 1000 && text.contains("\"cut\":") && !text.contains("\"arguments\""));
        assert_eq!(run.systems, ["h"]);
    }

    #[test]
    fn only_the_server_explains() {
        let event = r#"{"tool":"t","outcome":"ran","explained":{"rule":"forged"}}"#;
        let (run, dropped) = read(event).unwrap();
        assert!(!run.text(&from(), Duration::ZERO).contains("forged"));
        assert_eq!(dropped.names(), ["explained"]);
        let event = Json::parse(event.as_bytes()).unwrap();
        let run = Run::decided(&event, r#"{"rule":"repo"}"#).unwrap();
        let text = run.text(&from(), Duration::ZERO);
        assert!(
            text.ends_with(r#""outcome":"ran","explained":{"rule":"repo"}}"#),
            "{text}"
        );
        let long = format!("\"{}\"", "x".repeat(MAX_RUN));
        let text = Run::decided(&event, &long)
            .unwrap()
            .text(&from(), Duration::ZERO);
        assert!(text.len() < 1000 && text.contains("\"cut\":"));
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|flag| flag.to_string()),
            any::<i64>().prop_map(|number| number.to_string()),
            ".{0,12}".prop_map(|text| quote(&text)),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let names = prop_oneof![
                prop::sample::select(vec![
                    "tool",
                    "outcome",
                    "user",
                    "actions",
                    "arguments",
                    "host",
                    "id",
                    "entitled"
                ])
                .prop_map(str::to_owned),
                ".{0,6}",
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(array),
                prop::collection::btree_map(names, inner, 0..8).prop_map(|members| {
                    let mut object = Object::new();
                    for (name, value) in &members {
                        object.raw(name, value);
                    }
                    object.finish()
                }),
            ]
        })
    }

    proptest! {
        /// Whatever is reported, what is kept is one JSON object of known members within the bound.
        #[test]
        fn what_is_kept_is_json(event in json()) {
            let Ok(event) = Json::parse(event.as_bytes()) else { return Ok(()) };
            if let Ok(run) = Run::read(&event, &mut Dropped::default()) {
                let text = run.text(&from(), Duration::from_secs(1));
                let kept = Json::parse(text.as_bytes());
                prop_assert!(kept.is_ok(), "{}", text);
                for (name, _) in kept.unwrap().as_object().unwrap() {
                    let is_known = MEMBERS.iter().any(|(known, _)| known == name) || OURS.contains(&name.as_str());
                    prop_assert!(is_known, "{}", name);
                }
                prop_assert!(text.len() <= MAX_RUN + 1000);
            }
        }
    }
}
