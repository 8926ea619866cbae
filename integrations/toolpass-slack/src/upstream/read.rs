//! Every read a decision may rest on: its method, its arguments, and the scope toolpass needs for it.
//!
//! A read is a value, so the pure rules can ask for one and the edge can make it. One variant per use of a method.
//! Source: docs.slack.dev/reference/methods, the page of each method; read 2026-11-30.

use std::time::Duration;

use crate::resource::{ChannelId, DmId, FileId, UserId};

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Read {
    /// `auth.test`: whose token it is, and in which workspace.
    Auth,
    /// `conversations.info` of a channel.
    Channel(ChannelId),
    /// `users.conversations`: the channels somebody is in, as far as the bot sees them.
    ConversationsOf(UserId),
    /// `conversations.info` of a direct conversation.
    Direct(DmId),
    /// `files.info`.
    File(FileId),
    /// `conversations.members`.
    Members(ChannelId),
    /// `team.preferences.list`.
    Preferences,
    /// `users.info`.
    User(UserId),
    /// `usergroups.list` with their members.
    Usergroups,
}

/// How a read is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: &'static str,
    /// Its arguments.
    pub query: Vec<(&'static str, String)>,
    /// The list it answers with, a page at a time, and the most pages that are read.
    pub list: Option<(&'static str, usize)>,
    /// How long the answer may be shared by later checks.
    pub life: Option<Duration>,
}

impl Read {
    /// How it is asked.
    pub fn call(&self) -> Call {
        let one = |method, query: Vec<(&'static str, String)>| Call {
            method,
            query,
            list: None,
            life: None,
        };
        let list = |method, query: Vec<(&'static str, String)>, of, pages| Call {
            query: [query, vec![("limit", PAGE.to_owned())]].concat(),
            list: Some((of, pages)),
            ..one(method, Vec::new())
        };
        match self {
            Read::Auth => Call {
                life: Some(AUTH_LIFE),
                ..one("auth.test", Vec::new())
            },
            Read::Channel(id) => one(
                "conversations.info",
                vec![
                    ("channel", id.to_string()),
                    ("include_num_members", "true".into()),
                ],
            ),
            Read::ConversationsOf(user) => list(
                "users.conversations",
                vec![
                    ("user", user.to_string()),
                    ("types", "public_channel,private_channel".into()),
                ],
                "channels",
                CONVERSATION_PAGES,
            ),
            Read::Direct(id) => one("conversations.info", vec![("channel", id.to_string())]),
            Read::File(id) => one("files.info", vec![("file", id.to_string())]),
            Read::Members(id) => list(
                "conversations.members",
                vec![("channel", id.to_string())],
                "members",
                MEMBER_PAGES,
            ),
            Read::Preferences => one("team.preferences.list", Vec::new()),
            Read::User(id) => Call {
                life: Some(USER_LIFE),
                ..one("users.info", vec![("user", id.to_string())])
            },
            Read::Usergroups => one("usergroups.list", vec![("include_users", "true".into())]),
        }
    }

    /// The scope toolpass's token needs for it.
    pub fn scope(&self) -> &'static str {
        match self {
            Read::Auth => "any scope",
            Read::Channel(_) | Read::ConversationsOf(_) | Read::Members(_) => {
                "`channels:read` and `groups:read`"
            }
            Read::Direct(_) => "`im:read`",
            Read::File(_) => "`files:read`",
            Read::Preferences => "`team.preferences:read`",
            Read::User(_) => "`users:read`",
            Read::Usergroups => "`usergroups:read`",
        }
    }

    /// The method and its arguments, in the order they are sent: how a case names an answer.
    pub fn address(&self) -> String {
        let Call {
            method, mut query, ..
        } = self.call();
        query.retain(|(name, _)| ["channel", "file", "user"].contains(name));
        let arguments: Vec<String> = query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        match arguments.is_empty() {
            true => method.to_owned(),
            false => format!("{method}?{}", arguments.join("&")),
        }
    }
}

/// The largest page Slack's methods take.
const PAGE: &str = "1000";
/// Who is in more channels is looked for among the members of the one that is asked about.
const CONVERSATION_PAGES: usize = 5;
const MEMBER_PAGES: usize = 50;
/// A deactivated account and a lost role are security facts, so a record of a person is shared for a minute at most.
const USER_LIFE: Duration = Duration::from_secs(60);
/// A token stays in its workspace.
const AUTH_LIFE: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let channel = ChannelId::parse("C012345678").unwrap();
        let user = UserId::parse("U012345678").unwrap();
        assert_eq!(Read::Auth.address(), "auth.test");
        assert_eq!(
            Read::Channel(channel.clone()).address(),
            "conversations.info?channel=C012345678"
        );
        assert_eq!(
            Read::Members(channel).address(),
            "conversations.members?channel=C012345678"
        );
        assert_eq!(
            Read::ConversationsOf(user).address(),
            "users.conversations?user=U012345678"
        );
    }
}
