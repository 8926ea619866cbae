//! Opening a SQLite file that others open too.
//!
//! Separate because both kinds of files are opened so. SQLite waits for a lock only in some places: while a new file gets its
//! write-ahead log, or where a reader becomes a writer, it answers at once that the file is locked.
//! SOURCE: sqlite.org/rescode.html#busy, sqlite.org/c3ref/busy_handler.html.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Do something again while the file is locked, for at most `longest`.
/// Errors: those of the last attempt.
pub(crate) async fn unlocked<T, F: Future<Output = Result<T, sqlx::Error>>>(
    longest: Duration,
    attempt: impl Fn() -> F,
) -> Result<T, sqlx::Error> {
    let until = Instant::now() + longest;
    loop {
        match attempt().await {
            Err(error) if is_locked(&error) && Instant::now() < until => sleep(PAUSE).await,
            done => return done,
        }
    }
}

/// `SQLITE_BUSY`, whatever its reason: the low byte of the code.
fn is_locked(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    let code = code.and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}

const PAUSE: Duration = Duration::from_millis(20);
