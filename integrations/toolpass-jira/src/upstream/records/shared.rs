//! Filters and dashboards: who owns them, and with whom they are shared to be edited.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Filters", "Dashboards", "Filter sharing"; read 2026-12-01.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{account, id, text};

/// A filter or a dashboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Its owner's account.
    pub owner: Option<String>,
    /// Who may edit it besides.
    pub editors: Option<Vec<Share>>,
    /// Of a filter: what it searches for.
    pub jql: Option<String>,
}

/// One share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Share {
    /// Everybody who logs in.
    Everybody,
    /// A group, by name or id.
    Group(String),
    /// Whoever sees a project; with a role, who has it there.
    Project(u64, bool),
    /// An account.
    User(String),
    /// A kind that is not known here.
    Unknown,
}

/// Read a filter or a dashboard.
pub fn shared(json: Json<'_>) -> Result<Shared, Error> {
    let editors = match json.member("editPermissions")? {
        Some(list) => Some(list.array()?.map(share).collect::<Result<_, _>>()?),
        None => None,
    };
    Ok(Shared {
        owner: account(json, "owner")?,
        editors,
        jql: text(json, "jql")?,
    })
}

fn share(json: Json<'_>) -> Result<Share, Error> {
    let kind = json.required("type")?.string()?;
    Ok(match kind {
        "authenticated" | "loggedin" => Share::Everybody,
        "group" => {
            let group = json.required("group")?;
            match text(group, "groupId")?.or(text(group, "name")?) {
                Some(name) => Share::Group(name),
                None => Share::Unknown,
            }
        }
        "project" | "projectRole" => match id(json.required("project")?, "id")? {
            Some(project) => Share::Project(project, json.member("role")?.is_some()),
            None => Share::Unknown,
        },
        "user" => match account(json, "user")? {
            Some(account) => Share::User(account),
            None => Share::Unknown,
        },
        _ => Share::Unknown,
    })
}
