//! A run of the command, and how it is compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes with its owner.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("toolpass-cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        Folder(path)
    }

    /// The command with these arguments, to be run in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolpass"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            // What a server keeps by default goes with the folder.
            .env("XDG_STATE_HOME", self.0.join("state"))
            .env_remove("STATE_DIRECTORY");
        for name in ["TOOLPASS_CONFIG", "NO_COLOR", "GITHUB_TOKEN"] {
            command.env_remove(name);
        }
        command
    }

    /// What a run shows.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        shown(&self.command(arguments).output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// What a run in an empty folder shows.
pub(crate) fn run(arguments: &[&str]) -> String {
    Folder::with(&[]).run(arguments)
}

/// The exit, then both outputs, each under its name unless it is empty.
pub(crate) fn shown(output: &Output) -> String {
    let mut shown = match output.status.code() {
        Some(code) => format!("exit {code}\n"),
        None => "killed\n".into(),
    };
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            let text = std::str::from_utf8(bytes).unwrap();
            shown.push_str(&format!("--- {name}\n{}", without_details(text)));
        }
    }
    shown
}

/// The names of all systems, in backticks, the last one after `last`.
pub(crate) fn known(last: &str) -> String {
    let mut names: Vec<_> = toolpass_registry::all()
        .iter()
        .map(|one| format!("`{}`", one.name()))
        .collect();
    names.sort();
    let end = names.pop().unwrap();
    format!("{}{last}{end}", names.join(", "))
}

/// Compare what a run shows with the text expected, whose first line is empty.
#[track_caller]
pub(crate) fn same(shown: &str, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    assert!(shown == expected, "{shown}\ninstead of\n{expected}");
}

/// Ids, times and versions under a name.
fn without_details(text: &str) -> String {
    let parts = text.split_inclusive('"').map(|part| {
        let value = part.strip_suffix('"').unwrap_or(part);
        let dashes = value.bytes().filter(|byte| *byte == b'-').count();
        let starts = value.starts_with(|c: char| c.is_ascii_hexdigit());
        match (value.len(), dashes) {
            (16, 0) if value.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                "[VERSION]\"".to_owned()
            }
            (36, 4) if starts => "[ID]\"".to_owned(),
            (20..=30, 2) if starts && value.ends_with('Z') => "[TIME]\"".to_owned(),
            _ => part.to_owned(),
        }
    });
    let text = without_times(&parts.collect::<String>());
    let lines = text.split_inclusive('\n').map(|line| {
        let is_date = line.trim_start().starts_with("as of ");
        if is_date {
            "  as of     [TIME]\n".to_owned()
        } else {
            line.to_owned()
        }
    });
    lines.collect()
}

/// Milliseconds with three decimals under a name.
fn without_times(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let end = number
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let is_time = number
            .split_once('.')
            .is_some_and(|(_, decimals)| decimals.len() == 3 && !decimals.contains('.'));
        kept.push_str(before);
        kept.push_str(if is_time { "[MS]" } else { number });
        rest = after;
    }
    kept + rest
}
