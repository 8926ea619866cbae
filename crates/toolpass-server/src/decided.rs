//! Decisions for the dashboard: each one the engine came to for a caller of this server, with how it came to it.
//!
//! Kept where runs are kept, in a store of the same form beside theirs. Separate from the decision log, which is the audit trail and is
//! written before a check is answered: what is kept here is for looking at, so it delays no answer. A queue is between, and what
//! it cannot hold is counted. An answer that was stored before is no new decision and is not kept again.
//! INVARIANT: what the decision log does not tell, by `decision_log_mask`, is not told here either.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use tokio::sync::mpsc::{self, Receiver, Sender};
use toolpass_core::codes::Outcome;
use toolpass_core::question::Question;
use toolpass_core::secret::REDACTED;
use toolpass_engine::explain::Explanation;
use toolpass_engine::stamp::rfc3339;
use toolpass_store::runs::Reporter;
use toolpass_store::runs::run::Run;
use toolpass_wire::json::Json;

use crate::live::Live;
use crate::runs::Reported;
use crate::server::App;

/// The decisions that are kept, and those that wait for it.
pub(crate) struct Decided {
    pub(crate) kept: Reported,
    waiting: Sender<Noted>,
    lost: AtomicU64,
}

/// A decision, and the key it was made for.
pub(crate) struct Noted {
    key: String,
    run: Run,
}

impl Decided {
    /// Nothing waits. What comes out of the other end is for [`keep`].
    pub(crate) fn new(kept: Reported) -> (Decided, Receiver<Noted>) {
        let (waiting, coming) = mpsc::channel(MOST_WAITING);
        let lost = AtomicU64::new(0);
        (
            Decided {
                kept,
                waiting,
                lost,
            },
            coming,
        )
    }

    /// Keep a decision, soon.
    pub(crate) fn note(
        &self,
        live: &Live,
        key: &str,
        asked: &Question,
        told: &Explanation,
        app: &App,
    ) {
        if !live.config.server.dashboard || told.decision.cached {
            return;
        }
        let is_kept = row(live, asked, told, app).is_ok_and(|run| {
            let key = key.to_owned();
            self.waiting.try_send(Noted { key, run }).is_ok()
        });
        if !is_kept && self.lost.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                "decisions come faster than they are kept for the dashboard; the decision log has them"
            );
        }
    }
}

/// Keep what is noted, for as long as the server runs.
pub(crate) async fn keep(app: Arc<App>, mut coming: Receiver<Noted>) {
    let mut noted = Vec::with_capacity(MOST_AT_ONCE);
    let mut fails = false;
    while coming.recv_many(&mut noted, MOST_AT_ONCE).await > 0 {
        while let Some(first) = noted.first() {
            let key = first.key.clone();
            let (same, others): (Vec<_>, Vec<_>) = noted.drain(..).partition(|one| one.key == key);
            noted = others;
            let runs: Vec<Run> = same.into_iter().map(|one| one.run).collect();
            let from = Reporter {
                server: key.clone(),
                key,
            };
            let added = app
                .decisions
                .kept
                .add(&from, &runs, app.clock.wall().0)
                .await;
            if let (Err(error), false) = (&added, fails) {
                let error = error.to_string();
                tracing::warn!(
                    error,
                    "decisions are not kept for the dashboard; the decision log has them"
                );
            }
            fails = added.is_err();
        }
    }
}

/// A decision in the form the page reads: a call of the action, with one request.
/// Errors: it has no action or cannot be read, which is nothing to look at.
fn row(live: &Live, asked: &Question, told: &Explanation, app: &App) -> Result<Run, String> {
    let (decision, mask) = (&told.decision, live.config.decision_log_mask);
    let masked = |is_masked, text: &str| {
        if is_masked {
            REDACTED.to_owned()
        } else {
            text.to_owned()
        }
    };
    // What a system says may name the person it was asked about.
    let names_people = mask.user || mask.groups;
    let action = match told.integration {
        "" => asked.action.clone(),
        integration => format!("{integration}:{}", asked.action),
    };
    let (outcome, verdict) = match decision.outcome() {
        Outcome::Allow => ("ran", "allowed"),
        Outcome::Deny => ("refused", "refused"),
        Outcome::Unknown => ("raised", "refused"),
    };
    let (code, reason) = (
        decision.code().as_str(),
        masked(names_people, decision.text()),
    );
    let request = json!({
        "connection": asked.connection, "integration": told.integration, "action": action, "resource": asked.resource,
        "outcome": verdict, "code": code, "reason": reason,
    });
    let event = json!({
        "id": decision.id, "time": rfc3339(app.clock.wall()), "tool": action, "outcome": outcome, "code": code, "reason": reason,
        "user": masked(mask.user, &asked.user), "duration_ms": told.took.as_secs_f64() * 1000.0, "actions": [request],
    });
    let event = Json::parse(event.to_string().as_bytes()).map_err(|error| error.to_string())?;
    let explained = if names_people {
        json!({"decision": decision.outcome().as_str(), "rule": decision.rule, "masked": true})
            .to_string()
    } else {
        told.json()
    };
    Run::decided(&event, &explained)
}

const MOST_WAITING: usize = 4096;
const MOST_AT_ONCE: usize = 500;
