//! Rule P: posting, replying and uploading in a channel.
//!
//! Slack shows who may post in the entry of a channel in its reader's list, in no other answer a bot token gets. Where it shows nothing,
//! the operator says what that means.
//! Source: slack.com/help "Manage channel posting permissions", "Permissions by role in Slack" (mentions, #general), docs.slack.dev
//! `chat.postMessage` (errors), `team.preferences.list`; read 2026-11-30.

use toolpass_core::decision::Decision;
use toolpass_core::quoted::Quoted;

use super::Question;
use super::known::{self, Known, Stop};
use super::membership;
use super::posters;
use super::standing::{Held, Place, Role, Standing};
use super::workspace::{allowed, denied};
use crate::actions::Action;
use crate::facts::Mention;
use crate::resource::ChannelId;
use crate::upstream::read::Read;
use crate::upstream::records::{Channel, Posters, Properties};

/// What is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    AtTop,
    InThread,
}

/// Decide a message, a reply or a file. `record` is no archived channel.
pub fn decide(
    question: &Question,
    known: &Known,
    standing: &Standing,
    id: &ChannelId,
    record: &Channel,
) -> Result<Decision, Stop> {
    let Some(entry) = membership::entry(known, id, &question.user)? else {
        return denied(question, &format!("is not in the channel `{id}`"));
    };
    if question.action == Action::FileUpload {
        uploads(question, known, standing)?;
    }
    if told(record.is_general, "is the one everybody is in")? {
        general(question, known, standing)?;
    }
    let sent = if question.action == Action::MessagePostThread {
        Sent::InThread
    } else {
        Sent::AtTop
    };
    restricted(question, known, standing, record, entry, sent)?;
    mentions(question, standing)?;
    allowed(
        question,
        &format!("is in the channel `{id}` and may post there"),
    )
}

/// Rule P3: who may post in the channel everybody is in.
pub fn general(question: &Question, known: &Known, standing: &Standing) -> Result<(), Stop> {
    let preferences = match known.preferences()? {
        Some(preferences) => preferences,
        None if question.policy.default_preferences => return Ok(()),
        None => return Err(known::forbidden(Read::Preferences.scope())),
    };
    let Some(posters) = preferences.who_can_post_general else {
        return match question.policy.default_preferences {
            true => Ok(()),
            false => Err(Stop::unsupported(
                "Slack does not say who may post in #general",
            )),
        };
    };
    match posters::are_named(known, &posters, &question.user, standing)? {
        Held::Yes => Ok(()),
        Held::No => denied(question, "is not among those who may post in #general").map(drop),
        Held::Untold => Err(Stop::unsupported(
            "who may post in #general is said in words that are not known, or do not count for this account",
        )),
    }
}

/// Rules P4 and P5, with 11.5: the channel's own rules.
fn restricted(
    question: &Question,
    known: &Known,
    standing: &Standing,
    record: &Channel,
    entry: Option<Properties>,
    sent: Sent,
) -> Result<(), Stop> {
    let Some(rules) = entry.or_else(|| record.properties.clone()) else {
        return unshown(question, record, sent);
    };
    let (posting, threads) = (rules.posting, rules.threads);
    let flagged = is_flagged(record, sent);
    let rule = match sent {
        Sent::AtTop => posting,
        Sent::InThread => match (threads, posting) {
            (Some(threads), _) => Some(threads),
            // Whoever may post may reply; of the others nothing is said.
            (None, Some(posting)) => {
                return match may(question, known, standing, record, &posting)? {
                    Held::Yes => Ok(()),
                    Held::No | Held::Untold => Err(Stop::unsupported(
                        "posting in the channel is restricted, and Slack does not say who may reply",
                    )),
                };
            }
            (None, None) => None,
        },
    };
    let Some(rule) = rule else {
        return if flagged { Err(not_readable()) } else { Ok(()) };
    };
    match may(question, known, standing, record, &rule)? {
        Held::Yes => Ok(()),
        Held::No => denied(question, "is not among those who may post in the channel").map(drop),
        Held::Untold => Err(not_readable()),
    }
}

/// No rule is shown. A flag says that there is one.
fn unshown(question: &Question, record: &Channel, sent: Sent) -> Result<(), Stop> {
    if is_flagged(record, sent) {
        return Err(not_readable());
    }
    if question.policy.unrestricted_channels {
        Ok(())
    } else {
        Err(Stop::unsupported(
            "Slack does not show who may post in the channel; `assume_unrestricted_channels` says that everybody in it may",
        ))
    }
}

/// Whether the record says that some cannot do it, without saying who.
fn is_flagged(record: &Channel, sent: Sent) -> bool {
    let own = match sent {
        Sent::AtTop => record.is_thread_only,
        Sent::InThread => record.is_non_threadable,
    };
    [record.is_read_only, own].contains(&Some(true))
}

/// Whether a rule lets the user through. Admins always may, but for channels of several workspaces.
fn may(
    question: &Question,
    known: &Known,
    standing: &Standing,
    record: &Channel,
    rule: &Posters,
) -> Result<Held, Stop> {
    if *rule == Posters::Unreadable {
        return Ok(Held::Untold);
    }
    let named = posters::are_named(known, rule, &question.user, standing)?;
    let of_several = [record.is_org_shared, record.is_global_shared].contains(&Some(true));
    Ok(match (named, of_several) {
        (Held::Yes, _) => Held::Yes,
        (_, false) if standing.administers() == Held::Yes => Held::Yes,
        (_, true) if administers_organization(standing) => Held::Yes,
        // What an admin of one of several workspaces may, the page does not say.
        (_, true) if standing.administers() == Held::Yes => Held::Untold,
        (named, _) => named,
    })
}

fn administers_organization(standing: &Standing) -> bool {
    standing.organization.as_ref().is_some_and(|organization| {
        [
            organization.is_admin,
            organization.is_owner,
            organization.is_primary_owner,
        ]
        .contains(&Some(true))
    })
}

/// Rule 11.9: uploads may be switched off, for some or for all.
fn uploads(question: &Question, known: &Known, standing: &Standing) -> Result<(), Stop> {
    let preferences = match known.preferences()? {
        Some(preferences) => preferences,
        None if question.policy.default_preferences => return Ok(()),
        None => return Err(known::forbidden(Read::Preferences.scope())),
    };
    let least = match preferences.disable_file_uploads.as_deref() {
        Some("allow_all") => return Ok(()),
        None if question.policy.default_preferences => return Ok(()),
        None => return Err(Stop::unsupported("Slack does not say who may upload files")),
        Some("disable_all" | "disallow_all") => {
            return denied(question, "may not upload: the workspace takes no files").map(drop);
        }
        Some("type:owner") => Role::Owner,
        Some("type:owner,type:admin") => Role::Admin,
        Some("type:regular") => Role::Member,
        Some(other) => {
            return Err(Stop::unsupported(format!(
                "who may upload files is said as {}, which is not known",
                Quoted::new(other)
            )));
        }
    };
    match standing.place {
        Place::Here(role) if role >= least => Ok(()),
        Place::Here(_) => denied(question, "is not among those who may upload files").map(drop),
        Place::Elsewhere(_) | Place::Outside => Err(Stop::unsupported(
            "who may upload files is said of this workspace's own people",
        )),
    }
}

/// Rule 11.14: one word that notifies many.
fn mentions(question: &Question, standing: &Standing) -> Result<(), Stop> {
    let mentions = &question.said.mentions;
    if mentions.is_empty() || standing.administers() == Held::Yes {
        return Ok(());
    }
    if !question.policy.broadcasts {
        return denied(
            question,
            "does not administer the workspace, and `broadcast_mentions` keeps notifying a whole channel or group to who does",
        )
        .map(drop);
    }
    let is_wide = mentions.iter().any(|mention| *mention != Mention::Channel);
    if is_wide && standing.sees_own_only() {
        return Err(Stop::unsupported(
            "whether guests may notify everyone or a user group is a preference that our token cannot read",
        ));
    }
    Ok(())
}

fn told(flag: Option<bool>, what: &str) -> Result<bool, Stop> {
    flag.ok_or_else(|| {
        Stop::unsupported(format!(
            "Slack's record does not say whether the channel {what}"
        ))
    })
}

fn not_readable() -> Stop {
    Stop::unsupported("posting in the channel is restricted by a rule that our token cannot read")
}
