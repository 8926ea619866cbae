//! Probes, pointers and visibility.

use std::sync::Arc;

use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Pointer};
use toolpass_core::resource::Resource;
use toolpass_engine::engine::Engine;
use toolpass_engine::options::{Connected, EngineOptions};
use toolpass_integration::connection::Visibility;

use crate::scripted::{Does, PRODUCT, PausedClock, Scripted, World, failure};

#[tokio::test(start_paused = true)]
async fn a_failed_probe_stops_no_other() {
    let (works, crashes, hangs) = (Scripted::new(), Scripted::new(), Scripted::new());
    crashes.check_does(Does::Crash);
    hangs.check_does(Does::Hang);
    let connected = vec![
        Connected::new("crashes", &PRODUCT, crashes),
        Connected::new("works", &PRODUCT, works),
        Connected::new("hangs", &PRODUCT, hangs),
    ];
    let engine = Engine::new(EngineOptions::new(Arc::new(PausedClock::new())), connected).unwrap();
    assert_eq!(engine.connections(), ["crashes", "works", "hangs"]);
    let began = tokio::time::Instant::now();
    let reports = engine.probe(None).await;
    assert_eq!(began.elapsed().as_secs(), 16, "twice the budget");
    let rows: Vec<_> = reports
        .iter()
        .map(|report| (report.id.as_str(), report.ok(), report.text()))
        .collect();
    let expected = [
        (
            "crashes",
            false,
            "upstream_error: the integration crashed".to_owned(),
        ),
        ("works", true, "works".to_owned()),
        (
            "hangs",
            false,
            "upstream_timeout: the time for this check ran out".to_owned(),
        ),
    ];
    assert_eq!(rows, expected);
    assert_eq!(
        reports[1].result.as_ref().unwrap().warnings,
        ["over-privileged"]
    );
}

#[tokio::test(start_paused = true)]
async fn an_unknown_connection_is_a_failed_probe() {
    let world = World::new();
    let reports = world
        .engine
        .probe(Some(&["other".into(), "sys".into()]))
        .await;
    assert_eq!(
        reports[0].text(),
        "unknown_connection: no connection has the id \"other\""
    );
    assert!(reports[1].ok());
}

#[tokio::test(start_paused = true)]
async fn pointers_lead_to_resources_or_to_an_unknown() {
    let world = World::new();
    let pointer = Pointer {
        kind: "thing_id".into(),
        value: "7".into(),
        parts: Default::default(),
    };
    let resolve = async |connection: &str| {
        world
            .engine
            .resolve(connection, &pointer, Freshness::default())
            .await
    };
    assert_eq!(resolve("sys").await.unwrap().unwrap().as_str(), "thing:7");
    assert_eq!(
        resolve("other").await.unwrap_err().code(),
        Code::UnknownConnection
    );
    for (does, code) in [
        (Does::Crash, Code::UpstreamError),
        (Does::Hang, Code::UpstreamTimeout),
        (failure(Code::ResourceNotVisible), Code::ResourceNotVisible),
        (failure(Code::Denied), Code::Unsupported),
    ] {
        world.system.check_does(does);
        let decision = resolve("sys").await.unwrap_err();
        assert_eq!(
            (decision.code(), decision.outcome()),
            (code, Outcome::Unknown)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn visibility_is_kept_and_a_failure_is_not() {
    let world = World::new();
    let thing = Resource::parse("thing:1").unwrap();
    let visible = async || {
        world
            .engine
            .visibility("sys", &thing, Freshness::default())
            .await
    };
    world.system.check_does(failure(Code::UpstreamError));
    assert_eq!(visible().await.unwrap_err().code(), Code::UpstreamError);
    world.system.check_does(Does::Answer(Decision::allow("")));
    assert_eq!(visible().await.unwrap(), Some(Visibility::Internal));
    assert_eq!(visible().await.unwrap(), Some(Visibility::Internal));
    assert_eq!(world.asked().1, 2);
    world.engine.invalidate(Some("sys"), None);
    visible().await.unwrap();
    assert_eq!(world.asked().1, 3);
}
