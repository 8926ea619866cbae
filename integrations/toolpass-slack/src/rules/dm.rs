//! Rule 11.12: a direct message to somebody.
//!
//! Slack lets full members of a workspace write to each other, and a guest to who is in one of its channels.
//! Source: slack.com/help "Roles and permissions in Slack", "Guest roles in Slack"; docs.slack.dev `conversations.open`; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;

use super::known::{Known, Stop};
use super::standing::{self, Account, Standing};
use super::workspace::{allowed, denied};
use super::{Question, misplaced};
use crate::actions::Action;
use crate::resource::{Counterpart, UserId};
use crate::upstream::read::Read;

/// Decide a direct message.
pub fn decide(
    question: &Question,
    known: &Known,
    standing: &Standing,
    with: &Counterpart,
) -> Result<Decision, Stop> {
    if question.action != Action::DmPost {
        return Err(misplaced(question));
    }
    let other = match with {
        Counterpart::User(user) => user.clone(),
        Counterpart::Conversation(id) => {
            let record = known.direct(id)?;
            let is_between_two = record.is_im == Some(true);
            record
                .user
                .as_deref()
                .filter(|_| is_between_two)
                .and_then(UserId::parse)
                .ok_or_else(|| {
                    Stop::unsupported("Slack's record does not say with whom the conversation is")
                })?
        }
    };
    if other == question.user {
        return allowed(question, "is who the message goes to");
    }
    let account = standing::account(question, known, &other)?.ok_or_else(|| {
        Stop::new(
            Code::ResourceNotVisible,
            format!("our token does not see the account `{other}`"),
        )
    })?;
    let target = match account {
        Account::Active(target) => target,
        Account::Inactive(what) => {
            return denied(
                question,
                &format!("cannot write to `{other}`, which {what}"),
            );
        }
    };
    if standing.is_member() && target.is_member() {
        return allowed(
            question,
            "and who the message goes to are full members of the workspace",
        );
    }
    if standing.is_outside() || target.is_outside() {
        return Err(Stop::unsupported(
            "one of the two belongs to another organization; whether they may write to each other cannot be read",
        ));
    }
    match share_a_channel(known, &question.user, &other)? {
        true => allowed(question, "and who the message goes to are in one channel"),
        // A private channel without our bot is in neither list.
        false => Err(Stop::unsupported(
            "one of the two is a guest, or of another workspace, and our token sees no channel that both are in",
        )),
    }
}

fn share_a_channel(known: &Known, one: &UserId, other: &UserId) -> Result<bool, Stop> {
    known.all([
        Read::ConversationsOf(one.clone()),
        Read::ConversationsOf(other.clone()),
    ])?;
    let (Some(one), Some(other)) = (known.conversations_of(one)?, known.conversations_of(other)?)
    else {
        return Ok(false);
    };
    Ok(one
        .channels
        .iter()
        .any(|(id, _)| other.channels.iter().any(|(other, _)| other == id)))
}
