//! The types of resource, and the names they are made of.
//!
//! `project:<KEY or id>`, `issue:<KEY-1 or id>`, `global`, and by id `board`, `sprint`, `filter`, `dashboard`, `issuelink`;
//! `comment:<issue>/<id>`, `worklog:<issue>/<id>`. Every name is a type of its own that only its grammar makes, so a path is never built
//! from unread text. Keys can be given to something else later, ids cannot.
//! Source: support.atlassian.com "Create a new project" (keys), read 2026-12-01.

use std::fmt;
use std::sync::Arc;

use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_integration::failure::Failure;

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A board.
    Board(u64),
    /// A comment on an issue.
    Comment(Issue, u64),
    /// A dashboard.
    Dashboard(u64),
    /// A filter.
    Filter(u64),
    /// The site.
    Global,
    /// An issue.
    Issue(Issue),
    /// A link between two issues.
    IssueLink(u64),
    /// A project.
    Project(Project),
    /// A sprint.
    Sprint(u64),
    /// Work logged on an issue.
    Worklog(Issue, u64),
}

/// A project's key, `[A-Z][A-Z0-9_]{1,9}`, or its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Project(Arc<str>);

/// An issue's key, `<project key>-<number>`, or its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Issue(Arc<str>);

impl Target {
    /// Read a resource.
    /// Errors: `invalid_request` for another type, a query, or an id outside its grammar.
    pub fn read(resource: &Resource) -> Result<Target, Failure> {
        let id = resource.id();
        let wrong = |expected: &str| {
            Failure::invalid(format!(
                "expected {expected}, found {}",
                Quoted::new(resource.as_str())
            ))
        };
        if resource.as_str().contains('?') {
            return Err(wrong("a resource without a query"));
        }
        let numbered = |make: fn(u64) -> Target| {
            number(id)
                .map(make)
                .ok_or_else(|| wrong(&format!("`{}:` and a number", resource.kind())))
        };
        let of_issue = |make: fn(Issue, u64) -> Target| {
            id.split_once('/')
                .and_then(|(issue, id)| Some(make(Issue::parse(issue)?, number(id)?)))
                .ok_or_else(|| wrong(&format!("`{}:KEY-1/<id>`", resource.kind())))
        };
        match resource.kind() {
            "board" => numbered(Target::Board),
            "comment" => of_issue(Target::Comment),
            "dashboard" => numbered(Target::Dashboard),
            "filter" => numbered(Target::Filter),
            "global" if resource.as_str() == "global" => Ok(Target::Global),
            "global" => Err(wrong("`global` alone")),
            "issue" => Issue::parse(id)
                .map(Target::Issue)
                .ok_or_else(|| wrong("`issue:KEY-1` or `issue:<id>`")),
            "issuelink" => numbered(Target::IssueLink),
            "project" => Project::parse(id)
                .map(Target::Project)
                .ok_or_else(|| wrong("`project:KEY` or `project:<id>`")),
            "sprint" => numbered(Target::Sprint),
            "worklog" => of_issue(Target::Worklog),
            _ => Err(wrong(
                "a `project`, `issue`, `global`, `comment`, `worklog`, `issuelink`, `board`, `sprint`, `filter` or `dashboard`",
            )),
        }
    }

    /// Its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Target::Board(_) => "board",
            Target::Comment(..) => "comment",
            Target::Dashboard(_) => "dashboard",
            Target::Filter(_) => "filter",
            Target::Global => "global",
            Target::Issue(_) => "issue",
            Target::IssueLink(_) => "issuelink",
            Target::Project(_) => "project",
            Target::Sprint(_) => "sprint",
            Target::Worklog(..) => "worklog",
        }
    }
}

impl Project {
    /// The key or id, exactly.
    pub fn parse(text: &str) -> Option<Project> {
        (is_key(text) || number(text).is_some()).then(|| Project(text.into()))
    }

    /// The same, a key in any case: Jira takes it so.
    pub fn sent(text: &str) -> Option<Project> {
        Project::parse(&text.to_ascii_uppercase())
    }

    /// The project of that id.
    pub fn of_id(id: u64) -> Project {
        Project(id.to_string().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Issue {
    /// The key or id, exactly.
    pub fn parse(text: &str) -> Option<Issue> {
        let is_issue_key = text
            .split_once('-')
            .is_some_and(|(project, number)| is_key(project) && self::number(number).is_some());
        (is_issue_key || number(text).is_some()).then(|| Issue(text.into()))
    }

    /// The same, a key in any case: Jira takes it so.
    pub fn sent(text: &str) -> Option<Issue> {
        Issue::parse(&text.to_ascii_uppercase())
    }

    /// The issue of that id.
    pub fn of_id(id: u64) -> Issue {
        Issue(id.to_string().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A positive number of at most 18 digits, written without sign or leading zero: what ids of Jira's look like.
pub fn number(text: &str) -> Option<u64> {
    let plain = (1..=18).contains(&text.len())
        && !text.starts_with('0')
        && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

fn is_key(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    (2..=10).contains(&text.len())
        && text.bytes().next().is_some_and(|b| b.is_ascii_uppercase())
        && text.bytes().all(fits)
}

impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Target, Failure> {
        Target::read(&Resource::parse(text).unwrap())
    }

    #[test]
    fn every_form() {
        for good in [
            "project:OPS",
            "project:A1_",
            "project:10001",
            "issue:OPS-1",
            "issue:10001",
            "global",
            "comment:OPS-1/10",
            "worklog:7/10",
            "issuelink:1",
            "board:1",
            "sprint:1",
            "filter:1",
            "dashboard:1",
        ] {
            assert!(read(good).is_ok(), "{good}");
            assert_eq!(
                read(good).unwrap().type_name(),
                good.split(':').next().unwrap()
            );
        }
        for bad in [
            "project:ops",
            "project:O",
            "project:ABCDEFGHIJK",
            "project:",
            "project:1X",
            "project:0",
            "project:OPS?x=1",
            "issue:OPS-0",
            "issue:OPS-01",
            "issue:ops-1",
            "issue:OPS",
            "issue:OPS-1/2",
            "issue:../x",
            "global:x",
            "global:",
            "comment:OPS-1",
            "comment:OPS-1/x",
            "board:x",
            "board:-1",
            "sprint:1234567890123456789",
            "repo:x",
            "issue:OPS-1?",
            "issue:OPS-+1",
            "issue:ＯPS-1",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(Issue::sent("ops-1").unwrap().as_str(), "OPS-1");
        assert_eq!(Project::sent("ops").unwrap().as_str(), "OPS");
    }

    proptest! {
        #[test]
        fn a_name_is_one_path_segment(text in ".{0,24}") {
            for name in [Issue::sent(&text).map(|name| name.to_string()), Project::sent(&text).map(|name| name.to_string())].into_iter().flatten() {
                prop_assert!(!name.contains(['/', '.', '%', '?', '#', '\\']) && name.is_ascii());
            }
        }
    }
}
