//! The query of a request for runs: each parameter at most once, and only those there are.
//!
//! `since=` keeps what it always meant: what is no number, or none above 0, is the newest runs.

use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use toolpass_store::runs::filter::Filter;

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) wanted: Wanted,
    pub(super) filter: Filter,
    /// Free text, in small letters.
    pub(super) text: Option<String>,
    pub(super) format: Option<Format>,
}

/// Which side of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// What came after it.
    Since(u64),
    /// The newest before it.
    Newest(u64),
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Jsonl,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted::Newest(u64::MAX)
    }
}

impl Query {
    /// Read a query.
    /// Errors: which parameter is wrong, and what is accepted.
    pub(super) fn read(query: Option<&str>) -> Result<Query, String> {
        let mut read = Query::default();
        let mut seen = Vec::new();
        for pair in query
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
        {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            let Some(known) = NAMES.iter().find(|known| **known == name) else {
                let known = NAMES.join("`, `");
                return Err(format!(
                    "unknown parameter in the query, expected `{known}`"
                ));
            };
            if seen.contains(known) {
                return Err(format!("the parameter `{known}` is given twice"));
            }
            seen.push(*known);
            read.take(known, value)?;
        }
        if seen.contains(&"since") && seen.contains(&"before") {
            return Err("expected one of the parameters `since` and `before`, not both".into());
        }
        Ok(read)
    }

    fn take(&mut self, name: &'static str, value: String) -> Result<(), String> {
        let wrong = |expected: &str| format!("the parameter `{name}`: expected {expected}");
        if name == "since" {
            if let Some(since) = value.parse().ok().filter(|since| *since > 0) {
                self.wanted = Wanted::Since(since);
            }
            return Ok(());
        }
        if value.is_empty() {
            return Ok(());
        }
        let filter = &mut self.filter;
        match name {
            "before" => {
                let before = value.parse().map_err(|_| wrong("a number"))?;
                self.wanted = Wanted::Newest(before);
            }
            "from" => filter.from = Some(time(&value).ok_or_else(|| wrong(TIME))?),
            "to" => filter.to = Some(time(&value).ok_or_else(|| wrong(TIME))?),
            "outcome" => filter.want_outcome(&value).map_err(|words| wrong(&words))?,
            "user" => filter.user = Some(value),
            "tool" => filter.tool = Some(value),
            "server" => filter.server = Some(value),
            "system" => filter.system = Some(value),
            "id" => filter.id = Some(value),
            "format" => {
                self.format = Some(match value.as_str() {
                    "csv" => Format::Csv,
                    "jsonl" => Format::Jsonl,
                    _ => return Err(wrong("csv or jsonl")),
                });
            }
            _ => self.text = Some(value.to_lowercase()),
        }
        Ok(())
    }
}

/// A text of a query; `+` is a space, as forms write it.
fn decoded(text: &str) -> Result<String, String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    let decoded = decoded.map_err(|_| "the query is not in UTF-8".to_owned())?;
    if decoded.chars().count() > MAX_VALUE {
        return Err(format!("a parameter is longer than {MAX_VALUE} characters"));
    }
    Ok(decoded.into_owned())
}

/// Seconds since 1970, or RFC 3339.
fn time(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds)).filter(|time| time.as_secs() < MAX_TIME);
    }
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_millisecond())
        .ok()
        .map(Duration::from_millis)
}

/// What a parameter takes, as a schema; without an empty value, which is taken as none.
pub(crate) fn schema(name: &str) -> Value {
    match name {
        "before" => json!({"anyOf": [{"type": "integer", "minimum": 0}, {"const": ""}]}),
        "format" => json!({"enum": ["", "csv", "jsonl"]}),
        _ => json!({"type": "string", "maxLength": MAX_VALUE}),
    }
}

/// Every parameter there is.
pub(crate) const NAMES: &[&str] = &[
    "before", "format", "from", "id", "outcome", "q", "server", "since", "system", "to", "tool",
    "user",
];
const MAX_VALUE: usize = 400;
/// The year 9999.
const MAX_TIME: u64 = 253_402_300_800;
const TIME: &str = "seconds since 1970, or a time as 2026-11-30T12:00:00Z";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters() {
        let read = |text: &str| Query::read(Some(text));
        assert_eq!(Query::read(None), Ok(Query::default()));
        for lenient in ["since=", "since=x", "since=-1", "since=0", "user=", "&"] {
            assert_eq!(read(lenient), Ok(Query::default()), "{lenient}");
        }
        assert_eq!(read("since=7").unwrap().wanted, Wanted::Since(7));
        assert_eq!(read("before=7").unwrap().wanted, Wanted::Newest(7));
        let query =
            read("user=dana%40acme.com&q=Open+PR&outcome=refused&from=1&to=1970-01-01T00:00:02Z")
                .unwrap();
        assert_eq!(query.filter.user.as_deref(), Some("dana@acme.com"));
        assert_eq!(query.text.as_deref(), Some("open pr"));
        assert_eq!(query.filter.group, Some("refused"));
        assert_eq!(query.filter.from, Some(Duration::from_secs(1)));
        assert_eq!(query.filter.to, Some(Duration::from_secs(2)));
        for wrong in [
            "key=secret",
            "since=1&before=2",
            "user=a&user=b",
            "before=x",
            "outcome=all",
            "format=pdf",
            "from=soon",
            "to=99999999999999",
            "q=%ff",
        ] {
            let error = read(wrong).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
