//! Sessions in a SQLite file, shared by the processes of one machine.
//!
//! Write-ahead log, every change synced before it is answered, so that neither a killed process nor a lost power line forgets what
//! a session has seen. Time is the machine's. The file may hold the secret and is its owner's alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Sqlite, Transaction};
use toolpass_core::clock::Clock;
use toolpass_guard::session::kept::Kept;
use toolpass_guard::session::stored::{Answer, Operation, Outcome, Place, PrintsOf};

use crate::backend::{Backend, Doing, StoreError};
use crate::document;
use crate::locked::unlocked;

/// A store in a file.
pub struct SqliteFile {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    idle: Duration,
    pool: tokio::sync::OnceCell<SqlitePool>,
}

impl SqliteFile {
    /// The file at `path`, made when it is first used. Sessions that nobody used for `idle` are forgotten.
    pub fn new(path: &Path, clock: Arc<dyn Clock>, idle: Duration) -> SqliteFile {
        SqliteFile {
            path: path.into(),
            clock,
            idle,
            pool: tokio::sync::OnceCell::new(),
        }
    }

    async fn pool(&self) -> Result<&SqlitePool, StoreError> {
        self.pool
            .get_or_try_init(|| async {
                make_private(&self.path)?;
                let options = SqliteConnectOptions::new()
                    .filename(&self.path)
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(true)
                    .busy_timeout(BUSY);
                let pool = unlocked(BUSY, || {
                    SqlitePoolOptions::new()
                        .max_connections(4)
                        .acquire_timeout(BUSY)
                        .connect_with(options.clone())
                })
                .await
                .map_err(failed)?;
                for table in TABLES {
                    let made = unlocked(BUSY, || sqlx::query(table).execute(&pool)).await;
                    made.map_err(failed)?;
                }
                Ok(pool)
            })
            .await
    }

    fn now(&self) -> Duration {
        self.clock.wall().0
    }

    async fn apply_now(&self, place: &Place, operation: &Operation) -> Result<Answer, StoreError> {
        let pool = self.pool().await?;
        // The lock comes before the first look, so that nobody writes between that and the writing back.
        let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
        let now = self.now();
        let (number, mut kept) = self.session(&mut tx, place, now).await?;
        let outcome = match operation {
            Operation::Matches(prints) => known(&mut tx, number, prints).await?,
            Operation::Record {
                of,
                prints,
                capacity,
            } => {
                record(&mut tx, number, &mut kept, (*of, prints, *capacity)).await?;
                Outcome::Done
            }
            Operation::Get | Operation::Mark(_) => {
                kept.apply(&mut Default::default(), operation, now)
            }
            Operation::Release(_) | Operation::Reserve { .. } => {
                let person: Option<(String,)> =
                    sqlx::query_as("SELECT times FROM people WHERE id = ?1")
                        .bind(&*place.person)
                        .fetch_optional(&mut *tx)
                        .await
                        .map_err(failed)?;
                let mut times = document::person(person.as_ref().map(|(text,)| text.as_str()))?;
                let outcome = kept.apply(&mut times, operation, now);
                times.forget(now);
                write_person(&mut tx, place, document::of_person(&times)?).await?;
                outcome
            }
        };
        sqlx::query("UPDATE sessions SET state = ?2, touched = ?3 WHERE number = ?1")
            .bind(number)
            .bind(document::of_session(&kept)?)
            .bind(seconds(now))
            .execute(&mut *tx)
            .await
            .map_err(failed)?;
        tx.commit().await.map_err(failed)?;
        Ok(kept.answer(outcome))
    }

    /// The session's number and state. What was idle for too long is forgotten first, its own included.
    async fn session(
        &self,
        tx: &mut Transaction<'_, Sqlite>,
        place: &Place,
        now: Duration,
    ) -> Result<(i64, Kept), StoreError> {
        sqlx::query("DELETE FROM sessions WHERE touched < ?1")
            .bind(seconds(now.saturating_sub(self.idle)))
            .execute(&mut **tx)
            .await
            .map_err(failed)?;
        let found: Option<(i64, String)> =
            sqlx::query_as("SELECT number, state FROM sessions WHERE id = ?1")
                .bind(&*place.session)
                .fetch_optional(&mut **tx)
                .await
                .map_err(failed)?;
        if let Some((number, text)) = found {
            return Ok((number, document::session(Some(&text))?));
        }
        let kept = Kept::default();
        let made: (i64,) = sqlx::query_as(
            "INSERT INTO sessions (id, state, touched) VALUES (?1, ?2, ?3) RETURNING number",
        )
        .bind(&*place.session)
        .bind(document::of_session(&kept)?)
        .bind(seconds(now))
        .fetch_one(&mut **tx)
        .await
        .map_err(failed)?;
        Ok((made.0, kept))
    }

    async fn secret_now(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let pool = self.pool().await?;
        sqlx::query("INSERT OR IGNORE INTO secret (one, secret) VALUES (1, ?1)")
            .bind(fresh.as_slice())
            .execute(pool)
            .await
            .map_err(failed)?;
        let kept: (Vec<u8>,) = sqlx::query_as("SELECT secret FROM secret WHERE one = 1")
            .fetch_one(pool)
            .await
            .map_err(failed)?;
        kept.0.try_into().map_err(|_| StoreError::Damaged)
    }
}

impl Backend for SqliteFile {
    fn apply<'a>(&'a self, place: &'a Place, operation: &'a Operation) -> Doing<'a, Answer> {
        Box::pin(self.apply_now(place, operation))
    }

    fn secret<'a>(&'a self, fresh: [u8; 32]) -> Doing<'a, [u8; 32]> {
        Box::pin(self.secret_now(fresh))
    }
}

async fn known(
    tx: &mut Transaction<'_, Sqlite>,
    number: i64,
    prints: &[u64],
) -> Result<Outcome, StoreError> {
    let (mut outside, mut trusted) = (Vec::new(), Vec::new());
    let rows: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT trusted, print FROM prints WHERE session = ?1 AND trusted IN (0, 1) AND print IN (SELECT value FROM json_each(?2))",
    )
    .bind(number)
    .bind(json(prints))
    .fetch_all(&mut **tx)
    .await
    .map_err(failed)?;
    for (is_trusted, print) in rows {
        let of = if is_trusted == 0 {
            &mut outside
        } else {
            &mut trusted
        };
        of.push(print.cast_unsigned());
    }
    Ok(Outcome::Known { outside, trusted })
}

async fn record(
    tx: &mut Transaction<'_, Sqlite>,
    number: i64,
    kept: &mut Kept,
    (of, prints, capacity): (PrintsOf, &[u64], usize),
) -> Result<(), StoreError> {
    let is_trusted = i64::from(of == PrintsOf::Trusted);
    let new: Vec<(i64,)> = sqlx::query_as(
        "SELECT DISTINCT value FROM json_each(?3) WHERE value NOT IN (SELECT print FROM prints WHERE session = ?1 AND trusted = ?2)",
    )
    .bind(number)
    .bind(is_trusted)
    .bind(json(prints))
    .fetch_all(&mut **tx)
    .await
    .map_err(failed)?;
    let added = new.len().min(kept.room(of, capacity));
    let fitting: Vec<u64> = new
        .iter()
        .take(added)
        .map(|(print,)| print.cast_unsigned())
        .collect();
    sqlx::query(
        "INSERT INTO prints (session, trusted, print) SELECT ?1, ?2, value FROM json_each(?3)",
    )
    .bind(number)
    .bind(is_trusted)
    .bind(json(&fitting))
    .execute(&mut **tx)
    .await
    .map_err(failed)?;
    kept.added(of, added, added == new.len());
    Ok(())
}

async fn write_person(
    tx: &mut Transaction<'_, Sqlite>,
    place: &Place,
    times: Option<String>,
) -> Result<(), StoreError> {
    let query = match times {
        Some(text) => sqlx::query(
            "INSERT INTO people (id, times) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET times = excluded.times",
        )
        .bind(&*place.person)
        .bind(text),
        None => sqlx::query("DELETE FROM people WHERE id = ?1").bind(&*place.person),
    };
    query.execute(&mut **tx).await.map_err(failed)?;
    Ok(())
}

/// Numbers as a JSON list; SQLite's integers are signed.
fn json(prints: &[u64]) -> String {
    let signed: Vec<i64> = prints.iter().map(|print| print.cast_signed()).collect();
    serde_json::to_string(&signed).unwrap_or_else(|_| "[]".into())
}

fn seconds(at: Duration) -> i64 {
    i64::try_from(at.as_secs()).unwrap_or(i64::MAX)
}

fn failed(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::PoolTimedOut => StoreError::Busy,
        _ => StoreError::Unreachable,
    }
}

/// Make the file before SQLite does, for its owner alone.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map(drop)
        .map_err(|_| StoreError::Unreachable)
}

/// How long one waits for another process.
const BUSY: Duration = Duration::from_secs(4);

const TABLES: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS sessions (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, touched INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS people (id TEXT NOT NULL PRIMARY KEY, times TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS prints (session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE, trusted INTEGER NOT NULL, print INTEGER NOT NULL, PRIMARY KEY (session, trusted, print)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS secret (one INTEGER PRIMARY KEY CHECK (one = 1), secret BLOB NOT NULL)",
];

#[cfg(test)]
mod tests {
    use toolpass_core::clock::{Monotonic, Wall};

    use super::*;

    #[derive(Debug)]
    struct Stopped;

    impl Clock for Stopped {
        fn monotonic(&self) -> Monotonic {
            Monotonic(Duration::ZERO)
        }

        fn wall(&self) -> Wall {
            Wall(Duration::ZERO)
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_new_file_is_opened_by_many_at_once() {
        for round in 0..200 {
            let name = format!("toolpass-store-open-{}-{round}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let opening: Vec<_> = (0..8)
                .map(|_| {
                    let file = folder.join("sessions.db");
                    tokio::spawn(async move {
                        let file = SqliteFile::new(&file, Arc::new(Stopped), BUSY);
                        file.pool().await.map(drop)
                    })
                })
                .collect();
            for one in opening {
                assert_eq!(one.await.unwrap(), Ok(()), "round {round}");
            }
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }
}
