//! Reading a secret from where its reference says, at every use.
//!
//! Separate because it is the edge: the environment and secret files are read here and nowhere else below the command.
//! A file is looked at no more than once a second per path, and read again only when its metadata changed, so a hot path
//! does no file I/O and a rotated secret is seen without a restart.
//!
//! INVARIANT: an error names the reference, never a value.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use toolpass_core::clock::{Clock, Monotonic};
use toolpass_core::secret::{Secret, SecretRef};

use crate::clock::SystemClock;

/// Why a secret could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("secret `{shown}`: {why}")]
pub struct SecretError {
    shown: String,
    why: &'static str,
}

/// Read a secret. A literal is its own value; a file's trailing spaces, tabs and line ends are dropped, nothing else.
/// Limits: a file is a regular one of at most 64 KiB.
/// Errors: [`SecretError`] for what is unset, missing, unreadable, of another kind, too large, empty or blank.
pub fn read(reference: &SecretRef) -> Result<Secret, SecretError> {
    let found = match reference {
        SecretRef::Literal(secret) => return Ok(secret.clone()),
        SecretRef::Env(name) => match environment(name) {
            Some(value) if !value.is_empty() => Ok(Secret::new(value.into_encoded_bytes())),
            _ => Err("the environment variable is unset or empty"),
        },
        SecretRef::File(path) => shared_files().read(path, SystemClock.monotonic()),
    };
    found.map_err(|why| SecretError {
        shown: reference.shown(),
        why,
    })
}

/// One environment variable, for this crate's edges.
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn shared_files() -> &'static SecretFiles {
    static FILES: OnceLock<SecretFiles> = OnceLock::new();
    FILES.get_or_init(SecretFiles::default)
}

/// The files read so far.
#[derive(Default)]
struct SecretFiles(Mutex<HashMap<PathBuf, Entry>>);

struct Entry {
    stamp: Stamp,
    looked_at: Monotonic,
    secret: Secret,
}

/// What tells one state of a file from another without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    identity: (u64, u64, i64, i64),
}

impl SecretFiles {
    fn read(&self, path: &Path, now: Monotonic) -> Result<Secret, &'static str> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(path)
            && now.since(entry.looked_at) < LOOK_EVERY
        {
            return Ok(entry.secret.clone());
        }
        // Before it is opened, because opening a named pipe waits for its other end.
        let stamp = stamp_of(&std::fs::metadata(path).map_err(|error| why(&error))?)?;
        if let Some(entry) = entries.get_mut(path)
            && entry.stamp == stamp
        {
            entry.looked_at = now;
            return Ok(entry.secret.clone());
        }
        entries.remove(path);
        let mut file = File::open(path).map_err(|error| why(&error))?;
        let stamp = stamp_of(&file.metadata().map_err(|error| why(&error))?)?;
        let secret = read_trimmed(&mut file)?;
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(
            path.into(),
            Entry {
                stamp,
                looked_at: now,
                secret: secret.clone(),
            },
        );
        Ok(secret)
    }
}

fn read_trimmed(file: &mut File) -> Result<Secret, &'static str> {
    // One allocation, so that no copy is left behind by growth; the vector moves into the secret, which is wiped.
    let mut bytes = Vec::with_capacity(MAX_BYTES as usize + 1);
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| why(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TOO_LARGE);
    }
    while bytes
        .last()
        .is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
    {
        bytes.pop();
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("the file is empty or blank");
    }
    Ok(Secret::new(bytes))
}

fn stamp_of(metadata: &Metadata) -> Result<Stamp, &'static str> {
    if metadata.is_dir() {
        return Err("expected a file, found a directory");
    }
    if !metadata.is_file() {
        return Err("expected a regular file");
    }
    if metadata.len() > MAX_BYTES {
        return Err(TOO_LARGE);
    }
    Ok(Stamp {
        length: metadata.len(),
        modified: metadata.modified().ok(),
        identity: identity_of(metadata),
    })
}

#[cfg(unix)]
fn identity_of(metadata: &Metadata) -> (u64, u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (
        metadata.dev(),
        metadata.ino(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}

#[cfg(not(unix))]
fn identity_of(_: &Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}

fn why(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file",
        std::io::ErrorKind::PermissionDenied => "the file may not be read by this process",
        _ => "the file cannot be read",
    }
}

const LOOK_EVERY: Duration = Duration::from_secs(1);
const MAX_BYTES: u64 = 64 * 1024;
const MAX_ENTRIES: usize = 1024;
const TOO_LARGE: &str = "the file is larger than 64 KiB";

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Monotonic {
        Monotonic(Duration::from_millis(ms))
    }

    fn scratch(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("toolpass-secrets-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn contents() {
        let folder = scratch("contents");
        let check = |content: &[u8], expected: Result<&[u8], &str>| {
            let path = folder.join("s");
            std::fs::write(&path, content).unwrap();
            let found = SecretFiles::default().read(&path, at(0));
            assert_eq!(
                found.as_ref().map(Secret::expose).map_err(|why| *why),
                expected,
                "{content:?}"
            );
        };
        check(b"tok", Ok(b"tok"));
        check(b"  tok \t\r\n\n", Ok(b"  tok"));
        check(b"\xff\xfe\n", Ok(b"\xff\xfe"));
        check(b"", Err("the file is empty or blank"));
        check(b" \n\t\r\n", Err("the file is empty or blank"));
        check(&[b'x'; 64 * 1024], Ok(&[b'x'; 64 * 1024]));
        check(&[b'x'; 64 * 1024 + 1], Err(TOO_LARGE));
        assert_eq!(
            SecretFiles::default().read(&folder, at(0)).unwrap_err(),
            "expected a file, found a directory"
        );
        assert_eq!(
            SecretFiles::default()
                .read(&folder.join("none"), at(0))
                .unwrap_err(),
            "there is no such file"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_is_looked_at_once_a_second_and_a_rotation_is_seen() {
        let folder = scratch("rotation");
        let path = folder.join("s");
        let files = SecretFiles::default();
        std::fs::write(&path, "first").unwrap();
        assert_eq!(files.read(&path, at(0)).unwrap().expose(), b"first");
        std::fs::write(folder.join("next"), "other").unwrap();
        std::fs::rename(folder.join("next"), &path).unwrap();
        assert_eq!(files.read(&path, at(999)).unwrap().expose(), b"first");
        assert_eq!(files.read(&path, at(1000)).unwrap().expose(), b"other");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(files.read(&path, at(1500)).unwrap().expose(), b"other");
        assert_eq!(
            files.read(&path, at(2500)).unwrap_err(),
            "there is no such file"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_not_read() {
        assert_eq!(
            SecretFiles::default()
                .read(Path::new("/dev/zero"), at(0))
                .unwrap_err(),
            "expected a regular file"
        );
    }

    #[test]
    fn errors_name_the_reference() {
        let error = read(&SecretRef::Env("TOOLPASS_TEST_SURELY_UNSET".into())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "secret `env:TOOLPASS_TEST_SURELY_UNSET`: the environment variable is unset or empty"
        );
        assert_eq!(
            read(&SecretRef::Literal(Secret::new("x")))
                .unwrap()
                .expose(),
            b"x"
        );
        assert!(read(&SecretRef::Env("PATH".into())).is_ok());
    }
}
