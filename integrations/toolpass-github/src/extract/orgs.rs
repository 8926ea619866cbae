//! Organizations: rights that owners hand on, and addresses that name an organization by number.
//!
//! Source: docs.github.com/rest/orgs; "Roles in an organization", "About custom organization roles"; read 2026-11-30.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::SET;
use crate::facts;

/// An owner's right that others may hold through a role that cannot be read.
pub fn delegable(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(facts::DELEGABLE, SET))
}

/// An organization by its login. Digits alone could be its number as well.
pub fn not_by_number(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    if reading.path("org").bytes().all(|b| b.is_ascii_digit()) {
        by_number(reading)
    } else {
        Ok(Extracted::default())
    }
}

/// An organization by its number.
pub fn by_number(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Err(Unresolved::new(
        "an organization by number, which GitHub does not look up; name it as `/orgs/{org}`",
    ))
}
