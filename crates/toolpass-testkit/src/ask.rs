//! A question as the engine puts it to a connection, in the words of a caller.
//!
//! Separate from the suites because every vendor's own tests ask too.

use std::sync::Arc;
use std::time::Duration;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::{Facts, Freshness};
use toolpass_core::resource::Resource;
use toolpass_core::user::{Groups, User};
use toolpass_http::budget::Context;
use toolpass_http::clock::SystemClock;
use toolpass_integration::connection::{Connection, Person, Request};
use toolpass_integration::failure::Failure;

/// A question.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The user's e-mail.
    pub user: &'a str,
    /// The action.
    pub action: &'a str,
    /// The resource.
    pub resource: &'a str,
}

/// Ask as the engine does: identity first, then the check.
/// Errors: the failure of either.
pub async fn ask(
    connection: &dyn Connection,
    ask: Ask<'_>,
    facts: Facts,
    budget: Duration,
) -> Result<Decision, Failure> {
    let ctx = context(budget);
    let resource =
        Resource::parse(ask.resource).map_err(|error| Failure::invalid(error.to_string()))?;
    let person = person(ask.user)?;
    let identity = connection.identify(&ctx, &person).await?;
    let request = Request {
        person,
        identity,
        action: ask.action.to_owned(),
        resource,
        facts,
    };
    connection.check(&ctx, &request).await
}

/// The same, and a failure as the decision it becomes.
pub async fn decide(
    connection: &dyn Connection,
    question: Ask<'_>,
    facts: Facts,
    budget: Duration,
) -> Decision {
    ask(connection, question, facts, budget)
        .await
        .unwrap_or_else(|failure| Decision::new(failure.code(), failure.text()))
}

/// The id of the account behind an e-mail.
/// Errors: the code of the failure.
pub async fn identify(
    connection: &dyn Connection,
    email: &str,
    budget: Duration,
) -> Result<String, Code> {
    let person = person(email).map_err(|failure| failure.code())?;
    let found = connection.identify(&context(budget), &person).await;
    found
        .map(|identity| identity.id)
        .map_err(|failure| failure.code())
}

/// A context of this machine's clock.
pub fn context(budget: Duration) -> Context {
    Context::new(Arc::new(SystemClock), budget, Freshness::default())
}

/// Facts of a request.
pub fn facts(pairs: &[(&str, &str)]) -> Facts {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// A user of whom only the e-mail is known.
/// Errors: `invalid_request`.
pub fn person(email: &str) -> Result<Person, Failure> {
    Ok(Person {
        user: User::parse(email).map_err(|error| Failure::invalid(error.to_string()))?,
        groups: Groups::default(),
        token: None,
    })
}
