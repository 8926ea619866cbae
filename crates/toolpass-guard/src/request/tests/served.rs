//! Requests to systems that a server tells of, and names the requests of.

use toolpass_core::codes::Code;
use toolpass_core::question::Facts;
use toolpass_wire::extract::{Need, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::observe::Served;

use super::*;
use crate::pipeline::Admission;

/// The systems of the other tests, whose tables are elsewhere.
fn told() -> Arc<Systems> {
    let here = systems();
    let systems = here.iter().cloned().map(|system| System {
        is_served: true,
        table: None,
        ..system
    });
    Arc::new(Systems::new(systems.collect()))
}

fn served() -> Settings {
    Settings {
        systems: KnownSystems::Served,
        ..settings()
    }
}

fn begun(settings: Settings, session: &Session) -> Admission {
    let arguments: [crate::arguments::Argument<Plain>; 0] = [];
    let input = Begin {
        settings: Arc::new(settings),
        tool: Arc::new(tool()),
        session: Some(session.clone()),
        arguments: Ok(&arguments),
        parent: None,
        now: at(0),
        wall: Wall(Duration::ZERO),
        unhooked: None,
    };
    begin(input, &mut Nobody)
}

fn refusal(next: (Option<Admission>, Next)) -> Refusal {
    match next {
        (None, Next::Refuse(refusal)) => refusal,
        _ => panic!("expected a refusal"),
    }
}

fn running_served(session: &Session) -> Arc<Call> {
    match begun(served(), session).next() {
        (Some(mut admission), Next::Endpoints) => {
            admission.answer_endpoints(Ok(told()));
            match admission.next() {
                (None, Next::Run(permit)) => permit.enter(),
                _ => panic!("expected the body to run"),
            }
        }
        _ => panic!("expected the endpoints to be asked for"),
    }
}

fn row() -> RowInfo {
    RowInfo {
        method: "POST".into(),
        template: "".into(),
        sends_out: None,
        untrusted_output: false,
        sensitive: false,
        agent_sight: false,
        agent_only: None,
        fields: Vec::new(),
    }
}

fn need(resource: &str) -> Need {
    Need {
        action: Some("pr.create".into()),
        target: Some(Target::Resource(resource.into())),
        effect: Effect::Write,
        facts: Facts::from([("draft".into(), "true".into())]),
    }
}

fn mapped(needs: Vec<(Need, usize)>, row: RowInfo) -> Served {
    Served::Mapped {
        row,
        needs,
        effect: Effect::Write,
    }
}

/// Drive a request whose name is asked for.
fn named(
    call: &Arc<Call>,
    answer: Result<Served, Decision>,
    says: &dyn Fn(&Question) -> Decision,
) -> Met {
    let mut met = Met::default();
    let check = RequestCheck::new(call, None, request("POST", PULLS), at(0));
    let (Some(mut check), RequestNext::Observe { candidates }) = check.next(&Nobody, at(0)) else {
        panic!("expected the name to be asked for");
    };
    assert_eq!(candidates, [0, 1]);
    check.answer_served(answer);
    loop {
        check = match check.next(&Nobody, at(0)) {
            (_, RequestNext::Pass(_)) => return met,
            (_, RequestNext::Refuse(refusal)) => {
                met.refused = Some(refusal);
                return met;
            }
            (Some(mut rest), RequestNext::Ask(question)) => {
                rest.answer_decision(&question, &says(&question), at(0));
                met.asked.push(*question);
                rest
            }
            _ => panic!("nobody asks for this"),
        };
    }
}

#[test]
fn nothing_runs_before_a_server_told() {
    let session = dana();
    let (Some(mut admission), Next::Endpoints) = begun(served(), &session).next() else {
        panic!("expected the endpoints to be asked for");
    };
    admission.answer_endpoints(Err("client_error: not reached".into()));
    let refused = refusal(admission.next());
    assert_eq!(refused.code, RefusalCode::NotConfigured);
    assert!(refused.reason.contains("not reached"));
    let (Some(admission), Next::Endpoints) = begun(served(), &session).next() else {
        panic!("expected the endpoints to be asked for");
    };
    assert_eq!(refusal(admission.next()).code, RefusalCode::CheckError);
    let (Some(mut admission), Next::Endpoints) = begun(served(), &session).next() else {
        panic!("expected the endpoints to be asked for");
    };
    admission.answer_credential(Ok(()));
    assert_eq!(refusal(admission.next()).code, RefusalCode::CheckError);
    assert!(running_served(&session).systems().is_some());
}

#[test]
fn what_a_server_names_meets_every_rule() {
    let session = dana();
    let pair = || vec![(need("repo:acme/shop"), 1)];
    let met = named(&running_served(&session), Ok(mapped(pair(), row())), &allow);
    assert_eq!(code(&met), None);
    let question = &met.asked[0];
    assert_eq!(
        (question.connection.as_str(), question.resource.as_str()),
        ("two", "repo:acme/shop")
    );
    assert_eq!(question.facts["draft"], "true");
    let met = named(&running_served(&session), Ok(mapped(pair(), row())), &deny);
    assert_eq!(code(&met), Some(RefusalCode::NotAuthorized));
    let of_agent = RowInfo {
        agent_only: Some("it lists what the agent sees".into()),
        ..row()
    };
    for (answer, expected) in [
        (
            Ok(mapped(pair(), of_agent)),
            RefusalCode::UnresolvedResource,
        ),
        (Ok(mapped(Vec::new(), row())), RefusalCode::CheckError),
        (
            Ok(mapped(vec![(need("repo:acme/shop"), 2)], row())),
            RefusalCode::CheckError,
        ),
        (
            Ok(mapped(vec![(need("Repo:x"), 0)], row())),
            RefusalCode::UnresolvedResource,
        ),
        (Ok(Served::Ambiguous), RefusalCode::AmbiguousConnection),
        (
            Ok(Served::HostMismatch { reason: "x".into() }),
            RefusalCode::HostMismatch,
        ),
        (
            Ok(Served::Unmapped {
                effect: Effect::Write,
            }),
            RefusalCode::UnmappedAction,
        ),
        (
            Ok(Served::Unresolved {
                effect: Effect::Read,
                reason: Unresolved::new("x"),
            }),
            RefusalCode::UnresolvedResource,
        ),
        (
            Err(Decision::unknown(Code::ClientError, "x")),
            RefusalCode::AuthorizationError,
        ),
        (
            Err(Decision::unknown(Code::Unauthorized, "x")),
            RefusalCode::NotConfigured,
        ),
        (Err(Decision::allow("x")), RefusalCode::AuthorizationError),
        (Err(Decision::deny("x")), RefusalCode::AuthorizationError),
    ] {
        let shown = format!("{answer:?}");
        let met = named(&running_served(&session), answer, &allow);
        assert_eq!(code(&met), Some(expected), "{shown}");
        assert!(met.asked.is_empty(), "{shown}");
    }
    let met = named(
        &running_served(&session),
        Ok(Served::Unmapped {
            effect: Effect::Read,
        }),
        &allow,
    );
    assert_eq!(code(&met), None);
    assert!(session.saw_untrusted());
}

#[test]
fn a_name_that_is_not_given_refuses() {
    let session = dana();
    let call = running_served(&session);
    let check = RequestCheck::new(&call, None, request("POST", PULLS), at(0));
    let (Some(check), RequestNext::Observe { .. }) = check.next(&Nobody, at(0)) else {
        panic!("expected the name to be asked for");
    };
    let (None, RequestNext::Refuse(refusal)) = check.next(&Nobody, at(0)) else {
        panic!("expected a refusal");
    };
    assert_eq!(refusal.code, RefusalCode::CheckError);
    let mut check = RequestCheck::new(&call, None, request("POST", REPO), at(0));
    check.answer_served(Ok(mapped(vec![(need("repo:acme/shop"), 0)], row())));
    let (None, RequestNext::Refuse(refusal)) = check.next(&Nobody, at(0)) else {
        panic!("expected a refusal");
    };
    assert_eq!(refusal.code, RefusalCode::CheckError);
}
