//! Answers, what is kept of them, and for how long.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_core::user::Token;
use toolpass_engine::options::TtlOverrides;

use crate::scripted::{Does, World, failure, question, seconds, settle};

fn about(resource: &str) -> Question {
    Question {
        resource: resource.into(),
        ..question()
    }
}

#[tokio::test(start_paused = true)]
async fn an_allow_is_kept_for_its_time_and_says_how_old_it_is() {
    let world = World::new();
    let first = world.ask(&question()).await;
    assert_eq!(
        (first.outcome(), first.cached, first.status),
        (Outcome::Allow, false, 200)
    );
    assert_eq!(
        (first.identity.as_str(), first.reason().as_str()),
        ("id-dana@example.com", "allowed: may")
    );
    seconds(29).await;
    let again = world.ask(&question()).await;
    assert!(again.cached);
    assert_eq!(
        (again.as_of, again.identity.as_str()),
        (first.as_of, "id-dana@example.com")
    );
    assert_ne!(again.id, first.id);
    seconds(1).await;
    assert!(!world.ask(&question()).await.cached);
    assert_eq!(world.asked(), (1, 2), "the account is kept longer");
}

#[tokio::test(start_paused = true)]
async fn evidence_says_what_was_read_for_this_check() {
    let world = World::new();
    let marks = |decision: &Decision| -> Vec<(String, bool, bool)> {
        let calls = decision.evidence.upstream.iter();
        calls
            .map(|call| (call.path.clone(), call.cached, call.shared))
            .collect()
    };
    let row = |path: &str, cached| (path.to_owned(), cached, false);
    assert_eq!(
        marks(&world.ask(&question()).await),
        [row("/identity", false), row("/check", false)]
    );
    assert_eq!(
        marks(&world.ask(&question()).await),
        [row("/identity", true), row("/check", true)]
    );
    assert_eq!(
        marks(&world.ask(&about("thing:2")).await),
        [row("/identity", true), row("/check", false)]
    );
}

#[tokio::test(start_paused = true)]
async fn unknown_is_never_kept_also_when_fresh() {
    let world = World::new();
    for code in Code::ALL
        .iter()
        .filter(|code| code.outcome() == Outcome::Unknown)
    {
        world.system.check_does(failure(*code));
        for question in [question(), crate::scripted::fresh()] {
            assert_eq!(world.ask(&question).await.code(), *code);
            assert!(world.engine.try_cached(&question).is_none(), "{code}");
            // Where an outage or a throttle is told, the system is given time to recover.
            seconds(61).await;
        }
    }
    world.system.check_does(Does::Answer(Decision::unknown(
        Code::Unsupported,
        "answered, not raised",
    )));
    assert_eq!(world.ask(&question()).await.code(), Code::Unsupported);
    assert!(world.engine.try_cached(&question()).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_deny_is_kept_and_may_be_kept_for_another_time() {
    let deny = Some(Duration::from_secs(5));
    let world = World::with(|_, sys| {
        sys.ttls = TtlOverrides {
            deny,
            ..TtlOverrides::default()
        }
    });
    world
        .system
        .check_does(Does::Answer(Decision::deny("may not")));
    world.ask(&question()).await;
    seconds(4).await;
    assert_eq!(
        world
            .engine
            .try_cached(&question())
            .map(|decision| decision.code()),
        Some(Code::Denied)
    );
    seconds(1).await;
    assert!(world.engine.try_cached(&question()).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_missing_account_is_a_deny_and_is_looked_up_once_a_minute() {
    let world = World::new();
    world.system.identity_does(failure(Code::UserNotFound));
    let decision = world.ask(&question()).await;
    assert_eq!(
        (decision.code(), decision.outcome()),
        (Code::UserNotFound, Outcome::Deny)
    );
    world.ask(&about("thing:2")).await;
    seconds(59).await;
    world.ask(&about("thing:3")).await;
    assert_eq!(world.asked(), (1, 0));
    seconds(1).await;
    world.ask(&about("thing:4")).await;
    assert_eq!(world.asked(), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_failed_look_up_of_the_account_is_evidence_and_is_not_kept() {
    let world = World::new();
    world.system.identity_does(failure(Code::UpstreamError));
    let decision = world.ask(&question()).await;
    assert_eq!(decision.code(), Code::UpstreamError);
    assert!(
        matches!(decision.evidence.upstream.as_slice(), [call] if call.status == 503 && !call.cached)
    );
    world
        .system
        .identity_does(Does::Answer(Decision::allow("")));
    assert_eq!(world.ask(&question()).await.outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn spellings_of_an_ascii_address_share_an_account_and_no_others_do() {
    let world = World::new();
    let of = |user: &str| Question {
        user: user.into(),
        ..question()
    };
    for user in ["Dana@example.com", "dana@EXAMPLE.com", "dana@example.com"] {
        world.ask(&of(user)).await;
    }
    assert_eq!(
        world.asked(),
        (1, 3),
        "decisions are kept by the address as given"
    );
    for user in ["Émile@example.com", "émile@example.com"] {
        world.ask(&of(user)).await;
    }
    assert_eq!(world.asked(), (3, 5));
}

#[tokio::test(start_paused = true)]
async fn groups_have_no_order_and_no_repeats_and_are_part_of_the_question() {
    let world = World::new();
    let with = |groups: &[&str]| Question {
        groups: groups.iter().map(|g| (*g).into()).collect(),
        ..question()
    };
    world.ask(&with(&["b", "a", "b"])).await;
    assert!(world.ask(&with(&["a", "b"])).await.cached);
    assert!(!world.ask(&with(&["a,b"])).await.cached);
    assert!(!world.ask(&with(&[])).await.cached);
    // What there is no account for with one set of groups may have one with another.
    world.system.identity_does(failure(Code::UserNotFound));
    world.ask(&with(&["x"])).await;
    world
        .system
        .identity_does(Does::Answer(Decision::allow("")));
    assert_eq!(world.ask(&with(&["y"])).await.outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn what_a_request_said_besides_is_part_of_the_question() {
    let world = World::new();
    let with = |value: &str| Question {
        facts: [("field".to_owned(), value.to_owned())].into(),
        ..question()
    };
    world.ask(&with("a")).await;
    assert_eq!(
        world.system.last.lock().unwrap().as_ref().unwrap().facts["field"],
        "a"
    );
    assert!(!world.ask(&with("b")).await.cached);
    assert!(!world.ask(&question()).await.cached);
    assert!(world.ask(&with("a")).await.cached);
}

#[tokio::test(start_paused = true)]
async fn nothing_outlives_the_users_token() {
    let world = World::new();
    let clock = crate::scripted::PausedClock::new();
    let now = toolpass_core::clock::Clock::wall(&clock).0.as_secs();
    let payload = URL_SAFE_NO_PAD.encode(format!("{{\"exp\":{}}}", now + 2));
    let token = Token::parse(&format!("e30.{payload}.c2ln")).unwrap();
    let asked = Question {
        token,
        ..question()
    };
    world.ask(&asked).await;
    assert!(world.ask(&asked).await.cached);
    seconds(3).await;
    assert!(!world.ask(&asked).await.cached);
    assert_eq!(
        world.asked(),
        (2, 2),
        "neither the decision nor the account"
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_to_live_of_zero_keeps_nothing_and_still_asks_once_at_a_time() {
    let world = World::with(|options, _| {
        options.decision_ttl = Duration::ZERO;
        options.identity_ttl = Duration::ZERO;
    });
    world.system.close_gate();
    let first = world.ask_aside(question()).await;
    let second = world.ask_aside(question()).await;
    world.system.gate.add_permits(10);
    assert_eq!(first.await.unwrap().outcome(), Outcome::Allow);
    assert_eq!(second.await.unwrap().outcome(), Outcome::Allow);
    assert_eq!(world.asked(), (1, 1));
    world.ask(&question()).await;
    assert_eq!(world.asked(), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn identical_questions_at_one_time_are_one_check() {
    let world = World::new();
    world.system.close_gate();
    let mut pending = Vec::new();
    for _ in 0..64 {
        pending.push(world.ask_aside(question()).await);
    }
    world.system.gate.add_permits(1);
    let mut own = 0;
    for decision in pending {
        let decision = decision.await.unwrap();
        assert_eq!(
            (decision.outcome(), decision.cached),
            (Outcome::Allow, false)
        );
        own += usize::from(
            decision
                .evidence
                .upstream
                .iter()
                .all(|call| !call.shared && !call.cached),
        );
    }
    assert_eq!((world.asked(), own), ((1, 1), 1));
}

#[tokio::test(start_paused = true)]
async fn a_check_nobody_waits_for_is_stopped_and_one_somebody_waits_for_is_not() {
    let world = World::new();
    world.system.close_gate();
    let first = world.ask_aside(question()).await;
    let second = world.ask_aside(question()).await;
    first.abort();
    settle().await;
    assert_eq!(
        world
            .system
            .running
            .load(std::sync::atomic::Ordering::SeqCst),
        1
    );
    world.system.gate.add_permits(1);
    assert_eq!(second.await.unwrap().outcome(), Outcome::Allow);

    let third = world.ask_aside(about("thing:3")).await;
    third.abort();
    settle().await;
    assert_eq!(
        world
            .system
            .running
            .load(std::sync::atomic::Ordering::SeqCst),
        0
    );
    assert!(world.engine.try_cached(&about("thing:3")).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_check_that_hangs_ends_with_its_budget() {
    let world = World::with(|_, sys| sys.timeout = Duration::from_secs(3));
    world.system.check_does(Does::Hang);
    let began = tokio::time::Instant::now();
    let decision = world.ask(&question()).await;
    assert_eq!(decision.code(), Code::UpstreamTimeout);
    assert_eq!(began.elapsed().as_secs(), 3);
    let paths: Vec<_> = decision
        .evidence
        .upstream
        .iter()
        .map(|call| call.path.as_str())
        .collect();
    assert_eq!(paths, ["/identity", "/check"]);
}

#[tokio::test(start_paused = true)]
async fn one_who_joined_a_check_that_ran_out_of_time_has_its_own_budget() {
    let world = World::with(|_, sys| sys.timeout = Duration::from_secs(3));
    world.system.close_gate();
    let first = world.ask_aside(question()).await;
    seconds(2).await;
    let second = world.ask_aside(question()).await;
    assert_eq!(first.await.unwrap().code(), Code::UpstreamTimeout);
    world.system.gate.add_permits(1);
    assert_eq!(second.await.unwrap().outcome(), Outcome::Allow);
}

#[tokio::test(start_paused = true)]
async fn what_is_invalidated_is_asked_again() {
    let world = World::new();
    let other = Question {
        user: "eve@example.com".into(),
        ..question()
    };
    world.ask(&question()).await;
    world.ask(&other).await;
    world
        .engine
        .invalidate(Some("sys"), Some("DANA@example.com"));
    assert!(world.engine.try_cached(&question()).is_none());
    assert!(world.engine.try_cached(&other).is_some());
    world.ask(&question()).await;
    assert_eq!(world.asked(), (3, 3));
    world.engine.invalidate(Some("elsewhere"), None);
    assert!(world.engine.try_cached(&other).is_some());
    world.engine.invalidate(None, None);
    assert!(world.engine.try_cached(&other).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_tasks_at_once_get_their_own_answers() {
    let world = World::new();
    let mut pending = Vec::new();
    for task in 0..64 {
        let engine = std::sync::Arc::clone(&world.engine);
        pending.push(tokio::spawn(async move {
            for round in 0..50 {
                let user = format!("user{}@example.com", (task + round) % 16);
                let question = Question {
                    user: user.clone(),
                    resource: format!("thing:{}", round % 5),
                    ..question()
                };
                let decision = engine.check(&question).await;
                assert_eq!(
                    (decision.outcome(), decision.identity),
                    (Outcome::Allow, format!("id-{user}"))
                );
            }
        }));
    }
    for task in pending {
        task.await.unwrap();
    }
    assert_eq!(world.asked(), (16, 80));
}
