//! How hard a connection is asked.

use std::sync::atomic::Ordering;
use std::time::Duration;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_http::error::Error;

use crate::scripted::{Does, World, failure, question, seconds, settle};

fn about(resource: usize) -> Question {
    Question {
        resource: format!("thing:{resource}"),
        ..question()
    }
}

#[tokio::test(start_paused = true)]
async fn so_many_are_asked_at_a_time_and_the_others_wait() {
    let world = World::with(|_, sys| sys.max_concurrency = 3);
    world.system.close_gate();
    let mut pending = Vec::new();
    for n in 0..10 {
        pending.push(world.ask_aside(about(n)).await);
    }
    assert_eq!(world.engine.counts()[0].in_flight, 10);
    world.system.gate.add_permits(10);
    for decision in pending {
        assert_eq!(decision.await.unwrap().outcome(), Outcome::Allow);
    }
    assert_eq!(world.system.most_running.load(Ordering::SeqCst), 3);
    assert_eq!(world.engine.counts()[0].in_flight, 0);
}

#[tokio::test(start_paused = true)]
async fn who_waits_waits_within_the_budget() {
    let world = World::with(|_, sys| {
        sys.max_concurrency = 1;
        sys.timeout = Duration::from_secs(2);
    });
    world.system.check_does(Does::Hang);
    let first = world.ask_aside(about(1)).await;
    let began = tokio::time::Instant::now();
    let second = world.ask(&about(2)).await;
    assert_eq!(second.code(), Code::UpstreamTimeout);
    assert_eq!(began.elapsed().as_secs(), 2);
    assert_eq!(first.await.unwrap().code(), Code::UpstreamTimeout);
    world.system.check_does(Does::Answer(Decision::allow("")));
    assert_eq!(
        world.ask(&about(3)).await.outcome(),
        Outcome::Allow,
        "the slot was given back"
    );
}

#[tokio::test(start_paused = true)]
async fn a_throttling_system_is_left_alone_by_all() {
    let world = World::new();
    let throttled = Error::coded(Code::UpstreamRateLimited, "slow down");
    world.system.check_does(Does::Fail(throttled.into()));
    assert_eq!(world.ask(&about(1)).await.code(), Code::UpstreamRateLimited);
    let refused = world.ask(&about(2)).await;
    assert_eq!(
        (refused.code(), refused.retry_after_ms),
        (Code::UpstreamRateLimited, Some(1000))
    );
    assert_eq!(world.asked().1, 1);
    world.system.check_does(Does::Answer(Decision::allow("")));
    seconds(1).await;
    assert_eq!(world.ask(&about(2)).await.outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn after_five_outages_only_trials_are_asked() {
    let world = World::new();
    world.system.check_does(failure(Code::UpstreamTimeout));
    for n in 0..5 {
        world.ask(&about(n)).await;
    }
    assert!(world.engine.counts()[0].circuit_open);
    let refused = world.ask(&about(5)).await;
    assert_eq!(
        (refused.code(), refused.retry_after_ms),
        (Code::UpstreamTimeout, Some(2000))
    );
    assert!(
        refused.text().starts_with("circuit open since 2030-01-01T"),
        "{}",
        refused.text()
    );
    assert_eq!(world.asked().1, 5);
    seconds(2).await;
    assert_eq!(world.ask(&about(6)).await.text(), "told to fail");
    assert!(
        world
            .ask(&about(7))
            .await
            .text()
            .starts_with("circuit open")
    );
    world.system.check_does(Does::Answer(Decision::allow("")));
    seconds(2).await;
    assert_eq!(world.ask(&about(8)).await.outcome(), Outcome::Allow);
    assert!(!world.engine.counts()[0].circuit_open);
    assert_eq!(world.ask(&about(9)).await.outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn a_system_that_hangs_opens_the_circuit_too() {
    let world = World::new();
    world.system.check_does(Does::Hang);
    for n in 0..5 {
        assert_eq!(world.ask(&about(n)).await.code(), Code::UpstreamTimeout);
    }
    settle().await;
    assert!(world.engine.counts()[0].circuit_open);
}

#[tokio::test(start_paused = true)]
async fn answers_about_one_thing_open_no_circuit() {
    let world = World::new();
    for code in [
        Code::ResourceNotVisible,
        Code::Unsupported,
        Code::UpstreamError,
        Code::CredentialRejected,
    ] {
        world.system.check_does(failure(code));
        for n in 0..6 {
            assert_eq!(world.ask(&about(n)).await.text(), "told to fail");
        }
    }
    assert!(!world.engine.counts()[0].circuit_open);
}
