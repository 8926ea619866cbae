//! A cache whose entries know how old they are, filled once per key however many ask.
//!
//! The engine keeps identities and decisions in it, integrations their listings and look-ups. Separate from both because
//! what `fresh` and `max_age` mean must be one rule (`cache/dating.rs`), and because a fill belongs to nobody who waits
//! for it (`cache/flight.rs`).
//!
//! - One fill per key is in flight; whoever asks meanwhile waits for it, as long as their own time lasts. It runs apart from
//!   its first caller, with that caller's remaining time, and is stopped when the last waiter goes.
//! - Failures are shared with those who wait and never stored. A crash reaches all of them and is logged once.
//! - A fill that only ran out of its first caller's time is started again by a waiter who has time left.
//!
//! INVARIANT: the lock of a shard is never held across an await or while a fill runs. What is stored changes only
//! under it, so a caller sees the fill in flight or its stored answer, never neither.

mod dating;
mod flight;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Equivalent, Lifecycle, UnitWeighter};
use toolpass_core::clock::Monotonic;
use toolpass_core::codes::Code;
use toolpass_core::evidence::UpstreamCall;
use toolpass_core::question::Freshness;
use toolpass_http::budget::{Context, Recorder, Replay};
use tracing::instrument::WithSubscriber;

use crate::failure::Failure;
use dating::{Class, Dates, Need, inherited};
use flight::{Flight, Landed, Landing, Publisher, Seat};

/// How a cache behaves.
#[derive(Clone, Copy, Debug)]
pub struct CacheOptions {
    /// Its name in the operational log.
    pub name: &'static str,
    /// How many entries it keeps at most.
    pub capacity: usize,
    /// How old an entry a fresh question may still take: for listings that are too large to read for each question.
    pub fresh_max_age: Option<Duration>,
}

impl CacheOptions {
    /// A cache of 10 000 entries, none of which a fresh question takes.
    pub const fn named(name: &'static str) -> CacheOptions {
        CacheOptions {
            name,
            capacity: 10_000,
            fresh_max_age: None,
        }
    }

    /// The same, with another capacity.
    pub const fn capacity(self, capacity: usize) -> CacheOptions {
        CacheOptions { capacity, ..self }
    }

    /// The same, for a bulk listing.
    pub const fn fresh_max_age(self, age: Duration) -> CacheOptions {
        CacheOptions {
            fresh_max_age: Some(age),
            ..self
        }
    }
}

/// What a fill came to.
#[derive(Clone, Debug)]
pub enum Fill<V> {
    /// Answered to all who wait; not knowledge: nothing is stored, and what is stored stays.
    Pass(V),
    /// Stored for this long, counted from the start of the read. Zero: answered, not stored, and a fresh one removes what is.
    Store(V, Duration),
}

/// Whose look-up an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An earlier one.
    Cached,
    /// This caller's.
    Own,
    /// That of a concurrent caller who was joined.
    Shared,
}

/// An answer and where it comes from.
#[derive(Clone, Debug)]
pub struct Got<V> {
    /// The answer.
    pub value: V,
    /// Whose look-up it comes from.
    pub origin: Origin,
    /// The start of the oldest read it rests on.
    pub read: Monotonic,
    /// It is stored and most of its life is over: this one caller may read it again for those who come later.
    pub is_due: bool,
}

/// A stored answer, as [`FillCache::peek`] finds it.
#[derive(Clone, Debug)]
pub struct Kept<V>(Arc<Entry<V>>);

impl<V> Kept<V> {
    /// The answer.
    pub fn value(&self) -> &V {
        &self.0.value
    }

    /// The start of the oldest read it rests on.
    pub fn read(&self) -> Monotonic {
        self.0.dates.read.oldest
    }

    /// The calls behind it, as they were recorded, and whether the list lacks some.
    pub fn evidence(&self) -> (&[UpstreamCall], bool) {
        (&self.0.evidence, self.0.truncated)
    }
}

/// The cache. Clones share it.
pub struct FillCache<K, V>(Arc<Inner<K, V>>);

impl<K, V> Clone for FillCache<K, V> {
    fn clone(&self) -> Self {
        FillCache(Arc::clone(&self.0))
    }
}

struct Inner<K, V> {
    options: CacheOptions,
    entries: Cache<K, Arc<Entry<V>>, UnitWeighter, DefaultHashBuilder, Evictions>,
    evictions: Evictions,
    shards: Box<[Mutex<Flights<K, V>>]>,
    hasher: RandomState,
}

type Flights<K, V> = HashMap<K, Slots<V>>;

/// The newest fill of each class.
struct Slots<V> {
    fresh: Option<Arc<Flight<V>>>,
    ordinary: Option<Arc<Flight<V>>>,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    expires: Monotonic,
    dates: Dates,
    evidence: Arc<[UpstreamCall]>,
    truncated: bool,
    /// When most of its life is over.
    due: Monotonic,
    /// Somebody was told so.
    told: AtomicBool,
}

/// How many entries there was no room for. Those that are replaced or taken out do not count.
#[derive(Clone, Debug, Default)]
struct Evictions(Arc<AtomicU64>);

impl<K, V> Lifecycle<K, V> for Evictions {
    type RequestState = ();

    fn before_evict(&self, (): &mut (), _: &K, _: &mut V) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a caller does next.
enum Boarding<K: Key, V: Clone + Send + Sync + 'static> {
    Join(Seat<K, V>),
    Lead(Seat<K, V>, Publisher<V>),
    Stored(Arc<Entry<V>>),
}

/// What a key must be.
pub trait Key: Hash + Eq + Clone + Send + Sync + 'static {}

impl<K: Hash + Eq + Clone + Send + Sync + 'static> Key for K {}

impl<K: Key, V: Clone + Send + Sync + 'static> FillCache<K, V> {
    /// An empty cache.
    pub fn new(options: CacheOptions) -> FillCache<K, V> {
        let evictions = Evictions::default();
        let capacity = options.capacity;
        FillCache(Arc::new(Inner {
            options,
            entries: Cache::with(
                capacity,
                capacity as u64,
                UnitWeighter,
                DefaultHashBuilder::default(),
                evictions.clone(),
            ),
            evictions,
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
        }))
    }

    /// The stored answer, a joined fill's, or that of `fill`, as the question's freshness has it.
    /// `fill` is given a context with this caller's remaining time and a recorder of its own.
    /// Errors: what the fill failed with; `upstream_timeout` when the caller's time ended.
    pub async fn get<F, Fut>(&self, ctx: &Context, key: &K, fill: F) -> Result<V, Failure>
    where
        F: FnOnce(Context) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Fill<V>, Failure>> + Send + 'static,
    {
        self.fetch(ctx, key, fill).await.map(|got| got.value)
    }

    /// The same, with where the answer comes from.
    pub async fn fetch<F, Fut>(&self, ctx: &Context, key: &K, fill: F) -> Result<Got<V>, Failure>
    where
        F: FnOnce(Context) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Fill<V>, Failure>> + Send + 'static,
    {
        let need = Need::new(ctx.freshness(), ctx.began());
        // Set once a joined ordinary fill turned out to rest on reads that are too old: then only a fresh one is joined.
        let mut choosy = false;
        loop {
            let seat = match self.board(ctx, &need, key, choosy) {
                Boarding::Stored(entry) => return Ok(self.serve(ctx, &entry)),
                Boarding::Lead(seat, publisher) => {
                    self.launch(ctx, &seat, publisher, fill);
                    return self.lead(ctx, &need, key, &seat).await;
                }
                Boarding::Join(seat) => seat,
            };
            match ctx.within(seat.landed()).await {
                None => return Err(out_of_time()),
                // Its runtime ended under it: nobody will land it, so begin again.
                Some(None) => Slots::end(&mut self.0.shard(key), key, seat.flight()),
                Some(Some(landed)) => {
                    let class = seat.flight().class;
                    if matches!(landed.landing, Landing::OutOfTime(_)) {
                        continue;
                    }
                    if matches!(landed.landing, Landing::Value(_))
                        && !need.accepts(
                            class,
                            landed.dates.read,
                            ctx.now(),
                            self.0.options.fresh_max_age,
                        )
                    {
                        choosy = true;
                        continue;
                    }
                    ctx.recorder()
                        .replay(Arc::clone(&landed.evidence), Replay::Shared);
                    return self.settle(ctx, &need, key, &landed, Origin::Shared);
                }
            }
        }
    }

    /// The stored answer, when a question of this freshness asked at `asked` takes it. Waits for nothing, starts nothing.
    pub fn peek<Q>(&self, key: &Q, freshness: Freshness, asked: Monotonic) -> Option<Kept<V>>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let entry = self.0.entries.get(key)?;
        let taken = entry.expires > asked
            && Need::new(freshness, asked).takes(
                entry.dates.read,
                asked,
                self.0.options.fresh_max_age,
            );
        taken.then_some(Kept(entry))
    }

    /// Forget what `matches`, and let no fill in flight store it.
    pub fn forget(&self, matches: impl Fn(&K) -> bool) {
        for shard in &self.0.shards {
            lock(shard).retain(|key, slots| {
                let gone = matches(key);
                if gone {
                    slots.each(Flight::keep_nothing);
                }
                !gone
            });
        }
        self.0.entries.retain(|key, _| !matches(key));
    }

    /// How many fills are in flight.
    pub fn in_flight(&self) -> usize {
        self.0.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// How many answers are stored, expired ones included.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// How many answers were dropped for lack of room.
    pub fn evictions(&self) -> u64 {
        self.0.evictions.0.load(Ordering::Relaxed)
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Take the stored answer, join a fill, or lead one.
    fn board(&self, ctx: &Context, need: &Need, key: &K, choosy: bool) -> Boarding<K, V> {
        let now = ctx.now();
        let mut flights = self.0.shard(key);
        if let Some(entry) = self.0.valid(key, now)
            && need.takes(entry.dates.read, now, self.0.options.fresh_max_age)
        {
            return Boarding::Stored(entry);
        }
        let slots = flights.entry(key.clone()).or_insert(Slots {
            fresh: None,
            ordinary: None,
        });
        let joined = [&slots.ordinary, &slots.fresh]
            .into_iter()
            .flatten()
            .find(|flight| {
                let sought = !choosy || flight.class == Class::Fresh;
                sought && need.joins(flight.class, flight.began)
            });
        if let Some(flight) = joined {
            return Boarding::Join(Seat::take(self, key, flight));
        }
        let (flight, publisher) = Flight::new(need.class(), now);
        let slot = match flight.class {
            Class::Fresh => &mut slots.fresh,
            Class::Ordinary => &mut slots.ordinary,
        };
        *slot = Some(Arc::clone(&flight));
        Boarding::Lead(Seat::take(self, key, &flight), publisher)
    }

    /// Start the fill, apart from its caller.
    fn launch<F, Fut>(&self, ctx: &Context, seat: &Seat<K, V>, publisher: Publisher<V>, fill: F)
    where
        F: FnOnce(Context) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Fill<V>, Failure>> + Send + 'static,
    {
        let (cache, flight, key) = (self.clone(), Arc::clone(seat.flight()), seat.key().clone());
        let ctx = ctx.with_recorder(flight.recorder.clone());
        let work = async move {
            let filled =
                crate::crash::caught(async { ctx.within(async { fill(ctx.clone()).await }).await })
                    .await;
            let (landing, ttl) = match filled {
                Ok(Some(Ok(Fill::Store(value, ttl)))) => (Landing::Value(value), Some(ttl)),
                Ok(Some(Ok(Fill::Pass(value)))) => (Landing::Value(value), None),
                Ok(Some(Err(failure))) if is_out_of_time(&failure, &ctx) => {
                    (Landing::OutOfTime(failure), None)
                }
                Ok(Some(Err(failure))) => (Landing::Failed(failure), None),
                Ok(None) => (Landing::OutOfTime(out_of_time()), None),
                Err(crash) => {
                    let location = crash.location();
                    tracing::error!(cache = cache.0.options.name, location, "a fill crashed");
                    (Landing::Crashed(crash.into()), None)
                }
            };
            let landed = cache.land(&key, &flight, landing, ttl);
            publisher.publish(landed);
        };
        // Its records go where its caller's do.
        let task = tokio::spawn(work.with_current_subscriber());
        seat.flight().stop_with(task.abort_handle());
    }

    /// Date the answer, store it if it is the newest, and end the flight.
    fn land(
        &self,
        key: &K,
        flight: &Arc<Flight<V>>,
        landing: Landing<V>,
        ttl: Option<Duration>,
    ) -> Arc<Landed<V>> {
        let dates = Dates::new(flight.began, flight.recorder.oldest());
        let evidence = flight.recorder.take();
        let landed = Landed {
            landing,
            dates,
            evidence: evidence.upstream.into(),
            truncated: evidence.truncated,
        };
        let mut flights = self.0.shard(key);
        if let (Landing::Value(value), Some(ttl), true) = (&landed.landing, ttl, flight.keeps()) {
            self.0.store(key, value, ttl, flight.class, &landed);
        }
        Slots::end(&mut flights, key, flight);
        Arc::new(landed)
    }

    /// Wait for the caller's own fill.
    async fn lead(
        &self,
        ctx: &Context,
        need: &Need,
        key: &K,
        seat: &Seat<K, V>,
    ) -> Result<Got<V>, Failure> {
        match ctx.within(seat.landed()).await {
            Some(Some(landed)) => {
                landed
                    .evidence
                    .iter()
                    .for_each(|call| ctx.recorder().record(call.clone()));
                self.settle(ctx, need, key, &landed, Origin::Own)
            }
            Some(None) => Err(Failure::new(Code::UpstreamError, "cancelled")),
            None => {
                // The fill ends at this very moment too; what it has read so far is this caller's evidence.
                move_evidence(&seat.flight().recorder, ctx.recorder());
                Err(out_of_time())
            }
        }
    }

    /// What a landed fill means for one who waited for it. Its evidence was recorded.
    fn settle(
        &self,
        ctx: &Context,
        need: &Need,
        key: &K,
        landed: &Landed<V>,
        origin: Origin,
    ) -> Result<Got<V>, Failure> {
        if landed.truncated {
            ctx.recorder().note_truncated();
        }
        match &landed.landing {
            Landing::Value(value) => {
                ctx.recorder().rests_on(landed.dates.read);
                Ok(Got {
                    value: value.clone(),
                    origin,
                    read: landed.dates.read.oldest,
                    is_due: false,
                })
            }
            Landing::Crashed(failure) => Err(failure.clone()),
            Landing::Failed(failure) | Landing::OutOfTime(failure) => {
                let now = ctx.now();
                let meanwhile = self.0.valid(key, now);
                match meanwhile
                    .filter(|entry| need.takes(entry.dates.read, now, self.0.options.fresh_max_age))
                {
                    Some(entry) => Ok(self.serve(ctx, &entry)),
                    None => Err(failure.clone()),
                }
            }
        }
    }

    /// Hand out a stored answer, its evidence and its age.
    fn serve(&self, ctx: &Context, entry: &Entry<V>) -> Got<V> {
        ctx.recorder()
            .replay(Arc::clone(&entry.evidence), Replay::Cached);
        if entry.truncated {
            ctx.recorder().note_truncated();
        }
        ctx.recorder().rests_on(inherited(
            entry.dates.read,
            ctx.now(),
            self.0.options.fresh_max_age,
        ));
        Got {
            value: entry.value.clone(),
            origin: Origin::Cached,
            read: entry.dates.read.oldest,
            is_due: ctx.now() >= entry.due && !entry.told.swap(true, Ordering::Relaxed),
        }
    }

    /// The last waiter of a flight left: stop it.
    fn abandon(&self, key: &K, flight: &Arc<Flight<V>>) {
        let mut flights = self.0.shard(key);
        if flight.leave() {
            Slots::end(&mut flights, key, flight);
            flight.stop();
        }
    }
}

impl<K: Key, V: Clone> Inner<K, V> {
    fn shard(&self, key: &K) -> MutexGuard<'_, Flights<K, V>> {
        let index = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).unwrap_or(0);
        #[expect(clippy::indexing_slicing, reason = "there are SHARDS of them")]
        lock(&self.shards[index])
    }

    /// The stored answer, unless it has expired. Called under the shard's lock.
    fn valid(&self, key: &K, now: Monotonic) -> Option<Arc<Entry<V>>> {
        let entry = self.entries.get(key)?;
        if entry.expires > now {
            return Some(entry);
        }
        self.entries.remove(key);
        None
    }

    /// Store an answer under the dating rules. Called under the shard's lock.
    fn store(&self, key: &K, value: &V, ttl: Duration, class: Class, landed: &Landed<V>) {
        if self
            .entries
            .peek(key)
            .is_some_and(|present| landed.dates.yields_to(&present.dates, class))
        {
            return;
        }
        if ttl.is_zero() {
            if class == Class::Fresh {
                self.entries.remove(key);
            }
            return;
        }
        let entry = Entry {
            value: value.clone(),
            expires: landed.dates.own.plus(ttl),
            dates: landed.dates,
            evidence: Arc::clone(&landed.evidence),
            truncated: landed.truncated,
            due: landed.dates.own.plus(ttl / 5 * 4),
            told: AtomicBool::new(false),
        };
        self.entries.insert(key.clone(), Arc::new(entry));
    }
}

impl<V> Slots<V> {
    fn each(&self, act: impl Fn(&Flight<V>)) {
        [&self.fresh, &self.ordinary]
            .into_iter()
            .flatten()
            .for_each(|flight| act(flight));
    }

    /// Take a flight out, unless a newer one has its place.
    fn end<K: Hash + Eq>(flights: &mut Flights<K, V>, key: &K, flight: &Arc<Flight<V>>) {
        let Some(slots) = flights.get_mut(key) else {
            return;
        };
        for slot in [&mut slots.fresh, &mut slots.ordinary] {
            if slot
                .as_ref()
                .is_some_and(|present| Arc::ptr_eq(present, flight))
            {
                *slot = None;
            }
        }
        if slots.fresh.is_none() && slots.ordinary.is_none() {
            flights.remove(key);
        }
    }
}

/// Whether it was the first caller's budget that ended a fill, not the system that was asked.
fn is_out_of_time(failure: &Failure, ctx: &Context) -> bool {
    let budget_ended = failure
        .upstream()
        .is_some_and(toolpass_http::error::Error::is_deadline);
    failure.code() == Code::UpstreamTimeout && (budget_ended || ctx.remaining().is_zero())
}

fn out_of_time() -> Failure {
    Failure::new(Code::UpstreamTimeout, "the time for this check ran out")
}

fn move_evidence(from: &Recorder, to: &Recorder) {
    let evidence = from.take();
    evidence
        .upstream
        .into_iter()
        .for_each(|call| to.record(call));
    if evidence.truncated {
        to.note_truncated();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock guards plain data that is whole after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const SHARDS: usize = 16;

#[cfg(test)]
mod tests;
