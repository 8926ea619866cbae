//! Channels: which one a call is about, who is let in, what other organizations get to see.
//!
//! Source: docs.slack.dev/reference/methods, the families `conversations`, `bookmarks`, `pins`, `reactions`, `workflows`; read 2026-11-30.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::{Field, Unresolved};
use toolpass_wire::reading::Reading;

use super::{
    Place, agents_own, argument, in_team, is_json, is_true, list, narrowing, on_channel, on_team,
    on_workspace, one_channel, pair, places, required, sender, some_channel,
};
use crate::actions::Action;
use crate::facts;
use crate::resource::{Counterpart, GroupId, UserId};

/// The one channel, for the row's own pair.
pub fn one(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(Extracted::fields([(
        "channel",
        one_channel(reading)?.to_string(),
    )]))
}

/// Each of several channels is read.
pub fn each_read(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let places = places(reading)?;
    if places.is_empty() {
        return Err(Unresolved::new("the request names no channel"));
    }
    let pairs = places.iter().map(|place| match place {
        Place::Channel(id) => Ok(on_channel(Action::ChannelRead, id)),
        Place::Dm(_) => Err(Unresolved::new(
            "the request is about a direct conversation",
        )),
    });
    Ok(Extracted::pairs(pairs.collect::<Result<_, _>>()?))
}

/// A listing of the agent's own that a channel narrows to what is in it.
pub fn narrowed(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let named = some_channel(reading)?;
    // It asks for less, so it must be what Slack reads.
    let counts = !is_json(reading) && narrowing(reading, "channel")?.is_some();
    Ok(Extracted::pairs(vec![match named.filter(|_| counts) {
        Some(id) => on_channel(Action::ChannelRead, &id),
        None => on_team(reading, Action::WorkspaceMember)?,
    }]))
}

/// A new channel.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(Extracted::pairs(vec![new_channel(reading)?]))
}

/// People are let in: each by id.
pub fn invite(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let people = list(reading, "users")?;
    if people.is_empty() || !people.iter().all(|id| UserId::parse(id).is_some()) {
        return Err(Unresolved::new("expected the ids of people as `users`"));
    }
    let channel = one_channel(reading)?.to_string();
    Ok(Extracted::fields([("channel", channel)]).fact(facts::INVITEES, people.join(",")))
}

/// A direct conversation: with each of some people, or one that exists.
pub fn open(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let people = list(reading, "users")?;
    let existing = argument(reading, "channel")?;
    let named = match (people.as_slice(), &existing) {
        ([], Some(id)) => std::slice::from_ref(id),
        (people, None) if !people.is_empty() => people,
        _ => return Err(Unresolved::new("expected either `users` or `channel`")),
    };
    let dm = |text: &String| match (Counterpart::parse(text), existing.is_some()) {
        (Some(with @ Counterpart::Conversation(_)), true)
        | (Some(with @ Counterpart::User(_)), false) => Ok(Place::Dm(with).pair(Action::DmPost)),
        (_, _) => Err(Unresolved::new(
            "expected the ids of people as `users`, or of a direct conversation as `channel`",
        )),
    };
    Ok(Extracted::pairs(
        named.iter().map(dm).collect::<Result<_, _>>()?,
    ))
}

/// Somebody of another organization is asked in.
pub fn invite_shared(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(Extracted::pairs(vec![
        on_channel(Action::ChannelMember, &one_channel(reading)?),
        on_workspace(Action::ConnectManage),
    ]))
}

/// What another organization may do in a channel.
pub fn shared(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(Extracted::pairs(vec![
        on_channel(Action::ChannelManage, &one_channel(reading)?),
        on_workspace(Action::ConnectManage),
    ]))
}

/// An invitation of another organization is taken: a channel comes to be, or one becomes shared.
pub fn accept_shared(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let channel = match some_channel(reading)? {
        Some(id) => on_channel(Action::ChannelManage, &id),
        None => new_channel(reading)?,
    };
    let connect = on_team(reading, Action::ConnectManage)?;
    Ok(Extracted::pairs(vec![connect, channel]))
}

/// An invitation is answered; its channel may be named.
pub fn answer_shared(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let mut pairs = vec![on_team(reading, Action::ConnectManage)?];
    pairs.extend(some_channel(reading)?.map(|id| on_channel(Action::ChannelManage, &id)));
    Ok(Extracted::pairs(pairs))
}

/// A reaction to a message: one to a file is in no one channel.
pub fn reaction(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    for name in ["file", "file_comment"] {
        if argument(reading, name)?.is_some() {
            return Err(Unresolved::new(format!(
                "a reaction to `{name}` is in no one channel"
            )));
        }
    }
    one(reading)
}

/// A canvas, in a channel when one is named.
pub fn canvas(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(Extracted::pairs(vec![match some_channel(reading)? {
        Some(id) => on_channel(Action::ChannelMember, &id),
        None => on_workspace(Action::WorkspaceMember),
    }]))
}

/// Somebody's channels: the user's own; without `user` the agent's.
pub fn list_of(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let asked = match people_argument(reading)? {
        Some(user) => on_workspace(Action::UserActive).fact(facts::LISTS_OF, user),
        None => agents_own(),
    };
    Ok(Extracted::pairs(vec![asked]))
}

/// User groups: with the channels that their members are put into.
pub fn usergroup(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let target = match argument(reading, "usergroup")? {
        Some(id) => GroupId::parse(&id)
            .map(|id| format!("usergroup:{id}"))
            .ok_or_else(|| Unresolved::new("expected the id of a user group as `usergroup`"))?,
        None => "workspace".to_owned(),
    };
    let mut pairs = vec![in_team(reading, pair(Action::UsergroupManage, target))?];
    for text in [
        list(reading, "channels")?,
        list(reading, "additional_channels")?,
    ]
    .concat()
    {
        match Place::parse(&text)? {
            Place::Channel(id) => pairs.push(on_channel(Action::ChannelInvite, &id)),
            Place::Dm(_) => return Err(Unresolved::new("a user group is put into channels only")),
        }
    }
    Ok(Extracted::pairs(pairs))
}

/// `user`, from where Slack reads it.
fn people_argument(reading: &Reading<'_>) -> Result<Option<String>, Unresolved> {
    if is_json(reading) {
        return Err(Unresolved::new(
            "a JSON body, of which Slack reads nothing here",
        ));
    }
    let Some(text) = narrowing(reading, "user")? else {
        return Ok(None);
    };
    UserId::parse(&text)
        .map(|id| Some(id.to_string()))
        .ok_or_else(|| Unresolved::new("expected the id of a person as `user`"))
}

fn new_channel(reading: &Reading<'_>) -> Result<Pair, Unresolved> {
    // Some may create private channels only, and public ones are seen by more.
    let is_private = is_true(reading, "is_private")? && narrowing(reading, "is_private")?.is_some();
    let action = if is_private {
        Action::ChannelCreatePrivate
    } else {
        Action::ChannelCreate
    };
    on_team(reading, action)
}

/// Whether `thread_ts` says something and the reply is not shown in the channel too.
pub(super) fn is_reply(reading: &Reading<'_>) -> Result<bool, Unresolved> {
    Ok(narrowing(reading, "thread_ts")?.is_some() && !is_true(reading, "reply_broadcast")?)
}

/// What an assistant does where somebody talks to it: in a direct conversation, or in a thread of a channel.
pub fn assistant(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let action = match is_reply(reading)? {
        true => Action::MessagePostThread,
        false => Action::ChannelMember,
    };
    let place = Place::parse(&required(reading, "channel_id")?)?;
    others(reading, "channel_id")?;
    Ok(Extracted::pairs(vec![place.pair(action)]))
}

/// The name of a session is the name of its channel, unless it is a thread.
pub fn session_name(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let action = match is_reply(reading)? {
        true => Action::MessagePostThread,
        false => Action::ChannelManage,
    };
    let place = Place::parse(&required(reading, "channel_id")?)?;
    others(reading, "channel_id")?;
    Ok(Extracted::pairs(vec![place.pair(action)]))
}

/// No other argument names a place.
fn others(reading: &Reading<'_>, known: &str) -> Result<(), Unresolved> {
    let names = ["channel", "channel_id", "channels", "channel_ids"];
    let named = names
        .iter()
        .filter(|name| **name != known)
        .any(|name| reading.field(name) != Field::Absent);
    match named {
        true => Err(Unresolved::new("the request names several channels")),
        false => Ok(()),
    }
}
