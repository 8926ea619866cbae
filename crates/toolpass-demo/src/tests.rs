//! The acts come out as they must: what each call comes to, what reached the systems, and what the server knows of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::acts::play;
use crate::agent::Row;
use crate::house::House;
use crate::show::Show;
use crate::world::{DANA, SAM};

/// Play an act, and look at it while everything still runs.
async fn played<T>(act: u8, look: impl AsyncFnOnce(&House, &Show<'_>) -> T) -> T {
    let mut house = House::open("127.0.0.1:0").await.unwrap();
    let mut lines = Vec::new();
    let mut say = |line: &str| lines.push(line.to_owned());
    let mut show = Show::new(&house.systems, &mut say);
    play(act, &mut house, &mut show).await.unwrap();
    let is_as_scripted = show.is_as_scripted();
    let transcript = show.transcript().to_owned();
    let seen = look(&house, &show).await;
    house.close().await;
    assert!(is_as_scripted, "{transcript}");
    seen
}

/// The transcript that the documents show. With `TOOLPASS_WRITE_TRANSCRIPTS` set it is written anew.
fn is_as_documented(name: &str, transcript: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/demo");
    let path: PathBuf = path.join(name);
    if std::env::var_os("TOOLPASS_WRITE_TRANSCRIPTS").is_some() {
        std::fs::write(&path, transcript).unwrap();
    }
    let documented = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        transcript, documented,
        "set TOOLPASS_WRITE_TRANSCRIPTS and look at the difference"
    );
}

/// The actions of a call's requests that were let through, or were not.
fn actions(row: &Row, allowed: bool) -> BTreeSet<&str> {
    let seen = row.event.actions.iter();
    let these = seen.filter(|seen| seen.allowed == allowed);
    these.filter_map(|seen| seen.action.as_deref()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tour_comes_out_as_written() {
    played(1, async |house, show| {
        let rows = show.rows();
        assert_eq!(rows.len(), 9);
        for (number, allowed, refused) in TOUR {
            let row = &rows[number - 1];
            let found = actions(row, true);
            let missing: Vec<_> = allowed
                .iter()
                .filter(|name| !found.contains(**name))
                .collect();
            assert!(
                missing.is_empty(),
                "{number}: {missing:?} are not in {found:?}"
            );
            let refused: BTreeSet<&str> = refused.iter().copied().collect();
            assert_eq!(actions(row, false), refused, "{number}");
        }
        let agents: Vec<_> = rows[1]
            .event
            .actions
            .iter()
            .filter(|seen| seen.as_agent)
            .collect();
        assert_eq!(agents.len(), 1);
        assert_eq!(agents[0].action.as_deref(), Some("github:repo.read"));
        let reason = rows[8].event.reason.as_deref().unwrap();
        assert!(reason.contains("ENG"), "{reason}");
        is_as_documented("tour.md", show.transcript());
        arrived(house);
        known(house).await;
    })
    .await;
}

/// What reached the stand-ins of what changes something.
fn arrived(house: &House) {
    let count = |id: &str, method: &str, end: &str| {
        let requests = house.system(id).unwrap().running.requests();
        let these = requests.iter().filter(|entry| entry.method == method);
        these
            .filter(|entry| entry.local_path.ends_with(end))
            .count()
    };
    assert_eq!(count("github", "POST", "/pulls"), 1);
    assert_eq!(count("kubernetes", "PATCH", ""), 1);
    assert_eq!(
        count(
            "kubernetes",
            "PATCH",
            "/namespaces/shop-staging/deployments/shop-web"
        ),
        1
    );
    assert_eq!(
        count("jira", "POST", "/rest/api/3/issue/SHOP-12/comment"),
        1
    );
    assert_eq!(
        count("jira", "POST", "/rest/api/3/issue/SHOP-12/transitions"),
        1
    );
    assert_eq!(count("jira", "POST", "/rest/api/3/issue"), 1);
    assert_eq!(count("slack", "POST", "/chat.postMessage"), 3);
    let mutations = house.system("linear").unwrap().running.requests();
    let mutations = mutations
        .iter()
        .filter(|entry| entry.body.contains("issueCreate"));
    assert_eq!(mutations.count(), 1);
}

/// What the server was told.
async fn known(house: &House) {
    let told = house.ask(&["dashboard", "events"]).await.unwrap();
    let runs = told["events"].as_array().unwrap();
    assert_eq!(runs.len(), 9);
    for (person, tools) in [
        (
            DANA,
            &["status", "open_pr", "ship", "ship", "report_bug"][..],
        ),
        (SAM, &["status", "open_pr", "ship", "report_bug"][..]),
    ] {
        let own = runs.iter().filter(|run| run["user"] == person.email);
        let names: Vec<_> = own.map(|run| run["tool"].as_str().unwrap()).collect();
        assert_eq!(names, tools, "{}", person.name);
    }
    for run in runs {
        assert_eq!(run["server"], "shop");
        assert!(!run["actions"].as_array().unwrap().is_empty(), "{run}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entitlements_hold_an_edited_tool() {
    played(2, async |_, show| {
        is_as_documented("entitlements.md", show.transcript())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn injected_text_is_refused_and_limits_hold() {
    played(3, async |_, show| {
        is_as_documented("injection.md", show.transcript())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_is_no_denial() {
    played(5, async |_, show| {
        is_as_documented("failure.md", show.transcript())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_right_that_is_taken_away_ends_within_the_bound() {
    played(6, async |_, show| {
        is_as_documented("revocation.md", show.transcript())
    })
    .await;
}

/// A number, some of the actions that must be let through, and all that must be refused.
type Expected = (usize, &'static [&'static str], &'static [&'static str]);

/// The tour as it was planned.
const TOUR: [Expected; 9] = [
    (1, &[], &[]),
    (
        2,
        &[
            "github:repo.read",
            "github:pr.create",
            "jira:ADD_COMMENTS",
            "jira:BROWSE_PROJECTS",
            "jira:TRANSITION_ISSUES",
            "slack:message.post",
        ],
        &[],
    ),
    (
        3,
        &[
            "kubernetes:raw:get:deployments.apps",
            "kubernetes:raw:patch:deployments.apps",
            "slack:message.post",
        ],
        &[],
    ),
    (
        4,
        &["kubernetes:raw:get:deployments.apps"],
        &["kubernetes:raw:patch:deployments.apps"],
    ),
    (
        5,
        &[
            "linear:issue.create",
            "jira:CREATE_ISSUES",
            "slack:message.post",
        ],
        &[],
    ),
    (6, &[], &[]),
    (7, &["github:repo.read"], &["github:pr.create"]),
    (
        8,
        &["kubernetes:raw:get:deployments.apps"],
        &["kubernetes:raw:patch:deployments.apps"],
    ),
    (9, &[], &["linear:issue.create"]),
];
