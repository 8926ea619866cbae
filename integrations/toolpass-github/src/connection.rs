//! One configured organization: finds the user, then reads what the rules ask for until they decide.
//!
//! The only file that knows both the rules and the network, and it decides nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolpass_core::clock::Wall;
use toolpass_core::decision::Decision;
use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_http::budget::Context;
use toolpass_integration::answers::settle;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request, Visibility};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::Config;
use crate::identity::Identities;
use crate::pointer;
use crate::probe;
use crate::resource::{Kind, Target};
use crate::rules::known::Known;
use crate::rules::{self, Question};
use crate::upstream::github::Github;

/// One organization of one GitHub.
pub struct Organization {
    config: Config,
    github: Github,
    identities: Identities,
    pointers: FillCache<Pointer, Option<Resource>>,
    /// By `owner/name` in lower case.
    visibilities: FillCache<String, Option<Visibility>>,
}

impl Organization {
    /// Connect by `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: Config, parts: &Parts) -> Result<Organization, ConnectError> {
        let github = Github::new(&config, parts)?;
        let identities = Identities::new(&config, parts, &github)?;
        Ok(Organization {
            config,
            github,
            identities,
            pointers: FillCache::new(CacheOptions::named("github pointers")),
            visibilities: FillCache::new(CacheOptions::named("github visibilities")),
        })
    }
}

impl Connection for Organization {
    fn identify<'a>(
        &'a self,
        ctx: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        self.identities.find(ctx, &person.user).boxed()
    }

    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        async {
            let question = Question::read(&self.config, request)?;
            settle(
                |reads| self.github.read_all(ctx, reads),
                |answers| rules::decide(&question, answers),
            )
            .await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        probe::probe(ctx, &self.config, &self.github, &self.identities).boxed()
    }

    fn credential_ends(&self) -> Option<Wall> {
        self.github.token_ends()
    }

    fn resolve<'a>(
        &'a self,
        ctx: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        let (github, wanted) = (self.github.clone(), pointer.clone());
        let fill = |ctx: Context| async move {
            let found = settle(
                |reads| github.read_all(&ctx, reads),
                |answers| pointer::target(github.organization(), &wanted, answers),
            )
            .await?;
            // What is not there may come to be; only a name that was found is remembered.
            Ok(match found {
                Some(resource) => Fill::Store(Some(resource), LOOKUP_LIFE),
                None => Fill::Pass(None),
            })
        };
        async { self.pointers.get(ctx, pointer, fill).await }.boxed()
    }

    fn visibility<'a>(
        &'a self,
        ctx: &'a Context,
        resource: &'a Resource,
    ) -> BoxFuture<'a, Result<Option<Visibility>, Failure>> {
        async {
            let Target::Repo(repo, _) = Target::read(&self.config.organization, resource)? else {
                return Ok(None);
            };
            let (github, wanted) = (self.github.clone(), repo.clone());
            let fill = |ctx: Context| async move {
                let record = settle(
                    |reads| github.read_all(&ctx, reads),
                    |answers| Known::new(answers).repository(&wanted),
                )
                .await?;
                let kind = record.visibility.as_deref().and_then(Kind::parse);
                let visibility = match (kind, record.private) {
                    (Some(Kind::Public), _) | (None, Some(false)) => Some(Visibility::Public),
                    (Some(Kind::Internal), _) => Some(Visibility::Internal),
                    (Some(Kind::Private), _) | (None, Some(true)) => Some(Visibility::Private),
                    (None, None) => None,
                };
                Ok(Fill::Store(visibility, LOOKUP_LIFE))
            };
            self.visibilities
                .get(ctx, &repo.to_string().to_ascii_lowercase(), fill)
                .await
        }
        .boxed()
    }
}

/// Shared with the registration: build a connection from validated settings.
pub(crate) fn connect(config: Config, parts: &Parts) -> Result<Arc<dyn Connection>, ConnectError> {
    Ok(Arc::new(Organization::new(config, parts)?))
}

const LOOKUP_LIFE: Duration = Duration::from_secs(600);
