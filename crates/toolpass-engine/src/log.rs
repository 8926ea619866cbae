//! Where the lines of the decision log go.
//!
//! Written under a lock and flushed before the check is answered, so what was answered is on record and lines of concurrent
//! checks never mix. A line that was cut short, by a full disk or a killed process, spoils no other. A file is created for its owner alone and can
//! be reopened after it was rotated.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use toolpass_core::clock::Wall;

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

/// What lines do not tell: the value is replaced, the key stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// Users' e-mails, and the accounts they resolved to.
    pub user: bool,
    /// Groups.
    pub groups: bool,
    /// From where it was asked.
    pub remote: bool,
}

/// One line, for who copies the log elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// When it was asked.
    pub time: Wall,
    /// The line as the log has it, its end included.
    pub text: &'a str,
    /// The trace it belongs to.
    pub trace_id: Option<&'a str>,
}

/// Is given each line. Called before the check is answered, so it must not wait.
pub type Copying = Arc<dyn Fn(&Line<'_>) + Send + Sync>;

/// An open log.
pub(crate) struct DecisionLog(Sink);

enum Sink {
    File(PathBuf, Mutex<Opened>),
    None,
    Stderr,
    Stdout,
}

impl DecisionLog {
    /// Open the target. Errors: the file cannot be opened for appending.
    pub(crate) fn open(target: &LogTarget) -> io::Result<DecisionLog> {
        Ok(DecisionLog(match target {
            LogTarget::File(path) => Sink::File(path.clone(), Mutex::new(Opened::new(path)?)),
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
                file.write(line)
            }
            Sink::None => Ok(()),
            Sink::Stderr => write_whole(&mut io::stderr().lock(), line),
            Sink::Stdout => write_whole(&mut io::stdout().lock(), line),
        }
    }

    /// Open the file anew. Errors: it cannot be opened; the old one goes on being written to.
    pub(crate) fn reopen(&self) -> io::Result<()> {
        if let Sink::File(path, file) = &self.0 {
            let opened = Opened::new(path)?;
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

/// An open file, and whether its last line is whole.
struct Opened {
    file: File,
    is_torn: bool,
}

impl Opened {
    /// Open for appending. A last line that a killed process or a full disk left unfinished is ended before the next.
    fn new(path: &Path) -> io::Result<Opened> {
        Ok(Opened {
            file: append(path)?,
            is_torn: ends_within_a_line(path),
        })
    }

    /// Write one line. What was written of it before a failure spoils no later line.
    fn write(&mut self, line: &str) -> io::Result<()> {
        if self.is_torn {
            write_whole(&mut self.file, "\n")?;
            self.is_torn = false;
        }
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = rest.get(written..).unwrap_or_default();
                    self.is_torn = !rest.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether a file's last byte is none of a line's end. A pipe or a device has no last byte.
fn ends_within_a_line(path: &Path) -> bool {
    let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() > 0);
    let last = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        io::Result::Ok(byte)
    };
    is_file && last().is_ok_and(|byte| byte != *b"\n")
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
