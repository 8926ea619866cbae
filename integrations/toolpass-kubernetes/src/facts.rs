//! What an observed request says beside its resource: names of facts, and their strict reading.
//!
//! Separate from `rules/` because requests write what the rules read. A fact that is not understood is an invalid question: it was
//! written to ask for more.

use toolpass_core::question::Facts;
use toolpass_http::json::Json;
use toolpass_integration::failure::Failure;

use crate::resource;
use crate::rules::rights::{self, PolicyRule};

/// The field selector of a list, a watch or a deletion.
pub const FIELD_SELECTOR: &str = "field_selector";
/// The label selector of the same.
pub const LABEL_SELECTOR: &str = "label_selector";
/// The user an impersonation header names.
pub const AS_USER: &str = "as_user";
/// The group an impersonation header names.
pub const AS_GROUP: &str = "as_group";
/// Needed only when the object is not there; the value is the version of its API.
pub const UNLESS_EXISTS: &str = "unless_exists";
/// Not needed by whoever holds these rules, as JSON.
pub const UNLESS_HELD: &str = "unless_held";
/// Of [`UNLESS_HELD`]: the stored role, in this version of its API, may be filled from others, and then everything must be held.
pub const UNLESS_GATHERED: &str = "unless_gathered";
/// Not needed by whoever holds the rules of the role that is named; the value is the version of its API.
pub const UNLESS_ROLE_HELD: &str = "unless_role_held";

/// The facts of one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// What narrows the collection.
    pub selectors: Selectors,
    /// The user the request asks to act as.
    pub as_user: Option<String>,
    /// The group it asks to act with.
    pub as_group: Option<String>,
    /// What stands in for a right that the user does not have.
    pub otherwise: Option<Otherwise>,
}

/// What narrows a collection, as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selectors {
    /// By fields.
    pub field: Option<String>,
    /// By labels.
    pub label: Option<String>,
}

/// What stands in for a right that the user does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// That the object is there, in this version of its API.
    Exists(String),
    /// That the user holds these rules; everything, when the stored role is filled from others.
    Held {
        /// The rules.
        rules: Vec<PolicyRule>,
        /// The version of the API of the stored role, when there may be one to look at.
        stored: Option<String>,
    },
    /// That the user holds the rules of the role that is named, in this version of its API.
    RoleHeld(String),
}

impl Circumstances {
    /// Read the facts of a question.
    /// Errors: `invalid_request` for a fact or a value that is not understood, or two that stand in for the same right.
    pub fn read(facts: &Facts) -> Result<Circumstances, Failure> {
        let mut found = Circumstances::default();
        let stored = facts
            .get(UNLESS_GATHERED)
            .map(|text| version(text))
            .transpose()?;
        if stored.is_some() && !facts.contains_key(UNLESS_HELD) {
            return Err(Failure::invalid("a fact without the one it belongs to"));
        }
        for (name, value) in facts {
            match name.as_str() {
                FIELD_SELECTOR => found.selectors.field = Some(value.clone()),
                LABEL_SELECTOR => found.selectors.label = Some(value.clone()),
                AS_USER => found.as_user = Some(value.clone()),
                AS_GROUP => found.as_group = Some(value.clone()),
                UNLESS_EXISTS => found.stands_in(Otherwise::Exists(version(value)?))?,
                UNLESS_ROLE_HELD => found.stands_in(Otherwise::RoleHeld(version(value)?))?,
                UNLESS_HELD => found.stands_in(Otherwise::Held {
                    rules: rules(value)?,
                    stored: stored.clone(),
                })?,
                UNLESS_GATHERED => {}
                _ => return Err(Failure::invalid("a fact that is not understood")),
            }
        }
        Ok(found)
    }

    fn stands_in(&mut self, otherwise: Otherwise) -> Result<(), Failure> {
        match self.otherwise.replace(otherwise) {
            None => Ok(()),
            Some(_) => Err(Failure::invalid("two facts stand in for one right")),
        }
    }
}

fn version(text: &str) -> Result<String, Failure> {
    match resource::is_version(text) {
        true => Ok(text.to_owned()),
        false => Err(Failure::invalid("expected the version of an API")),
    }
}

fn rules(text: &str) -> Result<Vec<PolicyRule>, Failure> {
    let expected = |_| Failure::invalid("expected the rules of a role");
    let value = toolpass_http::json::parse(text.as_bytes()).map_err(expected)?;
    rights::rules(Json::new(&value)).map_err(expected)
}
