//! The rules over answers from `cases/rules.jsonl`, and what holds for every answer there is.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_integration::answers::Answer;
use toolpass_integration::connection::{Identity, Request};
use toolpass_integration::failure::Failure;
use toolpass_jira::JIRA;
use toolpass_jira::actions::{Action, TABLE};
use toolpass_jira::config::Config;
use toolpass_jira::rules::{self, Question};
use toolpass_jira::upstream::read::{Check, Read};
use toolpass_testkit::cases::{self, Answering};
use toolpass_testkit::corpus::{self, Case};
use toolpass_testkit::{ask, connect};

#[test]
fn every_case_is_decided_as_written() {
    let decided = corpus::decisions(&corpus_file(), |case| decide(case, &cases::answered))
        .unwrap_or_else(|failures| panic!("{failures}"));
    assert!(decided > 100, "only {decided} cases");
}

/// A read that fails, or answers with something else than it should, never says yes or no.
#[test]
fn trouble_with_any_read_leaves_the_question_open_or_as_it_was() {
    let cases = corpus::cases(&corpus_file()).unwrap();
    cases::trouble_decides_nothing(&cases, &decide).unwrap_or_else(|problems| panic!("{problems}"));
}

/// Any one member of a record of the wrong type, or gone, never turns a no into a yes, but for those whose absence says so.
#[test]
fn no_member_that_is_wrong_or_gone_makes_an_allow() {
    let cases = corpus::cases(&corpus_file()).unwrap();
    cases::nothing_wrong_makes_an_allow(&cases, ABSENCE_SAYS_NO, &decide)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

/// Every action asks for nothing it does not need: who holds all is allowed or told what is not readable, who holds nothing never is.
#[test]
fn all_and_nothing() {
    for spec in TABLE.iter().filter(|spec| !spec.name.contains('<')) {
        for kind in spec.on {
            let world = World {
                held: KEYS.iter().map(|key| (*key).to_owned()).collect(),
                ..World::default()
            };
            let all = world.decide(spec.name, resource_of(kind), &[]);
            assert!(
                all.outcome() == Outcome::Allow || spec.name.ends_with(".own"),
                "{} on {kind}: {}",
                spec.name,
                all.reason()
            );
            let none = World::default().decide(spec.name, resource_of(kind), &[]);
            assert_ne!(none.outcome(), Outcome::Allow, "{} on {kind}", spec.name);
        }
    }
}

proptest! {
    /// More access upstream never turns an allow into a deny; less never turns a deny into an allow.
    #[test]
    fn access_only_helps(world in worlds(), more in keys(), action in 0..Action::ALL.len(), place in 0..3_usize, facts in 0..FACTS.len()) {
        let spec = TABLE[action];
        let name = if spec.name.contains('<') { "FLY_ROCKETS" } else { spec.name };
        let kind = spec.on[place % spec.on.len()];
        let less = world.decide(name, resource_of(kind), FACTS[facts]);
        let richer = World { held: world.held.union(&more).cloned().collect(), ..world.clone() };
        let after = richer.decide(name, resource_of(kind), FACTS[facts]);
        let lost = less.outcome() == Outcome::Allow && after.outcome() == Outcome::Deny;
        prop_assert!(!lost, "{name} on {kind}: {} with {:?}, {} with {:?}", less.reason(), world.held, after.reason(), richer.held);
    }

    /// An allow rests on the key itself: taken away, nothing else makes up for it.
    #[test]
    fn a_key_is_needed(world in worlds(), action in 0..Action::ALL.len(), place in 0..3_usize) {
        let spec = TABLE[action];
        if spec.name.contains(['.', '<']) {
            return Ok(());
        }
        let kind = spec.on[place % spec.on.len()];
        let held = world.held.iter().filter(|key| *key != spec.name).cloned().collect();
        let without = World { held, ..world };
        prop_assert_eq!(without.decide(spec.name, resource_of(kind), &[]).outcome(), Outcome::Deny);
    }
}

/// Members whose absence is Jira's way to say that there is no such thing, or that change nothing in a no.
const ABSENCE_SAYS_NO: &[&str] = &["archived", "visibility"];

const FACTS: &[&[(&str, &str)]] = &[
    &[],
    &[("deletes_subtasks", "1")],
    &[("as_customer", "1")],
    &[("custom_fields", "10020")],
    &[("or_administer", "1")],
    &[("replies_to", "7")],
];

const KEYS: &[&str] = &[
    "ADD_COMMENTS",
    "ADMINISTER",
    "ADMINISTER_PROJECTS",
    "ARCHIVE_ISSUES",
    "ASSIGNABLE_USER",
    "ASSIGN_ISSUES",
    "BROWSE_PROJECTS",
    "BULK_CHANGE",
    "CLOSE_ISSUES",
    "CREATE_ATTACHMENTS",
    "CREATE_ISSUES",
    "CREATE_PROJECT",
    "CREATE_SHARED_OBJECTS",
    "DELETE_ALL_ATTACHMENTS",
    "DELETE_ALL_COMMENTS",
    "DELETE_ALL_WORKLOGS",
    "DELETE_ISSUES",
    "DELETE_OWN_ATTACHMENTS",
    "DELETE_OWN_COMMENTS",
    "DELETE_OWN_WORKLOGS",
    "EDIT_ALL_COMMENTS",
    "EDIT_ALL_WORKLOGS",
    "EDIT_ISSUES",
    "EDIT_OWN_COMMENTS",
    "EDIT_OWN_WORKLOGS",
    "FLY_ROCKETS",
    "LINK_ISSUES",
    "MANAGE_GROUP_FILTER_SUBSCRIPTIONS",
    "MANAGE_SPRINTS_PERMISSION",
    "MANAGE_WATCHERS",
    "MODIFY_REPORTER",
    "MOVE_ISSUES",
    "RESOLVE_ISSUES",
    "SCHEDULE_ISSUES",
    "SERVICEDESK_AGENT",
    "SET_ISSUE_SECURITY",
    "SYSTEM_ADMIN",
    "TRANSITION_ISSUES",
    "USER_PICKER",
    "VIEW_AGGREGATED_DATA",
    "VIEW_DEV_TOOLS",
    "VIEW_READONLY_WORKFLOW",
    "VIEW_VOTERS_AND_WATCHERS",
    "WORK_ON_ISSUES",
    // Not keys of Jira's: a group, access to the product, and being who wrote and owns things.
    "group dev",
    "has access",
    "is author",
    "is owner",
];

/// A site as Jira might describe it, but for what the user holds.
#[derive(Clone, Debug)]
struct World {
    held: BTreeSet<String>,
    is_service: bool,
    is_archived: bool,
    is_restricted: bool,
    share: &'static str,
    board_of_all: bool,
}

impl Default for World {
    fn default() -> World {
        World {
            held: BTreeSet::new(),
            is_service: false,
            is_archived: false,
            is_restricted: false,
            share: "group",
            board_of_all: false,
        }
    }
}

fn keys() -> impl Strategy<Value = BTreeSet<String>> {
    prop::collection::btree_set(prop::sample::select(KEYS).prop_map(str::to_owned), 0..24)
}

fn worlds() -> impl Strategy<Value = World> {
    let share = prop::sample::select(vec!["user", "group", "project", "projectRole", "planet"]);
    (keys(), any::<[bool; 4]>(), share).prop_map(|(held, flags, share)| {
        let [is_service, is_archived, is_restricted, board_of_all] = flags;
        World {
            held,
            is_service,
            is_archived,
            is_restricted,
            share,
            board_of_all,
        }
    })
}

impl World {
    fn decide(&self, action: &str, resource: &str, facts: &[(&str, &str)]) -> Decision {
        match question(&[], "acc-dana", action, resource, ask::facts(facts)) {
            Ok(question) => cases::run(
                |answers| rules::decide(&question, answers),
                |read| Ok(Answer::Body(self.answer(read))),
            )
            .unwrap(),
            Err(failure) => Decision::new(failure.code(), failure.text()),
        }
    }

    fn has(&self, what: &str) -> bool {
        self.held.contains(what)
    }

    fn answer(&self, read: &Read) -> Value {
        let kind = if self.is_service {
            "service_desk"
        } else {
            "software"
        };
        let project = json!({"id": "10000", "key": "OPS", "projectTypeKey": kind, "archived": self.is_archived});
        let person =
            |is_user: bool| json!({"accountId": if is_user { "acc-dana" } else { "acc-sam" }});
        match read {
            Read::Board(_) => {
                json!({"admins": {"users": [], "groups": [{"name": "dev"}]}, "location": {"projectId": 10000}})
            }
            Read::BoardConfiguration(_) => json!({"filter": {"id": "9"}}),
            Read::BoardProjects(_) => json!([{"id": "10000"}]),
            Read::Catalogue => json!({"permissions": {"FLY_ROCKETS": {"type": "PROJECT"}}}),
            Read::Check(check) => self.granted(check),
            Read::Comment(..) | Read::Worklog(..) => {
                let visibility = if self.is_restricted {
                    json!({"type": "role"})
                } else {
                    Value::Null
                };
                json!({"author": person(self.has("is author")), "visibility": visibility})
            }
            Read::Fields => {
                json!([{"id": "customfield_10020", "schema": {"custom": "x:gh-sprint"}}])
            }
            Read::Dashboard(_) | Read::Filter(_) => json!({
                "owner": person(self.has("is owner")),
                "jql": if self.board_of_all { "status = Done" } else { "project = OPS" },
                "editPermissions": [{
                    "type": self.share, "user": person(true), "group": {"name": "dev"}, "project": {"id": "10000"},
                    "role": if self.share == "projectRole" { json!({"id": 1}) } else { Value::Null },
                }],
            }),
            Read::Issue(issue) => {
                json!({"id": if issue.as_str() == "10002" { "10002" } else { "10001" }, "key": "OPS-1", "fields": {"project": project}})
            }
            Read::IssueLink(_) => {
                json!({"inwardIssue": {"id": "10001"}, "outwardIssue": {"id": "10002"}})
            }
            Read::Project(_) => project,
            Read::Sprint(_) => json!({"originBoardId": 1}),
            Read::Subtasks(_) => json!({"fields": {"subtasks": [{"id": "10002"}]}}),
            Read::User(_) => json!({
                "groups": {"items": if self.has("group dev") { json!([{"name": "dev"}]) } else { json!([]) }},
                "applicationRoles": {"items": if self.has("has access") { json!([{}]) } else { json!([]) }},
            }),
            Read::CommentById(_) | Read::Component(_) | Read::ServiceDesk(_) | Read::Version(_) => {
                panic!("no rule reads {read:?}")
            }
        }
    }

    fn granted(&self, check: &Check) -> Value {
        let global: Vec<_> = check.global.iter().filter(|key| self.has(key)).collect();
        let places = |ids: &[u64], key: &String| {
            if self.has(key) {
                ids.to_vec()
            } else {
                Vec::new()
            }
        };
        let keys: Vec<_> = check
            .keys
            .iter()
            .map(|key| json!({"permission": key, "projects": places(&check.projects, key), "issues": places(&check.issues, key)}))
            .collect();
        json!({"globalPermissions": global, "projectPermissions": keys})
    }
}

fn resource_of(kind: &str) -> &'static str {
    match kind {
        "board" => "board:1",
        "comment" => "comment:OPS-1/7",
        "dashboard" => "dashboard:7",
        "filter" => "filter:7",
        "global" => "global",
        "issue" => "issue:OPS-1",
        "issuelink" => "issuelink:7",
        "project" => "project:OPS",
        "sprint" => "sprint:5",
        "worklog" => "worklog:OPS-1/7",
        other => panic!("no resource of type {other}"),
    }
}

fn corpus_file() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/rules.jsonl")
}

fn decide(case: &Case, answer: Answering<'_>) -> Result<Decision, String> {
    let keys: Vec<(&str, &str)> = case
        .keys
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let question = question(
        &keys,
        &case.user,
        &case.action,
        &case.resource,
        case.said.clone(),
    );
    match question {
        Ok(question) => cases::run(
            |answers| rules::decide(&question, answers),
            |read| {
                let address = read.address();
                answer(&address, case.answers.get(&address)?)
            },
        ),
        Err(failure) => Ok(Decision::new(failure.code(), failure.text())),
    }
}

fn question(
    keys: &[(&str, &str)],
    user: &str,
    action: &str,
    resource: &str,
    facts: Facts,
) -> Result<Question, Failure> {
    let usual = [
        ("url", "https://acme.atlassian.net"),
        ("username", "bot@example.com"),
        ("credential", "t"),
    ];
    let keys = [&usual, keys].concat();
    let config = Config::read(&connect::settings(&JIRA, &keys).unwrap()).unwrap();
    let identity = Identity {
        id: user.into(),
        display: user.into(),
        ..Identity::default()
    };
    Question::read(
        &config,
        &Request {
            person: ask::person("dana@example.com")?,
            identity,
            action: action.into(),
            resource: Resource::parse(resource).unwrap(),
            facts,
        },
    )
}
