//! `toolpass gateway off`: entries of MCP clients that old versions had made to run through a wrapper are put back.
//!
//! Such an entry holds what it replaced in a member `toolpass`. Nothing else in a file is touched, and a file that cannot be read as
//! JSON is left alone. INVARIANT: a file is replaced at once, keeps its mode, and only if nobody wrote it meanwhile.

mod entry;
mod text;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use toolpass_wire::body::limits::Limits;
use toolpass_wire::json::Json;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::input::variable;
use crate::output::{Page, note};

/// Run the command.
pub(crate) fn run(_: &Arguments) -> Result<Done, Stop> {
    let mut rows = Vec::new();
    for (client, file) in files() {
        let restored = put_back(&file);
        rows.extend(
            restored
                .into_iter()
                .map(|name| [client.to_owned(), name, file.display().to_string()]),
        );
    }
    let mut page = Page::new();
    if rows.is_empty() {
        page.line("no entry was found that runs through toolpass");
    } else {
        page.columns("", &rows);
        page.line("");
        page.line("Restart these clients, so that they read their files again.");
    }
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

/// The files of the clients that old versions wrote to.
fn files() -> Vec<(&'static str, PathBuf)> {
    let home = variable("HOME")
        .or_else(|| variable("USERPROFILE"))
        .map(PathBuf::from);
    let desktop = if cfg!(windows) {
        variable("APPDATA").map(|data| PathBuf::from(data).join("Claude"))
    } else if cfg!(target_os = "macos") {
        home.as_ref()
            .map(|home| home.join("Library/Application Support/Claude"))
    } else {
        home.as_ref().map(|home| home.join(".config/Claude"))
    };
    let desktop =
        desktop.map(|folder| ("Claude Desktop", folder.join("claude_desktop_config.json")));
    let code = home.map(|home| ("Claude Code", home.join(".claude.json")));
    desktop.into_iter().chain(code).collect()
}

/// Put back the entries of one file, and say which. A file that is not there, or is no JSON, has none.
fn put_back(file: &Path) -> Vec<String> {
    // A link stays one: what it leads to is replaced.
    let Ok(target) = fs::canonicalize(file) else {
        return Vec::new();
    };
    for _ in 0..TRIES {
        let Ok(before) = fs::read(&target) else {
            return Vec::new();
        };
        let limits = Limits {
            json_values: MAX_VALUES,
            ..Limits::default()
        };
        let Ok(mut whole) = Json::parse_within(&before, &limits) else {
            return Vec::new();
        };
        let restored = entry::restore_all(&mut whole);
        if restored.is_empty() {
            return restored;
        }
        match replace(&target, &before, &text::pretty(&whole)) {
            Ok(true) => return restored,
            Ok(false) => {}
            Err(error) => {
                note(&format!(
                    "toolpass gateway off: {} cannot be written: {error}",
                    file.display()
                ));
                return Vec::new();
            }
        }
    }
    note(&format!(
        "toolpass gateway off: {} is being written by somebody else; close the client and run this again",
        file.display()
    ));
    Vec::new()
}

/// Put `text` in the place of `before`; false when the file is not that any more.
/// Errors: it cannot be written.
fn replace(target: &Path, before: &[u8], text: &str) -> std::io::Result<bool> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let new = target.with_file_name(format!(".{name}.{}.toolpass", std::process::id()));
    let written = write(&new, target, before, text);
    if !matches!(written, Ok(true)) {
        // What matters is why it was not put in place; what is left is a hidden file.
        let _ = fs::remove_file(&new);
    }
    written
}

fn write(new: &Path, target: &Path, before: &[u8], text: &str) -> std::io::Result<bool> {
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(new)?;
    // It may hold secrets of other servers: whoever may not read the old one must not read this.
    file.set_permissions(fs::metadata(target)?.permissions())?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    if fs::read(target)? != before {
        return Ok(false);
    }
    fs::rename(new, target)?;
    Ok(true)
}

/// How often a file that somebody else writes is tried.
const TRIES: usize = 3;

/// Clients keep whole histories in these files.
const MAX_VALUES: usize = 10_000_000;
