//! One configured organization: finds the user, then reads what the rules ask for until they decide.
//!
//! The only file that knows both the rules and the network, and it decides nothing.
//! INVARIANT: a check ends: every round reads something new, and there are at most [`MAX_READS`].

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolpass_core::decision::Decision;
use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_http::budget::Context;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request, Visibility};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::Config;
use crate::identity::Identities;
use crate::pointer;
use crate::probe;
use crate::resource::{Kind, Target};
use crate::rules::known::{Known, Stop};
use crate::rules::{self, Question};
use crate::upstream::github::Github;
use crate::upstream::read::Read;

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
            settle(ctx, &self.github, |known| rules::decide(&question, known)).await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        probe::probe(ctx, &self.config, &self.github, &self.identities).boxed()
    }

    fn resolve<'a>(
        &'a self,
        ctx: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        let (github, wanted) = (self.github.clone(), pointer.clone());
        let fill = |ctx: Context| async move {
            let found = settle(&ctx, &github, |known| {
                pointer::target(github.organization(), &wanted, known)
            })
            .await?;
            Ok(Fill::Store(found, LOOKUP_LIFE))
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
                let record = settle(&ctx, &github, |known| known.repository(&wanted)).await?;
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

/// Run a pure rule, read what it asks for, and run it again, until it ends.
async fn settle<T>(
    ctx: &Context,
    github: &Github,
    rule: impl Fn(&Known) -> Result<T, Stop>,
) -> Result<T, Failure> {
    let mut known = Known::default();
    loop {
        let wanted: Vec<Read> = match rule(&known) {
            Ok(end) => return Ok(end),
            Err(Stop::Missing(wanted)) => wanted,
            Err(Stop::Failed(failure)) => return Err(failure),
            // A rule that is asked for something else than a decision has no use for one.
            Err(Stop::Denied(text)) => return Err(Failure::unsupported(text)),
        };
        if wanted.is_empty() || known.count() + wanted.len() > MAX_READS {
            return Err(Failure::unsupported(
                "more would have to be read of GitHub than one check reads",
            ));
        }
        for (read, answer) in github.read_all(ctx, wanted).await {
            known.insert(read, answer);
        }
    }
}

/// Shared with the registration: build a connection from validated settings.
pub(crate) fn connect(config: Config, parts: &Parts) -> Result<Arc<dyn Connection>, ConnectError> {
    Ok(Arc::new(Organization::new(config, parts)?))
}

const LOOKUP_LIFE: Duration = Duration::from_secs(600);
const MAX_READS: usize = 64;
