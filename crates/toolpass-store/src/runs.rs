//! Runs: one tool call each, as a toolkit reported it.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | a reported event, checked member by member and written anew |
//! | [`filter`] | which runs are asked for |
//! | [`notice`] | what servers that keep runs together tell each other |
//! | [`memory`] | the newest runs, within bounds, as long as the process lives |
//! | `sqlite` `postgres` | runs on disk, for one server and for several |
//!
//! A run gets a number (`seq`) when it is kept. Numbers grow in the order in which runs become visible and are never given twice, so
//! who knows everything up to a number lacks nothing. The numbers belong to an *epoch*, which lives as long as they do.
//! INVARIANT: what was acknowledged is kept; an event reported twice by one reporter is kept once.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub mod filter;
pub mod memory;
pub mod notice;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod run;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;

use filter::Filter;
use notice::{Notice, Told};
use run::Run;

/// What a store is doing.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, RunsError>> + Send + 'a>>;

/// A place where runs are kept.
pub trait Runs: Send + Sync {
    /// The life of the numbers.
    fn epoch(&self) -> &str;

    /// Keep these runs, all of them or none. `now` is their `at`.
    fn add<'a>(&'a self, from: &'a Reporter, runs: &'a [Run], now: Duration) -> Doing<'a, Added>;

    /// Up to `most` runs that fit, oldest first, all of them past a number.
    fn after<'a>(&'a self, filter: &'a Filter, since: u64, most: usize) -> Doing<'a, Vec<Kept>>;

    /// Up to `most` runs that fit, newest first, all of them before a number.
    fn find<'a>(&'a self, filter: &'a Filter, before: u64, most: usize) -> Doing<'a, Vec<Kept>>;

    /// The last number given.
    fn last(&self) -> Doing<'_, u64>;

    /// Drop what came before a time, and the oldest of what is too much.
    fn trim(&self, before: Duration) -> Doing<'_, ()>;

    /// Whether other servers keep their runs here too.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tell the servers that keep their runs here; done when there are no others.
    fn tell<'a>(&'a self, notice: &'a Notice, now: Duration) -> Doing<'a, ()> {
        let _ = (notice, now);
        Box::pin(async { Ok(()) })
    }

    /// What was told past a number; without one only the number of the last.
    fn told(&self, since: Option<u64>) -> Doing<'_, Told> {
        let _ = since;
        Box::pin(async { Ok(Told::default()) })
    }
}

/// Who reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporter {
    /// The name of the API key: the one thing about a run that was proved.
    pub key: String,
    /// What the process calls itself.
    pub server: String,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// How many are new.
    pub stored: usize,
}

/// A run that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its number.
    pub seq: u64,
    /// When it came.
    pub at: Duration,
    /// One JSON object, without the number.
    pub text: String,
}

impl Kept {
    /// The run with its number as its first member.
    pub fn numbered(&self) -> String {
        let members = self.text.strip_prefix('{').unwrap_or("}");
        format!("{{\"seq\":{},{members}", self.seq)
    }
}

/// Why a store did not do what it was asked. Says nothing that a database said: that may hold an address or a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunsError {
    /// Others were faster, again and again.
    #[error("the store of runs is too busy")]
    Busy,
    /// What it holds was written by another version.
    #[error("the store of runs was written by a newer version of toolpass")]
    Newer,
    /// It cannot be reached, read or written.
    #[error("the store of runs cannot be reached")]
    Unreachable,
}

/// A random name for the life of a store's numbers.
/// Errors: the system has no randomness.
pub(crate) fn new_epoch() -> Result<String, RunsError> {
    use base64::Engine as _;
    use ring::rand::SecureRandom as _;
    let mut bytes = [0_u8; 9];
    ring::rand::SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| RunsError::Unreachable)?;
    Ok(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))
}
