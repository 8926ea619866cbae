//! The operational log on standard error: `level=warn msg="..." key=value` for people, JSON lines of `serve` for machines.
//!
//! Separate from `output` because others write it: whatever a crate below says through `tracing`.

use std::fmt::{Debug, Write as _};
use std::io::Write as _;

use jiff::Timestamp;
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::output::note;

/// Send warnings and errors to standard error, as text. The first call counts.
pub(crate) fn start() {
    let _ = tracing::subscriber::set_global_default(Log {
        most: Level::WARN,
        write: text,
    });
}

/// Send what is at most this detailed to standard error, as JSON lines. The first call counts.
pub(crate) fn start_json(most: Level) {
    let _ = tracing::subscriber::set_global_default(Log { most, write: json });
}

struct Log {
    most: Level,
    write: fn(&Event<'_>),
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Crates below ours log bytes of requests.
        *metadata.level() <= self.most && metadata.target().starts_with("toolpass")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.most))
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        (self.write)(event);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn text(event: &Event<'_>) {
    let mut line = Line::default();
    event.record(&mut line);
    let level = event.metadata().level().as_str().to_ascii_lowercase();
    note(&format!(
        "level={level} msg={}{}",
        quoted(&line.message),
        line.fields
    ));
}

fn json(event: &Event<'_>) {
    let mut line = JsonLine::default();
    event.record(&mut line);
    let level = event.metadata().level().as_str().to_ascii_lowercase();
    let text = format!(
        "{{\"time\":{},\"level\":\"{level}\",\"msg\":{}{}}}\n",
        Value::from(Timestamp::now().to_string()),
        Value::from(line.message),
        line.fields
    );
    // Nobody is left to tell when that fails.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

#[derive(Default)]
struct JsonLine {
    message: String,
    fields: String,
}

impl JsonLine {
    fn add(&mut self, field: &Field, value: Value) {
        let _ = write!(self.fields, ",\"{}\":{value}", field.name());
    }
}

impl Visit for JsonLine {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            _ => self.add(field, value.into()),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            name => {
                let _ = write!(self.fields, " {name}={}", quoted(value));
            }
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '=' | '\\');
    if !value.is_empty() && value.chars().all(is_plain) {
        value.to_owned()
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_when_needed() {
        for (value, expected) in [
            ("fake", "fake"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a=b", "\"a=b\""),
            ("a\nlevel=error", "\"a\\nlevel=error\""),
        ] {
            assert_eq!(quoted(value), expected);
        }
    }
}
