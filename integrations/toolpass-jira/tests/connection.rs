//! A connection on the stand-in Jira: credentials, what is asked at once, look-ups, probe.

mod support;

use serde_json::json;
use support::{Jira, SECONDS, body, status};
use toolpass_core::codes::Code;
use toolpass_core::question::Pointer;
use toolpass_jira::pointer;
use toolpass_standin::faults::FaultRule;
use toolpass_standin::jira::demo;
use toolpass_testkit::ask::{context, facts};

const CHECK: &str = "/rest/api/3/permissions/check";

#[tokio::test]
async fn the_demo() {
    let jira = Jira::new();
    let connection = jira.basic(&[]);
    let rows = [
        ("dana", "EDIT_ISSUES", "issue:SHOP-12", Code::Allowed),
        ("dana", "EDIT_ISSUES", "issue:10112", Code::Allowed),
        ("dana", "CREATE_ISSUES", "project:10000", Code::Allowed),
        ("sam", "EDIT_ISSUES", "issue:SHOP-12", Code::Denied),
        ("sam", "BROWSE_PROJECTS", "issue:SHOP-12", Code::Allowed),
        ("dana", "DELETE_ISSUES", "issue:SHOP-12", Code::Denied),
        // Issue security: Sam may delete in the project, and does not see this one.
        ("sam", "DELETE_ISSUES", "issue:OPS-1", Code::Allowed),
        ("sam", "DELETE_ISSUES", "issue:OPS-2", Code::Denied),
        ("sam", "project.admin", "project:OPS", Code::Allowed),
        ("dana", "project.admin", "project:OPS", Code::Denied),
        ("root", "project.admin", "project:OPS", Code::Allowed),
        (
            "dana",
            "comment.edit",
            "comment:SHOP-12/30001",
            Code::Allowed,
        ),
        (
            "dana",
            "comment.edit",
            "comment:SHOP-12/30002",
            Code::Denied,
        ),
        ("dana", "worklog.edit", "worklog:10112/40001", Code::Allowed),
        ("dana", "link.delete", "issuelink:20001", Code::Allowed),
        ("sam", "link.delete", "issuelink:20001", Code::Denied),
        ("dana", "ADD_COMMENTS", "issue:HELP-1", Code::Allowed),
        ("sam", "ADD_COMMENTS", "issue:HELP-1", Code::Unsupported),
        ("dana", "CREATE_ISSUES", "project:OLD", Code::Denied),
        ("sam", "sprint.manage", "sprint:5", Code::Denied),
        ("dana", "board.edit", "board:1", Code::Allowed),
        ("sam", "board.edit", "board:1", Code::Denied),
        ("sam", "board.view", "board:1", Code::Allowed),
        ("dana", "filter.own", "filter:1", Code::Allowed),
        ("sam", "filter.edit", "filter:1", Code::Denied),
        ("sam", "site.user", "global", Code::Allowed),
        ("dana", "BULK_CHANGE", "global", Code::Allowed),
        ("sam", "BULK_CHANGE", "global", Code::Denied),
        (
            "dana",
            "BROWSE_PROJECTS",
            "issue:SHOP-99",
            Code::ResourceNotVisible,
        ),
        (
            "dana",
            "BROWSE_PROJECTS",
            "project:NONE",
            Code::ResourceNotVisible,
        ),
        ("dana", "NO_SUCH_KEY", "project:SHOP", Code::Unsupported),
        ("dana", "nothing", "project:SHOP", Code::UnknownAction),
    ];
    for (user, action, resource, code) in rows {
        let decision = jira.ask(&connection, user, action, resource).await;
        assert_eq!(
            decision.code(),
            code,
            "{user} {action} {resource}: {}",
            decision.reason()
        );
    }
}

#[tokio::test]
async fn keys_are_asked_together() {
    let jira = Jira::new();
    let connection = jira.basic(&[]);
    jira.ask(&connection, "dana", "EDIT_ISSUES", "issue:HELP-1")
        .await;
    let checks: Vec<_> = jira
        .standin
        .requests()
        .into_iter()
        .filter(|entry| entry.local_path == CHECK)
        .collect();
    assert_eq!(
        checks.len(),
        1,
        "the key, browsing and being an agent in one call"
    );
}

#[tokio::test]
async fn every_way_to_log_in() {
    let jira = Jira::new();
    type Row = (&'static str, &'static [(&'static str, &'static str)], Code);
    let rows: [Row; 8] = [
        (
            "a token",
            &[("username", demo::BOT), ("credential", demo::ENGINE_TOKEN)],
            Code::Allowed,
        ),
        (
            "a wrong token",
            &[("username", demo::BOT), ("credential", "wrong")],
            Code::CredentialRejected,
        ),
        (
            "another's token",
            &[
                ("username", "sam@example.com"),
                ("credential", demo::ENGINE_TOKEN),
            ],
            Code::CredentialRejected,
        ),
        (
            "a scoped token of a service account",
            &[
                ("auth_mode", "scoped_token"),
                ("credential", demo::SCOPED_TOKEN),
            ],
            Code::Allowed,
        ),
        (
            "a scoped token of a person",
            &[
                ("auth_mode", "scoped_token"),
                ("username", demo::BOT),
                ("credential", demo::SCOPED_TOKEN),
            ],
            Code::Allowed,
        ),
        (
            "a scoped token at the site itself",
            &[("username", demo::BOT), ("credential", demo::SCOPED_TOKEN)],
            Code::CredentialRejected,
        ),
        (
            "an OAuth client",
            &[
                ("auth_mode", "oauth_client"),
                ("client_id", demo::CLIENT_ID),
                ("credential", demo::CLIENT_SECRET),
            ],
            Code::Allowed,
        ),
        (
            "an OAuth client with a wrong secret",
            &[
                ("auth_mode", "oauth_client"),
                ("client_id", demo::CLIENT_ID),
                ("credential", "wrong"),
            ],
            Code::CredentialRejected,
        ),
    ];
    for (what, keys, code) in rows {
        let connection = jira.connect(keys);
        let decision = jira
            .ask(&connection, "dana", "EDIT_ISSUES", "issue:SHOP-12")
            .await;
        assert_eq!(decision.code(), code, "{what}: {}", decision.reason());
        assert!(!decision.text().contains("wrong"), "{what}");
    }
}

#[tokio::test]
async fn the_cloud_id_is_found_once_or_configured() {
    let jira = Jira::new();
    let keys = [
        ("auth_mode", "scoped_token"),
        ("credential", demo::SCOPED_TOKEN),
    ];
    let connection = jira.connect(&keys);
    for user in ["dana", "sam"] {
        jira.ask(&connection, user, "BROWSE_PROJECTS", "issue:SHOP-12")
            .await;
    }
    let found = || jira.standin.count("GET", "/_edge/tenant_info");
    assert_eq!(found(), 1);
    let configured = jira.connect(&[&keys[..], &[("cloud_id", demo::CLOUD_ID)]].concat());
    let decision = jira
        .ask(&configured, "dana", "BROWSE_PROJECTS", "issue:SHOP-12")
        .await;
    assert_eq!((decision.code(), found()), (Code::Allowed, 1));
    jira.standin.fault(FaultRule::on(
        "/_edge/tenant_info",
        body(r#"{"cloudId": "../x"}"#),
    ));
    let decision = jira
        .ask(
            &jira.connect(&keys),
            "dana",
            "BROWSE_PROJECTS",
            "issue:SHOP-12",
        )
        .await;
    assert_eq!(decision.code(), Code::UpstreamError);
}

#[tokio::test]
async fn refusals_mean_what_they_say() {
    let jira = Jira::new();
    let issue = "/rest/api/3/issue/SHOP-12";
    let rows = [
        (
            "a check of nothing known",
            CHECK,
            status(400),
            Code::Unsupported,
        ),
        (
            "a check refused",
            CHECK,
            status(403),
            Code::CredentialRejected,
        ),
        (
            "a check that is not there",
            CHECK,
            status(404),
            Code::UpstreamError,
        ),
        (
            "an issue refused",
            issue,
            status(403),
            Code::CredentialRejected,
        ),
        (
            "an issue that is not there",
            issue,
            status(404),
            Code::ResourceNotVisible,
        ),
        (
            "a list for an issue",
            issue,
            body("[]"),
            Code::UpstreamError,
        ),
        (
            "a page for an issue",
            issue,
            body("<html>"),
            Code::UpstreamError,
        ),
        ("a list for a check", CHECK, body("[]"), Code::UpstreamError),
        ("an empty check", CHECK, body("{}"), Code::Unsupported),
    ];
    for (what, prefix, fault, code) in rows {
        jira.standin.reset();
        jira.standin.fault(FaultRule::on(prefix, fault));
        let decision = jira
            .ask(&jira.basic(&[]), "dana", "EDIT_ISSUES", "issue:SHOP-12")
            .await;
        assert_eq!(decision.code(), code, "{what}: {}", decision.reason());
    }
    jira.standin.reset();
    jira.standin
        .patch(&json!({"accounts": {"acc-bot": {"global": ["USER_PICKER"]}}}))
        .unwrap();
    let decision = jira
        .ask(&jira.basic(&[]), "dana", "EDIT_ISSUES", "issue:SHOP-12")
        .await;
    assert_eq!(decision.code(), Code::CredentialRejected);
    assert!(
        decision.text().contains("Administer Jira"),
        "{}",
        decision.text()
    );
}

#[tokio::test]
async fn sub_tasks_and_custom_fields_are_looked_at() {
    let jira = Jira::new();
    let connection = jira.basic(&[]);
    let with_tasks = facts(&[("deletes_subtasks", "1")]);
    let decision = jira
        .ask_with(
            &connection,
            "sam",
            "DELETE_ISSUES",
            "issue:OPS-1",
            with_tasks,
        )
        .await;
    assert_eq!(decision.code(), Code::Denied, "{}", decision.reason());
    for (field, code) in [
        ("10020", Code::Denied),
        ("10030", Code::Allowed),
        ("10099", Code::Unsupported),
    ] {
        let said = facts(&[("custom_fields", field)]);
        let decision = jira
            .ask_with(&connection, "dana", "EDIT_ISSUES", "issue:SHOP-12", said)
            .await;
        assert_eq!(decision.code(), code, "{field}: {}", decision.reason());
    }
    assert_eq!(
        jira.standin.count("GET", "/rest/api/3/field"),
        1,
        "read once an hour"
    );
}

#[tokio::test]
async fn ids_are_looked_up() {
    let jira = Jira::new();
    let connection = jira.basic(&[]);
    let rows = [
        (pointer::COMPONENT, "10200", Some("project:10000")),
        (pointer::VERSION, "10300", Some("project:10001")),
        (pointer::SERVICE_DESK, "3", Some("project:10002")),
        (pointer::COMMENT, "30001", Some("comment:10112/30001")),
        (pointer::COMPONENT, "1", None),
        (pointer::COMMENT, "1", None),
    ];
    for (kind, value, expected) in rows {
        let wanted = Pointer {
            kind: kind.into(),
            value: value.into(),
            parts: Default::default(),
        };
        let found = connection
            .resolve(&context(SECONDS), &wanted)
            .await
            .unwrap();
        assert_eq!(
            found.map(|found| found.to_string()).as_deref(),
            expected,
            "{kind} {value}"
        );
    }
}

#[tokio::test]
async fn the_probe_says_what_the_credential_lacks() {
    let jira = Jira::new();
    let probe = jira.basic(&[]).probe(&context(SECONDS)).await.unwrap();
    assert!(
        probe.summary.contains("Toolpass") && probe.summary.contains("basic"),
        "{}",
        probe.summary
    );
    assert_eq!(probe.warnings, Vec::<String>::new());
    jira.standin
        .patch(&json!({"accounts": {"acc-bot": {"global": []}}}))
        .unwrap();
    let probe = jira.basic(&[]).probe(&context(SECONDS)).await.unwrap();
    assert_eq!(probe.warnings.len(), 2, "{:?}", probe.warnings);
    let wrong = jira.connect(&[("auth_mode", "scoped_token"), ("credential", "wrong")]);
    let failure = wrong.probe(&context(SECONDS)).await.unwrap_err();
    assert_eq!(failure.code(), Code::CredentialRejected);
    assert!(failure.text().contains("username"), "{}", failure.text());
}
