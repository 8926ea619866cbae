//! The operational log as text on standard error: warnings and errors, `level=warn msg="..." key=value`.
//!
//! Separate from `output` because others write it: whatever a crate below says through `tracing`.

use std::fmt::{Debug, Write as _};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::output::note;

/// Send the log to standard error. The first call counts.
pub(crate) fn start() {
    let _ = tracing::subscriber::set_global_default(Text);
}

struct Text;

impl Subscriber for Text {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let level = event.metadata().level().as_str().to_ascii_lowercase();
        note(&format!(
            "level={level} msg={}{}",
            quoted(&line.message),
            line.fields
        ));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
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
