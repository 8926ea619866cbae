//! The order of checks around a call: who refuses first, and what is taken and given back.

mod entitled;
mod outside;
mod stored;

use std::time::Duration;

use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::codes::Code;
use toolpass_core::effect::Effect;
use toolpass_core::glob::Glob;
use toolpass_core::template::Template;

use super::*;
use crate::audit::CallOutcome;
use crate::call::BodyEnd;
use crate::hint::Hint;
use crate::scope::{PredicateId, ScopeRule, Verdict};
use crate::session::Memory;
use crate::session::caps::Limit;
use crate::tool::{Disclosure, Outside, Parameter, ParameterKind};
use crate::value::tests::Plain;

/// A host whose every callable says the same.
struct Says(bool);

impl Host<Plain> for Says {
    fn validate(&mut self, _: usize, _: &Plain) -> Verdict {
        if self.0 {
            Verdict::Accept
        } else {
            Verdict::Reject(None)
        }
    }

    fn holds(&mut self, _: PredicateId, _: &Plain) -> bool {
        self.0
    }
}

impl AskText for Says {
    fn holds_text(&self, _: PredicateId, _: &str) -> bool {
        self.0
    }
}

fn parameter(name: &str) -> Parameter {
    Parameter {
        name: name.into(),
        kind: ParameterKind::Either,
        hint: Hint::Text,
        hint_shown: "str".into(),
        has_default: false,
        validated: false,
        scope: None,
    }
}

/// A tool with every check there is, in the words of its one argument `repo`.
fn tool() -> Tool {
    Tool {
        name: "deploy".into(),
        effect: Some(Effect::Write),
        parameters: vec![Parameter {
            scope: Some(ScopeRule::Globs(vec![Glob::compile("acme/*").unwrap()])),
            validated: true,
            ..parameter("repo")
        }],
        resources: Vec::new(),
        limit: Some(Limit::of_session(1)),
        authorize: Some(Authorize::Permission(Permission {
            connection: "gh".into(),
            action: "repo.push".into(),
            resource: Template::parse("repo:{repo}").unwrap(),
            fresh: false,
        })),
        credential: Some("token".into()),
        untrusted_output: false,
        reads_private: true,
        sends_out: true,
        disclosure: Disclosure::default(),
        outside: Outside::default(),
    }
}

fn dana() -> Session {
    Session::new("dana@example.com", None, None, None, Memory::new([1; 16])).unwrap()
}

fn start(tool: Tool, session: Option<&Session>, repo: Plain, validator: bool) -> Admission {
    let arguments = [Argument {
        parameter: 0,
        value: repo,
        is_default: false,
        handle: None,
    }];
    let input = Begin {
        settings: Arc::new(Settings::default()),
        tool: Arc::new(tool),
        session: session.cloned(),
        arguments: Ok(&arguments),
        parent: None,
        now: Monotonic(Duration::ZERO),
        wall: Wall(Duration::ZERO),
        unhooked: None,
    };
    begin(input, &mut Says(validator))
}

fn refused(next: (Option<Admission>, Next)) -> RefusalCode {
    match next {
        (_, Next::Refuse(refusal)) => refusal.code,
        _ => panic!("expected a refusal"),
    }
}

fn asked(next: (Option<Admission>, Next)) -> (Admission, Question) {
    match next {
        (Some(admission), Next::Ask(question)) => (admission, (*question).clone()),
        _ => panic!("expected a question"),
    }
}

fn now() -> Monotonic {
    Monotonic(Duration::from_secs(1))
}

#[test]
fn everything_is_asked_in_order_and_the_body_runs() {
    let session = dana();
    let (mut admission, question) =
        asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
    assert_eq!(
        (question.action.as_str(), question.resource.as_str()),
        ("repo.push", "repo:acme/x")
    );
    assert!(
        !session.read_private(),
        "the session is marked only when the body begins"
    );
    admission.answer_decision(&Decision::allow("yes"), now());
    let (admission, next) = admission.next();
    let Next::FetchCredential(name) = next else {
        panic!("expected the credential to be fetched")
    };
    assert_eq!(name, "token");
    let mut admission = admission.unwrap();
    admission.answer_credential(Ok(()));
    let (None, Next::Run(permit)) = admission.next() else {
        panic!("expected a permit")
    };
    let call = permit.enter();
    assert!(session.read_private());
    assert_eq!(session.count(&Key::Tool("deploy".into())), 1);
    let finished = call.finish(&BodyEnd::Returned, now());
    assert_eq!(finished.event.outcome, CallOutcome::Ran);
    assert_eq!(finished.event.duration_us, 1_000_000);
    assert!(finished.event.authorization.unwrap().starts_with("allow"));
}

/// A call whose checks are all answered but for the last: whether its event is written.
fn unwritten(session: &Session) -> Admission {
    let arguments = [Argument {
        parameter: 0,
        value: Plain::Text("acme/x"),
        is_default: false,
        handle: None,
    }];
    let input = Begin {
        settings: Arc::new(Settings {
            on_audit_error: OnAuditError::Refuse,
            ..Settings::default()
        }),
        tool: Arc::new(tool()),
        session: Some(session.clone()),
        arguments: Ok(&arguments),
        parent: None,
        now: Monotonic(Duration::ZERO),
        wall: Wall(Duration::ZERO),
        unhooked: None,
    };
    let (mut admission, _) = asked(begin(input, &mut Says(true)).next());
    admission.answer_decision(&Decision::allow("yes"), now());
    let (Some(mut admission), Next::FetchCredential(_)) = admission.next() else {
        panic!("expected the credential to be fetched")
    };
    admission.answer_credential(Ok(()));
    let (Some(admission), Next::Audit) = admission.next() else {
        panic!("expected the event to be written")
    };
    admission
}

#[test]
fn a_body_begins_when_its_event_is_written() {
    let session = dana();
    let mut admission = unwritten(&session);
    let started = admission.call().started(now());
    assert_eq!(started.outcome, CallOutcome::Started);
    assert!(started.authorization.unwrap().starts_with("allow"));
    assert!(
        !session.read_private(),
        "the session is marked only when the body begins"
    );
    admission.answer_audit(Ok(()));
    let (None, Next::Run(permit)) = admission.next() else {
        panic!("expected a permit")
    };
    let event = permit.enter().finish(&BodyEnd::Returned, now()).event;
    assert_eq!((event.id, event.outcome), (started.id, CallOutcome::Ran));
}

#[test]
fn without_its_event_no_body_begins() {
    let session = dana();
    let mut admission = unwritten(&session);
    admission.answer_audit(Err("OSError".into()));
    admission.answer_audit(Ok(()));
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
    assert_eq!(
        refused(unwritten(&session).next()),
        RefusalCode::CheckError,
        "an answer left out is no yes"
    );
    assert_eq!(session.count(&Key::Tool("deploy".into())), 0);
    assert!(!session.read_private());
}

#[test]
fn each_step_refuses_with_its_own_code() {
    let session = dana();
    assert_eq!(
        refused(start(tool(), None, Plain::Text("acme/x"), true).next()),
        RefusalCode::NoSession
    );
    assert_eq!(
        refused(start(tool(), Some(&session), Plain::Int(1), true).next()),
        RefusalCode::InvalidArguments
    );
    assert_eq!(
        refused(start(tool(), Some(&session), Plain::Text("acme/x"), false).next()),
        RefusalCode::InvalidArguments
    );
    assert_eq!(
        refused(start(tool(), Some(&session), Plain::Text("other/x"), true).next()),
        RefusalCode::OutOfScope
    );
    for (code, expected) in [
        (Code::Denied, RefusalCode::NotAuthorized),
        (Code::UserNotFound, RefusalCode::NotAuthorized),
        (Code::UpstreamTimeout, RefusalCode::AuthorizationError),
        (Code::UnknownAction, RefusalCode::NotConfigured),
    ] {
        let (mut admission, _) =
            asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
        admission.answer_decision(&Decision::new(code, "so it is"), now());
        assert_eq!(refused(admission.next()), expected, "{code}");
    }
    assert_eq!(
        session.count(&Key::Tool("deploy".into())),
        0,
        "what a refused call took is given back"
    );
}

#[test]
fn a_limit_is_spent_by_the_body_and_by_nothing_before_it() {
    let session = dana();
    let (admission, _) = asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
    assert_eq!(
        refused(start(tool(), Some(&session), Plain::Text("acme/x"), true).next()),
        RefusalCode::LimitReached
    );
    drop(admission);
    let (mut admission, _) =
        asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
    admission.answer_decision(&Decision::allow(""), now());
    let (Some(mut admission), Next::FetchCredential(_)) = admission.next() else {
        panic!("expected the credential")
    };
    admission.answer_credential(Err("KeyError".into()));
    assert_eq!(refused(admission.next()), RefusalCode::CredentialError);
    assert_eq!(session.count(&Key::Tool("deploy".into())), 0);
}

#[test]
fn a_resource_that_cannot_be_filled_is_refused_before_anyone_is_asked() {
    let session = dana();
    for hostile in [
        "acme/x?ref=1",
        "acme/../other",
        "acme/x@main",
        "acme/x y",
        "",
        "acme/%2e",
    ] {
        let mut open = tool();
        for parameter in &mut open.parameters {
            parameter.scope = None;
        }
        let hostile: &'static str = hostile;
        assert_eq!(
            refused(start(open, Some(&session), Plain::Text(hostile), true).next()),
            RefusalCode::InvalidArguments,
            "{hostile:?}"
        );
    }
}

#[test]
fn the_three_legs_are_refused_after_authorization_and_before_the_credential() {
    let session = dana();
    session.mark_private::<&str>("payroll", &[]);
    session.mark_untrusted();
    let (mut admission, _) =
        asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
    admission.answer_decision(&Decision::allow(""), now());
    assert_eq!(refused(admission.next()), RefusalCode::ExfiltrationRisk);
}

#[test]
fn a_crash_refuses() {
    let session = dana();
    let mut admission = start(tool(), Some(&session), Plain::Text("acme/x"), true);
    admission.crashed("RuntimeError");
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
}

#[test]
fn an_authorizer_must_say_yes_plainly() {
    let decided = |allowed: bool, code: &str| AuthorizerAnswer::Decided {
        allowed,
        reason: String::new(),
        code: code.into(),
    };
    let session = dana();
    for (answer, expected) in [
        (decided(true, ""), None),
        (decided(false, ""), Some(RefusalCode::NotAuthorized)),
        (
            decided(false, "not_configured"),
            Some(RefusalCode::NotConfigured),
        ),
        (
            decided(false, "limit_reached"),
            Some(RefusalCode::NotAuthorized),
        ),
        (
            AuthorizerAnswer::Odd("int".into()),
            Some(RefusalCode::AuthorizationError),
        ),
        (
            AuthorizerAnswer::Raised("ValueError".into()),
            Some(RefusalCode::AuthorizationError),
        ),
    ] {
        let tool = Tool {
            authorize: Some(Authorize::Host),
            credential: None,
            limit: None,
            ..tool()
        };
        let (Some(mut admission), Next::CallAuthorizer) =
            start(tool, Some(&session), Plain::Text("acme/x"), true).next()
        else {
            panic!("expected the authorizer to be called")
        };
        admission.answer_authorizer(&answer);
        match (admission.next(), expected) {
            ((None, Next::Run(permit)), None) => drop(permit),
            ((None, Next::Refuse(refusal)), Some(code)) => {
                assert_eq!(refusal.code, code, "{answer:?}")
            }
            _ => panic!("{answer:?}"),
        }
    }
}

#[test]
fn an_answer_left_out_is_no_allow() {
    let session = dana();
    let begun = || start(tool(), Some(&session), Plain::Text("acme/x"), true);
    let (admission, _) = asked(begun().next());
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
    let by_host = Tool {
        authorize: Some(Authorize::Host),
        ..tool()
    };
    let (Some(admission), Next::CallAuthorizer) =
        start(by_host, Some(&session), Plain::Text("acme/x"), true).next()
    else {
        panic!("expected the authorizer to be called")
    };
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
    let (mut admission, _) = asked(begun().next());
    admission.answer_decision(&Decision::allow(""), now());
    let (Some(admission), Next::FetchCredential(_)) = admission.next() else {
        panic!("expected the credential to be fetched")
    };
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
    assert_eq!(session.count(&Key::Tool("deploy".into())), 0);
}

#[test]
fn no_second_answer_and_no_other_one_takes_a_no_back() {
    let session = dana();
    let denied = || {
        let (mut admission, _) =
            asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
        admission.answer_decision(&Decision::deny("no"), now());
        admission
    };
    let mut admission = denied();
    admission.answer_decision(&Decision::allow(""), now());
    assert_eq!(refused(admission.next()), RefusalCode::NotAuthorized);
    let mut admission = denied();
    admission.answer_credential(Err("KeyError".into()));
    assert_eq!(refused(admission.next()), RefusalCode::NotAuthorized);
    let (mut admission, _) =
        asked(start(tool(), Some(&session), Plain::Text("acme/x"), true).next());
    admission.answer_credential(Ok(()));
    assert_eq!(refused(admission.next()), RefusalCode::CheckError);
}

#[test]
fn a_refusal_is_the_end_of_an_admission() {
    let session = dana();
    let arguments: [Argument<Plain>; 0] = [];
    let input = Begin {
        settings: Arc::new(Settings {
            systems: KnownSystems::NeverTold,
            strict: true,
            ..Settings::default()
        }),
        tool: Arc::new(Tool {
            parameters: Vec::new(),
            authorize: Some(Authorize::Host),
            ..tool()
        }),
        session: Some(session),
        arguments: Ok(&arguments),
        parent: None,
        now: now(),
        wall: Wall(Duration::ZERO),
        unhooked: None,
    };
    let (rest, next) = begin(input, &mut Says(true)).next();
    assert!(rest.is_none());
    assert_eq!(refused((rest, next)), RefusalCode::NotConfigured);
}
