//! `/dashboard/export`: every run that fits a query, as a file, newest first.
//!
//! Sent page by page as it is read, so a million runs are never in memory. A cell of the table that a spreadsheet would take for
//! a formula has an apostrophe before it. A file that could not be finished says so in its last line.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt::Write as _;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream;
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, StreamBody};
use toolpass_core::clock::Wall;
use toolpass_engine::stamp::rfc3339;
use toolpass_store::runs::run::to_json;
use toolpass_wire::json::Json;

use super::query::{Format, Query, Wanted};
use super::rows::{MOST, Row, Rows, requests};
use super::{invalid, is_of_decisions, safe, still_opens, turned_away};
use crate::exchange::Asked;
use crate::reply::Reply;

/// What is still to be sent.
struct Sending {
    asked: Asked,
    query: Query,
    format: Format,
    ready: VecDeque<String>,
    before: Option<u64>,
}

/// Answer `/dashboard/export`.
pub(crate) fn file(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        if let Some(reply) = turned_away(&asked) {
            return reply;
        }
        let query = match Query::read(asked.head.uri.query()) {
            Ok(query) => query,
            Err(text) => return safe(invalid(&text)),
        };
        let Wanted::Newest(before) = query.wanted else {
            return safe(invalid(
                "the parameter `since`: a file has the newest runs first",
            ));
        };
        let format = query.format.unwrap_or(Format::Jsonl);
        let (kind, name, head) = match format {
            Format::Csv => (
                "text/csv; charset=utf-8",
                if is_of_decisions(&asked) {
                    "attachment; filename=\"decisions.csv\""
                } else {
                    "attachment; filename=\"runs.csv\""
                },
                Some(format!("{}\r\n", COLUMNS.join(","))),
            ),
            Format::Jsonl => (
                "application/x-ndjson; charset=utf-8",
                if is_of_decisions(&asked) {
                    "attachment; filename=\"decisions.jsonl\""
                } else {
                    "attachment; filename=\"runs.jsonl\""
                },
                None,
            ),
        };
        let sending = Sending {
            asked,
            query,
            format,
            ready: head.into_iter().collect(),
            before: Some(before),
        };
        let frames = stream::unfold(sending, |mut sending| async move {
            let text = sending.next().await?;
            Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), sending))
        });
        let mut response =
            Response::new(Either::Right(UnsyncBoxBody::new(StreamBody::new(frames))));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(name));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        safe(Reply { response })
    }
    .boxed()
}

impl Sending {
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            let before = self.before.take()?;
            let found = if still_opens(&self.asked) {
                let rows = Rows::newest(&self.asked, &self.query, before, MOST).await;
                rows.map_err(|_| "the store did not answer")
            } else {
                Err("the key is no longer accepted")
            };
            match found {
                Ok(rows) => {
                    self.before = rows.older;
                    let lines: String = rows
                        .rows
                        .iter()
                        .rev()
                        .map(|row| match self.format {
                            Format::Csv => line(row),
                            Format::Jsonl => format!("{}\n", row.kept.numbered()),
                        })
                        .collect();
                    if !lines.is_empty() {
                        return Some(lines);
                    }
                }
                Err(why) => {
                    return Some(match self.format {
                        Format::Csv => format!("\"incomplete: {why}\"\r\n"),
                        Format::Jsonl => format!("{{\"error\":\"incomplete: {why}\"}}\n"),
                    });
                }
            }
        }
    }
}

/// A row as a line of the table.
fn line(row: &Row) -> String {
    let json = &row.json;
    let text = |name: &str| {
        json.get(name)
            .and_then(Json::scalar)
            .unwrap_or_default()
            .to_owned()
    };
    let all = requests(json);
    // Of a decision, its own word.
    let explained = json.get("explained").and_then(|how| how.get("decision"));
    let decided = explained.and_then(Json::as_str).map(str::to_owned);
    let refused =
        |request: &&Json| request.get("outcome").and_then(Json::as_str) == Some("refused");
    let joined = |names: [&str; 2]| {
        let mut found: Vec<&str> = all
            .iter()
            .filter_map(|request| names.iter().find_map(|name| request.get(name)?.as_str()))
            .collect();
        found.dedup();
        found.join(" ")
    };
    let cells = [
        row.kept.seq.to_string(),
        rfc3339(Wall(row.kept.at)),
        text("server"),
        text("reported_by"),
        text("user"),
        text("tool"),
        decided.unwrap_or_else(|| text("outcome")),
        text("code"),
        text("reason"),
        text("effect"),
        text("session"),
        text("duration_ms"),
        all.len().to_string(),
        all.iter().filter(refused).count().to_string(),
        joined(["connection", "host"]),
        joined(["action", "action"]),
        json.get("arguments").map(to_json).unwrap_or_default(),
        text("id"),
    ];
    let mut line = cells.map(|cell| quoted(&cell)).join(",");
    line.push_str("\r\n");
    line
}

/// A cell. SOURCE: RFC 4180; owasp.org/www-community/attacks/CSV_Injection.
fn quoted(cell: &str) -> String {
    let mut quoted = String::from("\"");
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        quoted.push('\'');
    }
    // Writing to a String cannot fail.
    let _ = write!(quoted, "{}", cell.replace('"', "\"\""));
    quoted.push('"');
    quoted
}

const COLUMNS: [&str; 18] = [
    "seq",
    "at",
    "server",
    "reported_by",
    "user",
    "tool",
    "outcome",
    "code",
    "reason",
    "effect",
    "session",
    "duration_ms",
    "requests",
    "refused_requests",
    "systems",
    "actions",
    "arguments",
    "id",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_or_ends_early() {
        for (cell, expected) in [
            ("plain", "\"plain\""),
            ("a,\"b\"\n", "\"a,\"\"b\"\"\n\""),
            ("=1+1", "\"'=1+1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("-1", "\"'-1\""),
            ("\t=1", "\"'\t=1\""),
        ] {
            assert_eq!(quoted(cell), expected);
        }
    }
}
