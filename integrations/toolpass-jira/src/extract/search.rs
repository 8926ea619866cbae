//! Searches: Jira answers with what the agent may see. One that names its projects or issues is asked of those; any other follows the
//! agent's sight, which `strict_reads` refuses.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Issue search"; read 2026-12-01.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::{member, pair};
use crate::actions::Action;
use crate::jql::{self, Scope};

/// A search by `jql`, in the query or in the body.
pub fn jql(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let in_query = reading.query("jql").known()?;
    let query = match reading.method() {
        "GET" | "HEAD" => in_query,
        _ => {
            let in_body = member(reading, "jql")?;
            let in_body = in_body.map(|jql| {
                jql.as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| Unresolved::new("expected a text as `jql`"))
            });
            match (in_query, in_body.transpose()?) {
                (Some(_), Some(_)) => {
                    return Err(Unresolved::new("`jql` stands in the query and in the body"));
                }
                (query, body) => body.or(query),
            }
        }
    };
    let scope = query.as_deref().and_then(jql::scope);
    let browse = |resource: String| pair(Action::BrowseProjects, resource);
    let pairs: Vec<Pair> = match scope {
        Some(Scope::Issues(issues)) => issues
            .iter()
            .map(|issue| browse(format!("issue:{issue}")))
            .collect(),
        Some(Scope::Projects(projects)) => projects
            .iter()
            .map(|project| browse(format!("project:{project}")))
            .collect(),
        None => return Ok(Extracted::pairs(Vec::new())),
    };
    Ok(Extracted::pairs(pairs).bounded())
}
