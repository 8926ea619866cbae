//! Who the user is in the system asked about.
//!
//! An account that is in use is looked up again before it expires, so that nobody waits for it.
//!
//! Kept per connection, user, groups and token: also that there is no such account, or not one, for a shorter time. Other
//! failures are not kept.

use std::sync::Arc;
use std::time::Duration;

use toolpass_core::codes::Code;
use toolpass_core::question::Freshness;
use toolpass_core::quoted::Quoted;
use toolpass_http::budget::Context;
use toolpass_integration::cache::{Fill, FillCache, Got, Origin};
use toolpass_integration::connection::{Identity, Person};
use toolpass_integration::crash::{Crash, caught};
use toolpass_integration::failure::Failure;
use tracing::instrument::WithSubscriber;

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
    let began = ctx.now();
    let got = wired
        .identities
        .fetch(ctx, &key, move |ctx| async move {
            look_up(&connection, &ctx, &asked).await
        })
        .await;
    ctx.steps()
        .add("account", ctx.now().since(began), || noted(&got));
    let got = got?;
    if got.is_due && matches!(got.value, Known::Found(_)) {
        renew(wired, ctx, person, key);
    }
    match got.value {
        Known::Found(identity) => Ok(identity),
        Known::Crashed(failure) | Known::Missing(failure) => Err(failure),
    }
}

/// Look an account up again in the background, before it expires, because it is in use. Takes a turn like any check, so not while
/// the system is failing or asked to be left alone. When it fails, the account stays until it expires.
fn renew(wired: &Arc<Wired>, ctx: &Context, person: &Person, key: Key) {
    let (wired, person) = (Arc::clone(wired), person.clone());
    let now = Freshness {
        fresh: false,
        max_age: Some(Duration::ZERO),
    };
    let ctx = Context::new(Arc::clone(ctx.clock()), wired.timeout, now);
    let work = async move {
        let Ok(slot) = wired.limits.enter(&ctx).await else {
            return;
        };
        let connection = Arc::clone(&wired);
        let got = wired
            .identities
            .fetch(&ctx, &key, move |ctx| async move {
                look_up(&connection, &ctx, &person).await
            })
            .await;
        slot.tell(got.as_ref().err());
    };
    // Nobody waits for it; it ends within the connection's time.
    tokio::spawn(work.with_current_subscriber());
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

/// What an explanation says of a look-up.
fn noted(got: &Result<Got<Known>, Failure>) -> String {
    let Ok(got) = got else {
        return "not found out".to_owned();
    };
    let from = match got.origin {
        Origin::Cached => "stored",
        Origin::Own => "looked up",
        Origin::Shared => "looked up for another question",
    };
    match &got.value {
        Known::Found(identity) if identity.display.is_empty() => from.to_owned(),
        Known::Found(identity) => format!("{}, {from}", Quoted::new(&identity.display)),
        Known::Crashed(_) => "crashed".to_owned(),
        Known::Missing(failure) => format!("{}, {from}", failure.code()),
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
