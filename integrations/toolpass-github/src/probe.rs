//! Whether the credential works, and what an operator should change about it.
//!
//! Source: docs.github.com REST "Get the authenticated app", "Scopes for OAuth apps"; read 2026-11-30.

use std::time::Duration;

use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_integration::connection::Probe;
use toolpass_integration::failure::Failure;

use crate::config::{Config, IdentityMode};
use crate::identity::Identities;
use crate::upstream::app::App;
use crate::upstream::github::Github;

/// Verify the credential without a user.
pub(crate) async fn probe(
    ctx: &Context,
    config: &Config,
    github: &Github,
    identities: &Identities,
) -> Result<Probe, Failure> {
    let mut probe = match github.app() {
        Some(app) => probe_app(ctx, config, app).await?,
        None => probe_token(ctx, config, github).await?,
    };
    probe.warnings.extend(identities.probe(ctx, github).await);
    Ok(probe)
}

async fn probe_app(ctx: &Context, config: &Config, app: &App) -> Result<Probe, Failure> {
    let slug = app.slug(ctx).await?;
    let installation = app.installation(ctx).await?;
    let mut warnings = Vec::new();
    if app.configured().is_some_and(|id| id != installation.id) {
        warnings.push(format!(
            "`installation_id` is not the App's installation in `{}`, which is {}",
            config.organization, installation.id
        ));
    }
    for needed in ["metadata", "members"] {
        if !installation
            .permissions
            .iter()
            .any(|(name, _)| name == needed)
        {
            warnings.push(format!(
                "the App lacks `{needed}: read`, without which most checks stay unknown"
            ));
        }
    }
    for (name, level) in &installation.permissions {
        if level == "write" || level == "admin" {
            warnings.push(format!(
                "the App holds `{name}: {level}`; reading is enough"
            ));
        }
    }
    Ok(Probe {
        summary: format!("app {slug} installed in {}", config.organization),
        warnings,
    })
}

async fn probe_token(ctx: &Context, config: &Config, github: &Github) -> Result<Probe, Failure> {
    let organization = &config.organization;
    let response = github.get(ctx, ["orgs", organization.as_str()]).await?;
    if response.status == 404 {
        return Err(Failure::new(
            Code::CredentialRejected,
            format!("the token does not see the organization `{organization}`"),
        ));
    }
    response.json()?;
    let scopes = scopes(
        response
            .headers
            .get("x-oauth-scopes")
            .and_then(|value| value.to_str().ok()),
    );
    let ends = response
        .headers
        .get("github-authentication-token-expiration");
    let ends = ends.and_then(|value| ending(value.to_str().ok()?));
    github.note_token_end(ends);
    let mut warnings: Vec<String> = scopes.iter().filter_map(|scope| warning(scope)).collect();
    warnings.push(format!(
        "a token's own user needs write on every repository of `{organization}` that is asked about, or its permission look-ups answer 403; an App needs no more than Metadata"
    ));
    if matches!(config.identity, IdentityMode::Saml) {
        warnings.push("in mode `saml` only an organization owner's classic token sees identities; prefer an App".into());
    }
    let shown = if scopes.is_empty() {
        "no scopes shown".to_owned()
    } else {
        format!("scopes {}", scopes.join(" "))
    };
    Ok(Probe {
        summary: format!("token reads {organization}; {shown}"),
        warnings,
    })
}

/// The moment a token ends, as GitHub writes it: `2027-10-12 09:00:00 UTC`, or with an offset.
fn ending(text: &str) -> Option<Wall> {
    let text = text.replace(" UTC", " +0000");
    let read = jiff::fmt::strtime::parse("%Y-%m-%d %H:%M:%S %z", &text).ok()?;
    let seconds = read.to_timestamp().ok()?.as_second();
    Some(Wall(Duration::from_secs(u64::try_from(seconds).ok()?)))
}

/// The scopes GitHub names, in alphabetical order; none for tokens that have permissions instead.
fn scopes(header: Option<&str>) -> Vec<String> {
    let mut scopes: Vec<String> = header
        .unwrap_or_default()
        .split(',')
        .map(|scope| scope.trim().to_owned())
        .filter(|scope| !scope.is_empty())
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

/// What is wrong with a scope.
fn warning(scope: &str) -> Option<String> {
    match scope {
        "repo" | "public_repo" => Some(format!(
            "the scope `{scope}` is what a classic token needs to read repositories, and it writes them too; prefer an App"
        )),
        _ if READ_ONLY_SCOPES.contains(&scope) => None,
        _ => Some(format!(
            "the token holds the scope `{}`; reading is enough",
            toolpass_core::quoted::clipped(scope, 64)
        )),
    }
}

const READ_ONLY_SCOPES: &[&str] = &[
    "read:audit_log",
    "read:discussion",
    "read:enterprise",
    "read:org",
    "read:packages",
    "read:project",
    "read:user",
    "user:email",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_token_is_read() {
        for (text, expected) in [
            ("2027-10-12 09:00:00 UTC", Some(1_823_331_600)),
            ("2027-10-12 11:00:00 +0200", Some(1_823_331_600)),
            ("2027-10-12", None),
            ("1960-01-01 00:00:00 UTC", None),
            ("soon", None),
        ] {
            let read = ending(text).map(|at| at.0.as_secs());
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn scopes_are_sorted_and_judged() {
        let all = scopes(Some("repo, read:org,admin:org, ,repo"));
        assert_eq!(all, ["admin:org", "read:org", "repo"]);
        let warned: Vec<&String> = all
            .iter()
            .filter(|scope| warning(scope).is_some())
            .collect();
        assert_eq!(warned, ["admin:org", "repo"]);
        assert!(warning("repo").unwrap().contains("prefer an App"));
        assert!(scopes(None).is_empty());
        assert!(READ_ONLY_SCOPES.is_sorted());
    }
}
