//! A system that is down, half back and flapping, over real sockets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use toolpass_config::config::Config;
use toolpass_config::load::load_text;
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_engine::caller::Caller;
use toolpass_engine::engine::Engine;
use toolpass_http::clock::SystemClock;
use toolpass_local::Which;
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};

/// The system's clock, ahead by as much as a test wants.
#[derive(Default)]
struct Ahead(Mutex<Duration>);

impl Ahead {
    fn pass(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }

    fn by(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

impl Clock for Ahead {
    fn monotonic(&self) -> Monotonic {
        SystemClock.monotonic().plus(self.by())
    }

    fn wall(&self) -> Wall {
        Wall(SystemClock.wall().0 + self.by())
    }
}

struct World {
    github: Running,
    engine: Engine,
    clock: Arc<Ahead>,
}

impl World {
    fn new(keys: &str) -> World {
        let options = Options {
            transport: Transport::Plain,
            style: ApiStyle::Enterprise,
        };
        let github = GithubStandin::start(demo::world(), &options).unwrap();
        let clock = Arc::new(Ahead::default());
        let config = config(&github.url, keys);
        World {
            engine: toolpass_local::engine(&config, Which::All, "test", clock.clone()).unwrap(),
            github,
            clock,
        }
    }

    async fn ask(&self, number: usize) -> Decision {
        self.engine.check(&about(number)).await
    }

    /// Every request from now on is answered so.
    fn fails(&self, fault: Fault) {
        self.github.clear_faults();
        self.github.fault(FaultRule::on("/", fault));
    }

    fn arrived(&self) -> usize {
        self.github.requests().len()
    }
}

fn config(url: &str, keys: &str) -> Config {
    let organization = demo::world().organizations.keys().next().unwrap().clone();
    let folder = std::env::temp_dir().join(format!("toolpass-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("token"), demo::ENGINE_TOKEN).unwrap();
    let text = format!(
        "decision_log: none
connections:
  - id: gh
    integration: github
    url: {url}
    organization: {organization}
    token: file:token
    identity_mode: template
    email_domains: example.com
{keys}"
    );
    let loaded = load_text("faults.yaml", &text, &folder, toolpass_registry::all());
    loaded.unwrap_or_else(|errors| panic!("{errors}"))
}

/// A question nobody asked before: about a repository of its own.
fn about(number: usize) -> Question {
    Question {
        user: "dana@example.com".into(),
        connection: "gh".into(),
        action: "repo.read".into(),
        resource: format!("repo:acme/none-{number}"),
        ..Question::default()
    }
}

fn status(status: u16, headers: &[(&str, &str)]) -> Fault {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Fault::Status {
        status,
        headers: headers.collect::<BTreeMap<_, _>>(),
        body: None,
    }
}

/// Make the circuit open by five failures in a row.
async fn break_it(world: &World) {
    world.fails(status(500, &[]));
    for number in 0..5 {
        let decision = world.ask(number).await;
        assert_eq!(decision.code(), Code::UpstreamError);
        assert!(!decision.text().contains("circuit"), "{}", decision.text());
    }
    assert!(world.engine.counts()[0].circuit_open);
}

#[tokio::test]
async fn a_system_that_is_down_is_asked_no_more_and_said_to_be() {
    let mut world = World::new("");
    world.github.stop();
    for number in 0..5 {
        assert_eq!(world.ask(number).await.code(), Code::UpstreamError);
    }
    let asked = (5..200).map(|number| world.ask(number));
    for decision in join_all(asked).await {
        assert_eq!(decision.code(), Code::UpstreamError);
        assert!(
            decision.text().starts_with("circuit open since"),
            "{}",
            decision.text()
        );
        assert!(decision.retry_after_ms.is_some_and(|after| after <= 2000));
    }
}

#[tokio::test]
async fn one_trial_at_a_time_tells_whether_it_is_back() {
    let world = World::new("");
    break_it(&world).await;
    let before = world.arrived();
    join_all((10..60).map(|number| world.ask(number))).await;
    assert_eq!(
        world.arrived(),
        before,
        "nothing is sent while the circuit is open"
    );

    world.clock.pass(Duration::from_secs(2));
    let trial = join_all((60..90).map(|number| world.ask(number))).await;
    let told = trial
        .iter()
        .filter(|decision| decision.text().contains("circuit"))
        .count();
    assert_eq!(
        (told, world.arrived() - before),
        (29, 1),
        "one request, and it failed"
    );
    assert!(world.engine.counts()[0].circuit_open);

    world.github.clear_faults();
    world.clock.pass(Duration::from_secs(2));
    let back = world.ask(90).await;
    assert!(!back.text().contains("circuit"), "{}", back.text());
    assert!(!world.engine.counts()[0].circuit_open);
    let all = join_all((91..120).map(|number| world.ask(number))).await;
    assert!(
        all.iter()
            .all(|decision| !decision.text().contains("circuit"))
    );
}

#[tokio::test]
async fn a_flapping_system_is_asked_until_it_fails_in_earnest() {
    let world = World::new("");
    let mut number = 0;
    for _ in 0..3 {
        world.fails(status(500, &[]));
        for _ in 0..4 {
            assert_eq!(world.ask(number).await.code(), Code::UpstreamError);
            number += 1;
        }
        world.github.clear_faults();
        world.ask(number).await;
        number += 1;
        assert!(!world.engine.counts()[0].circuit_open);
    }
    break_it(&world).await;
}

#[tokio::test]
async fn answers_about_one_resource_open_no_circuit() {
    let world = World::new("");
    for fault in [status(404, &[]), status(403, &[]), status(401, &[])] {
        world.fails(fault);
        for number in 0..8 {
            assert_ne!(world.ask(number).await.outcome(), Outcome::Allow);
        }
        assert!(!world.engine.counts()[0].circuit_open);
    }
}

#[tokio::test]
async fn a_pause_the_system_asks_for_is_kept_by_all_callers() {
    let world = World::new("");
    world.fails(status(429, &[("Retry-After", "30")]));
    let first = world.ask(0).await;
    assert_eq!(first.code(), Code::UpstreamRateLimited);
    world.github.clear_faults();
    let before = world.arrived();
    for decision in join_all((1..40).map(|number| world.ask(number))).await {
        assert_eq!(decision.code(), Code::UpstreamRateLimited);
        assert!(decision.retry_after_ms.is_some_and(|after| after <= 30_000));
    }
    assert_eq!(world.arrived(), before);
    world.clock.pass(Duration::from_secs(30));
    assert_ne!(world.ask(50).await.code(), Code::UpstreamRateLimited);
    assert!(world.arrived() > before);
}

#[tokio::test]
async fn retries_of_all_callers_together_are_bounded() {
    let world = World::new("    max_concurrency: 1000\n");
    world.fails(status(503, &[]));
    join_all((0..50).map(|number| world.ask(number))).await;
    // Fifty first attempts, ten retries in reserve, and a tenth of a retry earned by each request.
    assert!(world.arrived() <= 50 + 10 + 6, "{}", world.arrived());
}

#[tokio::test]
async fn an_explanation_shows_the_calls_that_were_made() {
    let world = World::new("");
    let asked = Question {
        resource: "repo:acme/shop".into(),
        ..about(0)
    };
    let explained = world.engine.explain(&asked, &Caller::default()).await;
    let calls = &explained.decision.evidence.upstream;
    assert_eq!(calls.len(), world.arrived());
    assert!(!calls.is_empty() && calls.iter().all(|call| call.took.is_some()));
    assert_eq!(
        (explained.integration, explained.decision.rule),
        ("github", "repository")
    );
    let json = explained.json();
    assert!(json.contains(r#""name":"account""#), "{json}");
}
