//! Cached bearer tokens: fetched once for all who wait, renewed before they run out.
//!
//! Separate because every vendor that mints tokens needs the same care: one fetch at a time, which outlives the caller who
//! began it; renewal in the background from 80 % of a token's life; an old token kept until it really expires when a
//! renewal fails; a failure remembered for 1 s, then 2 s, up to 30 s, so that an outage is not hammered.
//!
//! INVARIANT: a token past its expiry is never handed out; a fetch that crashes frees its place.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;
use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::question::Freshness;
use toolpass_core::secret::Secret;

use crate::budget::Context;
use crate::error::{Error, Kind};
use crate::random;

/// What a fetch brings.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The token.
    pub secret: Secret,
    /// How long it lives; 15 min are assumed when the system does not say.
    pub life: Option<Duration>,
}

/// A token that may be used now.
#[derive(Clone, Debug)]
pub struct Held {
    secret: Secret,
    generation: u64,
    refresh_at: Monotonic,
    expires_at: Monotonic,
}

/// Fetches one token. Runs detached, with a context of its own that leaves no evidence.
pub type Fetch = Arc<dyn Fn(Context) -> BoxFuture<'static, Result<Fetched, Error>> + Send + Sync>;

/// A token, and how to get the next one. Clones share it.
#[derive(Clone)]
pub struct TokenSource(Arc<Inner>);

struct Inner {
    fetch: Fetch,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    flight: Option<Flight>,
    failure: Option<Failure>,
    /// Numbers tokens and flights.
    last_number: u64,
}

type Landing = watch::Receiver<Option<Result<Held, Error>>>;

struct Flight {
    number: u64,
    landing: Landing,
    /// Whose it is: after a fork the parent's flights never land here.
    process: u32,
}

struct Failure {
    error: Error,
    until: Monotonic,
    wait: Duration,
}

impl Fetched {
    /// A token that lives until `expires`.
    pub fn until(secret: Secret, expires: Wall, now: Wall) -> Fetched {
        Fetched {
            secret,
            life: Some(expires.0.saturating_sub(now.0)),
        }
    }
}

impl Held {
    /// The token.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Its number, by which it is invalidated.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl TokenSource {
    /// A source that holds no token yet.
    pub fn new(fetch: Fetch) -> TokenSource {
        TokenSource(Arc::new(Inner {
            fetch,
            state: Mutex::default(),
        }))
    }

    /// A token that has not expired: the one held, or the one being fetched.
    /// Errors: the fetch's own, also for a while after it; `upstream_timeout` when the caller's budget ends first.
    pub async fn token(&self, ctx: &Context) -> Result<Held, Error> {
        loop {
            let (landing, leads) = match self.held_or_landing(ctx)? {
                Found::Held(held) => return Ok(held),
                Found::Landing { landing, leads } => (landing, leads),
            };
            match ctx.within(landed(landing)).await {
                None => {
                    return Err(Error::new(
                        Kind::Deadline,
                        "the check's time was spent while waiting for a token",
                    ));
                }
                // The time of the caller who began it ended; ours did not.
                Some(Err(error)) if error.is_deadline() && !leads && !ctx.remaining().is_zero() => {
                }
                Some(result) => return result,
            }
        }
    }

    /// Drop the token.
    pub fn invalidate(&self) {
        self.state().held = None;
    }

    /// Drop the token if it is still the one with this number.
    pub fn invalidate_generation(&self, generation: u64) {
        self.state()
            .held
            .take_if(|held| held.generation == generation);
    }

    fn held_or_landing(&self, ctx: &Context) -> Result<Found, Error> {
        let now = ctx.now();
        let mut state = self.state();
        // A flight whose runtime or process is gone never lands.
        let process = std::process::id();
        state
            .flight
            .take_if(|flight| flight.process != process || flight.landing.has_changed().is_err());
        let recent_failure = state
            .failure
            .as_ref()
            .filter(|failure| now < failure.until)
            .map(|failure| failure.error.clone());
        if let Some(held) = state.held.clone().filter(|held| now < held.expires_at) {
            if now >= held.refresh_at && state.flight.is_none() && recent_failure.is_none() {
                self.take_off(&mut state, ctx.with_deadline(now.plus(BACKGROUND_BUDGET)));
            }
            return Ok(Found::Held(held));
        }
        if let Some(flight) = &state.flight {
            return Ok(Found::Landing {
                landing: flight.landing.clone(),
                leads: false,
            });
        }
        match recent_failure {
            Some(error) => Err(error),
            None => Ok(Found::Landing {
                landing: self.take_off(&mut state, ctx.clone()),
                leads: true,
            }),
        }
    }

    /// Begin a fetch, detached from its caller.
    fn take_off(&self, state: &mut State, ctx: Context) -> Landing {
        state.last_number += 1;
        let number = state.last_number;
        let (sender, landing) = watch::channel(None);
        state.flight = Some(Flight {
            number,
            landing: landing.clone(),
            process: std::process::id(),
        });
        let source = self.clone();
        let ctx = ctx.without_evidence().with_freshness(Freshness::default());
        tokio::spawn(async move {
            let fetched =
                AssertUnwindSafe(async { ctx.within((source.0.fetch)(ctx.clone())).await })
                    .catch_unwind()
                    .await;
            let fetched = match fetched {
                Ok(Some(fetched)) => fetched,
                Ok(None) => Err(Error::new(
                    Kind::Deadline,
                    "the check's time was spent while fetching a token",
                )),
                Err(_) => Err(Error::malformed("fetching a token crashed")),
            };
            let landed = source.land(number, fetched, &ctx);
            let _ = sender.send(Some(landed));
        });
        landing
    }

    fn land(
        &self,
        number: u64,
        fetched: Result<Fetched, Error>,
        ctx: &Context,
    ) -> Result<Held, Error> {
        let now = ctx.now();
        let mut state = self.state();
        state.flight.take_if(|flight| flight.number == number);
        match fetched {
            Ok(Fetched { secret, life }) => {
                let life = life.unwrap_or(UNKNOWN_LIFE);
                let refresh_at = now.plus(refresh_after(life, random::unit()));
                let held = Held {
                    secret,
                    generation: number,
                    refresh_at,
                    expires_at: now.plus(life),
                };
                state.held = Some(held.clone());
                state.failure = None;
                Ok(held)
            }
            Err(error) => {
                // A caller's spent budget says nothing about the next caller's.
                if !error.is_deadline() {
                    let wait = state
                        .failure
                        .as_ref()
                        .map_or(FIRST_BACK_OFF, |last| (last.wait * 2).min(LONGEST_BACK_OFF));
                    state.failure = Some(Failure {
                        error: error.clone(),
                        until: now.plus(wait),
                        wait,
                    });
                }
                Err(error)
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSource")
    }
}

enum Found {
    Held(Held),
    Landing { landing: Landing, leads: bool },
}

async fn landed(mut landing: Landing) -> Result<Held, Error> {
    let result = landing.wait_for(Option::is_some).await;
    let cut_off = || Error::malformed("fetching a token was cut off");
    result
        .ok()
        .and_then(|result| result.clone())
        .unwrap_or_else(|| Err(cut_off()))
}

/// When a token of this life is renewed: from 80 % on, spread so that many do not come at once; a short one at half.
fn refresh_after(life: Duration, random: f64) -> Duration {
    if life <= SHORT_LIFE {
        (life / 2).max(Duration::from_secs(1))
    } else {
        life.mul_f64(0.8 + 0.1 * random.clamp(0.0, 1.0))
    }
}

const BACKGROUND_BUDGET: Duration = Duration::from_secs(30);
const FIRST_BACK_OFF: Duration = Duration::from_secs(1);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);
const SHORT_LIFE: Duration = Duration::from_secs(300);
const UNKNOWN_LIFE: Duration = Duration::from_secs(900);

#[cfg(test)]
mod tests;
