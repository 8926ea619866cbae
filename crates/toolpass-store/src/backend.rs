//! What a backend has to do, and how it fails.

use std::future::Future;
use std::pin::Pin;

use toolpass_guard::session::stored::{Answer, Operation, Place};

/// What a backend is doing.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// One place where sessions are kept.
pub trait Backend: Send + Sync {
    /// Apply an operation to a session, at once or not at all.
    fn apply<'a>(&'a self, place: &'a Place, operation: &'a Operation) -> Doing<'a, Answer>;

    /// The secret kept in the store: the one that is there, else `fresh`, which is there from now on.
    fn secret<'a>(&'a self, fresh: [u8; 32]) -> Doing<'a, [u8; 32]>;
}

/// Why a store did not do what it was asked. Says nothing that the store said: that may hold an address or a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Others were faster, again and again.
    #[error("the store is too busy")]
    Busy,
    /// What it holds cannot be read.
    #[error("what the store holds cannot be read")]
    Damaged,
    /// No secret can be made.
    #[error("there is no randomness for a secret")]
    Secret,
    /// It did not answer in time.
    #[error("the store did not answer in time")]
    Timeout,
    /// It cannot be reached, or said no.
    #[error("the store cannot be reached")]
    Unreachable,
}
