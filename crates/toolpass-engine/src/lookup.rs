//! What is asked of a connection besides a check: does it work, what does a pointer lead to, who can read a resource.
//!
//! INVARIANT: none of these answers allows anything. A failure is a decision of an unknown outcome.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Pointer};
use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_http::budget::Context;
use toolpass_integration::cache::Fill;
use toolpass_integration::connection::{Probe, Visibility};
use toolpass_integration::crash::caught;
use toolpass_integration::failure::Failure;

use crate::engine::{Engine, Wired};
use crate::identity::logged;
use crate::key;
use crate::outcome::{self, Stop};

/// What a probe of one connection came to.
#[derive(Clone, Debug)]
pub struct ProbeReport {
    /// The connection's id.
    pub id: String,
    /// Its integration; empty when there is no such connection.
    pub integration: &'static str,
    /// What was found, or why not.
    pub result: Result<Probe, Decision>,
}

impl ProbeReport {
    /// Whether the connection works.
    pub fn ok(&self) -> bool {
        self.result.is_ok()
    }

    /// The summary, or the reason it failed.
    pub fn text(&self) -> String {
        match &self.result {
            Ok(probe) => probe.summary.clone(),
            Err(decision) => decision.reason(),
        }
    }
}

impl Engine {
    /// Verify the credentials of these connections, or of all. A failure of one stops none; each has twice its time.
    /// Nothing stored is taken, and neither an open circuit nor a cool-down stops it.
    pub async fn probe(&self, ids: Option<&[String]>) -> Vec<ProbeReport> {
        self.probe_within(ids, None).await
    }

    /// The same, each within this time instead.
    pub async fn probe_within(
        &self,
        ids: Option<&[String]>,
        patience: Option<Duration>,
    ) -> Vec<ProbeReport> {
        let all: Vec<String>;
        let ids = match ids {
            Some(ids) => ids,
            None => {
                all = self.connections().into_iter().map(str::to_owned).collect();
                &all
            }
        };
        join_all(ids.iter().map(|id| self.probe_one(id, patience))).await
    }

    /// The resource a pointer leads to; `None` when it leads nowhere.
    /// Errors: a decision of an unknown outcome.
    pub async fn resolve(
        &self,
        connection: &str,
        pointer: &Pointer,
        freshness: Freshness,
    ) -> Result<Option<Resource>, Decision> {
        let wired = self.known(connection).map_err(|unknown| *unknown)?;
        let ctx = self.context(wired, freshness);
        ask(wired, &ctx, |wired, ctx| {
            wired.connection.resolve(ctx, pointer)
        })
        .await
        .map_err(|stop| undecided(&stop))
    }

    /// Who can read a resource; `None` when that is not known. Kept as long as an account.
    /// Errors: a decision of an unknown outcome.
    pub async fn visibility(
        &self,
        connection: &str,
        resource: &Resource,
        freshness: Freshness,
    ) -> Result<Option<Visibility>, Decision> {
        let wired = Arc::clone(self.known(connection).map_err(|unknown| *unknown)?);
        let ctx = self.context(&wired, freshness);
        let key = key::resource(wired.index, resource.as_str());
        let resource = resource.clone();
        let fill = move |ctx: Context| async move {
            let found = ask(&wired, &ctx, |wired, ctx| {
                wired.connection.visibility(ctx, &resource)
            })
            .await;
            match found {
                Ok(visibility) => Ok(Fill::Store(
                    visibility,
                    wired.lives.identity(None, ctx.wall()),
                )),
                Err(Stop::Failed(failure)) => Err(failure),
                Err(Stop::Wait { code, text, .. }) => Err(Failure::new(code, text)),
            }
        };
        self.visibilities
            .get(&ctx, &key, fill)
            .await
            .map_err(|failure| undecided(&failure.into()))
    }

    async fn probe_one(&self, id: &str, patience: Option<Duration>) -> ProbeReport {
        let (integration, result) = match self.known(id) {
            Err(unknown) => ("", Err(*unknown)),
            Ok(wired) => {
                let ctx = Context::new(
                    Arc::clone(&self.clock),
                    patience.unwrap_or(wired.timeout.saturating_mul(2)),
                    NOTHING_STORED,
                );
                let probed = within(wired, &ctx, probe(wired, &ctx).boxed()).await;
                (
                    wired.integration.name(),
                    probed.map_err(|failure| undecided(&failure.into())),
                )
            }
        };
        ProbeReport {
            id: id.to_owned(),
            integration,
            result,
        }
    }

    fn known(&self, id: &str) -> Result<&Arc<Wired>, Box<Decision>> {
        let text = || format!("no connection has the id {}", Quoted::new(id));
        self.wired(id)
            .ok_or_else(|| outcome::refused(Code::UnknownConnection, text()))
    }

    fn context(&self, wired: &Wired, freshness: Freshness) -> Context {
        Context::new(Arc::clone(&self.clock), wired.timeout, freshness)
    }
}

/// Verify a connection's credential, and that the keys its users' tokens are verified with can be had.
async fn probe(wired: &Wired, ctx: &Context) -> Result<Probe, Failure> {
    let mut probe = wired.connection.probe(ctx).await?;
    if let Some(issuer) = &wired.issuer {
        let (line, warning) = issuer.probe(ctx).await?;
        probe.summary = format!("{}; {line}", probe.summary);
        probe.warnings.extend(warning);
    }
    Ok(probe)
}

/// Ask a connection something, under its limits and within the budget.
async fn ask<'a, T>(
    wired: &'a Wired,
    ctx: &'a Context,
    asking: impl FnOnce(&'a Wired, &'a Context) -> BoxFuture<'a, Result<T, Failure>>,
) -> Result<T, Stop> {
    let slot = wired.limits.enter(ctx).await?;
    let found = within(wired, ctx, asking(wired, ctx)).await;
    slot.tell(found.as_ref().err());
    Ok(found?)
}

async fn within<T>(
    wired: &Wired,
    ctx: &Context,
    work: BoxFuture<'_, Result<T, Failure>>,
) -> Result<T, Failure> {
    match ctx.within(caught(work)).await {
        Some(Ok(found)) => found,
        Some(Err(crash)) => Err(logged(wired, crash)),
        None => Err(outcome::out_of_time()),
    }
}

/// A failure to look something up; a code that would deny says nothing about a user here.
fn undecided(stop: &Stop) -> Decision {
    let stopped = outcome::stopped(stop);
    let mut decision = Decision::unknown(stopped.code(), stopped.text());
    decision.retry_after_ms = stopped.retry_after_ms;
    decision
}

const NOTHING_STORED: Freshness = Freshness {
    fresh: true,
    max_age: Some(Duration::ZERO),
};
