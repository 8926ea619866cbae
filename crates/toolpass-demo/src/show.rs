//! What the demo shows: lines as they come, and at the end, when asked for, a recording of it all.
//!
//! A recording is two files: the audit events as JSON lines, and a transcript in Markdown. The transcript holds nothing that
//! differs between two runs: no port, no id, no time.

use std::path::{Path, PathBuf};

use crate::agent::Row;
use crate::error::Error;
use crate::systems::System;

/// Where lines go.
pub type Say<'s> = dyn FnMut(&str) + Send + 's;

/// What is being shown.
pub(crate) struct Show<'s> {
    say: &'s mut Say<'s>,
    /// Where each system is, and what it is called instead.
    places: Vec<(String, String)>,
    transcript: String,
    rows: Vec<Row>,
    is_in_table: bool,
    is_as_scripted: bool,
}

impl<'s> Show<'s> {
    /// A show that begins, of these systems.
    pub(crate) fn new(systems: &[System], say: &'s mut Say<'s>) -> Show<'s> {
        let places = systems.iter().map(|system| {
            let id = system.id;
            (system.running.url.clone(), format!("http://{id}.example"))
        });
        Show {
            say,
            places: places.collect(),
            transcript: String::new(),
            rows: Vec::new(),
            is_in_table: false,
            is_as_scripted: true,
        }
    }

    /// A line that is not part of the recording: it holds what differs between runs.
    pub(crate) fn aside(&mut self, text: &str) {
        (self.say)(text);
    }

    /// What it is about.
    pub(crate) fn title(&mut self, text: &str) {
        self.aside(text);
        self.mark(&format!("# {text}"));
    }

    /// A sentence.
    pub(crate) fn text(&mut self, text: &str) {
        self.aside("");
        self.aside(text);
        self.mark(text);
    }

    /// Text as it is, such as a file.
    pub(crate) fn quoted(&mut self, text: &str) {
        for line in text.lines() {
            self.aside(&format!("    {line}"));
        }
        self.mark(&format!("```text\n{}\n```", text.trim_end()));
    }

    /// A call that is over.
    pub(crate) fn row(&mut self, row: Row) {
        let (number, who) = (self.rows.len() + 1, row.step.who.name);
        let (shown, ended) = (row.step.shown, row.ended());
        let code = row.event.code.map_or("", |code| code.as_str());
        let line = format!("{number:>2}  {who:<5} {shown:<32} {ended:<8} {code}");
        self.aside(line.trim_end());
        let mut cells = row.requests();
        let reason = row
            .event
            .reason
            .as_deref()
            .map(|text| self.without_ports(text));
        for request in cells.iter().chain(&reason) {
            (self.say)(&format!("      {request}"));
        }
        if !self.is_in_table {
            self.mark(TABLE);
            self.is_in_table = true;
        }
        let result = [ended, code].join(" ");
        cells.extend(reason);
        let cells = cells.join("<br>").replace('|', "\\|");
        let result = result.trim_end();
        let cells = format!("| {number} | {who} | {shown} | {result} | {cells} |\n");
        self.transcript.push_str(&cells);
        self.hold(row.is_as_scripted());
        self.rows.push(row);
    }

    /// Something that must be so, and whether it is.
    pub(crate) fn fact(&mut self, text: &str, is_so: bool) {
        let mark = if is_so { "yes" } else { "NO" };
        self.aside(&format!("  {mark:<3}  {text}"));
        self.mark(&format!("- {mark}: {text}"));
        self.hold(is_so);
    }

    /// Whether everything was as it must be, so far.
    pub(crate) fn is_as_scripted(&self) -> bool {
        self.is_as_scripted
    }

    /// The calls so far.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The transcript so far.
    #[cfg(test)]
    pub(crate) fn transcript(&self) -> &str {
        &self.transcript
    }

    /// Write the recording: events to `path`, the transcript beside it.
    pub(crate) fn record(&self, path: &Path) -> Result<PathBuf, Error> {
        let transcript = path.with_extension("md");
        if transcript == path {
            let text = "expected another ending than `.md`, which the transcript has";
            return Err(Error::Broken(format!("{}: {text}", path.display())));
        }
        let events = self
            .rows
            .iter()
            .map(|row| toolpass::written(&row.event) + "\n");
        std::fs::write(path, events.collect::<String>())?;
        std::fs::write(&transcript, &self.transcript)?;
        Ok(transcript)
    }

    fn hold(&mut self, is_so: bool) {
        self.is_as_scripted &= is_so;
    }

    /// A text in which each system is called by its name.
    fn without_ports(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (place, name) in &self.places {
            text = text.replace(place, name);
        }
        text
    }

    /// Add a paragraph to the transcript; items of one list stand together.
    fn mark(&mut self, text: &str) {
        let last = self.transcript.lines().last();
        let goes_on = text.starts_with("- ") && last.is_some_and(|last| last.starts_with("- "));
        if last.is_some() && !goes_on {
            self.transcript.push('\n');
        }
        self.transcript.push_str(text);
        self.transcript.push('\n');
        self.is_in_table = false;
    }
}

const TABLE: &str =
    "| # | who | call | result | requests, as toolpass saw them |\n|---|---|---|---|---|";
