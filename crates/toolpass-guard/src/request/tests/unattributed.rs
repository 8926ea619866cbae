//! Requests of no call.

use super::*;
use crate::redact::Secrets;
use crate::settings::Unattributed;
use crate::unattributed::{From, Judged, judge};

fn told(settings: &Settings, request: &WireRequest, from: From) -> (Option<RefusalCode>, bool) {
    let systems = match &settings.systems {
        KnownSystems::Known(systems) => Some(&**systems),
        KnownSystems::NeverTold | KnownSystems::Served => None,
    };
    match judge(
        (settings, systems),
        request,
        from,
        &Secrets::default(),
        Wall(Duration::ZERO),
    ) {
        Judged::Noted(event) => {
            assert_eq!(
                (event.outcome, event.code),
                (CallOutcome::Unattributed, None)
            );
            assert!(event.user.is_none() && event.session.is_none());
            (None, true)
        }
        Judged::Passed => (None, false),
        Judged::Refused(refusal, event) => {
            assert_eq!(
                (event.outcome, event.code),
                (CallOutcome::Unattributed, Some(refusal.code))
            );
            (Some(refusal.code), true)
        }
    }
}

fn declared(unattributed: Unattributed, strict: bool) -> Settings {
    Settings {
        unattributed: Some(unattributed),
        strict,
        ..settings()
    }
}

#[test]
fn only_a_connections_host_is_anybodys_affair() {
    let refused = (Some(RefusalCode::CheckError), true);
    for (method, url, expected) in [
        ("POST", PULLS, refused),
        ("GET", REPO, refused),
        ("GET", "http://git.example.com/api/repos/acme/shop", refused),
        ("POST", "https://other.example/x", (None, false)),
    ] {
        let request = request(method, url);
        let refuse = declared(Unattributed::Refuse, false);
        assert_eq!(told(&refuse, &request, From::Anywhere), expected, "{url}");
        let audit = declared(Unattributed::Audit, false);
        assert_eq!(
            told(&audit, &request, From::Anywhere),
            (None, expected.1),
            "{url}"
        );
        assert_eq!(
            told(&settings(), &request, From::Anywhere),
            (None, false),
            "unsaid"
        );
    }
}

#[test]
fn of_several_calls_under_strict_nothing_leaves() {
    let (here, elsewhere) = (
        request("GET", REPO),
        request("GET", "https://other.example/x"),
    );
    let refused = (Some(RefusalCode::CheckError), true);
    let strict = declared(Unattributed::Audit, true);
    assert_eq!(told(&strict, &here, From::Several), refused);
    assert_eq!(told(&strict, &elsewhere, From::Several), refused);
    assert_eq!(told(&strict, &elsewhere, From::Anywhere), (None, false));
    let lenient = declared(Unattributed::Audit, false);
    assert_eq!(told(&lenient, &here, From::Several), (None, true));
    assert_eq!(told(&lenient, &elsewhere, From::Several), (None, false));
}

#[test]
fn where_no_host_is_known_any_may_be_a_connections() {
    let never_told = Settings {
        systems: KnownSystems::NeverTold,
        ..declared(Unattributed::Refuse, false)
    };
    let elsewhere = request("GET", "https://other.example/x");
    let refused = (Some(RefusalCode::CheckError), true);
    assert_eq!(told(&never_told, &elsewhere, From::Anywhere), refused);
}

#[test]
fn nobody_looks_where_nothing_is_intercepted() {
    let off = Settings {
        intercept: false,
        ..declared(Unattributed::Refuse, false)
    };
    assert_eq!(
        told(&off, &request("GET", REPO), From::Anywhere),
        (None, false)
    );
}
