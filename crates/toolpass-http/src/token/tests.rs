//! Tokens fetched once for all who wait, kept as long as they hold, and fetched anew when refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;
use toolpass_core::codes::Code;

use super::*;
use crate::clock::ManualClock;

/// A source whose n-th fetch takes a permit from `gate` and then answers what `answer(n)` says.
struct Bench {
    clock: ManualClock,
    source: TokenSource,
    fetches: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

fn bench(answer: impl Fn(usize) -> Result<Fetched, Error> + Send + Sync + 'static) -> Bench {
    let fetches = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(Semaphore::new(1000));
    let answer = Arc::new(answer);
    let (counter, door) = (fetches.clone(), gate.clone());
    let source = TokenSource::new(Arc::new(move |_ctx| {
        let (counter, door, answer) = (counter.clone(), door.clone(), answer.clone());
        Box::pin(async move {
            let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
            door.acquire().await.unwrap().forget();
            answer(number)
        })
    }));
    Bench {
        clock: ManualClock::new(),
        source,
        fetches,
        gate,
    }
}

impl Bench {
    fn ctx(&self, seconds: u64) -> Context {
        Context::new(
            Arc::new(self.clock.clone()),
            Duration::from_secs(seconds),
            Freshness::default(),
        )
    }

    fn fetches(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }

    async fn token(&self) -> Result<String, Code> {
        let held = self.source.token(&self.ctx(8)).await;
        held.map(|held| held.secret().expose_str().unwrap().to_owned())
            .map_err(|error| error.code())
    }

    fn pass(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Let what was spawned run until it waits.
    async fn settle(&self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

fn lasting(number: usize, seconds: u64) -> Result<Fetched, Error> {
    Ok(Fetched {
        secret: Secret::new(format!("t{number}")),
        life: Some(Duration::from_secs(seconds)),
    })
}

fn rejected() -> Result<Fetched, Error> {
    Err(Error::coded(Code::CredentialRejected, "no"))
}

#[test]
fn when_tokens_are_renewed() {
    let check = |life: u64, random: f64, expected_ms: u128| {
        assert_eq!(
            refresh_after(Duration::from_secs(life), random).as_millis(),
            expected_ms,
            "{life} {random}"
        );
    };
    check(3600, 0.0, 2_880_000);
    check(3600, 1.0, 3_240_000);
    check(301, 0.0, 240_800);
    check(300, 0.7, 150_000);
    check(60, 0.7, 30_000);
    check(1, 0.7, 1_000);
    check(0, 0.7, 1_000);
}

#[tokio::test]
async fn all_who_wait_share_one_fetch() {
    let bench = bench(|number| lasting(number, 3600));
    bench.gate.forget_permits(1000);
    let waiters: Vec<_> = (0..50).map(|_| bench.source.clone()).collect();
    let ctx = bench.ctx(8);
    let waiting = futures_util::future::join_all(waiters.iter().map(|source| source.token(&ctx)));
    let (results, ()) = tokio::join!(waiting, async {
        bench.settle().await;
        bench.gate.add_permits(1);
    });
    assert!(
        results
            .iter()
            .all(|held| held.as_ref().unwrap().secret().matches(b"t1"))
    );
    assert_eq!(bench.fetches(), 1);
    assert_eq!(bench.token().await.unwrap(), "t1");
}

#[tokio::test]
async fn the_fetch_outlives_the_caller_who_began_it() {
    let bench = bench(|number| lasting(number, 3600));
    bench.gate.forget_permits(1000);
    let ctx = bench.ctx(8);
    {
        let mut first = Box::pin(bench.source.token(&ctx));
        assert!((&mut first).now_or_never().is_none());
        bench.settle().await;
    }
    bench.gate.add_permits(1);
    assert_eq!(bench.token().await.unwrap(), "t1");
    assert_eq!(bench.fetches(), 1);
}

#[tokio::test]
async fn renewed_in_the_background_and_kept_when_that_fails() {
    let bench = bench(|number| match number {
        1 | 4 => lasting(number, 1000),
        _ => rejected(),
    });
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.pass(799);
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.settle().await;
    assert_eq!(bench.fetches(), 1);
    bench.pass(111);
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.settle().await;
    assert_eq!(bench.fetches(), 2);
    // Backing off: 1 s, then 2 s.
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.settle().await;
    assert_eq!(bench.fetches(), 2);
    bench.pass(1);
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.settle().await;
    assert_eq!(bench.fetches(), 3);
    bench.pass(1);
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.settle().await;
    assert_eq!(bench.fetches(), 3);
    bench.pass(1);
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.settle().await;
    assert_eq!(bench.fetches(), 4);
    assert_eq!(bench.token().await.unwrap(), "t4");
}

#[tokio::test]
async fn an_expired_token_is_never_handed_out() {
    let bench = bench(|number| {
        if number == 1 {
            lasting(1, 1000)
        } else {
            rejected()
        }
    });
    assert_eq!(bench.token().await.unwrap(), "t1");
    bench.pass(1000);
    assert_eq!(bench.token().await.unwrap_err(), Code::CredentialRejected);
    assert_eq!(bench.token().await.unwrap_err(), Code::CredentialRejected);
    assert_eq!(bench.fetches(), 2);
    bench.pass(1);
    assert_eq!(bench.token().await.unwrap_err(), Code::CredentialRejected);
    assert_eq!(bench.fetches(), 3);
}

#[tokio::test]
async fn only_the_refused_token_is_dropped() {
    let bench = bench(|number| lasting(number, 3600));
    let first = bench.source.token(&bench.ctx(8)).await.unwrap();
    bench.source.invalidate_generation(first.generation());
    let second = bench.source.token(&bench.ctx(8)).await.unwrap();
    bench.source.invalidate_generation(first.generation());
    assert_eq!(bench.token().await.unwrap(), "t2");
    assert_ne!(first.generation(), second.generation());
    bench.source.invalidate();
    assert_eq!(bench.token().await.unwrap(), "t3");
}

#[tokio::test(start_paused = true)]
async fn a_waiter_with_time_left_fetches_again_after_the_leaders_time_ended() {
    let bench = bench(|number| lasting(number, 3600));
    bench.gate.forget_permits(1000);
    let short = bench.ctx(1);
    let long = bench.ctx(60);
    let (first, second, ()) = tokio::join!(
        bench.source.token(&short),
        bench.source.token(&long),
        async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            bench.gate.add_permits(1);
        }
    );
    assert_eq!(first.unwrap_err().code(), Code::UpstreamTimeout);
    assert!(second.unwrap().secret().matches(b"t2"));
}

#[tokio::test]
async fn a_crash_does_not_wedge_the_source() {
    let bench = bench(|number| {
        if number == 1 {
            panic!("crash")
        } else {
            lasting(number, 3600)
        }
    });
    assert_eq!(bench.token().await.unwrap_err(), Code::UpstreamError);
    bench.pass(1);
    assert_eq!(bench.token().await.unwrap(), "t2");
}

#[test]
fn a_runtime_that_is_gone_does_not_wedge_the_source() {
    let bench = bench(|number| lasting(number, 3600));
    bench.gate.forget_permits(1000);
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    runtime().block_on(async {
        let ctx = bench.ctx(8);
        assert!(Box::pin(bench.source.token(&ctx)).now_or_never().is_none());
    });
    bench.gate.add_permits(10);
    assert_eq!(runtime().block_on(bench.token()).unwrap(), "t1");
}
