//! Requests as they are sent, and what they are: `cases/requests.jsonl`, and those to an Enterprise Server.

use std::path::Path;

use toolpass_github::GITHUB;
use toolpass_testkit::{connect, corpus};

#[test]
fn every_request_is_named_as_written() {
    let settings = connect::settings(&GITHUB, &[("organization", "acme"), ("token", "t")]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests.jsonl");
    let named =
        corpus::requests(&file, &GITHUB, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 250, "only {named} cases");
}

#[test]
fn a_server_of_ones_own_serves_files_below_its_address() {
    let keys = [
        ("organization", "acme"),
        ("token", "t"),
        ("url", "https://git.example.com"),
    ];
    let settings = connect::settings(&GITHUB, &keys).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests_server.jsonl");
    let named =
        corpus::requests(&file, &GITHUB, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 5, "only {named} cases");
}
