//! Where the lines of the decision log go.
//!
//! Written under a lock and flushed, so lines of concurrent checks never mix. A file is created for its owner alone and can
//! be reopened after it was rotated.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A destination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LogTarget {
    /// A file, appended to.
    File(PathBuf),
    /// Nowhere.
    #[default]
    None,
    /// Standard error.
    Stderr,
    /// Standard output.
    Stdout,
}

impl LogTarget {
    /// The target a `decision_log` value names: `stderr`, `stdout`, `none` or nothing, else a file.
    pub fn parse(text: &str) -> LogTarget {
        match text {
            "" | "none" => LogTarget::None,
            "stderr" => LogTarget::Stderr,
            "stdout" => LogTarget::Stdout,
            path => LogTarget::File(path.into()),
        }
    }
}

/// An open log.
pub(crate) struct DecisionLog(Sink);

enum Sink {
    File(PathBuf, Mutex<File>),
    None,
    Stderr,
    Stdout,
}

impl DecisionLog {
    /// Open the target. Errors: the file cannot be opened for appending.
    pub(crate) fn open(target: &LogTarget) -> io::Result<DecisionLog> {
        Ok(DecisionLog(match target {
            LogTarget::File(path) => Sink::File(path.clone(), Mutex::new(append(path)?)),
            LogTarget::None => Sink::None,
            LogTarget::Stderr => Sink::Stderr,
            LogTarget::Stdout => Sink::Stdout,
        }))
    }

    /// Whether lines go anywhere.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self.0, Sink::None)
    }

    /// Write one line, its end included. Errors: it may not have been written.
    pub(crate) fn write(&self, line: &str) -> io::Result<()> {
        match &self.0 {
            Sink::File(_, file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                write_whole(&mut *file, line)
            }
            Sink::None => Ok(()),
            Sink::Stderr => write_whole(&mut io::stderr().lock(), line),
            Sink::Stdout => write_whole(&mut io::stdout().lock(), line),
        }
    }

    /// Open the file anew. Errors: it cannot be opened; the old one goes on being written to.
    pub(crate) fn reopen(&self) -> io::Result<()> {
        if let Sink::File(path, file) = &self.0 {
            let opened = append(path)?;
            *file.lock().unwrap_or_else(PoisonError::into_inner) = opened;
        }
        Ok(())
    }
}

impl fmt::Debug for DecisionLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Sink::File(..) => "file",
            Sink::None => "none",
            Sink::Stderr => "stderr",
            Sink::Stdout => "stdout",
        })
    }
}

fn write_whole(out: &mut impl Write, line: &str) -> io::Result<()> {
    out.write_all(line.as_bytes())?;
    out.flush()
}

fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, OWNER_ONLY);
    options.open(path)
}

#[cfg(unix)]
const OWNER_ONLY: u32 = 0o600;
