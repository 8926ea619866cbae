//! What servers that share their runs tell each other: what is to be forgotten, so that a permission that was taken away counts on
//! all of them, whichever was told.
//!
//! INVARIANT: whoever could not look for longer than notices are kept forgets everything, since it may lack one.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};
use toolpass_store::runs::RunsError;
use toolpass_store::runs::notice::{KEPT_FOR, Notice};

use crate::server::App;

/// Tell the others.
/// Errors: they could not be told.
pub(crate) async fn tell(
    app: &App,
    connection: Option<&str>,
    user: Option<&str>,
) -> Result<(), RunsError> {
    let notice = Notice {
        connection: connection.map(str::to_owned),
        user: user.map(str::to_owned),
    };
    app.runs.store.tell(&notice, app.clock.wall().0).await
}

/// Do what the others say, for as long as the server runs.
pub(crate) async fn follow(app: Arc<App>) {
    if !app.runs.store.is_shared() {
        return;
    }
    let mut tick = interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut since, mut looked, mut is_told) = (None, Instant::now(), false);
    loop {
        tick.tick().await;
        let told = match app.runs.store.told(since).await {
            Ok(told) => told,
            Err(error) => {
                if !is_told {
                    let error = error.to_string();
                    tracing::warn!(
                        error,
                        "what other servers forget cannot be read; answers count as long as they are kept"
                    );
                    is_told = true;
                }
                continue;
            }
        };
        is_told = false;
        let engine = &app.present.get().engine;
        if looked.elapsed() > KEPT_FOR {
            engine.invalidate(None, None);
        }
        for notice in &told.notices {
            engine.invalidate(notice.connection.as_deref(), notice.user.as_deref());
        }
        (since, looked) = (Some(told.last), Instant::now());
    }
}

/// How late the others are at most, besides the time of a question to the store.
const LOOK_EVERY: Duration = Duration::from_secs(1);
