//! From an e-mail to an account of the workspace.
//!
//! Linear is asked for the accounts of the address, suspended ones included, and what it returns is compared with what was asked,
//! without regard to case. One account is the answer; none is `user_not_found`, several are `user_ambiguous`.
//! Source: Linear's GraphQL schema of 2026-07-22 (`Query.users`, `UserFilter.email`); read 2026-12-01.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolpass_core::codes::Code;
use toolpass_core::user::{User, is_plain_email};
use toolpass_http::budget::Context;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::connection::Identity;
use toolpass_integration::failure::Failure;

use crate::resource::Name;
use crate::upstream::linear::Linear;
use crate::upstream::read::PEOPLE;
use crate::upstream::records;

/// Find the account of a user.
/// Errors: `invalid_request` for an e-mail Linear could read otherwise, `user_not_found`, `user_ambiguous`, or why it cannot be told.
pub(crate) async fn find(ctx: &Context, linear: &Linear, user: &User) -> Result<Identity, Failure> {
    let email = user.as_str().trim().to_lowercase();
    if !is_plain_email(&email) {
        return Err(Failure::invalid(
            "expected an e-mail of at most 254 bytes without quotes, slashes and spaces",
        ));
    }
    let data = linear
        .query(ctx, PEOPLE, json!({ "email": email }))
        .await?
        .ok_or_else(|| Error::malformed("Linear does not know the list of its own accounts"))?;
    let person = the_one(&data, &email)?;
    let person = linear.all_memberships(ctx, person).await?;
    identity(Json::new(&person), &email)
}

/// The one account of this address.
fn the_one(data: &Value, email: &str) -> Result<Value, Failure> {
    let mut found = Vec::new();
    for node in Json::new(data)
        .required("found")?
        .required("nodes")?
        .array()?
    {
        if node.required("email")?.string()?.to_lowercase() == email {
            found.push(node.value().clone());
        }
    }
    match <[Value; 1]>::try_from(found) {
        Ok([person]) => Ok(person),
        Err(found) if found.is_empty() => Err(Failure::new(
            Code::UserNotFound,
            "the workspace has no account of this e-mail",
        )),
        Err(_) => Err(Failure::new(
            Code::UserAmbiguous,
            "the workspace has several accounts of this e-mail",
        )),
    }
}

fn identity(json: Json<'_>, email: &str) -> Result<Identity, Failure> {
    let account = records::account(json)?;
    let id = Name::id(&account.id)
        .ok_or_else(|| Error::malformed("the id of an account of Linear's is none"))?;
    let mut attributes: BTreeMap<String, String> = [
        ("active", account.active),
        ("admin", account.admin),
        ("app", account.app),
        ("guest", account.guest),
        ("owner", account.owner),
    ]
    .into_iter()
    .map(|(name, is)| (name.to_owned(), is.to_string()))
    .collect();
    if let Some(why) = account.disabled_for {
        attributes.insert("disable_reason".to_owned(), why);
    }
    let owned: Vec<&str> = account
        .memberships
        .iter()
        .filter(|membership| membership.owner)
        .map(|membership| membership.team.as_str())
        .collect();
    if !owned.is_empty() {
        attributes.insert("owned_teams".to_owned(), owned.join(","));
    }
    let groups = account.memberships.iter().map(|one| one.team.clone());
    Ok(Identity {
        id: id.to_string(),
        display: email.to_owned(),
        groups: groups.collect(),
        attributes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(nodes: Value) -> Result<Value, Code> {
        the_one(&json!({"found": {"nodes": nodes}}), "dana@example.com")
            .map_err(|failure| failure.code())
    }

    #[test]
    fn what_came_back_is_compared_with_what_was_asked() {
        let dana = json!({"email": "Dana@Example.com"});
        assert_eq!(found(json!([dana])), Ok(dana.clone()));
        assert_eq!(found(json!([])), Err(Code::UserNotFound));
        assert_eq!(found(json!([dana, dana])), Err(Code::UserAmbiguous));
        assert_eq!(
            found(json!([{"email": "sam@example.com"}])),
            Err(Code::UserNotFound)
        );
        assert_eq!(found(json!([{"email": 7}])), Err(Code::UpstreamError));
        assert_eq!(found(json!({})), Err(Code::UpstreamError));
    }
}
