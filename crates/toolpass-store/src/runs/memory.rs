//! The newest runs in memory: what a server without a folder has. They are gone when it ends.
//!
//! Bounded by number and by bytes, so that nobody fills the memory by reporting.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::filter::Filter;
use super::run::Run;
use super::{Added, Doing, Kept, Reporter, Runs, RunsError, new_epoch};

/// How many runs are kept.
pub const MAX_RUNS: usize = 10_000;
/// How many bytes they have together.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Runs in memory.
pub struct Memory {
    epoch: String,
    max_runs: usize,
    max_bytes: usize,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    last: u64,
    bytes: usize,
    kept: VecDeque<Entry>,
    known: HashSet<(String, String)>,
}

struct Entry {
    kept: Kept,
    key: String,
    server: String,
    run: Run,
}

impl Memory {
    /// Nothing so far.
    /// Errors: the system has no randomness.
    pub fn new(max_runs: usize, max_bytes: usize) -> Result<Memory, RunsError> {
        Ok(Memory {
            epoch: new_epoch()?,
            max_runs,
            max_bytes,
            all: Mutex::default(),
        })
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_now(&self, from: &Reporter, runs: &[Run], now: Duration) -> Added {
        let mut all = self.all();
        // Numbers and times grow together, whatever the clock is set to.
        let now = all
            .kept
            .back()
            .map_or(now, |newest| newest.kept.at.max(now));
        let mut stored = 0;
        for run in runs {
            if let Some(id) = &run.id {
                let name = (from.key.clone(), id.clone());
                if all.known.contains(&name) {
                    let started = all.kept.iter().position(|one| {
                        one.run.is_started() && one.key == from.key && one.run.id == run.id
                    });
                    match started.filter(|_| !run.is_started()) {
                        Some(at) => all.drop_at(at),
                        None => continue,
                    }
                }
                all.known.insert(name);
            }
            all.last += 1;
            stored += 1;
            let entry = Entry {
                kept: Kept {
                    seq: all.last,
                    at: now,
                    text: run.text(from, now),
                },
                key: from.key.clone(),
                server: from.server.clone(),
                run: run.clone(),
            };
            all.bytes += entry.weight();
            all.kept.push_back(entry);
        }
        while all.kept.len() > self.max_runs || (all.bytes > self.max_bytes && all.kept.len() > 1) {
            all.drop_at(0);
        }
        Added { stored }
    }
}

impl All {
    fn drop_at(&mut self, at: usize) {
        if let Some(gone) = self.kept.remove(at) {
            self.bytes -= gone.weight();
            if let Some(id) = gone.run.id {
                self.known.remove(&(gone.key, id));
            }
        }
    }
}

impl Entry {
    /// A run is there twice: as read, and as it is shown.
    fn weight(&self) -> usize {
        2 * self.kept.text.len() + self.key.len() + self.server.len() + 200
    }

    fn fits(&self, filter: &Filter) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        is(&filter.user, self.run.user.as_deref())
            && is(&filter.tool, Some(&self.run.tool))
            && is(&filter.server, Some(&self.server))
            && is(&filter.id, self.run.id.as_deref())
            && filter
                .system
                .as_ref()
                .is_none_or(|system| self.run.systems.contains(system))
            && filter.group.is_none_or(|group| self.run.group == group)
            && is(&filter.outcome.map(str::to_owned), Some(&self.run.outcome))
            && filter.from.is_none_or(|from| self.kept.at >= from)
            && filter.to.is_none_or(|to| self.kept.at < to)
    }
}

impl Runs for Memory {
    fn epoch(&self) -> &str {
        &self.epoch
    }

    fn add<'a>(&'a self, from: &'a Reporter, runs: &'a [Run], now: Duration) -> Doing<'a, Added> {
        Box::pin(async move { Ok(self.add_now(from, runs, now)) })
    }

    fn after<'a>(&'a self, filter: &'a Filter, since: u64, most: usize) -> Doing<'a, Vec<Kept>> {
        Box::pin(async move {
            let all = self.all();
            let at = all.kept.partition_point(|one| one.kept.seq <= since);
            let fitting = all.kept.iter().skip(at).filter(|one| one.fits(filter));
            Ok(fitting.take(most).map(|one| one.kept.clone()).collect())
        })
    }

    fn find<'a>(&'a self, filter: &'a Filter, before: u64, most: usize) -> Doing<'a, Vec<Kept>> {
        Box::pin(async move {
            let all = self.all();
            let rows = all.kept.iter().rev();
            let fitting = rows.filter(|one| one.kept.seq < before && one.fits(filter));
            Ok(fitting.take(most).map(|one| one.kept.clone()).collect())
        })
    }

    fn last(&self) -> Doing<'_, u64> {
        Box::pin(async move { Ok(self.all().last) })
    }

    fn trim(&self, before: Duration) -> Doing<'_, ()> {
        Box::pin(async move {
            let mut all = self.all();
            while all.kept.front().is_some_and(|one| one.kept.at < before) {
                all.drop_at(0);
            }
            Ok(())
        })
    }
}
