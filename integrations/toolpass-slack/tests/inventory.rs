//! Slack's table against its own list of methods.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use toolpass_core::resource::Resource;
use toolpass_slack::actions::Action;
use toolpass_slack::facts::Circumstances;
use toolpass_slack::resource::Target;
use toolpass_slack::{SLACK, routes};
use toolpass_testkit::connect;
use toolpass_testkit::inventory::{self, Inventory, Operation};
use toolpass_wire::extract::{self, Need};
use toolpass_wire::path::PathSegments;

#[test]
fn every_row_stands_for_a_method_or_says_why_not() {
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
    assert!(
        !counts.contains_key("not routed, weak evidence"),
        "{counts:?}"
    );
}

/// Reads are reported, not required: but a read without a check is a decision, so the list of them is committed.
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
    inventory::operations("slack", env!("CARGO_MANIFEST_DIR")).unwrap()
}

fn inventory() -> Inventory<'static> {
    Inventory {
        integration: &SLACK,
        settings: connect::settings(&SLACK, &[("credential", "xoxb-t")]).unwrap(),
        base: "https://slack.com",
        fill: &inventory::itself,
        listed: &|path| format!("/api{path}"),
        body: &|_| ARGUMENTS.to_owned(),
        left_out: &is_left_out,
        misfit: &misfit,
        weaker: &[],
    }
}

/// The list has the path from the root, the table without the prefix of the API.
fn is_left_out(operation: &Operation) -> bool {
    let method = operation
        .path
        .strip_prefix("/api")
        .unwrap_or(&operation.path);
    let path = PathSegments::read(method).unwrap();
    routes::table().left_out("POST", &path).is_some()
}

/// What of a pair the rules would not understand.
fn misfit(need: &Need) -> Option<&'static str> {
    let Some(action) = &need.action else {
        return None;
    };
    let Some(action) = Action::parse(action) else {
        return Some("no such action");
    };
    let Some(extract::Target::Resource(resource)) = &need.target else {
        return Some("no resource");
    };
    let target = Resource::parse(resource)
        .ok()
        .and_then(|resource| Target::read(&resource).ok());
    match target {
        None => Some("no resource of Slack"),
        Some(target) if !action.spec().on.contains(&target.type_name()) => {
            Some("asked on another type")
        }
        Some(_) if Circumstances::read(action, &need.facts).is_err() => {
            Some("facts that are not for the action")
        }
        Some(_) => None,
    }
}

/// What most methods take.
const ARGUMENTS: &str = r#"{"channel": "C012345678", "file": "F012345678", "canvas_id": "F012345678", "list_id": "F012345678", "id": "F012345678"}"#;
