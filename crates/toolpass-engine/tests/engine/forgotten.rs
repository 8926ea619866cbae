//! What is forgotten, by whom it is asked again, and that nothing in the air brings it back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;

use crate::scripted::{Does, World, question, seconds, settle};

fn of(user: &str) -> Question {
    Question {
        user: user.into(),
        ..question()
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_is_asked_again_and_the_rest_is_not() {
    let dana = || of("dana@example.com");
    let eve = || of("eve@example.com");
    // What is forgotten; what dana's and eve's next questions ask of the system.
    type Row = (Option<&'static str>, Option<&'static str>, (usize, usize));
    let rows: [Row; 5] = [
        (None, None, (2, 2)),
        (Some("sys"), None, (2, 2)),
        (None, Some("DANA@example.com"), (1, 1)),
        (Some("sys"), Some("dana@example.com"), (1, 1)),
        (Some("other"), None, (0, 0)),
    ];
    for (connection, user, more) in rows {
        let world = World::new();
        world.ask(&dana()).await;
        world.ask(&eve()).await;
        let before = world.asked();
        world.engine.invalidate(connection, user);
        world.ask(&dana()).await;
        world.ask(&eve()).await;
        let after = world.asked();
        assert_eq!(
            (after.0 - before.0, after.1 - before.1),
            more,
            "{connection:?} {user:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_in_the_air_answers_and_leaves_nothing_behind() {
    let world = World::new();
    world.system.close_gate();
    let before = world.ask_aside(question()).await;
    // Access is taken away while the check is on its way, and said so.
    world.engine.invalidate(None, Some("dana@example.com"));
    world
        .system
        .check_does(Does::Answer(Decision::deny("revoked")));
    let after = world.ask_aside(question()).await;
    assert_eq!(world.asked(), (2, 2), "nobody joins what began before");
    world.system.gate.add_permits(2);
    settle().await;
    before.await.unwrap();
    assert_eq!(after.await.unwrap().outcome(), Outcome::Deny);
    let stored = world.engine.try_cached(&question()).unwrap();
    assert_eq!(stored.outcome(), Outcome::Deny);
}

#[tokio::test(start_paused = true)]
async fn a_listing_an_integration_keeps_is_passed_too() {
    let world = World::new();
    let listings = Arc::new(AtomicUsize::new(0));
    *world.system.listings.lock().unwrap() = Some(Arc::clone(&listings));
    let listed = || listings.load(Ordering::SeqCst);
    world.ask(&question()).await;
    assert_eq!(listed(), 1);
    seconds(20).await;
    let other = |n: u32| Question {
        resource: format!("thing:{n}"),
        ..question()
    };
    world.ask(&other(2)).await;
    assert_eq!(listed(), 1, "the listing is kept");
    world.engine.invalidate(Some("sys"), None);
    seconds(20).await;
    world.ask(&other(3)).await;
    assert_eq!(listed(), 2, "what was read before does not count");
    world.ask(&other(4)).await;
    assert_eq!(listed(), 2, "what was read since does");
}
