//! The keys of a connection, and what they come to.

use std::collections::{BTreeMap, BTreeSet};

use toolpass_core::codes::Code;
use toolpass_core::email::lower;
use toolpass_core::user::{Groups, User};
use toolpass_integration::fields::{Key, Settings};

/// The keys, beyond the common ones.
pub const KEYS: &[Key] = &[
    Key::text("users", "e-mails of the users, separated by commas").checked(check_emails),
    Key::text("admins", "e-mails of the administrators, who are users too").checked(check_emails),
    Key::text("groups", "groups of users: `email=group,group;email=group`").checked(check_groups),
    Key::text(
        "groups_mapped",
        "whether the groups are those of the system that asks, not this one's",
    )
    .one_of(&["true", "false"])
    .default("false"),
    Key::text("fail", "how every call ends, `none` for as it should")
        .one_of(&[
            "none",
            "upstream_timeout",
            "upstream_error",
            "credential_rejected",
            "upstream_rate_limited",
        ])
        .default("none"),
];

/// One connection's settings, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// E-mails in lower case, administrators not repeated.
    pub users: BTreeSet<String>,
    /// E-mails in lower case.
    pub admins: BTreeSet<String>,
    /// Groups by e-mail in lower case.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Whether the groups are already those of the system that asks.
    pub groups_mapped: bool,
    /// What every call ends with.
    pub fail: Option<Code>,
}

impl Config {
    /// Read settings that were validated against [`KEYS`].
    /// Errors: what a key lacks; none for validated settings.
    pub fn read(settings: &Settings) -> Result<Config, String> {
        let emails_of = |key| {
            settings
                .text(key)
                .map(emails)
                .unwrap_or(Ok(BTreeSet::new()))
        };
        Ok(Config {
            users: emails_of("users")?,
            admins: emails_of("admins")?,
            groups: settings
                .text("groups")
                .map(groups)
                .unwrap_or(Ok(BTreeMap::new()))?,
            groups_mapped: settings.flag("groups_mapped", false),
            fail: settings.text("fail").and_then(Code::parse),
        })
    }

    /// Whether the e-mail, in lower case, is anybody's.
    pub fn knows(&self, email: &str) -> bool {
        self.users.contains(email) || self.is_admin(email)
    }

    /// Whether the e-mail, in lower case, is an administrator's.
    pub fn is_admin(&self, email: &str) -> bool {
        self.admins.contains(email)
    }
}

fn check_emails(text: &str) -> Result<(), String> {
    emails(text).map(drop)
}

fn check_groups(text: &str) -> Result<(), String> {
    groups(text).map(drop)
}

fn emails(text: &str) -> Result<BTreeSet<String>, String> {
    text.split(',').map(email).collect()
}

fn email(text: &str) -> Result<String, String> {
    let user = User::parse(text.trim())
        .map_err(|_| "expected e-mails, such as `dana@example.com`".to_owned())?;
    Ok(lower(user.as_str()))
}

fn groups(text: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut found = BTreeMap::new();
    for entry in text.split(';') {
        let (owner, list) = entry
            .split_once('=')
            .ok_or("expected `email=group,group;email=group`")?;
        let list =
            Groups::new(list.split(',').map(|group| group.trim().to_owned())).map_err(|_| {
                "expected at most 200 groups of 1 to 256 bytes after each `=`".to_owned()
            })?;
        if found
            .insert(email(owner)?, list.as_slice().to_vec())
            .is_some()
        {
            return Err("an e-mail stands twice; give all its groups at once".into());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_emails() {
        let set = |list: &[&str]| {
            list.iter()
                .map(|email| (*email).to_owned())
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(
            emails("Dana@Example.com, eve@example.com ,dana@example.com"),
            Ok(set(&["dana@example.com", "eve@example.com"]))
        );
        for bad in ["", "dana", "a@b,", ",a@b", "a@b c@d"] {
            assert!(check_emails(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn lists_of_groups() {
        let found = groups("Dana@example.com=sre, dev;eve@example.com=dev").unwrap();
        assert_eq!(found["dana@example.com"], ["dev", "sre"]);
        assert_eq!(found["eve@example.com"], ["dev"]);
        for bad in ["", "a@b", "a@b=", "a@b=x,", "a@b=x;", "=x", "a@b=x;A@b=y"] {
            assert!(check_groups(bad).is_err(), "{bad:?}");
        }
    }
}
