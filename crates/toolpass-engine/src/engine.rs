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
use tokio::sync::Semaphore;
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::user::User;
use toolpass_http::budget::{Context, Steps};
use toolpass_integration::cache::{CacheOptions, FillCache};
use toolpass_integration::connection::{Connection, Visibility};
use toolpass_integration::integration::Integration;

use crate::caller::Caller;
use crate::counts::{CacheCounts, Counters, Counts};
use crate::decisions::{self, Decisions};
use crate::explain::Explanation;
use crate::forgotten::Forgotten;
use crate::id::Ids;
use crate::identity::Identities;
use crate::key::{self, Key};
use crate::life::Lives;
use crate::limits::Limits;
use crate::log::{Copying, DecisionLog, Line, LogTarget, Mask};
use crate::oidc::Issuer;
use crate::options::{BuildError, CallerGroups, Connected, EngineOptions, Next, OnLogError};
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
    /// The place in the caches of a connection that is built next; none is used twice.
    next_index: u32,
    forgotten: Arc<Forgotten>,
    log: DecisionLog,
    log_mask: Mask,
    log_copy: Option<Copying>,
    config_digest: String,
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
    pub(crate) issuer: Option<Arc<Issuer>>,
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
        let nothing = Engine {
            decisions: FillCache::new(CacheOptions::named("decisions")),
            visibilities: FillCache::new(CacheOptions::named("visibilities")),
            clock: Arc::clone(&options.clock),
            identities: FillCache::new(CacheOptions::named("identities")),
            wired: Vec::new(),
            by_id: HashMap::new(),
            next_index: 0,
            forgotten: Arc::new(Forgotten::default()),
            log_mask: Mask::default(),
            log_copy: None,
            config_digest: String::new(),
            log: DecisionLog::open(&LogTarget::None).map_err(BuildError::DecisionLog)?,
            on_log_error: OnLogError::Ignore,
            lost_lines: AtomicU64::new(0),
            remote: None,
            ids: Ids::new(),
        };
        nothing.succeeded_by(options, connected.into_iter().map(Next::New).collect())
    }

    /// An engine that answers for these connections and takes over what this one knows of those that stay the same: stored
    /// decisions, accounts, what was forgotten. Their times to live and limits stay too. This one goes on answering.
    /// Errors: [`BuildError`].
    pub fn succeeded_by(
        &self,
        options: EngineOptions,
        connections: Vec<Next>,
    ) -> Result<Engine, BuildError> {
        let mut by_id = HashMap::new();
        let mut wired: Vec<Arc<Wired>> = Vec::with_capacity(connections.len());
        let mut next_index = self.next_index;
        for one in connections {
            let one = match one {
                Next::Same(id) => Arc::clone(self.wired(&id).ok_or(BuildError::NothingToKeep(id))?),
                Next::New(connected) => {
                    let index = next_index;
                    next_index += 1;
                    Arc::new(Wired::new(index, connected, &options, &self.identities))
                }
            };
            if by_id.insert(one.id.clone(), wired.len()).is_some() {
                return Err(BuildError::DuplicateConnection(one.id.clone()));
            }
            wired.push(one);
        }
        Ok(Engine {
            decisions: self.decisions.clone(),
            visibilities: self.visibilities.clone(),
            clock: options.clock,
            identities: self.identities.clone(),
            wired,
            by_id,
            next_index,
            forgotten: Arc::clone(&self.forgotten),
            log_mask: options.log_mask,
            log_copy: None,
            config_digest: options.config_digest,
            log: DecisionLog::open(&options.decision_log).map_err(BuildError::DecisionLog)?,
            on_log_error: options.on_log_error,
            lost_lines: AtomicU64::new(self.lost_log_lines()),
            remote: options.remote,
            ids: Ids::new(),
        })
    }

    /// The same, that also gives each line of its decision log to `copy`, wherever the log goes.
    pub fn with_log_copy(self, copy: Option<Copying>) -> Engine {
        Engine {
            log_copy: copy,
            ..self
        }
    }

    /// The connection with this id, for what is built beside it.
    pub fn connection(&self, id: &str) -> Option<Arc<dyn Connection>> {
        self.wired(id).map(|wired| Arc::clone(&wired.connection))
    }

    /// Answer a question of this process. What cannot be found out is an `unknown` decision, never an error.
    pub async fn check(&self, question: &Question) -> Decision {
        self.check_for(question, &Caller::default()).await
    }

    /// Answer a caller's question.
    pub async fn check_for(&self, question: &Question, caller: &Caller) -> Decision {
        let asked = Asked::now(self, caller);
        let decision = asked.answer(question).await;
        asked.finish(question, decision)
    }

    /// The stored decision of a question, when there is one and its freshness takes it. Waits for nothing. `None` says
    /// nothing: ask [`Engine::check`].
    pub fn try_cached(&self, question: &Question) -> Option<Decision> {
        self.try_cached_for(question, &Caller::default())
    }

    /// [`Engine::try_cached`] for several questions: all of them or nothing.
    pub fn try_cached_many(&self, questions: &[Question]) -> Option<Vec<Decision>> {
        let own = Caller::default();
        let (asked, now) = (self.clock.monotonic(), self.clock.wall());
        let stored = questions
            .iter()
            .map(|question| decisions::stored(self, question, &own, asked, now))
            .collect::<Option<Vec<_>>>()?;
        let answered = questions.iter().zip(stored);
        let finished =
            answered.map(|(question, stored)| self.finish(question, &own, stored, asked, now));
        Some(finished.collect())
    }

    /// The same, for a caller.
    pub fn try_cached_for(&self, question: &Question, caller: &Caller) -> Option<Decision> {
        let (began, now) = (self.clock.monotonic(), self.clock.wall());
        let stored = decisions::stored(self, question, caller, began, now)?;
        Some(self.finish(question, caller, stored, began, now))
    }

    /// Answer a question and say how the answer came about.
    pub async fn explain(&self, question: &Question, caller: &Caller) -> Explanation {
        let steps = Steps::kept();
        let mut asked = Asked::now(self, caller);
        asked.ctx = asked.ctx.with_steps(steps.clone());
        let decision = asked.answer(question).await;
        let (began, logged) = (asked.ctx.began(), self.clock.monotonic());
        let decision = asked.finish(question, decision);
        let ended = self.clock.monotonic();
        if self.log.is_on() {
            steps.add("decision log", ended.since(logged), String::new);
        }
        let wired = self.wired(&question.connection);
        Explanation {
            decision,
            integration: wired.map_or("", |wired| wired.integration.name()),
            steps: steps.take(),
            took: ended.since(began),
        }
    }

    /// Answer questions of this process at once, in their order. See [`Engine::check_many_for`].
    /// Errors: [`TooMany`].
    pub async fn check_many(&self, questions: &[Question]) -> Result<Vec<Decision>, TooMany> {
        self.check_many_for(questions, &Caller::default()).await
    }

    /// Answer a caller's questions at once, in their order. All count their time from the same moment; equal ones are asked
    /// once. What is wrong with one is its answer and stops no other. A batch takes at most half of a connection's turns, so
    /// that single questions do not wait for all of it.
    /// Errors: [`TooMany`].
    pub async fn check_many_for(
        &self,
        questions: &[Question],
        caller: &Caller,
    ) -> Result<Vec<Decision>, TooMany> {
        if questions.len() > MAX_BATCH {
            return Err(TooMany(questions.len()));
        }
        let asked = Asked::now(self, caller);
        let firsts = self.firsts(questions, caller);
        let shares = self.shares(questions);
        let answers = join_all(questions.iter().zip(&firsts).enumerate().map(
            |(index, (question, first))| {
                let (asked, shares) = (&asked, &shares);
                async move {
                    if *first != index {
                        return None;
                    }
                    if let Some(stored) = asked.stored(question) {
                        return Some(stored);
                    }
                    let share = shares.get(question.connection.as_str());
                    let _turn = match share {
                        // A share is never closed; who waits for it waits within the time of the check all the same.
                        Some(share) => share.acquire().await.ok(),
                        None => None,
                    };
                    Some(asked.answer(question).await)
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
            Some(asked.finish(question, decision))
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
    /// what they read is not kept. Questions asked from now on take nothing that was read before, also not of what an
    /// integration keeps for itself.
    pub fn invalidate(&self, connection: Option<&str>, user: Option<&str>) {
        let index = match connection.map(|id| self.wired(id)) {
            Some(None) => return,
            Some(Some(wired)) => Some(wired.index),
            None => None,
        };
        let user = user.map(|email| {
            User::parse(email).map_or_else(|_| email.to_owned(), |user| user.canonical())
        });
        self.forgotten
            .note(index, user.as_deref(), self.clock.monotonic());
        let matches = |key: &Key| key::is_of(key, index, user.as_deref());
        // Accounts first: a check that begins in between must not keep a decision on a forgotten account.
        self.identities.forget(matches);
        self.decisions.forget(matches);
        if user.is_none() {
            self.visibilities.forget(|key| key::is_of(key, index, None));
        }
    }

    /// What a question about this user in this connection may take, after what was forgotten.
    pub(crate) fn bounded(
        &self,
        wired: &Wired,
        user: &User,
        freshness: Freshness,
        asked: Monotonic,
    ) -> Freshness {
        self.forgotten
            .bounded(wired.index, &user.canonical(), freshness, asked)
    }

    /// How many checks came to which code, per connection.
    pub fn counts(&self) -> Vec<Counts> {
        let counts = self.wired.iter().map(|wired| Counts {
            connection: wired.id.clone(),
            by_code: wired.counters.by_code(),
            cached: wired.counters.cached(),
            in_flight: wired.limits.in_flight(),
            circuit_open: wired.limits.is_open(),
            queued: wired.limits.queued(),
            credential_ends: wired.connection.credential_ends(),
        });
        counts.collect()
    }

    /// How much each cache holds, and what it had no room for.
    pub fn cache_counts(&self) -> [CacheCounts; 3] {
        [
            CacheCounts {
                cache: "decisions",
                entries: self.decisions.len(),
                evictions: self.decisions.evictions(),
            },
            CacheCounts {
                cache: "identities",
                entries: self.identities.len(),
                evictions: self.identities.evictions(),
            },
            CacheCounts {
                cache: "visibilities",
                entries: self.visibilities.len(),
                evictions: self.visibilities.evictions(),
            },
        ]
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
        caller: &Caller,
        mut decision: Decision,
        asked: Monotonic,
        now: Wall,
    ) -> Decision {
        decision.id = self.ids.next(now);
        let wired = self.wired(&question.connection);
        if self.log.is_on() || self.log_copy.is_some() {
            let record = DecisionRecord {
                time: now,
                caller,
                config: &self.config_digest,
                mask: self.log_mask,
                question,
                decision: &decision,
                integration: wired.map_or("", |wired| wired.integration.name()),
                took: self.clock.monotonic().since(asked),
                remote: self.remote.as_deref(),
            };
            let line = record.line();
            if let Some(copy) = &self.log_copy {
                copy(&Line {
                    time: now,
                    text: &line,
                    trace_id: caller.trace_id.as_deref(),
                });
            }
            if let Err(error) = self.log.write(&line) {
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

    /// The turns a batch may take of each connection it asks: half of them.
    fn shares(&self, questions: &[Question]) -> HashMap<&str, Semaphore> {
        let asked = questions
            .iter()
            .filter_map(|question| self.wired(&question.connection));
        asked
            .map(|wired| (wired.id.as_str(), Semaphore::new(wired.limits.half())))
            .collect()
    }

    /// For each question the index of the first equal one.
    fn firsts(&self, questions: &[Question], caller: &Caller) -> Vec<usize> {
        let mut seen = HashMap::new();
        let firsts = questions.iter().enumerate().map(|(index, question)| {
            let key = self
                .wired(&question.connection)
                .and_then(|wired| decisions::key_of(wired, question, caller));
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

/// A caller's asking: since when, and who.
struct Asked<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    ctx: Context,
}

impl<'a> Asked<'a> {
    fn now(engine: &'a Engine, caller: &'a Caller) -> Asked<'a> {
        let clock = Arc::clone(&engine.clock);
        Asked {
            engine,
            caller,
            ctx: Context::new(clock, Duration::ZERO, Freshness::default()),
        }
    }

    fn stored(&self, question: &Question) -> Option<Decision> {
        let (began, now) = (self.ctx.began(), self.ctx.wall());
        decisions::stored(self.engine, question, self.caller, began, now)
    }

    async fn answer(&self, question: &Question) -> Decision {
        let stored = self.stored(question);
        let looked = self.ctx.now().since(self.ctx.began());
        self.ctx.steps().add("stored decision", looked, || {
            if stored.is_some() { "found" } else { "none" }.to_owned()
        });
        match stored {
            Some(stored) => stored,
            None => pipeline::answer(self.engine, question, self.caller, &self.ctx).await,
        }
    }

    fn finish(&self, question: &Question, decision: Decision) -> Decision {
        let now = self.engine.clock.wall();
        let began = self.ctx.began();
        self.engine
            .finish(question, self.caller, decision, began, now)
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
            issuer: connected.issuer,
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
