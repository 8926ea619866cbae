//! A fill in flight and the seats of those who wait for it.
//!
//! INVARIANT: a fill runs as long as somebody holds a [`Seat`]; when the last seat is given up before it landed, it is
//! stopped. Seats are counted under the lock of the key's shard, so none is taken on a flight that is being stopped.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;
use tokio::task::AbortHandle;
use toolpass_core::clock::Monotonic;
use toolpass_core::evidence::UpstreamCall;
use toolpass_http::budget::Recorder;

use super::dating::{Class, Dates};
use super::{FillCache, Key};
use crate::failure::Failure;

/// A fill in flight.
pub(super) struct Flight<V> {
    pub(super) class: Class,
    pub(super) began: Monotonic,
    pub(super) recorder: Recorder,
    seats: AtomicUsize,
    keeps: AtomicBool,
    landing: watch::Receiver<Option<Arc<Landed<V>>>>,
    task: OnceLock<AbortHandle>,
}

/// What a fill came to, with its dates and evidence.
pub(super) struct Landed<V> {
    pub(super) landing: Landing<V>,
    pub(super) dates: Dates,
    pub(super) evidence: Arc<[UpstreamCall]>,
    pub(super) truncated: bool,
}

/// How a fill ended.
pub(super) enum Landing<V> {
    /// It crashed.
    Crashed(Failure),
    /// It failed.
    Failed(Failure),
    /// The time of the caller who started it ran out.
    OutOfTime(Failure),
    /// It answered.
    Value(V),
}

/// Tells the seats.
pub(super) struct Publisher<V>(watch::Sender<Option<Arc<Landed<V>>>>);

impl<V> Publisher<V> {
    pub(super) fn publish(self, landed: Arc<Landed<V>>) {
        self.0.send_replace(Some(landed));
    }
}

impl<V> Flight<V> {
    pub(super) fn new(class: Class, began: Monotonic) -> (Arc<Flight<V>>, Publisher<V>) {
        let (sender, landing) = watch::channel(None);
        let flight = Flight {
            class,
            began,
            recorder: Recorder::new(),
            seats: AtomicUsize::new(0),
            keeps: AtomicBool::new(true),
            landing,
            task: OnceLock::new(),
        };
        (Arc::new(flight), Publisher(sender))
    }

    /// What it reads was forgotten meanwhile: its answer is not stored.
    pub(super) fn keep_nothing(&self) {
        self.keeps.store(false, Ordering::Relaxed);
    }

    pub(super) fn keeps(&self) -> bool {
        self.keeps.load(Ordering::Relaxed)
    }

    pub(super) fn stop_with(&self, task: AbortHandle) {
        // Set once: a flight is launched once.
        let _ = self.task.set(task);
    }

    pub(super) fn stop(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    /// Give up a seat; whether it was the last. Called under the shard's lock.
    pub(super) fn leave(&self) -> bool {
        self.seats.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// The right to wait for a flight.
pub(super) struct Seat<K: Key, V: Clone + Send + Sync + 'static> {
    cache: FillCache<K, V>,
    key: K,
    flight: Arc<Flight<V>>,
}

impl<K: Key, V: Clone + Send + Sync + 'static> Seat<K, V> {
    /// Take a seat. Called under the shard's lock.
    pub(super) fn take(cache: &FillCache<K, V>, key: &K, flight: &Arc<Flight<V>>) -> Seat<K, V> {
        flight.seats.fetch_add(1, Ordering::Relaxed);
        Seat {
            cache: cache.clone(),
            key: key.clone(),
            flight: Arc::clone(flight),
        }
    }

    pub(super) fn key(&self) -> &K {
        &self.key
    }

    pub(super) fn flight(&self) -> &Arc<Flight<V>> {
        &self.flight
    }

    /// What the flight came to; `None` when it was stopped from outside.
    pub(super) async fn landed(&self) -> Option<Arc<Landed<V>>> {
        let mut landing = self.flight.landing.clone();
        let landed = landing.wait_for(Option::is_some).await.ok()?;
        landed.as_ref().map(Arc::clone)
    }
}

impl<K: Key, V: Clone + Send + Sync + 'static> Drop for Seat<K, V> {
    fn drop(&mut self) {
        self.cache.abandon(&self.key, &self.flight);
    }
}
