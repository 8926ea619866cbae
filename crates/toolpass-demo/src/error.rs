//! Why the demo cannot be shown.

/// Why the demo cannot be shown, or came out otherwise than it must.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the demo's own folder, or the recording.
    #[error("a file cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// A stand-in did not start.
    #[error("a stand-in did not start: {0}")]
    Standin(#[from] toolpass_standin::Error),
    /// The server did not start.
    #[error("the server did not start: {0}")]
    Server(#[from] toolpass_server::server::StartError),
    /// There is no such act.
    #[error("expected an act among {0}")]
    NoSuchAct(String),
    /// Something that the demo itself got wrong.
    #[error("{0}")]
    Broken(String),
}

impl Error {
    /// Something that the demo itself got wrong.
    pub(crate) fn broken(error: impl std::fmt::Display) -> Error {
        Error::Broken(error.to_string())
    }
}
