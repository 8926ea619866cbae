//! The engine: what answers questions.
//!
//! Holds the connections, the caches and the decision log, and gives each answered check its id, its line and its count. The
//! order of a check is `pipeline.rs`.
//!
//! Its futures run on a tokio runtime with timers. An engine does not cross a fork: whoever forks builds a new one in the child.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::user::User;
use toolpass_http::budget::Context;
use toolpass_integration::cache::{CacheOptions, FillCache};
use toolpass_integration::connection::{Connection, Visibility};
use toolpass_integration::integration::Integration;

use crate::counts::{Counters, Counts};
use crate::decisions::{self, Decisions};
use crate::id::Ids;
use crate::identity::Identities;
use crate::key::{self, Key};
use crate::life::Lives;
use crate::limits::Limits;
use crate::log::DecisionLog;
use crate::options::{BuildError, CallerGroups, Connected, EngineOptions, OnLogError};
use crate::record::DecisionRecord;
use crate::{outcome, pipeline};

/// At most this many questions are asked at once.
pub const MAX_BATCH: usize = 100;

/// Answers questions. Shared by reference.
pub struct Engine {
    pub(crate) decisions: Decisions,
    pub(crate) visibilities: FillCache<Key, Option<Visibility>>,
    pub(crate) clock: Arc<dyn Clock>,
    identities: Identities,
    wired: Vec<Arc<Wired>>,
    by_id: HashMap<String, usize>,
    log: DecisionLog,
    on_log_error: OnLogError,
    lost_lines: AtomicU64,
    remote: Option<String>,
    ids: Ids,
}

/// A connection, and what the engine keeps beside it.
pub(crate) struct Wired {
    pub(crate) index: u32,
    pub(crate) id: String,
    pub(crate) integration: &'static dyn Integration,
    pub(crate) connection: Arc<dyn Connection>,
    pub(crate) timeout: Duration,
    pub(crate) caller_groups: CallerGroups,
    pub(crate) lives: Lives,
    pub(crate) limits: Limits,
    pub(crate) identities: Identities,
    counters: Counters,
}

/// What can be said of a connection without asking it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Described<'a> {
    /// Its id.
    pub id: &'a str,
    /// The name of its integration.
    pub integration: &'static str,
    /// The budget of one check.
    pub timeout: Duration,
}

/// More questions than are asked at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected at most {MAX_BATCH} questions at once, got {0}")]
pub struct TooMany(pub usize);

impl Engine {
    /// An engine that answers for these connections.
    /// Errors: [`BuildError`].
    pub fn new(options: EngineOptions, connected: Vec<Connected>) -> Result<Engine, BuildError> {
        let identities: Identities = FillCache::new(CacheOptions::named("identities"));
        let mut by_id = HashMap::new();
        let mut wired = Vec::with_capacity(connected.len());
        for (index, one) in (0_u32..).zip(connected) {
            if by_id.insert(one.id.clone(), wired.len()).is_some() {
                return Err(BuildError::DuplicateConnection(one.id));
            }
            wired.push(Arc::new(Wired::new(index, one, &options, &identities)));
        }
        Ok(Engine {
            decisions: FillCache::new(CacheOptions::named("decisions")),
            visibilities: FillCache::new(CacheOptions::named("visibilities")),
            clock: options.clock,
            identities,
            wired,
            by_id,
            log: DecisionLog::open(&options.decision_log).map_err(BuildError::DecisionLog)?,
            on_log_error: options.on_log_error,
            lost_lines: AtomicU64::new(0),
            remote: options.remote,
            ids: Ids::new(),
        })
    }

    /// Answer a question. What cannot be found out is an `unknown` decision, never an error.
    pub async fn check(&self, question: &Question) -> Decision {
        let asked = Context::new(Arc::clone(&self.clock), Duration::ZERO, question.freshness);
        let decision = match decisions::stored(self, question, asked.began(), asked.wall()) {
            Some(stored) => stored,
            None => pipeline::answer(self, question, &asked).await,
        };
        self.finish(question, decision, asked.began(), self.clock.wall())
    }

    /// The stored decision of a question, when there is one and its freshness takes it. Waits for nothing. `None` says
    /// nothing: ask [`Engine::check`].
    pub fn try_cached(&self, question: &Question) -> Option<Decision> {
        let (asked, now) = (self.clock.monotonic(), self.clock.wall());
        let stored = decisions::stored(self, question, asked, now)?;
        Some(self.finish(question, stored, asked, now))
    }

    /// The same for several questions: all of them or nothing.
    pub fn try_cached_many(&self, questions: &[Question]) -> Option<Vec<Decision>> {
        let (asked, now) = (self.clock.monotonic(), self.clock.wall());
        let stored = questions
            .iter()
            .map(|question| decisions::stored(self, question, asked, now))
            .collect::<Option<Vec<_>>>()?;
        let answered = questions.iter().zip(stored);
        let finished = answered.map(|(question, stored)| self.finish(question, stored, asked, now));
        Some(finished.collect())
    }

    /// Answer questions at once, in their order. All count their time from the same moment; equal ones are asked once.
    /// Errors: [`TooMany`].
    pub async fn check_many(&self, questions: &[Question]) -> Result<Vec<Decision>, TooMany> {
        if questions.len() > MAX_BATCH {
            return Err(TooMany(questions.len()));
        }
        let asked = Context::new(
            Arc::clone(&self.clock),
            Duration::ZERO,
            Freshness::default(),
        );
        let firsts = self.firsts(questions);
        let answers = join_all(questions.iter().zip(&firsts).enumerate().map(
            |(index, (question, first))| {
                let asked = &asked;
                async move {
                    if *first != index {
                        return None;
                    }
                    match decisions::stored(self, question, asked.began(), asked.wall()) {
                        Some(stored) => Some(stored),
                        None => Some(pipeline::answer(self, question, asked).await),
                    }
                }
            },
        ))
        .await;
        let answered = questions.iter().zip(&firsts).zip(&answers);
        let finished = answered.filter_map(|((question, first), answer)| {
            let decision = match answer {
                Some(own) => own.clone(),
                None => decisions::shared(answers.get(*first)?.as_ref()?),
            };
            Some(self.finish(question, decision, asked.began(), self.clock.wall()))
        });
        Ok(finished.collect())
    }

    /// The ids of the connections, in the order they were given.
    pub fn connections(&self) -> Vec<&str> {
        self.wired.iter().map(|wired| wired.id.as_str()).collect()
    }

    /// What can be said of the connections without asking them, in the order they were given.
    pub fn describe(&self) -> Vec<Described<'_>> {
        let described = self.wired.iter().map(|wired| Described {
            id: &wired.id,
            integration: wired.integration.name(),
            timeout: wired.timeout,
        });
        described.collect()
    }

    /// Forget what is known of a connection, of a user, of a user in a connection, or of all. Checks in flight answer, and
    /// what they read is not kept. Caches of integrations are not reached: a `fresh` check passes them.
    pub fn invalidate(&self, connection: Option<&str>, user: Option<&str>) {
        let index = match connection.map(|id| self.wired(id)) {
            Some(None) => return,
            Some(Some(wired)) => Some(wired.index),
            None => None,
        };
        let user = user.map(|email| {
            User::parse(email).map_or_else(|_| email.to_owned(), |user| user.canonical())
        });
        let matches = |key: &Key| key::is_of(key, index, user.as_deref());
        // Accounts first: a check that begins in between must not keep a decision on a forgotten account.
        self.identities.forget(matches);
        self.decisions.forget(matches);
        if user.is_none() {
            self.visibilities.forget(|key| key::is_of(key, index, None));
        }
    }

    /// How many checks came to which code, per connection.
    pub fn counts(&self) -> Vec<Counts> {
        let counts = self.wired.iter().map(|wired| Counts {
            connection: wired.id.clone(),
            by_code: wired.counters.by_code(),
            cached: wired.counters.cached(),
            in_flight: wired.limits.in_flight(),
            circuit_open: wired.limits.is_open(),
        });
        counts.collect()
    }

    /// How many lines of the decision log could not be written.
    pub fn lost_log_lines(&self) -> u64 {
        self.lost_lines.load(Ordering::Relaxed)
    }

    /// Open the decision log's file anew, after it was rotated.
    /// Errors: it cannot be opened; the old one goes on being written to.
    pub fn reopen_decision_log(&self) -> io::Result<()> {
        self.log.reopen()
    }

    pub(crate) fn wired(&self, id: &str) -> Option<&Arc<Wired>> {
        self.wired.get(*self.by_id.get(id)?)
    }

    /// Give an answered check its id, its line in the log and its count.
    fn finish(
        &self,
        question: &Question,
        mut decision: Decision,
        asked: Monotonic,
        now: Wall,
    ) -> Decision {
        decision.id = self.ids.next(now);
        let wired = self.wired(&question.connection);
        if self.log.is_on() {
            let record = DecisionRecord {
                time: now,
                question,
                decision: &decision,
                integration: wired.map_or("", |wired| wired.integration.name()),
                took: self.clock.monotonic().since(asked),
                remote: self.remote.as_deref(),
            };
            if let Err(error) = self.log.write(&record.line()) {
                self.lost(&error);
                if self.on_log_error == OnLogError::Refuse && decision.outcome() == Outcome::Allow {
                    decision = outcome::unrecorded(&decision);
                }
            }
        }
        if let Some(wired) = wired {
            wired.counters.count(&decision);
        }
        decision
    }

    /// Count a lost line; say so once.
    fn lost(&self, error: &io::Error) {
        if self.lost_lines.fetch_add(1, Ordering::Relaxed) == 0 {
            let code = error.kind().to_string();
            tracing::warn!(code, "the decision log cannot be written");
        }
    }

    /// For each question the index of the first equal one.
    fn firsts(&self, questions: &[Question]) -> Vec<usize> {
        let mut seen = HashMap::new();
        let firsts = questions.iter().enumerate().map(|(index, question)| {
            let key = self
                .wired(&question.connection)
                .and_then(|wired| decisions::key_of(wired, question));
            match key {
                Some(key) => *seen
                    .entry((key, decisions::freshness_key(question.freshness)))
                    .or_insert(index),
                None => index,
            }
        });
        firsts.collect()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("connections", &self.connections())
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

impl Wired {
    fn new(
        index: u32,
        connected: Connected,
        options: &EngineOptions,
        identities: &Identities,
    ) -> Wired {
        Wired {
            index,
            lives: Lives::new(options, connected.ttls),
            limits: Limits::new(connected.max_concurrency),
            identities: identities.clone(),
            counters: Counters::default(),
            id: connected.id,
            integration: connected.integration,
            connection: connected.connection,
            timeout: connected.timeout,
            caller_groups: connected.caller_groups,
        }
    }
}
