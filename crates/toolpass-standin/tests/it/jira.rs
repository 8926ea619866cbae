//! The stand-in Jira: what it says to whom.

use serde_json::{Value, json};
use toolpass_standin::jira::{JiraStandin, demo};
use toolpass_standin::server::{Running, Transport};

use crate::support::{self, Answer, Ask};

fn jira() -> Running {
    JiraStandin::start(demo::world(), &Transport::Plain).unwrap()
}

fn send(jira: &Running, method: &str, path: &str, body: Option<Value>) -> Answer {
    let basic = basic(demo::BOT, demo::AGENT_TOKEN);
    let headers = [("authorization", basic.as_str())];
    let ask = Ask {
        body,
        headers: &headers,
        ..Ask::default()
    };
    support::send(jira, method, path, &ask)
}

fn basic(user: &str, token: &str) -> String {
    use base64::Engine as _;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{token}"));
    format!("Basic {pair}")
}

fn status(jira: &Running, path: &str, authorization: &str) -> u16 {
    let headers = [("authorization", authorization)];
    let ask = Ask {
        headers: &headers,
        ..Ask::default()
    };
    support::send(jira, "GET", path, &ask).status
}

#[test]
fn a_credential_is_wanted_and_works_where_it_belongs() {
    let jira = jira();
    let gateway = format!("/ex/jira/{}/rest/api/3/myself", demo::CLOUD_ID);
    let site = "/rest/api/3/myself";
    let own = basic(demo::BOT, demo::AGENT_TOKEN);
    let scoped = format!("Bearer {}", demo::SCOPED_TOKEN);
    let rows = [
        (site, own.as_str(), 200),
        (site, "Basic eDp5", 401),
        (site, &basic("sam@example.com", demo::AGENT_TOKEN), 401),
        (site, &scoped, 401),
        (&gateway, &scoped, 200),
        (&gateway, &own, 401),
        ("/ex/jira/other/rest/api/3/myself", &scoped, 404),
        // Whoever is not known is nobody, and nobody finds anybody.
        ("/rest/api/3/user/search?query=dana", "Basic eDp5", 200),
    ];
    for (path, authorization, expected) in rows {
        assert_eq!(status(&jira, path, authorization), expected, "{path}");
    }
    jira.command("revoke", &json!({"token": demo::AGENT_TOKEN}))
        .unwrap();
    assert_eq!(status(&jira, site, &own), 401);
}

#[test]
fn the_check_answers_as_jira_does() {
    let jira = jira();
    let check = |body: Value| send(&jira, "POST", "/rest/api/3/permissions/check", Some(body));
    let answer = check(json!({
        "accountId": demo::SAM,
        "globalPermissions": ["ADMINISTER"],
        "projectPermissions": [{"permissions": ["EDIT_ISSUES", "BROWSE_PROJECTS"], "projects": [10000, 99], "issues": [10112]}],
    }))
    .json();
    assert_eq!(answer["globalPermissions"], json!([]));
    let expected = json!([
        {"permission": "EDIT_ISSUES", "projects": [], "issues": []},
        {"permission": "BROWSE_PROJECTS", "projects": [10000], "issues": [10112]},
    ]);
    assert_eq!(answer["projectPermissions"], expected);
    assert_eq!(check(json!({"accountId": "nobody"})).status, 400);
    assert_eq!(
        check(json!({"accountId": demo::SAM, "globalPermissions": ["NO_SUCH"]})).status,
        400
    );
    jira.patch(&json!({"accounts": {"acc-bot": {"global": []}}}))
        .unwrap();
    assert_eq!(check(json!({"accountId": demo::SAM})).status, 403);
}

#[test]
fn an_issue_is_made_changed_and_moved_along() {
    let jira = jira();
    let fields = json!({"project": {"id": "10000"}, "summary": "new", "description": "plain"});
    let made = send(
        &jira,
        "POST",
        "/rest/api/2/issue",
        Some(json!({"fields": fields})),
    );
    assert_eq!((made.status, &made.json()["key"]), (201, &json!("SHOP-15")));
    let seen = |version: &str| {
        send(
            &jira,
            "GET",
            &format!("/rest/api/{version}/issue/shop-15"),
            None,
        )
        .json()
    };
    assert_eq!(seen("2")["fields"]["description"], json!("plain"));
    assert_eq!(seen("3")["fields"]["description"]["type"], json!("doc"));
    let step = json!({"transition": {"id": "41"}});
    assert_eq!(
        send(
            &jira,
            "POST",
            "/rest/api/2/issue/SHOP-15/transitions",
            Some(step)
        )
        .status,
        204
    );
    assert_eq!(seen("2")["fields"]["status"]["name"], json!("In Review"));
    let body = json!({"body": "seen"});
    assert_eq!(
        send(
            &jira,
            "POST",
            "/rest/api/2/issue/SHOP-15/comment",
            Some(body)
        )
        .status,
        201
    );
    assert_eq!(seen("2")["fields"]["comment"]["total"], json!(1));
    assert_eq!(
        send(
            &jira,
            "POST",
            "/rest/api/2/issue",
            Some(json!({"fields": {"project": {"key": "NONE"}}}))
        )
        .status,
        404
    );
    assert_eq!(
        send(&jira, "POST", "/rest/api/3/plans/plan", Some(json!({}))).status,
        201,
        "the answer for all others"
    );
    assert!(jira.requests().last().unwrap().fallback);
}
