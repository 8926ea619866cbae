//! Linear's table against its own list of operations: every root field of its schema.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use toolpass_core::resource::Resource;
use toolpass_linear::actions::Action;
use toolpass_linear::facts::Circumstances;
use toolpass_linear::resource::Target as Named;
use toolpass_linear::{LINEAR, graphql};
use toolpass_testkit::connect;
use toolpass_testkit::inventory::{self, Inventory, Operation};
use toolpass_wire::extract::{Need, Target};

#[test]
fn every_row_stands_for_an_operation_or_says_why_not() {
    let Some(operations) = operations() else {
        return;
    };
    // The list has fields of the schema; the row is where they are sent.
    let mut all = operations.clone();
    all.extend(operations.first().map(|operation| Operation {
        method: "GET".to_owned(),
        ..operation.clone()
    }));
    inventory()
        .rows(&all)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

#[test]
fn every_mutation_has_a_row_or_a_reason() {
    let Some(operations) = operations() else {
        return;
    };
    let counts = inventory()
        .writes(&operations)
        .unwrap_or_else(|problems| panic!("{problems}"));
    let listed: BTreeSet<&str> = names(&operations, "MUTATION");
    let known: BTreeSet<&str> = graphql::names().collect();
    assert_eq!(known, listed);
    let left_out = graphql::names().filter(|name| graphql::left_out(name).is_some());
    assert_eq!(counts["left out for a reason"], left_out.count());
    assert_eq!(counts.get("routed, needs its body"), None, "{counts:?}");
}

/// Reads are reported, not required: but a read without a check is a decision, so the list of them is committed.
#[test]
fn reads_without_a_check_are_the_committed_ones() {
    let Some(operations) = operations() else {
        return;
    };
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reads_without_check.txt");
    let counts = inventory()
        .reads(&operations, &committed)
        .unwrap_or_else(|problems| panic!("{problems}"));
    let listed = names(&operations, "QUERY");
    let known: BTreeSet<&str> = graphql::queries()
        .filter(|name| !name.starts_with("__"))
        .collect();
    assert_eq!(known, listed);
    assert!(counts["checked"] > 70, "{counts:?}");
}

fn names<'o>(operations: &'o [Operation], method: &str) -> BTreeSet<&'o str> {
    let of_method = operations
        .iter()
        .filter(|operation| operation.method == method);
    of_method.map(|operation| operation.name.as_str()).collect()
}

fn inventory() -> Inventory<'static> {
    Inventory {
        integration: &LINEAR,
        settings: connect::settings(&LINEAR, &[("credential", "k")]).unwrap(),
        base: "https://api.linear.app",
        fill: &|_| ID.to_owned(),
        listed: &|path| format!("/graphql{}", path.trim_end_matches('/')),
        body: &body,
        left_out: &|operation| graphql::left_out(&operation.name).is_some(),
        misfit: &misfit,
        weaker: &[],
    }
}

/// A document that gives what the row of a mutation needs, or what its reader does.
fn body(operation: &Operation) -> String {
    let name = operation.name.as_str();
    let read = READ.iter().find(|(known, _)| *known == name);
    let document = match (operation.method.as_str(), read) {
        ("MUTATION", Some((_, arguments))) => {
            format!("mutation {{ {name}({arguments}) {{ __typename }} }}")
        }
        ("MUTATION", None) => {
            let (inner, outer): (Vec<&str>, Vec<&str>) = graphql::paths(name)
                .into_iter()
                .partition(|path| path.starts_with("input."));
            let given = |paths: Vec<&str>| {
                let all: BTreeSet<String> = paths
                    .iter()
                    .map(|path| format!("{}: \"ID\"", path.trim_start_matches("input.")))
                    .collect();
                all.into_iter().collect::<Vec<_>>().join(", ")
            };
            let (inner, outer) = (given(inner), given(outer));
            let comma = if outer.is_empty() { "" } else { ", " };
            format!("mutation {{ {name}({outer}{comma}input: {{{inner}}}) {{ __typename }} }}")
        }
        _ => format!("query {{ {name}(id: \"ID\", teamId: \"ID\") {{ __typename }} }}"),
    };
    serde_json::json!({ "query": document.replace("ID", ID) }).to_string()
}

/// What of a pair Linear's own rules would not understand.
fn misfit(need: &Need) -> Option<&'static str> {
    let action = Action::parse(need.action.as_deref()?);
    let Some(action) = action else {
        return Some("no such action");
    };
    if Circumstances::read(action, &need.facts).is_err() {
        return Some("a fact that is not for the action");
    }
    match &need.target {
        None => Some("an action on nothing"),
        Some(Target::Resource(text)) => {
            let resource = Resource::parse(text).ok();
            let target = resource.and_then(|resource| Named::read(&resource).ok());
            match target {
                Some(target) if action.spec().on.contains(&target.type_name()) => None,
                Some(_) => Some("a resource of another type than the action's"),
                None => Some("no resource"),
            }
        }
        Some(Target::Pointer(pointer)) => {
            let want = pointer.parts.get("want").map(String::as_str);
            let fits = want.is_some_and(|want| action.spec().on.contains(&want));
            (!fits).then_some("a pointer to another type than the action's")
        }
    }
}

fn operations() -> Option<Vec<Operation>> {
    inventory::operations("linear", env!("CARGO_MANIFEST_DIR")).unwrap()
}

const ID: &str = "00000000-0000-4000-8000-000000000001";
/// What the readers of arguments need.
const READ: &[(&str, &str)] = &[
    ("commentCreate", "input: {issueId: \"ID\"}"),
    ("commentUpdate", "id: \"ID\", input: {body: \"x\"}"),
    ("createCsvExportReport", "includePrivateTeamIds: []"),
    ("customerNeedCreate", "input: {issueId: \"ID\"}"),
    ("customViewUpdate", "id: \"ID\", input: {name: \"x\"}"),
    ("issueBatchCreate", "input: {issues: [{teamId: \"ID\"}]}"),
    ("issueBatchUpdate", "ids: [\"ID\"], input: {title: \"x\"}"),
    ("issueCreate", "input: {teamId: \"ID\"}"),
    ("issueDelete", "id: \"ID\""),
    ("issueSubscribe", "id: \"ID\", userId: \"ID\""),
    ("issueUnsubscribe", "id: \"ID\", userId: \"ID\""),
    ("issueUpdate", "id: \"ID\", input: {title: \"x\"}"),
    ("projectCreate", "input: {name: \"x\", teamIds: [\"ID\"]}"),
    (
        "projectMilestoneMove",
        "id: \"ID\", input: {projectId: \"ID\"}",
    ),
    ("projectUpdate", "id: \"ID\", input: {name: \"x\"}"),
    ("releaseSync", "input: {pipelineId: \"ID\"}"),
    (
        "teamMembershipCreate",
        "input: {teamId: \"ID\", userId: \"ID\"}",
    ),
    ("teamMembershipUpdate", "id: \"ID\", input: {owner: true}"),
    ("teamUpdate", "id: \"ID\", input: {name: \"x\"}"),
    ("userChangeRole", "id: \"ID\", role: user"),
    ("userRevokeAllSessions", "id: \"ID\""),
    ("userRevokeSession", "id: \"ID\", sessionId: \"x\""),
    ("userSuspend", "id: \"ID\""),
    ("userUnlinkFromIdentityProvider", "id: \"ID\""),
    ("userUnsuspend", "id: \"ID\""),
    ("userUpdate", "id: \"ID\", input: {}"),
];
