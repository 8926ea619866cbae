//! The table of notices. Separate from the tables of runs: it is made where it is missing, and is no step of theirs, so that servers
//! that know it and servers that do not go on sharing runs.

use std::time::Duration;

use sqlx::postgres::PgPool;

use super::{failed, lock};
use crate::runs::RunsError;
use crate::runs::notice::{KEPT_FOR, Notice, Told};
use crate::runs::sql::{millis, unsigned};

/// Make the table where it is missing.
pub(super) async fn prepare(pool: &PgPool) -> Result<(), RunsError> {
    let mut tx = pool.begin().await.map_err(failed)?;
    lock(&mut tx).await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS toolpass_notices (seq BIGSERIAL PRIMARY KEY, at BIGINT NOT NULL, connection TEXT, person TEXT)")
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    tx.commit().await.map_err(failed)
}

/// Write a notice. The lock makes numbers visible in their order.
pub(super) async fn tell(pool: &PgPool, notice: &Notice, now: Duration) -> Result<(), RunsError> {
    let plain = |text: &str| text.replace('\0', "\u{fffd}");
    let mut tx = pool.begin().await.map_err(failed)?;
    lock(&mut tx).await?;
    // Twice as long, so that clocks that differ lose none.
    sqlx::query("DELETE FROM toolpass_notices WHERE at < $1")
        .bind(millis(now.saturating_sub(KEPT_FOR * 2)))
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    sqlx::query("INSERT INTO toolpass_notices (at, connection, person) VALUES ($1, $2, $3)")
        .bind(millis(now))
        .bind(notice.connection.as_deref().map(plain))
        .bind(notice.user.as_deref().map(plain))
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    tx.commit().await.map_err(failed)
}

/// The notices past a number; without one only the number of the last.
pub(super) async fn told(pool: &PgPool, since: Option<u64>) -> Result<Told, RunsError> {
    let Some(since) = since else {
        let (last,): (Option<i64>,) = sqlx::query_as("SELECT max(seq) FROM toolpass_notices")
            .fetch_one(pool)
            .await
            .map_err(failed)?;
        return Ok(Told {
            last: unsigned(last.unwrap_or_default()),
            notices: Vec::new(),
        });
    };
    let rows: Vec<(i64, Option<String>, Option<String>)> = sqlx::query_as(
        "SELECT seq, connection, person FROM toolpass_notices WHERE seq > $1 ORDER BY seq",
    )
    .bind(i64::try_from(since).unwrap_or(i64::MAX))
    .fetch_all(pool)
    .await
    .map_err(failed)?;
    let last = rows.last().map_or(since, |(seq, _, _)| unsigned(*seq));
    let notices = rows
        .into_iter()
        .map(|(_, connection, user)| Notice { connection, user });
    Ok(Told {
        last,
        notices: notices.collect(),
    })
}
