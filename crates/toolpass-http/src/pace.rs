//! How fast one connection asks: a budget for retries, and a pause after the system said it is throttling.
//!
//! Separate because both are shared by every caller of a connection, while `retry` judges one request. A request adds a
//! tenth of a retry to the budget, so an outage at most adds a tenth to the load once the reserve is used up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use toolpass_core::clock::Monotonic;
use toolpass_core::codes::Code;

use crate::error::{Error, Kind};

/// What the callers of one connection share.
#[derive(Debug)]
pub struct Pace(Mutex<State>);

#[derive(Debug)]
struct State {
    tenths: u32,
    pauses: HashMap<String, Pause>,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Monotonic,
    code: Code,
}

impl Pace {
    /// With a full reserve and no pause.
    pub fn new() -> Pace {
        Pace(Mutex::new(State {
            tenths: RESERVE_TENTHS,
            pauses: HashMap::new(),
        }))
    }

    /// Count a request to `host`. How long a pause still lasts, and the failure that stands for it; none when there is no pause.
    pub fn begin(&self, host: &str, now: Monotonic) -> Option<(Duration, Error)> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.tenths = state.tenths.saturating_add(1).min(RESERVE_TENTHS);
        let pause = *state.pauses.get(host)?;
        let left = pause.until.since(now);
        if left.is_zero() {
            state.pauses.remove(host);
            return None;
        }
        let text = format!(
            "{host} asked for a pause, of which {} s are left",
            left.as_secs().saturating_add(1)
        );
        Some((
            left,
            Error::coded(pause.code, text).with_retry_after(Some(left)),
        ))
    }

    /// Take a retry out of the budget; false when there is none.
    pub fn take_retry(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = state.tenths.checked_sub(10);
        state.tenths = left.unwrap_or(state.tenths);
        left.is_some()
    }

    /// Learn from a failure: a 429 or 503 with a `Retry-After` pauses the host, at most a minute.
    pub fn learn(&self, host: &str, failure: &Error, now: Monotonic) {
        let (Kind::Status(429 | 503), Some(asked)) = (failure.kind(), failure.retry_after()) else {
            return;
        };
        if asked.is_zero() {
            return;
        }
        let until = now.plus(asked.min(LONGEST_PAUSE));
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.pauses.retain(|_, pause| pause.until > now);
        let pause = state.pauses.entry(host.into()).or_insert(Pause {
            until,
            code: failure.code(),
        });
        if until >= pause.until {
            *pause = Pause {
                until,
                code: failure.code(),
            };
        }
    }
}

impl Default for Pace {
    fn default() -> Pace {
        Pace::new()
    }
}

const RESERVE_TENTHS: u32 = 100;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Monotonic {
        Monotonic(Duration::from_secs(seconds))
    }

    #[test]
    fn a_pause_is_shared_and_ends() {
        let pace = Pace::new();
        let limited = |seconds| {
            Error::new(Kind::Status(429), "x").with_retry_after(Some(Duration::from_secs(seconds)))
        };
        assert!(pace.begin("h", at(0)).is_none());
        pace.learn("h", &limited(10), at(0));
        pace.learn("h", &limited(2), at(0));
        let (left, failure) = pace.begin("h", at(3)).unwrap();
        assert_eq!(
            (left, failure.code()),
            (Duration::from_secs(7), Code::UpstreamRateLimited)
        );
        assert_eq!(failure.retry_after(), Some(Duration::from_secs(7)));
        assert!(pace.begin("other", at(3)).is_none());
        assert!(pace.begin("h", at(10)).is_none());
        pace.learn("h", &limited(3600), at(20));
        assert!(pace.begin("h", at(79)).is_some());
        assert!(pace.begin("h", at(80)).is_none());
        pace.learn("h", &Error::new(Kind::Status(429), "x"), at(100));
        assert!(pace.begin("h", at(100)).is_none());
        pace.learn(
            "h",
            &Error::new(Kind::Status(503), "x").with_retry_after(Some(Duration::from_secs(9))),
            at(200),
        );
        assert_eq!(
            pace.begin("h", at(200)).unwrap().1.code(),
            Code::UpstreamError
        );
    }

    #[test]
    fn retries_are_a_tenth_of_the_requests_once_the_reserve_is_gone() {
        let pace = Pace::new();
        let allowed = (0..1000)
            .filter(|_| {
                pace.begin("h", at(0));
                pace.take_retry()
            })
            .count();
        assert!((100..=111).contains(&allowed), "{allowed}");
    }
}
