//! Questions that are not asked of any system.

use std::sync::Arc;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::question::Question;
use toolpass_engine::engine::Engine;
use toolpass_engine::options::{BuildError, CallerGroups, Connected, EngineOptions};

use crate::scripted::{PRODUCT, PausedClock, Scripted, World, question};

#[tokio::test(start_paused = true)]
async fn malformed_questions_cost_no_upstream_call() {
    let world = World::new();
    type Change = fn(&mut Question);
    let rows: [(&str, Change, Code); 12] = [
        ("user", |q| q.user = "dana".into(), Code::InvalidRequest),
        (
            "invisible",
            |q| q.user = "da\u{200b}na@example.com".into(),
            Code::InvalidRequest,
        ),
        (
            "groups",
            |q| q.groups = vec![String::new()],
            Code::InvalidRequest,
        ),
        (
            "no connection",
            |q| q.connection = String::new(),
            Code::InvalidRequest,
        ),
        (
            "action",
            |q| q.action = "thing.read\n".into(),
            Code::InvalidRequest,
        ),
        (
            "line end",
            |q| q.resource = "repo:x\n".into(),
            Code::InvalidRequest,
        ),
        (
            "key",
            |q| q.resource = "ns:x?Bad=1".into(),
            Code::InvalidRequest,
        ),
        (
            "key twice",
            |q| q.resource = "ns:x?a=1&a=2".into(),
            Code::InvalidRequest,
        ),
        (
            "type",
            |q| q.resource = "Repo:x".into(),
            Code::InvalidRequest,
        ),
        (
            "facts",
            |q| drop(q.facts.insert("a".into(), "x".repeat(70_000))),
            Code::InvalidRequest,
        ),
        (
            "unknown connection",
            |q| q.connection = "other".into(),
            Code::UnknownConnection,
        ),
        (
            "unknown action",
            |q| q.action = "thing.delete".into(),
            Code::UnknownAction,
        ),
    ];
    for (name, change, code) in rows {
        let mut asked = question();
        change(&mut asked);
        let decision = world.ask(&asked).await;
        assert_eq!(
            (decision.code(), decision.status, decision.outcome()),
            (code, 400, Outcome::Unknown),
            "{name}"
        );
        assert!(decision.as_of.is_none() && !decision.id.is_empty());
    }
    assert_eq!(world.asked(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn shape_comes_before_existence_and_the_user_before_the_rest() {
    let world = World::new();
    let all_wrong = Question {
        user: "x".into(),
        connection: "other".into(),
        resource: "X".into(),
        ..question()
    };
    assert!(world.ask(&all_wrong).await.text().contains("e-mail"));
    let resource_wrong = Question {
        connection: "other".into(),
        resource: "X".into(),
        ..question()
    };
    assert_eq!(
        world.ask(&resource_wrong).await.code(),
        Code::InvalidRequest
    );
    let both_unknown = Question {
        connection: "other".into(),
        action: "thing.delete".into(),
        ..question()
    };
    assert_eq!(
        world.ask(&both_unknown).await.code(),
        Code::UnknownConnection
    );
}

#[tokio::test(start_paused = true)]
async fn patterns_and_odd_resources_are_asked() {
    let world = World::new();
    let asked = Question {
        action: "raw:get:pods".into(),
        resource: "nonresource:/metrics".into(),
        ..question()
    };
    assert_eq!(world.ask(&asked).await.outcome(), Outcome::Allow);
    assert_eq!(
        world.system.last.lock().unwrap().as_ref().unwrap().action,
        "raw:get:pods"
    );
    let asked = Question {
        resource: "cluster?resource=nodes".into(),
        ..question()
    };
    assert_eq!(world.ask(&asked).await.outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn groups_of_callers_count_as_the_connection_says() {
    let grouped = || Question {
        groups: vec!["system:masters".into()],
        ..question()
    };
    let reached = |world: &World| {
        world
            .system
            .last
            .lock()
            .unwrap()
            .as_ref()
            .map(|request| request.person.groups.as_slice().len())
    };

    let accepts = World::new();
    accepts.ask(&grouped()).await;
    assert_eq!(reached(&accepts), Some(1));

    let ignores = World::with(|_, sys| sys.caller_groups = CallerGroups::Ignore);
    ignores.ask(&grouped()).await;
    assert_eq!(reached(&ignores), Some(0));
    assert!(ignores.ask(&question()).await.cached, "the same question");

    let malformed = Question {
        groups: vec![String::new()],
        ..question()
    };
    assert_eq!(
        ignores.ask(&malformed).await.code(),
        Code::InvalidRequest,
        "stored or not"
    );

    let refuses = World::with(|_, sys| sys.caller_groups = CallerGroups::Refuse);
    refuses.ask(&question()).await;
    let refused = refuses.ask(&grouped()).await;
    assert_eq!(
        (refused.code(), refused.cached),
        (Code::InvalidRequest, false)
    );
    assert!(refuses.engine.try_cached(&grouped()).is_none());
}

#[test]
fn an_id_stands_for_one_connection() {
    let clock = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(async { PausedClock::new() });
    let twice = || Connected::new("sys", &PRODUCT, Scripted::new());
    let built = Engine::new(EngineOptions::new(Arc::new(clock)), vec![twice(), twice()]);
    assert!(matches!(built, Err(BuildError::DuplicateConnection(id)) if id == "sys"));
}
