//! One configured system: who the user is there, and what they may do.

use std::collections::BTreeMap;

use futures_util::future::{BoxFuture, FutureExt};
use toolpass_core::clock::Wall;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Pointer};
use toolpass_core::resource::Resource;
use toolpass_core::user::{Groups, Token, User};
use toolpass_http::budget::Context;

use crate::failure::Failure;

/// The account a user resolved to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The vendor's id of it.
    pub id: String,
    /// What reasons show.
    pub display: String,
    /// What the rules need besides.
    pub attributes: BTreeMap<String, String>,
    /// Groups the system itself knows.
    pub groups: Vec<String>,
}

/// Who is asked about, before the system said who that is.
#[derive(Clone, Debug)]
pub struct Person {
    /// The user.
    pub user: User,
    /// The groups the caller sent.
    pub groups: Groups,
    /// The user's own ID token.
    pub token: Option<Token>,
}

/// A question that reached its connection: shape checked, identity resolved.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who is asked about.
    pub person: Person,
    /// The account.
    pub identity: Identity,
    /// The exact action string of the caller.
    pub action: String,
    /// The resource.
    pub resource: Resource,
    /// What an observed request said besides; empty in a plain check.
    pub facts: Facts,
}

/// What a probe found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// One line.
    pub summary: String,
    /// What an operator should change.
    pub warnings: Vec<String>,
}

pub use toolpass_core::resource::Visibility;

/// One configured system.
///
/// Every future is dropped when its caller gives up; none may assume that it runs to its end.
pub trait Connection: Send + Sync {
    /// Find the account of a user.
    /// Errors: `user_not_found`, `user_ambiguous`, or any other coded failure.
    fn identify<'a>(
        &'a self,
        ctx: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>>;

    /// Answer a question. Deny only on a positive no.
    fn check<'a>(
        &'a self,
        ctx: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>>;

    /// Verify the credential without a user.
    fn probe<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>>;

    /// When the system ends the credential, as it said last. Asks nothing; for operators, never for a decision.
    fn credential_ends(&self) -> Option<Wall> {
        None
    }

    /// The resource a pointer leads to; `None` when it leads nowhere.
    fn resolve<'a>(
        &'a self,
        ctx: &'a Context,
        pointer: &'a Pointer,
    ) -> BoxFuture<'a, Result<Option<Resource>, Failure>> {
        let _ = (ctx, pointer);
        async {
            Err(Failure::unsupported(
                "this integration looks nothing up by id",
            ))
        }
        .boxed()
    }

    /// Who can read a resource; `None` when that is not known. Never a decision.
    fn visibility<'a>(
        &'a self,
        ctx: &'a Context,
        resource: &'a Resource,
    ) -> BoxFuture<'a, Result<Option<Visibility>, Failure>> {
        let _ = (ctx, resource);
        async { Ok(None) }.boxed()
    }
}
