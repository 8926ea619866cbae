//! A crash inside an integration.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::scripted::{Does, World, question};

/// Keeps the text of every error that names the connection `crashing`.
#[derive(Clone, Default)]
struct Errors(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Errors {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        if text.0.contains("crashing") {
            self.0.lock().unwrap().push(text.0);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn four_checks_on_one_crashing_fill_are_unknown_and_logged_once_without_its_message() {
    let errors = Errors::default();
    tracing::subscriber::set_global_default(errors.clone()).unwrap();
    let world = World::with(|_, sys| sys.id = "crashing".into());
    for (identity, check) in [
        (Does::Answer(Decision::allow("")), Does::Crash),
        (Does::Crash, Does::Hang),
    ] {
        world.system.identity_does(identity);
        world.system.check_does(check);
        errors.0.lock().unwrap().clear();
        world.engine.invalidate(None, None);
        let asked = Question {
            connection: "crashing".into(),
            ..question()
        };
        let pending: Vec<_> = (0..4)
            .map(|_| {
                let (engine, asked) = (Arc::clone(&world.engine), asked.clone());
                tokio::spawn(async move { engine.check(&asked).await })
            })
            .collect();
        for decision in pending {
            let decision = decision.await.unwrap();
            assert_eq!(
                (decision.code(), decision.text()),
                (Code::UpstreamError, "the integration crashed")
            );
        }
        let logged = errors.0.lock().unwrap().clone();
        assert_eq!(logged.len(), 1, "{logged:?}");
        assert!(
            logged[0].contains("scripted.rs:") && !logged[0].contains("hunter2"),
            "{logged:?}"
        );
    }
    assert!(
        world
            .engine
            .try_cached(&Question {
                connection: "crashing".into(),
                ..question()
            })
            .is_none()
    );
}
