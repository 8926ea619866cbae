//! E-mail to account: `users.lookupByEmail`, and what came back held against what was asked.
//!
//! The roles an account has are not kept with the identity: they are read with each check (see `rules/standing`), because a
//! deactivation must be seen within a minute.
//! Source: docs.slack.dev/reference/methods/users.lookupByEmail; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::user::User;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::answers::Answer;
use toolpass_integration::connection::Identity;
use toolpass_integration::failure::Failure;

use crate::resource::UserId;
use crate::upstream::records;
use crate::upstream::slack::Slack;

/// The account of a user.
/// Errors: `user_not_found`; `credential_rejected` when the scope is missing; what the call failed with.
pub(crate) async fn find(ctx: &Context, slack: &Slack, user: &User) -> Result<Identity, Failure> {
    let email = user.as_str();
    let query = [("email", email.to_owned())];
    let answered = slack.method(ctx, "users.lookupByEmail", &query).await?;
    let body = match answered.answer {
        Answer::Body(body) => body,
        Answer::Failed(failure) => return Err(failure),
        Answer::Forbidden => return Err(missing_scope()),
        Answer::Missing { .. } => return Err(not_found()),
        Answer::Moved => return Err(unreadable()),
    };
    let record = records::user(Json::new(&body))?;
    let id = record
        .id
        .as_deref()
        .and_then(UserId::parse)
        .ok_or_else(unreadable)?;
    let found = record.email.as_deref().ok_or_else(unreadable)?;
    if !found.eq_ignore_ascii_case(email) {
        return Err(not_found());
    }
    let display = record
        .names
        .into_iter()
        .next()
        .unwrap_or_else(|| email.to_owned());
    Ok(Identity {
        id: id.to_string(),
        display,
        ..Identity::default()
    })
}

fn missing_scope() -> Failure {
    Failure::new(
        Code::CredentialRejected,
        "Slack refuses our token the look-up; grant `users:read` and `users:read.email`",
    )
}

fn not_found() -> Failure {
    Failure::new(
        Code::UserNotFound,
        "Slack knows nobody with this e-mail here",
    )
}

fn unreadable() -> Failure {
    Failure::new(
        Code::UpstreamError,
        "Slack's answer is no account with an id and an e-mail",
    )
}
