//! One configured site: finds the user, then reads what the rules ask for until they decide.
//!
//! The only file that knows both the rules and the network, and it decides nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolpass_core::decision::Decision;
use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_http::budget::Context;
use toolpass_integration::answers::settle;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::Config;
use crate::identity::Identities;
use crate::pointer;
use crate::probe;
use crate::rules::{self, Question};
use crate::upstream::site::Site;

/// One site of Jira.
pub struct Jira {
    config: Config,
    site: Site,
    identities: Identities,
    pointers: FillCache<Pointer, Option<Resource>>,
}

impl Connection for Jira {
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
                |reads| self.site.read_all(ctx, reads),
                |answers| rules::decide(&question, answers),
            )
            .await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        probe::probe(ctx, &self.config, &self.site).boxed()
    }

    fn resolve<'a>(
        &'a self,
        ctx: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        let (site, wanted) = (self.site.clone(), pointer.clone());
        let fill = |ctx: Context| async move {
            let found = settle(
                |reads| site.read_all(&ctx, reads),
                |answers| pointer::target(&wanted, answers),
            )
            .await?;
            // What is not there may come to be; only what was found is remembered.
            Ok(match found {
                Some(resource) => Fill::Store(Some(resource), LOOKUP_LIFE),
                None => Fill::Pass(None),
            })
        };
        async { self.pointers.get(ctx, pointer, fill).await }.boxed()
    }
}

/// Connect by `config`. Makes no call.
/// Errors: an address that cannot be used.
pub fn connect(config: Config, parts: &Parts) -> Result<Arc<dyn Connection>, ConnectError> {
    let site = Site::new(&config, parts)?;
    Ok(Arc::new(Jira {
        identities: Identities::new(&config, &site),
        site,
        config,
        pointers: FillCache::new(CacheOptions::named("jira pointers")),
    }))
}

const LOOKUP_LIFE: Duration = Duration::from_secs(600);
