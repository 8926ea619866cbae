//! What Jira's records say, read strictly into plain structs.
//!
//! A member that is absent or null is `None` (or nothing in a list) and means what the rule that uses it says; a member of a wrong type is a
//! failure, `upstream_error`; members not named here are ignored. Texts stay texts: which words mean what is a rule.

pub mod board;
pub mod people;
pub mod permission;
pub mod shared;
pub mod work;

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use crate::resource;

fn text(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    json.member(name)?
        .map(|value| Ok(value.string()?.to_owned()))
        .transpose()
}

fn flag(json: Json<'_>, name: &'static str) -> Result<Option<bool>, Error> {
    json.member(name)?.map(|value| value.bool()).transpose()
}

/// An id, which the platform writes as text and the agile API as a number.
fn id(json: Json<'_>, name: &'static str) -> Result<Option<u64>, Error> {
    json.member(name)?.map(number).transpose()
}

fn number(value: Json<'_>) -> Result<u64, Error> {
    let found = match value.string() {
        Ok(text) => resource::number(text),
        Err(_) => Some(value.uint()?).filter(|id| *id > 0),
    };
    found.ok_or_else(|| Error::malformed("an id of Jira's is no positive number"))
}

fn required_id(json: Json<'_>, name: &'static str) -> Result<u64, Error> {
    number(json.required(name)?)
}

/// The `accountId` of a person who stands at `name`.
fn account(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    Ok(json
        .member(name)?
        .map(|person| text(person, "accountId"))
        .transpose()?
        .flatten())
}
