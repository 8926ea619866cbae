//! Cases as lines of JSON: what the system answers and what is asked, and the decision that must follow.
//!
//! Blank lines and lines that begin with `//` are left out. All cases are run; every failure is reported with its line.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_integration::fields::Settings;
use toolpass_integration::integration::Integration;
use toolpass_wire::extract::Target;
use toolpass_wire::observe::{Observation, Systems};
use toolpass_wire::raw::RawBody;
use toolpass_wire::request::WireRequest;

use crate::observed;

/// One case of a rule.
///
/// Shape: `{"name": "…", "ask": ["user", "action", "resource"], "said": {fact: value}, "keys": {key: value}, "answers": {address: answer},
/// "expect": "code", "text": "part of the reason"}`; `said`, `keys` and `text` may be left out.
pub struct Case {
    /// What holds.
    pub name: String,
    /// The account's id.
    pub user: String,
    /// The action.
    pub action: String,
    /// The resource.
    pub resource: String,
    /// What an observed request said besides.
    pub said: Facts,
    /// Keys that differ from the file's usual connection.
    pub keys: BTreeMap<String, String>,
    /// What the system answers.
    pub answers: Answers,
    expect: Code,
    text: Option<String>,
}

/// What the system answers, by address. Remembers what was asked for.
pub struct Answers {
    by_address: Map<String, Value>,
    read: RefCell<BTreeSet<String>>,
}

impl Answers {
    /// The answer at an address.
    /// Errors: the case has none, so it does not describe what the rule reads.
    pub fn get(&self, address: &str) -> Result<&Value, String> {
        self.read.borrow_mut().insert(address.to_owned());
        self.by_address
            .get(address)
            .ok_or_else(|| format!("the rule reads `{address}`, which the case does not answer"))
    }

    /// The addresses answered.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.by_address.keys().map(String::as_str)
    }

    fn unread(&self) -> Vec<&str> {
        self.addresses()
            .filter(|address| !self.read.borrow().contains(*address))
            .collect()
    }
}

impl Case {
    /// The code that must follow.
    pub fn expected(&self) -> Code {
        self.expect
    }

    fn read(value: &Value) -> Result<Case, String> {
        let ask: Vec<&str> = value
            .get("ask")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let [user, action, resource] = ask.as_slice() else {
            return Err("expected `ask` as [user, action, resource]".into());
        };
        let expect = member(value, "expect")?;
        Ok(Case {
            name: member(value, "name")?,
            user: (*user).to_owned(),
            action: (*action).to_owned(),
            resource: (*resource).to_owned(),
            said: texts(value, "said")?,
            keys: texts(value, "keys")?,
            answers: Answers {
                by_address: value
                    .get("answers")
                    .and_then(Value::as_object)
                    .cloned()
                    .unwrap_or_default(),
                read: RefCell::default(),
            },
            expect: Code::parse(&expect).ok_or_else(|| format!("`{expect}` is no code"))?,
            text: value.get("text").and_then(Value::as_str).map(str::to_owned),
        })
    }

    fn judge(&self, decision: &Decision) -> Result<(), String> {
        if decision.code() != self.expect {
            return Err(format!(
                "expected {}, found {}",
                self.expect,
                decision.reason()
            ));
        }
        if let Some(text) = self
            .text
            .as_deref()
            .filter(|text| !decision.text().contains(text))
        {
            return Err(format!(
                "expected a reason with `{text}`, found `{}`",
                decision.text()
            ));
        }
        match self.answers.unread().as_slice() {
            [] => Ok(()),
            unread => Err(format!("nothing reads {}", unread.join(", "))),
        }
    }
}

/// The cases of a file.
/// Errors: the file, or the first line that is no case.
pub fn cases(path: &Path) -> Result<Vec<(usize, Case)>, String> {
    lines(path)?
        .into_iter()
        .map(|(line, value)| {
            Ok((
                line,
                Case::read(&value).map_err(|why| format!("line {line}: {why}"))?,
            ))
        })
        .collect()
}

/// Decide every case of a file; how many there were.
/// Errors: every case that ends otherwise.
pub fn decisions(
    path: &Path,
    decide: impl Fn(&Case) -> Result<Decision, String>,
) -> Result<usize, String> {
    let cases = cases(path)?;
    report(
        cases.len(),
        cases.iter().map(|(line, case)| {
            (
                *line,
                case.name.as_str(),
                decide(case).and_then(|decision| case.judge(&decision)),
            )
        }),
    )
}

/// Observe every request of a file on a connection with `settings`; how many there were.
///
/// Shape: `{"name": "…", "request": ["METHOD", "https://host/path?query", body], "expect": ["action resource", …]}`. The body is left out,
/// a JSON value, or a string sent as it is with `"type"` (none when empty); `{"$hex": "1f8b…"}` are bytes, `{"$unread": true}` was streamed. `"headers"` adds
/// to them. An expectation may end in facts: `repo.push repo:a/b@m ref_operation=create`; a pointer reads `kind:value part=value`; instead
/// of the list, `"unresolved"`, `"unmapped"`, `"host_mismatch"` or `"unknown_host"`; no permission needed: `["-"]`. Where they are given,
/// `"effect"` and `"flags"` (`out`, `sensitive`, `trusted`, `agent_sight`, `agent_only`) are exactly so, and `"reason"` is part of why not.
/// Errors: every request that is named otherwise.
pub fn requests(
    path: &Path,
    integration: &'static dyn Integration,
    settings: &Settings,
) -> Result<usize, String> {
    let systems = observed::systems(integration, settings)?;
    let lines = lines(path)?;
    report(
        lines.len(),
        lines.iter().map(|(line, value)| {
            let name = value
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or("without a name");
            (*line, name, judge_request(&systems, value))
        }),
    )
}

fn judge_request(systems: &Systems, value: &Value) -> Result<(), String> {
    let parts = value
        .get("request")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let (Some(method), Some(url)) = (
        parts.first().and_then(Value::as_str),
        parts.get(1).and_then(Value::as_str),
    ) else {
        return Err("expected `request` as [method, url, body]".into());
    };
    let content_type = value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("application/json");
    let mut headers = texts(value, "headers")?;
    let body = parts.get(2).map(Sent::read).transpose()?;
    if body.is_some() && !content_type.is_empty() {
        headers
            .entry("content-type".to_owned())
            .or_insert_with(|| content_type.to_owned());
    }
    let observation = systems.observe(&wire_request(method, url, body.as_ref(), &headers)?);
    let expected = match value.get("expect") {
        Some(Value::String(word)) => vec![word.clone()],
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => return Err("expected `expect`".into()),
    };
    let found = named(&observation);
    if found != expected {
        return Err(format!(
            "expected {expected:?}, found {found:?}{}",
            why_not(&observation).map_or_else(String::new, |why| format!(" ({why})"))
        ));
    }
    judge_besides(value, &observation)
}

/// What a case says of a request besides the pairs.
fn judge_besides(value: &Value, observation: &Observation) -> Result<(), String> {
    if let Some(effect) = value.get("effect") {
        let found = effect_of(observation);
        if found.as_deref() != effect.as_str() {
            return Err(format!("expected the effect {effect}, found {found:?}"));
        }
    }
    if let Some(flags) = value.get("flags") {
        let expected: Vec<&str> = flags
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let found = flags_of(observation);
        if found != expected {
            return Err(format!("expected the flags {expected:?}, found {found:?}"));
        }
    }
    match (
        value.get("reason").and_then(Value::as_str),
        why_not(observation),
    ) {
        (Some(part), Some(why)) if !why.contains(part) => {
            Err(format!("expected a reason with `{part}`, found `{why}`"))
        }
        (Some(part), None) => Err(format!("expected a reason with `{part}`, found none")),
        (_, _) => Ok(()),
    }
}

/// A body as a case writes it.
enum Sent {
    Bytes(Vec<u8>),
    Streamed,
}

impl Sent {
    fn read(value: &Value) -> Result<Sent, String> {
        if let Some(hex) = value.get("$hex").and_then(Value::as_str) {
            let pairs = hex.as_bytes().chunks(2);
            let byte = |pair: &[u8]| {
                std::str::from_utf8(pair)
                    .ok()
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            };
            return pairs
                .map(byte)
                .collect::<Option<_>>()
                .map(Sent::Bytes)
                .ok_or_else(|| "expected hex digits as `$hex`".to_owned());
        }
        Ok(match value {
            Value::String(text) => Sent::Bytes(text.clone().into_bytes()),
            value if value.get("$unread").is_some() => Sent::Streamed,
            json => Sent::Bytes(json.to_string().into_bytes()),
        })
    }
}

fn wire_request(
    method: &str,
    url: &str,
    body: Option<&Sent>,
    headers: &BTreeMap<String, String>,
) -> Result<WireRequest, String> {
    let body = match body {
        None => RawBody::None,
        Some(Sent::Bytes(bytes)) => RawBody::Bytes(bytes),
        Some(Sent::Streamed) => RawBody::Unread,
    };
    let headers = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    observed::request(method, url, headers, body)
}

fn effect_of(observation: &Observation) -> Option<String> {
    match observation {
        Observation::Mapped { effect, .. }
        | Observation::Unmapped { effect, .. }
        | Observation::Unresolved { effect, .. } => Some(effect.to_string()),
        Observation::HostMismatch { .. }
        | Observation::Served { .. }
        | Observation::UnknownHost { .. } => None,
    }
}

fn flags_of(observation: &Observation) -> Vec<&'static str> {
    let row = match observation {
        Observation::Mapped { row, .. } => Some(row),
        Observation::Unresolved { row, .. } => row.as_ref(),
        Observation::HostMismatch { .. }
        | Observation::Served { .. }
        | Observation::UnknownHost { .. }
        | Observation::Unmapped { .. } => None,
    };
    let Some(row) = row else { return Vec::new() };
    let is_trusted_read =
        !row.untrusted_output && effect_of(observation).as_deref() == Some("read");
    let flags = [
        ("out", row.sends_out.is_some()),
        ("sensitive", row.sensitive),
        ("trusted", is_trusted_read),
        ("agent_sight", row.agent_sight),
        ("agent_only", row.agent_only.is_some()),
    ];
    flags
        .into_iter()
        .filter(|(_, set)| *set)
        .map(|(flag, _)| flag)
        .collect()
}

fn why_not(observation: &Observation) -> Option<String> {
    match observation {
        Observation::HostMismatch { reason } => Some(reason.clone()),
        Observation::Unresolved { reason, .. } => Some(reason.to_string()),
        Observation::Mapped { row, .. } => row.agent_only.as_ref().map(ToString::to_string),
        Observation::Served { .. }
        | Observation::UnknownHost { .. }
        | Observation::Unmapped { .. } => None,
    }
}

fn named(observation: &Observation) -> Vec<String> {
    let word = |word: &str| vec![word.to_owned()];
    match observation {
        Observation::HostMismatch { .. } => word("host_mismatch"),
        Observation::Mapped { needs, .. } => needs
            .iter()
            .map(|need| {
                let Some(action) = &need.action else {
                    return "-".to_owned();
                };
                let (target, parts) = match &need.target {
                    Some(Target::Pointer(pointer)) => (
                        format!("{}:{}", pointer.kind, pointer.value),
                        Some(&pointer.parts),
                    ),
                    Some(Target::Resource(resource)) => (resource.clone(), None),
                    None => (String::new(), None),
                };
                let besides = parts
                    .into_iter()
                    .flatten()
                    .chain(&need.facts)
                    .map(|(name, value)| format!(" {name}={value}"));
                format!("{action} {target}{}", besides.collect::<String>())
            })
            .collect(),
        Observation::Served { .. } => word("served"),
        Observation::UnknownHost { .. } => word("unknown_host"),
        Observation::Unmapped { .. } => word("unmapped"),
        Observation::Unresolved { .. } => word("unresolved"),
    }
}

fn report<'a>(
    count: usize,
    results: impl Iterator<Item = (usize, &'a str, Result<(), String>)>,
) -> Result<usize, String> {
    let mut failures = String::new();
    for (line, name, result) in results {
        if let Err(why) = result {
            // Writing to a string cannot fail.
            let _ = write!(failures, "\nline {line}, {name}: {why}");
        }
    }
    match (count, failures.is_empty()) {
        (0, _) => Err("the file holds no case".into()),
        (_, true) => Ok(count),
        (_, false) => Err(failures),
    }
}

fn lines(path: &Path) -> Result<Vec<(usize, Value)>, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let kept = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with("//"));
    kept.map(|(index, line)| {
        Ok((
            index + 1,
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?,
        ))
    })
    .collect()
}

fn member(value: &Value, name: &str) -> Result<String, String> {
    value
        .get(name)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| format!("expected `{name}`"))
}

fn texts(value: &Value, name: &str) -> Result<BTreeMap<String, String>, String> {
    let Some(members) = value.get(name) else {
        return Ok(BTreeMap::new());
    };
    let members = members
        .as_object()
        .ok_or_else(|| format!("expected `{name}` as an object"))?;
    members
        .iter()
        .map(|(name, value)| {
            Ok((
                name.clone(),
                value
                    .as_str()
                    .ok_or_else(|| format!("expected `{name}` as a string"))?
                    .to_owned(),
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn judged(case: Value, decision: Decision, reads: &[&str]) -> Result<(), String> {
        let case = Case::read(&case).unwrap();
        for address in reads {
            case.answers.get(address)?;
        }
        case.judge(&decision)
    }

    fn case(expect: &str) -> Value {
        json!({"name": "n", "ask": ["u", "a", "r:x"], "answers": {"/a": 1}, "expect": expect, "text": "why"})
    }

    #[test]
    fn a_case_can_fail_in_every_way() {
        assert_eq!(
            judged(case("denied"), Decision::deny("why not"), &["/a"]),
            Ok(())
        );
        assert!(
            judged(case("allowed"), Decision::deny("why not"), &["/a"])
                .unwrap_err()
                .contains("expected allowed")
        );
        assert!(
            judged(case("denied"), Decision::deny("so"), &["/a"])
                .unwrap_err()
                .contains("`why`")
        );
        assert!(
            judged(case("denied"), Decision::deny("why"), &[])
                .unwrap_err()
                .contains("nothing reads /a")
        );
        assert!(
            judged(case("denied"), Decision::deny("why"), &["/b"])
                .unwrap_err()
                .contains("does not answer")
        );
    }

    #[test]
    fn what_is_no_case_is_said() {
        for bad in [
            json!({}),
            json!({"name": "n", "ask": ["u"], "expect": "denied"}),
            json!({"name": "n", "ask": ["u", "a", "r"], "expect": "no"}),
        ] {
            assert!(Case::read(&bad).is_err(), "{bad}");
        }
        assert!(report(0, std::iter::empty()).is_err());
    }
}
