//! Batches put aside in a folder, for the next process that reports to the same server.
//!
//! One file a batch, for its owner alone, written under another name first, so that nobody reads half of one. Whoever sends a
//! batch takes it by renaming it; one that is taken and never done with is lost to nobody: its name says so, and it can be named
//! back. Bounded: when there is more than fits, the oldest go.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use toolpass_http::url::Url;

/// A folder of batches for one server.
pub(crate) struct Spool {
    folder: PathBuf,
    /// What the names of its files begin with: the batches of other servers are not its own.
    prefix: String,
}

/// A batch that was taken.
pub(crate) struct Taken {
    pub(crate) body: Vec<u8>,
    path: PathBuf,
    taken: PathBuf,
}

impl Spool {
    pub(crate) fn new(folder: &Path, url: &Url) -> Spool {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        Spool {
            folder: folder.into(),
            prefix: format!(
                "runs.{}.",
                url.authority().chars().map(plain).collect::<String>()
            ),
        }
    }

    /// Put a batch aside.
    /// Errors: it cannot be written.
    pub(crate) fn put(&self, body: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let name = format!("{}{}", self.prefix, uuid::Uuid::now_v7());
        let written = self.folder.join(format!("{name}.new"));
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&written)?;
        file.write_all(body)?;
        file.sync_all()?;
        std::fs::rename(&written, self.folder.join(format!("{name}{READY}")))?;
        self.fit();
        Ok(())
    }

    pub(crate) fn has_some(&self) -> bool {
        !self.ready().is_empty()
    }

    /// Take the oldest batch.
    pub(crate) fn take(&self) -> Option<Taken> {
        self.ready().into_iter().find_map(|path| {
            let taken = path.with_extension("sending");
            // Whoever renames it first has it.
            std::fs::rename(&path, &taken).ok()?;
            let body = std::fs::read(&taken).ok()?;
            Some(Taken { body, path, taken })
        })
    }

    /// Be done with a batch, or give it back.
    pub(crate) fn done(&self, batch: Taken, is_done: bool) {
        // A file that can be neither removed nor renamed is sent again; the server keeps its runs once.
        let _ = if is_done {
            std::fs::remove_file(&batch.taken)
        } else {
            std::fs::rename(&batch.taken, &batch.path)
        };
    }

    /// The batches, oldest first: their names begin with the time.
    fn ready(&self) -> Vec<PathBuf> {
        let Ok(files) = std::fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let mut ready: Vec<PathBuf> = files
            .filter_map(|file| Some(file.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with(&self.prefix) && name.ends_with(READY))
            })
            .collect();
        ready.sort();
        ready
    }

    fn fit(&self) {
        let ready = self.ready();
        for path in ready.iter().take(ready.len().saturating_sub(MAX_BATCHES)) {
            // What cannot be removed stays.
            let _ = std::fs::remove_file(path);
        }
    }
}

const READY: &str = ".json";
/// How many batches are kept.
const MAX_BATCHES: usize = 200;
