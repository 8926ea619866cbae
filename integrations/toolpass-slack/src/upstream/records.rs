//! What Slack's records say, read strictly into plain structs.
//!
//! A member that is absent or null is `None` and means what the rule that uses it says; a member of a wrong type is a failure,
//! `upstream_error`; members not named here are ignored. Texts stay texts: which words mean what is a rule.
//! Source: docs.slack.dev "Object types" (user, conversation, file, usergroup), `auth.test`, `team.preferences.list`; the response types of
//! the official SDKs (posting rules); read 2026-11-30.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

/// Whose token it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Auth {
    /// The workspace.
    pub team_id: Option<String>,
    /// The workspace's name.
    pub team: Option<String>,
    /// The organization of several workspaces.
    pub enterprise_id: Option<String>,
    /// The account the token acts as.
    pub user: Option<String>,
    /// The bot.
    pub bot_id: Option<String>,
    /// The app is installed in a whole organization.
    pub is_enterprise_install: Option<bool>,
}

/// An account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: Option<String>,
    /// The names it is shown by, the best first.
    pub names: Vec<String>,
    /// Its e-mail.
    pub email: Option<String>,
    /// The workspace it belongs to.
    pub team_id: Option<String>,
    /// Deactivated.
    pub deleted: Option<bool>,
    /// Not a person.
    pub is_bot: Option<bool>,
    /// Invited, not joined; only there when it is so.
    pub is_invited_user: Option<bool>,
    /// Workspace Admin.
    pub is_admin: Option<bool>,
    /// Workspace Owner.
    pub is_owner: Option<bool>,
    /// Primary Owner.
    pub is_primary_owner: Option<bool>,
    /// A guest.
    pub is_restricted: Option<bool>,
    /// A guest of one channel.
    pub is_ultra_restricted: Option<bool>,
    /// From elsewhere, and in no channel the app sees; only there when it is so.
    pub is_stranger: Option<bool>,
    /// What it is in an organization of several workspaces.
    pub enterprise: Option<EnterpriseUser>,
}

/// An account as its organization has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnterpriseUser {
    /// The organization.
    pub id: Option<String>,
    /// Org Admin.
    pub is_admin: Option<bool>,
    /// Org Owner.
    pub is_owner: Option<bool>,
    /// Primary Org Owner.
    pub is_primary_owner: Option<bool>,
    /// The workspaces it is in.
    pub teams: Vec<String>,
}

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Its id.
    pub id: Option<String>,
    /// Nobody posts any more.
    pub is_archived: Option<bool>,
    /// Seen by its members only.
    pub is_private: Option<bool>,
    /// The channel everybody is in.
    pub is_general: Option<bool>,
    /// Between two.
    pub is_im: Option<bool>,
    /// Between a few.
    pub is_mpim: Option<bool>,
    /// Shared with other workspaces of the organization.
    pub is_org_shared: Option<bool>,
    /// The same, with all of them.
    pub is_global_shared: Option<bool>,
    /// Who made it.
    pub creator: Option<String>,
    /// With whom a direct conversation is.
    pub user: Option<String>,
    /// How many people are in it.
    pub num_members: Option<u64>,
    /// Some cannot post at all.
    pub is_read_only: Option<bool>,
    /// Some can only reply.
    pub is_thread_only: Option<bool>,
    /// Some cannot reply.
    pub is_non_threadable: Option<bool>,
    /// Who may post, where the answer says so.
    pub properties: Option<Properties>,
}

/// Who may post in a channel. An absent rule is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// At the top level.
    pub posting: Option<Posters>,
    /// In threads.
    pub threads: Option<Posters>,
}

/// A rule about who may post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posters {
    /// One of these.
    Some {
        /// Kinds of people, in Slack's words.
        types: Vec<String>,
        /// People by id.
        users: Vec<String>,
        /// User groups by id.
        groups: Vec<String>,
    },
    /// It has a form that is not known.
    Unreadable,
}

/// Part of the list of what somebody is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversations {
    /// The channels, with what their entry says.
    pub channels: Vec<(String, Option<Properties>)>,
    /// There are more.
    pub more: bool,
}

/// Part of the list of who is in a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Their ids.
    pub members: Vec<String>,
    /// There are more.
    pub more: bool,
}

/// Preferences of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Who may post in #general.
    pub who_can_post_general: Option<Posters>,
    /// Who may upload.
    pub disable_file_uploads: Option<String>,
}

/// A user group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usergroup {
    /// Its id.
    pub id: String,
    /// Its members.
    pub users: Option<Vec<String>>,
}

/// A file, and where it was shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its id.
    pub id: Option<String>,
    /// Who uploaded it.
    pub user: Option<String>,
    /// Channels, public and private, that it was shared in.
    pub channels: Vec<String>,
    /// Direct conversations that it was shared in.
    pub ims: Vec<String>,
}

/// Read whose token it is.
pub fn auth(json: Json<'_>) -> Result<Auth, Error> {
    Ok(Auth {
        team_id: text(json, "team_id")?,
        team: text(json, "team")?,
        enterprise_id: text(json, "enterprise_id")?,
        user: text(json, "user")?,
        bot_id: text(json, "bot_id")?,
        is_enterprise_install: flag(json, "is_enterprise_install")?,
    })
}

/// Read the account of an answer.
pub fn user(json: Json<'_>) -> Result<User, Error> {
    let json = json.required("user")?;
    let profile = json.member("profile")?;
    let of_profile = |name| profile.map(|profile| text(profile, name)).transpose();
    let names = [
        text(json, "real_name")?,
        of_profile("real_name")?.flatten(),
        text(json, "name")?,
    ];
    let enterprise = json.member("enterprise_user")?;
    Ok(User {
        id: text(json, "id")?,
        names: names
            .into_iter()
            .flatten()
            .filter(|name| !name.is_empty())
            .collect(),
        email: of_profile("email")?.flatten(),
        team_id: text(json, "team_id")?,
        deleted: flag(json, "deleted")?,
        is_bot: flag(json, "is_bot")?,
        is_invited_user: flag(json, "is_invited_user")?,
        is_admin: flag(json, "is_admin")?,
        is_owner: flag(json, "is_owner")?,
        is_primary_owner: flag(json, "is_primary_owner")?,
        is_restricted: flag(json, "is_restricted")?,
        is_ultra_restricted: flag(json, "is_ultra_restricted")?,
        is_stranger: flag(json, "is_stranger")?,
        enterprise: enterprise.map(enterprise_user).transpose()?,
    })
}

fn enterprise_user(json: Json<'_>) -> Result<EnterpriseUser, Error> {
    Ok(EnterpriseUser {
        id: text(json, "enterprise_id")?,
        is_admin: flag(json, "is_admin")?,
        is_owner: flag(json, "is_owner")?,
        is_primary_owner: flag(json, "is_primary_owner")?,
        teams: texts(json, "teams")?.unwrap_or_default(),
    })
}

/// Read the conversation of an answer.
pub fn channel(json: Json<'_>) -> Result<Channel, Error> {
    let json = json.required("channel")?;
    Ok(Channel {
        id: text(json, "id")?,
        is_archived: flag(json, "is_archived")?,
        is_private: flag(json, "is_private")?,
        is_general: flag(json, "is_general")?,
        is_im: flag(json, "is_im")?,
        is_mpim: flag(json, "is_mpim")?,
        is_org_shared: flag(json, "is_org_shared")?,
        is_global_shared: flag(json, "is_global_shared")?,
        creator: text(json, "creator")?,
        user: text(json, "user")?,
        num_members: json
            .member("num_members")?
            .map(|count| count.uint())
            .transpose()?,
        is_read_only: flag(json, "is_read_only")?,
        is_thread_only: flag(json, "is_thread_only")?,
        is_non_threadable: flag(json, "is_non_threadable")?,
        properties: properties(json)?,
    })
}

/// Read the channels somebody is in.
pub fn conversations(json: Json<'_>) -> Result<Conversations, Error> {
    let channels = json.required("channels")?.array()?;
    let entry = |entry: Json<'_>| {
        Ok::<_, Error>((
            entry.required("id")?.string()?.to_owned(),
            properties(entry)?,
        ))
    };
    Ok(Conversations {
        channels: channels.map(entry).collect::<Result<_, _>>()?,
        more: flag(json, MORE)?.unwrap_or(false),
    })
}

/// Read the members of a channel.
pub fn members(json: Json<'_>) -> Result<Members, Error> {
    Ok(Members {
        members: texts_of(json.required("members")?)?,
        more: flag(json, MORE)?.unwrap_or(false),
    })
}

/// Read the preferences of the workspace.
pub fn preferences(json: Json<'_>) -> Result<Preferences, Error> {
    let posters_of = |value: Option<Json<'_>>| value.map(posters);
    Ok(Preferences {
        who_can_post_general: posters_of(json.member("who_can_post_general")?),
        disable_file_uploads: text(json, "disable_file_uploads")?,
    })
}

/// Read the user groups of a workspace, those that are switched off left out.
pub fn usergroups(json: Json<'_>) -> Result<Vec<Usergroup>, Error> {
    let mut groups = Vec::new();
    for group in json.required("usergroups")?.array()? {
        let deleted = group
            .member("date_delete")?
            .map(|date| date.uint())
            .transpose()?;
        if deleted.is_none_or(|date| date == 0) {
            groups.push(Usergroup {
                id: group.required("id")?.string()?.to_owned(),
                users: texts(group, "users")?,
            });
        }
    }
    Ok(groups)
}

/// Read the file of an answer.
pub fn file(json: Json<'_>) -> Result<File, Error> {
    let json = json.required("file")?;
    let channels = [texts(json, "channels")?, texts(json, "groups")?];
    Ok(File {
        id: text(json, "id")?,
        user: text(json, "user")?,
        channels: channels.into_iter().flatten().flatten().collect(),
        ims: texts(json, "ims")?.unwrap_or_default(),
    })
}

fn properties(json: Json<'_>) -> Result<Option<Properties>, Error> {
    let Some(json) = json.member("properties")? else {
        return Ok(None);
    };
    Ok(Some(Properties {
        posting: json.member("posting_restricted_to")?.map(posters),
        threads: json.member("threads_restricted_to")?.map(posters),
    }))
}

/// A rule: lists of kinds, people and groups, or one kind as a text. Anything else, and a member that is not known, is unreadable.
fn posters(json: Json<'_>) -> Posters {
    let some = |types, users, groups| Posters::Some {
        types,
        users,
        groups,
    };
    if let Ok(word) = json.string() {
        let types = if word.is_empty() {
            Vec::new()
        } else {
            vec![word.to_owned()]
        };
        return some(types, Vec::new(), Vec::new());
    }
    let known = ["subteam", "type", "user"];
    let Ok(mut members) = json.members() else {
        return Posters::Unreadable;
    };
    if members.any(|(name, _)| !known.contains(&name)) {
        return Posters::Unreadable;
    }
    match (
        texts(json, "type"),
        texts(json, "user"),
        texts(json, "subteam"),
    ) {
        (Ok(types), Ok(users), Ok(groups)) => some(
            types.unwrap_or_default(),
            users.unwrap_or_default(),
            groups.unwrap_or_default(),
        ),
        (_, _, _) => Posters::Unreadable,
    }
}

fn text(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    json.member(name)?
        .map(|value| Ok(value.string()?.to_owned()))
        .transpose()
}

fn flag(json: Json<'_>, name: &'static str) -> Result<Option<bool>, Error> {
    json.member(name)?.map(|value| value.bool()).transpose()
}

fn texts(json: Json<'_>, name: &'static str) -> Result<Option<Vec<String>>, Error> {
    json.member(name)?.map(texts_of).transpose()
}

fn texts_of(json: Json<'_>) -> Result<Vec<String>, Error> {
    json.array()?
        .map(|entry| Ok(entry.string()?.to_owned()))
        .collect()
}

/// Set beside a list of which not every page was read. No answer of Slack's has it.
pub const MORE: &str = "$more";
