//! The rules over answers from `cases/rules.jsonl`, and what holds for every answer there is.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

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
use toolpass_slack::SLACK;
use toolpass_slack::config::Config;
use toolpass_slack::rules::{self, Question};
use toolpass_slack::upstream::read::Read;
use toolpass_testkit::cases::{self, Answering};
use toolpass_testkit::corpus::{self, Case};
use toolpass_testkit::{ask, connect};

#[test]
fn every_case_is_decided_as_written() {
    let decided = corpus::decisions(&corpus_file(), |case| decide(case, &cases::answered))
        .unwrap_or_else(|failures| panic!("{failures}"));
    assert!(decided > 200, "only {decided} cases");
}

/// A read that fails, or answers with something else than it should, never says yes or no.
#[test]
fn trouble_with_any_read_leaves_the_question_open_or_as_it_was() {
    let cases = corpus::cases(&corpus_file()).unwrap();
    cases::trouble_decides_nothing(&cases, &decide).unwrap_or_else(|problems| panic!("{problems}"));
}

/// Any one member of a record, however deep, of the wrong type or gone never turns a no into a yes, but for those whose absence says so.
#[test]
fn no_member_that_is_wrong_or_gone_makes_an_allow() {
    let mut looked_at = 0;
    for (line, case) in corpus::cases(&corpus_file()).unwrap() {
        if case.expected().outcome() == Outcome::Allow {
            continue;
        }
        for at in case
            .answers
            .addresses()
            .map(str::to_owned)
            .collect::<Vec<_>>()
        {
            let record = case.answers.get(&at).unwrap().clone();
            for (member, changed) in changes(&record, "") {
                if ABSENCE_SAYS_NO
                    .iter()
                    .any(|name| member.ends_with(&format!(".{name}")))
                {
                    continue;
                }
                let altered = |address: &str, value: &Value| {
                    cases::answered(address, if address == at { &changed } else { value })
                };
                looked_at += 1;
                if let Ok(decision) = decide(&case, &altered) {
                    let outcome = decision.outcome();
                    assert_ne!(
                        outcome,
                        Outcome::Allow,
                        "line {line}, {}: `{member}` at {at}",
                        case.name
                    );
                }
            }
        }
    }
    assert!(looked_at > 1000, "only {looked_at} changes");
}

/// A record without each of its members in turn, and with something else in its place.
fn changes(value: &Value, path: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let Value::Object(members) = value else {
        return found;
    };
    if members.contains_key("$status") {
        return found;
    }
    for (name, member) in members {
        let path = format!("{path}.{name}");
        let mut without = members.clone();
        without.remove(name);
        found.push((path.clone(), Value::Object(without)));
        let mut wrong = members.clone();
        wrong.insert(name.clone(), json!([7]));
        found.push((path.clone(), Value::Object(wrong)));
        for (deeper, changed) in changes(member, &path) {
            let mut inside = members.clone();
            inside.insert(name.clone(), changed);
            found.push((deeper, Value::Object(inside)));
        }
    }
    found
}

/// Members whose absence is Slack's way to say that there is no such thing.
const ABSENCE_SAYS_NO: &[&str] = &[
    "date_delete",
    "is_invited_user",
    "is_mpim",
    "is_non_threadable",
    "is_org_shared",
    "is_read_only",
    "is_stranger",
    "is_thread_only",
    "posting_restricted_to",
    "subteam",
    "threads_restricted_to",
    "type",
    "user",
];

proptest! {
    /// More access upstream never turns an allow into a deny; less never turns a deny into an allow.
    #[test]
    fn access_only_helps(world in worlds(), action in 0..ACTIONS.len(), said in 0..FACTS.len(), role in 0..ROLES.len() - 1) {
        let (name, on) = ACTIONS[action];
        let facts = ask::facts(FACTS[said]);
        let less = world.decide(name, on, facts.clone(), role, world.is_in);
        let more = world.decide(name, on, facts.clone(), role + 1, world.is_in);
        let lost = less.outcome() == Outcome::Allow && more.outcome() == Outcome::Deny;
        prop_assert!(!lost, "{name} on {on}: {} as {}, {} as more", less.reason(), ROLES[role].0, more.reason());
        let out = world.decide(name, on, facts.clone(), role, false);
        let within = world.decide(name, on, facts, role, true);
        let lost = out.outcome() == Outcome::Allow && within.outcome() == Outcome::Deny;
        prop_assert!(!lost, "{name} on {on}: {} outside the channel, {} in it", out.reason(), within.reason());
    }

    /// Whoever is deactivated, or from outside and in no channel, is allowed nothing but what is their own.
    #[test]
    fn who_is_gone_may_nothing(world in worlds(), action in 0..ACTIONS.len(), role in 0..ROLES.len()) {
        let (name, on) = ACTIONS[action];
        let gone = World { deleted: true, ..world.clone() };
        let decision = gone.decide(name, on, Facts::new(), role, true);
        prop_assert_eq!(decision.outcome(), Outcome::Deny, "{} on {}: {}", name, on, decision.reason());
        let outside = World { is_outside: true, ..world };
        let decision = outside.decide(name, on, Facts::new(), role, false);
        let is_own = on.starts_with("file:") && outside.is_own;
        prop_assert!(is_own || decision.outcome() != Outcome::Allow, "{name} on {on}: {}", decision.reason());
    }
}

/// The roles from the least: each may what the one before may.
const ROLES: [(&str, [bool; 5]); 6] = [
    // admin, owner, primary owner, guest, guest of one channel
    ("a guest of one channel", [false, false, false, true, true]),
    ("a guest", [false, false, false, true, false]),
    ("a member", [false; 5]),
    ("an admin", [true, false, false, false, false]),
    ("an owner", [true, true, false, false, false]),
    ("the primary owner", [true, true, true, false, false]),
];
const ACTIONS: &[(&str, &str)] = &[
    ("user.active", "workspace"),
    ("workspace.member", "workspace"),
    ("workspace.admin", "workspace"),
    ("connect.manage", "workspace"),
    ("channel.create", "workspace"),
    ("channel.create_private", "workspace"),
    ("usergroup.manage", "workspace"),
    ("channel.read", "channel:C0SHOPDEV1"),
    ("channel.member", "channel:C0SHOPDEV1"),
    ("channel.join", "channel:C0SHOPDEV1"),
    ("channel.topic", "channel:C0SHOPDEV1"),
    ("channel.rename", "channel:C0SHOPDEV1"),
    ("channel.manage", "channel:C0SHOPDEV1"),
    ("channel.invite", "channel:C0SHOPDEV1"),
    ("channel.kick", "channel:C0SHOPDEV1"),
    ("channel.archive", "channel:C0SHOPDEV1"),
    ("channel.unarchive", "channel:C0SHOPDEV1"),
    ("message.post", "channel:C0SHOPDEV1"),
    ("message.post_thread", "channel:C0SHOPDEV1"),
    ("file.upload", "channel:C0SHOPDEV1"),
    ("dm.post", "dm:U0SAM00001"),
    ("file.view", "file:F0FILE0001"),
    ("file.manage", "file:F0FILE0001"),
    ("canvas.edit", "file:F0FILE0001"),
];
const FACTS: &[&[(&str, &str)]] = &[
    &[],
    &[("mentions", "channel")],
    &[("mentions", "everyone")],
    &[("invitees", "U0SAM00001")],
    &[("profile_of", "U0SAM00001")],
];

/// A workspace as Slack might describe it, but for the user's role and whether they are in the channel.
#[derive(Clone, Debug)]
struct World {
    channel: [bool; 6],
    rule: Option<&'static str>,
    thread_rule: Option<&'static str>,
    shows_rules: bool,
    general: &'static str,
    uploads: &'static str,
    other: usize,
    is_in: bool,
    is_own: bool,
    is_outside: bool,
    deleted: bool,
    assumes: [bool; 3],
}

fn worlds() -> impl Strategy<Value = World> {
    let kinds = || {
        prop::option::of(prop::sample::select(vec![
            "admin", "owner", "ra", "regular", "captain", "",
        ]))
    };
    let uploads = prop::sample::select(vec![
        "allow_all",
        "disable_all",
        "type:owner",
        "type:regular",
        "type:captain",
    ]);
    (
        any::<[bool; 6]>(),
        kinds(),
        kinds(),
        any::<bool>(),
        prop::sample::select(vec!["admin", "ra", "regular", "captain"]),
        uploads,
        0..ROLES.len(),
        any::<[bool; 2]>(),
        any::<[bool; 3]>(),
    )
        .prop_map(
            |(
                channel,
                rule,
                thread_rule,
                shows_rules,
                general,
                uploads,
                other,
                [is_in, is_own],
                assumes,
            )| World {
                channel,
                rule,
                thread_rule,
                shows_rules,
                general,
                uploads,
                other,
                is_in,
                is_own,
                is_outside: false,
                deleted: false,
                assumes,
            },
        )
}

impl World {
    fn decide(
        &self,
        action: &str,
        resource: &str,
        facts: Facts,
        role: usize,
        is_in: bool,
    ) -> Decision {
        let flag = |index: usize| if self.assumes[index] { "true" } else { "false" };
        let mentions = if self.assumes[2] { "allow" } else { "deny" };
        let keys = [
            ("assume_default_prefs", flag(0)),
            ("assume_unrestricted_channels", flag(1)),
            ("broadcast_mentions", mentions),
        ];
        let question = match question(&keys, DANA, action, resource, facts) {
            Ok(question) => question,
            Err(failure) => return Decision::new(failure.code(), failure.text()),
        };
        settle(&question, |address| {
            Ok(Answer::Body(self.answer(address, role, is_in)))
        })
        .unwrap()
    }

    fn answer(&self, address: &str, role: usize, is_in: bool) -> Value {
        let [
            is_archived,
            is_private,
            is_general,
            is_created,
            read_only,
            is_shared,
        ] = self.channel;
        match address {
            "auth.test" => json!({"team_id": "T0ACME0001"}),
            "users.info?user=U0DANA0001" => self.person(DANA, role, self.is_outside, self.deleted),
            "users.info?user=U0SAM00001" => self.person("U0SAM00001", self.other, false, false),
            "conversations.info?channel=C0SHOPDEV1" => {
                json!({"channel": {"id": "C0SHOPDEV1", "is_archived": is_archived,
                "is_private": is_private, "is_general": is_general, "is_read_only": read_only, "is_org_shared": is_shared,
                "num_members": 2, "creator": if is_created { DANA } else { "U0SAM00001" }}})
            }
            "conversations.members?channel=C0SHOPDEV1" => {
                json!({"members": if is_in { vec![DANA, "U0SAM00001"] } else { vec!["U0SAM00001"] }})
            }
            "users.conversations?user=U0DANA0001" => {
                json!({"channels": if is_in { vec![self.entry()] } else { vec![] }})
            }
            "users.conversations?user=U0SAM00001" => json!({"channels": [self.entry()]}),
            "team.preferences.list" => {
                json!({"who_can_post_general": {"type": [self.general]}, "disable_file_uploads": self.uploads})
            }
            "files.info?file=F0FILE0001" => {
                json!({"file": {"id": "F0FILE0001", "user": if self.is_own { DANA } else { "U0SAM00001" },
                "channels": ["C0SHOPDEV1"], "groups": [], "ims": []}})
            }
            other => panic!("no answer for {other}"),
        }
    }

    fn person(&self, id: &str, role: usize, is_outside: bool, deleted: bool) -> Value {
        let [admin, owner, primary, guest, single] = ROLES[role].1;
        let team = if is_outside {
            "T0OTHER001"
        } else {
            "T0ACME0001"
        };
        json!({"user": {"id": id, "team_id": team, "deleted": deleted, "is_bot": false, "is_admin": admin, "is_owner": owner,
            "is_primary_owner": primary, "is_restricted": guest, "is_ultra_restricted": single}})
    }

    fn entry(&self) -> Value {
        let mut entry = json!({"id": "C0SHOPDEV1"});
        if self.shows_rules {
            let kind = |rule: Option<&str>| rule.map(|kind| json!({"type": [kind]}));
            entry["properties"] = json!({"posting_restricted_to": kind(self.rule), "threads_restricted_to": kind(self.thread_rule)});
        }
        entry
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
    let keys = [&[("credential", "xoxb-t")], keys].concat();
    let config = Config::read(&connect::settings(&SLACK, &keys).unwrap()).unwrap();
    let identity = Identity {
        id: user.into(),
        display: user.into(),
        ..Identity::default()
    };
    Question::read(
        &config,
        &Request {
            person: ask::person("dana@example.com").unwrap(),
            identity,
            action: action.into(),
            resource: Resource::parse(resource).unwrap(),
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
        |read: &Read| answer(&read.address()),
    )
}

const DANA: &str = "U0DANA0001";
