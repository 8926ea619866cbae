//! What the stand-in Jira consists of: plain data, in Rust and in JSON world files.
//!
//! Everything is keyed by its name, so that a merge patch can change one grant. Unknown members are errors that name them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A site with its accounts, projects, issues and credentials.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JiraWorld {
    /// Its cloud id.
    pub cloud_id: String,
    /// Accounts by id.
    pub accounts: BTreeMap<String, Account>,
    /// Tokens by their value.
    pub tokens: BTreeMap<String, Token>,
    /// OAuth clients by id.
    pub clients: BTreeMap<String, Client>,
    /// Projects by key.
    pub projects: BTreeMap<String, Project>,
    /// Issues by key.
    pub issues: BTreeMap<String, Issue>,
    /// Links between issues by id.
    pub links: BTreeMap<u64, Link>,
    /// The steps of the one workflow, by the name of the status they lead to.
    pub statuses: BTreeMap<String, u64>,
    /// Boards by id.
    pub boards: BTreeMap<u64, Board>,
    /// Sprints by id, and the board each was made on.
    pub sprints: BTreeMap<u64, u64>,
    /// Filters by id.
    pub filters: BTreeMap<u64, Filter>,
    /// Custom fields by id, and what makes each what it is.
    pub fields: BTreeMap<String, String>,
    /// Components and versions by id, and the project of each.
    pub parts: BTreeMap<u64, String>,
    /// Service desks by id, and the project of each.
    pub desks: BTreeMap<u64, String>,
}

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// Its e-mail.
    pub email: String,
    /// Whether its owner hides it from others.
    pub hides_email: bool,
    /// Its name.
    pub display_name: String,
    /// `atlassian`, `app` or `customer`.
    pub kind: String,
    /// Whether it may log in.
    pub active: bool,
    /// Names of its groups.
    pub groups: BTreeSet<String>,
    /// Keys it holds on the site.
    pub global: BTreeSet<String>,
    /// Whether it has access to Jira.
    pub has_access: bool,
}

/// A token of an account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Token {
    /// Its account.
    pub account: String,
    /// Whether it has scopes: then it works on the gateway only.
    pub scoped: bool,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// An OAuth client of a service account.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Client {
    /// Its secret.
    pub secret: String,
    /// Its account.
    pub account: String,
}

/// A project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Project {
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// `software`, `business`, `service_desk`.
    pub kind: String,
    /// Whether it is archived.
    pub archived: bool,
    /// Keys by account.
    pub grants: BTreeMap<String, BTreeSet<String>>,
}

/// An issue.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Issue {
    /// Its id.
    pub id: u64,
    /// Its status.
    pub status: String,
    /// Its fields as they were given, but for the status.
    pub fields: Map<String, Value>,
    /// Comments by id.
    pub comments: BTreeMap<u64, Note>,
    /// Worklogs by id.
    pub worklogs: BTreeMap<u64, Note>,
    /// Keys of its sub-tasks.
    pub subtasks: BTreeSet<String>,
    /// Keys of the project that do not hold here, by account: issue security.
    pub withheld: BTreeMap<String, BTreeSet<String>>,
}

/// A comment or a worklog.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Note {
    /// Its author's account.
    pub author: String,
    /// What it says, as it was given.
    pub body: Value,
    /// The role that may see it; everybody without one.
    pub role: Option<String>,
}

/// A link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Link {
    /// The issue it goes to.
    pub inward: String,
    /// The issue it comes from.
    pub outward: String,
}

/// A board.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Board {
    /// Its name.
    pub name: String,
    /// Keys of the projects it shows.
    pub projects: BTreeSet<String>,
    /// Its filter.
    pub filter: u64,
    /// Accounts that administer it.
    pub admins: BTreeSet<String>,
}

/// A filter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// Its owner's account.
    pub owner: String,
    /// What it searches for.
    pub jql: String,
    /// Groups that may edit it.
    pub editor_groups: BTreeSet<String>,
}

impl Default for Account {
    fn default() -> Account {
        Account {
            email: String::new(),
            hides_email: false,
            display_name: String::new(),
            kind: "atlassian".to_owned(),
            active: true,
            groups: BTreeSet::new(),
            global: BTreeSet::new(),
            has_access: true,
        }
    }
}

impl Default for Project {
    fn default() -> Project {
        Project {
            id: 0,
            name: String::new(),
            kind: "software".to_owned(),
            archived: false,
            grants: BTreeMap::new(),
        }
    }
}

impl Default for Issue {
    fn default() -> Issue {
        Issue {
            id: 0,
            status: "To Do".to_owned(),
            fields: Map::new(),
            comments: BTreeMap::new(),
            worklogs: BTreeMap::new(),
            subtasks: BTreeSet::new(),
            withheld: BTreeMap::new(),
        }
    }
}

impl JiraWorld {
    /// Whether an account holds a key in a project, and on an issue of it where one is named.
    pub fn holds(&self, account: &str, key: &str, project: &str, issue: Option<&str>) -> bool {
        let granted = self
            .projects
            .get(project)
            .and_then(|project| project.grants.get(account))
            .is_some_and(|keys| keys.contains(key));
        let withheld = issue
            .and_then(|issue| self.issues.get(issue))
            .and_then(|issue| issue.withheld.get(account))
            .is_some_and(|keys| keys.contains(key));
        granted && !withheld
    }

    /// A number nothing has yet.
    pub fn next_id(&self) -> u64 {
        let notes = self.issues.values().flat_map(|issue| {
            issue
                .comments
                .keys()
                .chain(issue.worklogs.keys())
                .chain([&issue.id])
        });
        let all = notes.chain(self.links.keys()).chain(self.sprints.keys());
        all.max().copied().unwrap_or(10_000).max(10_000) + 1
    }
}

/// The project of an issue's key.
pub fn project_of(key: &str) -> &str {
    key.rsplit_once('-').map_or(key, |(project, _)| project)
}

/// The keys this Jira has of the site.
pub const GLOBAL_KEYS: &[&str] = &[
    "ADMINISTER",
    "BULK_CHANGE",
    "CREATE_PROJECT",
    "CREATE_SHARED_OBJECTS",
    "MANAGE_GROUP_FILTER_SUBSCRIPTIONS",
    "SYSTEM_ADMIN",
    "USER_PICKER",
];

/// The keys this Jira has of projects and issues.
pub const PROJECT_KEYS: &[&str] = &[
    "ADD_COMMENTS",
    "ADMINISTER_PROJECTS",
    "ARCHIVE_ISSUES",
    "ASSIGNABLE_USER",
    "ASSIGN_ISSUES",
    "BROWSE_PROJECTS",
    "CLOSE_ISSUES",
    "CREATE_ATTACHMENTS",
    "CREATE_ISSUES",
    "DELETE_ALL_ATTACHMENTS",
    "DELETE_ALL_COMMENTS",
    "DELETE_ALL_WORKLOGS",
    "DELETE_ISSUES",
    "DELETE_OWN_ATTACHMENTS",
    "DELETE_OWN_COMMENTS",
    "DELETE_OWN_WORKLOGS",
    "EDIT_ALL_COMMENTS",
    "EDIT_ALL_WORKLOGS",
    "EDIT_ISSUES",
    "EDIT_OWN_COMMENTS",
    "EDIT_OWN_WORKLOGS",
    "LINK_ISSUES",
    "MANAGE_SPRINTS_PERMISSION",
    "MANAGE_WATCHERS",
    "MODIFY_REPORTER",
    "MOVE_ISSUES",
    "RESOLVE_ISSUES",
    "SCHEDULE_ISSUES",
    "SERVICEDESK_AGENT",
    "SET_ISSUE_SECURITY",
    "TRANSITION_ISSUES",
    "VIEW_AGGREGATED_DATA",
    "VIEW_DEV_TOOLS",
    "VIEW_READONLY_WORKFLOW",
    "VIEW_VOTERS_AND_WATCHERS",
    "WORK_ON_ISSUES",
    "com.example.app__reviewing",
];
