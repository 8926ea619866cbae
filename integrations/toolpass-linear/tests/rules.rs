//! The rules over answers from `cases/rules.jsonl`, and what holds for every answer there is.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_integration::answers::Answer;
use toolpass_integration::connection::{Identity, Request};
use toolpass_integration::failure::Failure;
use toolpass_linear::actions::Action;
use toolpass_linear::rules::{self, Question};
use toolpass_linear::upstream::read::Read;
use toolpass_testkit::ask;
use toolpass_testkit::cases::{self, Answering};
use toolpass_testkit::corpus::{self, Case};

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

/// A record of something else than was asked for decides nothing.
#[test]
fn a_record_of_something_else_decides_nothing() {
    for (line, case) in corpus::cases(&corpus_file()).unwrap() {
        let addresses: Vec<String> = case.answers.addresses().map(str::to_owned).collect();
        for at in addresses
            .iter()
            .filter(|at| at.as_str() != "plan" && at.as_str() != "roles" && at.as_str() != "agents")
        {
            let swapped = |address: &str, value: &Value| {
                let mut value = value.clone();
                if address == at {
                    swap_ids(&mut value);
                }
                cases::answered(address, &value)
            };
            let Ok(decision) = decide(&case, &swapped) else {
                continue; // it asks for what the swapped record leads to
            };
            let kept = decision.outcome() == case.expected().outcome()
                || decision.outcome() == Outcome::Unknown;
            assert!(
                kept || !COMPARED.iter().any(|kind| at.starts_with(kind)),
                "line {line}, {}: another {at} made it {}",
                case.name,
                decision.reason()
            );
        }
    }
}

proptest! {
    /// More access upstream never turns an allow into a deny; less never turns a deny into an allow.
    #[test]
    fn access_only_helps(world in worlds(), action in 0..ACTIONS.len(), step in 0..STEPS.len()) {
        let (action, on) = ACTIONS[action];
        let less = world.decide(action, on);
        let more = (STEPS[step])(&world).decide(action, on);
        let lost = less.outcome() == Outcome::Allow && more.outcome() == Outcome::Deny;
        prop_assert!(!lost, "{action} on {on}: {}; with more: {}: {world:?}", less.reason(), more.reason());
    }

    /// An account that is suspended, or of which a record lacks a member, may nothing.
    #[test]
    fn nothing_for_a_suspended_account(world in worlds(), action in 0..ACTIONS.len()) {
        let (action, on) = ACTIONS[action];
        let suspended = World { active: false, ..world };
        prop_assert_eq!(suspended.decide(action, on).outcome(), Outcome::Deny);
    }
}

/// A workspace, and the user in it.
#[derive(Clone, Debug)]
struct World {
    active: bool,
    role: usize,
    member: usize,
    around: bool,
    visibility: &'static str,
    setting: Option<&'static str>,
    workspace: Option<&'static str>,
    plan: Option<&'static str>,
    shared: bool,
    own: bool,
}

/// What gives the user more.
const STEPS: &[fn(&World) -> World] = &[
    |world| World {
        role: (world.role + 1).min(3),
        ..world.clone()
    },
    |world| World {
        member: (world.member + 1).min(2),
        ..world.clone()
    },
    |world| World {
        around: true,
        ..world.clone()
    },
    |world| World {
        visibility: "public",
        ..world.clone()
    },
    |world| World {
        setting: Some("member"),
        ..world.clone()
    },
    |world| World {
        workspace: Some("guest"),
        ..world.clone()
    },
    |world| World {
        shared: true,
        ..world.clone()
    },
    |world| World {
        own: true,
        ..world.clone()
    },
];

#[rustfmt::skip]
const ACTIONS: &[(&str, &str)] = &[
    ("team.view", "team:ENG"), ("team.member", "team:ENG"), ("team.admin", "team:ENG"), ("team.manage", "team:ENG"),
    ("team.members", "team:ENG"), ("team.labels", "team:ENG"), ("issue.create", "team:ENG"), ("issue.view", "issue:ENG-1"),
    ("issue.edit", "issue:ENG-1"), ("issue.share", "issue:ENG-1"), ("project.view", "project:p1"), ("project.edit", "project:p1"),
    ("workspace.user", "workspace"), ("workspace.member", "workspace"), ("workspace.admin", "workspace"), ("workspace.owner", "workspace"),
    ("workspace.settings", "workspace"), ("workspace.invite", "workspace"), ("team.create", "workspace"), ("workspace.labels", "workspace"),
    ("workspace.integrations", "workspace"), ("workspace.api", "workspace"), ("comment.view", "comment:c1"), ("comment.edit", "comment:c1"),
    ("comment.delete", "comment:c1"), ("document.edit", "document:d1"), ("view.edit", "view:v1"), ("skill.edit", "skill:s1"),
    ("label.edit", "label:l1"), ("release.edit", "pipeline:r1"), ("membership.delete", "membership:m1"),
];

fn worlds() -> impl Strategy<Value = World> {
    let word = |words: &'static [&'static str]| prop::sample::select(words);
    (
        (
            0..4_usize,
            0..3_usize,
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
        ),
        word(&["public", "private", "restricted", "odd"]),
        prop::option::of(word(&["member", "owner", "odd"])),
        prop::option::of(word(&["guest", "user", "admin", "owner", "app"])),
        prop::option::of(word(&["business", "enterprise"])),
    )
        .prop_map(
            |((role, member, around, shared, own), visibility, setting, workspace, plan)| World {
                active: true,
                role,
                member,
                around,
                visibility,
                setting,
                workspace,
                plan,
                shared,
                own,
            },
        )
}

impl World {
    fn decide(&self, action: &str, resource: &str) -> Decision {
        let question = question(action, resource, Facts::new()).unwrap();
        cases::run(
            |answers| rules::decide(&question, answers),
            |read: &Read| Ok(Answer::Body(self.answer(&read.address()))),
        )
        .unwrap()
    }

    fn answer(&self, address: &str) -> Value {
        let mut memberships = Vec::new();
        if self.member > 0 {
            memberships.push(json!({"owner": self.member == 2, "team": {"id": ENG}}));
        }
        if self.around {
            memberships.push(json!({"owner": false, "team": {"id": AROUND}}));
        }
        let team =
            json!({"id": ENG, "key": "ENG", "visibility": self.visibility, "archivedAt": null});
        let who = if self.own { USER } else { OTHER };
        let settings = [
            "agentSkillsManagement",
            "automationManagement",
            "issueSharing",
            "labelManagement",
            "memberManagement",
            "teamManagement",
            "templateManagement",
        ];
        let shared = if self.shared {
            vec![json!({"id": USER})]
        } else {
            Vec::new()
        };
        match address {
            "user" => json!({
                "id": USER, "email": "dana@example.com", "active": self.active, "guest": self.role == 0, "admin": self.role == 2,
                "owner": self.role == 3, "app": false, "canAccessAnyPublicTeam": self.role > 0, "teamMemberships": {"nodes": memberships},
            }),
            "roles" => {
                let names = [
                    "invitationsRole",
                    "teamCreationRole",
                    "labelManagementRole",
                    "integrationCreationRole",
                    "apiSettingsRole",
                ];
                let roles: serde_json::Map<String, Value> = names
                    .iter()
                    .filter_map(|name| Some(((*name).to_owned(), json!(self.workspace?))))
                    .collect();
                json!({"id": "o", "securitySettings": roles})
            }
            "plan" => {
                json!({"id": "o", "subscription": self.plan.map(|plan| json!({"type": plan}))})
            }
            "issue:ENG-1" => json!({"id": ISSUE, "identifier": "ENG-1", "team": team}),
            "project:p1" => {
                json!({"id": ISSUE, "slugId": "p1", "teams": {"nodes": [team], "pageInfo": {"hasNextPage": false}}})
            }
            "comment:c1" => json!({"id": "c1", "user": {"id": who}, "issue": {"id": ISSUE}}),
            "document:d1" => json!({"id": "d1", "team": {"id": ENG}}),
            "view:v1" => {
                json!({"id": "v1", "shared": self.shared, "owner": {"id": who}, "creator": {"id": OTHER}, "team": {"id": ENG}})
            }
            "skill:s1" => json!({"id": "s1", "owner": {"id": who}, "teamId": ENG}),
            "label:l1" => json!({"id": "l1", "team": {"id": ENG}}),
            "pipeline:r1" => {
                json!({"id": "r1", "teams": {"nodes": [{"id": ENG}], "pageInfo": {"hasNextPage": false}}})
            }
            "membership:m1" => json!({"id": "m1", "user": {"id": who}, "team": {"id": ENG}}),
            address if address.starts_with("team:") => json!({"nodes": [team]}),
            address if address.starts_with("issue:") => {
                json!({"id": ISSUE, "identifier": "ENG-1", "team": team})
            }
            address if address.starts_with("boundary:") => {
                json!({"id": ENG, "restrictedBy": {"id": AROUND}})
            }
            address if address.starts_with("shares:") => {
                json!({"id": ISSUE, "sharedAccess": {"isShared": self.shared, "sharedWithCount": shared.len(), "sharedWithUsers": shared}})
            }
            address if address.starts_with("children:") => {
                json!({"id": ISSUE, "team": {"id": ENG}, "children": {"nodes": [], "pageInfo": {"hasNextPage": false}}})
            }
            address if address.starts_with("settings:") => {
                let roles: serde_json::Map<String, Value> = settings
                    .iter()
                    .filter_map(|name| Some(((*name).to_owned(), json!(self.setting?))))
                    .collect();
                json!({"id": ENG, "retiredAt": null, "allMembersCanJoin": false, "securitySettings": roles})
            }
            other => panic!("no answer for {other}"),
        }
    }
}

/// Every action is in the properties or names a person's own thing; so a new one is thought of.
#[test]
fn the_properties_know_most_actions() {
    let tried = ACTIONS
        .iter()
        .map(|(action, _)| *action)
        .collect::<std::collections::BTreeSet<_>>();
    assert!(
        ACTIONS
            .iter()
            .all(|(action, _)| Action::parse(action).is_some())
    );
    assert!(tried.len() >= 30);
}

fn decide(case: &Case, answering: Answering<'_>) -> Result<Decision, String> {
    let question = match question(&case.action, &case.resource, case.said.clone()) {
        Ok(question) => question,
        Err(failure) => return Ok(Decision::new(failure.code(), failure.text())),
    };
    cases::run(
        |answers| rules::decide(&question, answers),
        |read: &Read| {
            let address = read.address();
            answering(&address, case.answers.get(&address)?)
        },
    )
}

fn question(action: &str, resource: &str, facts: Facts) -> Result<Question, Failure> {
    let request = Request {
        person: ask::person("dana@example.com")?,
        identity: Identity {
            id: USER.into(),
            display: "dana@example.com".into(),
            ..Identity::default()
        },
        action: action.to_owned(),
        resource: Resource::parse(resource).map_err(|error| Failure::invalid(error.to_string()))?,
        facts,
    };
    Question::read(&request)
}

/// Every id and name of a record is another's.
fn swap_ids(value: &mut Value) {
    let Value::Object(members) = value else {
        return;
    };
    for (name, member) in members {
        match member {
            Value::String(text)
                if ["id", "identifier", "key", "slugId"].contains(&name.as_str()) =>
            {
                *text = format!("9{}", text.get(1..).unwrap_or_default());
            }
            Value::Array(list) if name == "nodes" => list.iter_mut().for_each(swap_ids),
            _ => {}
        }
    }
}

fn corpus_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/rules.jsonl")
}

const USER: &str = "00000000-0000-4000-8000-0000000000a3";
const OTHER: &str = "00000000-0000-4000-8000-0000000000a9";
const ENG: &str = "00000000-0000-4000-8000-0000000000b1";
const AROUND: &str = "00000000-0000-4000-8000-0000000000b9";
const ISSUE: &str = "00000000-0000-4000-8000-0000000000c1";

/// Records whose own id is compared with what was asked for.
const COMPARED: &[&str] = &[
    "comment:",
    "document:",
    "issue:",
    "label:",
    "membership:",
    "project:",
    "team:",
    "user",
    "view:",
];

/// Members whose absence is Linear's way to say that there is no such thing.
const ABSENCE_SAYS_NO: &[&str] = &[
    "archivedAt",
    "inheritsSharedAccess",
    "parent",
    "pipeline",
    "project",
    "restrictAgentInvocationToMembers",
    "retiredAt",
    "subscription",
    "team",
    "teamId",
    "trashed",
];
