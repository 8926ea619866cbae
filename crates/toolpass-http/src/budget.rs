//! What travels through one check: how long it may take, how new it must be, and what it read.
//!
//! Separate so that every upstream call, token fetch and cache fill takes one value and none can forget a part of it.
//!
//! INVARIANT: nothing waits longer than [`Context::remaining`]; what an auth function does leaves no evidence.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::evidence::{Evidence, UpstreamCall};
use toolpass_core::question::Freshness;

/// One check's budget, freshness and recorder.
#[derive(Clone)]
pub struct Context {
    deadline: Monotonic,
    freshness: Freshness,
    began: Monotonic,
    recorder: Recorder,
    steps: Steps,
    clock: Arc<dyn Clock>,
}

impl Context {
    /// A context that ends `budget` from now, with a recorder of its own.
    pub fn new(clock: Arc<dyn Clock>, budget: Duration, freshness: Freshness) -> Context {
        let began = clock.monotonic();
        Context {
            deadline: began.plus(budget),
            freshness,
            began,
            recorder: Recorder::new(),
            steps: Steps::default(),
            clock,
        }
    }

    /// How much of the budget is left; zero when it is spent.
    pub fn remaining(&self) -> Duration {
        self.deadline.since(self.clock.monotonic())
    }

    /// When the budget ends.
    pub fn deadline(&self) -> Monotonic {
        self.deadline
    }

    /// When the check began.
    pub fn began(&self) -> Monotonic {
        self.began
    }

    /// How old what it reads may be.
    pub fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// Whether stored answers are refused.
    pub fn is_fresh(&self) -> bool {
        self.freshness.fresh
    }

    /// Where evidence goes.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Where the steps of the check are noted, when somebody asked for them.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// The monotonic time.
    pub fn now(&self) -> Monotonic {
        self.clock.monotonic()
    }

    /// The wall time.
    pub fn wall(&self) -> Wall {
        self.clock.wall()
    }

    /// The same, leaving no evidence.
    pub fn without_evidence(&self) -> Context {
        self.with_recorder(Recorder::off())
    }

    /// The same, recording elsewhere: a cache fill keeps its own list.
    pub fn with_recorder(&self, recorder: Recorder) -> Context {
        Context {
            recorder,
            ..self.clone()
        }
    }

    /// The same, its steps noted in `steps`.
    pub fn with_steps(&self, steps: Steps) -> Context {
        Context {
            steps,
            ..self.clone()
        }
    }

    /// The same, ending at `deadline`. A detached fill may so outlive its first caller.
    pub fn with_deadline(&self, deadline: Monotonic) -> Context {
        Context {
            deadline,
            ..self.clone()
        }
    }

    /// The same, with another freshness: a background refresh serves no caller's wish.
    pub fn with_freshness(&self, freshness: Freshness) -> Context {
        Context {
            freshness,
            ..self.clone()
        }
    }

    /// Wait for `work` until the budget ends; `None` when it did.
    pub async fn within<F: Future>(&self, work: F) -> Option<F::Output> {
        let remaining = self.remaining();
        if remaining.is_zero() {
            return None;
        }
        tokio::time::timeout(remaining, work).await.ok()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("remaining", &self.remaining())
            .field("freshness", &self.freshness)
            .finish_non_exhaustive()
    }
}

/// The steps of one check and how long each took, kept only when somebody asked for an explanation. Clones share the list.
#[derive(Clone, Default)]
pub struct Steps(Option<Arc<Mutex<Vec<Step>>>>);

/// One step of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub name: &'static str,
    /// How long it took.
    pub took: Duration,
    /// What it came to, in a few words; may be empty.
    pub note: String,
}

impl Steps {
    /// A list that keeps what it is told.
    pub fn kept() -> Steps {
        Steps(Some(Arc::default()))
    }

    /// Note a step. `note` is called only when steps are kept.
    pub fn add(&self, name: &'static str, took: Duration, note: impl FnOnce() -> String) {
        if let Some(list) = &self.0 {
            let step = Step {
                name,
                took,
                note: note(),
            };
            list.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(step);
        }
    }

    /// The steps so far, leaving the list empty.
    pub fn take(&self) -> Vec<Step> {
        match &self.0 {
            Some(list) => std::mem::take(&mut *list.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Vec::new(),
        }
    }
}

/// Collects the upstream calls of one check. Clones share the list.
#[derive(Clone)]
pub struct Recorder(Option<Arc<Mutex<Vec<Entry>>>>);

/// How a replayed call came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Read earlier and kept.
    Cached,
    /// Read by a concurrent check this one joined.
    Shared,
}

/// When the reads behind a stored look-up began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAt {
    /// The start of the oldest read it rests on.
    pub oldest: Monotonic,
    /// The same as a fresh check judges it: a bulk listing within its own fresh maximum age does not make it older.
    pub judged: Monotonic,
}

impl ReadAt {
    /// Reads that all began at `at`.
    pub fn at(at: Monotonic) -> ReadAt {
        ReadAt {
            oldest: at,
            judged: at,
        }
    }

    /// The older of two, each date by itself.
    pub fn older(self, other: ReadAt) -> ReadAt {
        ReadAt {
            oldest: self.oldest.min(other.oldest),
            judged: self.judged.min(other.judged),
        }
    }
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder::new()
    }
}

enum Entry {
    Own(UpstreamCall),
    /// By reference: a lookup that answers a thousand checks holds its calls once.
    Replayed(Arc<[UpstreamCall]>, Replay),
    /// The age of a stored look-up that was taken.
    RestsOn(ReadAt),
    /// A replayed list was itself capped.
    Truncated,
}

impl Recorder {
    /// An empty list.
    pub fn new() -> Recorder {
        Recorder(Some(Arc::default()))
    }

    /// A recorder that keeps nothing.
    pub fn off() -> Recorder {
        Recorder(None)
    }

    /// Add a call made for this check.
    pub fn record(&self, call: UpstreamCall) {
        self.push(Entry::Own(call));
    }

    /// Add the calls behind a lookup that was not made for this check.
    pub fn replay(&self, calls: impl Into<Arc<[UpstreamCall]>>, how: Replay) {
        let calls = calls.into();
        if !calls.is_empty() {
            self.push(Entry::Replayed(calls, how));
        }
    }

    /// Note that what is being found out rests on a stored look-up of this age.
    pub fn rests_on(&self, read: ReadAt) {
        self.push(Entry::RestsOn(read));
    }

    /// Note that a replayed list lacks calls.
    pub fn note_truncated(&self) {
        self.push(Entry::Truncated);
    }

    /// The age of the oldest stored look-up noted since the last [`Recorder::take`]; `None` when all was read anew.
    pub fn oldest(&self) -> Option<ReadAt> {
        let list = self
            .0
            .as_ref()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        list.iter()
            .filter_map(|entry| match entry {
                Entry::RestsOn(read) => Some(*read),
                Entry::Own(_) | Entry::Replayed(..) | Entry::Truncated => None,
            })
            .reduce(ReadAt::older)
    }

    /// The list so far, capped, leaving the recorder empty.
    pub fn take(&self) -> Evidence {
        let entries = match &self.0 {
            Some(list) => std::mem::take(&mut *list.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Vec::new(),
        };
        let mut upstream = Vec::with_capacity(entries.len());
        let mut truncated = false;
        for entry in entries {
            match entry {
                Entry::Own(call) => upstream.push(call),
                Entry::Replayed(calls, how) => {
                    upstream.extend(calls.iter().map(|call| replayed(call, how)))
                }
                Entry::RestsOn(_) => {}
                Entry::Truncated => truncated = true,
            }
        }
        Evidence {
            upstream,
            truncated,
        }
        .capped()
    }

    fn push(&self, entry: Entry) {
        if let Some(list) = &self.0 {
            list.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(entry);
        }
    }
}

fn replayed(call: &UpstreamCall, how: Replay) -> UpstreamCall {
    // Never both: what was cached for the one who is joined is cached for the one who joins.
    let cached = call.cached || how == Replay::Cached;
    UpstreamCall {
        cached,
        shared: !cached,
        ..call.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    fn call(path: &str) -> UpstreamCall {
        UpstreamCall {
            path: path.into(),
            status: 200,
            ..UpstreamCall::default()
        }
    }

    #[test]
    fn replays_are_marked_and_never_both() {
        let recorder = Recorder::new();
        recorder.record(call("own"));
        let cached_before = UpstreamCall {
            cached: true,
            ..call("old")
        };
        recorder.replay([call("joined"), cached_before].as_slice(), Replay::Shared);
        recorder.replay(
            [UpstreamCall {
                shared: true,
                ..call("kept")
            }]
            .as_slice(),
            Replay::Cached,
        );
        let marks: Vec<_> = recorder
            .take()
            .upstream
            .into_iter()
            .map(|call| (call.path, call.cached, call.shared))
            .collect();
        let expected = [
            ("own", false, false),
            ("joined", false, true),
            ("old", true, false),
            ("kept", true, false),
        ];
        assert_eq!(
            marks,
            expected.map(|(path, cached, shared)| (path.to_owned(), cached, shared))
        );
        assert!(recorder.take().is_empty());
    }

    #[test]
    fn the_oldest_look_up_dates_the_whole() {
        let at = |seconds| Monotonic(Duration::from_secs(seconds));
        let recorder = Recorder::new();
        assert_eq!(recorder.oldest(), None);
        recorder.rests_on(ReadAt {
            oldest: at(5),
            judged: at(9),
        });
        recorder.rests_on(ReadAt::at(at(7)));
        recorder.note_truncated();
        assert_eq!(
            recorder.oldest(),
            Some(ReadAt {
                oldest: at(5),
                judged: at(7)
            })
        );
        assert!(recorder.take().truncated);
        assert_eq!(recorder.oldest(), None);
    }

    #[test]
    fn without_evidence_nothing_is_kept() {
        let ctx = Context::new(
            Arc::new(ManualClock::new()),
            Duration::from_secs(8),
            Freshness::default(),
        );
        ctx.without_evidence().recorder().record(call("token"));
        assert!(ctx.recorder().take().is_empty());
    }

    #[tokio::test]
    async fn a_spent_budget_starts_nothing() {
        let clock = ManualClock::new();
        let ctx = Context::new(
            Arc::new(clock.clone()),
            Duration::from_secs(8),
            Freshness::default(),
        );
        assert_eq!(ctx.within(async { 1 }).await, Some(1));
        clock.advance(Duration::from_secs(9));
        assert_eq!(ctx.remaining(), Duration::ZERO);
        assert_eq!(ctx.within(async { 1 }).await, None);
    }
}
