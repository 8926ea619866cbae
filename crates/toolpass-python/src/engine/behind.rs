//! The engine behind a `Toolpass`: in this process, or reached through a server. Both are asked alike.

use std::sync::Arc;
use std::time::Duration;

use toolpass_client::remote::{Remote, RemoteSettings};
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::{Resource, Visibility};
use toolpass_engine::caller::Caller;
use toolpass_engine::engine::{Engine, MAX_BATCH, TooMany};
use toolpass_http::transport::BuildError;
use toolpass_local::served::Served;

/// An engine.
#[derive(Clone)]
pub(crate) enum Behind {
    /// In this process.
    Here(Arc<Engine>),
    /// Behind a server.
    There(Arc<Served>),
}

impl Behind {
    /// An engine behind a server. No network is touched.
    /// Errors: certificates that are none.
    pub(super) fn server(settings: &RemoteSettings) -> Result<Behind, BuildError> {
        let remote = Remote::new(settings.clone(), super::clock())?;
        Ok(Behind::There(Arc::new(Served::new(remote, super::clock()))))
    }

    /// What is answered without anybody being asked.
    pub(crate) fn try_cached(&self, question: &Question) -> Option<Decision> {
        match self {
            Behind::Here(engine) => engine.try_cached(question),
            Behind::There(_) => None,
        }
    }

    /// The same of several questions, all or none.
    pub(crate) fn try_cached_many(&self, questions: &[Question]) -> Option<Vec<Decision>> {
        match self {
            Behind::Here(engine) => engine.try_cached_many(questions),
            Behind::There(_) => None,
        }
    }

    /// Answer a question.
    pub(crate) async fn check(&self, question: &Question) -> Decision {
        match self {
            Behind::Here(engine) => engine.check(question).await,
            Behind::There(served) => served.remote().check(question).await,
        }
    }

    /// Answer several questions at once, all within `patience`.
    /// Errors: there are too many.
    pub(crate) async fn check_many(
        &self,
        questions: &[Question],
        patience: Option<Duration>,
    ) -> Result<Vec<Decision>, TooMany> {
        match self {
            Behind::Here(engine) => {
                let caller = Caller {
                    patience,
                    ..Caller::default()
                };
                engine.check_many_for(questions, &caller).await
            }
            Behind::There(_) if questions.len() > MAX_BATCH => Err(TooMany(questions.len())),
            Behind::There(served) => Ok(served.remote().check_many(questions, patience).await),
        }
    }

    /// Look up where a pointer leads.
    /// Errors: why it cannot be said.
    pub(crate) async fn resolve(
        &self,
        connection: &str,
        pointer: &Pointer,
        freshness: Freshness,
    ) -> Result<Option<Resource>, Decision> {
        match self {
            Behind::Here(engine) => engine.resolve(connection, pointer, freshness).await,
            Behind::There(served) => {
                let remote = served.remote();
                remote.resolve(connection, pointer, freshness).await
            }
        }
    }

    /// Find out who can read a resource.
    /// Errors: why it cannot be said.
    pub(crate) async fn visibility(
        &self,
        connection: &str,
        resource: &Resource,
    ) -> Result<Option<Visibility>, Decision> {
        match self {
            Behind::Here(engine) => {
                let freshness = Freshness::default();
                engine.visibility(connection, resource, freshness).await
            }
            Behind::There(served) => served.remote().visibility(connection, resource).await,
        }
    }
}
