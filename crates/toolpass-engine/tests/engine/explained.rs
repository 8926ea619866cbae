//! Explanations, and callers.

use std::time::Duration;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_engine::caller::Caller;
use toolpass_engine::options::CallerGroups;

use crate::scripted::{Does, World, question};

fn names(explanation: &toolpass_engine::explain::Explanation) -> Vec<(&'static str, String)> {
    let steps = explanation.steps.iter();
    steps.map(|step| (step.name, step.note.clone())).collect()
}

fn row(name: &'static str, note: &str) -> (&'static str, String) {
    (name, note.to_owned())
}

#[tokio::test(start_paused = true)]
async fn an_explanation_names_account_calls_rule_and_steps() {
    let world = World::new();
    let decision = Decision::allow("may").by("owners");
    world.system.check_does(Does::Answer(decision));
    let nobody = Caller::default();
    let first = world.engine.explain(&question(), &nobody).await;
    assert_eq!(
        names(&first),
        [
            row("stored decision", "none"),
            row("turn", ""),
            row("account", "\"Dana\", looked up"),
            row("system", ""),
        ]
    );
    assert_eq!(first.integration, "scripted");
    assert_eq!(first.decision.rule, "owners");
    assert_eq!(first.decision.identity, "id-dana@example.com");
    let paths: Vec<_> = first
        .decision
        .evidence
        .upstream
        .iter()
        .map(|call| call.path.as_str())
        .collect();
    assert_eq!(paths, ["/identity", "/check"]);

    let again = world.engine.explain(&question(), &nobody).await;
    assert_eq!(names(&again), [row("stored decision", "found")]);
    assert!(again.decision.cached);
    assert_eq!(again.decision.rule, "owners");
    assert!(
        again
            .decision
            .evidence
            .upstream
            .iter()
            .all(|call| call.cached)
    );
    assert_eq!(
        world.asked(),
        (1, 1),
        "an explanation is a check like any other"
    );
}

#[tokio::test(start_paused = true)]
async fn what_went_wrong_is_explained_too() {
    let world = World::new();
    world
        .system
        .identity_does(crate::scripted::failure(Code::UserNotFound));
    let explained = world.engine.explain(&question(), &Caller::default()).await;
    assert_eq!(explained.decision.outcome(), Outcome::Deny);
    assert_eq!(
        names(&explained)[2],
        row("account", "user_not_found, looked up")
    );
    let nowhere = Question {
        connection: "other".into(),
        ..question()
    };
    let explained = world.engine.explain(&nowhere, &Caller::default()).await;
    assert_eq!(explained.decision.code(), Code::UnknownConnection);
    assert_eq!((explained.integration, explained.steps.len()), ("", 1));
}

#[tokio::test(start_paused = true)]
async fn the_stricter_rule_about_groups_counts() {
    use CallerGroups::{Accept, Ignore, Refuse};
    let asked = Question {
        groups: vec!["admins".into()],
        ..question()
    };
    for (own, connection, code, seen) in [
        (Accept, Accept, Code::Allowed, 1),
        (Ignore, Accept, Code::Allowed, 0),
        (Accept, Ignore, Code::Allowed, 0),
        (Refuse, Accept, Code::InvalidRequest, 0),
        (Ignore, Refuse, Code::InvalidRequest, 0),
    ] {
        let world = World::with(|_, sys| sys.caller_groups = connection);
        // What another caller may send is stored and must not be served to this one.
        world.ask(&asked).await;
        world.system.last.lock().unwrap().take();
        let caller = Caller {
            groups: own,
            ..Caller::default()
        };
        let decision = world.engine.check_for(&asked, &caller).await;
        assert_eq!(decision.code(), code, "{own:?} {connection:?}");
        if let Some(request) = &*world.system.last.lock().unwrap() {
            assert_eq!(request.person.groups.as_slice().len(), seen);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_impatient_caller_is_answered_in_its_own_time() {
    let world = World::new();
    world.system.check_does(Does::Hang);
    let caller = Caller {
        patience: Some(Duration::from_secs(3)),
        ..Caller::default()
    };
    let began = tokio::time::Instant::now();
    let batch = [
        question(),
        question(),
        Question {
            resource: "thing:2".into(),
            ..question()
        },
    ];
    let decisions = world.engine.check_many_for(&batch, &caller).await.unwrap();
    assert_eq!(began.elapsed().as_secs(), 3);
    assert!(
        decisions
            .iter()
            .all(|decision| decision.code() == Code::UpstreamTimeout)
    );
}

#[tokio::test(start_paused = true)]
async fn a_batch_leaves_turns_to_others() {
    let world = World::with(|_, sys| sys.max_concurrency = 4);
    world.system.close_gate();
    let batch: Vec<_> = (0..50)
        .map(|n| Question {
            resource: format!("thing:{n}"),
            ..question()
        })
        .collect();
    let engine = std::sync::Arc::clone(&world.engine);
    let many = tokio::spawn(async move { engine.check_many(&batch).await.unwrap() });
    crate::scripted::settle().await;
    let single = Question {
        resource: "thing:single".into(),
        ..question()
    };
    let single = world.ask_aside(single).await;
    assert_eq!(world.asked().1, 3, "two of the batch and the single one");
    world.system.gate.add_permits(51);
    assert_eq!(single.await.unwrap().outcome(), Outcome::Allow);
    assert_eq!(many.await.unwrap().len(), 50);
}
