//! What was read, and what is published after outside text: rule 11.

use toolpass_core::resource::Visibility;

use super::*;
use crate::privacy::MAX_READ;

type Answer = Result<Option<Visibility>, Code>;

/// Drive a request that everybody is allowed, with these answers about resources. Answers how it ended, and what was asked.
fn ends(
    call: &Arc<Call>,
    request: Arc<WireRequest>,
    who_reads: &dyn Fn(&str) -> Answer,
) -> (Option<Refusal>, Vec<String>) {
    let mut seen = Vec::new();
    let mut check = RequestCheck::new(call, Some(ActAs::Agent), request, at(0));
    loop {
        check = match check.next(&Nobody, at(0)) {
            (_, RequestNext::Pass(_)) => return (None, seen),
            (_, RequestNext::Refuse(refusal)) => return (Some(refusal), seen),
            (
                Some(mut rest),
                RequestNext::See {
                    connection,
                    resource,
                },
            ) => {
                let answer = who_reads(resource.id());
                rest.answer_visibility(answer.map_err(|code| Decision::unknown(code, "")));
                seen.push(format!("{connection} {}", resource.id()));
                rest
            }
            (Some(mut rest), RequestNext::Locate { .. }) => {
                rest.answer_addresses(&[]);
                rest
            }
            _ => panic!("the agent's own requests ask nothing else"),
        };
    }
}

fn repo(name: &str, rest: &str) -> String {
    format!("https://git.example.com/api/repos/acme/{name}{rest}")
}

fn posts(name: &str) -> Arc<WireRequest> {
    request("POST", &repo(name, "/pulls"))
}

/// `site` is public, `wiki` the organization's, `odd` of unknown kind, `gone` not to be found out; the rest is private.
fn world(id: &str) -> Answer {
    match id {
        "acme/site" | "acme/docs" => Ok(Some(Visibility::Public)),
        "acme/wiki" => Ok(Some(Visibility::Internal)),
        "acme/odd" => Ok(None),
        "acme/gone" => Err(Code::UpstreamTimeout),
        "acme/hidden" => Err(Code::ResourceNotVisible),
        "acme/abroad" => Err(Code::InvalidRequest),
        _ => Ok(Some(Visibility::Private)),
    }
}

/// What becomes of `sent` after these repositories were read as the agent.
fn after(read: &[&str], sent: Arc<WireRequest>) -> (Option<RefusalCode>, Vec<String>) {
    let call = running(settings(), tool(), &dana());
    for name in read {
        let (refused, _) = ends(&call, request("GET", &repo(name, "")), &world);
        assert!(refused.is_none());
    }
    let (refused, seen) = ends(&call, sent, &world);
    (refused.map(|refusal| refusal.code), seen)
}

#[test]
fn what_not_everybody_may_read_is_not_published() {
    let risk = Some(RefusalCode::ExfiltrationRisk);
    for (read, sent, expected) in [
        (&["site", "shop"][..], "site", risk),
        (&["shop", "site"][..], "site", risk),
        (&["wiki", "site"][..], "site", risk),
        (&["hidden", "site"][..], "site", risk),
        (
            &["gone", "site"][..],
            "site",
            Some(RefusalCode::AuthorizationError),
        ),
        (&["site"][..], "gone", Some(RefusalCode::AuthorizationError)),
        (&["site", "docs"][..], "site", None),
        (&["site", "odd", "abroad"][..], "site", None),
        (&["site", "shop"][..], "shop", None),
        (&["site", "shop"][..], "wiki", None),
        (&["site", "shop"][..], "odd", None),
        (&["site", "shop"][..], "other", None),
    ] {
        let (code, _) = after(read, posts(sent));
        assert_eq!(code, expected, "{read:?} -> {sent}");
    }
}

#[test]
fn the_reason_names_what_was_read() {
    let call = running(settings(), tool(), &dana());
    ends(&call, request("GET", &repo("shop", "")), &world);
    let (refused, _) = ends(&call, posts("site"), &world);
    let refusal = refused.unwrap();
    assert!(
        refusal.reason.contains("repo:acme/shop"),
        "{}",
        refusal.reason
    );
    assert!(refusal.reason.contains("private"), "{}", refusal.reason);
    assert_eq!(
        refusal.action.unwrap().resource.as_deref(),
        Some("repo:acme/site")
    );
}

#[test]
fn nothing_is_looked_up_that_does_not_matter() {
    assert_eq!(after(&["shop"], posts("shop")), (None, Vec::new()));
    assert_eq!(after(&[], posts("site")), (None, Vec::new()));
    assert_eq!(
        after(&["shop"], request("GET", &repo("site", ""))),
        (None, Vec::new())
    );
    let memo = request("POST", &repo("site", "/memo"));
    assert_eq!(after(&["shop"], memo), (None, Vec::new()));
    let (_, seen) = after(&["shop"], posts("other"));
    assert_eq!(seen, ["one acme/other"]);
    let off = Settings {
        exfiltration: false,
        ..settings()
    };
    let call = running(off, tool(), &dana());
    ends(&call, request("GET", &repo("shop", "")), &world);
    assert_eq!(ends(&call, posts("site"), &world).1, Vec::<String>::new());
}

#[test]
fn without_outside_text_nothing_is_held_back() {
    let session = dana();
    let call = running(settings(), tool(), &session);
    // A write's answer is read too, and is no outside text.
    let (refused, _) = ends(&call, posts("shop"), &world);
    assert!(refused.is_none() && !session.saw_untrusted());
    let (refused, seen) = ends(&call, posts("site"), &world);
    assert!(refused.is_none() && seen.is_empty());
    session.mark_untrusted();
    let call = running(settings(), tool(), &session);
    let (refused, _) = ends(&call, posts("site"), &world);
    assert_eq!(refused.unwrap().code, RefusalCode::ExfiltrationRisk);
}

#[test]
fn what_makes_public_is_held_to_what_it_makes_public() {
    let public = |name: &str| request("POST", &repo(name, "/public"));
    let risk = Some(RefusalCode::ExfiltrationRisk);
    assert_eq!(after(&["shop"], public("shop")).0, risk);
    assert_eq!(after(&["site"], public("shop")).0, risk);
    assert_eq!(after(&["site", "docs"], public("site")).0, None);
}

#[test]
fn more_than_can_be_looked_up_is_not_published() {
    let call = running(settings(), tool(), &dana());
    for number in 0..=MAX_READ {
        ends(
            &call,
            request("GET", &repo(&format!("r{number}"), "")),
            &world,
        );
    }
    let (refused, seen) = ends(&call, posts("site"), &world);
    assert_eq!(refused.unwrap().code, RefusalCode::ExfiltrationRisk);
    assert!(seen.is_empty());
}

#[test]
fn what_is_not_answered_refuses() {
    let call = running(settings(), tool(), &dana());
    ends(&call, request("GET", &repo("shop", "")), &world);
    let check = RequestCheck::new(&call, Some(ActAs::Agent), posts("site"), at(0));
    let (Some(check), RequestNext::See { .. }) = check.next(&Nobody, at(0)) else {
        panic!("expected a question");
    };
    assert_eq!(end_of(check), RefusalCode::CheckError);
    let mut check = RequestCheck::new(
        &call,
        Some(ActAs::Agent),
        request("GET", &repo("site", "")),
        at(0),
    );
    check.answer_visibility(Ok(Some(Visibility::Public)));
    assert_eq!(end_of(check), RefusalCode::CheckError);
}

fn end_of(check: RequestCheck) -> RefusalCode {
    match check.next(&Nobody, at(0)) {
        (_, RequestNext::Refuse(refusal)) => refusal.code,
        _ => panic!("expected a refusal"),
    }
}
