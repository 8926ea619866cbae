//! What an observed request says besides its resource, and what the rules take it to mean.
//!
//! The one agreement between the route table, which writes these, and the rules, which read them: the names are the
//! constants below, the values a closed grammar. Separate so that both sides fail together.
//! INVARIANT: a fact that is not known, not well formed, or not for the action is never ignored: the question is
//! `unsupported`.

use toolpass_core::question::Facts;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::resource::{TeamId, UserId};

/// The person whom a record that is read is about.
pub const ABOUT: &str = "about";
/// `1`: about the agent's own account, which no right of the user's answers for.
pub const AGENTS_OWN: &str = "agents_own";
/// The people who are invited: ids, comma-separated.
pub const INVITEES: &str = "invitees";
/// The person whose channels are listed.
pub const LISTS_OF: &str = "lists_of";
/// Whom the message notifies beside those it names: see [`Mention`], comma-separated.
pub const MENTIONS: &str = "mentions";
/// `1`: makes somebody the owner of a canvas or list.
pub const OWNERSHIP: &str = "ownership";
/// The person whose profile is set.
pub const PROFILE_OF: &str = "profile_of";
/// The people who are let see or edit a canvas or list: ids, comma-separated.
pub const SHARED_WITH: &str = "shared_with";
/// The workspace that the request names, which may be another one of the organization.
pub const TEAM: &str = "team";

/// The facts of one question, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// See [`ABOUT`].
    pub about: Option<UserId>,
    /// See [`AGENTS_OWN`].
    pub agents_own: bool,
    /// See [`INVITEES`].
    pub invitees: Vec<UserId>,
    /// See [`LISTS_OF`].
    pub lists_of: Option<UserId>,
    /// See [`MENTIONS`].
    pub mentions: Vec<Mention>,
    /// See [`OWNERSHIP`].
    pub ownership: bool,
    /// See [`PROFILE_OF`].
    pub profile_of: Option<UserId>,
    /// See [`SHARED_WITH`].
    pub shared_with: Vec<UserId>,
    /// See [`TEAM`].
    pub team: Option<TeamId>,
}

/// Many people notified by one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mention {
    /// `channel`: `@channel`, `@here`.
    Channel,
    /// `everyone`: `@everyone`.
    Everyone,
    /// `group`: a user group.
    Group,
}

impl Circumstances {
    /// Read the facts of a question about `action`.
    /// Errors: `unsupported`, naming the fact.
    pub fn read(action: Action, facts: &Facts) -> Result<Circumstances, Failure> {
        let mut read = Circumstances::default();
        for (name, value) in facts {
            if !is_for(name, action) {
                return Err(Failure::unsupported(format!(
                    "the request's fact `{name}` has no meaning for `{}`",
                    action.name()
                )));
            }
            read.take(name, value).ok_or_else(|| {
                Failure::unsupported(format!("the request's fact `{name}` cannot be read"))
            })?;
        }
        Ok(read)
    }

    /// Take one fact; `None` when it is unknown or malformed.
    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            ABOUT => self.about = Some(UserId::parse(value)?),
            AGENTS_OWN => self.agents_own = set(value)?,
            INVITEES => self.invitees = people(value)?,
            LISTS_OF => self.lists_of = Some(UserId::parse(value)?),
            MENTIONS => {
                self.mentions = value
                    .split(',')
                    .map(Mention::parse)
                    .collect::<Option<_>>()?
            }
            OWNERSHIP => self.ownership = set(value)?,
            PROFILE_OF => self.profile_of = Some(UserId::parse(value)?),
            SHARED_WITH => self.shared_with = people(value)?,
            TEAM => self.team = Some(TeamId::parse(value)?),
            _ => return None,
        }
        Some(())
    }
}

impl Mention {
    /// Its word in facts.
    pub fn as_str(self) -> &'static str {
        match self {
            Mention::Channel => "channel",
            Mention::Everyone => "everyone",
            Mention::Group => "group",
        }
    }

    fn parse(text: &str) -> Option<Mention> {
        [Mention::Channel, Mention::Everyone, Mention::Group]
            .into_iter()
            .find(|mention| mention.as_str() == text)
    }
}

fn is_for(name: &str, action: Action) -> bool {
    match name {
        ABOUT => action == Action::WorkspaceMember,
        AGENTS_OWN | LISTS_OF => action == Action::UserActive,
        INVITEES => action == Action::ChannelInvite,
        MENTIONS => matches!(
            action,
            Action::MessagePost | Action::MessagePostThread | Action::FileUpload
        ),
        OWNERSHIP | SHARED_WITH => matches!(action, Action::CanvasEdit | Action::ListEdit),
        PROFILE_OF => action == Action::WorkspaceAdmin,
        TEAM => action.spec().on.contains(&"workspace"),
        _ => false,
    }
}

fn set(text: &str) -> Option<bool> {
    (text == SET).then_some(true)
}

fn people(text: &str) -> Option<Vec<UserId>> {
    text.split(',').map(UserId::parse).collect()
}

/// What a fact that is set looks like.
pub const SET: &str = "1";

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_core::codes::Code;

    #[test]
    fn what_is_not_understood_is_not_ignored() {
        let read = |action, name: &str, value: &str| {
            let facts = Facts::from([(name.to_owned(), value.to_owned())]);
            Circumstances::read(action, &facts).map_err(|failure| failure.code())
        };
        let people = read(Action::ChannelInvite, INVITEES, "U012345678,W012345678").unwrap();
        assert_eq!(people.invitees.len(), 2);
        let mentions = read(Action::MessagePost, MENTIONS, "channel,everyone,group").unwrap();
        assert_eq!(
            mentions.mentions,
            [Mention::Channel, Mention::Everyone, Mention::Group]
        );
        for (action, name, value) in [
            (Action::ChannelInvite, INVITEES, ""),
            (Action::ChannelInvite, INVITEES, "U012345678,"),
            (Action::ChannelInvite, INVITEES, "dana"),
            (Action::ChannelRead, INVITEES, "U012345678"),
            (Action::MessagePost, MENTIONS, "here"),
            (Action::CanvasEdit, OWNERSHIP, "0"),
            (Action::WorkspaceAdmin, PROFILE_OF, "me"),
            (Action::MessagePost, "thread", "1"),
        ] {
            assert_eq!(
                read(action, name, value),
                Err(Code::Unsupported),
                "{name}={value}"
            );
        }
    }
}
