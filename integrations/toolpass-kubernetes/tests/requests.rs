//! Requests as they are sent, and what they are: `cases/requests.jsonl`.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use toolpass_kubernetes::KUBERNETES;
use toolpass_testkit::{connect, corpus};

#[test]
fn every_request_is_named_as_written() {
    let keys = [("url", "https://c.example.com"), ("credential", "t")];
    let named = cases("requests.jsonl", &keys);
    assert!(named > 80, "only {named} cases");
}

#[test]
fn a_path_before_the_api_is_cut_off() {
    let keys = [
        ("url", "https://rancher.example.com/k8s/clusters/c-1"),
        ("credential", "t"),
    ];
    let named = cases("requests_prefix.jsonl", &keys);
    assert!(named > 3, "only {named} cases");
}

fn cases(name: &str, keys: &[(&str, &str)]) -> usize {
    let settings = connect::settings(&KUBERNETES, keys).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name);
    corpus::requests(&file, &KUBERNETES, &settings).unwrap_or_else(|failures| panic!("{failures}"))
}
