//! Why a stand-in could not be started or changed. Never about a request: those are answered.

/// A stand-in that did not start, or a change it did not take.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The loopback socket, the thread or a file.
    #[error("cannot serve on loopback: {0}")]
    Io(#[from] std::io::Error),
    /// The certificate of this run.
    #[error("cannot make a certificate: {0}")]
    Certificate(String),
    /// The operating system gave no random bytes.
    #[error("no random bytes from the operating system")]
    Random,
    /// Data that does not describe a world; names the member and what is accepted.
    #[error("the world is not valid: {0}")]
    World(String),
}
