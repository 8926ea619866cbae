//! A system that does what a test tells it to, and counts what it was asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::evidence::UpstreamCall;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::Resource;
use toolpass_engine::engine::Engine;
use toolpass_engine::options::{Connected, EngineOptions};
use toolpass_http::budget::Context;
use toolpass_integration::actions::ActionSpec;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request, Visibility};
use toolpass_integration::failure::Failure;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_wire::endpoint::Endpoint;

toolpass_integration::actions! {
    ThingRead   "thing.read"   thing  read   "read";
    ThingWrite  "thing.write"  thing  write  "change";
}

/// The product.
pub(crate) struct ScriptedProduct;

pub(crate) static PRODUCT: ScriptedProduct = ScriptedProduct;

impl Integration for ScriptedProduct {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn keys(&self) -> &'static [Key] {
        &[]
    }

    fn actions(&self) -> &'static [ActionSpec] {
        TABLE
    }

    fn matches_pattern(&self, name: &str) -> bool {
        name.starts_with("raw:")
    }

    fn endpoints(&self, _: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        Ok(Vec::new())
    }

    fn connect(&self, _: Settings, _: Parts) -> Result<Arc<dyn Connection>, ConnectError> {
        Err(ConnectError("built by the tests".into()))
    }
}

/// What the system does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    Answer(Decision),
    Crash,
    Fail(Failure),
    Hang,
}

/// The system.
pub(crate) struct Scripted {
    pub(crate) identifies: AtomicUsize,
    pub(crate) checks: AtomicUsize,
    pub(crate) running: AtomicUsize,
    pub(crate) most_running: AtomicUsize,
    /// Checks wait here for a permit each.
    pub(crate) gate: Semaphore,
    pub(crate) last: Mutex<Option<Request>>,
    /// Counts the readings of a listing the system keeps for itself, as integrations do; none is read without.
    pub(crate) listings: Mutex<Option<Arc<AtomicUsize>>>,
    kept: FillCache<(), ()>,
    identity: Mutex<Does>,
    check: Mutex<Does>,
}

impl Scripted {
    pub(crate) fn new() -> Arc<Scripted> {
        Arc::new(Scripted {
            identifies: AtomicUsize::new(0),
            checks: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            most_running: AtomicUsize::new(0),
            gate: Semaphore::new(Semaphore::MAX_PERMITS / 2),
            last: Mutex::new(None),
            listings: Mutex::new(None),
            kept: FillCache::new(CacheOptions::named("listing")),
            identity: Mutex::new(Does::Answer(Decision::allow(""))),
            check: Mutex::new(Does::Answer(Decision::allow("may"))),
        })
    }

    /// What it does from now on when it is asked about a user's right.
    pub(crate) fn check_does(&self, does: Does) {
        *self.check.lock().unwrap() = does;
    }

    /// What it does from now on when it is asked who a user is. An answer of any kind is the account.
    pub(crate) fn identity_does(&self, does: Does) {
        *self.identity.lock().unwrap() = does;
    }

    /// Let nothing through until the gate is opened again.
    pub(crate) fn close_gate(&self) {
        self.gate.forget_permits(usize::MAX);
    }

    pub(crate) fn asked(&self) -> (usize, usize) {
        (
            self.identifies.load(Ordering::SeqCst),
            self.checks.load(Ordering::SeqCst),
        )
    }

    /// The listing, read when the question does not take the kept one.
    async fn list(&self, ctx: &Context) -> Result<(), Failure> {
        let Some(listings) = self.listings.lock().unwrap().clone() else {
            return Ok(());
        };
        let fill = move |_| async move {
            listings.fetch_add(1, Ordering::SeqCst);
            Ok(Fill::Store((), Duration::from_secs(3600)))
        };
        self.kept.get(ctx, &(), fill).await
    }

    async fn act(&self, does: Does) -> Result<Decision, Failure> {
        match does {
            Does::Answer(decision) => Ok(decision),
            Does::Crash => panic!("hunter2: raw upstream text"),
            Does::Fail(failure) => Err(failure),
            Does::Hang => std::future::pending().await,
        }
    }
}

/// Counts what runs, however it ends.
struct Running<'a>(&'a Scripted);

impl<'a> Running<'a> {
    fn new(scripted: &'a Scripted) -> Running<'a> {
        let now = scripted.running.fetch_add(1, Ordering::SeqCst) + 1;
        scripted.most_running.fetch_max(now, Ordering::SeqCst);
        Running(scripted)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Connection for Scripted {
    fn identify<'a>(
        &'a self,
        ctx: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        async move {
            self.identifies.fetch_add(1, Ordering::SeqCst);
            let does = self.identity.lock().unwrap().clone();
            let status = if matches!(does, Does::Fail(_)) {
                503
            } else {
                200
            };
            ctx.recorder().record(call("/identity", status));
            self.act(does).await?;
            Ok(Identity {
                id: format!("id-{}", person.user.canonical()),
                display: "Dana".into(),
                ..Identity::default()
            })
        }
        .boxed()
    }

    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        async move {
            self.checks.fetch_add(1, Ordering::SeqCst);
            let _running = Running::new(self);
            self.gate.acquire().await.unwrap().forget();
            *self.last.lock().unwrap() = Some(request.clone());
            self.list(ctx).await?;
            ctx.recorder().record(call("/check", 200));
            let does = self.check.lock().unwrap().clone();
            self.act(does).await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        async move {
            let does = self.check.lock().unwrap().clone();
            self.act(does).await?;
            Ok(Probe {
                summary: "works".into(),
                warnings: vec!["over-privileged".into()],
            })
        }
        .boxed()
    }

    fn resolve<'a>(
        &'a self,
        _: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        async move {
            let does = self.check.lock().unwrap().clone();
            self.act(does).await?;
            Ok(Resource::parse(&format!("thing:{}", pointer.value)).ok())
        }
        .boxed()
    }

    fn visibility<'a>(
        &'a self,
        _: &'a Context,
        _: &'a Resource,
    ) -> BoxFuture<'a, Result<Option<Visibility>, Failure>> {
        async move {
            self.checks.fetch_add(1, Ordering::SeqCst);
            let does = self.check.lock().unwrap().clone();
            self.act(does).await?;
            Ok(Some(Visibility::Internal))
        }
        .boxed()
    }
}

/// Tokio's clock: stands still in a paused test until every task waits.
pub(crate) struct PausedClock(Instant);

impl PausedClock {
    pub(crate) fn new() -> PausedClock {
        PausedClock(Instant::now() - Duration::from_secs(10_000))
    }
}

impl Clock for PausedClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(Instant::now().duration_since(self.0))
    }

    fn wall(&self) -> Wall {
        Wall(Duration::from_secs(1_893_456_000) + self.monotonic().0)
    }
}

/// An engine over one scripted system named `sys`, and the system.
pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(crate) system: Arc<Scripted>,
}

impl World {
    pub(crate) fn new() -> World {
        World::with(|_, _| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut EngineOptions, &mut Connected)) -> World {
        let system = Scripted::new();
        let mut options = EngineOptions {
            jitter_percent: 0,
            ..EngineOptions::new(Arc::new(PausedClock::new()))
        };
        let mut connected = Connected::new("sys", &PRODUCT, system.clone());
        change(&mut options, &mut connected);
        World {
            engine: Arc::new(Engine::new(options, vec![connected]).unwrap()),
            system,
        }
    }

    pub(crate) async fn ask(&self, question: &Question) -> Decision {
        self.engine.check(question).await
    }

    /// Ask in a task of its own, and let it come to wait.
    pub(crate) async fn ask_aside(&self, question: Question) -> tokio::task::JoinHandle<Decision> {
        let engine = Arc::clone(&self.engine);
        let pending = tokio::spawn(async move { engine.check(&question).await });
        settle().await;
        pending
    }

    /// How often the system was asked who somebody is, and what they may.
    pub(crate) fn asked(&self) -> (usize, usize) {
        self.system.asked()
    }
}

/// May dana read thing 1?
pub(crate) fn question() -> Question {
    Question {
        user: "dana@example.com".into(),
        connection: "sys".into(),
        action: "thing.read".into(),
        resource: "thing:1".into(),
        ..Question::default()
    }
}

pub(crate) fn fresh() -> Question {
    Question {
        freshness: Freshness {
            fresh: true,
            max_age: None,
        },
        ..question()
    }
}

pub(crate) fn failure(code: Code) -> Does {
    Does::Fail(Failure::new(code, "told to fail"))
}

pub(crate) async fn pass(time: Duration) {
    tokio::time::advance(time).await;
}

pub(crate) async fn seconds(seconds: u64) {
    pass(Duration::from_secs(seconds)).await;
}

/// Let every task run until it waits.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn call(path: &str, status: u16) -> UpstreamCall {
    UpstreamCall {
        method: "GET".into(),
        path: path.into(),
        status,
        ..UpstreamCall::default()
    }
}
