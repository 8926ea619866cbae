//! The file under a chain: opened for its owner alone, locked, and read from its end.
//!
//! On systems without `flock` there is no lock: there a file has one writer.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use crate::line::{self, Hash, SEAL};

/// A file, and its lock until it is dropped.
pub(crate) struct Locked(Arc<File>);

impl Locked {
    /// The file.
    pub(crate) fn file(&self) -> &Arc<File> {
        &self.0
    }

    /// Wait for the lock that every writer of this file takes.
    pub(crate) fn wait(file: Arc<File>) -> io::Result<Locked> {
        #[cfg(unix)]
        flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(Locked(file))
    }

    /// Open what is at this path, or make it, readable for its owner alone, and wait for its lock. A file that is moved away
    /// meanwhile is left alone.
    pub(crate) fn at(path: &Path) -> io::Result<Locked> {
        for _ in 0..MOVES {
            let locked = Locked::wait(Arc::new(append_to(path)?))?;
            if is_at(&locked.0, path)? {
                return Ok(locked);
            }
        }
        Err(io::Error::other(
            "another file takes its place again and again",
        ))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // An unlocked file cannot be unlocked again, and a closed one is.
        #[cfg(unix)]
        let _ = flock(&self.0, rustix::fs::FlockOperation::Unlock);
    }
}

/// How a file ends.
pub(crate) enum End {
    /// There is no whole line, only the beginning of a first one, or nothing.
    Fresh { cut: Vec<u8> },
    /// With something else than a line of a chain.
    Foreign,
    /// With a line of this hash, and behind it a piece of one that was never finished.
    Line { hash: Hash, cut: Vec<u8> },
}

/// How a file of this length ends.
pub(crate) fn end(file: &File, length: u64) -> io::Result<End> {
    let cut = cut_off(file, length)?;
    let whole = length - cut.len() as u64;
    if whole == 0 {
        let opens = line::OPENS.iter().zip(&cut).all(|(a, b)| a == b);
        return Ok(if opens {
            End::Fresh { cut }
        } else {
            End::Foreign
        });
    }
    let seal = read_at(file, whole.saturating_sub(SEAL as u64 + 1), whole)?;
    // The event of the line is left out; an opening brace stands for it.
    let line = [b"{", seal.strip_suffix(b"\n").unwrap_or_default()].concat();
    Ok(match line::read(&line) {
        Some(sealed) => End::Line {
            hash: sealed.hash,
            cut,
        },
        None => End::Foreign,
    })
}

/// The length that is fixed: behind it somebody may be writing.
pub(crate) fn fixed_length(file: &File) -> io::Result<u64> {
    #[cfg(unix)]
    flock(file, rustix::fs::FlockOperation::LockShared)?;
    let length = file.metadata()?.len();
    #[cfg(unix)]
    flock(file, rustix::fs::FlockOperation::Unlock)?;
    Ok(length)
}

/// Whether both are the same file.
#[cfg(unix)]
pub(crate) fn same(a: &File, b: &File) -> io::Result<bool> {
    Ok(number(&a.metadata()?) == number(&b.metadata()?))
}

/// Whether both are the same file: not to be told here, so yes.
#[cfg(not(unix))]
pub(crate) fn same(_: &File, _: &File) -> io::Result<bool> {
    Ok(true)
}

/// What stands behind the last end of a line.
fn cut_off(file: &File, length: u64) -> io::Result<Vec<u8>> {
    let mut from = length;
    let mut chunks = Vec::new();
    while from > 0 && length - from <= line::MAX_LINE as u64 {
        let until = from;
        from = from.saturating_sub(CHUNK);
        let mut chunk = read_at(file, from, until)?;
        let last = chunk.iter().rposition(|byte| *byte == b'\n');
        if let Some(last) = last {
            chunk.drain(..=last);
        }
        chunks.push(chunk);
        if last.is_some() {
            break;
        }
    }
    chunks.reverse();
    Ok(chunks.concat())
}

fn read_at(mut file: &File, from: u64, until: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(until - from).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether the path still leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        Ok(there) => Ok(number(&there) == number(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(unix)]
fn number(metadata: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(unix)]
fn flock(file: &File, operation: rustix::fs::FlockOperation) -> io::Result<()> {
    loop {
        match rustix::fs::flock(file, operation) {
            Err(rustix::io::Errno::INTR) => {}
            done => return done.map_err(io::Error::from),
        }
    }
}

/// How often a file may be moved away between being opened and being locked.
const MOVES: u32 = 100;

/// How much is read at once, from the end.
const CHUNK: u64 = 8192;
