//! Every read a decision may rest on, and its address.
//!
//! A read is a value, so the pure rules can ask for one and the edge can make it. One variant per endpoint.
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3, /cloud/jira/software/rest, /cloud/jira/service-desk/rest, the operation
//! named at each variant; read 2026-12-01.

use serde_json::{Value, json};
use toolpass_http::path::PathBuilder;

use crate::resource::{Issue, Project};

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Read {
    /// "Get board".
    Board(u64),
    /// "Get configuration" of a board.
    BoardConfiguration(u64),
    /// "Get projects" of a board, every page.
    BoardProjects(u64),
    /// "Get all permissions": the permission keys there are.
    Catalogue,
    /// "Get bulk permissions".
    Check(Check),
    /// "Get comment".
    Comment(Issue, u64),
    /// "Get comments by IDs", one: its issue stands in its address.
    CommentById(u64),
    /// "Get component".
    Component(u64),
    /// "Get dashboard".
    Dashboard(u64),
    /// "Get fields".
    Fields,
    /// "Get filter".
    Filter(u64),
    /// "Get issue", its project only.
    Issue(Issue),
    /// "Get issue link".
    IssueLink(u64),
    /// "Get project".
    Project(Project),
    /// "Get service desk by id".
    ServiceDesk(u64),
    /// "Get sprint".
    Sprint(u64),
    /// "Get issue", its sub-tasks only.
    Subtasks(Issue),
    /// "Get user", with groups and application roles.
    User(String),
    /// "Get version".
    Version(u64),
    /// "Get worklog".
    Worklog(Issue, u64),
}

/// What of one user is asked at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Check {
    /// The account.
    pub account: String,
    /// Keys of the site.
    pub global: Vec<String>,
    /// Keys of projects and issues.
    pub keys: Vec<String>,
    /// Ids of projects.
    pub projects: Vec<u64>,
    /// Ids of issues.
    pub issues: Vec<u64>,
}

/// How a read is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A GET of one record.
    One(PathBuilder, Vec<(&'static str, String)>),
    /// A GET of a list in pages of `values`, every page of it.
    Pages(PathBuilder),
    /// A POST that only reads.
    Post(PathBuilder, Value),
}

impl Read {
    /// How it is asked.
    pub fn call(&self) -> Call {
        let api = || PathBuilder::from(["rest", "api", "3"]);
        let agile = || PathBuilder::from(["rest", "agile", "1.0"]);
        let one = |path: PathBuilder| Call::One(path, Vec::new());
        let numbered =
            |path: PathBuilder, kind: &str, id: &u64| path.segment(kind).segment(&id.to_string());
        let of_issue = |issue: &Issue| api().segment("issue").segment(issue.as_str());
        let fields = |issue: &Issue, fields: &str| {
            Call::One(of_issue(issue), vec![("fields", fields.to_owned())])
        };
        match self {
            Read::Board(id) => one(numbered(agile(), "board", id)),
            Read::BoardConfiguration(id) => {
                one(numbered(agile(), "board", id).segment("configuration"))
            }
            Read::BoardProjects(id) => {
                Call::Pages(numbered(agile(), "board", id).segment("project"))
            }
            Read::Catalogue => one(api().segment("permissions")),
            Read::Check(check) => {
                Call::Post(api().segments(["permissions", "check"]), check.body())
            }
            Read::Comment(issue, id) => one(numbered(of_issue(issue), "comment", id)),
            Read::CommentById(id) => {
                Call::Post(api().segments(["comment", "list"]), json!({ "ids": [id] }))
            }
            Read::Component(id) => one(numbered(api(), "component", id)),
            Read::Dashboard(id) => one(numbered(api(), "dashboard", id)),
            Read::Fields => one(api().segment("field")),
            Read::Filter(id) => one(numbered(api(), "filter", id)),
            Read::Issue(issue) => fields(issue, "project"),
            Read::IssueLink(id) => one(numbered(api(), "issueLink", id)),
            Read::Project(project) => one(api().segment("project").segment(project.as_str())),
            Read::ServiceDesk(id) => one(numbered(
                PathBuilder::from(["rest", "servicedeskapi"]),
                "servicedesk",
                id,
            )),
            Read::Sprint(id) => one(numbered(agile(), "sprint", id)),
            Read::Subtasks(issue) => fields(issue, "subtasks"),
            Read::User(account) => Call::One(
                api().segment("user"),
                vec![
                    ("accountId", account.clone()),
                    ("expand", "groups,applicationRoles".into()),
                ],
            ),
            Read::Version(id) => one(numbered(api(), "version", id)),
            Read::Worklog(issue, id) => one(numbered(of_issue(issue), "worklog", id)),
        }
    }

    /// How a case names it: method and path for what is not a GET, the query or body where it decides.
    pub fn address(&self) -> String {
        let path = |path: &PathBuilder| path.build().unwrap_or_default().to_owned();
        match (self, self.call()) {
            (Read::Check(check), _) => check.address(),
            (Read::Subtasks(_), Call::One(at, _)) => format!("{}?fields=subtasks", path(&at)),
            (Read::User(account), Call::One(at, _)) => format!("{}/{account}", path(&at)),
            (Read::CommentById(id), _) => format!("comment {id}"),
            (_, Call::One(at, _) | Call::Pages(at) | Call::Post(at, _)) => path(&at),
        }
    }
}

impl Check {
    fn body(&self) -> Value {
        let mut body = json!({ "accountId": self.account });
        let mut put = |name: &str, value: Value| {
            if let Value::Object(members) = &mut body {
                members.insert(name.to_owned(), value);
            }
        };
        if !self.global.is_empty() {
            put("globalPermissions", json!(self.global));
        }
        let mut asked = Vec::new();
        if !self.projects.is_empty() {
            asked.push(json!({ "permissions": self.keys, "projects": self.projects }));
        }
        if !self.issues.is_empty() {
            asked.push(json!({ "permissions": self.keys, "issues": self.issues }));
        }
        if !asked.is_empty() {
            put("projectPermissions", json!(asked));
        }
        body
    }

    /// `check global=… projects=… issues=…`, what is asked of nothing left out.
    fn address(&self) -> String {
        let numbers = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let parts = [
            ("global", self.global.join(",")),
            ("projects", numbers(&self.projects)),
            ("issues", numbers(&self.issues)),
        ];
        let asked = parts.iter().filter(|(_, ids)| !ids.is_empty());
        let asked: String = asked.map(|(name, ids)| format!(" {name}={ids}")).collect();
        format!("check{asked}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_bodies() {
        let issue = Issue::parse("OPS-1").unwrap();
        assert_eq!(
            Read::Comment(issue.clone(), 7).address(),
            "/rest/api/3/issue/OPS-1/comment/7"
        );
        assert_eq!(
            Read::BoardProjects(7).address(),
            "/rest/agile/1.0/board/7/project"
        );
        let check = Check {
            account: "a".into(),
            keys: vec!["EDIT_ISSUES".into()],
            issues: vec![7],
            ..Check::default()
        };
        assert_eq!(Read::Check(check.clone()).address(), "check issues=7");
        assert_eq!(
            check.body(),
            json!({"accountId": "a", "projectPermissions": [{"permissions": ["EDIT_ISSUES"], "issues": [7]}]})
        );
    }
}
