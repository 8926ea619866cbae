//! How long an answer is kept: its time to live, the life left in the user's token, and a little disorder.
//!
//! INVARIANT: each of the three can only shorten. The token's expiry is read without verifying the token, which is safe for
//! that reason; verification is another place.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolpass_core::clock::Wall;
use toolpass_core::codes::Outcome;
use toolpass_core::user::Token;

use crate::options::{EngineOptions, TtlOverrides};

/// The times to live of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Lives {
    allow: Duration,
    deny: Duration,
    identity: Duration,
    missing: Duration,
    jitter_percent: u8,
    disorder: RandomState,
}

impl Lives {
    /// The connection's own times, else the engine's. Without kept accounts, missing ones are not kept either.
    pub(crate) fn new(options: &EngineOptions, own: TtlOverrides) -> Lives {
        let identity = own.identity.unwrap_or(options.identity_ttl);
        let missing = own.missing.unwrap_or(options.missing_ttl);
        Lives {
            allow: own.allow.unwrap_or(options.decision_ttl),
            deny: own.deny.unwrap_or(options.decision_ttl),
            identity,
            missing: if identity.is_zero() {
                Duration::ZERO
            } else {
                missing
            },
            jitter_percent: options.jitter_percent.min(100),
            disorder: RandomState::new(),
        }
    }

    /// How long a decision is kept; `None` for one that never is.
    pub(crate) fn decision(
        &self,
        outcome: Outcome,
        token: Option<&Token>,
        now: Wall,
    ) -> Option<Duration> {
        match outcome {
            Outcome::Allow => Some(self.capped(self.allow, token, now)),
            Outcome::Deny => Some(self.capped(self.deny, token, now)),
            Outcome::Unknown => None,
        }
    }

    /// How long an account is kept.
    pub(crate) fn identity(&self, token: Option<&Token>, now: Wall) -> Duration {
        self.capped(self.identity, token, now)
    }

    /// How long it is kept that there is no such account.
    pub(crate) fn missing(&self, token: Option<&Token>, now: Wall) -> Duration {
        self.capped(self.missing, token, now)
    }

    fn capped(&self, ttl: Duration, token: Option<&Token>, now: Wall) -> Duration {
        let left = token.and_then(|token| remaining(token.expose(), now));
        left.map_or_else(
            || self.shaken(ttl, now),
            |left| self.shaken(ttl, now).min(left),
        )
    }

    fn shaken(&self, ttl: Duration, now: Wall) -> Duration {
        if self.jitter_percent == 0 {
            return ttl;
        }
        let step = u32::try_from(self.disorder.hash_one(now.0) % 1024).unwrap_or(0);
        let most = ttl / 100 * u32::from(self.jitter_percent);
        ttl.saturating_sub(most / 1024 * step)
    }
}

/// How long the token is still valid by its own `exp`; `None` when it cannot be read.
fn remaining(token: &[u8], now: Wall) -> Option<Duration> {
    let payload = token.split(|b| *b == b'.').nth(1)?;
    let claims: serde_json::Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
    let expires = claims.get("exp")?.as_f64()?;
    let expires = Duration::try_from_secs_f64(expires.max(0.0)).ok()?;
    Some(expires.saturating_sub(now.0))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolpass_http::clock::ManualClock;

    use super::*;

    fn token(payload: &str) -> Vec<u8> {
        format!("e30.{}.x", URL_SAFE_NO_PAD.encode(payload)).into_bytes()
    }

    #[test]
    fn an_expiry_only_shortens() {
        let now = Wall(Duration::from_secs(1000));
        let rows = [
            (r#"{"exp":1002}"#, Some(Duration::from_secs(2))),
            (r#"{"exp":1002.5}"#, Some(Duration::from_millis(2500))),
            (r#"{"exp":1}"#, Some(Duration::ZERO)),
            (r#"{"exp":-1e300}"#, Some(Duration::ZERO)),
            (r#"{"exp":1e300}"#, None),
            (r#"{"exp":"1002"}"#, None),
            ("{}", None),
            ("[", None),
        ];
        for (payload, left) in rows {
            assert_eq!(remaining(&token(payload), now), left, "{payload}");
        }
        assert_eq!(remaining(b"opaque", now), None);
    }

    #[test]
    fn disorder_takes_at_most_its_share() {
        let options = EngineOptions::new(Arc::new(ManualClock::new()));
        let lives = Lives::new(&options, TtlOverrides::default());
        for seconds in 0..500 {
            let kept = lives.identity(None, Wall(Duration::from_secs(seconds)));
            assert!(
                kept <= Duration::from_secs(900) && kept >= Duration::from_secs(810),
                "{kept:?}"
            );
        }
    }

    #[test]
    fn without_kept_accounts_missing_ones_are_not_kept() {
        let options = EngineOptions::new(Arc::new(ManualClock::new()));
        let own = TtlOverrides {
            identity: Some(Duration::ZERO),
            ..TtlOverrides::default()
        };
        assert!(
            Lives::new(&options, own)
                .missing(None, Wall(Duration::ZERO))
                .is_zero()
        );
    }
}
