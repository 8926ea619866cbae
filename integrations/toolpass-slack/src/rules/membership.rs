//! Rule M: whether somebody is in a channel, and what the list of their channels says of it.
//!
//! Two lists say it: the members of the channel, cheap when they are few, and the channels of the person, which also carry who may post.
//! A private channel stands in either only when the bot is in it; without the bot it is not seen at all, so here both are exact.
//! Source: docs.slack.dev `users.conversations`, `conversations.members`; read 2026-11-30.

use super::known::{Known, Stop};
use crate::resource::{ChannelId, UserId};
use crate::upstream::records::{Channel, Properties};

/// Whether `user` is in a channel.
/// Errors: Slack lists neither to its end.
pub fn is_in(
    known: &Known,
    channel: &ChannelId,
    record: &Channel,
    user: &UserId,
) -> Result<bool, Stop> {
    match record.num_members {
        Some(count) if count <= FEW => is_among(known, channel, user),
        Some(_) | None => Ok(entry(known, channel, user)?.is_some()),
    }
}

/// The entry of a channel among those `user` is in; nothing when they are not. An entry may say who may post.
/// Errors: Slack lists neither these nor the channel's members to the end.
pub fn entry(
    known: &Known,
    channel: &ChannelId,
    user: &UserId,
) -> Result<Option<Option<Properties>>, Stop> {
    let Some(list) = known.conversations_of(user)? else {
        return Err(Stop::unsupported(
            "Slack does not list the channels of the account",
        ));
    };
    let found = list
        .channels
        .into_iter()
        .find(|(id, _)| id == channel.as_str());
    match found {
        Some((_, properties)) => Ok(Some(properties)),
        None if list.more => Ok(is_among(known, channel, user)?.then_some(None)),
        None => Ok(None),
    }
}

fn is_among(known: &Known, channel: &ChannelId, user: &UserId) -> Result<bool, Stop> {
    let list = known.members(channel)?;
    match list.members.iter().any(|member| member == user.as_str()) {
        true => Ok(true),
        false if list.more => Err(Stop::unsupported(
            "the channel has more members than are read for one check",
        )),
        false => Ok(false),
    }
}

/// A page of members: one call.
const FEW: u64 = 1000;
