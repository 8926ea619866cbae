//! How hard one connection is asked: so many checks at a time, none while the system asks to be left alone, one now and then
//! while it is failing.
//!
//! Separate because these rules hold for all callers of a connection together.
//!
//! INVARIANT: whoever waits here waits inside the budget of the check. An answer about one user or resource never opens the
//! circuit: only outages do (no connection, no answer in time, a status of 500 or above).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_http::error::Error;
use toolpass_integration::failure::Failure;

use crate::histogram::{Histogram, Reading};
use crate::outcome::{Stop, out_of_time};
use crate::stamp::rfc3339;

/// The limits of one connection.
pub(crate) struct Limits {
    slots: Semaphore,
    max_concurrency: usize,
    waiting: AtomicUsize,
    queued: Histogram,
    health: Mutex<Health>,
}

/// What the last answers say about the system.
#[derive(Clone, Copy, Debug, Default)]
struct Health {
    /// Outages in a row.
    outages: u32,
    /// Set while the circuit is open.
    open: Option<Open>,
    /// Until when the system asked to be left alone.
    cool_until: Option<Monotonic>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    since: Wall,
    code: Code,
    next_trial: Monotonic,
}

/// The right to ask. Tells the limits what came of it.
pub(crate) struct Slot<'a> {
    limits: &'a Limits,
    ctx: &'a Context,
    told: bool,
    _permit: SemaphorePermit<'a>,
}

impl Limits {
    /// At most `max_concurrency` at a time; at least one.
    pub(crate) fn new(max_concurrency: usize) -> Limits {
        let max_concurrency = max_concurrency.clamp(1, Semaphore::MAX_PERMITS);
        Limits {
            slots: Semaphore::new(max_concurrency),
            max_concurrency,
            waiting: AtomicUsize::new(0),
            queued: Histogram::default(),
            health: Mutex::default(),
        }
    }

    /// Wait for the right to ask.
    /// Errors: at once while the circuit is open, the system cools down, or too many wait; `upstream_timeout` when the
    /// budget ends first.
    pub(crate) async fn enter<'a>(&'a self, ctx: &'a Context) -> Result<Slot<'a>, Stop> {
        if let Ok(permit) = self.slots.try_acquire() {
            self.queued.observe(Duration::ZERO);
            return self.admit(ctx, permit);
        }
        let _queued = Queued::join(&self.waiting)?;
        let began = ctx.now();
        let permit = ctx.within(self.slots.acquire()).await.and_then(Result::ok);
        self.queued.observe(ctx.now().since(began));
        self.admit(ctx, permit.ok_or_else(out_of_time)?)
    }

    /// Half of the turns, at least one: what one caller's batch may take at a time.
    pub(crate) fn half(&self) -> usize {
        (self.max_concurrency / 2).max(1)
    }

    /// How many ask or wait to.
    pub(crate) fn in_flight(&self) -> usize {
        self.max_concurrency
            .saturating_sub(self.slots.available_permits())
            + self.waiting.load(Ordering::Relaxed)
    }

    /// How long those who asked had waited for their turn.
    pub(crate) fn queued(&self) -> Reading {
        self.queued.read()
    }

    /// Whether the circuit is open.
    pub(crate) fn is_open(&self) -> bool {
        self.health().open.is_some()
    }

    fn admit<'a>(
        &'a self,
        ctx: &'a Context,
        permit: SemaphorePermit<'a>,
    ) -> Result<Slot<'a>, Stop> {
        let now = ctx.now();
        let mut health = self.health();
        if let Some(until) = health.cool_until {
            if now < until {
                let text = "the system asked to be left alone for a while".to_owned();
                return Err(Stop::Wait {
                    code: Code::UpstreamRateLimited,
                    text,
                    after: until.since(now),
                });
            }
            health.cool_until = None;
        }
        if let Some(open) = &mut health.open {
            if now < open.next_trial {
                let text = format!("circuit open since {}", rfc3339(open.since));
                return Err(Stop::Wait {
                    code: open.code,
                    text,
                    after: open.next_trial.since(now),
                });
            }
            // This one is the trial; the others go on being told.
            open.next_trial = now.plus(TRIAL_EVERY);
        }
        Ok(Slot {
            limits: self,
            ctx,
            told: false,
            _permit: permit,
        })
    }

    fn learn(&self, ctx: &Context, failure: Option<&Failure>) {
        let now = ctx.now();
        let mut health = self.health();
        let Some(failure) = failure else {
            health.outages = 0;
            health.open = None;
            return;
        };
        if let (Code::UpstreamRateLimited, Some(error)) = (failure.code(), failure.upstream()) {
            let pause = error
                .retry_after()
                .unwrap_or(DEFAULT_PAUSE)
                .min(LONGEST_PAUSE);
            health.cool_until = health.cool_until.max(Some(now.plus(pause)));
        }
        if !is_outage(failure) {
            health.outages = 0;
            health.open = None;
            return;
        }
        health.outages = health.outages.saturating_add(1);
        if health.outages >= OPENS_AFTER {
            let since = health.open.map_or_else(|| ctx.wall(), |open| open.since);
            health.open = Some(Open {
                since,
                code: failure.code(),
                next_trial: now.plus(TRIAL_EVERY),
            });
        }
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot<'_> {
    /// What came of asking.
    pub(crate) fn tell(mut self, failure: Option<&Failure>) {
        self.told = true;
        self.limits.learn(self.ctx, failure);
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        // Cut off by the end of the budget, the system did not answer in time. Given up by its callers, it said nothing.
        if !self.told && self.ctx.remaining().is_zero() {
            self.limits.learn(self.ctx, Some(&out_of_time()));
        }
    }
}

/// A place in the queue.
struct Queued<'a>(&'a AtomicUsize);

impl<'a> Queued<'a> {
    fn join(waiting: &'a AtomicUsize) -> Result<Queued<'a>, Failure> {
        let queued = Queued(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING {
            return Err(Failure::new(
                Code::UpstreamTimeout,
                "too many checks are waiting for this connection",
            ));
        }
        Ok(queued)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the system as a whole is failing, by the failure or by what it came from.
fn is_outage(failure: &Failure) -> bool {
    if failure.code() == Code::UpstreamTimeout {
        return true;
    }
    let mut cause = failure
        .upstream()
        .map(|error| error as &(dyn std::error::Error + 'static));
    while let Some(error) = cause {
        if error.downcast_ref::<Error>().is_some_and(Error::is_outage) {
            return true;
        }
        cause = error.source();
    }
    false
}

const DEFAULT_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const MAX_WAITING: usize = 1024;
const OPENS_AFTER: u32 = 5;
const TRIAL_EVERY: Duration = Duration::from_secs(2);
