//! What a cache promises, with time that only moves when a test says so.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tokio::sync::oneshot;
use tokio::time::Instant;
use toolpass_core::clock::{Clock, Wall};

use super::*;

/// Tokio's clock: stands still in a paused test until every task waits.
struct PausedClock(Instant);

impl Clock for PausedClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(Instant::now().duration_since(self.0))
    }

    fn wall(&self) -> Wall {
        Wall(Duration::from_secs(1_900_000_000) + self.monotonic().0)
    }
}

struct World {
    cache: FillCache<String, u32>,
    clock: Arc<dyn Clock>,
    fills: Arc<AtomicUsize>,
}

type Filled = Result<Fill<u32>, Failure>;

impl World {
    fn new(options: CacheOptions) -> Arc<World> {
        let clock = Arc::new(PausedClock(Instant::now() - Duration::from_secs(1000)));
        Arc::new(World {
            cache: FillCache::new(options),
            clock,
            fills: Arc::default(),
        })
    }

    fn plain() -> Arc<World> {
        World::new(CacheOptions::named("test"))
    }

    fn ctx(&self, budget: u64, freshness: Freshness) -> Context {
        Context::new(
            Arc::clone(&self.clock),
            Duration::from_secs(budget),
            freshness,
        )
    }

    /// Ask for "k"; the fill counts itself and answers at once.
    async fn ask(&self, freshness: Freshness, filled: Filled) -> Result<Got<u32>, Failure> {
        self.ask_in(&self.ctx(8, freshness), filled).await
    }

    async fn ask_in(&self, ctx: &Context, filled: Filled) -> Result<Got<u32>, Failure> {
        let fills = Arc::clone(&self.fills);
        self.cache
            .fetch(ctx, &"k".to_owned(), move |ctx| async move {
                fills.fetch_add(1, Ordering::Relaxed);
                ctx.recorder().record(UpstreamCall {
                    path: "/read".into(),
                    status: 200,
                    ..UpstreamCall::default()
                });
                filled
            })
            .await
    }

    /// Ask for "k" in a task of its own; the fill answers what the gate is given. Returns once the fill waits at it.
    async fn ask_gated(
        self: &Arc<Self>,
        budget: u64,
        freshness: Freshness,
    ) -> (Pending, oneshot::Sender<Filled>) {
        let (open, gate) = oneshot::channel();
        let (arrived, arrival) = oneshot::channel();
        let (world, ctx) = (Arc::clone(self), self.ctx(budget, freshness));
        let pending = tokio::spawn(async move {
            let fills = Arc::clone(&world.fills);
            world
                .cache
                .fetch(&ctx, &"k".to_owned(), move |_| async move {
                    fills.fetch_add(1, Ordering::Relaxed);
                    arrived.send(()).unwrap();
                    gate.await
                        .unwrap_or_else(|_| Err(failed("the gate was dropped")))
                })
                .await
        });
        arrival.await.unwrap();
        (pending, open)
    }

    /// Ask for "k" in a task of its own, and let it come to wait.
    async fn ask_aside(
        self: &Arc<Self>,
        budget: u64,
        freshness: Freshness,
        filled: Filled,
    ) -> Pending {
        let (world, ctx) = (Arc::clone(self), self.ctx(budget, freshness));
        let pending = tokio::spawn(async move { world.ask_in(&ctx, filled).await });
        settle().await;
        pending
    }

    fn fills(&self) -> usize {
        self.fills.load(Ordering::Relaxed)
    }
}

type Pending = tokio::task::JoinHandle<Result<Got<u32>, Failure>>;

/// Let every task run until it waits.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

async fn pass(seconds: u64) {
    tokio::time::advance(Duration::from_secs(seconds)).await;
}

fn stored(value: u32) -> Filled {
    Ok(Fill::Store(value, Duration::from_secs(60)))
}

fn failed(text: &str) -> Failure {
    Failure::new(Code::UpstreamError, text)
}

fn fresh() -> Freshness {
    Freshness {
        fresh: true,
        max_age: None,
    }
}

fn max_age(seconds: u64) -> Freshness {
    Freshness {
        fresh: false,
        max_age: Some(Duration::from_secs(seconds)),
    }
}

const ANY: Freshness = Freshness {
    fresh: false,
    max_age: None,
};

#[tokio::test(start_paused = true)]
async fn many_callers_share_one_fill() {
    let world = World::plain();
    let (leader, gate) = world.ask_gated(8, ANY).await;
    let mut waiters = Vec::new();
    for _ in 0..64 {
        waiters.push(world.ask_aside(8, ANY, stored(0)).await);
    }
    gate.send(stored(7)).unwrap();
    let led = leader.await.unwrap().unwrap();
    assert_eq!((led.value, led.origin), (7, Origin::Own));
    for waiter in waiters {
        let got = waiter.await.unwrap().unwrap();
        assert_eq!((got.value, got.origin), (7, Origin::Shared));
    }
    assert_eq!(
        (world.fills(), world.cache.in_flight(), world.cache.len()),
        (1, 0, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn evidence_is_marked_by_where_it_comes_from() {
    let world = World::plain();
    let ctx = world.ctx(8, ANY);
    world.ask_in(&ctx, stored(1)).await.unwrap();
    let own = ctx.recorder().take();
    assert!(matches!(own.upstream.as_slice(), [call] if !call.cached && !call.shared));
    world.ask_in(&ctx, stored(2)).await.unwrap();
    let cached = ctx.recorder().take();
    assert!(matches!(cached.upstream.as_slice(), [call] if call.cached && !call.shared));
}

#[tokio::test(start_paused = true)]
async fn an_entry_lasts_as_long_as_its_fill_said() {
    let world = World::plain();
    world.ask(ANY, stored(1)).await.unwrap();
    pass(59).await;
    let got = world.ask(ANY, stored(2)).await.unwrap();
    assert_eq!((got.value, got.origin), (1, Origin::Cached));
    pass(1).await;
    assert_eq!(world.ask(ANY, stored(3)).await.unwrap().value, 3);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_shared_and_never_stored() {
    let world = World::plain();
    let (leader, gate) = world.ask_gated(8, ANY).await;
    let waiter = world.ask_aside(8, ANY, stored(0)).await;
    gate.send(Err(failed("down"))).unwrap();
    assert_eq!(leader.await.unwrap().unwrap_err().text(), "down");
    assert_eq!(waiter.await.unwrap().unwrap_err().text(), "down");
    assert!(world.cache.is_empty());
    assert_eq!(world.ask(ANY, stored(2)).await.unwrap().origin, Origin::Own);
}

#[tokio::test(start_paused = true)]
async fn a_failed_ordinary_fill_answers_from_an_entry_that_came_meanwhile() {
    let world = World::plain();
    let (leader, gate) = world.ask_gated(8, ANY).await;
    let waiter = world.ask_aside(8, ANY, stored(0)).await;
    pass(1).await;
    assert_eq!(world.ask(fresh(), stored(5)).await.unwrap().value, 5);
    gate.send(Err(failed("down"))).unwrap();
    for pending in [leader, waiter] {
        let got = pending.await.unwrap().unwrap();
        assert_eq!((got.value, got.origin), (5, Origin::Cached));
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_reaches_everyone_even_when_an_entry_came_meanwhile() {
    let world = World::plain();
    let (open, gate) = oneshot::channel::<()>();
    let ctx = world.ctx(8, ANY);
    let led = Arc::clone(&world);
    let leader = tokio::spawn(async move {
        led.cache
            .fetch(&ctx, &"k".to_owned(), move |_| async move {
                gate.await.unwrap();
                panic!("hunter2")
            })
            .await
    });
    settle().await;
    let waiter = world.ask_aside(8, ANY, stored(0)).await;
    pass(1).await;
    world.ask(fresh(), stored(5)).await.unwrap();
    open.send(()).unwrap();
    for pending in [leader, waiter] {
        let failure = pending.await.unwrap().unwrap_err();
        assert_eq!(
            (failure.code(), failure.text()),
            (Code::UpstreamError, "the integration crashed")
        );
    }
    assert_eq!(world.ask(ANY, stored(0)).await.unwrap().value, 5);
}

#[tokio::test(start_paused = true)]
async fn a_fill_outlives_its_first_caller_but_not_its_last() {
    let world = World::plain();
    let (leader, gate) = world.ask_gated(8, ANY).await;
    let waiter = world.ask_aside(8, ANY, stored(0)).await;
    leader.abort();
    settle().await;
    gate.send(stored(7)).unwrap();
    assert_eq!(waiter.await.unwrap().unwrap().value, 7);

    world.cache.forget(|_| true);
    let (leader, gate) = world.ask_gated(8, ANY).await;
    assert_eq!(world.cache.in_flight(), 1);
    leader.abort();
    settle().await;
    assert_eq!(world.cache.in_flight(), 0);
    assert!(gate.is_closed(), "the fill was stopped");
}

#[tokio::test(start_paused = true)]
async fn a_waiter_with_time_left_fills_again_when_the_leader_had_none() {
    let world = World::plain();
    let (leader, _gate) = world.ask_gated(2, ANY).await;
    let waiter = world.ask_aside(8, ANY, stored(9)).await;
    let failure = leader.await.unwrap().unwrap_err();
    assert_eq!(failure.code(), Code::UpstreamTimeout);
    let got = waiter.await.unwrap().unwrap();
    assert_eq!((got.value, got.origin, world.fills()), (9, Origin::Own, 2));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_the_system_itself_is_shared() {
    let world = World::plain();
    let (leader, gate) = world.ask_gated(8, ANY).await;
    let waiter = world.ask_aside(8, ANY, stored(9)).await;
    gate.send(Err(Failure::new(Code::UpstreamTimeout, "slow")))
        .unwrap();
    assert_eq!(leader.await.unwrap().unwrap_err().text(), "slow");
    assert_eq!(waiter.await.unwrap().unwrap_err().text(), "slow");
    assert_eq!(world.fills(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_waiter_leaves_when_its_own_time_ends() {
    let world = World::plain();
    let (leader, gate) = world.ask_gated(8, ANY).await;
    let waiter = world.ask_aside(1, ANY, stored(9)).await;
    assert_eq!(
        waiter.await.unwrap().unwrap_err().code(),
        Code::UpstreamTimeout
    );
    gate.send(stored(7)).unwrap();
    assert_eq!(leader.await.unwrap().unwrap().value, 7);
}

#[tokio::test(start_paused = true)]
async fn what_a_timed_out_fill_has_read_is_its_callers_evidence() {
    let world = World::plain();
    let ctx = world.ctx(2, ANY);
    let read = |ctx: Context| async move {
        ctx.recorder().record(UpstreamCall {
            status: 503,
            ..UpstreamCall::default()
        });
        std::future::pending().await
    };
    let failure = world
        .cache
        .get(&ctx, &"k".to_owned(), read)
        .await
        .unwrap_err();
    assert_eq!(failure.code(), Code::UpstreamTimeout);
    assert!(matches!(ctx.recorder().take().upstream.as_slice(), [call] if call.status == 503));
}

#[tokio::test(start_paused = true)]
async fn a_fresh_question_takes_nothing_stored_and_replaces_it() {
    let world = World::plain();
    world.ask(ANY, stored(1)).await.unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(world.ask(fresh(), stored(2)).await.unwrap().value, 2);
    assert_eq!(world.ask(ANY, stored(3)).await.unwrap().value, 2);
}

#[tokio::test(start_paused = true)]
async fn a_failed_fresh_read_leaves_the_entry_and_ttl_zero_removes_it() {
    let world = World::plain();
    world.ask(ANY, stored(1)).await.unwrap();
    pass(1).await;
    assert!(world.ask(fresh(), Err(failed("down"))).await.is_err());
    assert_eq!(
        world.ask(fresh(), Ok(Fill::Pass(8))).await.unwrap().value,
        8
    );
    assert_eq!(world.ask(ANY, stored(0)).await.unwrap().value, 1);
    assert_eq!(
        world
            .ask(fresh(), Ok(Fill::Store(4, Duration::ZERO)))
            .await
            .unwrap()
            .value,
        4
    );
    assert!(world.cache.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_fresh_question_joins_a_fresh_fill_of_any_age_but_no_earlier_ordinary_one() {
    let world = World::plain();
    let (ordinary, open_ordinary) = world.ask_gated(30, ANY).await;
    pass(1).await;
    let (first, open_fresh) = world.ask_gated(30, fresh()).await;
    pass(5).await;
    let second = world.ask_aside(30, fresh(), stored(0)).await;
    open_fresh.send(stored(2)).unwrap();
    assert_eq!(first.await.unwrap().unwrap().value, 2);
    let joined = second.await.unwrap().unwrap();
    assert_eq!((joined.value, joined.origin), (2, Origin::Shared));
    // The ordinary fill read earlier: it answers its caller, and does not replace what is newer.
    open_ordinary.send(stored(1)).unwrap();
    assert_eq!(ordinary.await.unwrap().unwrap().value, 1);
    assert_eq!(world.ask(ANY, stored(0)).await.unwrap().value, 2);
}

#[tokio::test(start_paused = true)]
async fn a_fresh_question_reads_again_when_the_joined_ordinary_fill_rests_on_older_reads() {
    let world = World::plain();
    let asked = world.ctx(30, fresh());
    let old = asked.now().minus(Duration::from_secs(5));
    let ordinary = world.ctx(30, ANY);
    let (open, gate) = oneshot::channel::<()>();
    let led = Arc::clone(&world);
    let leader = tokio::spawn(async move {
        let fill = move |ctx: Context| async move {
            gate.await.unwrap();
            ctx.recorder()
                .rests_on(toolpass_http::budget::ReadAt::at(old));
            stored(1)
        };
        led.cache.fetch(&ordinary, &"k".to_owned(), fill).await
    });
    settle().await;
    let joined = Arc::clone(&world);
    let waiter = tokio::spawn(async move { joined.ask_in(&asked, stored(2)).await });
    settle().await;
    assert_eq!(world.fills(), 0, "it joined");
    open.send(()).unwrap();
    let led = leader.await.unwrap().unwrap();
    assert_eq!((led.value, led.read), (1, old));
    assert_eq!(waiter.await.unwrap().unwrap().value, 2);
}

#[tokio::test(start_paused = true)]
async fn an_ordinary_question_waits_for_a_fresh_fill_only_when_it_has_nothing() {
    let world = World::plain();
    let (first, open) = world.ask_gated(30, fresh()).await;
    let waiter = world.ask_aside(30, ANY, stored(0)).await;
    open.send(stored(2)).unwrap();
    assert_eq!(first.await.unwrap().unwrap().value, 2);
    assert_eq!(waiter.await.unwrap().unwrap().origin, Origin::Shared);
    pass(1).await;
    let (second, open) = world.ask_gated(30, fresh()).await;
    assert_eq!(
        world.ask(ANY, stored(0)).await.unwrap().origin,
        Origin::Cached
    );
    open.send(stored(3)).unwrap();
    assert_eq!(second.await.unwrap().unwrap().value, 3);
}

#[tokio::test(start_paused = true)]
async fn a_maximum_age_counts_from_the_oldest_read() {
    let world = World::plain();
    let old = world.clock.monotonic().minus(Duration::from_secs(20));
    let fill = move |ctx: Context| async move {
        ctx.recorder()
            .rests_on(toolpass_http::budget::ReadAt::at(old));
        stored(1)
    };
    world
        .cache
        .get(&world.ctx(8, ANY), &"k".to_owned(), fill)
        .await
        .unwrap();
    assert_eq!(world.ask(max_age(20), stored(2)).await.unwrap().value, 1);
    assert_eq!(world.ask(max_age(19), stored(2)).await.unwrap().value, 2);
    pass(1).await;
    assert_eq!(world.ask(max_age(0), stored(3)).await.unwrap().value, 3);
}

#[tokio::test(start_paused = true)]
async fn a_listing_serves_fresh_questions_within_its_own_maximum() {
    let world = World::new(
        CacheOptions::named("test")
            .capacity(1)
            .fresh_max_age(Duration::from_secs(10)),
    );
    world.ask(ANY, stored(1)).await.unwrap();
    pass(9).await;
    let ctx = world.ctx(8, fresh());
    assert_eq!(world.ask_in(&ctx, stored(2)).await.unwrap().value, 1);
    let read = ctx.recorder().oldest().unwrap();
    assert_eq!(
        (ctx.now().since(read.oldest), ctx.now().since(read.judged)),
        (Duration::from_secs(9), Duration::ZERO)
    );
    pass(1).await;
    assert_eq!(world.ask(fresh(), stored(3)).await.unwrap().value, 3);
    let both = Freshness {
        fresh: true,
        max_age: Some(Duration::ZERO),
    };
    pass(1).await;
    assert_eq!(world.ask(both, stored(4)).await.unwrap().value, 4);
}

#[tokio::test(start_paused = true)]
async fn what_was_forgotten_is_not_stored_by_a_fill_in_flight() {
    let world = World::plain();
    let (leader, open) = world.ask_gated(8, ANY).await;
    world.cache.forget(|key| key == "k");
    // Whoever asks after the invalidation gets a read that began after it.
    assert_eq!(world.ask(ANY, stored(2)).await.unwrap().value, 2);
    pass(1).await;
    open.send(stored(1)).unwrap();
    assert_eq!(leader.await.unwrap().unwrap().value, 1);
    assert_eq!(world.ask(ANY, stored(3)).await.unwrap().value, 2);
}

#[tokio::test(start_paused = true)]
async fn it_never_grows_beyond_its_capacity() {
    let cache: FillCache<u32, u32> = FillCache::new(CacheOptions::named("test").capacity(100));
    let world = World::plain();
    let ctx = world.ctx(8, ANY);
    for key in 0..1000 {
        cache
            .get(&ctx, &key, move |_| async move { stored(key) })
            .await
            .unwrap();
        assert_eq!(
            cache.peek(&key, ANY, ctx.now()).map(|kept| *kept.value()),
            Some(key)
        );
    }
    assert!(cache.len() <= 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_who_give_up_leave_the_others_an_answer() {
    let cache: FillCache<u32, u32> = FillCache::new(CacheOptions::named("test"));
    let clock: Arc<dyn Clock> = Arc::new(PausedClock(Instant::now() - Duration::from_secs(1000)));
    for round in 0..50 {
        let ask = |give_up: bool| {
            let (cache, clock) = (cache.clone(), Arc::clone(&clock));
            tokio::spawn(async move {
                let ctx = Context::new(clock, Duration::from_secs(60), ANY);
                let fill = move |_| async move {
                    for _ in 0..20 {
                        tokio::task::yield_now().await;
                    }
                    stored(round)
                };
                let asking = cache.get(&ctx, &round, fill);
                if give_up {
                    tokio::select! { biased; _ = tokio::task::yield_now() => None, got = asking => got.ok() }
                } else {
                    asking.await.ok()
                }
            })
        };
        let pending: Vec<_> = (0..32).map(|n| (n % 2 == 0, ask(n % 2 == 0))).collect();
        for (gives_up, answer) in pending {
            let answer = answer.await.unwrap();
            assert!(gives_up || answer == Some(round));
        }
    }
    assert_eq!(cache.in_flight(), 0);
}

/// What may happen to a cache, in any order.
#[derive(Clone, Debug)]
enum Step {
    Ask(Freshness),
    Finish(usize),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let freshness =
        (any::<bool>(), proptest::option::of(0_u64..30)).prop_map(|(fresh, age)| Freshness {
            fresh,
            max_age: age.map(Duration::from_secs),
        });
    prop_oneof![
        3 => freshness.prop_map(Step::Ask),
        2 => (0_usize..8).prop_map(Step::Finish),
        2 => (1_u64..25).prop_map(Step::Pass),
    ]
}

/// An answer here is when its read began, and whether a fresh question began it.
type Read = (Monotonic, bool);

struct Asked {
    freshness: Freshness,
    at: Monotonic,
    answer: tokio::task::JoinHandle<Result<Read, Failure>>,
    gate: Option<oneshot::Sender<()>>,
}

fn ask_dated(cache: &FillCache<u32, Read>, clock: &Arc<dyn Clock>, freshness: Freshness) -> Asked {
    let (gate, open) = oneshot::channel();
    let ctx = Context::new(Arc::clone(clock), Duration::from_secs(100_000), freshness);
    let (cache, at) = (cache.clone(), ctx.began());
    let answer = tokio::spawn(async move {
        let fill = move |ctx: Context| async move {
            let read = (
                ctx.now(),
                freshness.fresh || freshness.max_age == Some(Duration::ZERO),
            );
            // A gate that was dropped is open.
            let _ = open.await;
            Ok(Fill::Store(read, TTL))
        };
        cache.get(&ctx, &0, fill).await
    });
    Asked {
        freshness,
        at,
        answer,
        gate: Some(gate),
    }
}

async fn play(steps: Vec<Step>) {
    let clock: Arc<dyn Clock> = Arc::new(PausedClock(Instant::now() - Duration::from_secs(1000)));
    let cache: FillCache<u32, Read> = FillCache::new(CacheOptions::named("test"));
    let mut asked: Vec<Asked> = Vec::new();
    let mut newest = None;
    for step in steps {
        match step {
            Step::Ask(freshness) => asked.push(ask_dated(&cache, &clock, freshness)),
            Step::Finish(index) => drop(asked.get_mut(index).and_then(|asked| asked.gate.take())),
            Step::Pass(seconds) => pass(seconds).await,
        }
        settle().await;
        let kept = cache
            .peek(&0, ANY, clock.monotonic())
            .map(|kept| kept.value().0);
        assert!(
            kept.is_none() || kept >= newest,
            "older knowledge replaced newer"
        );
        newest = kept.or(newest);
    }
    asked.iter_mut().for_each(|asked| drop(asked.gate.take()));
    for asked in asked {
        let (read, fresh) = asked.answer.await.unwrap().unwrap();
        let bound = asked.freshness.max_age.map(|age| asked.at.minus(age));
        assert!(
            bound.is_none_or(|bound| read >= bound),
            "older than its maximum age"
        );
        assert!(
            !asked.freshness.fresh || fresh || read >= asked.at,
            "a fresh question took an older read"
        );
    }
}

const TTL: Duration = Duration::from_secs(60);

proptest! {
    #[test]
    fn every_answer_is_as_new_as_its_question_wants(steps in proptest::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(play(steps));
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_there_was_no_room_for_is_an_eviction() {
    let world = World::new(CacheOptions::named("test").capacity(64));
    let keep = |number: u32| async move { Ok(Fill::Store(number, Duration::from_secs(60))) };
    let fresh = Freshness {
        fresh: true,
        max_age: None,
    };
    for number in 0..3 {
        world
            .cache
            .fetch(&world.ctx(8, fresh), &"same".to_owned(), move |_| {
                keep(number)
            })
            .await
            .unwrap();
    }
    assert_eq!((world.cache.len(), world.cache.evictions()), (1, 0));
    world.cache.forget(|_| true);
    assert_eq!(world.cache.evictions(), 0);
    for number in 0..1000 {
        world
            .cache
            .fetch(
                &world.ctx(8, Freshness::default()),
                &number.to_string(),
                move |_| keep(number),
            )
            .await
            .unwrap();
    }
    assert_eq!(world.cache.len() as u64 + world.cache.evictions(), 1000);
    assert!(world.cache.len() <= 64);
}
