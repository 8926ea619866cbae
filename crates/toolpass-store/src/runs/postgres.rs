//! Runs in PostgreSQL: what several servers keep together.
//!
//! A batch takes one lock of the database before its numbers are given, so that numbers become visible in their order, whichever
//! server gives them.

mod notices;

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::{Connection as _, Postgres, Row as _, Transaction};
use toolpass_core::secret::Secret;

use super::filter::Filter;
use super::notice::{Notice, Told};
use super::run::Run;
use super::sql::{Beyond, Query, TRIMMED, Value, millis, search, unsigned};
use super::{Added, Doing, Kept, Reporter, Runs, RunsError, new_epoch};

/// Runs in a database.
pub struct PostgresDatabase {
    pool: PgPool,
    epoch: String,
    max_bytes: u64,
}

impl PostgresDatabase {
    /// Connect, and bring the tables up to date. Runs have at most `max_bytes` together.
    /// Errors: [`RunsError`].
    pub async fn open(url: &Secret, max_bytes: u64) -> Result<PostgresDatabase, RunsError> {
        PostgresDatabase::connect(options(url)?, max_bytes).await
    }

    /// The same, with tables of its own in a schema of this name, which is made when it is not there.
    /// Errors: [`RunsError`].
    pub async fn open_in(
        schema: &'static str,
        url: &Secret,
        max_bytes: u64,
    ) -> Result<PostgresDatabase, RunsError> {
        let options = options(url)?;
        let mut one = PgConnection::connect_with(&options).await.map_err(failed)?;
        // Asked first: who may not make a schema may use one that is there. Asked again: another server may have been faster.
        if !has_schema(&mut one, schema).await? {
            let make = format!("CREATE SCHEMA IF NOT EXISTS {schema}");
            let made = sqlx::query(&make).execute(&mut one).await;
            if made.is_err() && !has_schema(&mut one, schema).await? {
                return Err(RunsError::Unreachable);
            }
        }
        one.close().await.map_err(failed)?;
        PostgresDatabase::connect(options.options([("search_path", schema)]), max_bytes).await
    }

    async fn connect(
        options: PgConnectOptions,
        max_bytes: u64,
    ) -> Result<PostgresDatabase, RunsError> {
        let pool = PgPoolOptions::new()
            .max_connections(8)
            .acquire_timeout(BUSY)
            .connect_with(options)
            .await
            .map_err(failed)?;
        let epoch = migrate(&pool).await?;
        notices::prepare(&pool).await?;
        Ok(PostgresDatabase {
            pool,
            epoch,
            max_bytes,
        })
    }

    async fn fetch(&self, query: &Query) -> Result<Vec<Kept>, RunsError> {
        let mut bound = sqlx::query(&query.text);
        for value in &query.values {
            bound = match value {
                Value::Number(number) => bound.bind(*number),
                Value::Text(text) => bound.bind(text.clone()),
            };
        }
        let rows = bound.fetch_all(&self.pool).await.map_err(failed)?;
        rows.iter().map(kept).collect()
    }

    async fn begin(&self) -> Result<Transaction<'_, Postgres>, RunsError> {
        let mut tx = self.pool.begin().await.map_err(failed)?;
        lock(&mut tx).await?;
        Ok(tx)
    }

    async fn add_now(
        &self,
        from: &Reporter,
        runs: &[Run],
        now: Duration,
    ) -> Result<Added, RunsError> {
        let mut tx = self.begin().await?;
        let newest: Option<(i64,)> =
            sqlx::query_as("SELECT at FROM toolpass_runs ORDER BY seq DESC LIMIT 1")
                .fetch_optional(&mut *tx)
                .await
                .map_err(failed)?;
        // Numbers and times grow together, whatever the clocks are set to.
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
    async fn count(&self, tx: &mut Transaction<'_, Postgres>, more: i64) -> Result<(), RunsError> {
        let mut bytes = changed(tx, more).await?;
        while unsigned(bytes) > self.max_bytes {
            let gone = drop_oldest(tx, i64::MAX).await?;
            if gone == 0 {
                break;
            }
            bytes = changed(tx, -gone).await?;
        }
        Ok(())
    }

    async fn trim_now(&self, before: Duration) -> Result<(), RunsError> {
        loop {
            let mut tx = self.begin().await?;
            let gone = drop_oldest(&mut tx, millis(before)).await?;
            if gone == 0 {
                return Ok(());
            }
            changed(&mut tx, -gone).await?;
            tx.commit().await.map_err(failed)?;
        }
    }
}

impl Runs for PostgresDatabase {
    fn epoch(&self) -> &str {
        &self.epoch
    }

    fn add<'a>(&'a self, from: &'a Reporter, runs: &'a [Run], now: Duration) -> Doing<'a, Added> {
        Box::pin(self.add_now(from, runs, now))
    }

    fn after<'a>(&'a self, filter: &'a Filter, since: u64, most: usize) -> Doing<'a, Vec<Kept>> {
        Box::pin(async move {
            self.fetch(&search(filter, Beyond::After(since), most))
                .await
        })
    }

    fn find<'a>(&'a self, filter: &'a Filter, before: u64, most: usize) -> Doing<'a, Vec<Kept>> {
        Box::pin(async move {
            self.fetch(&search(filter, Beyond::Before(before), most))
                .await
        })
    }

    fn last(&self) -> Doing<'_, u64> {
        Box::pin(async move {
            let (last,): (i64,) = sqlx::query_as("SELECT last FROM toolpass_runs_meta")
                .fetch_one(&self.pool)
                .await
                .map_err(failed)?;
            Ok(unsigned(last))
        })
    }

    fn trim(&self, before: Duration) -> Doing<'_, ()> {
        Box::pin(self.trim_now(before))
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn tell<'a>(&'a self, notice: &'a Notice, now: Duration) -> Doing<'a, ()> {
        Box::pin(notices::tell(&self.pool, notice, now))
    }

    fn told(&self, since: Option<u64>) -> Doing<'_, Told> {
        Box::pin(notices::told(&self.pool, since))
    }
}

async fn has_schema(one: &mut PgConnection, schema: &str) -> Result<bool, RunsError> {
    let (is_there,): (bool,) = sqlx::query_as("SELECT to_regnamespace($1) IS NOT NULL")
        .bind(schema)
        .fetch_one(one)
        .await
        .map_err(failed)?;
    Ok(is_there)
}

fn options(url: &Secret) -> Result<PgConnectOptions, RunsError> {
    let url = std::str::from_utf8(url.expose()).unwrap_or_default();
    PgConnectOptions::from_str(url).map_err(failed)
}

fn kept(row: &PgRow) -> Result<Kept, RunsError> {
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

/// Write a run, unless its event is there. Answers its bytes. PostgreSQL's texts hold no NUL.
async fn insert(
    tx: &mut Transaction<'_, Postgres>,
    from: &Reporter,
    run: &Run,
    now: Duration,
) -> Result<Option<i64>, RunsError> {
    let plain = |text: &str| text.replace('\0', "\u{fffd}");
    let text = run.text(from, now);
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let seq: Option<(i64,)> = sqlx::query_as(
        "INSERT INTO toolpass_runs (seq, at, reporter, id, server, person, tool, grouped, outcome, bytes, body) SELECT last + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM toolpass_runs_meta ON CONFLICT (reporter, id) DO NOTHING RETURNING seq",
    )
    .bind(millis(now))
    .bind(plain(&from.key))
    .bind(run.id.as_deref().map(plain))
    .bind(plain(&from.server))
    .bind(run.user.as_deref().map(plain))
    .bind(plain(&run.tool))
    .bind(run.group)
    .bind(plain(&run.outcome))
    .bind(bytes)
    .bind(text)
    .fetch_optional(&mut **tx)
    .await
    .map_err(failed)?;
    let Some((seq,)) = seq else { return Ok(None) };
    sqlx::query("UPDATE toolpass_runs_meta SET last = $1")
        .bind(seq)
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    for system in &run.systems {
        sqlx::query(
            "INSERT INTO toolpass_run_systems (system, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        )
        .bind(plain(system))
        .bind(seq)
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    }
    Ok(Some(bytes))
}

/// Drop the row of a call that had begun, now that it has ended. Answers its bytes.
async fn forget_started(
    tx: &mut Transaction<'_, Postgres>,
    from: &Reporter,
    run: &Run,
) -> Result<i64, RunsError> {
    let plain = |text: &str| text.replace('\0', "\u{fffd}");
    let gone: Option<(i64,)> = sqlx::query_as(
        "DELETE FROM toolpass_runs WHERE reporter = $1 AND id = $2 AND outcome = 'started' RETURNING bytes",
    )
    .bind(plain(&from.key))
    .bind(run.id.as_deref().map(plain))
    .fetch_optional(&mut **tx)
    .await
    .map_err(failed)?;
    Ok(gone.map_or(0, |(bytes,)| bytes))
}

/// Drop some of the oldest that came before a time. Answers their bytes.
async fn drop_oldest(tx: &mut Transaction<'_, Postgres>, before: i64) -> Result<i64, RunsError> {
    let gone: Vec<(i64,)> = sqlx::query_as(
        "DELETE FROM toolpass_runs WHERE seq IN (SELECT seq FROM toolpass_runs WHERE at < $1 ORDER BY at, seq LIMIT $2) RETURNING bytes",
    )
    .bind(before)
    .bind(TRIMMED)
    .fetch_all(&mut **tx)
    .await
    .map_err(failed)?;
    Ok(gone.iter().map(|(bytes,)| bytes).sum())
}

/// Note how much more there is. Answers how much there is now.
async fn changed(tx: &mut Transaction<'_, Postgres>, more: i64) -> Result<i64, RunsError> {
    let (bytes,): (i64,) =
        sqlx::query_as("UPDATE toolpass_runs_meta SET bytes = bytes + $1 RETURNING bytes")
            .bind(more)
            .fetch_one(&mut **tx)
            .await
            .map_err(failed)?;
    Ok(bytes)
}

async fn lock(tx: &mut Transaction<'_, Postgres>) -> Result<(), RunsError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtext('toolpass_runs'))")
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    Ok(())
}

/// Bring the tables up to date, one step a version. Answers the epoch.
async fn migrate(pool: &PgPool) -> Result<String, RunsError> {
    let mut tx = pool.begin().await.map_err(failed)?;
    lock(&mut tx).await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS toolpass_runs_meta (one INTEGER PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL, epoch TEXT NOT NULL, bytes BIGINT NOT NULL, last BIGINT NOT NULL)")
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    sqlx::query("INSERT INTO toolpass_runs_meta (one, version, epoch, bytes, last) VALUES (1, 0, $1, 0, 0) ON CONFLICT DO NOTHING")
        .bind(new_epoch()?)
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    let (version, epoch): (i64, String) =
        sqlx::query_as("SELECT version, epoch FROM toolpass_runs_meta")
            .fetch_one(&mut *tx)
            .await
            .map_err(failed)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    if version > known {
        return Err(RunsError::Newer);
    }
    for step in STEPS
        .iter()
        .skip(usize::try_from(version).unwrap_or_default())
    {
        for statement in *step {
            sqlx::query(statement)
                .execute(&mut *tx)
                .await
                .map_err(failed)?;
        }
    }
    sqlx::query("UPDATE toolpass_runs_meta SET version = $1")
        .bind(known)
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    tx.commit().await.map_err(failed)?;
    Ok(epoch)
}

fn failed(error: sqlx::Error) -> RunsError {
    match error {
        sqlx::Error::PoolTimedOut => RunsError::Busy,
        _ => RunsError::Unreachable,
    }
}

/// How long one waits for a connection.
const BUSY: Duration = Duration::from_secs(4);

/// The steps from an empty database to the present tables. A step that was released is never changed.
const STEPS: &[&[&str]] = &[&[
    "CREATE TABLE toolpass_runs (seq BIGINT PRIMARY KEY, at BIGINT NOT NULL, reporter TEXT NOT NULL, id TEXT, server TEXT NOT NULL, person TEXT, tool TEXT NOT NULL, grouped TEXT NOT NULL, outcome TEXT NOT NULL, bytes BIGINT NOT NULL, body TEXT NOT NULL)",
    "CREATE UNIQUE INDEX toolpass_runs_once ON toolpass_runs (reporter, id)",
    "CREATE INDEX toolpass_runs_id ON toolpass_runs (id)",
    "CREATE INDEX toolpass_runs_at ON toolpass_runs (at, seq)",
    "CREATE INDEX toolpass_runs_person ON toolpass_runs (person, seq)",
    "CREATE INDEX toolpass_runs_tool ON toolpass_runs (tool, seq)",
    "CREATE INDEX toolpass_runs_server ON toolpass_runs (server, seq)",
    "CREATE INDEX toolpass_runs_grouped ON toolpass_runs (grouped, seq)",
    "CREATE INDEX toolpass_runs_person_grouped ON toolpass_runs (person, grouped, seq)",
    "CREATE TABLE toolpass_run_systems (system TEXT NOT NULL, seq BIGINT NOT NULL REFERENCES toolpass_runs (seq) ON DELETE CASCADE, PRIMARY KEY (system, seq))",
    "CREATE INDEX toolpass_run_systems_seq ON toolpass_run_systems (seq)",
]];
