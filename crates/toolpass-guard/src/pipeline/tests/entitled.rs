//! What a file of entitlements says before the body runs: steps 2b and 4.

use toolpass_wire::observe::{System, Systems};

use super::*;
use crate::entitlements::enforce::OnMissing;
use crate::entitlements::model::Entitlements;
use crate::entitlements::testing::{Row, set};
use crate::settings::EngineState;

/// A call of `deploy` on `repo="acme/x"`, whose own authorizer is a callable of the application, under these settings.
fn deploy(settings: Settings, file: Entitlements, change: impl FnOnce(&mut Tool)) -> Admission {
    let mut tool = Tool {
        authorize: Some(Authorize::Host),
        credential: None,
        sends_out: false,
        disclosure: crate::tool::Disclosure::default(),
        ..tool()
    };
    change(&mut tool);
    let arguments = [Argument {
        parameter: 0,
        value: Plain::Text("acme/x"),
        is_default: false,
        handle: None,
    }];
    let settings = Settings {
        entitlements: Some(Arc::new(file)),
        ..settings
    };
    let input = Begin {
        settings: Arc::new(settings),
        tool: Arc::new(tool),
        session: Some(dana()),
        arguments: Ok(&arguments),
        parent: None,
        now: Monotonic(Duration::ZERO),
        wall: Wall(Duration::ZERO),
        unhooked: None,
    };
    begin(input, &mut Says(true))
}

/// Settings with an engine and connections of this many systems called `github`.
fn settings(connections: &[&str]) -> Settings {
    let system = |connection: &&str| System {
        connection: (*connection).into(),
        integration: "github",
        table: None,
        endpoints: Vec::new(),
        owns: Arc::new(|_| true),
        private: false,
        strict_reads: false,
        is_served: false,
        vendor_hosts: &[],
    };
    Settings {
        engine: EngineState::Present,
        systems: KnownSystems::Known(Arc::new(Systems::new(
            connections.iter().map(system).collect(),
        ))),
        ..Settings::default()
    }
}

const READ: Row = ("github:repo.read", "repo:{repo}", "user", "read");
const PUSH: Row = ("github:repo.push", "repo:{repo}", "user", "write");
const ADMIN: Row = ("github:repo.admin", "repo:{repo}", "user", "destructive");
const AGENT: Row = ("github:repo.list", "repo:{repo}", "agent", "read");
const UNMAPPED: Row = ("github:unmapped.read", "path:/x", "user", "read");
const GLOB: Row = ("github:pr.read", "repo:acme/*", "user", "read");

/// Answer the application's authorizer with yes.
fn authorized(admission: Admission) -> Admission {
    let (Some(mut admission), Next::CallAuthorizer) = admission.next() else {
        panic!("expected the tool's own authorizer first")
    };
    admission.answer_authorizer(&AuthorizerAnswer::Decided {
        allowed: true,
        reason: String::new(),
        code: String::new(),
    });
    admission
}

fn asked_entitled(admission: Admission) -> (Admission, Arc<[Question]>) {
    match admission.next() {
        (Some(admission), Next::AskEntitled(questions)) => (admission, questions),
        _ => panic!("expected the questions of the entitlements"),
    }
}

fn runs(admission: Admission) -> Arc<Call> {
    match admission.next() {
        (None, Next::Run(permit)) => permit.enter(),
        _ => panic!("expected the body to run"),
    }
}

#[test]
fn a_tool_that_is_not_listed_is_refused_when_strict() {
    let strict = Settings {
        strict: true,
        ..settings(&[])
    };
    let other = || set(&[("other", &[], &[READ])]);
    let refusal = refused(deploy(strict.clone(), other(), |_| {}).next());
    assert_eq!(refusal, RefusalCode::NoEntitlements);
    let call = runs(authorized(deploy(settings(&[]), other(), |_| {})));
    let event = call.finish(&BodyEnd::Returned, now()).event;
    assert_eq!((event.entitled, event.code), (Some(false), None));
    let trial = Settings {
        on_missing: OnMissing::Warn,
        ..strict
    };
    let call = runs(authorized(deploy(trial, other(), |_| {})));
    let event = call.finish(&BodyEnd::Returned, now()).event;
    assert_eq!(event.outcome, CallOutcome::Ran);
    assert_eq!(event.code, Some(RefusalCode::NoEntitlements));
}

#[test]
fn an_entry_fits_what_the_tool_declares() {
    let file = || set(&[("deploy", &[], &[READ, ADMIN])]);
    let refusal = refused(deploy(settings(&["gh"]), file(), |_| {}).next());
    assert_eq!(refusal, RefusalCode::EffectMismatch);
    let undeclared = deploy(settings(&[]), file(), |tool| tool.effect = None);
    assert_eq!(undeclared.call().effect, Some(Effect::Destructive));
    for (kind, glob, expected) in [
        ("repo", "acme/*", None),
        ("repo", "beta/*", Some(RefusalCode::OutOfScope)),
        ("channel", "**", Some(RefusalCode::OutOfScope)),
    ] {
        let rule = ScopeRule::Globs(vec![Glob::compile(glob).unwrap()]);
        let admission = deploy(
            settings(&[]),
            set(&[("deploy", &[], &[UNMAPPED, READ])]),
            |tool| {
                tool.resources = vec![(kind.into(), rule)];
            },
        );
        let refusal = match admission.next() {
            (_, Next::Refuse(refusal)) => Some(refusal.code),
            _ => None,
        };
        assert_eq!(refusal, expected, "{kind} {glob}");
    }
}

#[test]
fn what_is_known_beforehand_is_asked_after_the_tools_own_authorizer() {
    let file = || set(&[("deploy", &[], &[UNMAPPED, GLOB, AGENT, PUSH, READ])]);
    let admission = authorized(deploy(settings(&["gh"]), file(), |_| {}));
    let (mut admission, questions) = asked_entitled(admission);
    let asked: Vec<_> = questions
        .iter()
        .map(|asked| (&*asked.connection, &*asked.action, &*asked.resource))
        .collect();
    assert_eq!(
        asked,
        [
            ("gh", "repo.push", "repo:acme/x"),
            ("gh", "repo.read", "repo:acme/x")
        ],
        "all at once, in the order of the file"
    );
    admission.answer_entitled(&[Decision::allow(""), Decision::allow("")], now());
    runs(admission);
}

/// What a call that plans to push, read and admin comes to with these answers.
fn answered(decisions: &[Decision]) -> Result<(), Refusal> {
    let file = set(&[("deploy", &[], &[PUSH, READ, ADMIN])]);
    let admission = deploy(settings(&["gh"]), file, |tool| tool.effect = None);
    let (mut admission, questions) = asked_entitled(authorized(admission));
    assert_eq!(questions.len(), 3);
    admission.answer_entitled(decisions, now());
    match admission.next() {
        (None, Next::Run(_)) => Ok(()),
        (None, Next::Refuse(refusal)) => Err(refusal),
        _ => panic!("expected an end"),
    }
}

#[test]
fn one_answer_that_is_no_allow_refuses() {
    let allow = || Decision::allow("");
    let unknown = || Decision::unknown(Code::UpstreamError, "nobody knows");
    assert!(answered(&[allow(), allow(), allow()]).is_ok());
    for (decisions, code, about) in [
        (
            [allow(), unknown(), allow()],
            RefusalCode::AuthorizationError,
            "repo.read",
        ),
        (
            [allow(), allow(), Decision::deny("no")],
            RefusalCode::NotAuthorized,
            "repo.admin",
        ),
        (
            [allow(), Decision::deny("no"), unknown()],
            RefusalCode::NotAuthorized,
            "repo.read",
        ),
        (
            [unknown(), Decision::deny("no"), allow()],
            RefusalCode::AuthorizationError,
            "repo.push",
        ),
    ] {
        let refusal = answered(&decisions).unwrap_err();
        assert_eq!(refusal.code, code, "the first in the order of the file");
        assert!(refusal.reason.contains(about), "{}", refusal.reason);
    }
}

#[test]
fn an_answer_too_few_or_too_many_refuses() {
    let allow = || Decision::allow("");
    for count in [0, 1, 2, 4] {
        let refusal = answered(&vec![allow(); count]).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::CheckError, "{count} answers");
    }
    let stopped = answered(&[allow(), Decision::deny("no")]).unwrap_err();
    assert_eq!(
        stopped.code,
        RefusalCode::NotAuthorized,
        "a refusal needs no more"
    );
}

#[test]
fn the_answers_are_taken_only_for_what_was_asked() {
    let file = || set(&[("deploy", &[], &[PUSH])]);
    let (mut admission, _) = asked_entitled(authorized(deploy(settings(&["gh"]), file(), |_| {})));
    admission.answer_decision(&Decision::allow(""), now());
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
    let (admission, _) = asked_entitled(authorized(deploy(settings(&["gh"]), file(), |_| {})));
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
}

#[test]
fn with_none_or_several_connections_the_requests_are_asked_about() {
    for connections in [&[][..], &["one", "two"]] {
        let file = set(&[("deploy", &[], &[READ])]);
        runs(authorized(deploy(settings(connections), file, |_| {})));
    }
}

#[test]
fn without_an_engine_nothing_of_the_users_passes() {
    let no_engine = || Settings {
        engine: EngineState::Absent,
        ..settings(&["gh"])
    };
    let file = set(&[("deploy", &[], &[READ])]);
    let admission = authorized(deploy(no_engine(), file, |_| {}));
    assert_eq!(refused(admission.next()), RefusalCode::NotConfigured);
    runs(authorized(deploy(
        no_engine(),
        set(&[("deploy", &[], &[AGENT, GLOB, UNMAPPED])]),
        |_| {},
    )));
}

#[test]
fn effects_and_entries_may_want_fresh_answers() {
    let mut file = set(&[("deploy", &[], &[READ, ADMIN])]);
    file.entry("deploy").actions[0].fresh = true;
    let admission = deploy(settings(&["gh"]), file, |tool| tool.effect = None);
    let (_, questions) = asked_entitled(authorized(admission));
    let fresh: Vec<_> = questions
        .iter()
        .map(|asked| asked.freshness.fresh)
        .collect();
    assert_eq!(fresh, [true, true], "its entry says so; it destroys");
}
