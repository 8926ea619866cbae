//! Jira's table against its own list of operations.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use toolpass_core::resource::Resource;
use toolpass_jira::actions::Action;
use toolpass_jira::facts::Circumstances;
use toolpass_jira::resource;
use toolpass_jira::{JIRA, pointer};
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
    inventory()
        .writes(&operations)
        .unwrap_or_else(|problems| panic!("{problems}"));
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
    inventory::operations("jira", env!("CARGO_MANIFEST_DIR")).unwrap()
}

fn inventory() -> Inventory<'static> {
    let keys = [
        ("url", "https://acme.atlassian.net"),
        ("username", "bot@example.com"),
        ("credential", "t"),
    ];
    Inventory {
        integration: &JIRA,
        settings: connect::settings(&JIRA, &keys).unwrap(),
        base: "https://acme.atlassian.net",
        fill: &fill,
        listed: &|path| path.replace("{version}", "3"),
        body: &inventory::empty,
        left_out: &inventory::nowhere,
        misfit: &misfit,
        weaker: &[],
    }
}

/// Something in place of a variable.
fn fill(segment: &str) -> String {
    match segment {
        "{issueIdOrKey}" | "{epicIdOrKey}" => "OPS-1",
        "{projectIdOrKey}" | "{projectKeyOrId}" => "OPS",
        _ => "7",
    }
    .to_owned()
}

/// What of a pair the rules would not understand: an action, a fact, a resource of another type.
fn misfit(need: &Need) -> Option<&'static str> {
    let fits = || {
        let Some(name) = &need.action else {
            return Ok(());
        };
        let action = Action::parse(name).ok_or("no such action")?;
        Circumstances::read(action, &need.facts).map_err(|_| "a fact that is not understood")?;
        let kind = match &need.target {
            Some(Target::Resource(text)) => {
                let parsed = Resource::parse(text).map_err(|_| "no resource")?;
                let target = resource::Target::read(&parsed);
                target.map_err(|_| "no resource of Jira's")?.type_name()
            }
            Some(Target::Pointer(found)) => match found.kind.as_str() {
                pointer::COMMENT if found.parts.is_empty() => "comment",
                pointer::COMMENT => "issue",
                pointer::COMPONENT | pointer::SERVICE_DESK | pointer::VERSION => "project",
                _ => return Err("a pointer of another kind"),
            },
            None => return Err("an action on nothing"),
        };
        match action.spec().on.contains(&kind) {
            true => Ok(()),
            false => Err("a resource of another type"),
        }
    };
    fits().err()
}
