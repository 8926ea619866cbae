//! The stand-in Linear: what it says to whom.

use serde_json::{Value, json};
use toolpass_standin::linear::{LinearStandin, demo};
use toolpass_standin::server::{Running, Transport};

use crate::support::{self, Ask};

fn linear() -> Running {
    LinearStandin::start(demo::world(), &Transport::Plain).unwrap()
}

fn run(linear: &Running, authorization: &str, query: &str, variables: Value) -> (u16, Value) {
    let ask = Ask {
        body: Some(json!({"query": query, "variables": variables})),
        headers: &[("Authorization", authorization)],
        ..Ask::default()
    };
    let answer = support::send(linear, "POST", "/graphql", &ask);
    (answer.status, answer.json())
}

fn kind(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["type"]
        .as_str()
        .unwrap_or_default()
}

const CREATE: &str = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { identifier } } }";

#[test]
fn a_credential_is_wanted_in_its_own_form() {
    let linear = linear();
    let bearer = format!("Bearer {}", demo::ENGINE_KEY);
    for wrong in ["lin_api_other", bearer.as_str(), "Basic eDp5"] {
        let (status, answer) = run(&linear, wrong, "{ viewer { id } }", json!({}));
        assert_eq!(
            (status, kind(&answer)),
            (401, "authentication error"),
            "{wrong}"
        );
    }
    let (status, answer) = run(&linear, demo::ENGINE_KEY, "{ viewer { email } }", json!({}));
    assert_eq!(
        (status, &answer["data"]["viewer"]["email"]),
        (200, &json!("engine@example.com"))
    );
    linear
        .command("revoke", &json!({"token": demo::ENGINE_KEY}))
        .unwrap();
    let (status, _) = run(&linear, demo::ENGINE_KEY, "{ viewer { id } }", json!({}));
    assert_eq!(status, 401);
}

#[test]
fn a_key_that_reads_changes_nothing() {
    let linear = linear();
    let input = json!({"input": {"teamId": demo::ENG, "title": "x"}});
    let (_, refused) = run(&linear, demo::ENGINE_KEY, CREATE, input.clone());
    assert_eq!(kind(&refused), "forbidden");
    assert_eq!(linear.state()["ran"], json!([]));
    let (_, made) = run(&linear, demo::AGENT_KEY, CREATE, input);
    assert_eq!(
        made["data"]["issueCreate"]["issue"]["identifier"],
        json!("ENG-2")
    );
    assert_eq!(linear.state()["ran"], json!(["issueCreate"]));
}

#[test]
fn what_an_account_does_not_see_is_not_there() {
    let linear = linear();
    linear
        .patch(&json!({"teams": {demo::ENG: {"members": {demo::ENGINE: null}}}}))
        .unwrap();
    let query = "query($id: String!) { issue(id: $id) { title } }";
    let (_, hidden) = run(&linear, demo::ENGINE_KEY, query, json!({"id": "ENG-1"}));
    assert_eq!(kind(&hidden), "invalid input");
    assert!(
        hidden["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("not found")
    );
    let (_, seen) = run(&linear, demo::ENGINE_KEY, query, json!({"id": "OPS-1"}));
    assert_eq!(
        seen["data"]["issue"]["title"],
        json!("Rotate the certificates")
    );
}

#[test]
fn a_field_there_is_not_is_an_error() {
    let linear = linear();
    for query in ["{ viewer { secret } }", "{ viewer }", "{ viewer { id }"] {
        let (status, answer) = run(&linear, demo::ENGINE_KEY, query, json!({}));
        assert_eq!(status, 400, "{query}");
        assert!(answer["data"].is_null(), "{answer}");
    }
}
