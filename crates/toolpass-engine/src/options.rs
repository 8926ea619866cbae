//! What an engine is built from: its options and the connections it answers for.
//!
//! Separate so that whoever reads a file or code (`toolpass-config` through the command and the Python face) fills plain
//! structs, and the engine knows neither.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolpass_core::clock::Clock;
use toolpass_integration::connection::Connection;
use toolpass_integration::integration::Integration;

use crate::log::{LogTarget, Mask};
use crate::oidc::Issuer;

/// What holds for every connection.
#[derive(Clone)]
pub struct EngineOptions {
    /// How long an allow and a deny are kept; zero keeps none.
    pub decision_ttl: Duration,
    /// How long an account is kept; zero keeps none.
    pub identity_ttl: Duration,
    /// How long it is kept that there is no such account.
    pub missing_ttl: Duration,
    /// By up to how many per cent a time to live is shortened, so that what was read together does not expire together.
    pub jitter_percent: u8,
    /// Where the decision log goes.
    pub decision_log: LogTarget,
    /// What an allow becomes when its line cannot be written.
    pub on_log_error: OnLogError,
    /// What lines do not tell.
    pub log_mask: Mask,
    /// A digest of the configuration, as lines name it; empty when there is none.
    pub config_digest: String,
    /// Who asks, as the decision log names it.
    pub remote: Option<String>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl EngineOptions {
    /// The defaults: decisions 30 s, accounts 15 min, missing accounts 1 min, no decision log.
    pub fn new(clock: Arc<dyn Clock>) -> EngineOptions {
        EngineOptions {
            decision_ttl: Duration::from_secs(30),
            identity_ttl: Duration::from_secs(900),
            missing_ttl: Duration::from_secs(60),
            jitter_percent: 10,
            decision_log: LogTarget::None,
            on_log_error: OnLogError::Ignore,
            log_mask: Mask::default(),
            config_digest: String::new(),
            remote: Some("in-process".to_owned()),
            clock,
        }
    }
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineOptions")
            .field("decision_ttl", &self.decision_ttl)
            .field("identity_ttl", &self.identity_ttl)
            .field("missing_ttl", &self.missing_ttl)
            .field("decision_log", &self.decision_log)
            .field("on_log_error", &self.on_log_error)
            .field("remote", &self.remote)
            .finish_non_exhaustive()
    }
}

/// What becomes of an allow whose line in the decision log cannot be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLogError {
    /// It stands; the lost line is counted.
    #[default]
    Ignore,
    /// It becomes `upstream_error`: what cannot be recorded is not allowed.
    Refuse,
}

/// What becomes of the groups a caller sends.
///
/// The order of the variants is the order of strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallerGroups {
    /// They count.
    #[default]
    Accept,
    /// As if none were sent.
    Ignore,
    /// A question with groups is `invalid_request`.
    Refuse,
}

/// Times to live of one connection; what is absent is the engine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TtlOverrides {
    /// Of an allow.
    pub allow: Option<Duration>,
    /// Of a deny.
    pub deny: Option<Duration>,
    /// Of an account.
    pub identity: Option<Duration>,
    /// Of there being no such account.
    pub missing: Option<Duration>,
}

/// One configured system, ready to be asked.
#[derive(Clone)]
pub struct Connected {
    /// Its id.
    pub id: String,
    /// The product.
    pub integration: &'static dyn Integration,
    /// The system.
    pub connection: Arc<dyn Connection>,
    /// The budget of one check.
    pub timeout: Duration,
    /// What becomes of the groups a caller sends.
    pub caller_groups: CallerGroups,
    /// Times to live of its own.
    pub ttls: TtlOverrides,
    /// How many checks ask it at the same time.
    pub max_concurrency: usize,
    /// Whose ID tokens name a user's groups, when the caller sent none.
    pub issuer: Option<Arc<Issuer>>,
}

impl Connected {
    /// A connection with the defaults: 8 s a check, 32 at a time, callers' groups accepted.
    pub fn new(
        id: impl Into<String>,
        integration: &'static dyn Integration,
        connection: Arc<dyn Connection>,
    ) -> Connected {
        Connected {
            id: id.into(),
            integration,
            connection,
            timeout: Duration::from_secs(8),
            caller_groups: CallerGroups::Accept,
            ttls: TtlOverrides::default(),
            max_concurrency: 32,
            issuer: None,
        }
    }
}

impl fmt::Debug for Connected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connected")
            .field("id", &self.id)
            .field("integration", &self.integration.name())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// A connection of an engine that follows another.
#[derive(Clone, Debug)]
pub enum Next {
    /// One that is built anew, and of which nothing is known.
    New(Connected),
    /// The one with this id, with all that is known of it.
    Same(String),
}

/// Why an engine cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Two connections have one id.
    #[error("connection `{0}` is given twice; expected every id once")]
    DuplicateConnection(String),
    /// The engine before had no such connection.
    #[error("connection `{0}` is to be kept, and there is none")]
    NothingToKeep(String),
    /// The decision log cannot be opened.
    #[error("`decision_log` cannot be opened for appending: {0}")]
    DecisionLog(std::io::Error),
}
