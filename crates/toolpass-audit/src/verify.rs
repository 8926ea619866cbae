//! Reading a chain: whether it is as it was written, and if not, where that begins to show.
//!
//! Only what stood in the file when reading began is read, so a file may be verified while it is written.

use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use crate::chain::unusable;
use crate::error::Error;
use crate::file::fixed_length;
use crate::line::{self, Hash, Sealed};

/// What a file is found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many lines, from the first one, are as they were written.
    pub lines: u64,
    /// How many of them say that a line which was never finished has been dropped.
    pub dropped: u64,
    /// The last hash of the file it continues; none when it begins a chain.
    pub continues: Option<Hash>,
    /// The hash of the last of those lines.
    pub last: Option<Hash>,
    /// What is wrong behind them.
    pub problem: Option<Problem>,
}

/// The first thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What can be wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Its bytes are not those that were hashed.
    Altered,
    /// It has no end, only this many bytes: its writer was stopped, or the file cut.
    CutOff(u64),
    /// It belongs behind another line of this file.
    Displaced,
    /// It should be there and is not: the file is empty.
    Empty,
    /// The lines before it are gone.
    Missing,
    /// It is the first one and does not begin a file.
    NoOpening,
    /// It is no line of a chain.
    NotALine,
    /// It is the first one and continues another file than the one before.
    OtherFile,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Altered => "the line was altered: its hash is not that of its bytes",
            Fault::CutOff(bytes) => {
                return write!(f, "the last line is cut off after {bytes} bytes");
            }
            Fault::Displaced => "the line is out of order or repeated",
            Fault::Empty => "the file is empty: it lacks even its first line",
            Fault::Missing => "lines before this one are missing",
            Fault::NoOpening => "the file does not begin here: lines before this one are missing",
            Fault::NotALine => "this is no line of an audit file",
            Fault::OtherFile => {
                "the file does not continue the one before: lines or a file between them are missing"
            }
        })
    }
}

/// Verify one file; `after` is the last hash of the file before it, when that is known.
/// Errors: `Unusable`.
pub fn verify(path: &Path, after: Option<Hash>) -> Result<Report, Error> {
    let failed = |error| unusable(path, error);
    let mut lines = Lines::of(path).map_err(failed)?;
    let mut report = Report {
        lines: 0,
        dropped: 0,
        continues: None,
        last: None,
        problem: None,
    };
    while let Some(bytes) = lines.next().map_err(failed)? {
        let fault = match look(bytes, report.last, after) {
            Ok(sealed) => {
                if report.lines == 0 {
                    report.continues = Some(sealed.prev).filter(|prev| *prev != Hash::ZERO);
                }
                report.lines += 1;
                report.dropped += u64::from(bytes.starts_with(line::DROPPED));
                report.last = Some(sealed.hash);
                continue;
            }
            Err(Stranger::Fault(fault)) => fault,
            Err(Stranger::Behind(prev)) if holds(path, prev)? => Fault::Displaced,
            Err(Stranger::Behind(_)) => Fault::Missing,
        };
        report.problem = Some(Problem {
            line: report.lines + 1,
            fault,
        });
        return Ok(report);
    }
    if report.lines == 0 {
        report.problem = Some(Problem {
            line: 1,
            fault: Fault::Empty,
        });
    }
    Ok(report)
}

/// Whether a file has a line that says it has this hash. That it has it is for [`verify`] to say.
/// Errors: `Unusable`.
pub fn holds(path: &Path, hash: Hash) -> Result<bool, Error> {
    let failed = |error| unusable(path, error);
    let mut lines = Lines::of(path).map_err(failed)?;
    while let Some(bytes) = lines.next().map_err(failed)? {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if line::read(text).is_some_and(|sealed| sealed.hash == hash) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Why a line does not follow.
enum Stranger {
    /// It is whole, but follows the line with this hash.
    Behind(Hash),
    /// This is wrong with it.
    Fault(Fault),
}

/// Look at a line, with its end, that should follow `last`.
fn look(bytes: &[u8], last: Option<Hash>, after: Option<Hash>) -> Result<Sealed, Stranger> {
    let Some(text) = bytes.strip_suffix(b"\n") else {
        let fault = if bytes.len() >= line::MAX_LINE {
            Fault::NotALine
        } else {
            Fault::CutOff(bytes.len() as u64)
        };
        return Err(Stranger::Fault(fault));
    };
    let sealed = line::read(text).ok_or(Stranger::Fault(Fault::NotALine))?;
    if !sealed.fits {
        return Err(Stranger::Fault(Fault::Altered));
    }
    match last {
        Some(last) if sealed.prev != last => Err(Stranger::Behind(sealed.prev)),
        Some(_) => Ok(sealed),
        None if !text.starts_with(line::OPENS) => Err(Stranger::Fault(Fault::NoOpening)),
        None if after.is_some_and(|after| sealed.prev != after) => {
            Err(Stranger::Fault(Fault::OtherFile))
        }
        None => Ok(sealed),
    }
}

/// The lines of a file, each with its end.
struct Lines {
    file: std::io::Take<BufReader<File>>,
    bytes: Vec<u8>,
}

impl Lines {
    fn of(path: &Path) -> std::io::Result<Lines> {
        let file = File::open(path)?;
        let length = fixed_length(&file)?;
        Ok(Lines {
            file: BufReader::new(file).take(length),
            bytes: Vec::new(),
        })
    }

    fn next(&mut self) -> std::io::Result<Option<&[u8]>> {
        self.bytes.clear();
        let at_most = line::MAX_LINE as u64;
        let mut line = std::io::Read::by_ref(&mut self.file).take(at_most);
        line.read_until(b'\n', &mut self.bytes)?;
        Ok(Some(self.bytes.as_slice()).filter(|bytes| !bytes.is_empty()))
    }
}
