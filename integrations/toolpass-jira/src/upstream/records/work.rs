//! Projects, issues, and what hangs on an issue.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Projects", "Issues", "Issue comments", "Issue worklogs", "Issue links";
//! /cloud/jira/service-desk/rest "Servicedesk"; read 2026-12-01.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{account, flag, id, number, required_id, text};
use crate::resource;

/// A project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: u64,
    /// Its key now.
    pub key: Option<String>,
    /// `software`, `business`, `service_desk`, …
    pub kind: Option<String>,
    /// Whether it is archived; absent of those that are not.
    pub archived: Option<bool>,
}

/// An issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// Its id.
    pub id: u64,
    /// Its key now.
    pub key: Option<String>,
    /// Its project.
    pub project: Project,
}

/// A comment, or work that was logged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authored {
    /// Who wrote it.
    pub author: Option<String>,
    /// Only a group or role may see it.
    pub is_restricted: bool,
}

/// A link between two issues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Ids of both.
    pub issues: [u64; 2],
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// `customfield_10020`, `summary`.
    pub id: Option<String>,
    /// What makes a custom field what it is: `com.pyxis.greenhopper.jira:gh-sprint`.
    pub custom: Option<String>,
}

/// Read a project.
pub fn project(json: Json<'_>) -> Result<Project, Error> {
    Ok(Project {
        id: required_id(json, "id")?,
        key: text(json, "key")?,
        kind: text(json, "projectTypeKey")?,
        archived: flag(json, "archived")?,
    })
}

/// Read an issue, with its project.
pub fn issue(json: Json<'_>) -> Result<Issue, Error> {
    Ok(Issue {
        id: required_id(json, "id")?,
        key: text(json, "key")?,
        project: project(json.required("fields")?.required("project")?)?,
    })
}

/// Read the ids of an issue's sub-tasks.
pub fn subtasks(json: Json<'_>) -> Result<Vec<u64>, Error> {
    let tasks = json.required("fields")?.required("subtasks")?;
    tasks.array()?.map(|task| required_id(task, "id")).collect()
}

/// Read a comment or a worklog.
pub fn authored(json: Json<'_>) -> Result<Authored, Error> {
    let restricted = match json.member("visibility")? {
        Some(visibility) => visibility.members()?.count() > 0,
        None => false,
    };
    Ok(Authored {
        author: account(json, "author")?,
        is_restricted: restricted,
    })
}

/// Read the issue's id out of the address of the one comment.
pub fn issue_of_comment(json: Json<'_>) -> Result<Option<(u64, u64)>, Error> {
    let mut comments = json.required("values")?.array()?;
    let (Some(comment), None) = (comments.next(), comments.next()) else {
        return Ok(None);
    };
    let address = comment.required("self")?.string()?;
    let issue = address
        .split_once("/issue/")
        .and_then(|(_, rest)| rest.split_once("/comment/"))
        .and_then(|(issue, _)| resource::number(issue));
    Ok(issue.zip(id(comment, "id")?))
}

/// Read a link.
pub fn link(json: Json<'_>) -> Result<Link, Error> {
    let end = |name| required_id(json.required(name)?, "id");
    Ok(Link {
        issues: [end("inwardIssue")?, end("outwardIssue")?],
    })
}

/// Read the id of the project that a component, a version or a service desk is of.
pub fn project_of(json: Json<'_>) -> Result<Option<u64>, Error> {
    json.member("projectId")?.map(number).transpose()
}

/// Read the fields there are.
pub fn fields(json: Json<'_>) -> Result<Vec<Field>, Error> {
    let field = |field: Json<'_>| {
        let schema = field.member("schema")?;
        let custom = schema.map(|schema| text(schema, "custom")).transpose()?;
        Ok(Field {
            id: text(field, "id")?,
            custom: custom.flatten(),
        })
    };
    json.array()?.map(field).collect()
}
