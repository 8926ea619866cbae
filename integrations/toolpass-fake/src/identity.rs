//! E-mail → account: whoever is listed has one, called as the e-mail in lower case.

use std::collections::BTreeMap;

use toolpass_core::codes::Code;
use toolpass_core::email::lower;
use toolpass_core::user::User;
use toolpass_integration::connection::Identity;
use toolpass_integration::failure::Failure;

use crate::config::Config;

/// Find the account of a user.
/// Errors: `user_ambiguous` for an e-mail that holds `ambiguous`, `user_not_found` for one that is not listed.
pub fn identify(config: &Config, user: &User) -> Result<Identity, Failure> {
    let email = lower(user.as_str());
    if email.contains("ambiguous") {
        return Err(Failure::new(
            Code::UserAmbiguous,
            "two accounts have this e-mail",
        ));
    }
    if !config.knows(&email) {
        return Err(Failure::new(
            Code::UserNotFound,
            "no account has this e-mail",
        ));
    }
    Ok(Identity {
        groups: config.groups.get(&email).cloned().unwrap_or_default(),
        attributes: BTreeMap::from([("groups_mapped".into(), config.groups_mapped.to_string())]),
        display: email.clone(),
        id: email,
    })
}
