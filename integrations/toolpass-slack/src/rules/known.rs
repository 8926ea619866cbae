//! The records of Slack as the rules ask for them: one accessor each, over what was read so far.
//!
//! Asking for what was not read stops the rule until it is (see `toolpass_integration::answers`). What a missing record means is
//! the asking rule's to say, but for those without which there is no answer.

use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{self, Answers, Found};

use crate::resource::{ChannelId, DmId, FileId, UserId};
use crate::upstream::read::Read;
use crate::upstream::records::{
    self, Auth, Channel, Conversations, File, Members, Preferences, User, Usergroup,
};

/// What was read so far for one question.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a>(&'a Answers<Read>);

/// Why a rule about Slack did not come to its end.
pub type Stop = answers::Stop<Read>;

impl<'a> Known<'a> {
    /// Look at what was read so far.
    pub fn new(answers: &'a Answers<Read>) -> Known<'a> {
        Known(answers)
    }

    /// Ask for several reads that do not wait for each other.
    /// Errors: [`Stop::Missing`](answers::Stop::Missing) with those that were not made.
    pub fn all(&self, reads: impl IntoIterator<Item = Read>) -> Result<(), Stop> {
        self.0.all(reads)
    }

    /// Whose token toolpass has.
    pub fn auth(&self) -> Result<Auth, Stop> {
        self.seen(Read::Auth, records::auth)
    }

    /// An account; nothing when Slack does not show it.
    pub fn user(&self, id: &UserId) -> Result<Option<User>, Stop> {
        let record = self.there(Read::User(id.clone()), records::user)?;
        match record {
            Some(record) if record.id.as_deref() != Some(id.as_str()) => Err(another()),
            record => Ok(record),
        }
    }

    /// A channel, which must be seen and be one.
    pub fn channel(&self, id: &ChannelId) -> Result<Channel, Stop> {
        let record = self.seen(Read::Channel(id.clone()), records::channel)?;
        if record.id.as_deref() != Some(id.as_str()) {
            return Err(another());
        }
        if record.is_im == Some(true) || record.is_mpim == Some(true) {
            return Err(Stop::unsupported(format!(
                "`{id}` is a direct conversation, which is no channel"
            )));
        }
        Ok(record)
    }

    /// A direct conversation, which must be seen.
    pub fn direct(&self, id: &DmId) -> Result<Channel, Stop> {
        let record = self.seen(Read::Direct(id.clone()), records::channel)?;
        match record.id.as_deref() == Some(id.as_str()) {
            true => Ok(record),
            false => Err(another()),
        }
    }

    /// The channels somebody is in; nothing when Slack does not show the account.
    pub fn conversations_of(&self, user: &UserId) -> Result<Option<Conversations>, Stop> {
        self.there(Read::ConversationsOf(user.clone()), records::conversations)
    }

    /// Who is in a channel, which must be seen.
    pub fn members(&self, channel: &ChannelId) -> Result<Members, Stop> {
        self.seen(Read::Members(channel.clone()), records::members)
    }

    /// The preferences of the workspace; nothing when our token may not read them.
    pub fn preferences(&self) -> Result<Option<Preferences>, Stop> {
        match self.0.record(Read::Preferences, records::preferences)? {
            Found::Here(preferences) => Ok(Some(preferences)),
            Found::Missing | Found::Forbidden => Ok(None),
        }
    }

    /// The user groups of the workspace; nothing when our token may not read them.
    pub fn usergroups(&self) -> Result<Option<Vec<Usergroup>>, Stop> {
        match self.0.record(Read::Usergroups, records::usergroups)? {
            Found::Here(groups) => Ok(Some(groups)),
            Found::Missing | Found::Forbidden => Ok(None),
        }
    }

    /// A file, which must be seen.
    pub fn file(&self, id: &FileId) -> Result<File, Stop> {
        let record = self.seen(Read::File(id.clone()), records::file)?;
        match record.id.as_deref() == Some(id.as_str()) {
            true => Ok(record),
            false => Err(another()),
        }
    }

    /// A record without which there is no answer.
    fn seen<T>(&self, read: Read, parse: fn(Json<'_>) -> Result<T, Error>) -> Result<T, Stop> {
        self.there(read, parse)?.ok_or_else(|| {
            Stop::new(
                Code::ResourceNotVisible,
                "our token does not see what is asked about; invite the app to a private channel",
            )
        })
    }

    fn there<T>(
        &self,
        read: Read,
        parse: fn(Json<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Stop> {
        let scope = read.scope();
        match self.0.record(read, parse)? {
            Found::Here(record) => Ok(Some(record)),
            Found::Missing => Ok(None),
            Found::Forbidden => Err(forbidden(scope)),
        }
    }
}

/// Our token lacks a scope.
pub fn forbidden(scope: &str) -> Stop {
    Stop::new(
        Code::CredentialRejected,
        format!("Slack refuses our token this read; grant {scope}"),
    )
}

fn another() -> Stop {
    Stop::new(
        Code::UpstreamError,
        "Slack's answer is about something else than was asked",
    )
}
