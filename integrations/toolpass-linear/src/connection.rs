//! One configured workspace: finds the user, then reads what the rules ask for until they decide.
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
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request, Visibility};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::{AuthMode, Config};
use crate::resource::Target;
use crate::rules::known::Known;
use crate::rules::{self, Question};
use crate::upstream::linear::Linear;
use crate::{identity, pointer, probe};

/// One workspace.
pub struct Workspace {
    linear: Linear,
    auth: AuthMode,
    pointers: FillCache<Pointer, Option<Resource>>,
    visibilities: FillCache<String, Option<Visibility>>,
}

impl Workspace {
    /// Connect by `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: &Config, parts: &Parts) -> Result<Workspace, ConnectError> {
        Ok(Workspace {
            linear: Linear::new(config, parts)?,
            auth: config.auth,
            pointers: FillCache::new(CacheOptions::named("linear pointers")),
            visibilities: FillCache::new(CacheOptions::named("linear visibilities")),
        })
    }
}

impl Connection for Workspace {
    fn identify<'a>(
        &'a self,
        ctx: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        identity::find(ctx, &self.linear, &person.user).boxed()
    }

    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        async {
            let question = Question::read(request)?;
            settle(
                |reads| self.linear.read_all(ctx, reads),
                |answers| rules::decide(&question, answers),
            )
            .await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        probe::probe(ctx, &self.linear, self.auth).boxed()
    }

    fn resolve<'a>(
        &'a self,
        ctx: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        let (linear, wanted) = (self.linear.clone(), pointer.clone());
        let fill = |ctx: Context| async move {
            let found = settle(
                |reads| linear.read_all(&ctx, reads),
                |answers| pointer::target(&wanted, answers),
            )
            .await?;
            // What is not there may come to be; only what was found is remembered.
            Ok(match found {
                Some(resource) => Fill::Store(Some(resource), POINTER_LIFE),
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
            let target = Target::read(resource)?;
            let linear = self.linear.clone();
            let fill = |ctx: Context| async move {
                let word = settle(
                    |reads| linear.read_all(&ctx, reads),
                    |answers| {
                        let known = Known::new(answers);
                        Ok(match &target {
                            Target::Team(name) => known.team(name)?.visibility,
                            Target::Issue(name) => known.issue(name)?.team.visibility,
                            Target::Project(_) | Target::Thing(..) | Target::Workspace => None,
                        })
                    },
                )
                .await?;
                let visibility = match word.as_deref() {
                    Some("public") => Some(Visibility::Internal),
                    Some("private" | "restricted") => Some(Visibility::Private),
                    Some(_) | None => None,
                };
                Ok(Fill::Store(visibility, VISIBILITY_LIFE))
            };
            self.visibilities
                .get(ctx, &resource.as_str().to_owned(), fill)
                .await
        }
        .boxed()
    }
}

/// Shared with the registration: build a connection from validated settings.
pub(crate) fn connect(config: &Config, parts: &Parts) -> Result<Arc<dyn Connection>, ConnectError> {
    Ok(Arc::new(Workspace::new(config, parts)?))
}

const POINTER_LIFE: Duration = Duration::from_secs(60);
const VISIBILITY_LIFE: Duration = Duration::from_secs(600);
