//! One configured system: what the engine asks, answered from its lists.

use futures_util::future::{BoxFuture, FutureExt, ready};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::http::budget::Context;

use crate::actions::Action;
use crate::config::Config;
use crate::resource::Thing;
use crate::{identity, rules};

/// One configured system.
#[derive(Debug)]
pub(crate) struct FakeConnection {
    config: Config,
}

impl FakeConnection {
    pub(crate) fn new(config: Config) -> FakeConnection {
        FakeConnection { config }
    }

    /// Errors: what the connection is set to fail with.
    fn reach(&self) -> Result<(), Failure> {
        match self.config.fail {
            Some(code) => Err(Failure::new(code, "this connection is set to fail")),
            None => Ok(()),
        }
    }

    fn decide(&self, request: &Request) -> Result<Decision, Failure> {
        self.reach()?;
        let unknown = || {
            Failure::new(
                Code::UnknownAction,
                "expected `thing.read`, `thing.write` or `thing.admin`",
            )
        };
        let action = Action::parse(&request.action).ok_or_else(unknown)?;
        let thing = Thing::read(&request.resource)?;
        rules::decide(&self.config, &request.identity, action, thing)
    }

    fn examine(&self) -> Result<Probe, Failure> {
        self.reach()?;
        let (users, admins) = (self.config.users.len(), self.config.admins.len());
        let nobody = users + admins == 0;
        let warning = "no `users` and no `admins`: nobody has an account here".to_owned();
        Ok(Probe {
            summary: format!("users: {users}, admins: {admins}"),
            warnings: nobody.then_some(warning).into_iter().collect(),
        })
    }
}

impl Connection for FakeConnection {
    fn identify<'a>(
        &'a self,
        _: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        ready(
            self.reach()
                .and_then(|()| identity::identify(&self.config, &person.user)),
        )
        .boxed()
    }

    fn check<'a>(
        &'a self,
        _: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        ready(self.decide(request)).boxed()
    }

    fn probe<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        ready(self.examine()).boxed()
    }
}
