//! Who the user is in the system asked about.
//!
//! Kept per connection, user, groups and token: also that there is no such account, or not one, for a shorter time. Other
//! failures are not kept.

use std::sync::Arc;

use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_integration::cache::{Fill, FillCache};
use toolpass_integration::connection::{Identity, Person};
use toolpass_integration::crash::{Crash, caught};
use toolpass_integration::failure::Failure;

use crate::engine::Wired;
use crate::key::{self, Key};

/// The cache of accounts.
pub(crate) type Identities = FillCache<Key, Known>;

/// What a look-up of an account came to.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// The integration crashed. Never stored.
    Crashed(Failure),
    /// The account.
    Found(Arc<Identity>),
    /// There is none, or not exactly one, or none can be asked for.
    Missing(Failure),
}

/// The account of a person.
/// Errors: the integration's failure, `upstream_timeout` when the budget ends.
pub(crate) async fn resolve(
    wired: &Arc<Wired>,
    ctx: &Context,
    person: &Person,
) -> Result<Arc<Identity>, Failure> {
    let key = key::identity(wired.index, person);
    let (connection, asked) = (Arc::clone(wired), person.clone());
    let known = wired
        .identities
        .get(ctx, &key, move |ctx| async move {
            look_up(&connection, &ctx, &asked).await
        })
        .await?;
    match known {
        Known::Found(identity) => Ok(identity),
        Known::Crashed(failure) | Known::Missing(failure) => Err(failure),
    }
}

async fn look_up(wired: &Wired, ctx: &Context, person: &Person) -> Result<Fill<Known>, Failure> {
    let token = person.token.as_ref();
    match caught(wired.connection.identify(ctx, person)).await {
        Ok(Ok(identity)) => Ok(Fill::Store(
            Known::Found(Arc::new(identity)),
            wired.lives.identity(token, ctx.wall()),
        )),
        Ok(Err(failure)) if is_knowledge(failure.code()) => Ok(Fill::Store(
            Known::Missing(failure),
            wired.lives.missing(token, ctx.wall()),
        )),
        Ok(Err(failure)) => Err(failure),
        Err(crash) => Ok(Fill::Pass(Known::Crashed(logged(wired, crash)))),
    }
}

/// Log a crash, once, and make it a failure.
pub(crate) fn logged(wired: &Wired, crash: Crash) -> Failure {
    let (connection, integration, location) = (
        wired.id.as_str(),
        wired.integration.name(),
        crash.location(),
    );
    tracing::error!(connection, integration, location, "an integration crashed");
    crash.into()
}

/// Failures that are facts about the user or the deployment and stay true for a while.
fn is_knowledge(code: Code) -> bool {
    matches!(
        code,
        Code::NotConfigured | Code::UserAmbiguous | Code::UserNotFound
    )
}
