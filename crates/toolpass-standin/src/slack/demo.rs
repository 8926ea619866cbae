//! The world the examples, the demo and most tests start with.
//!
//! The workspace of `acme`: `admin@example.com` owns it, `dana@example.com` and `sam@example.com` are members. Both are in the public
//! `#shop-dev` ([`SHOP_DEV`]); Dana alone is in the private `#releases` ([`RELEASES`]). `guest@example.com` is a guest of `#shop-dev`. Toolpass's
//! token ([`ENGINE_TOKEN`]) only reads; the agent's ([`AGENT_TOKEN`]) is in both channels and may write: whatever toolpass lets through,
//! arrives.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::world::{Account, Channel, SlackWorld, Team, Token, Usergroup};

/// The default world.
pub fn world() -> SlackWorld {
    SlackWorld {
        team: Team {
            id: TEAM.to_owned(),
            name: "Acme".to_owned(),
            domain: "acme".to_owned(),
            enterprise_id: None,
        },
        tokens: map([
            (ENGINE_TOKEN, bot(ENGINE, "B0ENGINE01", ENGINE_SCOPES)),
            (AGENT_TOKEN, bot(AGENT, "B0AGENT001", AGENT_SCOPES)),
        ]),
        users: people(),
        channels: channels(),
        usergroups: map([(
            SHOP_TEAM,
            Usergroup {
                handle: "shop-team".to_owned(),
                users: set(&[DANA]),
                date_delete: 0,
            },
        )]),
        preferences: [
            ("who_can_post_general", json!({"type": ["ra"]})),
            ("disable_file_uploads", json!("allow_all")),
            ("allow_message_deletion", json!(true)),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect(),
        ..SlackWorld::default()
    }
}

fn people() -> BTreeMap<String, Account> {
    let person = |name: &str, real_name: &str| Account {
        name: name.to_owned(),
        real_name: real_name.to_owned(),
        email: Some(format!("{name}@example.com")),
        ..Account::default()
    };
    let robot = |name: &str, real_name: &str| Account {
        email: None,
        is_bot: true,
        ..person(name, real_name)
    };
    map([
        (
            ADMIN,
            Account {
                is_admin: true,
                is_owner: true,
                is_primary_owner: true,
                ..person("admin", "Admin")
            },
        ),
        (DANA, person("dana", "Dana")),
        (SAM, person("sam", "Sam")),
        (
            GUEST,
            Account {
                is_restricted: true,
                is_ultra_restricted: true,
                ..person("guest", "Gina Guest")
            },
        ),
        (AGENT, robot("acme-agent", "Acme agent")),
        (ENGINE, robot("toolpass", "Toolpass")),
    ])
}

fn channels() -> BTreeMap<String, Channel> {
    let channel = |name: &str, members: &[&str]| Channel {
        name: name.to_owned(),
        members: set(members),
        creator: ADMIN.to_owned(),
        ..Channel::default()
    };
    map([
        (
            GENERAL,
            Channel {
                is_general: true,
                ..channel("general", &[ADMIN, DANA, SAM, AGENT, ENGINE])
            },
        ),
        (
            SHOP_DEV,
            channel("shop-dev", &[ADMIN, DANA, SAM, GUEST, AGENT, ENGINE]),
        ),
        (RANDOM, channel("random", &[SAM, AGENT])),
        (
            RELEASES,
            Channel {
                is_private: true,
                ..channel("releases", &[ADMIN, DANA, AGENT, ENGINE])
            },
        ),
        (
            BOARD,
            Channel {
                is_private: true,
                ..channel("board", &[ADMIN])
            },
        ),
    ])
}

fn bot(user: &str, bot_id: &str, scopes: &[&str]) -> Token {
    Token {
        user: user.to_owned(),
        bot_id: Some(bot_id.to_owned()),
        scopes: set(scopes),
        revoked: false,
    }
}

fn set(items: &[&str]) -> BTreeSet<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn map<T, const N: usize>(entries: [(&str, T); N]) -> BTreeMap<String, T> {
    entries
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The workspace.
pub const TEAM: &str = "T0ACME0001";
/// `admin@example.com`, who owns it.
pub const ADMIN: &str = "U0ADMIN001";
/// `dana@example.com`.
pub const DANA: &str = "U0DANA0001";
/// `sam@example.com`.
pub const SAM: &str = "U0SAM00001";
/// `guest@example.com`, a guest of `#shop-dev`.
pub const GUEST: &str = "U0GUEST001";
/// The agent's bot.
pub const AGENT: &str = "U0AGENT001";
/// Toolpass's bot.
pub const ENGINE: &str = "U0ENGINE01";
/// `#general`.
pub const GENERAL: &str = "C0GENERAL1";
/// `#shop-dev`, public: everybody, and both bots.
pub const SHOP_DEV: &str = "C0SHOPDEV1";
/// `#random`, public, without Dana.
pub const RANDOM: &str = "C0RANDOM01";
/// `#releases`, private: Dana, the admin, and both bots.
pub const RELEASES: &str = "C0RELEASE1";
/// `#board`, private and without any bot.
pub const BOARD: &str = "C0BOARD001";
/// The user group `@shop-team`: Dana.
pub const SHOP_TEAM: &str = "S0SHOPTEAM";
/// The tools' token.
pub const AGENT_TOKEN: &str = "xoxb-standin-agent";
/// Toolpass's token, which only reads.
pub const ENGINE_TOKEN: &str = "xoxb-standin-engine";

const ENGINE_SCOPES: &[&str] = &[
    "channels:read",
    "files:read",
    "groups:read",
    "im:read",
    "team.preferences:read",
    "usergroups:read",
    "users:read",
    "users:read.email",
];
const AGENT_SCOPES: &[&str] = &[
    "channels:history",
    "channels:join",
    "channels:manage",
    "channels:read",
    "chat:write",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "groups:write",
    "im:read",
    "im:write",
    "pins:write",
    "reactions:write",
    "usergroups:read",
    "users:read",
    "users:read.email",
];
