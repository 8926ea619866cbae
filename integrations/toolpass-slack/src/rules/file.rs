//! Rules about a file, a canvas or a list: who sees it, who manages it, who edits it.
//!
//! A file is seen where it was shared. Who may edit a canvas or a list is set per channel and person, which no method shows.
//! Source: slack.com/help "Canvas access", "Manage files"; docs.slack.dev "File object", `files.info`; read 2026-11-30.

use toolpass_core::decision::Decision;

use super::channel;
use super::known::{Known, Stop};
use super::membership;
use super::standing::{self, Account, Held, Standing};
use super::workspace::{allowed, denied, elsewhere};
use super::{Question, misplaced};
use crate::actions::Action;
use crate::resource::{ChannelId, FileId};
use crate::upstream::read::Read;
use crate::upstream::records::File;

/// Decide a question about a file.
pub fn decide(
    question: &Question,
    known: &Known,
    standing: &Standing,
    id: &FileId,
) -> Result<Decision, Stop> {
    let record = known.file(id)?;
    shares(question, known)?;
    let is_own = record.user.as_deref() == Some(question.user.as_str());
    match question.action {
        Action::FileView | Action::FileManage | Action::CanvasEdit | Action::ListEdit if is_own => {
            allowed(question, &format!("owns the file `{id}`"))
        }
        Action::FileView => view(question, known, standing, &record),
        Action::FileManage => match standing.administers() {
            Held::Yes => allowed(question, "administers the workspace"),
            Held::Untold => Err(elsewhere(question)),
            Held::No => denied(question, &format!("does not own the file `{id}`")),
        },
        Action::CanvasEdit | Action::ListEdit => edit(question, known, &record),
        Action::UserActive
        | Action::WorkspaceMember
        | Action::WorkspaceAdmin
        | Action::OrgAdmin
        | Action::OrgOwner
        | Action::ConnectManage
        | Action::ChannelCreate
        | Action::ChannelCreatePrivate
        | Action::ChannelRead
        | Action::ChannelMember
        | Action::ChannelJoin
        | Action::ChannelTopic
        | Action::ChannelRename
        | Action::ChannelManage
        | Action::ChannelInvite
        | Action::ChannelKick
        | Action::ChannelArchive
        | Action::ChannelUnarchive
        | Action::MessagePost
        | Action::MessagePostThread
        | Action::FileUpload
        | Action::DmPost
        | Action::UsergroupMember
        | Action::UsergroupManage => Err(misplaced(question)),
    }
}

/// Whoever is let in must be of the workspace's own people: what others may be shown is kept elsewhere.
fn shares(question: &Question, known: &Known) -> Result<(), Stop> {
    known.all(question.said.shared_with.iter().cloned().map(Read::User))?;
    for person in &question.said.shared_with {
        let account = standing::account(question, known, person)?;
        let is_outside = match account {
            Some(Account::Active(standing)) => standing.is_outside(),
            Some(Account::Inactive(_)) => false,
            None => true,
        };
        if is_outside {
            return Err(Stop::unsupported(format!(
                "`{person}` is of another organization, or not shown; whether it may be shared with them cannot be read"
            )));
        }
    }
    Ok(())
}

/// Seen by whoever reads one of the channels it was shared in.
fn view(
    question: &Question,
    known: &Known,
    standing: &Standing,
    record: &File,
) -> Result<Decision, Stop> {
    let channels = channels(record)?;
    known.all(channels.iter().cloned().map(Read::Channel))?;
    let mut untold = None;
    for id in &channels {
        let read =
            channel::case(question, known, standing, id).and_then(|case| channel::read(&case));
        match read {
            Ok(decision) => return Ok(decision),
            Err(Stop::Denied(_)) => {}
            Err(missing @ Stop::Missing(_)) => return Err(missing),
            Err(failed @ Stop::Failed(_)) => untold = Some(failed),
        }
    }
    match untold {
        Some(failed) => Err(failed),
        None if !record.ims.is_empty() => Err(Stop::unsupported(
            "the file was shared in direct messages; with whom cannot be read",
        )),
        None => denied(question, "sees no channel that the file was shared in"),
    }
}

/// Rule 11: access to a canvas or a list is not readable; by default a member of a channel it is shared in may edit it.
fn edit(question: &Question, known: &Known, record: &File) -> Result<Decision, Stop> {
    let untold = || {
        Stop::unsupported(
            "who may edit a canvas or a list is set per channel and person, which our token cannot read",
        )
    };
    if question.said.ownership || !question.policy.default_preferences {
        return Err(untold());
    }
    let channels = channels(record)?;
    known.all(channels.iter().cloned().map(Read::Channel))?;
    for id in &channels {
        let Ok(shared) = known.channel(id) else {
            continue;
        };
        let is_open = shared.is_archived == Some(false);
        if is_open && membership::is_in(known, id, &shared, &question.user)? {
            return allowed(
                question,
                "is in a channel that it is shared in, whose members edit it by default",
            );
        }
    }
    Err(untold())
}

/// The channels a file was shared in.
/// Errors: too many to look at, or an id that is none.
fn channels(record: &File) -> Result<Vec<ChannelId>, Stop> {
    let read: Option<Vec<ChannelId>> = record
        .channels
        .iter()
        .map(|id| ChannelId::parse(id))
        .collect();
    match read {
        Some(channels) if channels.len() <= MOST_CHANNELS => Ok(channels),
        Some(_) => Err(Stop::unsupported(
            "the file was shared in more channels than are looked at",
        )),
        None => Err(Stop::unsupported(
            "Slack's record names a channel by something that is no id",
        )),
    }
}

const MOST_CHANNELS: usize = 10;
