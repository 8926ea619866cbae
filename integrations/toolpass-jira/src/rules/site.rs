//! The site: who uses it at all, and who manages the customers' organizations.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Get user" (application roles); /cloud/jira/service-desk/rest "Organization";
//! read 2026-12-01.

use toolpass_core::codes::Code;

use super::known::{Known, Stop};
use crate::upstream::read::Read;
use crate::upstream::records::people;

/// The user has a product of this site.
pub fn user(known: &Known) -> Result<String, Stop> {
    let member = known.seen(Read::User(known.user.to_owned()), people::member)?;
    match member.roles {
        Some(0) => Err(Stop::deny("the user has no access to Jira on this site")),
        Some(_) => Ok("the user has access to Jira on this site".into()),
        None => Err(Stop::new(
            Code::CredentialRejected,
            "Jira does not show our credential what users have access to; grant it Administer Jira",
        )),
    }
}

/// Organizations of customers: an administrator may; an agent unless the site keeps it to administrators.
pub fn organizations(known: &Known) -> Result<String, Stop> {
    match known.global(&["ADMINISTER"])?.has_global("ADMINISTER") {
        true => Ok("the user administers Jira".into()),
        false => Err(Stop::unsupported(
            "whether agents may manage organizations is a setting of the site that is not readable",
        )),
    }
}
