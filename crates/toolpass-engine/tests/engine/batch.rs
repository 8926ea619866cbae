//! Many questions at once.

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::question::Question;
use toolpass_engine::engine::{MAX_BATCH, TooMany};

use crate::scripted::{Does, World, fresh, question};

#[tokio::test(start_paused = true)]
async fn answers_keep_their_order_and_equal_questions_are_asked_once() {
    let world = World::new();
    let other = Question {
        resource: "thing:2".into(),
        ..question()
    };
    let unknown = Question {
        connection: "other".into(),
        ..question()
    };
    let wrong = Question {
        user: "x".into(),
        ..question()
    };
    let batch = [question(), other.clone(), question(), unknown, wrong, other];
    let answers = world.engine.check_many(&batch).await.unwrap();
    let codes: Vec<_> = answers.iter().map(|decision| decision.code()).collect();
    let expected = [
        Code::Allowed,
        Code::Allowed,
        Code::Allowed,
        Code::UnknownConnection,
        Code::InvalidRequest,
        Code::Allowed,
    ];
    assert_eq!(codes, expected);
    assert_eq!(world.asked(), (1, 2), "one account, two questions");
    assert!(
        answers[2]
            .evidence
            .upstream
            .iter()
            .all(|call| call.shared && !call.cached)
    );
    let ids: std::collections::HashSet<_> = answers
        .iter()
        .map(|decision| decision.id.as_str())
        .collect();
    assert_eq!(ids.len(), batch.len());
}

#[tokio::test(start_paused = true)]
async fn a_fresh_batch_reads_an_account_once() {
    let world = World::new();
    world.ask(&question()).await;
    crate::scripted::seconds(1).await;
    let batch: Vec<_> = (0..20)
        .map(|n| Question {
            resource: format!("thing:{n}"),
            ..fresh()
        })
        .collect();
    world.engine.check_many(&batch).await.unwrap();
    assert_eq!(world.asked(), (2, 21));
}

#[tokio::test(start_paused = true)]
async fn stored_answers_are_all_there_or_none() {
    let world = World::new();
    let other = Question {
        resource: "thing:2".into(),
        ..question()
    };
    let batch = [question(), other.clone()];
    world.ask(&question()).await;
    assert!(world.engine.try_cached_many(&batch).is_none());
    world.ask(&other).await;
    let answers = world.engine.try_cached_many(&batch).unwrap();
    assert_eq!(answers.len(), 2);
    assert!(
        answers
            .iter()
            .all(|decision| decision.code() == Code::Allowed)
    );
    assert_eq!(world.asked(), (1, 2), "nobody was asked again");
}

#[tokio::test(start_paused = true)]
async fn all_share_one_deadline() {
    let world = World::new();
    world.system.check_does(Does::Hang);
    let batch: Vec<_> = (0..MAX_BATCH)
        .map(|n| Question {
            resource: format!("thing:{n}"),
            ..question()
        })
        .collect();
    let began = tokio::time::Instant::now();
    let answers = world.engine.check_many(&batch).await.unwrap();
    assert_eq!(
        began.elapsed().as_secs(),
        8,
        "though only 32 at a time are asked"
    );
    assert!(
        answers
            .iter()
            .all(|decision| decision.outcome() == Outcome::Unknown)
    );
}

#[tokio::test(start_paused = true)]
async fn too_many_are_refused_whole() {
    let world = World::new();
    let batch = vec![question(); MAX_BATCH + 1];
    assert_eq!(
        world.engine.check_many(&batch).await.unwrap_err(),
        TooMany(MAX_BATCH + 1)
    );
    assert_eq!(world.engine.check_many(&[]).await.unwrap().len(), 0);
}
