//! One configured cluster: names the user, then asks what the rules ask for until they decide.
//!
//! The only file that knows both the rules and the network, and it decides nothing. Nothing is kept here: the engine keeps decisions.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolpass_core::decision::Decision;
use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_http::budget::Context;
use toolpass_integration::answers::settle;
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::Config;
use crate::identity;
use crate::pointer;
use crate::probe;
use crate::rules::{self, Question};
use crate::upstream::Cluster;

/// One cluster, asked with one token.
pub struct Connected {
    config: Config,
    cluster: Cluster,
}

impl Connection for Connected {
    fn identify<'a>(
        &'a self,
        _: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        async {
            // The groups are made anew for each check: they come with the question and belong to no account.
            let found = identity::subject(&self.config.names, &person.user, &person.groups)?;
            Ok(Identity {
                display: found.user.clone(),
                id: found.user,
                ..Identity::default()
            })
        }
        .boxed()
    }

    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        async {
            let question = Question::read(&self.config.names, request)?;
            settle(
                |reads| self.cluster.read_all(ctx, reads),
                |answers| rules::decide(&question, answers),
            )
            .await
        }
        .boxed()
    }

    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        probe::probe(ctx, &self.cluster).boxed()
    }

    fn resolve<'a>(
        &'a self,
        ctx: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        async {
            settle(
                |reads| self.cluster.read_all(ctx, reads),
                |answers| pointer::target(pointer, answers),
            )
            .await
        }
        .boxed()
    }
}

/// Build a connection from validated settings. Makes no call.
pub(crate) fn connect(config: Config, parts: &Parts) -> Result<Arc<dyn Connection>, ConnectError> {
    let cluster = Cluster::new(&config, parts)?;
    Ok(Arc::new(Connected { config, cluster }))
}
