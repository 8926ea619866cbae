//! Rules about a channel: reading, joining, being in it, and managing it.
//!
//! What people of the workspace see and may is said of its own full members; a guest and somebody from outside see what they are in.
//! Source: slack.com/help "Permissions by role in Slack", "Understand channel managers", "Archive or delete a channel", "Slack Connect";
//! docs.slack.dev, the errors of each `conversations` method; read 2026-11-30.

use toolpass_core::decision::Decision;

use super::known::{Known, Stop};
use super::membership;
use super::standing::{Held, Place, Standing};
use super::workspace::{allowed, denied, elsewhere, gate, guest, outside};
use super::{Question, invite, misplaced, posting};
use crate::actions::Action;
use crate::resource::ChannelId;
use crate::upstream::records::Channel;

/// A question about one channel, and what is known of it.
pub struct Case<'a> {
    /// The question.
    pub question: &'a Question,
    /// What was read.
    pub known: &'a Known<'a>,
    /// Who asks.
    pub standing: &'a Standing,
    /// The channel.
    pub id: &'a ChannelId,
    /// Its record.
    pub record: Channel,
    /// It is archived.
    pub is_archived: bool,
    /// It is private.
    pub is_private: bool,
}

/// Rule 4 of the specification, with 11.4 to 11.7.
pub fn decide(
    question: &Question,
    known: &Known,
    standing: &Standing,
    id: &ChannelId,
) -> Result<Decision, Stop> {
    let case = &case(question, known, standing, id)?;
    match question.action {
        Action::ChannelRead => read(case),
        Action::ChannelJoin => join(case),
        Action::ChannelMember => member(case),
        Action::ChannelTopic => topic(case),
        Action::ChannelRename => rename(case),
        Action::ChannelManage => manage(case),
        Action::ChannelInvite => invite::decide(case),
        Action::ChannelKick => kick(case),
        Action::ChannelArchive => archive(case),
        Action::ChannelUnarchive => unarchive(case),
        Action::MessagePost | Action::MessagePostThread | Action::FileUpload => {
            open(case)?;
            posting::decide(question, known, standing, id, &case.record)
        }
        Action::UserActive
        | Action::WorkspaceMember
        | Action::WorkspaceAdmin
        | Action::OrgAdmin
        | Action::OrgOwner
        | Action::ConnectManage
        | Action::ChannelCreate
        | Action::ChannelCreatePrivate
        | Action::DmPost
        | Action::FileView
        | Action::FileManage
        | Action::CanvasEdit
        | Action::ListEdit
        | Action::UsergroupMember
        | Action::UsergroupManage => Err(misplaced(question)),
    }
}

/// A channel as the rules see it.
/// Errors: it is not seen, or its record does not say what is needed.
pub fn case<'a>(
    question: &'a Question,
    known: &'a Known<'a>,
    standing: &'a Standing,
    id: &'a ChannelId,
) -> Result<Case<'a>, Stop> {
    let record = known.channel(id)?;
    let told = |flag: Option<bool>, what: &str| {
        flag.ok_or_else(|| {
            Stop::unsupported(format!(
                "Slack's record does not say whether the channel is {what}"
            ))
        })
    };
    Ok(Case {
        question,
        known,
        standing,
        id,
        is_archived: told(record.is_archived, "archived")?,
        is_private: told(record.is_private, "private")?,
        record,
    })
}

impl Case<'_> {
    /// Rule M.
    pub fn is_in(&self) -> Result<bool, Stop> {
        membership::is_in(self.known, self.id, &self.record, &self.question.user)
    }

    /// Whether only who is in it sees it.
    pub fn is_closed(&self) -> bool {
        self.is_private || self.standing.sees_own_only()
    }
}

/// Rule R. Archived channels stay readable.
pub fn read(case: &Case<'_>) -> Result<Decision, Stop> {
    let Case { question, id, .. } = case;
    match case.standing.place {
        Place::Here(_) if !case.is_closed() => allowed(
            question,
            &format!("is a full member, who sees the public channel `{id}`"),
        ),
        _ if case.is_in()? => allowed(question, &format!("is in the channel `{id}`")),
        Place::Elsewhere(_) if !case.is_closed() => Err(elsewhere(question)),
        _ => denied(question, &format!("is not in the channel `{id}`")),
    }
}

/// Rule J.
fn join(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    read(case)
}

fn member(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    match case.is_in()? {
        true => allowed(case.question, &format!("is in the channel `{}`", case.id)),
        false => denied(
            case.question,
            &format!("is not in the channel `{}`", case.id),
        ),
    }
}

fn topic(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    full(case)?;
    if !case.is_in()? {
        return denied(
            case.question,
            &format!("is not in the channel `{}`", case.id),
        );
    }
    if is_general(case)? {
        posting::general(case.question, case.known, case.standing)?;
    }
    allowed(case.question, &format!("is in the channel `{}`", case.id))
}

/// Rule 11.7: whoever made the channel, or administers the workspace. Channel managers may too, and are not readable.
fn rename(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    full(case)?;
    inside(case)?;
    if case.record.creator.as_deref() == Some(case.question.user.as_str()) {
        return allowed(case.question, "made the channel");
    }
    managed(case)
}

fn manage(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    full(case)?;
    managed(case)
}

/// Rule 11.7: members remove people from private channels by default, from public ones nobody but who manages them.
fn kick(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    full(case)?;
    if is_general(case)? {
        return denied(
            case.question,
            "cannot remove people from the channel everybody is in",
        );
    }
    if case.is_private && !case.is_in()? {
        return denied(
            case.question,
            &format!("is not in the channel `{}`", case.id),
        );
    }
    match case.standing.administers() {
        Held::No if case.is_private && case.question.policy.default_preferences => allowed(
            case.question,
            "is in the private channel, from which members remove people by default",
        ),
        _ => managed(case),
    }
}

/// Rule G, for archiving.
fn archive(case: &Case<'_>) -> Result<Decision, Stop> {
    open(case)?;
    full(case)?;
    if is_general(case)? {
        return denied(case.question, "cannot archive the channel everybody is in");
    }
    inside(case)?;
    gate(case.question, case.standing, "archive channels")
}

/// Rule 11.6. Archiving a public channel drops its members, so nobody is in it.
fn unarchive(case: &Case<'_>) -> Result<Decision, Stop> {
    if !case.is_archived {
        return denied(case.question, "finds the channel not archived");
    }
    full(case)?;
    if case.is_private && !case.is_in()? {
        return denied(
            case.question,
            &format!("is not in the channel `{}`", case.id),
        );
    }
    gate(
        case.question,
        case.standing,
        "take channels out of the archive",
    )
}

/// Not archived.
pub fn open(case: &Case<'_>) -> Result<(), Stop> {
    match case.is_archived {
        true => Err(Stop::deny(format!("the channel `{}` is archived", case.id))),
        false => Ok(()),
    }
}

/// No guest, and nobody from outside.
fn full(case: &Case<'_>) -> Result<(), Stop> {
    if case.standing.is_outside() {
        return Err(outside(case.question));
    }
    match case.standing.is_guest() {
        true => Err(guest(case.question)),
        false => Ok(()),
    }
}

/// In the channel; a public one they could join first.
pub fn inside(case: &Case<'_>) -> Result<(), Stop> {
    match case.is_in()? {
        true => Ok(()),
        false if case.is_closed() => Err(Stop::deny(format!(
            "`{}` is not in the channel `{}`",
            case.question.user, case.id
        ))),
        false => Err(Stop::unsupported(format!(
            "`{}` is not in the public channel `{}`, but could join it first",
            case.question.user, case.id
        ))),
    }
}

/// Who administers the workspace manages each channel; who else does cannot be read.
fn managed(case: &Case<'_>) -> Result<Decision, Stop> {
    match case.standing.administers() {
        Held::Yes => allowed(case.question, "administers the workspace"),
        Held::Untold => Err(elsewhere(case.question)),
        Held::No => Err(Stop::unsupported(format!(
            "whether `{}` manages the channel `{}` cannot be read",
            case.question.user, case.id
        ))),
    }
}

fn is_general(case: &Case<'_>) -> Result<bool, Stop> {
    case.record.is_general.ok_or_else(|| {
        Stop::unsupported("Slack's record does not say whether it is the channel everybody is in")
    })
}
