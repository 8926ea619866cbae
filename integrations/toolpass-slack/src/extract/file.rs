//! Files, canvases and lists: which one, where it is shared, and who is let edit.
//!
//! Source: docs.slack.dev/reference/methods, the families `files`, `canvases`, `slackLists`; read 2026-11-30.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::message::said;
use super::{
    Place, agents_own, argument, list, on_channel, on_team, on_workspace, pair, places, required,
    sender,
};
use crate::actions::Action;
use crate::facts;
use crate::resource::{FileId, UserId};

/// Files become visible: in every place that is named, by whatever argument; without one to nobody yet.
pub fn upload(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let places = places(reading)?;
    if argument(reading, "thread_ts")?.is_some() && places.len() != 1 {
        return Err(Unresolved::new("a thread is in one channel"));
    }
    if places.is_empty() {
        return Ok(Extracted::pairs(vec![on_workspace(Action::UserActive)]));
    }
    let pairs = places.iter().map(|place| place.pair(Action::FileUpload));
    said(reading, pairs.collect())
}

/// A file that is kept elsewhere is shown in channels.
pub fn share(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let places = places(reading)?;
    if places.is_empty() {
        return Err(Unresolved::new("the request names no channel"));
    }
    let mut pairs = vec![kept_elsewhere(reading)?];
    pairs.extend(places.iter().map(|place| place.pair(Action::FileUpload)));
    Ok(Extracted::pairs(pairs))
}

/// `file`, for the row's own pair.
pub fn one(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    named(reading, "file")
}

/// `canvas_id`, likewise.
pub fn canvas(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    named(reading, "canvas_id")
}

/// `list_id`, likewise.
pub fn in_list(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    named(reading, "list_id")
}

/// `id`, which is a list.
pub fn list_itself(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    named(reading, "id")
}

/// A file kept elsewhere.
pub fn remote(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(Extracted::pairs(vec![kept_elsewhere(reading)?]))
}

/// That the file may be seen; by the id of the app's own system it is the app's.
fn kept_elsewhere(reading: &Reading<'_>) -> Result<Pair, Unresolved> {
    match (
        argument(reading, "external_id")?,
        argument(reading, "file")?,
    ) {
        (Some(_), Some(_)) => Err(Unresolved::new("the request names a file in two ways")),
        (Some(_), None) => Ok(agents_own()),
        (None, _) => on_file(Action::FileView, &required(reading, "file")?),
    }
}

/// Reactions to a message, or to a file.
pub fn reactions(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    if argument(reading, "file")?.is_none() {
        return super::channel::reaction(reading);
    }
    sender(reading)?;
    if argument(reading, "file_comment")?.is_some() || !places(reading)?.is_empty() {
        return Err(Unresolved::new("the request is about several things"));
    }
    Ok(Extracted::pairs(vec![on_file(
        Action::FileView,
        &required(reading, "file")?,
    )?]))
}

/// Who may see or edit a canvas.
pub fn canvas_access(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    access(reading, Action::CanvasEdit, "canvas_id")
}

/// Who may see or edit a list.
pub fn list_access(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    access(reading, Action::ListEdit, "list_id")
}

/// A new list, which may be the copy of another.
pub fn list_create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let mut pairs = vec![on_team(reading, Action::WorkspaceMember)?];
    if let Some(id) = argument(reading, "copy_from_list_id")? {
        pairs.push(on_file(Action::FileView, &id)?);
    }
    Ok(Extracted::pairs(pairs))
}

/// The content of a private file, at an address that holds its workspace and its id.
pub fn content(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let id = reading
        .path("team_and_file")
        .split_once('-')
        .map(|(_, id)| id);
    let id = id
        .and_then(FileId::parse)
        .ok_or_else(|| Unresolved::new("the address holds no id of a file"))?;
    Ok(Extracted::fields([("file", id.to_string())]))
}

fn named(reading: &Reading<'_>, name: &'static str) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let id = required(reading, name)?;
    let id = FileId::parse(&id)
        .ok_or_else(|| Unresolved::new(format!("expected the id of a file as `{name}`")))?;
    Ok(Extracted::fields([("file", id.to_string())]))
}

fn access(reading: &Reading<'_>, action: Action, name: &str) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let mut edit = on_file(action, &required(reading, name)?)?;
    if argument(reading, "access_level")?.as_deref() == Some("owner") {
        edit = edit.fact(facts::OWNERSHIP, facts::SET);
    }
    let people = list(reading, "user_ids")?;
    if !people.iter().all(|id| UserId::parse(id).is_some()) {
        return Err(Unresolved::new("expected the ids of people as `user_ids`"));
    }
    if !people.is_empty() {
        edit = edit.fact(facts::SHARED_WITH, people.join(","));
    }
    let mut pairs = vec![edit];
    for place in places(reading)? {
        match place {
            Place::Channel(id) => pairs.push(on_channel(Action::ChannelMember, &id)),
            Place::Dm(_) => {
                return Err(Unresolved::new(
                    "expected the ids of channels as `channel_ids`",
                ));
            }
        }
    }
    Ok(Extracted::pairs(pairs))
}

fn on_file(action: Action, id: &str) -> Result<Pair, Unresolved> {
    FileId::parse(id)
        .map(|id| pair(action, format!("file:{id}")))
        .ok_or_else(|| Unresolved::new("expected the id of a file"))
}
