//! The rules at a request, against two small systems.

mod entitled;
mod outside;
mod process;
mod published;
mod served;
mod unattributed;

use std::time::Duration;

use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_core::glob::Glob;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::endpoint::Endpoint;
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::observe::{System, Systems};
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::table::{Audience, Route, Rows};

use super::*;
use crate::audit::CallOutcome;
use crate::call::BodyEnd;
use crate::pipeline::{Begin, Next, begin};
use crate::scope::{Host, PredicateId, ScopeRule, Verdict};
use crate::session::Memory;
use crate::session::caps::{Key, Limit};
use crate::settings::{EngineState, KnownSystems, Settings, UnknownHosts};
use crate::tool::{Disclosure, Outside, Tool};
use crate::value::tests::Plain;

struct Nobody;

impl Host<Plain> for Nobody {
    fn validate(&mut self, _: usize, _: &Plain) -> Verdict {
        Verdict::Reject(None)
    }

    fn holds(&mut self, _: PredicateId, _: &Plain) -> bool {
        false
    }
}

impl AskText for Nobody {
    fn holds_text(&self, _: PredicateId, _: &str) -> bool {
        false
    }
}

fn systems() -> Systems {
    let row = |method: &'static str, path: &'static str, action: &'static str| {
        Route::new(
            method,
            path,
            Some(action.into()),
            Some("repo:{owner}/{repo}".into()),
        )
    };
    let rows = Rows {
        routes: vec![
            row("GET", "/repos/{owner}/{repo}", "repo.read"),
            row("POST", "/repos/{owner}/{repo}/pulls", "pr.create").sends_out(),
            row("POST", "/repos/{owner}/{repo}/public", "repo.admin").sends_to(Audience::Public),
            row("POST", "/repos/{owner}/{repo}/memo", "repo.push").sends_to(Audience::Org),
            row("DELETE", "/repos/{owner}/{repo}", "repo.admin"),
            row("GET", "/repos/{owner}/{repo}/token", "repo.admin").sensitive(),
            Route::new("GET", "/search", None, None).agent_only("it lists what the agent sees"),
            row("GET", "/repos/{owner}/{repo}/all", "repo.read").agent_sight(),
        ],
        ..Rows::default()
    };
    let table: &'static RouteTable = Box::leak(Box::new(RouteTable::build(rows).unwrap()));
    let system = |connection: &str, owner: &'static str| System {
        connection: connection.into(),
        integration: "github",
        table: Some(table),
        endpoints: vec![Endpoint::parse("https://git.example.com/api").unwrap()],
        owns: Arc::new(move |resource| resource.id().starts_with(owner)),
        private: false,
        strict_reads: false,
        is_served: false,
        vendor_hosts: &["vendor.example"],
    };
    Systems::new(vec![system("one", "acme/"), system("two", "beta/")])
}

fn settings() -> Settings {
    Settings {
        engine: EngineState::Present,
        systems: KnownSystems::Known(Arc::new(systems())),
        ..Settings::default()
    }
}

fn tool() -> Tool {
    Tool {
        name: "t".into(),
        effect: None,
        parameters: Vec::new(),
        resources: Vec::new(),
        limit: None,
        authorize: None,
        credential: None,
        untrusted_output: false,
        reads_private: false,
        sends_out: false,
        disclosure: Disclosure::default(),
        outside: Outside::default(),
    }
}

fn running(settings: Settings, tool: Tool, session: &Session) -> Arc<Call> {
    let arguments: [crate::arguments::Argument<Plain>; 0] = [];
    let input = Begin {
        settings: Arc::new(settings),
        tool: Arc::new(tool),
        session: Some(session.clone()),
        arguments: Ok(&arguments),
        parent: None,
        now: at(0),
        wall: Wall(Duration::ZERO),
        unhooked: None,
    };
    match begin(input, &mut Nobody).next() {
        (None, Next::Run(permit)) => permit.enter(),
        _ => panic!("expected the body to run"),
    }
}

fn at(seconds: u64) -> Monotonic {
    Monotonic(Duration::from_secs(seconds))
}

fn dana() -> Session {
    Session::new(
        "dana@example.com",
        Some(vec!["dev".into()]),
        None,
        None,
        Memory::new([1; 16]),
    )
    .unwrap()
}

fn request(method: &str, url: &str) -> Arc<WireRequest> {
    with_body(method, url, RawBody::None)
}

fn with_body(method: &str, url: &str, body: RawBody<'_>) -> Arc<WireRequest> {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (host, target) = rest.split_at(rest.find('/').unwrap());
    let (host, port) = match host.split_once(':') {
        Some((host, port)) => (host, Some(port.parse().unwrap())),
        None => (host, None),
    };
    let raw = RawRequest {
        scheme,
        host,
        port,
        method,
        target,
        headers: vec![("content-type", b"text/plain")],
        body,
    };
    Arc::new(WireRequest::read(raw, &Limits::default()))
}

/// What a driver met on the way, and the end.
#[derive(Debug, Default)]
struct Met {
    asked: Vec<Question>,
    refused: Option<Refusal>,
    located: bool,
}

/// Drive a request with an engine that answers by resource.
fn drive(
    call: &Arc<Call>,
    block: Option<ActAs>,
    request: Arc<WireRequest>,
    seconds: u64,
    answer: &dyn Fn(&Question) -> Decision,
) -> Met {
    let mut met = Met::default();
    let mut check = RequestCheck::new(call, block, request, at(seconds));
    loop {
        let (rest, next) = check.next(&Nobody, at(seconds));
        check = match (rest, next) {
            (_, RequestNext::Pass(_)) => return met,
            (_, RequestNext::Refuse(refusal)) => {
                met.refused = Some(refusal);
                return met;
            }
            (Some(mut rest), RequestNext::Ask(question)) => {
                rest.answer_decision(&question, &answer(&question), at(seconds));
                met.asked.push(*question);
                rest
            }
            (Some(mut rest), RequestNext::Locate { .. }) => {
                met.located = true;
                rest.answer_addresses(&[]);
                rest
            }
            (Some(mut rest), RequestNext::See { .. }) => {
                rest.answer_visibility(Ok(None));
                rest
            }
            (
                _,
                RequestNext::Observe { .. }
                | RequestNext::Resolve { .. }
                | RequestNext::Session(..),
            )
            | (None, _) => {
                panic!("nothing points here")
            }
        };
    }
}

fn allow(_: &Question) -> Decision {
    Decision::allow("")
}

fn deny(_: &Question) -> Decision {
    Decision::deny("no")
}

fn code(met: &Met) -> Option<RefusalCode> {
    met.refused.as_ref().map(|refusal| refusal.code)
}

const PULLS: &str = "https://git.example.com/api/repos/acme/shop/pulls";
const REPO: &str = "https://git.example.com/api/repos/acme/shop";

#[test]
fn the_user_is_asked_and_refused_once() {
    let session = dana();
    let call = running(settings(), tool(), &session);
    let met = drive(&call, None, request("POST", PULLS), 0, &deny);
    assert_eq!(code(&met), Some(RefusalCode::NotAuthorized));
    let question = &met.asked[0];
    assert_eq!(
        (
            question.connection.as_str(),
            question.action.as_str(),
            question.resource.as_str()
        ),
        ("one", "pr.create", "repo:acme/shop")
    );
    assert_eq!(question.groups, ["dev"]);
    let again = drive(&call, None, request("POST", PULLS), 0, &allow);
    assert_eq!(code(&again), Some(RefusalCode::NotAuthorized));
    assert!(
        again.asked.is_empty(),
        "rule 0: the same request is not asked again"
    );
    let finished = call.finish(&BodyEnd::Returned, at(1));
    assert_eq!(
        finished.event.outcome,
        CallOutcome::Refused,
        "a swallowed refusal is still the outcome"
    );
    assert_eq!(finished.event.actions.len(), 1);
    let action = &finished.event.actions[0];
    assert_eq!(action.action.as_deref(), Some("github:pr.create"));
    assert!(action.sends_out && !action.allowed);
}

#[test]
fn the_connection_is_the_one_that_owns_the_resource() {
    let call = running(settings(), tool(), &dana());
    let met = drive(
        &call,
        None,
        request("GET", "https://git.example.com/api/repos/beta/x"),
        0,
        &allow,
    );
    assert_eq!(met.asked[0].connection, "two");
    let met = drive(
        &call,
        None,
        request("GET", "https://git.example.com/api/repos/gamma/x"),
        0,
        &allow,
    );
    assert_eq!(code(&met), Some(RefusalCode::AmbiguousConnection));
    assert!(met.asked.is_empty());
}

#[test]
fn the_agent_is_not_asked_for() {
    let call = running(settings(), tool(), &dana());
    let met = drive(&call, Some(ActAs::Agent), request("POST", PULLS), 0, &deny);
    assert!(met.refused.is_none() && met.asked.is_empty());
    let finished = call.finish(&BodyEnd::Returned, at(1));
    assert!(finished.event.actions[0].as_agent);
    let call = running(
        Settings {
            act_as: ActAs::Agent,
            ..settings()
        },
        tool(),
        &dana(),
    );
    assert_eq!(
        code(&drive(
            &call,
            Some(ActAs::User),
            request("POST", PULLS),
            0,
            &deny
        )),
        Some(RefusalCode::NotAuthorized)
    );
}

#[test]
fn an_allow_is_reused_for_five_seconds_and_never_for_a_destructive_request() {
    let call = running(settings(), tool(), &dana());
    assert_eq!(
        drive(&call, None, request("GET", REPO), 0, &allow)
            .asked
            .len(),
        1
    );
    assert_eq!(
        drive(&call, None, request("GET", REPO), 5, &allow)
            .asked
            .len(),
        0
    );
    assert_eq!(
        drive(&call, None, request("GET", REPO), 6, &allow)
            .asked
            .len(),
        1
    );
    for _ in 0..2 {
        let met = drive(&call, None, request("DELETE", REPO), 6, &allow);
        assert!(met.asked[0].freshness.fresh);
    }
}

#[test]
fn what_no_route_knows_is_refused_when_it_writes() {
    let session = dana();
    let call = running(settings(), tool(), &session);
    assert_eq!(
        code(&drive(
            &call,
            None,
            request("POST", "https://git.example.com/api/new"),
            0,
            &allow
        )),
        Some(RefusalCode::UnmappedAction)
    );
    assert!(!session.saw_untrusted());
    assert_eq!(
        code(&drive(
            &call,
            None,
            request("GET", "https://git.example.com/api/new"),
            0,
            &deny
        )),
        None
    );
    assert!(session.saw_untrusted(), "an unmapped read passes untrusted");
    let strict = running(
        Settings {
            strict: true,
            ..settings()
        },
        tool(),
        &dana(),
    );
    assert_eq!(
        code(&drive(
            &strict,
            None,
            request("GET", "https://git.example.com/api/new"),
            0,
            &allow
        )),
        Some(RefusalCode::UnmappedAction)
    );
}

#[test]
fn rows_of_the_agents_own_sight() {
    let call = running(settings(), tool(), &dana());
    let search = "https://git.example.com/api/search";
    assert_eq!(
        code(&drive(&call, None, request("GET", search), 0, &allow)),
        Some(RefusalCode::UnresolvedResource)
    );
    let listing = "https://git.example.com/api/repos/acme/x/all";
    assert_eq!(
        code(&drive(&call, None, request("GET", listing), 0, &allow)),
        None
    );
    let strict = running(
        Settings {
            strict: true,
            ..settings()
        },
        tool(),
        &dana(),
    );
    assert_eq!(
        code(&drive(&strict, None, request("GET", listing), 0, &allow)),
        Some(RefusalCode::UnresolvedResource)
    );
    let strict = running(
        Settings {
            strict: true,
            ..settings()
        },
        tool(),
        &dana(),
    );
    assert_eq!(
        code(&drive(
            &strict,
            Some(ActAs::Agent),
            request("GET", listing),
            0,
            &deny
        )),
        None
    );
}

#[test]
fn hosts_of_no_connection() {
    let session = dana();
    let call = running(settings(), tool(), &session);
    let other = "https://other.example/x";
    let met = drive(
        &call,
        None,
        with_body("POST", other, RawBody::Bytes(b"x")),
        0,
        &deny,
    );
    assert!(met.refused.is_none() && met.located && met.asked.is_empty());
    assert!(session.saw_untrusted());
    session.mark_private::<&str>("payroll", &[]);
    assert_eq!(
        code(&drive(
            &call,
            None,
            with_body("POST", other, RawBody::Bytes(b"y")),
            0,
            &allow
        )),
        Some(RefusalCode::ExfiltrationRisk)
    );
    let long = format!("{other}?q={}", "a".repeat(300));
    assert_eq!(
        code(&drive(&call, None, request("GET", &long), 0, &allow)),
        Some(RefusalCode::ExfiltrationRisk)
    );
    assert_eq!(
        code(&drive(&call, None, request("GET", other), 0, &allow)),
        None
    );

    for refusing in [
        Settings {
            strict: true,
            ..settings()
        },
        Settings {
            unknown_hosts: UnknownHosts::Refuse,
            ..settings()
        },
    ] {
        let call = running(refusing, tool(), &dana());
        assert_eq!(
            code(&drive(
                &call,
                Some(ActAs::Agent),
                request("GET", other),
                0,
                &allow
            )),
            Some(RefusalCode::UnknownHost)
        );
    }
    let call = running(settings(), tool(), &dana());
    assert_eq!(
        code(&drive(
            &call,
            None,
            request("POST", "https://api.vendor.example/x"),
            0,
            &allow
        )),
        Some(RefusalCode::UnknownHost)
    );
    assert_eq!(
        code(&drive(
            &call,
            None,
            request("GET", "https://169.254.169.254/latest"),
            0,
            &allow
        )),
        Some(RefusalCode::UnknownHost)
    );
    assert_eq!(
        code(&drive(
            &call,
            None,
            request("GET", "http://git.example.com/api/repos/acme/shop"),
            0,
            &allow
        )),
        Some(RefusalCode::HostMismatch)
    );
}

#[test]
fn another_name_of_a_connections_server_is_refused() {
    let settings = settings();
    let KnownSystems::Known(systems) = &settings.systems else {
        panic!("known")
    };
    systems.learn_address(0, "10.1.2.3".parse().unwrap());
    systems.learn_address(0, "140.82.121.6".parse().unwrap());
    let locate = |host: &str, address: &str| {
        let call = running(settings.clone(), tool(), &dana());
        let check = RequestCheck::new(
            &call,
            None,
            request("GET", &format!("https://{host}/api/repos/acme/shop")),
            at(0),
        );
        let (Some(mut check), RequestNext::Locate { .. }) = check.next(&Nobody, at(0)) else {
            return Some(RefusalCode::UnknownHost);
        };
        check.answer_addresses(&[address.parse().unwrap()]);
        match check.next(&Nobody, at(0)) {
            (None, RequestNext::Refuse(refusal)) => Some(refusal.code),
            _ => None,
        }
    };
    assert_eq!(
        locate("alias.example", "10.1.2.3"),
        Some(RefusalCode::UnknownHost)
    );
    assert_eq!(locate("alias.example", "10.9.9.9"), None);
    assert_eq!(
        locate("alias.example", "140.82.121.6"),
        None,
        "a public address is shared by many names"
    );
    assert_eq!(
        locate("140.82.121.6", "140.82.121.6"),
        Some(RefusalCode::UnknownHost)
    );
    assert_eq!(
        locate("rebind.example", "169.254.169.254"),
        Some(RefusalCode::UnknownHost)
    );
}

#[test]
fn a_tools_own_declarations_hold_its_requests() {
    let reads = Tool {
        effect: Some(Effect::Read),
        ..tool()
    };
    let call = running(settings(), reads, &dana());
    assert_eq!(
        code(&drive(&call, None, request("POST", PULLS), 0, &allow)),
        Some(RefusalCode::EffectExceeded)
    );
    assert_eq!(
        code(&drive(
            &call,
            None,
            with_body("POST", "https://other.example/", RawBody::None),
            0,
            &allow
        )),
        Some(RefusalCode::EffectExceeded)
    );

    let rules = vec![
        (
            "repo".to_owned(),
            ScopeRule::Globs(vec![Glob::compile("acme/sh*").unwrap()]),
        ),
        (
            "team".to_owned(),
            ScopeRule::Globs(vec![Glob::compile("none").unwrap()]),
        ),
    ];
    let call = running(
        settings(),
        Tool {
            resources: rules,
            ..tool()
        },
        &dana(),
    );
    assert_eq!(
        code(&drive(&call, None, request("GET", REPO), 0, &allow)),
        None
    );
    assert_eq!(
        code(&drive(
            &call,
            None,
            request("GET", "https://git.example.com/api/repos/acme/other"),
            0,
            &allow
        )),
        Some(RefusalCode::OutOfScope)
    );
}

#[test]
fn a_limit_counts_requests_and_gives_back_what_was_refused() {
    let session = dana();
    let limited = Settings {
        limits: [None, Some(Limit::of_session(1)), None],
        ..settings()
    };
    let call = running(limited, tool(), &session);
    assert_eq!(
        code(&drive(&call, None, request("POST", PULLS), 0, &deny)),
        Some(RefusalCode::NotAuthorized)
    );
    assert_eq!(session.count(&Key::Effect(Effect::Write)), 0);
    let other = "https://git.example.com/api/repos/acme/other/pulls";
    assert_eq!(
        code(&drive(&call, None, request("POST", other), 0, &allow)),
        None
    );
    let third = "https://git.example.com/api/repos/acme/third/pulls";
    let met = drive(&call, None, request("POST", third), 0, &allow);
    assert_eq!(code(&met), Some(RefusalCode::LimitReached));
    assert!(met.asked.is_empty());
}

#[test]
fn without_an_engine_nothing_is_asked_and_nothing_passes() {
    let call = running(
        Settings {
            engine: EngineState::Absent,
            ..settings()
        },
        tool(),
        &dana(),
    );
    assert_eq!(
        code(&drive(&call, None, request("GET", REPO), 0, &allow)),
        Some(RefusalCode::NotConfigured)
    );
}

#[test]
fn every_unknown_answer_refuses() {
    for unknown in Code::ALL.iter().filter(|code| **code != Code::Allowed) {
        let call = running(settings(), tool(), &dana());
        let met = drive(&call, None, request("GET", REPO), 0, &|_| {
            Decision::new(*unknown, "")
        });
        assert!(met.refused.is_some(), "{unknown}");
    }
}

#[test]
fn sensitive_answers_mark_the_session_private_and_are_asked_fresh() {
    let session = dana();
    let call = running(settings(), tool(), &session);
    let met = drive(
        &call,
        None,
        request("GET", "https://git.example.com/api/repos/acme/shop/token"),
        0,
        &allow,
    );
    assert!(met.asked[0].freshness.fresh);
    assert!(session.read_private());
}

#[test]
fn a_permit_is_for_one_request_and_used_once() {
    let call = running(settings(), tool(), &dana());
    let asked = request("POST", PULLS);
    let _permit = passed(&call, &asked);
    assert!(!admitted(
        &call,
        None,
        &with_body("POST", PULLS, RawBody::Bytes(b"other"))
    ));
    assert!(admitted(&call, None, &asked));
    assert!(!admitted(&call, None, &asked), "the permit is used up");
    assert!(!call.holds_permits());
}

#[test]
fn a_permit_of_the_agent_carries_no_request_of_the_user() {
    let call = running(settings(), tool(), &dana());
    let asked = request("POST", PULLS);
    let check = RequestCheck::new(&call, Some(ActAs::Agent), Arc::clone(&asked), at(0));
    let (_, RequestNext::Pass(_permit)) = check.next(&Nobody, at(0)) else {
        panic!("expected a permit");
    };
    assert!(!admitted(&call, None, &asked));
    assert!(!admitted(&call, Some(ActAs::User), &asked));
    assert!(admitted(&call, Some(ActAs::Agent), &asked));
}

#[test]
fn after_the_call_nothing_reaches_a_connection() {
    let call = running(settings(), tool(), &dana());
    let _ = call.finish(&BodyEnd::Returned, at(1));
    let met = drive(&call, None, request("GET", REPO), 2, &allow);
    assert_eq!(code(&met), Some(RefusalCode::CheckError));
    assert!(met.asked.is_empty());
    assert!(
        drive(
            &call,
            None,
            request("GET", "https://other.example/x"),
            2,
            &allow
        )
        .refused
        .is_none()
    );
}

#[test]
fn a_dropped_check_lets_nothing_through() {
    let session = dana();
    let call = running(
        Settings {
            limits: [None, Some(Limit::of_session(1)), None],
            ..settings()
        },
        tool(),
        &session,
    );
    let (rest, next) =
        RequestCheck::new(&call, None, request("POST", PULLS), at(0)).next(&Nobody, at(0));
    assert!(matches!(next, RequestNext::Ask(_)));
    assert_eq!(session.count(&Key::Effect(Effect::Write)), 1);
    drop(rest);
    assert_eq!(session.count(&Key::Effect(Effect::Write)), 0);
    assert!(
        call.finish(&BodyEnd::Returned, at(1))
            .event
            .actions
            .is_empty()
    );
}

/// A check that has been driven to its first question.
fn asking(call: &Arc<Call>, request: Arc<WireRequest>) -> (RequestCheck, Box<Question>) {
    match RequestCheck::new(call, None, request, at(0)).next(&Nobody, at(0)) {
        (Some(check), RequestNext::Ask(question)) => (check, question),
        _ => panic!("expected a question"),
    }
}

/// What a check comes to without a further answer.
fn end(check: RequestCheck) -> Option<RefusalCode> {
    match check.next(&Nobody, at(0)) {
        (_, RequestNext::Refuse(refusal)) => Some(refusal.code),
        (_, RequestNext::Pass(_)) => None,
        _ => panic!("expected an end"),
    }
}

#[test]
fn an_answer_left_out_is_no_allow() {
    let call = running(settings(), tool(), &dana());
    let (check, _) = asking(&call, request("POST", PULLS));
    assert_eq!(end(check), Some(RefusalCode::CheckError));
    let call = running(settings(), tool(), &dana());
    let check = RequestCheck::new(
        &call,
        None,
        request("GET", "https://other.example/x"),
        at(0),
    );
    let (Some(check), RequestNext::Locate { .. }) = check.next(&Nobody, at(0)) else {
        panic!("expected to be asked for addresses")
    };
    assert_eq!(end(check), Some(RefusalCode::CheckError));
    let call = running(pointed(), tool(), &dana());
    let check = RequestCheck::new(&call, None, request("GET", BY_ID), at(0));
    let (Some(check), RequestNext::Resolve { .. }) = check.next(&Nobody, at(0)) else {
        panic!("expected to be asked for a resource")
    };
    assert_eq!(end(check), Some(RefusalCode::CheckError));
}

#[test]
fn no_second_answer_and_no_other_one_takes_a_no_back() {
    let denied = || {
        let call = running(settings(), tool(), &dana());
        let (mut check, question) = asking(&call, request("POST", PULLS));
        check.answer_decision(&question, &deny(&question), at(0));
        (check, question)
    };
    let (mut check, question) = denied();
    check.answer_decision(&question, &allow(&question), at(0));
    assert_eq!(end(check), Some(RefusalCode::NotAuthorized));
    let (mut check, _) = denied();
    check.answer_addresses(&[]);
    assert_eq!(end(check), Some(RefusalCode::NotAuthorized));
    let (mut check, _) = denied();
    check.answer_resource(Ok(Resource::parse("repo:acme/x").ok()));
    assert_eq!(end(check), Some(RefusalCode::NotAuthorized));
}

#[test]
fn an_answer_to_another_question_is_no_answer() {
    let call = running(settings(), tool(), &dana());
    let (mut check, question) = asking(&call, request("POST", PULLS));
    let other = Question {
        resource: "repo:acme/mine".into(),
        ..*question
    };
    check.answer_decision(&other, &allow(&other), at(0));
    assert_eq!(end(check), Some(RefusalCode::CheckError));
    let call = running(settings(), tool(), &dana());
    let (mut check, _) = asking(&call, request("POST", PULLS));
    check.answer_addresses(&[]);
    assert_eq!(end(check), Some(RefusalCode::CheckError));
}

const BY_ID: &str = "https://git.example.com/api/repositories/42";

/// Two connections on one host, and a row whose resource is only pointed at.
fn pointed() -> Settings {
    let by_id = |reading: &toolpass_wire::reading::Reading<'_>| {
        let pointer = Pointer {
            kind: "id".into(),
            value: reading.path("id").into(),
            parts: std::collections::BTreeMap::new(),
        };
        Ok(toolpass_wire::extract::Extracted::pairs(vec![
            toolpass_wire::extract::Pair::at("repo.read", pointer),
        ]))
    };
    let rows = Rows {
        routes: vec![Route::new("GET", "/repositories/{id}", None, None).reads(by_id)],
        ..Rows::default()
    };
    let table: &'static RouteTable = Box::leak(Box::new(RouteTable::build(rows).unwrap()));
    let systems = ["acme", "beta"].map(|owner| System {
        connection: owner.into(),
        integration: "github",
        table: Some(table),
        endpoints: vec![Endpoint::parse("https://git.example.com/api").unwrap()],
        owns: Arc::new(move |resource| resource.id().starts_with(owner)),
        private: owner == "beta",
        strict_reads: false,
        is_served: false,
        vendor_hosts: &[],
    });
    Settings {
        systems: KnownSystems::Known(Arc::new(Systems::new(systems.into()))),
        ..settings()
    }
}

/// What a look-up comes to.
#[derive(Clone, Copy)]
enum Looked {
    Failed,
    Found(&'static str),
    Nowhere,
}

/// Where each connection says that a pointer leads, and what the request comes to.
fn resolve(answer: &dyn Fn(&str) -> Looked) -> (Vec<String>, Result<String, RefusalCode>) {
    let call = running(pointed(), tool(), &dana());
    let mut check = RequestCheck::new(&call, None, request("GET", BY_ID), at(0));
    let mut tried = Vec::new();
    loop {
        check = match check.next(&Nobody, at(0)) {
            (Some(mut rest), RequestNext::Resolve { connection, .. }) => {
                rest.answer_resource(match answer(&connection) {
                    Looked::Failed => Err(Decision::unknown(Code::UpstreamTimeout, "")),
                    Looked::Found(text) => Ok(Some(Resource::parse(text).unwrap())),
                    Looked::Nowhere => Ok(None),
                });
                tried.push(connection);
                rest
            }
            (_, RequestNext::Ask(question)) => {
                return (
                    tried,
                    Ok(format!("{} {}", question.connection, question.resource)),
                );
            }
            (_, RequestNext::Refuse(refusal)) => return (tried, Err(refusal.code)),
            _ => panic!("expected a question or a refusal"),
        };
    }
}

#[test]
fn a_pointer_is_looked_up_in_each_connection_that_answers_for_the_host() {
    use Looked::{Failed, Found, Nowhere};
    let only_at = |at: &'static str, there: Looked| {
        move |connection: &str| if connection == at { there } else { Nowhere }
    };
    let both = || vec!["acme".to_owned(), "beta".to_owned()];
    let found = || Ok("beta repo:beta/x".to_owned());
    assert_eq!(
        resolve(&only_at("beta", Found("repo:beta/x"))),
        (both(), found())
    );
    let (tried, by_acme) = resolve(&only_at("acme", Found("repo:beta/x")));
    assert_eq!((tried.len(), by_acme), (1, found()));
    assert_eq!(
        resolve(&|_| Nowhere).1,
        Err(RefusalCode::UnresolvedResource)
    );
    for failing in ["acme", "beta"] {
        let come_to = resolve(&only_at(failing, Failed));
        assert_eq!(come_to, (both(), Err(RefusalCode::AuthorizationError)));
    }
}

#[test]
fn what_needs_no_permission_belongs_to_every_connection_of_the_host() {
    let rows = Rows {
        routes: vec![Route::new("GET", "/rate_limit", None, None)],
        ..Rows::default()
    };
    let table: &'static RouteTable = Box::leak(Box::new(RouteTable::build(rows).unwrap()));
    let systems = ["acme", "beta"].map(|owner| System {
        connection: owner.into(),
        integration: "github",
        table: Some(table),
        endpoints: vec![Endpoint::parse("https://git.example.com/api").unwrap()],
        owns: Arc::new(|_| false),
        private: owner == "beta",
        strict_reads: false,
        is_served: false,
        vendor_hosts: &[],
    });
    let session = dana();
    let call = running(
        Settings {
            systems: KnownSystems::Known(Arc::new(Systems::new(systems.into()))),
            ..settings()
        },
        tool(),
        &session,
    );
    let met = drive(
        &call,
        None,
        request("GET", "https://git.example.com/api/rate_limit"),
        0,
        &deny,
    );
    assert!(met.refused.is_none() && met.asked.is_empty());
    assert!(session.read_private(), "private, because one of them is");
    assert_eq!(
        call.observed()[0].connection,
        None,
        "nobody knows which of them"
    );
}

#[test]
fn a_call_that_ends_while_a_request_waits_lets_it_through_no_more() {
    let call = running(settings(), tool(), &dana());
    let (mut check, question) = asking(&call, request("POST", PULLS));
    let _ = call.finish(&BodyEnd::Returned, at(0));
    check.answer_decision(&question, &allow(&question), at(0));
    assert_eq!(end(check), Some(RefusalCode::CheckError));
}

fn passed(call: &Arc<Call>, request: &Arc<WireRequest>) -> RequestPermit {
    let (mut check, question) = asking(call, Arc::clone(request));
    check.answer_decision(&question, &allow(&question), at(0));
    match check.next(&Nobody, at(0)) {
        (_, RequestNext::Pass(permit)) => permit,
        _ => panic!("expected a permit"),
    }
}

#[test]
fn a_write_that_nobody_can_be_asked_about_is_told() {
    let nobody = || Settings {
        has_connections: false,
        systems: KnownSystems::Known(Arc::new(Systems::new(Vec::new()))),
        engine: EngineState::Absent,
        ..settings()
    };
    let asked_nobody = |settings: Settings, method: &str| {
        let call = running(settings, tool(), &dana());
        let asked = request(method, "https://other.example/x");
        let (mut check, mut next) =
            RequestCheck::new(&call, None, asked, at(0)).next(&Nobody, at(0));
        while let (Some(mut rest), RequestNext::Locate { .. }) = (check.take(), &next) {
            rest.answer_addresses(&[]);
            (check, next) = rest.next(&Nobody, at(0));
        }
        matches!(next, RequestNext::Pass(permit) if permit.is_unasked_write())
    };
    assert!(asked_nobody(nobody(), "POST"));
    assert!(asked_nobody(nobody(), "DELETE"));
    assert!(!asked_nobody(nobody(), "GET"));
    let connected = Settings {
        has_connections: true,
        ..nobody()
    };
    assert!(!asked_nobody(connected, "POST"));
    let engine = Settings {
        engine: EngineState::Present,
        ..nobody()
    };
    assert!(!asked_nobody(engine, "POST"));
}

#[test]
fn a_permit_lasts_as_long_as_the_layer_that_was_given_it() {
    let call = running(settings(), tool(), &dana());
    let asked = request("POST", PULLS);
    let permit = passed(&call, &asked);
    assert!(permit.covers(&asked));
    drop(permit);
    assert!(
        !admitted(&call, None, &asked),
        "the next one like it is a request of its own"
    );
}

#[test]
fn a_permit_is_for_no_request_with_other_headers_or_an_unread_body() {
    let with_header = |name: &'static str, value: &'static [u8]| {
        let raw = RawRequest {
            scheme: "https",
            host: "git.example.com",
            port: None,
            method: "POST",
            target: "/api/repos/acme/shop/pulls",
            headers: vec![("content-type", b"text/plain"), (name, value)],
            body: RawBody::None,
        };
        Arc::new(WireRequest::read(raw, &Limits::default()))
    };
    let call = running(settings(), tool(), &dana());
    let permit = passed(&call, &request("POST", PULLS));
    for (name, value) in [
        ("x-http-method-override", b"DELETE" as &[u8]),
        ("host", b"other.example"),
        ("upgrade", b"websocket"),
        ("content-encoding", b"gzip"),
        ("x-forwarded-host", b"other.example"),
        ("content-length", b"7"),
    ] {
        let other = with_header(name, value);
        assert!(
            !permit.covers(&other) && !admitted(&call, None, &other),
            "{name}"
        );
    }
    assert!(permit.covers(&with_header("host", b"git.example.com")));
    assert!(admitted(&call, None, &with_header("user-agent", b"x")));
    let call = running(settings(), tool(), &dana());
    let unread = with_body("POST", PULLS, RawBody::Unread);
    let permit = passed(&call, &unread);
    assert!(permit.covers(&unread));
    assert!(
        !admitted(&call, None, &unread),
        "two unread bodies look alike"
    );
}

#[test]
fn no_beginning_of_a_secret_stays_where_a_path_is_cut() {
    let call = running(settings(), tool(), &dana());
    call.hide(&crate::redact::Secrets::new(&[
        toolpass_core::secret::Secret::new("hunter2hunter2"),
    ]));
    let target = format!(
        "https://git.example.com/api/{}/hunter2hunter2",
        "a".repeat(155)
    );
    let met = drive(&call, None, request("POST", &target), 0, &allow);
    let reason = met.refused.unwrap().reason;
    assert!(!reason.contains("hunt"), "{reason}");
}

#[test]
fn what_was_marked_by_one_request_holds_the_next_of_the_same_body() {
    let session = dana();
    let settings = Settings {
        private: vec!["one".into()],
        ..settings()
    };
    let call = running(settings, tool(), &session);
    assert!(
        drive(&call, None, request("POST", PULLS), 0, &allow)
            .refused
            .is_none()
    );
    assert!(
        drive(&call, None, request("GET", REPO), 0, &allow)
            .refused
            .is_none()
    );
    let other = "https://git.example.com/api/repos/acme/other/pulls";
    let met = drive(&call, None, request("POST", other), 0, &allow);
    assert_eq!(code(&met), Some(RefusalCode::ExfiltrationRisk));
}

#[test]
fn what_comes_after_the_end_is_an_event_of_its_own_and_only_once() {
    let call = running(settings(), tool(), &dana());
    assert!(
        drive(&call, None, request("GET", REPO), 0, &allow)
            .refused
            .is_none()
    );
    let (mut waiting, question) = asking(&call, request("POST", PULLS));
    let finished = call.finish(&BodyEnd::Returned, at(1));
    assert!(call.late_events(at(1)).is_empty());
    waiting.answer_decision(&question, &allow(&question), at(2));
    assert_eq!(end(waiting), Some(RefusalCode::CheckError));
    let other = "https://other.example/x";
    assert!(
        drive(&call, None, request("GET", other), 2, &allow)
            .refused
            .is_none()
    );
    for _ in 0..2 {
        let met = drive(&call, None, request("DELETE", REPO), 2, &allow);
        assert_eq!(code(&met), Some(RefusalCode::CheckError));
    }
    let events = call.late_events(at(3));
    let told: Vec<_> = events
        .iter()
        .map(|event| (event.code, event.actions[0].method.as_str()))
        .collect();
    let refused = Some(RefusalCode::CheckError);
    assert_eq!(
        told,
        [(refused, "POST"), (None, "GET"), (refused, "DELETE")]
    );
    for event in &events {
        assert_eq!(event.outcome, CallOutcome::Late);
        assert_eq!(event.parent.as_deref(), Some(finished.event.id.as_str()));
        assert_eq!(event.actions[0].note, Some(Note::Late));
        assert_ne!(event.id, finished.event.id);
    }
    assert!(call.late_events(at(3)).is_empty());
    assert_eq!(
        call.observed(),
        finished.event.actions,
        "its own event is over"
    );
}
