//! What Jira's own evaluator answers, and the keys it knows.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Permissions"; read 2026-12-01.

use std::collections::BTreeMap;

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::text;

/// What a user holds of what was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// Global keys held. Those that are not held do not stand here.
    pub global: Vec<String>,
    /// Where each key of projects and issues is held; a key that was evaluated stands here even when it is held nowhere.
    pub keys: BTreeMap<String, Places>,
}

/// Where a key is held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Ids of projects.
    pub projects: Vec<u64>,
    /// Ids of issues.
    pub issues: Vec<u64>,
}

/// Read an answer to a check.
pub fn granted(json: Json<'_>) -> Result<Granted, Error> {
    let mut granted = Granted::default();
    if let Some(keys) = json.member("globalPermissions")? {
        for key in keys.array()? {
            granted.global.push(key.string()?.to_owned());
        }
    }
    if let Some(list) = json.member("projectPermissions")? {
        for entry in list.array()? {
            let key = entry.required("permission")?.string()?.to_owned();
            let places = granted.keys.entry(key).or_default();
            places.projects.extend(ids(entry, "projects")?);
            places.issues.extend(ids(entry, "issues")?);
        }
    }
    Ok(granted)
}

/// The permission keys there are, and whether each is of the site.
pub fn catalogue(json: Json<'_>) -> Result<BTreeMap<String, Option<String>>, Error> {
    let mut keys = BTreeMap::new();
    for (key, permission) in json.required("permissions")?.members()? {
        keys.insert(key.to_owned(), text(permission, "type")?);
    }
    Ok(keys)
}

/// Ids as numbers; a text is none here.
fn ids(json: Json<'_>, name: &'static str) -> Result<Vec<u64>, Error> {
    let Some(list) = json.member(name)? else {
        return Ok(Vec::new());
    };
    list.array()?.map(|id| id.uint()).collect()
}
