//! Methods about files, and where their bytes go.

use serde_json::{Value, json};

use super::call::{Answer, Call};
use super::render;
use super::world::{File, SlackWorld};
use crate::message::{Received, Reply};

/// Answer a method; `None` when it is of another family.
pub(super) fn route(call: &mut Call<'_>, method: &str) -> Option<Answer> {
    Some(match method {
        "files.completeUploadExternal" => complete(call),
        "files.delete" => delete(call),
        "files.getUploadURLExternal" => announce(call),
        "files.info" => info(call),
        _ => return None,
    })
}

/// The scopes a method needs.
pub(super) fn scopes(method: &str) -> &'static [&'static str] {
    match method {
        "files.info" => &["files:read"],
        "files.completeUploadExternal" | "files.delete" | "files.getUploadURLExternal" => {
            &["files:write"]
        }
        _ => &[],
    }
}

/// Take the bytes of an announced file: the address is the ticket, no token is looked at. `None` for any other path.
pub(super) fn upload(world: &mut SlackWorld, request: &Received) -> Option<Reply> {
    let id = request.path.strip_prefix(UPLOADS)?;
    let file = world.files.get_mut(id).filter(|file| file.is_pending);
    Some(match file {
        Some(file) => {
            file.size = request.body.len();
            let mut reply = Reply::empty(200);
            reply.body = format!("OK - {}", file.size).into();
            reply
        }
        None => Reply::empty(404),
    })
}

fn announce(call: &mut Call<'_>) -> Answer {
    let (name, user) = (call.need("filename")?, call.token.user.clone());
    call.need("length")?;
    let id = format!("F0MADE{:04}", call.next());
    let file = File {
        name,
        user,
        is_pending: true,
        ..File::default()
    };
    call.world.files.insert(id.clone(), file);
    Ok(json!({"file_id": id, "upload_url": format!("{}{UPLOADS}{id}", call.origin)}))
}

fn complete(call: &mut Call<'_>) -> Answer {
    let listed: Vec<Value> =
        serde_json::from_str(&call.need("files")?).map_err(|_| "invalid_arguments")?;
    let ids: Vec<String> = listed
        .iter()
        .filter_map(|file| Some(file.get("id")?.as_str()?.to_owned()))
        .collect();
    let named = [call.given("channel_id"), call.given("channels")];
    let channels: Vec<String> = named
        .into_iter()
        .flatten()
        .flat_map(|list| list.split(',').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    for channel in &channels {
        call.arguments.insert("channel".to_owned(), channel.clone());
        call.own_channel("channel")?;
    }
    let mut files = Vec::new();
    for id in ids {
        let file = call.world.files.get_mut(&id).ok_or("file_not_found")?;
        file.is_pending = false;
        file.channels.extend(channels.iter().cloned());
        let file = file.clone();
        files.push(render::file(call.world, &id, &file));
    }
    Ok(json!({"files": files}))
}

fn info(call: &Call<'_>) -> Answer {
    let id = call.given("file").ok_or("file_not_found")?;
    let file = call.world.files.get(&id).filter(|file| !file.is_pending);
    let file = file.ok_or("file_not_found")?;
    let is_seen = file.user == call.token.user
        || file.channels.iter().any(|id| {
            call.world
                .channels
                .get(id)
                .is_some_and(|channel| call.sees(channel))
        });
    match is_seen {
        true => Ok(json!({"file": render::file(call.world, &id, file)})),
        false => Err("file_not_found"),
    }
}

fn delete(call: &mut Call<'_>) -> Answer {
    let id = call.need("file")?;
    match call.world.files.remove(&id) {
        Some(_) => Ok(json!({})),
        None => Err("file_not_found"),
    }
}

const UPLOADS: &str = "/upload/v1/";
