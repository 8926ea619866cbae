//! A system of records for the scenario of the AuthZEN certification: two people, two records, eight rules.
//! SOURCE: openid/authzen, certification/authorization-api-1_0-scenario.md, "Required Policy Behaviour", read 2026-11-30.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, ready};
use toolpass_core::clock::Wall;
use toolpass_core::decision::Decision;
use toolpass_core::evidence::UpstreamCall;
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::http::budget::Context;
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_wire::endpoint::Endpoint;

toolpass_integration::actions! {
    Delete  "delete"  record  destructive  "delete";
    Read    "read"    record  read         "read";
    Wait    "wait"    record  read         "wait for";
    Write   "write"   record  write        "write to";
}

/// The product.
pub(crate) struct Record;

struct Records;

impl Integration for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    fn keys(&self) -> &'static [Key] {
        &[]
    }

    fn actions(&self) -> &'static [toolpass_integration::actions::ActionSpec] {
        TABLE
    }

    fn endpoints(&self, _: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        Ok(Vec::new())
    }

    fn connect(&self, _: Settings, _: Parts) -> Result<Arc<dyn Connection>, ConnectError> {
        Ok(Arc::new(Records))
    }
}

impl Connection for Records {
    fn identify<'a>(
        &'a self,
        _: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        let identity = Identity {
            id: person.user.as_str().to_owned(),
            ..Identity::default()
        };
        ready(Ok(identity)).boxed()
    }

    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        if Action::parse(&request.action) == Some(Action::Wait) {
            let waiting = Waiting::begin(request.resource.id());
            return async move {
                let _waiting = waiting;
                std::future::pending().await
            }
            .boxed();
        }
        ctx.recorder().record(UpstreamCall {
            path: "/records".into(),
            status: 200,
            took: Some(Duration::from_millis(30)),
            ..UpstreamCall::default()
        });
        ready(Ok(decide(request))).boxed()
    }

    fn credential_ends(&self) -> Option<Wall> {
        Some(Wall(Duration::from_secs(4_000_000_000)))
    }

    fn probe<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        let probe = Probe {
            summary: "two records".into(),
            warnings: Vec::new(),
        };
        ready(Ok(probe)).boxed()
    }
}

/// That somebody waits for a record, until this is dropped.
struct Waiting(String);

impl Waiting {
    fn begin(record: &str) -> Waiting {
        WAITING.lock().unwrap().insert(record.to_owned());
        Waiting(record.to_owned())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.lock().unwrap().remove(&self.0);
    }
}

static WAITING: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Return when somebody waits for a record, or nobody does.
pub(crate) fn until_waiting(record: &str, waits: bool) {
    while WAITING.lock().unwrap().contains(record) != waits {
        std::thread::yield_now();
    }
}

fn decide(request: &Request) -> Decision {
    let fact = |name: &str| request.facts.get(name).map(String::as_str);
    let is_archived = request.resource.param("status") == Some("archived");
    let is_alice = request.identity.id == "alice@example.com";
    let may = match Action::parse(&request.action) {
        Some(Action::Read | Action::Wait) => true,
        Some(Action::Write) if is_archived => fact("subject.role") == Some("admin"),
        Some(Action::Write) => is_alice,
        Some(Action::Delete) => is_alice && fact("action.soft") == Some("true"),
        None => false,
    };
    if may {
        Decision::allow("the fixture says so")
    } else {
        Decision::deny("the fixture says so")
    }
}
