//! Identities a directory knows: of the organization's or the enterprise's single sign-on, or its members' verified e-mails.
//!
//! One look-up by user name first; whoever it does not find may be in the whole list, which is read at most every ten minutes
//! and serves fresh checks too, because it is too long to be read for each.
//! Source: GitHub's GraphQL schema: `Organization.samlIdentityProvider`, `EnterpriseOwnerInfo`, `User.organizationVerifiedDomainEmails`
//! (octokit/graphql-schema, 2026-07).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::failure::Failure;

use super::index::{self, Index, Page};
use crate::resource::Login;
use crate::upstream::failure::Asker;
use crate::upstream::github::Github;
use crate::upstream::graphql;

/// Who keeps the list.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The single sign-on of the enterprise of this slug.
    Enterprise(String),
    /// GitHub: members of this organization and their verified e-mails.
    Members(Login),
    /// The single sign-on of this organization.
    Organization(Login),
}

/// The list, and the way to ask it about one person.
pub(super) struct Directory {
    github: Github,
    source: Source,
    whole: FillCache<(), Arc<Index>>,
}

impl Directory {
    pub(super) fn new(github: Github, source: Source) -> Directory {
        let options = CacheOptions::named("github identities")
            .capacity(1)
            .fresh_max_age(LIST_LIFE);
        Directory {
            github,
            source,
            whole: FillCache::new(options),
        }
    }

    pub(super) async fn find(&self, ctx: &Context, email: &str) -> Result<Login, Failure> {
        if !matches!(self.source, Source::Members(_)) {
            let page = page(ctx, &self.github, &self.source, Some(email), FILTERED, None).await?;
            // What does not fit one page may hold somebody else with the same e-mail.
            if !page.has_next
                && let Some(login) = index::choose(&page.entries, email)?
            {
                return Ok(login);
            }
        }
        let (github, source) = (self.github.clone(), self.source.clone());
        let whole = self.whole.get(ctx, &(), |ctx| async move {
            Ok(Fill::Store(
                Arc::new(read_whole(&ctx, &github, &source).await?),
                LIST_LIFE,
            ))
        });
        whole.await?.find(email)
    }

    /// Whether the list can be read at all.
    pub(super) async fn probe(&self, ctx: &Context, github: &Github) -> Option<String> {
        match page(ctx, github, &self.source, None, FILTERED, None).await {
            Ok(_) => None,
            Err(failure) => Some(format!(
                "identities cannot be looked up ({})",
                failure.text()
            )),
        }
    }
}

async fn read_whole(ctx: &Context, github: &Github, source: &Source) -> Result<Index, Failure> {
    let mut index = Index::default();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = page(ctx, github, source, None, PAGE, cursor.as_deref()).await?;
        cursor = index.take(page);
        if cursor.is_none() {
            break;
        }
    }
    index.truncated |= cursor.is_some();
    if index.truncated {
        tracing::warn!(
            integration = "github",
            "the list of identities is longer than is read; those beyond it cannot be told"
        );
    }
    Ok(index)
}

async fn page(
    ctx: &Context,
    github: &Github,
    source: &Source,
    email: Option<&str>,
    first: u32,
    after: Option<&str>,
) -> Result<Page, Failure> {
    let (document, variables) = match source {
        Source::Enterprise(slug) => (
            graphql::ENTERPRISE_IDENTITIES,
            json!({"enterprise": slug, "first": first, "after": after, "email": email}),
        ),
        Source::Members(organization) => (
            graphql::MEMBERS,
            json!({"org": organization.as_str(), "first": first, "after": after}),
        ),
        Source::Organization(organization) => (
            graphql::ORGANIZATION_IDENTITIES,
            json!({"org": organization.as_str(), "first": first, "after": after, "email": email}),
        ),
    };
    let data = github.query(ctx, document, variables).await?;
    read(&data, source, github.asker())
}

/// Read an answer. What is null on the way says who must act.
fn read(data: &Value, source: &Source, asker: Asker) -> Result<Page, Failure> {
    let data = Json::new(data);
    match source {
        Source::Enterprise(slug) => {
            let info = data
                .member("enterprise")?
                .map(|enterprise| enterprise.member("ownerInfo"))
                .transpose()?
                .flatten();
            let info = info.ok_or_else(|| Failure::new(Code::NotConfigured, format!("the enterprise `{slug}` shows its identities to its owners' classic tokens with `read:enterprise` only")))?;
            let provider = match info.member("samlIdentityProvider")? {
                Some(provider) => Some(provider),
                None => info.member("oidcProvider")?,
            };
            let provider = provider.ok_or_else(|| no_provider("enterprise"))?;
            Ok(index::identities(provider.required("externalIdentities")?)?)
        }
        Source::Members(organization) => {
            let found = data
                .member("organization")?
                .ok_or_else(|| no_organization(organization, asker))?;
            Ok(index::members(found.required("membersWithRole")?)?)
        }
        Source::Organization(organization) => {
            let found = data
                .member("organization")?
                .ok_or_else(|| no_organization(organization, asker))?;
            let provider = found
                .member("samlIdentityProvider")?
                .ok_or_else(|| no_provider("organization"))?;
            Ok(index::identities(provider.required("externalIdentities")?)?)
        }
    }
}

fn no_organization(organization: &Login, asker: Asker) -> Failure {
    let code = match asker {
        Asker::App => Code::CredentialRejected,
        Asker::Token => Code::NotConfigured,
    };
    Failure::new(
        code,
        format!(
            "{} does not see the organization `{organization}` in GraphQL",
            asker.as_str()
        ),
    )
}

fn no_provider(whose: &str) -> Failure {
    Failure::new(
        Code::NotConfigured,
        format!(
            "the {whose} has no identity provider our credential sees; choose another `identity_mode`, or grant organization Members: read"
        ),
    )
}

const FILTERED: u32 = 5;
const LIST_LIFE: Duration = Duration::from_secs(600);
const MAX_PAGES: usize = 50;
const PAGE: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_say_who_must_act() {
        let acme = || Login::parse("acme").unwrap();
        let code =
            |data: Value, source: Source, asker| read(&data, &source, asker).unwrap_err().code();
        assert_eq!(
            code(
                json!({"organization": null}),
                Source::Organization(acme()),
                Asker::App
            ),
            Code::CredentialRejected
        );
        assert_eq!(
            code(
                json!({"organization": null}),
                Source::Members(acme()),
                Asker::Token
            ),
            Code::NotConfigured
        );
        assert_eq!(
            code(
                json!({"organization": {"samlIdentityProvider": null}}),
                Source::Organization(acme()),
                Asker::App
            ),
            Code::NotConfigured
        );
        assert_eq!(
            code(
                json!({"enterprise": {"ownerInfo": null}}),
                Source::Enterprise("e".into()),
                Asker::Token
            ),
            Code::NotConfigured
        );
        assert_eq!(
            code(
                json!({"enterprise": {"ownerInfo": {}}}),
                Source::Enterprise("e".into()),
                Asker::Token
            ),
            Code::NotConfigured
        );
        assert_eq!(
            code(
                json!({"organization": {"samlIdentityProvider": {}}}),
                Source::Organization(acme()),
                Asker::App
            ),
            Code::UpstreamError
        );
    }
}
