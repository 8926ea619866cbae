//! The rules over answers from `cases/rules.jsonl`, and what holds for every answer there is.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::json;
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;
use toolpass_integration::answers::Answer;
use toolpass_integration::connection::{Identity, Request};
use toolpass_integration::failure::Failure;
use toolpass_kubernetes::KUBERNETES;
use toolpass_kubernetes::config::Config;
use toolpass_kubernetes::facts;
use toolpass_kubernetes::rules::{self, Question};
use toolpass_testkit::cases::{self, Answering};
use toolpass_testkit::corpus::{self, Case};
use toolpass_testkit::{ask, connect};

#[test]
fn every_case_is_decided_as_written() {
    let decided = corpus::decisions(&corpus_file(), |case| decide(case, &cases::answered))
        .unwrap_or_else(|failures| panic!("{failures}"));
    assert!(decided > 40, "only {decided} cases");
}

/// A read that fails, or answers with something else than it should, never says yes or no.
#[test]
fn trouble_with_any_read_leaves_the_question_open_or_as_it_was() {
    let cases = corpus::cases(&corpus_file()).unwrap();
    cases::trouble_decides_nothing(&cases, &decide).unwrap_or_else(|problems| panic!("{problems}"));
}

#[test]
fn no_member_that_is_wrong_or_gone_makes_an_allow() {
    let cases = corpus::cases(&corpus_file()).unwrap();
    cases::nothing_wrong_makes_an_allow(&cases, ABSENCE_SAYS_NO, &decide)
        .unwrap_or_else(|problems| panic!("{problems}"));
}

proptest! {
    /// Every single right the cluster adds only helps, and all of them together are an allow.
    #[test]
    fn access_only_helps(held in prop::collection::vec(any::<bool>(), 6), more in 0..6_usize) {
        let less = decided(&held);
        let mut grown = held.clone();
        grown[more] = true;
        let grown = decided(&grown);
        prop_assert!(!(less == Outcome::Allow && grown != Outcome::Allow));
        prop_assert!(!(held[0] && less != Outcome::Allow));
        prop_assert_eq!(less == Outcome::Allow, held[0] || held[1..].iter().all(|held| *held));
    }

    /// An answer of any shape is a decision only when it says so in so many words.
    #[test]
    fn a_malformed_review_decides_nothing(text in "[a-z]{0,8}", number in any::<i32>(), shape in 0..7) {
        let status = match shape {
            0 => json!(text),
            1 => json!(number),
            2 => json!([text]),
            3 => json!({"allowed": text}),
            4 => json!({"allowed": number}),
            5 => json!({text: true}),
            _ => json!(null),
        };
        let question = question("raw:get:pods", "namespace:shop", Facts::new()).unwrap();
        let decision = cases::run(
            |answers| rules::decide(&question, answers),
            |_| Ok(Answer::Body(json!({"status": status}))),
        );
        let said = status.get("allowed") == Some(&json!(true));
        prop_assert_eq!(decision.unwrap().outcome() == Outcome::Unknown, !said);
    }
}

/// A role that names no others is filled from none.
const ABSENCE_SAYS_NO: &[&str] = &["aggregationRule"];

/// Binding a role of five rights: the right to bind, then each of the five.
fn decided(held: &[bool]) -> Outcome {
    let said: Facts = [(facts::UNLESS_ROLE_HELD.to_owned(), "v1".to_owned())].into();
    let asked = "namespace:shop?name=dev";
    let question = question("raw:bind:roles.rbac.authorization.k8s.io", asked, said).unwrap();
    let kinds = ["a", "b", "c", "d", "e"];
    let answer = |address: &str| {
        let at = kinds
            .iter()
            .position(|kind| address == format!("get {kind} shop"));
        match (address.starts_with("bind"), at) {
            (true, _) => json!({"status": {"allowed": held[0]}}),
            (false, Some(at)) => json!({"status": {"allowed": held[at + 1]}}),
            (false, None) => {
                json!({"metadata": {"name": "dev"}, "rules": [{"apiGroups": [""], "resources": kinds, "verbs": ["get"]}]})
            }
        }
    };
    let decision = cases::run(
        |answers| rules::decide(&question, answers),
        |read| Ok(Answer::Body(answer(&read.to_string()))),
    );
    decision.unwrap().outcome()
}

fn decide(case: &Case, answering: Answering<'_>) -> Result<Decision, String> {
    let question = match question(&case.action, &case.resource, case.said.clone()) {
        Ok(question) => question,
        Err(failure) => return Ok(Decision::new(failure.code(), failure.text())),
    };
    cases::run(
        |answers| rules::decide(&question, answers),
        |read| {
            let address = read.to_string();
            answering(&address, case.answers.get(&address)?)
        },
    )
}

fn question(action: &str, resource: &str, facts: Facts) -> Result<Question, Failure> {
    let keys = [("url", "https://cluster.example.com"), ("credential", "t")];
    let config = Config::read(&connect::settings(&KUBERNETES, &keys).unwrap()).unwrap();
    let request = Request {
        person: ask::person("dana@example.com").unwrap(),
        identity: Identity::default(),
        action: action.to_owned(),
        resource: Resource::parse(resource).unwrap(),
        facts,
    };
    Question::read(&config.names, &request)
}

fn corpus_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/rules.jsonl")
}
