//! Writing a chain: one line an event, by any number of threads and processes.
//!
//! Each line is written under the file's lock, with one system call, after the line that ends the file at that moment, whoever
//! wrote it. The file is opened anew for each line: a file that was moved away is followed by a new one, which names the last
//! hash of the old one, and a forked process shares nothing.
//!
//! When [`Chain::append`] answers, the operating system has the line: it outlives the process, however that ends. With
//! [`Flush::Disk`] the disk has it, so it outlives the machine's power. A line that could not be written whole is taken back;
//! if that fails too, or power went, the next writer drops the piece and says so in a line of its own.
//!
//! INVARIANT: whole lines are never changed or removed.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;
use crate::file::{End, Locked, end, same};
use crate::line::{self, Hash};

/// An audit file that is written.
pub struct Chain {
    path: PathBuf,
    flush: Flush,
    /// The file written last: when another one takes its place, that one continues it.
    last: Mutex<Option<Arc<File>>>,
}

/// How far a line has come when it counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// On the disk.
    Disk,
    /// In the hands of the operating system.
    System,
}

impl Chain {
    /// Go on with a file, or begin one.
    /// Errors: `Unusable`; `NotAChain` for a file that holds something else.
    pub fn open(path: &Path, flush: Flush) -> Result<Chain, Error> {
        Chain::begin(path, flush, None)
    }

    /// The same, where a file that must be begun continues `previous`, which was moved away while nobody wrote.
    pub fn open_after(path: &Path, previous: &Path, flush: Flush) -> Result<Chain, Error> {
        let previous = File::open(previous).map_err(|error| unusable(previous, error))?;
        Chain::begin(path, flush, Some(Arc::new(previous)))
    }

    /// Write an event: one JSON object on one line. Answers the line's hash, which may be kept elsewhere.
    /// Errors: `NotAnEvent`; `NotAChain` when the file became something else; `Unusable`, and then the line is not in the file, or
    /// in it and perhaps not on the disk that was to be waited for.
    pub fn append(&self, event: &str) -> Result<Hash, Error> {
        self.write(Some(event))
    }

    fn begin(path: &Path, flush: Flush, last: Option<Arc<File>>) -> Result<Chain, Error> {
        let chain = Chain {
            path: path.to_owned(),
            flush,
            last: Mutex::new(last),
        };
        chain.write(None)?;
        Ok(chain)
    }

    /// Write what the file needs before an event, and the event.
    fn write(&self, event: Option<&str>) -> Result<Hash, Error> {
        let failed = |error| unusable(&self.path, error);
        let locked = Locked::at(&self.path).map_err(failed)?;
        let length = locked.file().metadata().map_err(failed)?.len();
        let (prev, cut, begins) = match end(locked.file(), length).map_err(failed)? {
            End::Fresh { cut } => (self.previous(locked.file())?, cut, true),
            End::Line { hash, cut } => (hash, cut, false),
            End::Foreign => return Err(self.not_a_chain()),
        };
        let dropped = (!cut.is_empty()).then(|| line::dropped(&cut));
        let objects = [begins.then_some(line::OPENING), dropped.as_deref(), event];
        let mut text = String::new();
        let mut last = prev;
        for object in objects.into_iter().flatten() {
            let (line, hash) = line::seal(object, last).ok_or(Error::NotAnEvent {
                max: line::MAX_BYTES,
            })?;
            text.push_str(&line);
            last = hash;
        }
        let whole = length - cut.len() as u64;
        self.put(locked.file(), whole, length, &text)
            .map_err(failed)?;
        self.remember(locked.file()).map_err(failed)?;
        Ok(last)
    }

    /// Put a text behind the whole lines of a file, all of it or nothing.
    fn put(&self, mut file: &File, whole: u64, length: u64, text: &str) -> io::Result<()> {
        if whole < length {
            file.set_len(whole)?;
        }
        if let Err(error) = file.write_all(text.as_bytes()) {
            // What cannot be taken back is a piece of a line, which the next writer drops.
            let _ = file.set_len(whole);
            return Err(error);
        }
        if self.flush == Flush::Disk && !text.is_empty() {
            file.sync_data()?;
            if whole == 0 {
                sync_folder(&self.path)?;
            }
        }
        Ok(())
    }

    /// The last hash of the file that this new one continues.
    fn previous(&self, new: &File) -> Result<Hash, Error> {
        let failed = |error| unusable(&self.path, error);
        let Some(old) = self.last().clone() else {
            return Ok(Hash::ZERO);
        };
        if same(&old, new).map_err(failed)? {
            return Ok(Hash::ZERO);
        }
        let old = Locked::wait(old).map_err(failed)?;
        let length = old.file().metadata().map_err(failed)?.len();
        match end(old.file(), length).map_err(failed)? {
            End::Line { hash, .. } => Ok(hash),
            End::Fresh { .. } => Ok(Hash::ZERO),
            End::Foreign => Err(self.not_a_chain()),
        }
    }

    fn remember(&self, file: &Arc<File>) -> io::Result<()> {
        let mut last = self.last();
        let known = match last.as_ref() {
            Some(last) => same(last, file)?,
            None => false,
        };
        if !known {
            *last = Some(Arc::clone(file));
        }
        Ok(())
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Arc<File>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn not_a_chain(&self) -> Error {
        Error::NotAChain {
            file: self.path.display().to_string(),
        }
    }
}

/// A new name in a folder is on the disk when the folder is.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    match path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        Some(folder) => File::open(folder)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn unusable(path: &Path, source: io::Error) -> Error {
    Error::Unusable {
        file: path.display().to_string(),
        source,
    }
}
