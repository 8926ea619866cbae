//! Whether the credential works, and what an operator should change about it.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Myself", "Permissions"; read 2026-12-01.

use toolpass_core::codes::Code;
use toolpass_core::quoted::clipped;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::connection::Probe;
use toolpass_integration::failure::Failure;

use crate::actions::{TABLE, is_permission_key};
use crate::config::{Auth, Config};
use crate::upstream::records::{people, permission};
use crate::upstream::site::Site;

/// Verify the credential without a user.
pub(crate) async fn probe(ctx: &Context, config: &Config, site: &Site) -> Result<Probe, Failure> {
    let myself = site.get(ctx, &["rest", "api", "3", "myself"], &[]).await;
    let myself = myself.map_err(|failure| hinted(failure, config))?;
    let account = people::candidate(Json::new(&myself))?;
    let id = account.account.filter(|id| !id.is_empty()).ok_or_else(|| {
        Failure::new(
            Code::CredentialRejected,
            "Jira takes our credential for nobody's",
        )
    })?;
    let held = site.get(
        ctx,
        &["rest", "api", "3", "mypermissions"],
        &[("permissions", "ADMINISTER,USER_PICKER")],
    );
    let held = people::own_permissions(Json::new(&held.await?))?;
    let mut warnings = Vec::new();
    for (key, name, without) in [
        (
            "ADMINISTER",
            "Administer Jira",
            "Jira answers no question about others",
        ),
        ("USER_PICKER", "Browse users and groups", "nobody is found"),
    ] {
        if !held.iter().any(|own| own == key) {
            warnings.push(format!(
                "the credential lacks {name}, without which {without}"
            ));
        }
    }
    let listed = site
        .get(ctx, &["rest", "api", "3", "permissions"], &[])
        .await?;
    let listed = permission::catalogue(Json::new(&listed))?;
    let keys = TABLE
        .iter()
        .map(|spec| spec.name)
        .filter(|name| is_permission_key(name));
    let unknown: Vec<&str> = keys.filter(|key| !listed.contains_key(*key)).collect();
    if !unknown.is_empty() {
        warnings.push(format!(
            "this site does not know {}; asked about, they stay unknown",
            unknown.join(", ")
        ));
    }
    Ok(Probe {
        summary: format!(
            "{} ({}) by {}",
            clipped(account.display.as_deref().unwrap_or("an account"), 64),
            clipped(&id, 64),
            config.auth.name()
        ),
        warnings,
    })
}

/// What to try when a scoped token is refused: Atlassian has two kinds, sent in two ways.
fn hinted(failure: Failure, config: &Config) -> Failure {
    let hint = match &config.auth {
        Auth::Scoped { username: None, .. } => "a person's scoped token needs `username`",
        Auth::Scoped {
            username: Some(_), ..
        } => "a service account's scoped token is sent without `username`",
        Auth::Basic { .. } | Auth::OAuthClient { .. } => return failure,
    };
    match failure.code() {
        Code::CredentialRejected => {
            Failure::new(failure.code(), format!("{}; {hint}", failure.text()))
        }
        _ => failure,
    }
}
