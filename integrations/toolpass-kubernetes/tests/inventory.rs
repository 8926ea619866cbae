//! The table against the API server's own list of operations.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use toolpass_core::resource::Resource;
use toolpass_kubernetes::KUBERNETES;
use toolpass_kubernetes::actions::Meaning;
use toolpass_kubernetes::facts::Circumstances;
use toolpass_kubernetes::resource::Asked;
use toolpass_testkit::connect;
use toolpass_testkit::inventory::{self, Inventory, Operation};
use toolpass_wire::extract::{Need, Target};

#[test]
fn every_row_stands_for_an_operation_or_says_why_not() {
    let Some(operations) = operations() else {
        return;
    };
    inventory()
        .rows(&operations)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

#[test]
fn every_write_has_a_row_or_a_reason() {
    let Some(operations) = operations() else {
        return;
    };
    let counts = inventory()
        .writes(&operations)
        .unwrap_or_else(|problems| panic!("{problems}"));
    assert!(counts.values().sum::<usize>() > 600, "{counts:?}");
}

#[test]
fn reads_without_a_check_are_the_committed_ones() {
    let Some(operations) = operations() else {
        return;
    };
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reads_without_check.txt");
    inventory()
        .reads(&operations, &committed)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

fn operations() -> Option<Vec<Operation>> {
    inventory::operations("kubernetes", env!("CARGO_MANIFEST_DIR")).unwrap()
}

fn inventory() -> Inventory<'static> {
    let keys = [("url", BASE), ("credential", "t")];
    Inventory {
        integration: &KUBERNETES,
        settings: connect::settings(&KUBERNETES, &keys).unwrap(),
        base: BASE,
        fill: &|_| "web".to_owned(),
        listed: &listed,
        body: &body,
        left_out: &inventory::nowhere,
        misfit: &misfit,
        weaker: &[],
    }
}

/// The list writes what the server says of itself with a slash at the end.
fn listed(path: &str) -> String {
    format!("{path}/")
}

/// A role binding must say which role.
fn body(operation: &Operation) -> String {
    match operation.path.contains("rolebindings") {
        true => r#"{"roleRef": {"kind": "Role", "name": "web"}}"#.to_owned(),
        false => "{}".to_owned(),
    }
}

/// What of a pair the rules would not understand.
fn misfit(need: &Need) -> Option<&'static str> {
    let fits = || {
        let Some(name) = &need.action else {
            return Ok(());
        };
        let meaning = Meaning::of(name).ok_or("no such action")?;
        Circumstances::read(&need.facts).map_err(|_| "a fact that is not understood")?;
        match &need.target {
            Some(Target::Resource(text)) => {
                let parsed = Resource::parse(text).map_err(|_| "no resource")?;
                Asked::read(&meaning, &parsed)
                    .map(drop)
                    .map_err(|_| "no resource of Kubernetes")
            }
            Some(Target::Pointer(_)) => Ok(()),
            None => Err("an action on nothing"),
        }
    };
    fits().err()
}

const BASE: &str = "https://cluster.example.com";
