//! Requests as they are sent, and what they are: `cases/requests.jsonl`, and those through the gateway.

use std::path::Path;

use toolpass_jira::JIRA;
use toolpass_testkit::{connect, corpus};

#[test]
fn every_request_is_named_as_written() {
    let keys = [
        ("url", "https://acme.atlassian.net"),
        ("username", "bot@example.com"),
        ("credential", "t"),
        ("cloud_id", "1122-33"),
    ];
    let settings = connect::settings(&JIRA, &keys).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests.jsonl");
    let named =
        corpus::requests(&file, &JIRA, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 200, "only {named} cases");
}
