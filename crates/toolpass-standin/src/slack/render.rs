//! Objects as Slack writes them.

use serde_json::{Map, Value, json};

use super::world::{Account, Channel, File, Message, SlackWorld, Token};
use crate::message::set;

/// An account; its e-mail only for a token that may see it.
pub(super) fn user(world: &SlackWorld, id: &str, account: &Account, token: &Token) -> Value {
    let mut profile = json!({"real_name": account.real_name, "display_name": account.name});
    if token.scopes.contains("users:read.email") {
        set(&mut profile, "email", json!(account.email));
    }
    let mut user = json!({
        "id": id, "name": account.name, "real_name": account.real_name, "profile": profile,
        "team_id": account.team_id.as_ref().unwrap_or(&world.team.id),
        "deleted": account.deleted, "is_bot": account.is_bot, "is_app_user": false,
        "is_admin": account.is_admin, "is_owner": account.is_owner, "is_primary_owner": account.is_primary_owner,
        "is_restricted": account.is_restricted, "is_ultra_restricted": account.is_ultra_restricted,
    });
    // These two are only there when they are so.
    if account.is_invited_user {
        set(&mut user, "is_invited_user", json!(true));
    }
    if account.is_stranger {
        set(&mut user, "is_stranger", json!(true));
    }
    if let Some(enterprise) = &account.enterprise_user {
        set(&mut user, "enterprise_user", enterprise.clone());
    }
    user
}

/// A conversation.
pub(super) fn channel(id: &str, channel: &Channel, token: &Token) -> Value {
    if channel.is_im {
        let other = channel.members.iter().find(|member| **member != token.user);
        return json!({"id": id, "is_im": true, "is_mpim": false, "user": other});
    }
    let mut body = json!({
        "id": id, "name": channel.name, "creator": channel.creator,
        "is_channel": true, "is_group": false, "is_im": false, "is_mpim": false,
        "is_private": channel.is_private, "is_archived": channel.is_archived, "is_general": channel.is_general,
        "is_shared": channel.is_ext_shared || channel.is_org_shared,
        "is_ext_shared": channel.is_ext_shared, "is_org_shared": channel.is_org_shared,
        "is_member": channel.members.contains(&token.user), "topic": {"value": channel.topic},
    });
    for (name, value) in &channel.flags {
        set(&mut body, name, json!(value));
    }
    body
}

/// A conversation in a list, which says who may post.
pub(super) fn entry(world: &SlackWorld, id: &str, record: &Channel, token: &Token) -> Value {
    let mut body = channel(id, record, token);
    if let Value::Object(members) = &mut body {
        for name in record.flags.keys() {
            members.remove(name);
        }
    }
    if !world.hides_properties {
        let mut properties = Map::new();
        let rules = [
            ("posting_restricted_to", &record.posting_restricted_to),
            ("threads_restricted_to", &record.threads_restricted_to),
        ];
        for (name, rule) in rules {
            properties.extend(rule.clone().map(|rule| (name.to_owned(), rule)));
        }
        set(&mut body, "properties", Value::Object(properties));
    }
    body
}

/// A message.
pub(super) fn message(message: &Message) -> Value {
    let mut body =
        json!({"type": "message", "ts": message.ts, "user": message.user, "text": message.text});
    if let Some(thread) = &message.thread_ts {
        set(&mut body, "thread_ts", json!(thread));
    }
    body
}

/// A file.
pub(super) fn file(world: &SlackWorld, id: &str, file: &File) -> Value {
    let shared = |wanted: &dyn Fn(&Channel) -> bool| -> Vec<&String> {
        let there = |id: &&String| world.channels.get(*id).is_some_and(wanted);
        file.channels.iter().filter(there).collect()
    };
    json!({
        "id": id, "name": file.name, "title": file.name, "user": file.user, "size": file.size,
        "channels": shared(&|channel| !channel.is_private && !channel.is_im),
        "groups": shared(&|channel| channel.is_private && !channel.is_im),
        "ims": shared(&|channel| channel.is_im),
    })
}

/// A time that is the id of a message.
pub(super) fn ts(number: u64) -> String {
    format!("{}.{:06}", 1_764_547_200 + number, number)
}
