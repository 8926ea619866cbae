//! A connection against the stand-in: who is found, what an answer of Linear's means, what is asked of it.

#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;

use serde_json::json;
use support::{Linear, SECONDS, connect_with, error};
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::question::Pointer;
use toolpass_integration::connection::{Connection, Identity, Visibility};
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::linear::demo;
use toolpass_testkit::ask;

async fn identify(connection: &Arc<dyn Connection>, email: &str) -> Result<Identity, Code> {
    let person = ask::person(email).unwrap();
    let found = connection.identify(&ask::context(SECONDS), &person).await;
    found.map_err(|failure| failure.code())
}

#[tokio::test]
async fn people_are_found_by_their_address_in_any_case() {
    let linear = Linear::new();
    let dana = identify(&linear.usual(), "DANA@Example.com").await.unwrap();
    assert_eq!(dana.id, demo::DANA);
    assert_eq!(dana.display, "dana@example.com");
    assert_eq!(dana.groups, [demo::ENG]);
    assert_eq!(dana.attributes["guest"], "false");
    let admin = identify(&linear.usual(), "admin@example.com")
        .await
        .unwrap();
    assert_eq!(
        admin.attributes["owned_teams"],
        format!("{},{}", demo::ENG, demo::OPS)
    );
    for (email, code) in [("nobody@example.com", Code::UserNotFound)] {
        assert_eq!(identify(&linear.usual(), email).await, Err(code), "{email}");
    }
    linear.patch(json!({"users": {demo::SAM: {"email": "Dana@example.com"}}}));
    assert_eq!(
        identify(&linear.usual(), "dana@example.com").await,
        Err(Code::UserAmbiguous)
    );
}

#[tokio::test]
async fn all_pages_of_memberships_are_read() {
    let linear = Linear::new();
    let mut teams = serde_json::Map::new();
    for number in 1..=7 {
        let id = format!("00000000-0000-4000-8000-000000000{number:03}");
        teams.insert(id, json!({"key": format!("T{number}"), "name": "x", "visibility": "private", "members": {demo::DANA: false}}));
    }
    linear.patch(json!({"page_size": 2, "teams": teams}));
    let dana = identify(&linear.usual(), "dana@example.com").await.unwrap();
    assert_eq!(dana.groups.len(), 8);
    // The last page counts in a check too.
    let decision = linear.ask("dana", "issue.view", "issue:ENG-1").await;
    assert_eq!(decision.outcome(), Outcome::Allow, "{}", decision.reason());
}

#[tokio::test]
async fn dana_works_in_her_team_and_sam_does_not_see_it() {
    let linear = Linear::new();
    for (user, action, resource, code, words) in [
        ("dana", "issue.create", "team:ENG", Code::Allowed, "member"),
        ("dana", "issue.create", "team:eng", Code::Allowed, "member"),
        ("dana", "issue.edit", "issue:ENG-1", Code::Allowed, "ENG"),
        ("dana", "team.member", "team:ENG", Code::Allowed, ""),
        (
            "dana",
            "project.edit",
            "project:shop-5f0c2d9e1a7b",
            Code::Allowed,
            "",
        ),
        ("dana", "team.admin", "team:ENG", Code::Denied, ""),
        ("dana", "issue.view", "issue:OPS-1", Code::Allowed, "open"),
        (
            "sam",
            "issue.create",
            "team:ENG",
            Code::Denied,
            "ENG is private",
        ),
        (
            "sam",
            "issue.view",
            "issue:ENG-1",
            Code::Denied,
            "ENG is private",
        ),
        ("sam", "team.member", "team:ENG", Code::Denied, "ENG"),
        (
            "sam",
            "project.view",
            "project:5f0c2d9e1a7b",
            Code::Denied,
            "",
        ),
        (
            "admin",
            "team.admin",
            "team:ENG",
            Code::Allowed,
            "owns the team",
        ),
        (
            "dana",
            "comment.edit",
            "comment:00000000-0000-4000-8000-0000000000e1",
            Code::Allowed,
            "",
        ),
        (
            "sam",
            "comment.edit",
            "comment:00000000-0000-4000-8000-0000000000e1",
            Code::Unsupported,
            "",
        ),
        (
            "dana",
            "issue.view",
            "issue:ENG-99",
            Code::ResourceNotVisible,
            "private team",
        ),
        (
            "dana",
            "team.view",
            "team:NOPE",
            Code::ResourceNotVisible,
            "",
        ),
        ("dana", "issue.view", "team:ENG", Code::InvalidRequest, ""),
        (
            "dana",
            "issue.delete",
            "issue:ENG-1",
            Code::UnknownAction,
            "",
        ),
    ] {
        let decision = linear.ask(user, action, resource).await;
        assert_eq!(
            decision.code(),
            code,
            "{user} {action} {resource}: {}",
            decision.reason()
        );
        assert!(decision.text().contains(words), "{}", decision.reason());
    }
}

#[tokio::test]
async fn an_old_identifier_leads_to_the_issue() {
    let linear = Linear::new();
    linear.patch(json!({"issues": {demo::ISSUE: {"previous": ["OPS-7"]}}}));
    assert_eq!(
        linear
            .ask("dana", "issue.view", "issue:OPS-7")
            .await
            .outcome(),
        Outcome::Allow
    );
    assert_eq!(
        linear
            .ask("sam", "issue.view", "issue:OPS-7")
            .await
            .outcome(),
        Outcome::Deny
    );
}

/// An error in the answer has its meaning whatever the status, and is never a no.
#[tokio::test]
async fn errors_inside_an_answer() {
    let linear = Linear::new();
    for (status, kind, message, code) in [
        (400, "ratelimited", "secret-7f3a", Code::UpstreamRateLimited),
        (200, "ratelimited", "secret-7f3a", Code::UpstreamRateLimited),
        (
            200,
            "authentication error",
            "secret-7f3a",
            Code::CredentialRejected,
        ),
        (200, "forbidden", "secret-7f3a", Code::CredentialRejected),
        (
            200,
            "feature not accessible",
            "no",
            Code::CredentialRejected,
        ),
        (
            400,
            "usage limit exceeded",
            "secret-7f3a",
            Code::UpstreamError,
        ),
        (
            200,
            "internal error",
            "Entity not found",
            Code::UpstreamError,
        ),
        (400, "graphql error", "secret-7f3a", Code::UpstreamError),
    ] {
        linear.standin.reset();
        linear
            .standin
            .fault(FaultRule::on("/graphql", error(status, kind, message)));
        let decision = linear.ask("dana", "issue.view", "issue:ENG-1").await;
        assert_eq!(
            decision.code(),
            code,
            "{status} {kind}: {}",
            decision.reason()
        );
        assert!(!decision.text().contains("7f3a"), "{}", decision.text());
    }
    for body in [
        "{}",
        "[]",
        r#"{"data": null}"#,
        r#"{"data": []}"#,
        r#"{"errors": {}}"#,
        r#"{"errors": "x", "data": {}}"#,
    ] {
        linear.standin.reset();
        linear.standin.fault(FaultRule::on(
            "/graphql",
            Fault::Status {
                status: 200,
                headers: [("Content-Type".to_owned(), "application/json".to_owned())].into(),
                body: Some(body.to_owned()),
            },
        ));
        let decision = linear.ask("dana", "issue.view", "issue:ENG-1").await;
        assert_eq!(
            decision.code(),
            Code::UpstreamError,
            "{body}: {}",
            decision.reason()
        );
    }
}

/// Once, and no more.
#[tokio::test]
async fn a_lock_is_waited_for() {
    let linear = Linear::new();
    let locked = |times| FaultRule {
        times: Some(times),
        ..FaultRule::on("/graphql", error(200, "lock timeout", "busy"))
    };
    linear.standin.fault(locked(1));
    let dana = identify(&linear.usual(), "dana@example.com").await;
    assert_eq!(dana.unwrap().id, demo::DANA);
    linear.standin.fault(locked(2));
    let dana = identify(&linear.usual(), "dana@example.com").await;
    assert_eq!(dana, Err(Code::UpstreamError));
}

#[tokio::test]
async fn wrong_credentials_answer_nothing() {
    let linear = Linear::new();
    for keys in [
        [("credential", "lin_api_other"), ("auth_mode", "api_key")],
        [("credential", " "), ("auth_mode", "api_key")],
        [("credential", demo::ENGINE_KEY), ("auth_mode", "oauth")],
    ] {
        let connection = connect_with(&linear.standin, &keys);
        let decision = linear
            .ask_with(&connection, "dana", "issue.view", "issue:ENG-1")
            .await;
        assert_eq!(decision.code(), Code::CredentialRejected, "{keys:?}");
        let probe = connection.probe(&ask::context(SECONDS)).await;
        assert_eq!(probe.unwrap_err().code(), Code::CredentialRejected);
    }
}

#[tokio::test]
async fn the_probe_names_whose_key_it_is() {
    let linear = Linear::new();
    let probe = linear.usual().probe(&ask::context(SECONDS)).await.unwrap();
    assert_eq!(probe.summary, "engine@example.com in the workspace acme");
    assert_eq!(probe.warnings.len(), 2);
}

#[tokio::test]
async fn pointers_are_looked_up_and_remembered() {
    let linear = Linear::new();
    let connection = linear.usual();
    let pointer = |value: &str| Pointer {
        kind: "attachment".into(),
        value: value.into(),
        parts: [("want".to_owned(), "issue".to_owned())].into(),
    };
    let ctx = ask::context(SECONDS);
    for _ in 0..2 {
        let found = connection
            .resolve(&ctx, &pointer(demo::ATTACHMENT))
            .await
            .unwrap();
        assert_eq!(found.unwrap().to_string(), format!("issue:{}", demo::ISSUE));
    }
    assert_eq!(linear.standin.count("POST", "/graphql"), 1);
    let nowhere = connection
        .resolve(&ctx, &pointer(demo::ISSUE))
        .await
        .unwrap();
    assert!(nowhere.is_none());
}

#[tokio::test]
async fn a_private_team_is_private() {
    let linear = Linear::new();
    let connection = linear.usual();
    for (resource, visibility) in [
        ("team:ENG", Some(Visibility::Private)),
        ("team:OPS", Some(Visibility::Internal)),
        ("issue:ENG-1", Some(Visibility::Private)),
        ("workspace", None),
    ] {
        let resource = toolpass_core::resource::Resource::parse(resource).unwrap();
        let found = connection
            .visibility(&ask::context(SECONDS), &resource)
            .await;
        assert_eq!(found.unwrap(), visibility, "{resource}");
    }
}

/// Values of a question are variables; nothing of them stands in a document.
#[tokio::test]
async fn no_document_holds_a_value() {
    let linear = Linear::new();
    linear.ask("dana", "issue.share", "issue:ENG-1").await;
    let entries = linear.standin.requests();
    assert!(entries.len() > 3);
    for entry in entries {
        let body: serde_json::Value = serde_json::from_str(&entry.body).unwrap();
        let query = body["query"].as_str().unwrap();
        assert!(
            !query.contains("ENG-1") && !query.contains("dana") && !query.contains("00000000"),
            "{query}"
        );
    }
}
