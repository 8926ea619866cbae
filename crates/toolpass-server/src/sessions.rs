//! `POST /v1/sessions/{id}`: what toolkits with `session_store="server"` keep of their sessions, and where it is kept.
//!
//! What an operation means is the guard's, how it is kept the store's; here it is asked. A session is named by a keyed
//! hash, which nobody guesses; whoever knows it shares it. INVARIANT: what cannot be kept is answered with 503, never as if it were.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use toolpass_config::server::ServerConfig;
use toolpass_core::clock::Clock;
use toolpass_core::codes::Code;
use toolpass_http::secrets;
use toolpass_store::Backend;
use toolpass_store::asked::{Wanted, is_name};
use toolpass_store::memory::Memory;
use toolpass_store::postgres::PostgresDatabase;
use toolpass_store::sqlite::SqliteFile;
use toolpass_store::valkey::Valkey;

use crate::exchange::Asked;
use crate::reply::{Form, Reply};
use crate::server::StartError;

/// The sessions that are kept.
pub(crate) struct Sessions(Arc<dyn Backend>);

impl Sessions {
    /// The store that a configuration names: a database, else a file in the folder of the runs, else memory. Nothing is reached yet.
    /// Errors: [`StartError::Sessions`].
    pub(crate) fn open(
        config: &ServerConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Sessions, StartError> {
        let Some(reference) = &config.session_store else {
            return Ok(Sessions(match &config.data {
                Some(folder) if folder.is_dir() => {
                    Arc::new(SqliteFile::new(&folder.join(FILE), clock, IDLE))
                }
                Some(_) | None => Arc::new(Memory::new(clock, IDLE)),
            }));
        };
        let url =
            secrets::read(reference).map_err(|error| StartError::Sessions(error.to_string()))?;
        let scheme = url.expose_str().and_then(|text| text.split_once("://"));
        match scheme.map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => {
                Ok(Sessions(Arc::new(PostgresDatabase::new(url, IDLE))))
            }
            Some("redis" | "rediss" | "valkey" | "valkeys") => {
                Ok(Sessions(Arc::new(Valkey::new(url, IDLE))))
            }
            Some(_) | None => Err(StartError::Sessions(
                "expected a postgresql:// or valkey:// URL".into(),
            )),
        }
    }
}

/// Answer `/v1/sessions/{id}`.
pub(crate) fn apply(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        let path = asked.head.uri.path();
        let session = path.strip_prefix(PREFIX).unwrap_or_default();
        let wanted = match Wanted::read(session, &asked.body) {
            Ok(wanted) => wanted,
            Err(error) => {
                let (status, text) = (StatusCode::BAD_REQUEST, error.to_string());
                return Reply::wrong(Form::Coded, status, Code::InvalidRequest, &text);
            }
        };
        match wanted.apply(&*asked.app.sessions.0).await {
            Ok(answer) => Reply::json(StatusCode::OK, &answer),
            Err(error) => {
                let error = error.to_string();
                tracing::error!(error, "a session cannot be kept");
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Reply::wrong(Form::Coded, status, Code::Overloaded, &error)
                    .with(RETRY_AFTER, HeaderValue::from_static("1"))
            }
        }
    }
    .boxed()
}

/// Whether a path is that of a session.
pub(crate) fn is_one(path: &str) -> bool {
    path.strip_prefix(PREFIX).is_some_and(is_name)
}

/// What a session's path begins with.
const PREFIX: &str = "/v1/sessions/";
const FILE: &str = "sessions.db";
/// How long a session is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/v1/sessions/0a", true),
            ("/v1/sessions/", false),
            ("/v1/sessions/a/b", false),
            ("/v1/sessions/a%2Fb", false),
            ("/v1/sessions/{id}", false),
            ("/v1/session/a", false),
        ] {
            assert_eq!(is_one(path), expected, "{path}");
        }
    }
}
