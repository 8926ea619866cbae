//! Methods about messages and reactions.

use serde_json::{Value, json};

use super::call::{Answer, Call};
use super::render;
use super::world::Message;

/// Answer a method; `None` when it is of another family.
pub(super) fn route(call: &mut Call<'_>, method: &str) -> Option<Answer> {
    Some(match method {
        "chat.delete" => delete(call),
        "chat.getPermalink" => permalink(call),
        "chat.postEphemeral" => call
            .own_channel("channel")
            .map(|_| json!({"message_ts": render::ts(0)})),
        "chat.meMessage" | "chat.postMessage" => post(call),
        "chat.update" => update(call),
        "pins.add" | "pins.remove" | "reactions.add" | "reactions.remove" => {
            call.own_channel("channel").map(|_| json!({}))
        }
        _ => return None,
    })
}

/// The scopes a method needs.
pub(super) fn scopes(method: &str) -> &'static [&'static str] {
    match method {
        "chat.getPermalink" => &[],
        name if name.starts_with("chat.") => &["chat:write"],
        "pins.add" | "pins.remove" => &["pins:write"],
        "reactions.add" | "reactions.remove" => &["reactions:write"],
        _ => &[],
    }
}

fn post(call: &mut Call<'_>) -> Answer {
    let text = call.given("text").or_else(|| call.given("markdown_text"));
    let has_more = ["attachments", "blocks"]
        .iter()
        .any(|name| call.given(name).is_some());
    if text.is_none() && !has_more {
        return Err("no_text");
    }
    // To a person: the direct conversation with them.
    if call
        .given("channel")
        .is_some_and(|channel| channel.starts_with('U'))
    {
        let user = call.given("channel").unwrap_or_default();
        call.arguments.insert("users".to_owned(), user);
        let opened = super::conversations::route(call, "conversations.open")
            .unwrap_or(Err("channel_not_found"))?;
        let id = opened
            .pointer("/channel/id")
            .and_then(Value::as_str)
            .unwrap_or_default();
        call.arguments.insert("channel".to_owned(), id.to_owned());
    }
    let (number, user, thread_ts) = (
        call.next(),
        call.token.user.clone(),
        call.given("thread_ts"),
    );
    let (id, channel) = call.own_channel("channel")?;
    let message = Message {
        ts: render::ts(number),
        user,
        text: text.unwrap_or_default(),
        thread_ts,
    };
    let body = render::message(&message);
    let ts = message.ts.clone();
    channel.messages.push(message);
    Ok(json!({"channel": id, "ts": ts, "message": body}))
}

fn update(call: &mut Call<'_>) -> Answer {
    let (ts, text, user) = (
        call.need("ts")?,
        call.given("text"),
        call.token.user.clone(),
    );
    let (id, channel) = call.own_channel("channel")?;
    let message = channel.messages.iter_mut().find(|message| message.ts == ts);
    let message = message.ok_or("message_not_found")?;
    if message.user != user {
        return Err("cant_update_message");
    }
    message.text = text.unwrap_or_default();
    Ok(json!({"channel": id, "ts": ts, "text": message.text}))
}

fn delete(call: &mut Call<'_>) -> Answer {
    let (ts, user) = (call.need("ts")?, call.token.user.clone());
    let (id, channel) = call.own_channel("channel")?;
    let at = channel.messages.iter().position(|message| message.ts == ts);
    let at = at.ok_or("message_not_found")?;
    if channel
        .messages
        .get(at)
        .is_none_or(|message| message.user != user)
    {
        return Err("cant_delete_message");
    }
    channel.messages.remove(at);
    Ok(json!({"channel": id, "ts": ts}))
}

fn permalink(call: &mut Call<'_>) -> Answer {
    let (ts, domain) = (call.need("message_ts")?, call.world.team.domain.clone());
    let (id, _) = call.channel("channel")?;
    let link = format!(
        "https://{domain}.slack.com/archives/{id}/p{}",
        ts.replace('.', "")
    );
    Ok(json!({"channel": id, "permalink": link}))
}
