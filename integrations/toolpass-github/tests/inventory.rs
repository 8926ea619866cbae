//! The table held against the vendor's own list of operations, in both directions.
//!
//! The list is not part of the repository: it is read where `TOOLPASS_SHARED` or `../shared` beside the workspace has it, and the
//! tests say so and pass when it is not there. What no list knows is the row's own to explain (`no_operation`).

#![expect(
    clippy::print_stderr,
    reason = "a skipped test and a count must be seen"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolpass_core::effect::Effect;
use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_github::actions::Action;
use toolpass_github::facts::Circumstances;
use toolpass_github::resource::{self, Login};
use toolpass_github::{GITHUB, graphql, routes};
use toolpass_integration::integration::Integration;
use toolpass_testkit::connect;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::extract::{Need, Target};
use toolpass_wire::observe::{Observation, System, Systems};
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

#[test]
fn every_row_stands_for_an_operation_or_says_why_not() {
    let Some(operations) = operations() else {
        return;
    };
    let shapes: BTreeSet<(String, String)> = operations
        .iter()
        .map(|operation| (operation.method.clone(), shape(&operation.path)))
        .collect();
    let paths: BTreeSet<&String> = shapes.iter().map(|(_, shape)| shape).collect();
    let mut problems = Vec::new();
    for row in routes::table().rows() {
        let shape = shape(&row.path);
        let stands = match row.method.as_ref() {
            "POST" if shape == "/graphql" => true,
            "*" => paths.contains(&shape),
            method => shapes.contains(&(method.to_owned(), shape)),
        };
        // A row with a tail stands for many operations, and may for one of the list as well.
        let has_tail = row.path.ends_with("+}") || row.path.ends_with("+%}");
        let explained = row.no_operation.is_some();
        if !stands && !explained || stands && explained && !has_tail {
            problems.push(format!(
                "{} {}: {}",
                row.method,
                row.path,
                if stands {
                    "explained, but it is in the list"
                } else {
                    "not in the list"
                }
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_write_has_a_row_or_a_reason() {
    let Some(operations) = operations() else {
        return;
    };
    let systems = systems();
    let (mut counts, mut problems) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for operation in operations
        .iter()
        .filter(|operation| operation.effect != Effect::Read && !operation.is_graphql())
    {
        let outcome = match observe(&systems, &operation.method, &sample(&operation.path), b"{}") {
            Observation::Mapped {
                effect, row, needs, ..
            } => {
                problems.extend(misfits(&operation.to_string(), &needs));
                let is_weaker = effect < operation.effect
                    && !WEAKER
                        .iter()
                        .any(|(known, _)| *known == operation.to_string());
                if is_weaker {
                    problems.push(format!(
                        "{operation}: {effect}, the list says {}",
                        operation.effect
                    ));
                }
                if row.agent_only.is_some() {
                    "the agent's own"
                } else {
                    "routed"
                }
            }
            Observation::Unresolved { row: Some(_), .. } => "routed, needs its body",
            Observation::Unmapped { .. } if left_out(operation) => "left out for a reason",
            other => {
                problems.push(format!("{operation}: {other:?}"));
                "no answer"
            }
        };
        if !routes::table()
            .claims()
            .iter()
            .any(|claim| operation.path.starts_with(claim.as_ref()))
        {
            problems.push(format!("{operation}: under no claim"));
        }
        *counts.entry(outcome).or_default() += 1;
    }
    eprintln!("writes: {counts:?}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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
                problems.extend(misfits(&operation.name, &needs));
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

/// Reads are reported, not required: but a read without a check is a decision, so the list of them is committed.
#[test]
fn reads_without_a_check_are_the_committed_ones() {
    let Some(operations) = operations() else {
        return;
    };
    let systems = systems();
    let (mut counts, mut unchecked) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for operation in operations
        .iter()
        .filter(|operation| operation.effect == Effect::Read && !operation.is_graphql())
    {
        let outcome = match observe(&systems, &operation.method, &sample(&operation.path), b"{}") {
            Observation::Mapped { row, .. } if row.agent_only.is_some() => "the agent's own",
            Observation::Mapped { needs, .. } if needs.iter().all(|need| need.action.is_some()) => {
                "checked"
            }
            Observation::Mapped { row, .. } if row.agent_sight => {
                "unchecked, follows the agent's sight"
            }
            Observation::Mapped { .. } => "unchecked",
            Observation::Unresolved { .. } => "refused",
            Observation::Unmapped { .. } if left_out(operation) => "left out for a reason",
            Observation::Unmapped { .. }
            | Observation::UnknownHost { .. }
            | Observation::HostMismatch { .. } => "unmatched",
        };
        if [
            "unchecked",
            "unchecked, follows the agent's sight",
            "unmatched",
        ]
        .contains(&outcome)
        {
            unchecked.push(format!("{operation} ({outcome})"));
        }
        *counts.entry(outcome).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    eprintln!("reads: {counts:?} of {all}");
    let committed = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reads_without_check.txt"),
    )
    .unwrap();
    let committed: Vec<&str> = committed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    unchecked.sort();
    assert_eq!(unchecked, committed, "\n{}", unchecked.join("\n"));
}

/// An address by number asks what the named address asks, of what the number leads to, or is refused.
#[test]
fn an_address_by_number_asks_no_less() {
    let systems = systems();
    let (mut same, mut refused) = (0, BTreeSet::new());
    for row in routes::table().rows() {
        let named = sample(&row.path);
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

/// Operations that are called weaker here than by the list, and why.
const WEAKER: &[(&str, &str)] = &[(
    "DELETE /repos/{owner}/{repo}/subscription",
    "stops watching; nothing is lost",
)];

/// An input with every member that any mutation asks for.
const INPUT: &str = r#"{assignableId: \"N1\", autoMerge: false, base: \"main\", branch: {repositoryNameWithOwner: \"acme/shop\", branchName: \"main\"}, branchProtectionRuleId: \"N1\", canonicalId: \"N1\", checkRunId: \"N1\", checkSuiteId: \"N1\", commentId: \"N1\", contentId: \"N1\", deploymentId: \"N1\", discussionId: \"N1\", draftIssueId: \"N1\", duplicateId: \"N1\", environmentId: \"N1\", event: COMMENT, fieldId: \"N1\", id: \"N1\", ipAllowListEntryId: \"N1\", issueId: \"N1\", itemId: \"N1\", labelableId: \"N1\", linkedBranchId: \"N1\", lockableId: \"N1\", migrationId: \"N1\", name: \"refs/heads/x\", organizationId: \"N1\", ownerId: \"N1\", packageVersionId: \"N1\", pollOptionId: \"N1\", projectId: \"N1\", pullRequestId: \"N1\", pullRequestReviewCommentId: \"N1\", pullRequestReviewId: \"N1\", refId: \"N1\", refUpdates: [{name: \"refs/heads/x\", afterOid: \"1\"}], repositoryId: \"N1\", repositoryRulesetId: \"N1\", repositoryVulnerabilityAlertId: \"N1\", sourceId: \"N1\", statusUpdateId: \"N1\", subIssueId: \"N1\", subjectId: \"N1\", teamId: \"N1\", teamIds: [\"N1\"], threadId: \"N1\", visibility: PRIVATE, workflowId: \"N1\"}"#;

/// One line of the list.
struct Operation {
    method: String,
    path: String,
    name: String,
    effect: Effect,
}

impl Operation {
    fn is_graphql(&self) -> bool {
        self.path == "/graphql"
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

fn operations() -> Option<Vec<Operation>> {
    let shared = std::env::var_os("TOOLPASS_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let Ok(text) = std::fs::read_to_string(shared.join("data/apis/github.tsv")) else {
        eprintln!(
            "SKIPPED: no list of operations at {}",
            shared.join("data/apis/github.tsv").display()
        );
        return None;
    };
    let operation = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next().unwrap();
        Operation {
            method: next(),
            path: next(),
            name: next(),
            effect: Effect::parse(&next()).unwrap(),
        }
    };
    let operations: Vec<Operation> = text.lines().skip(1).map(operation).collect();
    assert!(operations.len() > 1_000, "{}", operations.len());
    Some(operations)
}

/// What of the pairs the rules would not understand: an action, a fact, a resource of another type.
fn misfits(operation: &str, needs: &[Need]) -> Vec<String> {
    let fits = |need: &Need| {
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
    needs
        .iter()
        .filter_map(|need| {
            fits(need)
                .err()
                .map(|why| format!("{operation}: {why}: {need:?}"))
        })
        .collect()
}

fn left_out(operation: &Operation) -> bool {
    let request = request(&operation.method, &sample(&operation.path), b"{}");
    routes::table()
        .left_out(&operation.method, request.path().unwrap())
        .is_some()
}

fn shape(path: &str) -> String {
    let anonymous = |segment| {
        if str::contains(segment, '{') {
            "{}"
        } else {
            segment
        }
    };
    path.split('/').map(anonymous).collect::<Vec<_>>().join("/")
}

/// A path with something in place of each variable.
fn sample(path: &str) -> String {
    let fill = |segment: &str| match segment {
        "{org}" | "{owner}" | "{template_owner}" => "acme".to_owned(),
        "{repo}" | "{template_repo}" => "shop".to_owned(),
        "{base}...{head}" | "{basehead}" => "main...next".to_owned(),
        "{ref}" => "heads".to_owned() + "/main",
        variable if variable.ends_with("_id}") || variable.ends_with("_number}") => "7".to_owned(),
        variable if variable.contains('{') => "dana".to_owned(),
        literal => literal.to_owned(),
    };
    path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

fn systems() -> Systems {
    let settings = connect::settings(&GITHUB, &[("organization", "acme"), ("token", "t")]).unwrap();
    Systems::new(vec![System {
        connection: "hub".to_owned(),
        integration: GITHUB.name(),
        table: GITHUB.routes(),
        endpoints: GITHUB.endpoints(&settings).unwrap(),
        owns: Arc::new(|_| true),
        private: false,
        strict_reads: false,
        vendor_hosts: GITHUB.vendor_hosts(),
    }])
}

fn observe(systems: &Systems, method: &str, target: &str, body: &[u8]) -> Observation {
    systems.observe(&request(method, target, body))
}

fn request(method: &str, target: &str, body: &[u8]) -> WireRequest {
    let has_body = !["GET", "HEAD", "DELETE"].contains(&method);
    let mut headers: Vec<(&str, &[u8])> = vec![("host", b"api.github.com")];
    if has_body {
        headers.push(("content-type", b"application/json"));
    }
    let body = if has_body {
        RawBody::Bytes(body)
    } else {
        RawBody::None
    };
    WireRequest::read(
        RawRequest {
            scheme: "https",
            host: "api.github.com",
            port: None,
            method,
            target,
            headers,
            body,
        },
        &Limits::default(),
    )
}
