//! A tool that a file of entitlements lists: what its requests are held to.

use super::*;
use crate::arguments::Argument;
use crate::entitlements::enforce::OnMissing;
use crate::entitlements::model::{Entitlements, ToolEntitlements};
use crate::entitlements::testing::{Row, tool_of};
use crate::hint::Hint;
use crate::tool::{Parameter, ParameterKind};

/// A running call of a tool with this entry, on `repo="acme/shop"` and `owner="*"`.
fn held(entry: ToolEntitlements, session: &Session, settings: Settings) -> Arc<Call> {
    let mut file = Entitlements::default();
    file.insert("t".into(), entry);
    let settings = Settings {
        entitlements: Some(Arc::new(file)),
        ..settings
    };
    let parameter = |name: &str| Parameter {
        name: name.into(),
        kind: ParameterKind::Either,
        hint: Hint::Text,
        hint_shown: "str".into(),
        has_default: false,
        validated: false,
        scope: None,
    };
    let tool = Tool {
        parameters: vec![parameter("repo"), parameter("owner")],
        ..tool()
    };
    let values = ["acme/shop", "*"];
    let arguments: Vec<_> = (0..)
        .zip(values)
        .map(|(parameter, value)| Argument {
            parameter,
            value: Plain::Text(value),
            is_default: false,
            handle: None,
        })
        .collect();
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

fn warning() -> Settings {
    Settings {
        on_missing: OnMissing::Warn,
        ..settings()
    }
}

fn strict() -> Settings {
    Settings {
        strict: true,
        ..settings()
    }
}

const READ: Row = ("github:repo.read", "repo:{repo}", "user", "read");
const READ_AS_AGENT: Row = ("github:repo.read", "repo:acme/*", "agent", "read");
const ADMIN: Row = ("github:repo.admin", "repo:{repo}", "user", "write");

#[test]
fn an_entry_must_cover_action_and_resource_and_says_on_whose_authority() {
    use RefusalCode::{EffectExceeded, UnentitledAction};
    let agent = Some(ActAs::Agent);
    // The entries, the body's block, the request, the refusal, how often the engine is asked.
    for (rows, block, method, url, refused, asked) in [
        (vec![], None, "GET", REPO, Some(UnentitledAction), 0),
        (vec![READ], None, "GET", REPO, None, 1),
        (vec![READ], None, "POST", PULLS, Some(UnentitledAction), 0),
        (
            vec![READ],
            None,
            "GET",
            "https://git.example.com/api/repos/acme/other",
            Some(UnentitledAction),
            0,
        ),
        (vec![READ], agent, "GET", REPO, None, 1),
        (vec![READ_AS_AGENT], None, "GET", REPO, None, 0),
        (vec![READ_AS_AGENT, READ], agent, "GET", REPO, None, 1),
        // An argument never widens a pattern.
        (
            vec![("github:repo.read", "repo:{owner}/*", "agent", "read")],
            agent,
            "GET",
            REPO,
            Some(UnentitledAction),
            0,
        ),
        (
            vec![("github:repo.read", "repo:{missing}", "agent", "read")],
            agent,
            "GET",
            REPO,
            Some(UnentitledAction),
            0,
        ),
        (
            vec![("other:repo.read", "repo:{repo}", "agent", "read")],
            agent,
            "GET",
            REPO,
            Some(UnentitledAction),
            0,
        ),
        // The same action, but it deletes.
        (vec![ADMIN], None, "DELETE", REPO, Some(EffectExceeded), 0),
        (vec![ADMIN], agent, "DELETE", REPO, Some(EffectExceeded), 0),
    ] {
        let call = held(tool_of(&[], &rows), &dana(), settings());
        let met = drive(&call, block, request(method, url), 0, &allow);
        assert_eq!(code(&met), refused, "{rows:?} {method} {url}");
        assert_eq!(met.asked.len(), asked, "{rows:?} {method} {url}");
        if let Some(refusal) = met.refused {
            let action = refusal.action.unwrap();
            assert!(!action.allowed && action.code == refused, "{action:?}");
        }
    }
}

#[test]
fn the_event_says_on_whose_authority_it_ran() {
    let call = held(tool_of(&[], &[READ_AS_AGENT]), &dana(), settings());
    drive(&call, Some(ActAs::User), request("GET", REPO), 0, &deny);
    let event = call.finish(&BodyEnd::Returned, at(1)).event;
    assert!(event.actions[0].as_agent && event.actions[0].allowed);
    assert_eq!(event.entitled, Some(true));
    assert_eq!(event.effect, Some(Effect::Read), "the recorded one");
    assert!(
        event
            .to_json(|_| "now".into())
            .contains("\"entitled\":true")
    );
}

#[test]
fn what_the_file_lacks_is_noted_in_a_trial_and_held_to_everything_else() {
    let call = held(tool_of(&[], &[READ]), &dana(), warning());
    let met = drive(&call, None, request("POST", PULLS), 0, &allow);
    assert_eq!((code(&met), met.asked.len()), (None, 1));
    let call_refused = held(tool_of(&[], &[READ]), &dana(), warning());
    let met = drive(&call_refused, None, request("POST", PULLS), 0, &deny);
    assert_eq!(code(&met), Some(RefusalCode::NotAuthorized));
    let met = drive(
        &call,
        None,
        request("GET", "https://git.example.com/api/new"),
        0,
        &allow,
    );
    assert_eq!(code(&met), None);
    let met = drive(
        &call,
        None,
        request("GET", "https://ci.example.com/x"),
        0,
        &allow,
    );
    assert_eq!((code(&met), met.located), (None, true));
    let event = call.finish(&BodyEnd::Returned, at(1)).event;
    let noted: Vec<_> = event
        .actions
        .iter()
        .map(|action| (action.allowed, action.code))
        .collect();
    assert_eq!(
        noted,
        [
            (true, Some(RefusalCode::UnentitledAction)),
            (true, Some(RefusalCode::UnmappedAction)),
            (true, Some(RefusalCode::UnknownHost)),
        ]
    );
    // An effect is nothing the file lacks.
    let call = held(tool_of(&[], &[ADMIN]), &dana(), warning());
    let met = drive(&call, None, request("DELETE", REPO), 0, &allow);
    assert_eq!(code(&met), Some(RefusalCode::EffectExceeded));
    // What `strict` refuses by itself is not waived.
    let both = Settings {
        strict: true,
        ..warning()
    };
    for url in [
        "https://git.example.com/api/new",
        "https://ci.example.com/x",
    ] {
        let call = held(tool_of(&[], &[READ]), &dana(), both.clone());
        assert!(
            drive(&call, None, request("GET", url), 0, &allow)
                .refused
                .is_some()
        );
    }
}

#[test]
fn hosts_of_no_connection_are_listed() {
    use RefusalCode::UnknownHost;
    let exfiltrating = "https://ci.example.com/x";
    for (hosts, base, method, url, refused) in [
        (&[][..], settings(), "GET", exfiltrating, Some(UnknownHost)),
        (&["ci.example.com"], settings(), "GET", exfiltrating, None),
        (&["ci.example.com"], settings(), "POST", exfiltrating, None),
        (&["*.example.com"], strict(), "GET", exfiltrating, None),
        (
            &["ci.example.com"],
            settings(),
            "GET",
            "https://ci.example.com:8443/x",
            Some(UnknownHost),
        ),
        (
            &["ci.example.com"],
            Settings {
                unknown_hosts: UnknownHosts::Refuse,
                ..settings()
            },
            "GET",
            exfiltrating,
            None,
        ),
        // A host that is a vendor's is meant only by its own name.
        (
            &["*"],
            settings(),
            "POST",
            "https://a.vendor.example/x",
            Some(UnknownHost),
        ),
        (
            &["a.vendor.example"],
            settings(),
            "POST",
            "https://a.vendor.example/x",
            None,
        ),
    ] {
        let call = held(tool_of(hosts, &[]), &dana(), base);
        let met = drive(&call, None, request(method, url), 0, &allow);
        assert_eq!(code(&met), refused, "{hosts:?} {method} {url}");
    }
    // Being listed lifts no other guard.
    let session = dana();
    session.mark_private::<&str>("payroll", &[]);
    session.mark_untrusted();
    let call = held(tool_of(&["ci.example.com"], &[]), &session, settings());
    let met = drive(&call, None, request("POST", exfiltrating), 0, &allow);
    assert_eq!(code(&met), Some(RefusalCode::ExfiltrationRisk));
}

#[test]
fn another_name_of_a_server_is_meant_only_by_its_name() {
    for (hosts, refused) in [
        (&["*"][..], Some(RefusalCode::UnknownHost)),
        (&["git.internal"], None),
    ] {
        let call = held(tool_of(hosts, &[]), &dana(), settings());
        let check = RequestCheck::new(&call, None, request("GET", "https://git.internal/x"), at(0));
        let (Some(mut check), RequestNext::Locate { .. }) = check.next(&Nobody, at(0)) else {
            panic!("expected to be asked where the host leads")
        };
        check.answer_addresses(&["169.254.169.254".parse().unwrap()]);
        let met = match check.next(&Nobody, at(0)) {
            (_, RequestNext::Refuse(refusal)) => Some(refusal.code),
            (_, RequestNext::Pass(_)) => None,
            _ => panic!("expected an end"),
        };
        assert_eq!(met, refused, "{hosts:?}");
    }
}

#[test]
fn reads_that_no_route_knows_are_listed() {
    use RefusalCode::UnmappedAction;
    let url = "https://git.example.com/api/new/x";
    let listed: Row = ("github:unmapped.read", "path:/api/new/x", "user", "read");
    for (rows, base, method, refused) in [
        (vec![], settings(), "GET", Some(UnmappedAction)),
        (vec![READ], settings(), "GET", Some(UnmappedAction)),
        (vec![listed], settings(), "GET", None),
        (vec![listed], strict(), "GET", None),
        (vec![listed], settings(), "POST", Some(UnmappedAction)),
        (
            vec![("github:unmapped.read", "path:/api/*/*", "user", "read")],
            settings(),
            "GET",
            None,
        ),
        (
            vec![("github:unmapped.read", "path:/api/*", "user", "read")],
            settings(),
            "GET",
            Some(UnmappedAction),
        ),
    ] {
        let session = dana();
        let call = held(tool_of(&[], &rows), &session, base);
        let met = drive(&call, None, request(method, url), 0, &allow);
        assert_eq!(code(&met), refused, "{rows:?} {method}");
        assert_eq!(session.saw_untrusted(), refused.is_none());
    }
}

#[test]
fn an_entry_may_want_fresh_answers() {
    let mut entry = tool_of(&[], &[READ]);
    entry.actions[0].fresh = true;
    let call = held(entry, &dana(), settings());
    for _ in 0..2 {
        let met = drive(&call, None, request("GET", REPO), 0, &allow);
        assert!(met.asked[0].freshness.fresh);
    }
}

#[test]
fn an_entry_may_be_capped() {
    let mut entry = tool_of(&[], &[READ]);
    entry.actions[0].limit = Some(1);
    let session = dana();
    let call = held(entry, &session, settings());
    let asked_once = format!("{REPO}?one");
    let met = drive(&call, None, request("GET", &asked_once), 0, &deny);
    assert_eq!(code(&met), Some(RefusalCode::NotAuthorized));
    let key = Key::Action {
        tool: "t".into(),
        action: "github:repo.read".into(),
    };
    assert_eq!(session.count(&key), 0, "given back");
    assert_eq!(
        code(&drive(&call, None, request("GET", REPO), 0, &allow)),
        None
    );
    assert_eq!(session.count(&key), 1);
    let met = drive(&call, None, request("GET", REPO), 0, &allow);
    assert_eq!(code(&met), Some(RefusalCode::LimitReached));
}

#[test]
fn the_recorded_effect_takes_one_slot_a_call_and_a_stronger_request_its_own() {
    let limited = Settings {
        limits: [Some(Limit::of_session(1)), None, Some(Limit::of_session(0))],
        ..warning()
    };
    let session = dana();
    let call = held(tool_of(&[], &[READ]), &session, limited);
    for _ in 0..3 {
        assert_eq!(
            code(&drive(&call, None, request("GET", REPO), 0, &allow)),
            None
        );
    }
    assert_eq!(session.count(&Key::Effect(Effect::Read)), 1);
    let met = drive(&call, None, request("DELETE", REPO), 0, &allow);
    assert_eq!(code(&met), Some(RefusalCode::LimitReached));
}
