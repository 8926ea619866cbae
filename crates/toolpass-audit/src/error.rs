//! Why a line could not be written or a file not be read.

use std::io;

/// What went wrong, naming the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file ends with something that no chain ends with; it is left as it is.
    #[error("{file}: expected an audit file, or none: its last line has no `hash`")]
    NotAChain {
        /// The file.
        file: String,
    },
    /// What was to be written is not one JSON object on one line.
    #[error("expected an event of one line, from `{{` to `}}`, of at most {max} bytes")]
    NotAnEvent {
        /// The longest event.
        max: usize,
    },
    /// The file cannot be opened, locked, read or written.
    #[error("{file}: {source}")]
    Unusable {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
}
