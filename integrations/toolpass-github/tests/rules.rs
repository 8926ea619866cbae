//! The rules over answers from `cases/rules.jsonl`, and what holds for every answer there is.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_github::GITHUB;
use toolpass_github::config::Config;
use toolpass_github::resource::Login;
use toolpass_github::rules::{self, Question};
use toolpass_github::upstream::read::{Call, Read};
use toolpass_integration::answers::Answer;
use toolpass_integration::connection::{Identity, Request};
use toolpass_integration::failure::Failure;
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

/// The thirteen actions by what a person is, as GitHub's pages on roles have them: nothing else stands in the way.
#[test]
fn every_action_by_every_role() {
    let rows = [
        // none, read, triage, write, maintain, admin
        ("repo.read", "repo:acme/shop", "naaaaa"),
        ("repo.triage", "repo:acme/shop", "nnaaaa"),
        ("repo.push", "repo:acme/shop@main", "nnnaaa"),
        ("repo.maintain", "repo:acme/shop", "nnnnaa"),
        ("repo.admin", "repo:acme/shop", "nnnnna"),
        ("issue.create", "repo:acme/shop", "naaaaa"),
        ("pr.create", "repo:acme/shop", "naaaaa"),
        ("pr.merge", "repo:acme/shop@main", "nnnaaa"),
        // of the organization: outside, invited, member, owner
        ("org.member", "org:acme", "nnaa"),
        ("org.admin", "org:acme", "nnna"),
        ("org.repo.create", "org:acme", "nnaa"),
        // of the team: outside the organization, outside the team, invited, member, maintainer; owner of the organization
        ("team.member", "team:acme/payments", "nnnaaa"),
        ("team.maintainer", "team:acme/payments", "nnnnaa"),
    ];
    for (action, resource, expected) in rows {
        let question = question(&[], "dana", action, resource, Facts::new()).unwrap();
        for (place, expected) in expected.chars().enumerate() {
            let decided = settle(&question, |address| Ok(standing(action, place, address)));
            let expected = if expected == 'a' {
                Outcome::Allow
            } else {
                Outcome::Deny
            };
            let decided = decided.unwrap();
            assert_eq!(
                decided.outcome(),
                expected,
                "{action} at {place}: {}",
                decided.reason()
            );
        }
    }
}

/// What GitHub answers about somebody at a place of the table.
fn standing(action: &str, place: usize, address: &str) -> Answer {
    let missing = || Answer::Missing {
        message: "Not Found".into(),
    };
    let membership = |state: &str, role: &str| json!({"state": state, "role": role});
    Answer::Body(match address {
        "/repos/acme/shop" => {
            json!({"archived": false, "disabled": false, "has_issues": true, "allow_forking": true, "visibility": "private"})
        }
        "/repos/acme/shop/collaborators/dana/permission" => {
            let role = ["none", "read", "triage", "write", "maintain", "admin"][place];
            json!({"role_name": role, "user": {"id": 7, "permissions": {
                "pull": place > 0, "triage": place > 1, "push": place > 2, "maintain": place > 3, "admin": place > 4}}})
        }
        "/repos/acme/shop/rules/branches/main" => json!([]),
        "/repos/acme/shop/branches/main/protection" => {
            return Answer::Missing {
                message: "Branch not protected".into(),
            };
        }
        "/orgs/acme" => json!({"members_can_create_repositories": true}),
        "/orgs/acme/memberships/dana" => match (action.starts_with("team."), place) {
            (_, 0) => return missing(),
            (true, 5) | (false, 3) => membership("active", "admin"),
            (false, 1) => membership("pending", "member"),
            (_, _) => membership("active", "member"),
        },
        "/orgs/acme/teams/payments" => json!({"id": 3, "slug": "payments", "privacy": "closed"}),
        "/orgs/acme/teams/payments/memberships/dana" => match place {
            2 => membership("pending", "member"),
            3 => membership("active", "member"),
            4 => membership("active", "maintainer"),
            _ => return missing(),
        },
        other => panic!("no answer for {other}"),
    })
}

proptest! {
    /// More access upstream never turns an allow into a deny; less never turns a deny into an allow.
    #[test]
    fn access_only_helps(world in worlds(), action in 0..ACTIONS.len(), facts in 0..FACTS.len(), level in 0..4_usize) {
        let (action, on) = ACTIONS[action];
        let less = world.decide(action, on, FACTS[facts], level);
        let more = world.decide(action, on, FACTS[facts], level + 1);
        let lost = less.outcome() == Outcome::Allow && more.outcome() == Outcome::Deny;
        prop_assert!(!lost, "{action} on {on}: {} with {}, {} with more", less.reason(), LEVELS[level], more.reason());
    }
}

/// Members whose absence is GitHub's way to say that there is no such thing.
const ABSENCE_SAYS_NO: &[&str] = &[
    "block_creations",
    "has_pull_requests",
    "limit",
    "lock_branch",
    "locked",
    "pull_request_creation_policy",
    "required_linear_history",
    "required_pull_request_reviews",
    "required_signatures",
    "required_status_checks",
    "restrictions",
    "stack",
];

const LEVELS: [&str; 5] = ["pull", "triage", "push", "maintain", "admin"];
const ACTIONS: &[(&str, &str)] = &[
    ("repo.read", "repo:acme/shop"),
    ("repo.triage", "repo:acme/shop"),
    ("repo.push", "repo:acme/shop"),
    ("repo.push", "repo:acme/shop@main"),
    ("repo.maintain", "repo:acme/shop"),
    ("repo.admin", "repo:acme/shop"),
    ("issue.create", "repo:acme/shop"),
    ("pr.create", "repo:acme/shop"),
    ("pr.merge", "repo:acme/shop@main"),
    ("pr.merge", "repo:acme/shop"),
];
const FACTS: &[&[(&str, &str)]] = &[
    &[],
    &[("author_of", "issue/1")],
    &[("locked_of", "issue/1")],
    &[("reaction_on", "issue/1")],
    &[("base_of_pull", "2")],
    &[("ref_operation", "delete")],
    &[("ref_operation", "create")],
    &[("ref_operation", "force")],
    &[("head_same_repo", "1")],
    &[("organization_switch", "delete")],
    &[("delegable", "1")],
    &[("archived_ok", "1")],
];

/// A repository as GitHub might describe it, but for the user's level.
#[derive(Clone, Debug)]
struct World {
    flags: [bool; 6],
    rule: Option<&'static str>,
    bypass: Option<(&'static str, u64, &'static str)>,
    protection: Option<[bool; 6]>,
    author: &'static str,
    locked: bool,
    state: &'static str,
    member: &'static str,
}

fn worlds() -> impl Strategy<Value = World> {
    let rule = prop::option::of(prop::sample::select(vec![
        "update",
        "pull_request",
        "deletion",
        "creation",
        "required_status_checks",
        "new_rule",
    ]));
    let actors = vec![
        ("RepositoryRole", 4),
        ("RepositoryRole", 5),
        ("User", 7),
        ("OrganizationAdmin", 1),
        ("EnterpriseOwner", 1),
    ];
    let bypass = prop::option::of((
        prop::sample::select(actors),
        prop::sample::select(vec!["always", "pull_request"]),
    ));
    let author = prop::sample::select(vec!["dana", "sam"]);
    let state = prop::sample::select(vec!["clean", "blocked", "unknown", "dirty"]);
    let member = prop::sample::select(vec!["member", "admin", "pending"]);
    (
        any::<[bool; 6]>(),
        rule,
        bypass,
        prop::option::of(any::<[bool; 6]>()),
        author,
        any::<bool>(),
        state,
        member,
    )
        .prop_map(
            |(flags, rule, bypass, protection, author, locked, state, member)| World {
                flags,
                rule,
                bypass: bypass.map(|((kind, id), mode)| (kind, id, mode)),
                protection,
                author,
                locked,
                state,
                member,
            },
        )
}

impl World {
    fn decide(
        &self,
        action: &str,
        resource: &str,
        facts: &[(&str, &str)],
        level: usize,
    ) -> Decision {
        let facts: Facts = facts
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let question = match question(&[], "dana", action, resource, facts) {
            Ok(question) => question,
            Err(failure) => return Decision::new(failure.code(), failure.text()),
        };
        settle(&question, |address| Ok(self.answer(address, level))).unwrap()
    }

    fn answer(&self, address: &str, level: usize) -> Answer {
        let [archived, issues, forking, deletes, public, listed] = self.flags;
        let held = |index: usize| index <= level;
        let body = match address {
            "/repos/acme/shop" => {
                json!({"archived": archived, "disabled": false, "has_issues": issues, "allow_forking": forking,
                "default_branch": "main", "visibility": if public { "public" } else { "private" }})
            }
            "/repos/acme/shop/collaborators/dana/permission" => {
                json!({"role_name": LEVELS[level].replace("pull", "read").replace("push", "write"),
                "user": {"id": 7, "permissions": {"pull": true, "triage": held(1), "push": held(2), "maintain": held(3), "admin": held(4)}}})
            }
            "/repos/acme/shop/rules/branches/main" => json!(
                self.rule
                    .iter()
                    .map(|kind| json!({"type": kind, "ruleset_id": 9}))
                    .collect::<Vec<_>>()
            ),
            "/repos/acme/shop/rulesets/9" => match self.bypass {
                Some((kind, id, mode)) => {
                    json!({"bypass_actors": [{"actor_type": kind, "actor_id": id, "bypass_mode": mode}]})
                }
                None => json!({"bypass_actors": []}),
            },
            "/repos/acme/shop/branches/main/protection" => match self.protection {
                None => {
                    return Answer::Missing {
                        message: "Branch not protected".into(),
                    };
                }
                Some([enforced, restricted, reviewed, checked, deletable, locked]) => {
                    let people = if listed {
                        json!([{"login": "DANA"}])
                    } else {
                        json!([])
                    };
                    let mut body = json!({"enforce_admins": {"enabled": enforced}, "allow_deletions": {"enabled": deletable}, "lock_branch": {"enabled": locked}});
                    if restricted {
                        body["restrictions"] = json!({"users": people, "teams": []});
                    }
                    if reviewed {
                        body["required_pull_request_reviews"] = json!({});
                    }
                    if checked {
                        body["required_status_checks"] = json!({});
                    }
                    body
                }
            },
            "/repos/acme/shop/issues/1" => {
                json!({"user": {"login": self.author, "type": "User"}, "locked": self.locked})
            }
            "/repos/acme/shop/pulls/2" => {
                json!({"user": {"login": self.author, "type": "User"}, "base": {"ref": "main"}, "mergeable_state": self.state})
            }
            "/repos/acme/shop/interaction-limits" => json!({}),
            "/orgs/acme" => json!({"members_can_delete_repositories": deletes}),
            "/orgs/acme/memberships/dana" if self.member == "pending" => {
                json!({"state": "pending", "role": "member"})
            }
            "/orgs/acme/memberships/dana" => json!({"state": "active", "role": self.member}),
            other => panic!("no answer for {other}"),
        };
        Answer::Body(body)
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
    let question = match question(
        &keys,
        &case.user,
        &case.action,
        &case.resource,
        case.said.clone(),
    ) {
        Ok(question) => question,
        Err(failure) => return Ok(Decision::new(failure.code(), failure.text())),
    };
    settle(&question, |address| {
        answer(address, case.answers.get(address)?)
    })
}

fn question(
    keys: &[(&str, &str)],
    user: &str,
    action: &str,
    resource: &str,
    facts: Facts,
) -> Result<Question, Failure> {
    let keys = [&[("organization", "acme"), ("token", "t")], keys].concat();
    let config = Config::read(&connect::settings(&GITHUB, &keys).unwrap()).unwrap();
    let person = ask::person("dana@example.com")?;
    let identity = Identity {
        id: user.into(),
        display: user.into(),
        ..Identity::default()
    };
    let resource = Resource::parse(resource).unwrap();
    Question::read(
        &config,
        &Request {
            person,
            identity,
            action: action.into(),
            resource,
            facts,
        },
    )
}

fn settle(
    question: &Question,
    answer: impl Fn(&str) -> Result<Answer, String>,
) -> Result<Decision, String> {
    cases::run(
        |answers| rules::decide(question, answers),
        |read| answer(&address(read)),
    )
}

fn address(read: &Read) -> String {
    match read.call(&Login::parse("acme").unwrap()) {
        Call::One(path, _) | Call::List(path, _) => path.build().unwrap().to_owned(),
        Call::Node(id) => format!("node/{id}"),
    }
}
