//! GitHub's table against its own list of operations: REST by the testkit, each mutation of GraphQL, and addresses by number.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_github::actions::Action;
use toolpass_github::facts::Circumstances;
use toolpass_github::resource::{self, Login};
use toolpass_github::{GITHUB, graphql, routes};
use toolpass_testkit::inventory::{self, Inventory, Operation};
use toolpass_testkit::{connect, observed};
use toolpass_wire::extract::{Need, Target};
use toolpass_wire::observe::{Observation, Systems};
use toolpass_wire::raw::RawBody;

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
    let rest = operations
        .iter()
        .filter(|operation| !operation.is_graphql());
    inventory()
        .writes(rest)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

/// Reads are reported, not required: but a read without a check is a decision, so the list of them is committed.
#[test]
fn reads_without_a_check_are_the_committed_ones() {
    let Some(operations) = operations() else {
        return;
    };
    let rest = operations
        .iter()
        .filter(|operation| !operation.is_graphql());
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reads_without_check.txt");
    inventory()
        .reads(rest, &committed)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

#[test]
fn every_mutation_has_an_answer() {
    let Some(operations) = operations() else {
        return;
    };
    let systems = systems();
    let known: BTreeSet<&str> = graphql::names().collect();
    let (mut counts, mut problems) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for operation in operations
        .iter()
        .filter(|operation| operation.method == "MUTATION")
    {
        // One mutation takes a plain name where another takes a ref.
        let input = if operation.name == "createLinkedBranch" {
            INPUT.replace("refs/heads/", "")
        } else {
            INPUT.to_owned()
        };
        let body = format!(
            r#"{{"query": "mutation {{ {}(input: {input}) {{ __typename }} }}"}}"#,
            operation.name
        );
        let outcome = match (
            observe(&systems, "POST", "/graphql", body.as_bytes()),
            graphql::left_out(&operation.name),
        ) {
            (Observation::Mapped { effect, needs, .. }, None) => {
                let misfits = needs.iter().filter_map(misfit);
                problems.extend(misfits.map(|why| format!("{}: {why}", operation.name)));
                if effect < operation.effect || needs.iter().any(|need| need.action.is_none()) {
                    problems.push(format!("{}: {effect}, {needs:?}", operation.name));
                }
                "mapped"
            }
            (Observation::Unresolved { row: Some(_), .. }, Some(_)) => "left out for a reason",
            (other, _) => {
                problems.push(format!("{}: {other:?}", operation.name));
                "no answer"
            }
        };
        if !known.contains(operation.name.as_str()) {
            problems.push(format!("{}: no row", operation.name));
        }
        *counts.entry(outcome).or_default() += 1;
    }
    eprintln!("mutations: {counts:?}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// An address by number asks what the named address asks, of what the number leads to, or is refused.
#[test]
fn an_address_by_number_asks_no_less() {
    let systems = systems();
    let (mut same, mut refused) = (0, BTreeSet::new());
    for row in routes::table().rows() {
        let named = inventory().sample(&row.path);
        let Some(rest) = named.strip_prefix("/repos/acme/shop") else {
            continue;
        };
        let method = if row.method == "*" {
            "PATCH"
        } else {
            row.method.as_ref()
        };
        let body = br#"{"head": "topic", "ref": "refs/heads/topic", "event": "APPROVE", "branch": "topic", "environment_ids": [1]}"#;
        let by_number = observe(&systems, method, &format!("/repositories/42{rest}"), body);
        match (observe(&systems, method, &named, body), by_number) {
            (
                Observation::Mapped {
                    row: info,
                    needs,
                    effect,
                    ..
                },
                Observation::Mapped {
                    row: info_by_number,
                    needs: by_number,
                    effect: effect_by_number,
                    ..
                },
            ) => {
                let expected: Vec<Need> = needs.into_iter().map(pointed).collect();
                assert_eq!(by_number, expected, "{method} {named}");
                assert_eq!(
                    (effect_by_number, info_by_number.sends_out),
                    (effect, info.sends_out),
                    "{named}"
                );
                same += 1;
            }
            (_, Observation::Unresolved { .. }) => {
                refused.insert(format!("{method} {}", row.path));
            }
            (named, by_number) => panic!("{named:?} {by_number:?}"),
        }
    }
    assert!(same > 250 && refused.len() < 40, "{same} {refused:#?}");
}

/// What a pair on `acme/shop` becomes when that goes by the number 42.
fn pointed(mut need: Need) -> Need {
    if let Some(Target::Resource(resource)) = &need.target
        && let Some(branch) = resource.strip_prefix("repo:acme/shop")
    {
        let at = branch
            .strip_prefix('@')
            .map(|branch| ("at".to_owned(), branch.to_owned()));
        need.target = Some(Target::Pointer(Pointer {
            kind: "repository_id".to_owned(),
            value: "42".to_owned(),
            parts: at.into_iter().collect(),
        }));
    }
    need
}

/// An input with every member that any mutation asks for.
const INPUT: &str = r#"{assignableId: \"N1\", autoMerge: false, base: \"main\", branch: {repositoryNameWithOwner: \"acme/shop\", branchName: \"main\"}, branchProtectionRuleId: \"N1\", canonicalId: \"N1\", checkRunId: \"N1\", checkSuiteId: \"N1\", commentId: \"N1\", contentId: \"N1\", deploymentId: \"N1\", discussionId: \"N1\", draftIssueId: \"N1\", duplicateId: \"N1\", environmentId: \"N1\", event: COMMENT, fieldId: \"N1\", id: \"N1\", ipAllowListEntryId: \"N1\", issueId: \"N1\", itemId: \"N1\", labelableId: \"N1\", linkedBranchId: \"N1\", lockableId: \"N1\", migrationId: \"N1\", name: \"refs/heads/x\", organizationId: \"N1\", ownerId: \"N1\", packageVersionId: \"N1\", pollOptionId: \"N1\", projectId: \"N1\", pullRequestId: \"N1\", pullRequestReviewCommentId: \"N1\", pullRequestReviewId: \"N1\", refId: \"N1\", refUpdates: [{name: \"refs/heads/x\", afterOid: \"1\"}], repositoryId: \"N1\", repositoryRulesetId: \"N1\", repositoryVulnerabilityAlertId: \"N1\", sourceId: \"N1\", statusUpdateId: \"N1\", subIssueId: \"N1\", subjectId: \"N1\", teamId: \"N1\", teamIds: [\"N1\"], threadId: \"N1\", visibility: PRIVATE, workflowId: \"N1\"}"#;

fn operations() -> Option<Vec<Operation>> {
    inventory::operations("github", env!("CARGO_MANIFEST_DIR")).unwrap()
}

fn inventory() -> Inventory<'static> {
    Inventory {
        integration: &GITHUB,
        settings: connect::settings(&GITHUB, &[("organization", "acme"), ("token", "t")]).unwrap(),
        base: BASE,
        fill: &fill,
        listed: &inventory::itself,
        body: &inventory::empty,
        left_out: &inventory::nowhere,
        misfit: &misfit,
        weaker: &[(
            "DELETE /repos/{owner}/{repo}/subscription",
            "stops watching; nothing is lost",
        )],
    }
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
                let target = resource::Target::read(&Login::parse("acme").unwrap(), &parsed);
                target.map_err(|_| "no resource of GitHub's")?.type_name()
            }
            Some(Target::Pointer(pointer)) => match pointer.kind.as_str() {
                "repository_id" => "repo",
                "team_id" => "team",
                _ => action.spec().on[0],
            },
            None => return Err("an action on nothing"),
        };
        if action.spec().on.contains(&kind) {
            Ok(())
        } else {
            Err("a resource of another type")
        }
    };
    fits().err()
}

/// Something in place of a variable.
fn fill(segment: &str) -> String {
    match segment {
        "{org}" | "{owner}" | "{template_owner}" => "acme",
        "{repo}" | "{template_repo}" => "shop",
        "{base}...{head}" | "{basehead}" => "main...next",
        "{ref}" => "heads/main",
        variable if variable.ends_with("_id}") || variable.ends_with("_number}") => "7",
        _ => "dana",
    }
    .to_owned()
}

fn systems() -> Systems {
    observed::systems(&GITHUB, &inventory().settings).unwrap()
}

fn observe(systems: &Systems, method: &str, target: &str, body: &[u8]) -> Observation {
    let url = format!("{BASE}{target}");
    let request = if ["GET", "HEAD", "DELETE"].contains(&method) {
        observed::request(method, &url, [], RawBody::None)
    } else {
        let headers = [("content-type", "application/json")];
        observed::request(method, &url, headers, RawBody::Bytes(body))
    };
    systems.observe(&request.unwrap())
}

const BASE: &str = "https://api.github.com";
