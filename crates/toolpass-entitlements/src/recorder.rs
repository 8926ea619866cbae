//! Recording a call into its file, while other processes may record into it too.
//!
//! INVARIANT: what replaces the file was read back and says exactly what was to be recorded. A file that cannot be read is not
//! touched. Whoever records logs a failure; it never changes a call.

use std::path::{Path, PathBuf};

use toolpass_guard::entitlements::edit::edit;
use toolpass_guard::entitlements::model::Entitlements;
use toolpass_guard::entitlements::record::{Partial, Recording, Run, record};
use toolpass_guard::entitlements::write::write;

use crate::file;
use crate::load::{Error, parse};

/// Records calls into one file.
#[derive(Clone, Debug)]
pub struct Recorder {
    path: PathBuf,
    partial: Partial,
}

impl Recorder {
    /// A recorder of a file, which need not be there.
    pub fn new(path: &Path, partial: Partial) -> Recorder {
        Recorder {
            path: path.to_owned(),
            partial,
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Record a call. Blocks while another process records. A file in which nothing would change is not touched, nor made.
    /// Errors: [`Error`] when the file cannot be read, understood or replaced.
    pub fn record(&self, run: Run<'_>) -> Result<Recording, Error> {
        let (_, before) = self.read()?;
        let recording = record(&before, run, self.partial);
        if recording.entitlements == before {
            return Ok(recording);
        }
        let lock = file::lock(&self.path)?;
        // Somebody may have recorded between the first look and the lock.
        let (text, before) = self.read()?;
        let recording = record(&before, run, self.partial);
        if recording.entitlements != before {
            let text = changed(&text, &before, &recording);
            file::replace(&self.path, &text, &lock)?;
        }
        Ok(recording)
    }

    fn read(&self) -> Result<(String, Entitlements), Error> {
        let text = file::read(&self.path)?.unwrap_or_default();
        let name = self.path.display().to_string();
        let reading = parse(&name, &text).map_err(Error::Invalid)?;
        Ok((text, reading.entitlements))
    }
}

/// The file's text with the recording in it: edited where that is possible, else as it would be written, edited; else written
/// whole, which notes nothing at new entries.
fn changed(text: &str, before: &Entitlements, recording: &Recording) -> String {
    let says_it = |text: &String| {
        parse("", text).is_ok_and(|reading| reading.entitlements == recording.entitlements)
    };
    let edited =
        |text: &str| edit(text, before, &recording.entitlements, recording.from).filter(says_it);
    edited(text)
        .or_else(|| edited(&write(before)))
        .unwrap_or_else(|| write(&recording.entitlements))
}
