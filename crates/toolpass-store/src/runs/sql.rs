//! What both databases are asked alike: the search, whose conditions are columns with an index each, and whose pages follow
//! the numbers. `$1`, `$2`, … are placeholders in both.
//!
//! INVARIANT: no value stands in the text of a query.

use std::time::Duration;

use super::filter::Filter;

/// A value for a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(i64),
    Text(String),
}

/// A query and the values of its placeholders.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl Query {
    fn bound(&mut self, value: Value) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }
}

/// Which side of a number is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// Past it, oldest first.
    After(u64),
    /// Before it, newest first.
    Before(u64),
}

/// Up to `most` runs that fit, on one side of a number.
pub(crate) fn search(filter: &Filter, beyond: Beyond, most: usize) -> Query {
    let mut query = Query {
        text: String::new(),
        values: Vec::new(),
    };
    let mut conditions = Vec::new();
    // Of a system, the table of systems leads: its key is (system, seq).
    let (from, seq) = if filter.system.is_some() {
        (
            "toolpass_run_systems s JOIN toolpass_runs r ON r.seq = s.seq",
            "s.seq",
        )
    } else {
        ("toolpass_runs r", "r.seq")
    };
    let (sign, number, order) = match beyond {
        Beyond::After(number) => (">", number, "ASC"),
        Beyond::Before(number) => ("<", number, "DESC"),
    };
    let place = query.bound(Value::Number(signed(number)));
    conditions.push(format!("{seq} {sign} {place}"));
    for (column, wanted) in [
        ("r.person", &filter.user),
        ("r.tool", &filter.tool),
        ("r.server", &filter.server),
        ("r.id", &filter.id),
        ("s.system", &filter.system),
    ] {
        if let Some(wanted) = wanted {
            let place = query.bound(Value::Text(wanted.clone()));
            conditions.push(format!("{column} = {place}"));
        }
    }
    for (column, wanted) in [("r.grouped", filter.group), ("r.outcome", filter.outcome)] {
        if let Some(wanted) = wanted {
            let place = query.bound(Value::Text(wanted.to_owned()));
            conditions.push(format!("{column} = {place}"));
        }
    }
    // Times grow with the numbers, so a time is looked up as the number it begins at.
    for (sign, wanted) in [(">=", filter.from), ("<", filter.to)] {
        if let Some(wanted) = wanted {
            let place = query.bound(Value::Number(millis(wanted)));
            conditions.push(format!(
                "{seq} {sign} COALESCE((SELECT seq FROM toolpass_runs WHERE at >= {place} ORDER BY at, seq LIMIT 1), {})",
                i64::MAX
            ));
        }
    }
    let limit = query.bound(Value::Number(i64::try_from(most).unwrap_or(i64::MAX)));
    query.text = format!(
        "SELECT r.seq, r.at, r.body FROM {from} WHERE {} ORDER BY {seq} {order} LIMIT {limit}",
        conditions.join(" AND ")
    );
    query
}

pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(crate) fn millis(at: Duration) -> i64 {
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

/// How many of the oldest runs are dropped at once.
pub(crate) const TRIMMED: i64 = 500;
