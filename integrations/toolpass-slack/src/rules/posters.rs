//! Whether somebody is among those whom a posting rule names.
//!
//! The words are Slack's: `ra` is everybody, `regular` everybody but guests. A word that is not known matters only to whom no other word
//! names. Another workspace's role says nothing here, so for people from there a kind is not told.
//! Source: slack.com/help "Manage channel posting permissions"; the response types of the official SDKs; read 2026-11-30.

use super::known::{Known, Stop};
use super::standing::{Held, Place, Role, Standing};
use crate::resource::UserId;
use crate::upstream::records::Posters;

/// Whether `user` is among `posters`; a rule that names nobody is for everybody.
/// Errors: user groups that must be read first.
pub fn are_named(
    known: &Known,
    posters: &Posters,
    user: &UserId,
    standing: &Standing,
) -> Result<Held, Stop> {
    let Posters::Some {
        types,
        users,
        groups,
    } = posters
    else {
        return Ok(Held::Untold);
    };
    if types.is_empty() && users.is_empty() && groups.is_empty() {
        return Ok(Held::Yes);
    }
    if users.iter().any(|named| named == user.as_str()) {
        return Ok(Held::Yes);
    }
    let mut held = Held::No;
    for kind in types {
        held = either(held, is_kind(kind, standing));
    }
    if held != Held::Yes && !groups.is_empty() {
        held = either(held, is_in_one(known, groups, user)?);
    }
    Ok(held)
}

fn is_kind(kind: &str, standing: &Standing) -> Held {
    let role = match standing.place {
        _ if matches!(kind, "everyone" | "ra") => return Held::Yes,
        Place::Here(role) => role,
        Place::Elsewhere(_) | Place::Outside => return Held::Untold,
    };
    let least = match kind {
        "regular" => Role::Member,
        "admin" => Role::Admin,
        "owner" => Role::Owner,
        _ => return Held::Untold,
    };
    if role >= least { Held::Yes } else { Held::No }
}

fn is_in_one(known: &Known, groups: &[String], user: &UserId) -> Result<Held, Stop> {
    let Some(listed) = known.usergroups()? else {
        return Ok(Held::Untold);
    };
    let mut held = Held::No;
    for group in groups {
        let users = listed
            .iter()
            .find(|listed| listed.id == *group)
            .and_then(|listed| listed.users.as_ref());
        held = either(
            held,
            match users {
                Some(users) if users.iter().any(|named| named == user.as_str()) => Held::Yes,
                Some(_) => Held::No,
                None => Held::Untold,
            },
        );
    }
    Ok(held)
}

fn either(one: Held, other: Held) -> Held {
    match (one, other) {
        (Held::Yes, _) | (_, Held::Yes) => Held::Yes,
        (Held::Untold, _) | (_, Held::Untold) => Held::Untold,
        (Held::No, Held::No) => Held::No,
    }
}
