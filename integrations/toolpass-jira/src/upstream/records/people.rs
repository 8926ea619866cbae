//! Accounts.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Users", "User search", "Myself"; read 2026-12-01.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{flag, text};

/// An account, as a search shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub account: Option<String>,
    /// `atlassian`, `app`, `customer`.
    pub kind: Option<String>,
    /// Whether it may log in.
    pub active: Option<bool>,
    /// Its e-mail, where its owner shows it to us.
    pub email: Option<String>,
    /// Its name.
    pub display: Option<String>,
}

/// What an account is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Its groups: names and ids.
    pub groups: Option<Vec<String>>,
    /// How many application roles it has.
    pub roles: Option<usize>,
}

/// Read a page of a search.
pub fn candidates(json: Json<'_>) -> Result<Vec<Candidate>, Error> {
    json.array()?.map(candidate).collect()
}

/// Read one account.
pub fn candidate(json: Json<'_>) -> Result<Candidate, Error> {
    Ok(Candidate {
        account: text(json, "accountId")?,
        kind: text(json, "accountType")?,
        active: flag(json, "active")?,
        email: text(json, "emailAddress")?,
        display: text(json, "displayName")?,
    })
}

/// Read what an account is in.
pub fn member(json: Json<'_>) -> Result<Member, Error> {
    let groups = match json.member("groups")? {
        Some(groups) => {
            let mut names = Vec::new();
            for group in groups.required("items")?.array()? {
                names.extend(text(group, "name")?);
                names.extend(text(group, "groupId")?);
            }
            Some(names)
        }
        None => None,
    };
    let roles = match json.member("applicationRoles")? {
        Some(roles) => Some(roles.required("items")?.array()?.len()),
        None => None,
    };
    Ok(Member { groups, roles })
}

/// Read which of the keys asked about oneself are held.
pub fn own_permissions(json: Json<'_>) -> Result<Vec<String>, Error> {
    let mut held = Vec::new();
    for (key, permission) in json.required("permissions")?.members()? {
        if permission.required("havePermission")?.bool()? {
            held.push(key.to_owned());
        }
    }
    Ok(held)
}
