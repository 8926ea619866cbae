//! One question to an engine that has answered it before.

use std::path::Path;
use std::sync::Arc;

use toolpass_config::load::load_text;
use toolpass_core::question::Question;
use toolpass_engine::engine::Engine;
use toolpass_http::clock::SystemClock;
use toolpass_local::Which;

/// An engine with one connection, whose answers are kept for an hour.
/// Errors: a text that says why there is none.
pub fn engine() -> Result<Engine, String> {
    let config = load_text("bench", CONFIG, Path::new(""), toolpass_registry::all())
        .map_err(|errors| errors.to_string())?;
    toolpass_local::engine(&config, Which::All, "bench", Arc::new(SystemClock))
        .map_err(|error| error.to_string())
}

/// The question that is asked.
pub fn question() -> Question {
    Question {
        user: "dana@example.com".into(),
        connection: "demo".into(),
        action: "thing.read".into(),
        resource: "thing:door".into(),
        ..Question::default()
    }
}

const CONFIG: &str = "decision_log: none\ndecision_cache_seconds: 3600\nconnections:\n  - id: demo\n    integration: fake\n    users: dana@example.com\n";
