//! Rows that fit a query and that a key may see.
//!
//! The store answers by its indexes; free text, and what a key limited to some users or connections may see, are looked for here,
//! in so many rows at a time that one request stays short: whoever wants more asks on from [`Rows::older`].

use toolpass_store::runs::{Kept, RunsError};
use toolpass_wire::json::Json;

use super::query::Query;
use super::shelf;
use crate::access::ApiKey;
use crate::exchange::Asked;

/// Rows of a page, oldest first.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// The last number that was looked at.
    pub(super) last: Option<u64>,
    /// Where to look on for older ones; `None`: there are none.
    pub(super) older: Option<u64>,
}

/// A row, and what it says.
pub(super) struct Row {
    pub(super) kept: Kept,
    pub(super) json: Json,
}

impl Rows {
    /// The rows past a number.
    /// Errors: the store does not answer.
    pub(super) async fn past(asked: &Asked, query: &Query, since: u64) -> Result<Rows, RunsError> {
        let kept = shelf(asked).store.after(&query.filter, since, MOST).await?;
        Ok(Rows {
            last: kept.last().map(|row| row.seq),
            rows: kept
                .into_iter()
                .filter_map(|kept| seen(asked, query, kept))
                .collect(),
            older: None,
        })
    }

    /// The newest rows before a number.
    /// Errors: the store does not answer.
    pub(super) async fn newest(
        asked: &Asked,
        query: &Query,
        mut before: u64,
        most: usize,
    ) -> Result<Rows, RunsError> {
        let mut rows = Rows::default();
        for _ in 0..LOOKS {
            let found = shelf(asked).store.find(&query.filter, before, MOST).await?;
            let is_all = found.len() < MOST;
            for kept in found {
                before = kept.seq;
                rows.last = rows.last.max(Some(before));
                if let Some(row) = seen(asked, query, kept) {
                    rows.rows.push(row);
                }
                if rows.rows.len() == most {
                    break;
                }
            }
            rows.older = Some(before);
            if rows.rows.len() == most {
                break;
            }
            if is_all {
                rows.older = None;
                break;
            }
        }
        rows.rows.reverse();
        Ok(rows)
    }

    /// The actions of their requests.
    pub(super) fn actions(&self) -> Vec<String> {
        let requests = self.rows.iter().flat_map(|row| requests(&row.json));
        let mut actions: Vec<String> = requests
            .filter_map(|request| Some(request.get("action")?.as_str()?.to_owned()))
            .collect();
        actions.sort_unstable();
        actions.dedup();
        actions
    }
}

/// The requests of a row.
pub(super) fn requests(row: &Json) -> &[Json] {
    row.get("actions").and_then(Json::as_array).unwrap_or(&[])
}

/// The row, when it has the text that is looked for and the key may see it.
fn seen(asked: &Asked, query: &Query, kept: Kept) -> Option<Row> {
    let wanted = query.text.as_deref().filter(|text| stands_as_is(text));
    if wanted.is_some_and(|text| !kept.text.to_lowercase().contains(text)) {
        return None;
    }
    let json = Json::parse(kept.text.as_bytes()).ok()?;
    let is_shown = asked.key.as_ref().is_some_and(|key| may_see(key, &json))
        && query.text.as_ref().is_none_or(|text| has(&json, text));
    is_shown.then_some(Row { kept, json })
}

/// Whether a text stands in JSON as it stands in a value, so that a row without it need not be read.
fn stands_as_is(text: &str) -> bool {
    let is_escaped = |byte| matches!(byte, b'"' | b'\\') || byte < b' ' || byte == 0x7f;
    text.is_ascii() && !text.bytes().any(is_escaped)
}

/// Whether a key's limits leave a row in: its person, and every connection it reached.
fn may_see(key: &ApiKey, row: &Json) -> bool {
    let user = row.get("user").and_then(Json::as_str).unwrap_or_default();
    let mut connections = requests(row)
        .iter()
        .filter_map(|request| request.get("connection")?.as_str());
    key.covers_user(user) && connections.all(|connection| key.covers_connection(connection))
}

/// Whether a value anywhere in a row has a text in it, small or capital.
fn has(row: &Json, text: &str) -> bool {
    match row {
        Json::Null | Json::Bool(_) => false,
        Json::Number(value) | Json::String(value) => value.to_lowercase().contains(text),
        Json::Array(items) => items.iter().any(|item| has(item, text)),
        Json::Object(members) => members.iter().any(|(_, value)| has(value, text)),
    }
}

/// How many rows are told at once.
pub(super) const MOST: usize = 500;
/// How often one request looks for rows that fit.
const LOOKS: usize = 20;
