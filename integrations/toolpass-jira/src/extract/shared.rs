//! Filters and dashboards, which are made in the agent's name and may be shared.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Filters", "Filter sharing", "Dashboards"; read 2026-12-01.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Audience;

use super::{SET, SITE, member, pair};
use crate::actions::Action;
use crate::facts;
use crate::resource::number;

/// A filter or a dashboard is made.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    shared(reading, pair(Action::SiteUser, SITE))
}

/// A filter is edited.
pub fn edit_filter(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    shared(reading, pair(Action::FilterEdit, id(reading, "filter")?))
}

/// What only its owner does with a filter, or an administrator.
pub fn own_filter(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let own = pair(Action::FilterOwn, id(reading, "filter")?);
    Ok(Extracted::pairs(vec![own.fact(facts::OR_ADMINISTER, SET)]))
}

/// A filter is shared.
pub fn share_filter(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::pairs(vec![
        pair(Action::FilterOwn, id(reading, "filter")?),
        pair(Action::CreateSharedObjects, SITE),
    ]))
}

/// A dashboard is changed, and may be shared.
pub fn own_dashboard(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    shared(
        reading,
        pair(Action::DashboardOwn, id(reading, "dashboard")?),
    )
}

/// A dashboard is copied: by who may edit it, which is more than seeing it.
pub fn copy_dashboard(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let source = pair(Action::DashboardEdit, id(reading, "dashboard")?);
    let mut made = create(reading)?;
    made.pairs.get_or_insert_default().push(source);
    Ok(made)
}

/// The pair, and sharing where the body shares.
fn shared(reading: &Reading<'_>, own: Pair) -> Result<Extracted, Unresolved> {
    let mut shares = false;
    for name in ["editPermissions", "sharePermissions"] {
        shares |= match member(reading, name)? {
            None => false,
            Some(Json::Array(items)) => !items.is_empty(),
            Some(_) => return Err(Unresolved::new(format!("expected `{name}` as a list"))),
        };
    }
    if !shares {
        return Ok(Extracted::pairs(vec![own]));
    }
    let pairs = vec![own, pair(Action::CreateSharedObjects, SITE)];
    Ok(Extracted::pairs(pairs).sending_to(Audience::Org))
}

fn id(reading: &Reading<'_>, kind: &str) -> Result<String, Unresolved> {
    number(reading.path("id"))
        .map(|id| format!("{kind}:{id}"))
        .ok_or_else(|| Unresolved::new("expected a number as `id`"))
}
