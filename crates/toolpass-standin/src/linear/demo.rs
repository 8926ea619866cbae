//! The world the examples, the demo and most tests start with.
//!
//! A workspace `acme` on a paid plan. The team ENG is private: Dana is a member and Sam is not, so Sam neither sees nor opens its issues.
//! The team OPS is public. The agent's own key ([`AGENT_KEY`]) may write everywhere: whatever toolpass lets through, arrives.

use std::collections::BTreeMap;

use serde_json::json;

use super::world::{Comment, Issue, LinearWorld, Project, Team, Token, User};

/// The default world.
pub fn world() -> LinearWorld {
    let user = |name: &str| User {
        email: format!("{}@example.com", name.to_ascii_lowercase()),
        name: name.to_owned(),
        ..User::default()
    };
    LinearWorld {
        url_key: "acme".to_owned(),
        plan: Some("business".to_owned()),
        users: map([
            (
                ADMIN,
                User {
                    admin: true,
                    ..user("Admin")
                },
            ),
            (AGENT, user("Agent")),
            (DANA, user("Dana")),
            (ENGINE, user("Engine")),
            (SAM, user("Sam")),
        ]),
        teams: map([
            (
                ENG,
                Team {
                    key: "ENG".to_owned(),
                    name: "Engineering".to_owned(),
                    visibility: "private".to_owned(),
                    members: map([(ADMIN, true), (AGENT, false), (DANA, false), (ENGINE, false)]),
                    ..Team::default()
                },
            ),
            (
                OPS,
                Team {
                    key: "OPS".to_owned(),
                    name: "Operations".to_owned(),
                    members: map([(ADMIN, true), (AGENT, false), (SAM, false)]),
                    ..Team::default()
                },
            ),
        ]),
        issues: map([
            (
                ISSUE,
                Issue {
                    team: ENG.to_owned(),
                    number: 1,
                    title: "Checkout fails in Safari".to_owned(),
                    creator: Some(DANA.to_owned()),
                    project: Some(PROJECT.to_owned()),
                    ..Issue::default()
                },
            ),
            (
                OPEN_ISSUE,
                Issue {
                    team: OPS.to_owned(),
                    number: 1,
                    title: "Rotate the certificates".to_owned(),
                    creator: Some(SAM.to_owned()),
                    ..Issue::default()
                },
            ),
        ]),
        projects: map([(
            PROJECT,
            Project {
                name: "Shop".to_owned(),
                slug: "5f0c2d9e1a7b".to_owned(),
                teams: vec![ENG.to_owned()],
                ..Project::default()
            },
        )]),
        comments: map([(
            COMMENT,
            Comment {
                issue: ISSUE.to_owned(),
                user: DANA.to_owned(),
                body: "Seen here too.".to_owned(),
            },
        )]),
        things: [(
            "attachment".to_owned(),
            map([(
                ATTACHMENT,
                json!({"title": "Log", "url": "https://logs.example.com/1", "issue": {"__ref": ISSUE}}),
            )]),
        )]
        .into(),
        tokens: map([
            (
                AGENT_KEY,
                Token {
                    user: AGENT.to_owned(),
                    writes: true,
                    revoked: false,
                },
            ),
            (
                ENGINE_KEY,
                Token {
                    user: ENGINE.to_owned(),
                    writes: false,
                    revoked: false,
                },
            ),
        ]),
        ..LinearWorld::default()
    }
}

fn map<T, const N: usize>(entries: [(&str, T); N]) -> BTreeMap<String, T> {
    entries
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The tools' key: a personal one of the agent's account, which may write everywhere.
pub const AGENT_KEY: &str = "lin_api_standinAgentKey";
/// The key toolpass may use: one that only reads.
pub const ENGINE_KEY: &str = "lin_api_standinEngineKey";

/// The administrator's account.
pub const ADMIN: &str = "00000000-0000-4000-8000-0000000000a1";
/// The agent's account.
pub const AGENT: &str = "00000000-0000-4000-8000-0000000000a2";
/// Dana's account.
pub const DANA: &str = "00000000-0000-4000-8000-0000000000a3";
/// The account of toolpass's own key.
pub const ENGINE: &str = "00000000-0000-4000-8000-0000000000a4";
/// Sam's account.
pub const SAM: &str = "00000000-0000-4000-8000-0000000000a5";
/// The private team.
pub const ENG: &str = "00000000-0000-4000-8000-0000000000b1";
/// The public team.
pub const OPS: &str = "00000000-0000-4000-8000-0000000000b2";
/// The issue ENG-1.
pub const ISSUE: &str = "00000000-0000-4000-8000-0000000000c1";
/// The issue OPS-1.
pub const OPEN_ISSUE: &str = "00000000-0000-4000-8000-0000000000c2";
/// The project of ENG.
pub const PROJECT: &str = "00000000-0000-4000-8000-0000000000d1";
/// A comment of Dana's on ENG-1.
pub const COMMENT: &str = "00000000-0000-4000-8000-0000000000e1";
/// A link attached to ENG-1.
pub const ATTACHMENT: &str = "00000000-0000-4000-8000-0000000000f1";
