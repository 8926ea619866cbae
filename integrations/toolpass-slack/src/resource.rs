//! The types of resource, and the ids they are made of.
//!
//! `workspace`, `channel:<id>`, `dm:<id>`, `file:<id>`, `usergroup:<id>`. Every id is a type of its own that only its grammar makes, so an
//! argument of a call is never built from unread text. A name is no id: a channel is renamed and its name given to another.
//! Source: docs.slack.dev "Object types", read 2026-11-30.

use std::fmt;
use std::sync::Arc;

use toolpass_core::quoted::Quoted;
use toolpass_core::resource::Resource;
use toolpass_integration::failure::Failure;

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A channel, public or private.
    Channel(ChannelId),
    /// Somebody, directly.
    Dm(Counterpart),
    /// A file; a canvas and a list are files.
    File(FileId),
    /// A user group.
    Usergroup(GroupId),
    /// The workspace of the connection.
    Workspace,
}

/// With whom a direct message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counterpart {
    /// A conversation that exists.
    Conversation(DmId),
    /// A person.
    User(UserId),
}

macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident $letters:literal $least:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Read an id.
            pub fn parse(text: &str) -> Option<$name> {
                is_id($letters, $least, text).then(|| $name(text.into()))
            }

            /// The id.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! { //                                   first letter, at least so many after it: of `A-Z0-9`
    /// A channel: `C…`, older private ones `G…`.
    ChannelId "CG" 8;
    /// A direct conversation.
    DmId "D" 8;
    /// A file, a canvas or a list.
    FileId "F" 8;
    /// A user group.
    GroupId "S" 8;
    /// A workspace, or an organization of several.
    TeamId "ET" 6;
    /// A person or a bot.
    UserId "UW" 8;
}

impl Target {
    /// Read a resource.
    /// Errors: `invalid_request` for another type, or an id outside its grammar.
    pub fn read(resource: &Resource) -> Result<Target, Failure> {
        let id = resource.id();
        if resource.as_str().contains('?') {
            return Err(Failure::invalid("a resource of Slack takes no query"));
        }
        let expected = |text: &str| Failure::invalid(format!("expected {text}"));
        match resource.kind() {
            "channel" => ChannelId::parse(id)
                .map(Target::Channel)
                .ok_or_else(|| expected("`channel:<id>`, the id `C…` or `G…`; a name is no id")),
            "dm" => Counterpart::parse(id).map(Target::Dm).ok_or_else(|| {
                expected("`dm:<id>`, the id of a person (`U…`) or a conversation (`D…`)")
            }),
            "file" => FileId::parse(id)
                .map(Target::File)
                .ok_or_else(|| expected("`file:<id>`, the id `F…`")),
            "usergroup" => GroupId::parse(id)
                .map(Target::Usergroup)
                .ok_or_else(|| expected("`usergroup:<id>`, the id `S…`")),
            "workspace" if id.is_empty() && !resource.as_str().contains(':') => {
                Ok(Target::Workspace)
            }
            "workspace" => Err(expected("`workspace` alone: a connection has one")),
            other => Err(Failure::invalid(format!(
                "expected a resource of type `channel`, `dm`, `file`, `usergroup` or `workspace`, found {}",
                Quoted::new(other)
            ))),
        }
    }

    /// The type the resource has.
    pub fn type_name(&self) -> &'static str {
        match self {
            Target::Channel(_) => "channel",
            Target::Dm(_) => "dm",
            Target::File(_) => "file",
            Target::Usergroup(_) => "usergroup",
            Target::Workspace => "workspace",
        }
    }
}

impl Counterpart {
    /// Read the id of a person or of a conversation.
    pub fn parse(text: &str) -> Option<Counterpart> {
        DmId::parse(text)
            .map(Counterpart::Conversation)
            .or_else(|| UserId::parse(text).map(Counterpart::User))
    }
}

impl TeamId {
    /// Whether it is an organization of several workspaces.
    pub fn is_organization(&self) -> bool {
        self.0.starts_with('E')
    }
}

fn is_id(letters: &str, least: usize, text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters
        .next()
        .is_some_and(|first| letters.contains(first));
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    first && (least..=MOST).contains(&(text.len() - 1)) && characters.all(fits)
}

/// Slack's ids have up to a dozen characters; longer ones may come.
const MOST: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toolpass_core::codes::Code;

    fn read(text: &str) -> Result<Target, Failure> {
        Target::read(&Resource::parse(text).unwrap())
    }

    #[test]
    fn resources() {
        for (text, kind) in [
            ("workspace", "workspace"),
            ("channel:C0SHOPDEV1", "channel"),
            ("channel:G012345678", "channel"),
            ("dm:U012345678", "dm"),
            ("dm:W012345678", "dm"),
            ("dm:D012345678", "dm"),
            ("file:F012345678", "file"),
            ("usergroup:S012345678", "usergroup"),
        ] {
            assert_eq!(read(text).unwrap().type_name(), kind, "{text}");
        }
    }

    #[test]
    fn what_is_no_resource() {
        for bad in [
            "workspace:",
            "workspace:acme",
            "workspace?x=1",
            "channel:",
            "channel:general",
            "channel:#general",
            "channel:c012345678",
            "channel:C01234",
            "channel:D012345678",
            "channel:U012345678",
            "channel:C012345678?x=1",
            "channel:C012345678 ",
            "channel:C01234567é",
            "channel:C012345678,C012345679",
            "dm:C012345678",
            "dm:dana",
            "file:C012345678",
            "usergroup:sre",
            "user:U012345678",
        ] {
            assert_eq!(read(bad).unwrap_err().code(), Code::InvalidRequest, "{bad}");
        }
        assert!(ChannelId::parse(&format!("C{}", "0".repeat(41))).is_none());
        assert!(TeamId::parse("E0123456").unwrap().is_organization());
        assert!(!TeamId::parse("T0123456").unwrap().is_organization());
    }

    proptest! {
        /// No id reads as two types, and none holds what an address or a list is made of.
        #[test]
        fn an_id_is_of_one_type(text in "[CDFGSTUWE][A-Z0-9]{6,12}|\\PC{0,14}") {
            let types = [
                ChannelId::parse(&text).is_some(),
                DmId::parse(&text).is_some(),
                FileId::parse(&text).is_some(),
                GroupId::parse(&text).is_some(),
                TeamId::parse(&text).is_some(),
                UserId::parse(&text).is_some(),
            ];
            let count = types.into_iter().filter(|fits| *fits).count();
            prop_assert!(count <= 1, "{text}");
            prop_assert!(count == 0 || text.bytes().all(|b| b.is_ascii_alphanumeric()), "{text}");
        }
    }
}
