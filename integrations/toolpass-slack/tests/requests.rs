//! Requests as they are sent, and what they are: `cases/requests.jsonl`.

use std::path::Path;

use toolpass_slack::SLACK;
use toolpass_testkit::{connect, corpus};

#[test]
fn every_request_is_named_as_written() {
    let settings = connect::settings(&SLACK, &[("credential", "xoxb-t")]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests.jsonl");
    let named =
        corpus::requests(&file, &SLACK, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 100, "only {named} cases");
}

#[test]
fn a_system_of_ones_own_serves_files_beside_its_api() {
    let keys = [
        ("credential", "xoxb-t"),
        ("url", "http://localhost:4000/api"),
    ];
    let settings = connect::settings(&SLACK, &keys).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests_local.jsonl");
    let named =
        corpus::requests(&file, &SLACK, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 5, "only {named} cases");
}
