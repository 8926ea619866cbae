//! Sessions in PostgreSQL, shared by any number of machines.
//!
//! A session's row is locked before it is read, then the person's; always in this order. Time is the server's.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Postgres, Transaction};
use toolpass_core::secret::Secret;
use toolpass_guard::session::kept::Kept;
use toolpass_guard::session::stored::{Answer, Operation, Outcome, Place, PrintsOf};

use crate::backend::{Backend, Doing, StoreError};
use crate::document;

/// A store in PostgreSQL.
pub struct PostgresDatabase {
    url: Secret,
    idle: Duration,
    pool: tokio::sync::OnceCell<PgPool>,
}

impl PostgresDatabase {
    /// The database at `url`, whose tables are made when it is first used. Sessions that nobody used for `idle` are forgotten.
    pub fn new(url: Secret, idle: Duration) -> PostgresDatabase {
        PostgresDatabase {
            url,
            idle,
            pool: tokio::sync::OnceCell::new(),
        }
    }

    async fn pool(&self) -> Result<&PgPool, StoreError> {
        self.pool
            .get_or_try_init(|| async {
                let url = std::str::from_utf8(self.url.expose()).unwrap_or_default();
                let options = PgConnectOptions::from_str(url).map_err(failed)?;
                let pool = PgPoolOptions::new()
                    .max_connections(8)
                    .acquire_timeout(BUSY)
                    .connect_with(options)
                    .await
                    .map_err(failed)?;
                let mut tx = pool.begin().await.map_err(failed)?;
                // Two processes that both make the tables would hinder each other.
                sqlx::query("SELECT pg_advisory_xact_lock(hashtext('toolpass_sessions'))")
                    .execute(&mut *tx)
                    .await
                    .map_err(failed)?;
                for table in TABLES {
                    sqlx::query(table).execute(&mut *tx).await.map_err(failed)?;
                }
                tx.commit().await.map_err(failed)?;
                Ok(pool)
            })
            .await
    }

    async fn apply_now(&self, place: &Place, operation: &Operation) -> Result<Answer, StoreError> {
        let pool = self.pool().await?;
        let mut tx = pool.begin().await.map_err(failed)?;
        let mut kept = self.session(&mut tx, place).await?;
        let outcome = match operation {
            Operation::Matches(prints) => known(&mut tx, place, prints).await?,
            Operation::Record {
                of,
                prints,
                capacity,
            } => {
                record(&mut tx, place, &mut kept, (*of, prints, *capacity)).await?;
                Outcome::Done
            }
            Operation::Get | Operation::Mark(_) => {
                kept.apply(&mut Default::default(), operation, Duration::ZERO)
            }
            Operation::Release(_) | Operation::Reserve { .. } => {
                count(&mut tx, place, &mut kept, operation).await?
            }
        };
        sqlx::query(
            "UPDATE toolpass_sessions SET state = $2, touched = clock_timestamp() WHERE id = $1",
        )
        .bind(&*place.session)
        .bind(document::of_session(&kept)?)
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
        tx.commit().await.map_err(failed)?;
        Ok(kept.answer(outcome))
    }

    /// The session, its row locked. What was idle for too long is forgotten, its own first.
    async fn session(
        &self,
        tx: &mut Transaction<'_, Postgres>,
        place: &Place,
    ) -> Result<Kept, StoreError> {
        let idle = self.idle.as_secs_f64();
        sqlx::query("DELETE FROM toolpass_sessions WHERE id = $1 AND touched < clock_timestamp() - make_interval(secs => $2)")
            .bind(&*place.session)
            .bind(idle)
            .execute(&mut **tx)
            .await
            .map_err(failed)?;
        // Whatever another one holds is left for later.
        sqlx::query("DELETE FROM toolpass_sessions WHERE id IN (SELECT id FROM toolpass_sessions WHERE touched < clock_timestamp() - make_interval(secs => $1) LIMIT 8 FOR UPDATE SKIP LOCKED)")
            .bind(idle)
            .execute(&mut **tx)
            .await
            .map_err(failed)?;
        sqlx::query(
            "INSERT INTO toolpass_sessions (id, state) VALUES ($1, '') ON CONFLICT (id) DO NOTHING",
        )
        .bind(&*place.session)
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
        let (text,): (String,) =
            sqlx::query_as("SELECT state FROM toolpass_sessions WHERE id = $1 FOR UPDATE")
                .bind(&*place.session)
                .fetch_one(&mut **tx)
                .await
                .map_err(failed)?;
        document::session(Some(text.as_str()).filter(|text| !text.is_empty()))
    }

    async fn secret_now(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let pool = self.pool().await?;
        sqlx::query(
            "INSERT INTO toolpass_secret (one, secret) VALUES (1, $1) ON CONFLICT (one) DO NOTHING",
        )
        .bind(fresh.as_slice())
        .execute(pool)
        .await
        .map_err(failed)?;
        let kept: (Vec<u8>,) = sqlx::query_as("SELECT secret FROM toolpass_secret WHERE one = 1")
            .fetch_one(pool)
            .await
            .map_err(failed)?;
        kept.0.try_into().map_err(|_| StoreError::Damaged)
    }
}

impl Backend for PostgresDatabase {
    fn apply<'a>(&'a self, place: &'a Place, operation: &'a Operation) -> Doing<'a, Answer> {
        Box::pin(self.apply_now(place, operation))
    }

    fn secret<'a>(&'a self, fresh: [u8; 32]) -> Doing<'a, [u8; 32]> {
        Box::pin(self.secret_now(fresh))
    }
}

/// Count in the session and for the person, whose row is locked, too.
async fn count(
    tx: &mut Transaction<'_, Postgres>,
    place: &Place,
    kept: &mut Kept,
    operation: &Operation,
) -> Result<Outcome, StoreError> {
    sqlx::query(
        "INSERT INTO toolpass_people (id, times) VALUES ($1, '') ON CONFLICT (id) DO NOTHING",
    )
    .bind(&*place.person)
    .execute(&mut **tx)
    .await
    .map_err(failed)?;
    let (text, now): (String, f64) = sqlx::query_as(
        "SELECT times, extract(epoch FROM clock_timestamp())::float8 FROM toolpass_people WHERE id = $1 FOR UPDATE",
    )
    .bind(&*place.person)
    .fetch_one(&mut **tx)
    .await
    .map_err(failed)?;
    // What the row says was read before its lock was had; the time has to be after that.
    let now = Duration::try_from_secs_f64(now).map_err(|_| StoreError::Damaged)?;
    let mut times = document::person(Some(text.as_str()).filter(|text| !text.is_empty()))?;
    let outcome = kept.apply(&mut times, operation, now);
    times.forget(now);
    sqlx::query("UPDATE toolpass_people SET times = $2, touched = clock_timestamp() WHERE id = $1")
        .bind(&*place.person)
        .bind(document::of_person(&times)?.unwrap_or_default())
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    Ok(outcome)
}

async fn known(
    tx: &mut Transaction<'_, Postgres>,
    place: &Place,
    prints: &[u64],
) -> Result<Outcome, StoreError> {
    let (mut outside, mut trusted) = (Vec::new(), Vec::new());
    let rows: Vec<(bool, i64)> = sqlx::query_as(
        "SELECT trusted, print FROM toolpass_prints WHERE session = $1 AND print = ANY($2)",
    )
    .bind(&*place.session)
    .bind(signed(prints))
    .fetch_all(&mut **tx)
    .await
    .map_err(failed)?;
    for (is_trusted, print) in rows {
        let of = if is_trusted {
            &mut trusted
        } else {
            &mut outside
        };
        of.push(print.cast_unsigned());
    }
    Ok(Outcome::Known { outside, trusted })
}

async fn record(
    tx: &mut Transaction<'_, Postgres>,
    place: &Place,
    kept: &mut Kept,
    (of, prints, capacity): (PrintsOf, &[u64], usize),
) -> Result<(), StoreError> {
    let is_trusted = of == PrintsOf::Trusted;
    let new: Vec<(i64,)> = sqlx::query_as(
        "SELECT DISTINCT p FROM unnest($3::bigint[]) AS p WHERE NOT EXISTS (SELECT 1 FROM toolpass_prints WHERE session = $1 AND trusted = $2 AND print = p)",
    )
    .bind(&*place.session)
    .bind(is_trusted)
    .bind(signed(prints))
    .fetch_all(&mut **tx)
    .await
    .map_err(failed)?;
    let added = new.len().min(kept.room(of, capacity));
    let fitting: Vec<i64> = new.iter().take(added).map(|(print,)| *print).collect();
    sqlx::query("INSERT INTO toolpass_prints (session, trusted, print) SELECT $1, $2, p FROM unnest($3::bigint[]) AS p")
        .bind(&*place.session)
        .bind(is_trusted)
        .bind(fitting)
        .execute(&mut **tx)
        .await
        .map_err(failed)?;
    kept.added(of, added, added == new.len());
    Ok(())
}

fn signed(prints: &[u64]) -> Vec<i64> {
    prints.iter().map(|print| print.cast_signed()).collect()
}

fn failed(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::PoolTimedOut => StoreError::Busy,
        _ => StoreError::Unreachable,
    }
}

const BUSY: Duration = Duration::from_secs(4);

const TABLES: [&str; 5] = [
    "CREATE TABLE IF NOT EXISTS toolpass_sessions (id text PRIMARY KEY, state text NOT NULL, touched timestamptz NOT NULL DEFAULT clock_timestamp())",
    "CREATE INDEX IF NOT EXISTS toolpass_sessions_touched ON toolpass_sessions (touched)",
    "CREATE TABLE IF NOT EXISTS toolpass_people (id text PRIMARY KEY, times text NOT NULL, touched timestamptz NOT NULL DEFAULT clock_timestamp())",
    "CREATE TABLE IF NOT EXISTS toolpass_prints (session text NOT NULL REFERENCES toolpass_sessions (id) ON DELETE CASCADE, trusted boolean NOT NULL, print bigint NOT NULL, PRIMARY KEY (session, trusted, print))",
    "CREATE TABLE IF NOT EXISTS toolpass_secret (one integer PRIMARY KEY CHECK (one = 1), secret bytea NOT NULL)",
];
