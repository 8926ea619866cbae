//! The decision log and the counts.

use std::path::PathBuf;
use std::sync::Arc;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_core::user::Token;
use toolpass_engine::caller::Caller;
use toolpass_engine::engine::Engine;
use toolpass_engine::log::{LogTarget, Mask};
use toolpass_engine::options::{EngineOptions, OnLogError};
use toolpass_http::clock::SystemClock;

use crate::scripted::{Does, World, fresh, question};

/// A file of this test alone, removed when it ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("toolpass-{}-{name}.log", std::process::id()));
        // Left over from an earlier process of the same number.
        let _ = std::fs::remove_file(&path);
        Scratch(path)
    }

    fn lines(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(&self.0).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn every_check_leaves_one_line_also_cached_and_invalid_ones() {
    let file = Scratch::new("lines");
    let world = World::with(|options, _| options.decision_log = LogTarget::File(file.0.clone()));
    let token = Token::parse("secret-token-value").unwrap();
    let asked = Question {
        token,
        groups: vec!["devs".into()],
        ..question()
    };
    let first = world.ask(&asked).await;
    world.ask(&asked).await;
    world.engine.try_cached(&asked).unwrap();
    world.ask(&fresh()).await;
    world
        .ask(&Question {
            user: "x".into(),
            ..question()
        })
        .await;
    world
        .engine
        .check_many(&[question(), question()])
        .await
        .unwrap();
    let lines = file.lines();
    let cached: Vec<_> = lines
        .iter()
        .map(|line| line["cached"].as_bool().unwrap())
        .collect();
    assert_eq!(cached, [false, true, true, false, false, true, true]);
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.get("fresh").is_some())
            .count(),
        1
    );
    assert_eq!(
        (&lines[4]["code"], &lines[4]["status"]),
        (&"invalid_request".into(), &400.into())
    );
    assert_eq!(lines[0]["id"], first.id.as_str());
    assert_eq!(
        (&lines[0]["remote"], &lines[0]["integration"]),
        (&"in-process".into(), &"scripted".into())
    );
    assert_eq!(
        (&lines[0]["groups"], &lines[0]["identity"]),
        (&serde_json::json!(["devs"]), &"id-dana@example.com".into())
    );
    assert_eq!(lines[1]["evidence"]["upstream"][0]["cached"], true);
    assert!(
        !std::fs::read_to_string(&file.0)
            .unwrap()
            .contains("secret-token-value")
    );
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn the_file_is_its_owners_alone_and_can_be_rotated() {
    use std::os::unix::fs::PermissionsExt;
    let (file, rotated) = (Scratch::new("mode"), Scratch::new("rotated"));
    let world = World::with(|options, _| options.decision_log = LogTarget::File(file.0.clone()));
    world.ask(&question()).await;
    assert_eq!(
        std::fs::metadata(&file.0).unwrap().permissions().mode() & 0o777,
        0o600
    );
    std::fs::rename(&file.0, &rotated.0).unwrap();
    world.engine.reopen_decision_log().unwrap();
    world.ask(&question()).await;
    assert_eq!((file.lines().len(), rotated.lines().len()), (1, 1));
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn an_allow_that_cannot_be_recorded_stands_or_falls_as_configured() {
    let full = || LogTarget::File("/dev/full".into());
    let ignores = World::with(|options, _| options.decision_log = full());
    assert_eq!(ignores.ask(&question()).await.outcome(), Outcome::Allow);
    assert_eq!(ignores.engine.lost_log_lines(), 1);

    let refuses = World::with(|options, _| {
        options.decision_log = full();
        options.on_log_error = OnLogError::Refuse;
    });
    for _ in 0..2 {
        let decision = refuses.ask(&question()).await;
        assert_eq!(decision.code(), Code::UpstreamError);
        assert!(
            decision.text().contains("decision log"),
            "{}",
            decision.text()
        );
    }
    assert_eq!(
        refuses.engine.try_cached(&question()).unwrap().outcome(),
        Outcome::Unknown
    );
    refuses.system.check_does(Does::Answer(Decision::deny("")));
    let other = Question {
        resource: "thing:2".into(),
        ..question()
    };
    assert_eq!(
        refuses.ask(&other).await.code(),
        Code::Denied,
        "a deny needs no line"
    );
}

#[test]
fn a_log_that_cannot_be_opened_is_an_error_of_its_key() {
    let options = EngineOptions {
        decision_log: LogTarget::parse("/nonexistent/dir/x.log"),
        ..EngineOptions::new(Arc::new(SystemClock))
    };
    let error = Engine::new(options, Vec::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`decision_log` cannot be opened"),
        "{error}"
    );
}

#[test]
fn log_targets_have_names() {
    for (text, target) in [
        ("", LogTarget::None),
        ("none", LogTarget::None),
        ("stderr", LogTarget::Stderr),
        ("stdout", LogTarget::Stdout),
    ] {
        assert_eq!(LogTarget::parse(text), target);
    }
}

#[tokio::test(start_paused = true)]
async fn checks_are_counted_by_code() {
    let world = World::new();
    world.ask(&question()).await;
    world.ask(&question()).await;
    world
        .ask(&Question {
            user: "x".into(),
            ..question()
        })
        .await;
    let counts = &world.engine.counts()[0];
    assert_eq!(
        counts.by_code,
        [(Code::Allowed, 2), (Code::InvalidRequest, 1)]
    );
    assert_eq!((counts.connection.as_str(), counts.cached), ("sys", 1));
}

#[tokio::test(start_paused = true)]
async fn a_line_names_its_caller_and_hides_what_is_masked() {
    let (plain, hidden) = (Scratch::new("caller"), Scratch::new("masked"));
    let caller = Caller {
        name: Some("ci-bot".into()),
        remote: Some("198.51.100.7".into()),
        trace_id: Some("4bf92f3577b34da6".into()),
        ..Caller::default()
    };
    let asked = Question {
        groups: vec!["payroll".into()],
        ..question()
    };
    let everything = Mask {
        user: true,
        groups: true,
        remote: true,
    };
    for (file, mask) in [(&plain, Mask::default()), (&hidden, everything)] {
        let world = World::with(|options, _| {
            options.decision_log = LogTarget::File(file.0.clone());
            options.config_digest = "c0ffee".into();
            options.log_mask = mask;
        });
        world.engine.check_for(&asked, &caller).await;
        world.engine.explain(&asked, &caller).await;
    }
    for line in plain.lines() {
        let said = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(said("caller"), "ci-bot");
        assert_eq!(said("remote"), "198.51.100.7");
        assert_eq!(said("trace_id"), "4bf92f3577b34da6");
        assert_eq!(said("config"), "c0ffee");
        assert_eq!(said("version"), "0.0.0");
    }
    let text = std::fs::read_to_string(&hidden.0).unwrap();
    for secret in ["dana", "payroll", "198.51.100.7"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(hidden.lines().len(), 2);
    assert_eq!(
        hidden.lines()[0]["groups"],
        serde_json::json!(["[REDACTED]"])
    );
}

#[tokio::test(start_paused = true)]
async fn a_line_cut_short_by_a_killed_process_spoils_no_other() {
    let file = Scratch::new("torn");
    std::fs::write(&file.0, "{\"time\":\"2030-01-01T0").unwrap();
    let world = World::with(|options, _| options.decision_log = LogTarget::File(file.0.clone()));
    world.ask(&question()).await;
    world.ask(&question()).await;
    let text = std::fs::read_to_string(&file.0).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    for line in &lines[1..] {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}
