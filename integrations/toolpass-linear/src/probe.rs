//! Whether the credential works, and what an operator should change about it.
//!
//! Source: linear.app/developers "Graphql" (personal API keys and their permissions); the schema's `Query.viewer`; read 2026-12-01.

use serde_json::json;
use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::connection::Probe;
use toolpass_integration::failure::Failure;

use crate::config::AuthMode;
use crate::upstream::linear::Linear;
use crate::upstream::read::VIEWER;

/// Verify the credential without a user.
/// Errors: `credential_rejected` when it is nobody's.
pub(crate) async fn probe(
    ctx: &Context,
    linear: &Linear,
    auth: AuthMode,
) -> Result<Probe, Failure> {
    let nobody = || Failure::new(Code::CredentialRejected, "the credential is nobody's");
    let data = linear
        .query(ctx, VIEWER, json!({}))
        .await?
        .ok_or_else(nobody)?;
    let json = Json::new(&data);
    let viewer = json.member("viewer")?.ok_or_else(nobody)?;
    viewer.member("id")?.ok_or_else(nobody)?.string()?;
    let email = viewer.required("email")?.string()?;
    let workspace = json
        .required("organization")?
        .required("urlKey")?
        .string()?;
    let leads = viewer.required("admin")?.bool()? || viewer.required("owner")?.bool()?;
    let mut warnings = Vec::new();
    if !leads {
        warnings.push(
            "the credential's account neither owns nor administers the workspace; checks of private teams it has not joined stay unknown".to_owned(),
        );
    }
    if auth == AuthMode::ApiKey {
        warnings.push(
            "a personal key acts with the rights of its account unless it was restricted; the permission Read is enough".to_owned(),
        );
    }
    Ok(Probe {
        summary: format!(
            "{} in the workspace {}",
            toolpass_core::quoted::clipped(email, 254),
            toolpass_core::quoted::clipped(workspace, 100)
        ),
        warnings,
    })
}
