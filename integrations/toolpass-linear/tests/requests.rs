//! Requests as they are sent, and what they are: `cases/requests.jsonl`.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolpass_linear::{LINEAR, graphql};
use toolpass_testkit::{connect, corpus};
use toolpass_wire::graphql::read;
use toolpass_wire::json::Json;

#[test]
fn every_request_is_named_as_written() {
    let settings = connect::settings(&LINEAR, &[("credential", "k")]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/requests.jsonl");
    let named =
        corpus::requests(&file, &LINEAR, &settings).unwrap_or_else(|failures| panic!("{failures}"));
    assert!(named > 100, "only {named} cases");
}

proptest! {
    /// Whatever arguments a mutation is given: it is unresolved, or it asks something of somebody, or it is the agent's own.
    #[test]
    fn no_arguments_make_a_mutation_that_asks_nothing(at in 0..371_usize, arguments in members(), input in members()) {
        let name = graphql::names().nth(at).unwrap_or_default();
        let mut all = arguments;
        if !input.is_empty() {
            all.insert("input".to_owned(), Value::Object(input));
        }
        let list: String = all.keys().map(|name| format!("{name}: ${name} ")).collect();
        let declared: String = all.keys().map(|name| format!("${name}: X ")).collect();
        let document = match all.is_empty() {
            true => format!("mutation {{ {name} {{ success }} }}"),
            false => format!("mutation({declared}) {{ {name}({list}) {{ success }} }}"),
        };
        let variables = Json::parse(Value::Object(all).to_string().as_bytes()).unwrap();
        let operation = read(&document, None, &variables).unwrap();
        if let Ok(extracted) = graphql::operation(&operation) {
            let pairs = extracted.pairs.unwrap_or_default();
            let asks = !pairs.is_empty() && pairs.iter().all(|pair| pair.action.is_some());
            prop_assert!(asks || extracted.agent_only.is_some(), "{document}: {pairs:?}");
            prop_assert!(extracted.effect.is_some_and(|effect| effect > toolpass_core::effect::Effect::Read));
        }
    }
}

fn members() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(json!("00000000-0000-4000-8000-000000000001")),
        Just(json!("ENG-1")),
        Just(json!("../x")),
        Just(json!("")),
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(7)),
        Just(json!(["ENG", "OPS"])),
        Just(json!([])),
        Just(json!([{"teamId": "ENG", "identifier": "ENG-1"}])),
        Just(json!({"id": "x"})),
    ];
    prop::collection::btree_map(prop::sample::select(NAMES), value, 0..6).prop_map(|members| {
        let named = members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        named.collect()
    })
}

/// Names that rows read, and one that none does.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "id", "ids", "issueId", "teamId", "projectId", "parentId", "userId", "releaseId", "pipelineId", "role", "shared", "title", "body",
    "teamIds", "issues", "attachmentId", "commentId", "templateId", "owner", "private", "trash", "surpriseId", "createAsUser", "email",
];
