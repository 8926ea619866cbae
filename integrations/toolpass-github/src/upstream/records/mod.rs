//! What GitHub's records say, read strictly into plain structs, one file per chapter of the reference.
//!
//! A member that is absent or null is `None` (or nothing in a list) and means what the rule that uses it says; a member of a wrong type is a
//! failure, `upstream_error`; members not named here are ignored. Texts stay texts: which words mean what is a rule.

pub mod branch;
pub mod deployment;
pub mod node;
pub mod people;
pub mod repository;
pub mod work;

use toolpass_http::error::Error;
use toolpass_http::json::Json;

fn login(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    Ok(json
        .member(name)?
        .map(|user| text(user, "login"))
        .transpose()?
        .flatten())
}

/// The login of a person. Bots and accounts that stand for somebody of another system may be called like a person and are none.
fn person(json: Json<'_>, name: &'static str, kind: &'static str) -> Result<Option<String>, Error> {
    let Some(account) = json.member(name)? else {
        return Ok(None);
    };
    let login = account.required("login")?.string()?;
    Ok((account.required(kind)?.string()? == "User").then(|| login.to_owned()))
}

fn text(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    json.member(name)?
        .map(|value| Ok(value.string()?.to_owned()))
        .transpose()
}

fn texts(json: Json<'_>, name: &'static str) -> Result<Vec<String>, Error> {
    let Some(list) = json.member(name)? else {
        return Ok(Vec::new());
    };
    list.array()?
        .map(|entry| Ok(entry.string()?.to_owned()))
        .collect()
}

fn flag(json: Json<'_>, name: &'static str) -> Result<Option<bool>, Error> {
    json.member(name)?.map(|value| value.bool()).transpose()
}

fn number(json: Json<'_>, name: &'static str) -> Result<Option<u64>, Error> {
    json.member(name)?.map(|value| value.uint()).transpose()
}
