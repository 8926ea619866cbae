//! Runs in a SQLite file: what one server keeps over its restarts.
//!
//! Write-ahead log, every batch synced before it is acknowledged. The file is its owner's alone. Numbers are SQLite's
//! `AUTOINCREMENT`, which gives none twice, also after the newest runs were dropped.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{Row as _, Sqlite, Transaction};

use super::filter::Filter;
use super::run::Run;
use super::sql::{Beyond, Query, TRIMMED, Value, millis, search, unsigned};
use super::{Added, Doing, Kept, Reporter, Runs, RunsError, new_epoch};
use crate::locked::unlocked;

/// Runs in a file.
pub struct SqliteFile {
    pool: SqlitePool,
    epoch: String,
    max_bytes: u64,
}

impl SqliteFile {
    /// Open the file, make it when it is not there, and bring its tables up to date. Runs have at most `max_bytes` together.
    /// Errors: [`RunsError`].
    pub async fn open(path: &Path, max_bytes: u64) -> Result<SqliteFile, RunsError> {
        make_private(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY);
        let pool = unlocked(BUSY, || {
            SqlitePoolOptions::new()
                .max_connections(4)
                .acquire_timeout(BUSY)
                .connect_with(options.clone())
        })
        .await
        .map_err(failed)?;
        let epoch = migrate(&pool).await?;
        Ok(SqliteFile {
            pool,
            epoch,
            max_bytes,
        })
    }

    /// How SQLite would look for something: the lines of its plan.
    /// Errors: [`RunsError`].
    pub async fn plan(&self, filter: &Filter, before: u64) -> Result<Vec<String>, RunsError> {
        let mut query = search(filter, Beyond::Before(before), 100);
        query.text = format!("EXPLAIN QUERY PLAN {}", query.text);
        let rows = self.fetch(&query).await?;
        rows.iter()
            .map(|row| row.try_get("detail").map_err(failed))
            .collect()
    }

    async fn fetch(&self, query: &Query) -> Result<Vec<SqliteRow>, RunsError> {
        // The text is made of constants; values are bound.
        let mut bound = sqlx::query(&query.text);
        for value in &query.values {
            bound = match value {
                Value::Number(number) => bound.bind(*number),
                Value::Text(text) => bound.bind(text.clone()),
            };
        }
        bound.fetch_all(&self.pool).await.map_err(failed)
    }

    async fn add_now(
        &self,
        from: &Reporter,
        runs: &[Run],
        now: Duration,
    ) -> Result<Added, RunsError> {
        // The lock comes first, so that numbers become visible in their order.
        let mut tx = self
            .pool
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(failed)?;
        let newest: Option<(i64,)> =
            sqlx::query_as("SELECT at FROM toolpass_runs ORDER BY seq DESC LIMIT 1")
                .fetch_optional(&mut *tx)
                .await
                .map_err(failed)?;
        // Numbers and times grow together, whatever the clock is set to.
        let newest = newest.map_or(Duration::ZERO, |(at,)| Duration::from_millis(unsigned(at)));
        let now = now.max(newest);
        let mut stored = 0;
        let mut bytes = 0_i64;
        for run in runs {
            if !run.is_started() && run.id.is_some() {
                bytes -= forget_started(&mut tx, from, run).await?;
            }
            if let Some(written) = insert(&mut tx, from, run, now).await? {
                stored += 1;
                bytes += written;
            }
        }
        self.count(&mut tx, bytes).await?;
        tx.commit().await.map_err(failed)?;
        Ok(Added { stored })
    }

    /// Note how much there is, and drop the oldest while it is too much.
    async fn count(&self, tx: &mut Transaction<'_, Sqlite>, more: i64) -> Result<(), RunsError> {
        let (mut bytes,): (i64,) = sqlx::query_as(
            "UPDATE toolpass_runs_meta SET bytes = bytes + $1 WHERE one = 1 RETURNING bytes",
        )
        .bind(more)
        .fetch_one(&mut **tx)
        .await
        .map_err(failed)?;
        while unsigned(bytes) > self.max_bytes {
            let gone = drop_oldest(tx, i64::MAX).await?;
            if gone == 0 {
                break;
            }
            bytes -= gone;
            lessen(tx, gone).await?;
        }
        Ok(())
    }

    async fn trim_now(&self, before: Duration) -> Result<(), RunsError> {
        loop {
            let mut tx = self
                .pool
                .begin_with("BEGIN IMMEDIATE")
                .await
                .map_err(failed)?;
            let gone = drop_oldest(&mut tx, millis(before)).await?;
            if gone == 0 {
                return Ok(());
            }
            lessen(&mut tx, gone).await?;
            tx.commit().await.map_err(failed)?;
        }
    }
}

impl Runs for SqliteFile {
    fn epoch(&self) -> &str {
        &self.epoch
    }

    fn add<'a>(&'a self, from: &'a Reporter, runs: &'a [Run], now: Duration) -> Doing<'a, Added> {
        Box::pin(self.add_now(from, runs, now))
    }

    fn after<'a>(&'a self, filter: &'a Filter, since: u64, most: usize) -> Doing<'a, Vec<Kept>> {
        Box::pin(async move {
            let rows = self
                .fetch(&search(filter, Beyond::After(since), most))
                .await?;
            rows.iter().map(kept).collect()
        })
    }

    fn find<'a>(&'a self, filter: &'a Filter, before: u64, most: usize) -> Doing<'a, Vec<Kept>> {
        Box::pin(async move {
            let rows = self
                .fetch(&search(filter, Beyond::Before(before), most))
                .await?;
            rows.iter().map(kept).collect()
        })
    }

    fn last(&self) -> Doing<'_, u64> {
        Box::pin(async move {
            let last: Option<(i64,)> =
                sqlx::query_as("SELECT seq FROM sqlite_sequence WHERE name = 'toolpass_runs'")
                    .fetch_optional(&self.pool)
                    .await
                    .map_err(failed)?;
            Ok(last.map_or(0, |(last,)| unsigned(last)))
        })
    }

    fn trim(&self, before: Duration) -> Doing<'_, ()> {
        Box::pin(self.trim_now(before))
    }
}

fn kept(row: &SqliteRow) -> Result<Kept, RunsError> {
    let (seq, at): (i64, i64) = (
        row.try_get("seq").map_err(failed)?,
        row.try_get("at").map_err(failed)?,
    );
    Ok(Kept {
        seq: unsigned(seq),
        at: Duration::from_millis(unsigned(at)),
        text: row.try_get("body").map_err(failed)?,
    })
}

/// Write a run, unless its event is there. Answers its bytes.
async fn insert(
    tx: &mut Transaction<'_, Sqlite>,
    from: &Reporter,
    run: &Run,
    now: Duration,
) -> Result<Option<i64>, RunsError> {
    let text = run.text(from, now);
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let seq: Option<(i64,)> = sqlx::query_as(
        "INSERT INTO toolpass_runs (at, reporter, id, server, person, tool, grouped, outcome, bytes, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (reporter, id) DO NOTHING RETURNING seq",
    )
    .bind(millis(now))
    .bind(&*from.key)
    .bind(run.id.as_deref())
    .bind(&*from.server)
    .bind(run.user.as_deref())
    .bind(&*run.tool)
    .bind(run.group)
    .bind(&*run.outcome)
    .bind(bytes)
    .bind(text)
    .fetch_optional(&mut **tx)
    .await
    .map_err(failed)?;
    let Some((seq,)) = seq else { return Ok(None) };
    for system in &run.systems {
        sqlx::query("INSERT INTO toolpass_run_systems (system, seq) VALUES ($1, $2)")
            .bind(&**system)
            .bind(seq)
            .execute(&mut **tx)
            .await
            .map_err(failed)?;
    }
    Ok(Some(bytes))
}

/// Drop the row of a call that had begun, now that it has ended. Answers its bytes.
async fn forget_started(
    tx: &mut Transaction<'_, Sqlite>,
    from: &Reporter,
    run: &Run,
) -> Result<i64, RunsError> {
    let gone: Option<(i64, i64)> = sqlx::query_as(
        "DELETE FROM toolpass_runs WHERE reporter = $1 AND id = $2 AND outcome = 'started' RETURNING seq, bytes",
    )
    .bind(&*from.key)
    .bind(run.id.as_deref())
    .fetch_optional(&mut **tx)
    .await
    .map_err(failed)?;
    let Some((seq, bytes)) = gone else {
        return Ok(0);
    };
    sqlx::query("DELETE FROM toolpass_run_systems WHERE seq = $1")
        .bind(seq)
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    Ok(bytes)
}

/// Drop some of the oldest that came before a time. Answers their bytes.
async fn drop_oldest(tx: &mut Transaction<'_, Sqlite>, before: i64) -> Result<i64, RunsError> {
    let gone: Vec<(i64, i64)> = sqlx::query_as(
        "DELETE FROM toolpass_runs WHERE seq IN (SELECT seq FROM toolpass_runs WHERE at < $1 ORDER BY at, seq LIMIT $2) RETURNING seq, bytes",
    )
    .bind(before)
    .bind(TRIMMED)
    .fetch_all(&mut **tx)
    .await
    .map_err(failed)?;
    let last = gone.iter().map(|(seq, _)| *seq).max();
    if let Some(last) = last {
        sqlx::query("DELETE FROM toolpass_run_systems WHERE seq <= $1")
            .bind(last)
            .execute(&mut **tx)
            .await
            .map_err(failed)?;
    }
    Ok(gone.iter().map(|(_, bytes)| bytes).sum())
}

async fn lessen(tx: &mut Transaction<'_, Sqlite>, bytes: i64) -> Result<(), RunsError> {
    sqlx::query("UPDATE toolpass_runs_meta SET bytes = bytes - $1 WHERE one = 1")
        .bind(bytes)
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    Ok(())
}

/// Bring the tables up to date, one step a version. Answers the epoch.
async fn migrate(pool: &SqlitePool) -> Result<String, RunsError> {
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    let (version,): (i64,) = sqlx::query_as("PRAGMA user_version")
        .fetch_one(&mut *tx)
        .await
        .map_err(failed)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    if version > known {
        return Err(RunsError::Newer);
    }
    for (step, number) in STEPS.iter().zip(1_i64..).skip_while(|(_, n)| *n <= version) {
        for statement in *step {
            sqlx::query(statement)
                .execute(&mut *tx)
                .await
                .map_err(failed)?;
        }
        let noted = format!("PRAGMA user_version = {number}");
        sqlx::query(&noted)
            .execute(&mut *tx)
            .await
            .map_err(failed)?;
    }
    sqlx::query("INSERT OR IGNORE INTO toolpass_runs_meta (one, epoch, bytes) VALUES (1, $1, 0)")
        .bind(new_epoch()?)
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    let (epoch,): (String,) = sqlx::query_as("SELECT epoch FROM toolpass_runs_meta")
        .fetch_one(&mut *tx)
        .await
        .map_err(failed)?;
    tx.commit().await.map_err(failed)?;
    Ok(epoch)
}

fn failed(error: sqlx::Error) -> RunsError {
    match error {
        sqlx::Error::PoolTimedOut => RunsError::Busy,
        sqlx::Error::Database(error) if error.code().is_some_and(|code| code == LOCKED) => {
            RunsError::Busy
        }
        _ => RunsError::Unreachable,
    }
}

/// Make the file before SQLite does, for its owner alone; what SQLite puts beside it has the same permissions.
fn make_private(path: &Path) -> Result<(), RunsError> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map(drop)
        .map_err(|_| RunsError::Unreachable)
}

/// How long one waits for another.
const BUSY: Duration = Duration::from_secs(4);
/// `SQLITE_BUSY`.
const LOCKED: &str = "5";

/// The steps from an empty file to the present tables. A step that was released is never changed.
const STEPS: &[&[&str]] = &[&[
    "CREATE TABLE toolpass_runs (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, reporter TEXT NOT NULL, id TEXT, server TEXT NOT NULL, person TEXT, tool TEXT NOT NULL, grouped TEXT NOT NULL, outcome TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL)",
    "CREATE UNIQUE INDEX toolpass_runs_once ON toolpass_runs (reporter, id)",
    "CREATE INDEX toolpass_runs_id ON toolpass_runs (id) WHERE id IS NOT NULL",
    "CREATE INDEX toolpass_runs_at ON toolpass_runs (at)",
    "CREATE INDEX toolpass_runs_person ON toolpass_runs (person, seq) WHERE person IS NOT NULL",
    "CREATE INDEX toolpass_runs_tool ON toolpass_runs (tool, seq)",
    "CREATE INDEX toolpass_runs_server ON toolpass_runs (server, seq)",
    "CREATE INDEX toolpass_runs_grouped ON toolpass_runs (grouped, seq)",
    "CREATE INDEX toolpass_runs_person_grouped ON toolpass_runs (person, grouped, seq) WHERE person IS NOT NULL",
    "CREATE TABLE toolpass_run_systems (system TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (system, seq)) WITHOUT ROWID",
    "CREATE INDEX toolpass_run_systems_seq ON toolpass_run_systems (seq)",
    "CREATE TABLE toolpass_runs_meta (one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, bytes INTEGER NOT NULL)",
]];
