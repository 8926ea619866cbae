//! Operations on many issues at once: the right to change in bulk, and that of each issue.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Issue bulk operations"; read 2026-12-01.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::fields::{action_of, custom_number};
use super::{SITE, each, issue_in, list, pair, project_in, required};
use crate::actions::Action;
use crate::facts;
use toolpass_wire::json::Json;

/// Issues are deleted.
pub fn delete(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    selected(reading, &[Action::DeleteIssues])
}

/// Issues are watched by the agent's account, or no longer.
pub fn watch(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    selected(reading, &[Action::BrowseProjects])
}

/// Fields of issues are set: with the right of each field.
pub fn edit(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let (mut actions, mut custom) = (Vec::new(), Vec::new());
    for field in list(required(reading, "selectedActions")?, "selectedActions")? {
        let name = field
            .as_str()
            .ok_or_else(|| Unresolved::new("expected names in `selectedActions`"))?
            .to_ascii_lowercase();
        match custom_number(&name) {
            Some(digits) => custom.push(digits.to_owned()),
            None if name == "parent" || name == "project" => {
                return Err(Unresolved::new("move issues by the operation for that"));
            }
            None => actions.extend(action_of(&name)),
        }
    }
    let mut pairs = vec![in_bulk()];
    let issues = required(reading, NAME)?;
    for issue in list(issues, NAME)? {
        let issue = issue_in(issue)?;
        let edit = pair(Action::EditIssues, issue.clone());
        pairs.push(match custom.is_empty() {
            true => edit,
            false => edit.fact(facts::CUSTOM_FIELDS, custom.join(" ")),
        });
        pairs.extend(actions.iter().map(|action| pair(*action, issue.clone())));
    }
    Ok(Extracted::pairs(pairs))
}

/// Issues go to other projects, types and parents.
pub fn r#move(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mapping = required(reading, "targetToSourcesMapping")?;
    let targets = mapping
        .as_object()
        .filter(|targets| !targets.is_empty())
        .ok_or_else(|| Unresolved::new("expected `targetToSourcesMapping` as an object"))?;
    let mut pairs = vec![in_bulk()];
    for (target, sources) in targets {
        let text = |part: Option<&str>| part.map(|part| Json::String(part.trim().to_owned()));
        let mut parts = target.split(',');
        let project = text(parts.next()).ok_or_else(|| Unresolved::new("expected a project"))?;
        pairs.push(pair(Action::CreateIssues, project_in(&project)?));
        if let Some(parent) = text(parts.nth(1)) {
            pairs.push(pair(Action::EditIssues, issue_in(&parent)?));
        }
        if parts.next().is_some() {
            return Err(Unresolved::new(
                "expected a target as `project,issue type,parent`",
            ));
        }
        let issues = sources
            .member("issueIdsOrKeys")
            .required("issueIdsOrKeys")?;
        pairs.extend(each(issues, "issueIdsOrKeys", &[Action::MoveIssues])?);
    }
    Ok(Extracted::pairs(pairs))
}

/// Issues go through their workflows.
pub fn transition(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![in_bulk()];
    let inputs = required(reading, "bulkTransitionInputs")?;
    for input in list(inputs, "bulkTransitionInputs")? {
        let issues = input.member(NAME).required(NAME)?;
        pairs.extend(each(issues, NAME, &[Action::TransitionIssues])?);
    }
    Ok(Extracted::pairs(pairs))
}

fn selected(reading: &Reading<'_>, actions: &[Action]) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![in_bulk()];
    pairs.extend(each(required(reading, NAME)?, NAME, actions)?);
    Ok(Extracted::pairs(pairs))
}

fn in_bulk() -> Pair {
    pair(Action::BulkChange, SITE)
}

const NAME: &str = "selectedIssueIdsOrKeys";
