//! What there is in a workspace, as data: a JSON file can say all of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A workspace.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearWorld {
    /// The name in its addresses.
    pub url_key: String,
    /// The plan it pays for.
    pub plan: Option<String>,
    /// `securitySettings` of the workspace.
    pub roles: BTreeMap<String, String>,
    /// Whether guests are kept from starting agents.
    pub keeps_guests_from_agents: bool,
    /// Accounts by id.
    pub users: BTreeMap<String, User>,
    /// Teams by id.
    pub teams: BTreeMap<String, Team>,
    /// Issues by id.
    pub issues: BTreeMap<String, Issue>,
    /// Projects by id.
    pub projects: BTreeMap<String, Project>,
    /// Comments by id.
    pub comments: BTreeMap<String, Comment>,
    /// Everything else as GraphQL writes it: by the name of its root field, then by id.
    pub things: BTreeMap<String, BTreeMap<String, Value>>,
    /// Credentials by value.
    pub tokens: BTreeMap<String, Token>,
    /// The most entries a page has.
    pub page_size: Option<usize>,
    /// The mutations that were run, in order.
    pub ran: Vec<String>,
}

/// An account.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct User {
    /// Its e-mail.
    pub email: String,
    /// Its name.
    pub name: String,
    /// Whether it is not suspended.
    pub active: bool,
    /// Why it is.
    pub disable_reason: Option<String>,
    /// Whether it administers the workspace.
    pub admin: bool,
    /// Whether it owns the workspace.
    pub owner: bool,
    /// Whether it is a guest.
    pub guest: bool,
    /// Whether it is an application.
    pub app: bool,
}

/// A team.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// Its key.
    pub key: String,
    /// Its name.
    pub name: String,
    /// `public`, `private` or `restricted`.
    pub visibility: String,
    /// When it was archived.
    pub archived_at: Option<String>,
    /// When it was retired.
    pub retired_at: Option<String>,
    /// Whether everybody may join.
    pub all_members_can_join: bool,
    /// `securitySettings` of the team.
    pub roles: BTreeMap<String, String>,
    /// The private team around a restricted one, by id.
    pub restricted_by: Option<String>,
    /// Its members by id, and whether each owns it.
    pub members: BTreeMap<String, bool>,
}

/// An issue.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Issue {
    /// Its team, by id.
    pub team: String,
    /// Its number in the team.
    pub number: u64,
    /// What it was called before.
    pub previous: Vec<String>,
    /// Its title.
    pub title: String,
    /// Its text.
    pub description: Option<String>,
    /// Who opened it, by id.
    pub creator: Option<String>,
    /// Whether it is in the trash.
    pub trashed: bool,
    /// When it was archived.
    pub archived_at: Option<String>,
    /// With whom it is shared, by id.
    pub shared_with: Vec<String>,
    /// The issue above it, by id.
    pub parent: Option<String>,
    /// Whether it takes that one's shares over.
    pub inherits_shared_access: bool,
    /// Its project, by id.
    pub project: Option<String>,
}

/// A project.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// The end of its address.
    pub slug: String,
    /// Its teams, by id.
    pub teams: Vec<String>,
    /// Whether it is in the trash.
    pub trashed: bool,
    /// When it was archived.
    pub archived_at: Option<String>,
}

/// A comment.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Comment {
    /// The issue it is on, by id.
    pub issue: String,
    /// Who wrote it, by id.
    pub user: String,
    /// Its text.
    pub body: String,
}

/// A credential.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Token {
    /// Whose it is, by id.
    pub user: String,
    /// Whether it may change anything.
    pub writes: bool,
    /// Whether it was revoked.
    pub revoked: bool,
}

impl Default for User {
    fn default() -> User {
        User {
            email: String::new(),
            name: String::new(),
            active: true,
            disable_reason: None,
            admin: false,
            owner: false,
            guest: false,
            app: false,
        }
    }
}

impl Default for Team {
    fn default() -> Team {
        Team {
            key: String::new(),
            name: String::new(),
            visibility: "public".to_owned(),
            archived_at: None,
            retired_at: None,
            all_members_can_join: false,
            roles: BTreeMap::new(),
            restricted_by: None,
            members: BTreeMap::new(),
        }
    }
}

impl LinearWorld {
    /// What an issue is called.
    pub fn identifier(&self, issue: &Issue) -> String {
        let key = self.teams.get(&issue.team).map_or("", |team| &team.key);
        format!("{key}-{}", issue.number)
    }
}
