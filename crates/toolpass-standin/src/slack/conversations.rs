//! Methods about channels and direct conversations.

use serde_json::{Value, json};

use super::call::{Answer, Call};
use super::render;
use super::world::Channel;

/// Answer a method; `None` when it is of another family.
pub(super) fn route(call: &mut Call<'_>, method: &str) -> Option<Answer> {
    Some(match method {
        "conversations.archive" => archive(call, true),
        "conversations.create" => create(call),
        "conversations.history" => history(call, None),
        "conversations.info" => info(call),
        "conversations.invite" => invite(call),
        "conversations.join" => join(call),
        "conversations.kick" => kick(call),
        "conversations.list" => list(call),
        "conversations.members" => members(call),
        "conversations.open" => open(call),
        "conversations.rename" => rename(call),
        "conversations.replies" => {
            let thread = call.given("ts").unwrap_or_default();
            history(call, Some(thread))
        }
        "conversations.setTopic" => topic(call),
        "conversations.unarchive" => archive(call, false),
        "users.conversations" => of_user(call),
        _ => return None,
    })
}

/// The scopes a method needs.
pub(super) fn scopes(method: &str) -> &'static [&'static str] {
    match method {
        "conversations.info"
        | "conversations.list"
        | "conversations.members"
        | "users.conversations" => &["channels:read"],
        "conversations.history" | "conversations.replies" => &["channels:history"],
        "conversations.join" => &["channels:join"],
        "conversations.open" => &["im:write"],
        name if name.starts_with("conversations.") => &["channels:manage"],
        _ => &[],
    }
}

fn info(call: &mut Call<'_>) -> Answer {
    let (with_count, token) = (call.flag("include_num_members"), call.token.clone());
    let (id, channel) = call.channel("channel")?;
    let mut body = render::channel(&id, channel, &token);
    if with_count {
        crate::message::set(&mut body, "num_members", json!(channel.members.len()));
    }
    Ok(json!({"channel": body}))
}

fn members(call: &mut Call<'_>) -> Answer {
    let (_, channel) = call.channel("channel")?;
    let members = channel.members.iter().map(|member| json!(member)).collect();
    call.page("members", members)
}

fn list(call: &Call<'_>) -> Answer {
    let entries = entries(call, |_| true);
    call.page("channels", entries)
}

fn of_user(call: &Call<'_>) -> Answer {
    let user = call
        .given("user")
        .unwrap_or_else(|| call.token.user.clone());
    if !call.world.users.contains_key(&user) {
        return Err("user_not_found");
    }
    let entries = entries(call, |channel| channel.members.contains(&user));
    call.page("channels", entries)
}

/// The conversations the token's account sees, of the types that are asked for.
fn entries(call: &Call<'_>, wanted: impl Fn(&Channel) -> bool) -> Vec<Value> {
    let types = call
        .given("types")
        .unwrap_or_else(|| "public_channel".to_owned());
    let kind = |channel: &Channel| match (channel.is_im, channel.is_private) {
        (true, _) => "im",
        (false, true) => "private_channel",
        (false, false) => "public_channel",
    };
    let skips_archived = call.flag("exclude_archived");
    let shown = |channel: &&Channel| {
        call.sees(channel)
            && types.split(',').any(|name| name.trim() == kind(channel))
            && !(skips_archived && channel.is_archived)
            && wanted(channel)
    };
    let channels = call.world.channels.iter();
    channels
        .filter(|(_, channel)| shown(channel))
        .map(|(id, channel)| render::entry(call.world, id, channel, &call.token))
        .collect()
}

fn history(call: &mut Call<'_>, thread: Option<String>) -> Answer {
    let (_, channel) = call.channel("channel")?;
    let wanted = channel.messages.iter().filter(|message| match &thread {
        None => message.thread_ts.is_none(),
        Some(thread) => message.ts == *thread || message.thread_ts.as_ref() == Some(thread),
    });
    let mut messages: Vec<Value> = wanted.map(render::message).collect();
    if thread.is_none() {
        messages.reverse(); // the newest first
    }
    call.page("messages", messages)
}

fn create(call: &mut Call<'_>) -> Answer {
    let (name, is_private) = (call.need("name")?, call.flag("is_private"));
    if call
        .world
        .channels
        .values()
        .any(|channel| channel.name == name)
    {
        return Err("name_taken");
    }
    let (id, creator) = (format!("C0MADE{:04}", call.next()), call.token.user.clone());
    let channel = Channel {
        name,
        is_private,
        members: [creator.clone()].into(),
        creator,
        ..Channel::default()
    };
    let body = render::channel(&id, &channel, &call.token);
    call.world.channels.insert(id, channel);
    Ok(json!({"channel": body}))
}

fn join(call: &mut Call<'_>) -> Answer {
    let token = call.token.clone();
    let (id, channel) = call.channel("channel")?;
    channel.members.insert(token.user.clone());
    Ok(json!({"channel": render::channel(&id, channel, &token)}))
}

fn invite(call: &mut Call<'_>) -> Answer {
    let (users, token) = (call.need("users")?, call.token.clone());
    let (id, channel) = call.own_channel("channel")?;
    channel.members.extend(users.split(',').map(str::to_owned));
    Ok(json!({"channel": render::channel(&id, channel, &token)}))
}

fn kick(call: &mut Call<'_>) -> Answer {
    let user = call.need("user")?;
    let (_, channel) = call.own_channel("channel")?;
    match channel.members.remove(&user) {
        true => Ok(json!({})),
        false => Err("not_in_channel"),
    }
}

fn archive(call: &mut Call<'_>, archived: bool) -> Answer {
    let (_, channel) = call.channel("channel")?;
    match (channel.is_archived == archived, archived) {
        (true, true) => Err("already_archived"),
        (true, false) => Err("not_archived"),
        (false, _) => {
            channel.is_archived = archived;
            Ok(json!({}))
        }
    }
}

fn rename(call: &mut Call<'_>) -> Answer {
    let (name, token) = (call.need("name")?, call.token.clone());
    let (id, channel) = call.own_channel("channel")?;
    channel.name = name;
    Ok(json!({"channel": render::channel(&id, channel, &token)}))
}

fn topic(call: &mut Call<'_>) -> Answer {
    let (topic, token) = (call.need("topic")?, call.token.clone());
    let (id, channel) = call.own_channel("channel")?;
    channel.topic = topic;
    Ok(json!({"channel": render::channel(&id, channel, &token)}))
}

fn open(call: &mut Call<'_>) -> Answer {
    let other = call.need("users")?;
    if !call.world.users.contains_key(&other) {
        return Err("user_not_found");
    }
    let own = call.token.user.clone();
    let with = |channel: &Channel| {
        channel.is_im && channel.members.contains(&own) && channel.members.contains(&other)
    };
    let known = call
        .world
        .channels
        .iter()
        .find(|(_, channel)| with(channel))
        .map(|(id, _)| id.clone());
    let id = match known {
        Some(id) => id,
        None => {
            let id = format!("D0MADE{:04}", call.next());
            let channel = Channel {
                is_im: true,
                members: [own, other].into(),
                ..Channel::default()
            };
            call.world.channels.insert(id.clone(), channel);
            id
        }
    };
    Ok(json!({"channel": {"id": id}}))
}
