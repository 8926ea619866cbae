//! What the stand-in Slack consists of: plain data, in Rust and in JSON world files.
//!
//! Everything is keyed by its id, so that a merge patch can change one account or channel. A member that is left out has the default of
//! an ordinary one. Unknown members are errors that name them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A workspace with its people, channels and tokens.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlackWorld {
    /// The workspace.
    pub team: Team,
    /// Tokens by their value.
    pub tokens: BTreeMap<String, Token>,
    /// Accounts by id.
    pub users: BTreeMap<String, Account>,
    /// Channels and direct conversations by id.
    pub channels: BTreeMap<String, Channel>,
    /// User groups by id.
    pub usergroups: BTreeMap<String, Usergroup>,
    /// Files by id.
    pub files: BTreeMap<String, File>,
    /// What `team.preferences.list` answers beside `ok`.
    pub preferences: BTreeMap<String, Value>,
    /// Whether the entries of lists of channels say who may post.
    pub hides_properties: bool,
    /// How many things were made: ids and times are counted from it.
    pub made: u64,
}

/// The workspace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// Its id, `T…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its name in addresses.
    pub domain: String,
    /// The organization of several workspaces, `E…`.
    pub enterprise_id: Option<String>,
}

/// A token.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Token {
    /// The account it acts as.
    pub user: String,
    /// Its bot, `B…`; none for a person's own token.
    pub bot_id: Option<String>,
    /// Its scopes.
    pub scopes: BTreeSet<String>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// An account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// Its handle.
    pub name: String,
    /// Its full name.
    pub real_name: String,
    /// Its e-mail.
    pub email: Option<String>,
    /// Its workspace; this one when absent.
    pub team_id: Option<String>,
    /// Deactivated.
    pub deleted: bool,
    /// A bot.
    pub is_bot: bool,
    /// Invited and not joined.
    pub is_invited_user: bool,
    /// Workspace Admin.
    pub is_admin: bool,
    /// Workspace Owner.
    pub is_owner: bool,
    /// Primary Owner.
    pub is_primary_owner: bool,
    /// A guest.
    pub is_restricted: bool,
    /// A guest of one channel.
    pub is_ultra_restricted: bool,
    /// From elsewhere and in no channel the app sees.
    pub is_stranger: bool,
    /// The member `enterprise_user`, as it is.
    pub enterprise_user: Option<Value>,
}

/// A channel, or a direct conversation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Whoever is in it.
    pub members: BTreeSet<String>,
    /// Who made it.
    pub creator: String,
    /// Seen by its members only.
    pub is_private: bool,
    /// Archived.
    pub is_archived: bool,
    /// The one everybody is in.
    pub is_general: bool,
    /// Between two.
    pub is_im: bool,
    /// Shared with another organization.
    pub is_ext_shared: bool,
    /// Shared with other workspaces of the organization.
    pub is_org_shared: bool,
    /// Who may post, as lists of channels show it.
    pub posting_restricted_to: Option<Value>,
    /// Who may reply, likewise.
    pub threads_restricted_to: Option<Value>,
    /// Flags only `conversations.info` shows, such as `is_read_only`.
    pub flags: BTreeMap<String, bool>,
    /// Its topic.
    pub topic: String,
    /// What was posted, oldest first.
    pub messages: Vec<Message>,
}

/// A message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Message {
    /// Its time, which is its id in the channel.
    pub ts: String,
    /// Whose it is.
    pub user: String,
    /// The text.
    pub text: String,
    /// The message it replies to.
    pub thread_ts: Option<String>,
}

/// A user group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usergroup {
    /// Its handle.
    pub handle: String,
    /// Its members.
    pub users: BTreeSet<String>,
    /// When it was switched off; not when 0.
    pub date_delete: u64,
}

/// A file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Who uploaded it.
    pub user: String,
    /// How many bytes arrived.
    pub size: usize,
    /// Where it is shared.
    pub channels: BTreeSet<String>,
    /// Announced, and not completed.
    pub is_pending: bool,
}
