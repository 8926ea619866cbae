//! Whether a question can be asked at all: its shape, its connection, its action, its groups.
//!
//! Comes before anything else of a check; a question that fails here costs no upstream call. The order is the
//! specification's: user, groups, token, connection, action, resource, then whether the connection and the action exist.

use std::sync::Arc;

use toolpass_core::action::Action;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Question};
use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_core::user::{Groups, User};
use toolpass_integration::connection::Person;

use crate::caller::Caller;
use crate::engine::{Engine, Wired};
use crate::options::CallerGroups;
use crate::outcome::refused;

/// A question that can be asked.
pub(crate) struct Valid {
    pub(crate) wired: Arc<Wired>,
    pub(crate) person: Person,
    pub(crate) action: Action,
    pub(crate) resource: Resource,
    pub(crate) facts: Facts,
}

/// Read a question.
/// Errors: the decision that refuses it, of status 400.
pub(crate) fn question(
    engine: &Engine,
    question: &Question,
    caller: &Caller,
) -> Result<Valid, Box<Decision>> {
    let user = User::parse(&question.user).map_err(invalid)?;
    let groups = Groups::new(question.groups.iter().cloned()).map_err(invalid)?;
    if question.connection.is_empty() {
        return Err(refused(
            Code::InvalidRequest,
            "expected the id of a connection",
        ));
    }
    let action = Action::parse(&question.action).map_err(invalid)?;
    let resource = Resource::parse(&question.resource).map_err(invalid)?;
    let fact_bytes: usize = question
        .facts
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    if question.facts.len() > MAX_FACTS || fact_bytes > MAX_FACT_BYTES {
        return Err(refused(
            Code::InvalidRequest,
            "the request says more than can be asked about",
        ));
    }
    let Some(wired) = engine.wired(&question.connection) else {
        let text = format!(
            "no connection has the id {}",
            Quoted::new(&question.connection)
        );
        return Err(refused(Code::UnknownConnection, text));
    };
    if !wired.integration.has_action(action.as_str()) {
        let text = format!(
            "{} has no action {}",
            wired.integration.name(),
            Quoted::new(action.as_str())
        );
        return Err(refused(Code::UnknownAction, text));
    }
    let groups = accepted(caller.groups_at(wired.caller_groups), groups)?;
    let person = Person {
        user,
        groups,
        token: question.token.clone(),
    };
    Ok(Valid {
        wired: Arc::clone(wired),
        person,
        action,
        resource,
        facts: question.facts.clone(),
    })
}

/// What the connection makes of the groups a caller sent.
fn accepted(policy: CallerGroups, groups: Groups) -> Result<Groups, Box<Decision>> {
    match policy {
        CallerGroups::Accept => Ok(groups),
        CallerGroups::Ignore => Ok(Groups::default()),
        CallerGroups::Refuse if groups.is_empty() => Ok(groups),
        CallerGroups::Refuse => Err(refused(
            Code::InvalidRequest,
            "no groups are taken from this caller here (`caller_groups: refuse`)",
        )),
    }
}

fn invalid(error: impl std::error::Error) -> Box<Decision> {
    refused(Code::InvalidRequest, error.to_string())
}

const MAX_FACTS: usize = 64;
const MAX_FACT_BYTES: usize = 64 * 1024;
