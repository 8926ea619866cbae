//! Requests as they are sent, and what they are: `cases/requests.jsonl`.

use std::path::Path;

use toolpass_linear::LINEAR;
use toolpass_testkit::{connect, corpus};

#[test]
fn every_request_is_named_as_written() {
    let settings = connect::settings(&LINEAR, &[("credential", "k")]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests.jsonl");
    let named =
        corpus::requests(&file, &LINEAR, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 100, "only {named} cases");
}
