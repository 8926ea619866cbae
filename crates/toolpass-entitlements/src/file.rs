//! The file itself: read, locked, replaced at once.
//!
//! INVARIANT: a reader sees the old text or the new one, never a part. What is replaced keeps its mode, and a symbolic link
//! stays one.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::load::Error;

/// Holds the file's lock until it is dropped.
pub(crate) struct Lock {
    _file: File,
}

/// The text of a file; none when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, error)),
    };
    let mut text = String::new();
    file.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| unusable(path, error))?;
    if text.len() as u64 > MAX_BYTES {
        let problem = format!("a file of entitlements has at most {MAX_BYTES} bytes");
        return Err(unusable(path, std::io::Error::other(problem)));
    }
    Ok(Some(text))
}

/// Wait for the lock that every recorder of this file takes: on a file beside it, which stays.
pub(crate) fn lock(path: &Path) -> Result<Lock, Error> {
    let target = target(path);
    let beside = beside(&target, "lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&beside)
        .map_err(|error| unusable(&beside, error))?;
    #[cfg(unix)]
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|error| unusable(&beside, error.into()))?;
    Ok(Lock { _file: file })
}

/// Put a text in the place of the file's.
pub(crate) fn replace(path: &Path, text: &str, _lock: &Lock) -> Result<(), Error> {
    let target = target(path);
    let new = beside(&target, &format!("{}.new", std::process::id()));
    let written = write_new(&new, &target, text);
    if written.is_err() {
        // The failure that matters is the first one; what is left is a hidden file.
        let _ = fs::remove_file(&new);
    }
    written.map_err(|error| unusable(path, error))
}

fn write_new(new: &Path, target: &Path, text: &str) -> std::io::Result<()> {
    let mut file = File::create(new)?;
    if let Ok(old) = fs::metadata(target) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, target)
}

/// What a symbolic link leads to, also when that is not there yet.
fn target(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    match (fs::read_link(path), path.parent()) {
        (Ok(link), Some(folder)) => folder.join(link),
        (Ok(link), None) => link,
        (Err(_), _) => path.to_owned(),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{suffix}"))
}

fn unusable(path: &Path, source: std::io::Error) -> Error {
    Error::Unusable {
        file: path.display().to_string(),
        source,
    }
}

/// The longest file that is read.
const MAX_BYTES: u64 = 4 << 20;
