//! What is printed, and that nothing from afar drives the terminal.
//!
//! All output is a [`Page`], and a page is made of lines: a control or format character in one becomes a space, so a reason
//! from a far end can forge no line and move no cursor, whoever wrote the command that prints it.
//! INVARIANT: no escape is ever written, so there are no colours for `NO_COLOR` to switch off.

use std::io::{self, Write as _};

use serde::Serialize;
use toolpass_core::text::{is_control, is_format};

use crate::exit::Stop;

/// Lines to print.
#[derive(Default)]
pub(crate) struct Page(String);

impl Page {
    /// A page without lines.
    pub(crate) fn new() -> Page {
        Page::default()
    }

    /// A page of one line: a value as JSON. What a terminal would act on is escaped, also where JSON would let it stand.
    /// Errors: a value that is none in JSON; ours all are.
    pub(crate) fn json(value: &impl Serialize) -> Result<Page, Stop> {
        let json = serde_json::to_string(value).map_err(|error| Stop::Failed(error.to_string()))?;
        Ok(Page::of_json(&json))
    }

    /// A page of one line that is JSON already.
    pub(crate) fn of_json(json: &str) -> Page {
        let mut page = Page::new();
        page.line(&json.chars().map(escaped).collect::<String>());
        page
    }

    /// Add another page's lines.
    pub(crate) fn append(&mut self, other: Page) {
        self.0.push_str(&other.0);
    }

    /// All lines.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Add a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.0.extend(text.chars().map(tamed));
        self.0.push('\n');
    }

    /// Add rows as lines, each cell as wide as the widest of its column, the last as it is.
    pub(crate) fn columns<R: AsRef<[String]>>(&mut self, indent: &str, rows: &[R]) {
        let mut widths: Vec<usize> = Vec::new();
        for row in rows {
            for (index, cell) in row.as_ref().iter().enumerate() {
                let width = cell.chars().count();
                match widths.get_mut(index) {
                    Some(widest) => *widest = width.max(*widest),
                    None => widths.push(width),
                }
            }
        }
        for row in rows {
            let cells: Vec<String> = row
                .as_ref()
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            self.line(format!("{indent}{}", cells.join("  ")).trim_end());
        }
    }
}

/// Print a page on standard output.
/// Errors: it cannot be written.
pub(crate) fn print(page: &Page) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(page.0.as_bytes())?;
    out.flush()
}

/// Show a page on standard error. Nobody is left to tell when that fails.
pub(crate) fn say(page: &Page) {
    let _ = io::stderr().lock().write_all(page.0.as_bytes());
}

/// Say one line on standard error.
pub(crate) fn note(text: &str) {
    let mut page = Page::new();
    page.line(text);
    say(&page);
}

/// `1 action`, `2 actions`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `` `a`, `b` ``.
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Whether a listing shows what has these texts: everything without a word, else what contains it in any case.
pub(crate) fn is_sought<'a>(word: Option<&str>, texts: impl IntoIterator<Item = &'a str>) -> bool {
    let Some(word) = word.map(str::to_lowercase) else {
        return true;
    };
    texts
        .into_iter()
        .any(|text| text.to_lowercase().contains(&word))
}

fn tamed(c: char) -> char {
    if is_control(c) || is_format(c) {
        ' '
    } else {
        c
    }
}

/// A character of a JSON text, where a control or format character can only stand within a string.
fn escaped(c: char) -> String {
    if !is_control(c) && !is_format(c) {
        return c.into();
    }
    let mut units = [0; 2];
    c.encode_utf16(&mut units)
        .iter()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_forged_and_no_cursor_moved() {
        let mut page = Page::new();
        page.line("deny\nallow\u{1b}[2K\u{9b}1A\r\u{2028}x\u{202e}y");
        page.columns("", &[["a\nb".to_owned(), "c\u{7}".to_owned()]]);
        assert_eq!(page.0, "deny allow [2K 1A  x y\na b  c \n");
    }

    #[test]
    fn json_reads_back_and_is_one_quiet_line() {
        let text = "a\n\u{1b}[0m\u{7f}\u{9b}\u{2028}\u{202e}\u{e0001}\"é";
        let Ok(page) = Page::json(&text) else {
            panic!("no page")
        };
        assert!(
            page.0.trim_end().chars().all(|c| tamed(c) == c),
            "{:?}",
            page.0
        );
        assert_eq!(serde_json::from_str::<String>(&page.0).unwrap(), text);
    }

    #[test]
    fn cells_are_aligned() {
        let mut page = Page::new();
        page.columns(
            "  ",
            &[["é", "1", ""], ["long", "2", "note"]].map(|row| row.map(str::to_owned)),
        );
        assert_eq!(page.0, "  é     1\n  long  2  note\n");
    }
}
