//! Paths of the API server that are no resource: what it says of itself, and everything else it serves.
//!
//! Source: k8s.io/apiserver `endpoints/request/requestinfo.go`; kubernetes.io "Using RBAC Authorization" (API discovery roles); read
//! 2026-12-01.

use toolpass_wire::extract::{Extracted, Pair, Target};
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::impersonated;
use crate::resource::is_path;

/// What every authenticated user may read: discovery, schemas, health.
pub fn discovery(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match impersonated(reading)?.is_empty() {
        true => Ok(Extracted::default()),
        false => Err(Unresolved::new(
            "expected discovery under the agent's own name",
        )),
    }
}

/// Any other path: the method on the path.
/// Errors: [`Unresolved`] for a path of resources that no row knows, and for one of odd characters.
pub fn any(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let path = format!("/{}", reading.path("path"));
    let mut segments = path.split('/').skip(1);
    let is_api = match segments.next() {
        Some("api") => segments.count() > 1,
        Some("apis") => segments.count() > 2,
        Some(_) | None => false,
    };
    if is_api {
        return Err(Unresolved::new(
            "the path is one of resources, in a form that is not known",
        ));
    }
    if !is_path(&path) {
        return Err(Unresolved::new(
            "expected a path of letters, digits and `/ . _ ~ * -`",
        ));
    }
    let facts = impersonated(reading)?;
    Ok(Extracted::pairs(vec![Pair {
        action: Some(format!("raw:{}", reading.method().to_ascii_lowercase()).into()),
        target: Some(Target::Resource(format!("nonresource:{path}"))),
        effect: None,
        facts,
    }]))
}
