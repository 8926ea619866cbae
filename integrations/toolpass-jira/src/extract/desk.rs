//! Service desks: requests of customers, their comments and participants.
//!
//! Source: developer.atlassian.com/cloud/jira/service-desk/rest "Request", "Servicedesk"; read 2026-12-01.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Audience;

use super::{SET, at, issue, member, pair, pair_at, required};
use crate::actions::Action;
use crate::facts;
use crate::pointer::SERVICE_DESK;

/// A request, by the agent for whoever asks; for somebody else, only by who works there.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let id = required(reading, "serviceDeskId")?
        .scalar()
        .unwrap_or_default();
    let mut pairs =
        vec![pair_at(Action::CreateIssues, SERVICE_DESK, id)?.fact(facts::AS_CUSTOMER, SET)];
    for name in ["raiseOnBehalfOf", "requestParticipants"] {
        if member(reading, name)?.is_some() {
            pairs.push(pair_at(Action::ServiceDeskAgent, SERVICE_DESK, id)?);
        }
    }
    Ok(Extracted::pairs(pairs))
}

/// A comment, which the customer sees unless it says otherwise; then only who works there may.
pub fn comment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    inside_or_out(reading, &[Action::AddComments])
}

/// Files, with a comment.
pub fn attach(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    inside_or_out(reading, &[Action::CreateAttachments, Action::AddComments])
}

/// A request goes through its workflow, perhaps with a comment.
pub fn transition(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let mut pairs = vec![pair(Action::TransitionIssues, &issue)];
    if member(reading, "additionalComment")?.is_some() {
        pairs.push(pair(Action::AddComments, issue));
    }
    Ok(Extracted::pairs(pairs))
}

/// What is seen of a desk's project.
pub fn see(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    at(
        Action::BrowseProjects,
        reading,
        SERVICE_DESK,
        "serviceDeskId",
    )
}

/// A file is put where a request may take it from.
pub fn upload(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    at(
        Action::CreateAttachments,
        reading,
        SERVICE_DESK,
        "serviceDeskId",
    )
}

/// Who the customers of a desk are.
pub fn customers(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    at(Action::ProjectAdmin, reading, SERVICE_DESK, "serviceDeskId")
}

/// Which organizations a desk has.
pub fn organizations(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    at(
        Action::ServiceDeskAgent,
        reading,
        SERVICE_DESK,
        "serviceDeskId",
    )
}

fn inside_or_out(reading: &Reading<'_>, actions: &[Action]) -> Result<Extracted, Unresolved> {
    let issue = issue(reading)?;
    let mut pairs: Vec<Pair> = actions.iter().map(|action| pair(*action, &issue)).collect();
    if member(reading, "public")? == Some(&Json::Bool(false)) {
        pairs.push(pair(Action::ServiceDeskAgent, issue));
        return Ok(Extracted::pairs(pairs));
    }
    Ok(Extracted::pairs(pairs).sending_to(Audience::Resource))
}
