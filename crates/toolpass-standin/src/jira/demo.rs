//! The world of the demo: project SHOP, in which Dana develops and Sam only looks; beside it what the tests of the rules ask about.

use std::collections::BTreeMap;

use serde_json::json;

use super::world::{
    Account, Board, Client, Filter, Issue, JiraWorld, Link, Note, PROJECT_KEYS, Project, Token,
};

/// The e-mail of the account toolpass asks with, and of the agent.
pub const BOT: &str = "bot@example.com";
/// The token toolpass asks with.
pub const ENGINE_TOKEN: &str = "jira-engine-token";
/// The token the agent's tools work with.
pub const AGENT_TOKEN: &str = "jira-agent-token";
/// A token with scopes, for the gateway.
pub const SCOPED_TOKEN: &str = "jira-scoped-token";
/// An OAuth client.
pub const CLIENT_ID: &str = "jira-client";
/// Its secret.
pub const CLIENT_SECRET: &str = "jira-client-secret";
/// The site's cloud id.
pub const CLOUD_ID: &str = "11223344-a1b2-3b33-c444-def123456789";
/// Dana's account.
pub const DANA: &str = "acc-dana";
/// Sam's account.
pub const SAM: &str = "acc-sam";

/// A fresh copy of the demo's world.
pub fn world() -> JiraWorld {
    JiraWorld {
        cloud_id: CLOUD_ID.to_owned(),
        accounts: accounts(),
        tokens: [
            (AGENT_TOKEN, false),
            (ENGINE_TOKEN, false),
            (SCOPED_TOKEN, true),
        ]
        .map(|(value, scoped)| {
            let account = "acc-bot".to_owned();
            (
                value.to_owned(),
                Token {
                    account,
                    scoped,
                    revoked: false,
                },
            )
        })
        .into(),
        clients: [(
            CLIENT_ID.to_owned(),
            Client {
                secret: CLIENT_SECRET.to_owned(),
                account: "acc-bot".to_owned(),
            },
        )]
        .into(),
        projects: projects(),
        issues: issues(),
        links: [(
            20_001,
            Link {
                inward: "SHOP-14".into(),
                outward: "SHOP-12".into(),
            },
        )]
        .into(),
        statuses: [
            ("Done", 31),
            ("In Progress", 21),
            ("In Review", 41),
            ("To Do", 11),
        ]
        .map(|(name, id)| (name.to_owned(), id))
        .into(),
        boards: [(1, board("Shop", 1)), (2, board("Everything", 2))].into(),
        sprints: [(5, 1), (6, 2)].into(),
        filters: [
            (1, filter("project = SHOP ORDER BY Rank")),
            (2, filter("status != Done")),
        ]
        .into(),
        fields: [
            (
                "customfield_10019",
                "com.pyxis.greenhopper.jira:gh-lexo-rank",
            ),
            ("customfield_10020", "com.pyxis.greenhopper.jira:gh-sprint"),
            (
                "customfield_10030",
                "com.atlassian.jira.plugin.system.customfieldtypes:textfield",
            ),
        ]
        .map(|(id, custom)| (id.to_owned(), custom.to_owned()))
        .into(),
        parts: [(10_200, "SHOP".to_owned()), (10_300, "OPS".to_owned())].into(),
        desks: [(3, "HELP".to_owned())].into(),
    }
}

fn accounts() -> BTreeMap<String, Account> {
    let account = |email: &str, name: &str, global: &[&str]| Account {
        email: email.to_owned(),
        display_name: name.to_owned(),
        global: global.iter().map(|key| (*key).to_owned()).collect(),
        ..Account::default()
    };
    [
        (
            "acc-bot",
            account(BOT, "Toolpass", &["ADMINISTER", "USER_PICKER"]),
        ),
        (
            "acc-root",
            account(
                "root@example.com",
                "Root",
                &["ADMINISTER", "BULK_CHANGE", "CREATE_SHARED_OBJECTS"],
            ),
        ),
        (
            DANA,
            account("dana@example.com", "Dana", &["BULK_CHANGE", "USER_PICKER"]),
        ),
        (SAM, account("sam@example.com", "Sam", &[])),
        (
            "acc-hidden",
            Account {
                hides_email: true,
                ..account("hidden@example.com", "hidden@example.com", &[])
            },
        ),
        (
            "acc-gone",
            Account {
                active: false,
                ..account("gone@example.com", "Gone", &[])
            },
        ),
        ("acc-twin-1", account("twin@example.com", "Twin", &[])),
        ("acc-twin-2", account("twin@example.com", "Twin", &[])),
        (
            "acc-app",
            Account {
                kind: "app".to_owned(),
                ..account("app@example.com", "App", &[])
            },
        ),
        (
            "acc-mallory",
            account("mallory@example.com", "dana@example.com", &[]),
        ),
    ]
    .map(|(id, account)| (id.to_owned(), account))
    .into()
}

fn projects() -> BTreeMap<String, Project> {
    let project = |id: u64, name: &str, kind: &str, grants: &[(&str, &[&str])]| {
        let mut all: BTreeMap<_, _> = grants
            .iter()
            .map(|(account, keys)| {
                (
                    (*account).to_owned(),
                    keys.iter().map(|key| (*key).to_owned()).collect(),
                )
            })
            .collect();
        all.insert(
            "acc-bot".to_owned(),
            PROJECT_KEYS.iter().map(|key| (*key).to_owned()).collect(),
        );
        Project {
            id,
            name: name.to_owned(),
            kind: kind.to_owned(),
            grants: all,
            ..Project::default()
        }
    };
    let developer = &[
        "BROWSE_PROJECTS",
        "CREATE_ISSUES",
        "EDIT_ISSUES",
        "ADD_COMMENTS",
        "TRANSITION_ISSUES",
        "ASSIGN_ISSUES",
        "EDIT_OWN_COMMENTS",
        "DELETE_OWN_COMMENTS",
        "LINK_ISSUES",
        "WORK_ON_ISSUES",
        "EDIT_OWN_WORKLOGS",
    ];
    let archived = project(10_003, "Old", "software", &[(DANA, developer)]);
    [
        (
            "HELP",
            project(
                10_002,
                "Help",
                "service_desk",
                &[
                    (
                        DANA,
                        &[
                            "BROWSE_PROJECTS",
                            "ADD_COMMENTS",
                            "CREATE_ISSUES",
                            "SERVICEDESK_AGENT",
                        ],
                    ),
                    (SAM, &["BROWSE_PROJECTS", "ADD_COMMENTS", "CREATE_ISSUES"]),
                ],
            ),
        ),
        (
            "OLD",
            Project {
                archived: true,
                ..archived
            },
        ),
        (
            "OPS",
            project(
                10_001,
                "Operations",
                "software",
                &[
                    (DANA, &["BROWSE_PROJECTS"]),
                    (
                        SAM,
                        &[
                            "BROWSE_PROJECTS",
                            "CREATE_ISSUES",
                            "DELETE_ISSUES",
                            "ADMINISTER_PROJECTS",
                            "MANAGE_SPRINTS_PERMISSION",
                        ],
                    ),
                ],
            ),
        ),
        (
            "SHOP",
            project(
                10_000,
                "Shop",
                "software",
                &[(DANA, developer), (SAM, &["BROWSE_PROJECTS"])],
            ),
        ),
    ]
    .map(|(key, project)| (key.to_owned(), project))
    .into()
}

fn issues() -> BTreeMap<String, Issue> {
    let issue = |id: u64, summary: &str, status: &str| {
        let mut issue = Issue {
            id,
            status: status.to_owned(),
            ..Issue::default()
        };
        issue.fields.insert("summary".to_owned(), json!(summary));
        issue
    };
    let note = |author: &str, role: Option<&str>| Note {
        author: author.to_owned(),
        body: json!("seen"),
        role: role.map(str::to_owned),
    };
    let mut checkout = issue(10_112, "Checkout fails in Safari", "In Progress");
    checkout.comments = [
        (30_001, note(DANA, None)),
        (30_002, note(SAM, None)),
        (30_003, note(SAM, Some("Administrators"))),
    ]
    .into();
    checkout.worklogs = [(40_001, note(DANA, None)), (40_002, note(SAM, None))].into();
    let mut parent = issue(10_201, "Move to the new cluster", "To Do");
    parent.subtasks = ["OPS-2".to_owned()].into();
    let mut secret = issue(10_202, "Rotate keys", "To Do");
    secret.withheld = [(
        SAM.to_owned(),
        ["BROWSE_PROJECTS".to_owned(), "DELETE_ISSUES".to_owned()].into(),
    )]
    .into();
    [
        ("HELP-1", issue(10_301, "My order is lost", "To Do")),
        ("OPS-1", parent),
        ("OPS-2", secret),
        ("SHOP-12", checkout),
        ("SHOP-14", issue(10_114, "Prices without cents", "To Do")),
    ]
    .map(|(key, issue)| (key.to_owned(), issue))
    .into()
}

fn board(name: &str, filter: u64) -> Board {
    let projects = ["SHOP".to_owned()].into();
    Board {
        name: name.to_owned(),
        projects,
        filter,
        admins: [DANA.to_owned()].into(),
    }
}

fn filter(jql: &str) -> Filter {
    Filter {
        owner: DANA.to_owned(),
        jql: jql.to_owned(),
        editor_groups: ["developers".to_owned()].into(),
    }
}
