//! What the engine meets: identities, decisions, failures and probes of one connection.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use toolpass_core::codes::Code;
use toolpass_core::question::{Facts, Freshness};
use toolpass_core::resource::Resource;
use toolpass_core::user::{Groups, User};
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::fields::{Settings, Value};
use toolpass_integration::http::budget::Context;
use toolpass_integration::http::clock::SystemClock;
use toolpass_integration::http::transport::{Transport, TransportSettings};
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::Parts;

fn connection(settings: &[(&str, &str)]) -> Arc<dyn Connection> {
    let values = settings
        .iter()
        .map(|(key, text)| ((*key).to_owned(), Value::Text((*text).to_owned())))
        .collect();
    let parts = Parts {
        id: "demo".into(),
        transport: Transport::new(TransportSettings::default()).unwrap(),
        clock: Arc::new(SystemClock),
        referenced: BTreeMap::new(),
    };
    toolpass_fake::FAKE
        .connect(Settings::new(values), parts)
        .unwrap()
}

fn usual(fail: &str) -> Arc<dyn Connection> {
    let groups = "dana@example.com=sre,dev";
    connection(&[
        ("users", "dana@example.com"),
        ("admins", "Root@example.com"),
        ("groups", groups),
        ("fail", fail),
    ])
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

fn context() -> Context {
    Context::new(
        Arc::new(SystemClock),
        Duration::from_secs(8),
        Freshness::default(),
    )
}

fn identity(connection: &dyn Connection, email: &str) -> Result<Identity, Failure> {
    let person = Person {
        user: User::parse(email).unwrap(),
        groups: Groups::default(),
        token: None,
    };
    run(connection.identify(&context(), &person))
}

fn probe(connection: &dyn Connection) -> Result<Probe, Failure> {
    run(connection.probe(&context()))
}

fn answer(connection: &dyn Connection, email: &str, action: &str, resource: &str) -> Code {
    let identity = match identity(connection, email) {
        Ok(identity) => identity,
        Err(failure) => return failure.code(),
    };
    let request = Request {
        person: Person {
            user: User::parse(email).unwrap(),
            groups: Groups::default(),
            token: None,
        },
        identity,
        action: action.into(),
        resource: Resource::parse(resource).unwrap(),
        facts: Facts::new(),
    };
    match run(connection.check(&context(), &request)) {
        Ok(decision) => decision.code(),
        Err(failure) => failure.code(),
    }
}

#[test]
fn every_case_is_answered_as_written() {
    for line in include_str!("cases/checks.jsonl").lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap_or("none");
        let found = answer(
            &*usual(text("fail")),
            text("user"),
            text("action"),
            text("resource"),
        );
        assert_eq!(found.as_str(), text("code"), "{line}");
    }
}

#[test]
fn an_account_is_the_email_in_lower_case_with_its_groups() {
    let found = identity(&*usual("none"), "Dana@Example.com").unwrap();
    assert_eq!(
        (found.id.as_str(), found.display.as_str()),
        ("dana@example.com", "dana@example.com")
    );
    assert_eq!(found.groups, ["dev", "sre"]);
    assert_eq!(found.attributes["groups_mapped"], "false");
}

#[test]
fn a_probe_counts_and_warns_when_nobody_is_listed() {
    let usual = probe(&*usual("none")).unwrap();
    assert_eq!(
        (usual.summary.as_str(), usual.warnings.len()),
        ("users: 1, admins: 1", 0)
    );
    assert_eq!(probe(&*connection(&[])).unwrap().warnings.len(), 1);
    assert_eq!(
        probe(&*connection(&[("fail", "credential_rejected")]))
            .unwrap_err()
            .code(),
        Code::CredentialRejected
    );
}
