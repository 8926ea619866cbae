//! How new an answer is.

use std::time::Duration;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Question};

use crate::scripted::{Does, World, failure, fresh, pass, question, seconds, settle};

#[tokio::test(start_paused = true)]
async fn a_fresh_check_sees_what_changed_a_moment_ago_and_replaces_both_entries() {
    let world = World::new();
    world.ask(&question()).await;
    world
        .system
        .check_does(Does::Answer(Decision::deny("revoked")));
    pass(Duration::from_millis(1)).await;
    assert_eq!(
        world.ask(&question()).await.outcome(),
        Outcome::Allow,
        "the stored one"
    );
    assert_eq!(world.ask(&fresh()).await.outcome(), Outcome::Deny);
    assert_eq!(world.asked(), (2, 2));
    let stored = world.ask(&question()).await;
    assert_eq!((stored.outcome(), stored.cached), (Outcome::Deny, true));
}

#[tokio::test(start_paused = true)]
async fn a_failed_fresh_check_leaves_what_is_stored() {
    let world = World::new();
    world.ask(&question()).await;
    world.system.check_does(failure(Code::UpstreamError));
    seconds(1).await;
    assert_eq!(world.ask(&fresh()).await.code(), Code::UpstreamError);
    assert_eq!(world.ask(&question()).await.outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn fresh_checks_at_one_time_are_one_check_but_join_no_ordinary_one() {
    let world = World::new();
    world.system.close_gate();
    let ordinary = world.ask_aside(question()).await;
    seconds(1).await;
    let first = world.ask_aside(fresh()).await;
    let second = world.ask_aside(fresh()).await;
    assert_eq!(world.asked(), (2, 2));
    world.system.gate.add_permits(2);
    for pending in [ordinary, first, second] {
        assert_eq!(pending.await.unwrap().outcome(), Outcome::Allow);
    }
    assert_eq!(world.asked(), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_maximum_age_takes_what_is_young_enough() {
    let world = World::new();
    let within = |seconds| {
        let max_age = Some(Duration::from_secs(seconds));
        Question {
            freshness: Freshness {
                fresh: false,
                max_age,
            },
            ..question()
        }
    };
    world.ask(&question()).await;
    seconds(10).await;
    assert!(world.engine.try_cached(&within(10)).is_some());
    assert!(world.engine.try_cached(&within(9)).is_none());
    assert!(!world.ask(&within(9)).await.cached);
    assert_eq!(world.asked(), (2, 2), "the account was too old too");
    pass(Duration::from_nanos(1)).await;
    assert!(!world.ask(&within(0)).await.cached);
    assert_eq!(world.asked(), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_as_old_as_the_oldest_read_it_rests_on() {
    let world = World::new();
    let first = world.ask(&question()).await;
    seconds(20).await;
    let other = Question {
        resource: "thing:2".into(),
        ..question()
    };
    let second = world.ask(&other).await;
    assert!(!second.cached);
    assert_eq!(
        second.as_of, first.as_of,
        "it rests on the account read then"
    );
    let freshness = Freshness {
        fresh: false,
        max_age: Some(Duration::from_secs(19)),
    };
    assert!(
        world
            .engine
            .try_cached(&Question { freshness, ..other })
            .is_none()
    );
}

#[tokio::test(start_paused = true)]
async fn an_account_in_use_is_looked_up_before_it_expires() {
    let world = World::with(|options, _| options.decision_ttl = std::time::Duration::ZERO);
    world.ask(&question()).await;
    seconds(719).await;
    world.ask(&question()).await;
    settle().await;
    assert_eq!(
        world.asked().0,
        1,
        "the first four fifths of its life it is left alone"
    );
    seconds(2).await;
    for _ in 0..3 {
        world.ask(&question()).await;
    }
    settle().await;
    assert_eq!(world.asked().0, 2, "once, and nobody waited for it");
    // Past the first life: the renewed account is there.
    seconds(300).await;
    world.ask(&question()).await;
    assert_eq!(world.asked().0, 2);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_fails_leaves_the_account_until_it_expires() {
    let world = World::with(|options, _| options.decision_ttl = std::time::Duration::ZERO);
    world.ask(&question()).await;
    world.system.identity_does(failure(Code::UpstreamError));
    seconds(800).await;
    for _ in 0..3 {
        assert_eq!(world.ask(&question()).await.code(), Code::Allowed);
        settle().await;
    }
    assert_eq!(world.asked().0, 2, "one attempt");
    seconds(101).await;
    assert_eq!(world.ask(&question()).await.code(), Code::UpstreamError);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_learns_that_the_account_is_gone() {
    let world = World::with(|options, _| options.decision_ttl = std::time::Duration::ZERO);
    world.ask(&question()).await;
    world.system.identity_does(failure(Code::UserNotFound));
    seconds(800).await;
    world.ask(&question()).await;
    settle().await;
    assert_eq!(world.ask(&question()).await.code(), Code::UserNotFound);
}
