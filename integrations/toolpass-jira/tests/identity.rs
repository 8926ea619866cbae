//! E-mail → account on the stand-in Jira.

mod support;

use serde_json::json;
use support::{Jira, body, status};
use toolpass_core::codes::Code;
use toolpass_standin::faults::FaultRule;
use toolpass_standin::jira::demo;

const SEARCH: &str = "/rest/api/3/user/search";

#[tokio::test]
async fn only_who_shows_the_address_is_found() {
    let jira = Jira::new();
    let connection = jira.basic(&[]);
    let rows = [
        ("dana@example.com", Ok(demo::DANA)),
        ("DANA@Example.com", Ok(demo::DANA)),
        ("sam@example.com", Ok(demo::SAM)),
        // Mallory is called so, and has another address.
        ("hidden@example.com", Err(Code::Unsupported)),
        ("twin@example.com", Err(Code::UserAmbiguous)),
        ("gone@example.com", Err(Code::UserNotFound)),
        ("app@example.com", Err(Code::UserNotFound)),
        ("dana@example.co", Err(Code::UserNotFound)),
        ("nobody@example.com", Err(Code::UserNotFound)),
    ];
    for (email, expected) in rows {
        let found = jira.identify(&connection, email).await;
        assert_eq!(found, expected.map(str::to_owned), "{email}");
    }
}

#[tokio::test]
async fn an_empty_search_is_believed_only_of_who_may_browse() {
    let jira = Jira::new();
    jira.standin
        .patch(&json!({"accounts": {"acc-bot": {"global": ["ADMINISTER"]}}}))
        .unwrap();
    for email in ["dana@example.com", "nobody@example.com"] {
        let found = jira.identify(&jira.basic(&[]), email).await;
        assert_eq!(found, Err(Code::CredentialRejected), "{email}");
    }
    let wrong = jira.basic(&[("credential", "wrong")]);
    for email in ["dana@example.com", "nobody@example.com"] {
        let found = jira.identify(&wrong, email).await;
        assert_eq!(found, Err(Code::CredentialRejected), "{email}");
    }
}

#[tokio::test]
async fn nobody_is_unknown_where_people_may_hide() {
    let jira = Jira::new();
    let connection = jira.basic(&[("missing_user", "unknown")]);
    let found = jira.identify(&connection, "nobody@example.com").await;
    assert_eq!(found, Err(Code::Unsupported));
}

#[tokio::test]
async fn a_token_that_ran_out_makes_nobody_of_no_one() {
    let jira = Jira::new();
    let connection = jira.connect(&[
        ("auth_mode", "oauth_client"),
        ("client_id", demo::CLIENT_ID),
        ("credential", demo::CLIENT_SECRET),
    ]);
    assert_eq!(
        jira.identify(&connection, "dana@example.com").await,
        Ok(demo::DANA.to_owned())
    );
    // The site takes the old token for nobody's: 200 and an empty list.
    jira.standin.command("revoke", &json!({})).unwrap();
    assert_eq!(
        jira.identify(&connection, "sam@example.com").await,
        Ok(demo::SAM.to_owned())
    );
}

#[tokio::test]
async fn what_a_search_answers_otherwise() {
    let jira = Jira::new();
    let person = |n: usize| json!({"accountId": format!("a{n}"), "accountType": "atlassian", "active": true, "emailAddress": format!("d{n}@example.com")});
    let full: Vec<_> = (0..50).map(person).collect();
    let rows = [
        ("403", status(403), Code::CredentialRejected),
        ("429", status(429), Code::UpstreamRateLimited),
        ("500", status(500), Code::UpstreamError),
        ("an object", body("{}"), Code::UpstreamError),
        (
            "a member of another type",
            body(r#"[{"accountId": 7}]"#),
            Code::UpstreamError,
        ),
        (
            "pages without end",
            body(&json!(full).to_string()),
            Code::Unsupported,
        ),
        (
            "an id that is none",
            body(
                r#"[{"accountId": "a/b", "accountType": "atlassian", "active": true, "emailAddress": "dana@example.com"}]"#,
            ),
            Code::UpstreamError,
        ),
    ];
    for (what, fault, code) in rows {
        jira.standin.reset();
        jira.standin.fault(FaultRule::on(SEARCH, fault));
        let found = jira.identify(&jira.basic(&[]), "dana@example.com").await;
        assert_eq!(found, Err(code), "{what}");
        if what == "pages without end" {
            assert_eq!(jira.standin.count("GET", SEARCH), 5);
        }
    }
}
