//! One configured workspace: finds the user, then reads what the rules ask for until they decide.
//!
//! The only file that knows both the rules and the network, and it decides nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolpass_core::decision::Decision;
use toolpass_core::resource::Resource;
use toolpass_http::budget::Context;
use toolpass_integration::answers::settle;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request, Visibility};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::Config;
use crate::identity;
use crate::probe;
use crate::resource::{ChannelId, Target};
use crate::rules::known::Known;
use crate::rules::{self, Question};
use crate::upstream::slack::Slack;

/// One workspace.
pub struct Workspace {
    config: Config,
    slack: Slack,
    visibilities: FillCache<ChannelId, Option<Visibility>>,
}

impl Workspace {
    /// Connect by `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: Config, parts: &Parts) -> Result<Workspace, ConnectError> {
        Ok(Workspace {
            slack: Slack::new(&config, parts)?,
            config,
            visibilities: FillCache::new(CacheOptions::named("slack visibilities")),
        })
    }
}

impl Connection for Workspace {
    fn identify<'a>(
        &'a self,
        ctx: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        identity::find(ctx, &self.slack, &person.user).boxed()
    }

    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        async {
            let question = Question::read(&self.config, request)?;
            settle(
                |reads| self.slack.read_all(ctx, reads),
                |answers| rules::decide(&question, answers),
            )
            .await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        probe::probe(ctx, &self.config, &self.slack).boxed()
    }

    /// A public channel is read by everybody of the workspace, a private one by its members. Of one that another organization shares
    /// too, neither is wider than that.
    fn visibility<'a>(
        &'a self,
        ctx: &'a Context,
        resource: &'a Resource,
    ) -> BoxFuture<'a, Result<Option<Visibility>, Failure>> {
        async {
            let id = match Target::read(resource)? {
                Target::Channel(id) => id,
                Target::Dm(_) => return Ok(Some(Visibility::Private)),
                Target::File(_) | Target::Usergroup(_) | Target::Workspace => return Ok(None),
            };
            let (slack, wanted) = (self.slack.clone(), id.clone());
            let fill = |ctx: Context| async move {
                let record = settle(
                    |reads| slack.read_all(&ctx, reads),
                    |answers| Known::new(answers).channel(&wanted),
                )
                .await?;
                let visibility = record.is_private.map(|is_private| match is_private {
                    true => Visibility::Private,
                    false => Visibility::Internal,
                });
                Ok(Fill::Store(visibility, LOOKUP_LIFE))
            };
            self.visibilities.get(ctx, &id, fill).await
        }
        .boxed()
    }
}

/// Shared with the registration: build a connection from validated settings.
pub(crate) fn connect(config: Config, parts: &Parts) -> Result<Arc<dyn Connection>, ConnectError> {
    Ok(Arc::new(Workspace::new(config, parts)?))
}

const LOOKUP_LIFE: Duration = Duration::from_secs(600);
