//! Whose address is whose, as a provider or member list tells it: matching and the whole list, pure.
//!
//! INVARIANT: two people behind one address are a conflict, never the first of them; an entry without an account never displaces one
//! with; what a cut list does not have, it does not deny.

use std::collections::HashMap;

use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::failure::Failure;

use super::not_found;
use crate::resource::Login;

/// Somebody a provider knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The login of the account; none when it is not linked.
    pub(super) login: Option<String>,
    /// Everything that may be an address of theirs.
    pub(super) addresses: Vec<String>,
}

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) entries: Vec<Entry>,
    pub(super) has_next: bool,
    pub(super) cursor: Option<String>,
}

/// The whole list, by address in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    people: HashMap<String, Holder>,
    seen: usize,
    /// It was cut, so absence means nothing.
    pub(super) truncated: bool,
}

/// Who has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holder {
    Conflict,
    Linked(String),
    Unlinked,
}

impl Entry {
    fn has(&self, email: &str) -> bool {
        self.addresses
            .iter()
            .any(|address| address.eq_ignore_ascii_case(email))
    }
}

/// The login of the entries that really have this e-mail; `None` when none of them has. The provider's own filter is not believed.
pub(super) fn choose(entries: &[Entry], email: &str) -> Result<Option<Login>, Failure> {
    let kept: Vec<&Entry> = entries.iter().filter(|entry| entry.has(email)).collect();
    let mut linked = kept.iter().filter_map(|entry| entry.login.as_deref());
    match (linked.next(), kept.is_empty()) {
        (Some(first), _) if linked.all(|login| login.eq_ignore_ascii_case(first)) => {
            returned(first).map(Some)
        }
        (Some(_), _) => Err(ambiguous()),
        (None, false) => Err(unlinked()),
        (None, true) => Ok(None),
    }
}

impl Index {
    /// Take a page. Returns whether to go on.
    pub(super) fn take(&mut self, page: Page) -> Option<String> {
        for entry in page.entries {
            self.seen += 1;
            for address in entry
                .addresses
                .iter()
                .filter(|address| address.contains('@'))
            {
                self.put(address.to_ascii_lowercase(), entry.login.as_deref());
            }
        }
        if !page.has_next {
            return None;
        }
        if self.seen >= MAX_PEOPLE || page.cursor.is_none() {
            self.truncated = true;
            return None;
        }
        page.cursor
    }

    /// The login of an e-mail.
    pub(super) fn find(&self, email: &str) -> Result<Login, Failure> {
        match self.people.get(&email.to_ascii_lowercase()) {
            Some(Holder::Linked(login)) => returned(login),
            Some(Holder::Conflict) => Err(ambiguous()),
            Some(Holder::Unlinked) => Err(unlinked()),
            None if self.truncated => Err(Failure::unsupported(
                "the list of people is too long to be read whole, and this e-mail is not in the part that was",
            )),
            None => Err(not_found("nobody the organization knows has this e-mail")),
        }
    }

    fn put(&mut self, address: String, login: Option<&str>) {
        let next = match (self.people.get(&address), login) {
            (Some(Holder::Linked(known)), Some(login)) if !known.eq_ignore_ascii_case(login) => {
                Holder::Conflict
            }
            (None | Some(Holder::Unlinked), Some(login)) => Holder::Linked(login.to_owned()),
            (None, None) => Holder::Unlinked,
            (Some(_), _) => return,
        };
        self.people.insert(address, next);
    }
}

/// Read a page of external identities.
pub(super) fn identities(json: Json<'_>) -> Result<Page, Error> {
    page(json, |node| {
        let mut addresses = Vec::new();
        for (part, names) in [
            ("samlIdentity", ["nameId", "username"].as_slice()),
            ("scimIdentity", ["username"].as_slice()),
        ] {
            let Some(identity) = node.member(part)? else {
                continue;
            };
            for name in names {
                addresses.extend(
                    identity
                        .member(name)?
                        .map(|value| value.string())
                        .transpose()?
                        .map(str::to_owned),
                );
            }
            if let Some(emails) = identity.member("emails")? {
                for email in emails.array()? {
                    addresses.push(email.required("value")?.string()?.to_owned());
                }
            }
        }
        let login = node
            .member("user")?
            .map(|user| user.required("login")?.string())
            .transpose()?;
        Ok(Entry {
            login: login.map(str::to_owned),
            addresses,
        })
    })
}

/// Read a page of members with their verified e-mails.
pub(super) fn members(json: Json<'_>) -> Result<Page, Error> {
    page(json, |node| {
        let emails = node
            .member("organizationVerifiedDomainEmails")?
            .map(|emails| emails.array())
            .transpose()?;
        let addresses = emails
            .into_iter()
            .flatten()
            .map(|email| Ok(email.string()?.to_owned()))
            .collect::<Result<_, Error>>()?;
        Ok(Entry {
            login: Some(node.required("login")?.string()?.to_owned()),
            addresses,
        })
    })
}

fn page(json: Json<'_>, entry: impl Fn(Json<'_>) -> Result<Entry, Error>) -> Result<Page, Error> {
    let info = json.required("pageInfo")?;
    let entries = json
        .required("nodes")?
        .array()?
        .filter(|node| !node.is_null())
        .map(entry)
        .collect::<Result<_, Error>>()?;
    Ok(Page {
        entries,
        has_next: info.required("hasNextPage")?.bool()?,
        cursor: info
            .member("endCursor")?
            .map(|cursor| cursor.string())
            .transpose()?
            .map(str::to_owned),
    })
}

fn returned(login: &str) -> Result<Login, Failure> {
    Login::returned(login).ok_or_else(|| {
        Failure::unsupported("GitHub's name of the account cannot stand in an address")
    })
}

fn ambiguous() -> Failure {
    Failure::new(Code::UserAmbiguous, "several accounts have this e-mail")
}

fn unlinked() -> Failure {
    Failure::unsupported(
        "the provider knows this e-mail, but no GitHub account is linked to it yet",
    )
}

const MAX_PEOPLE: usize = 5_000;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(login: Option<&str>, addresses: &[&str]) -> Entry {
        Entry {
            login: login.map(str::to_owned),
            addresses: addresses
                .iter()
                .map(|address| address.to_string())
                .collect(),
        }
    }

    fn codes(entries: &[Entry]) -> Result<Option<String>, Code> {
        choose(entries, "dana@example.com")
            .map(|login| login.map(|login| login.to_string()))
            .map_err(|failure| failure.code())
    }

    #[test]
    fn the_providers_filter_is_not_believed() {
        assert_eq!(codes(&[entry(Some("sam"), &["sam@example.com"])]), Ok(None));
        assert_eq!(
            codes(&[
                entry(Some("sam"), &["sam@example.com"]),
                entry(Some("dana"), &["x", "DANA@example.com"])
            ]),
            Ok(Some("dana".into()))
        );
        assert_eq!(codes(&[]), Ok(None));
    }

    #[test]
    fn one_account_however_often() {
        let dana = &["dana@example.com"];
        assert_eq!(
            codes(&[
                entry(Some("dana"), dana),
                entry(Some("Dana"), dana),
                entry(None, dana)
            ]),
            Ok(Some("dana".into()))
        );
        assert_eq!(
            codes(&[entry(Some("dana"), dana), entry(Some("dana2"), dana)]),
            Err(Code::UserAmbiguous)
        );
        assert_eq!(codes(&[entry(None, dana)]), Err(Code::Unsupported));
        assert_eq!(
            codes(&[entry(Some("not/a/login"), dana)]),
            Err(Code::Unsupported)
        );
    }

    fn indexed(
        entries: Vec<Entry>,
        has_next: bool,
        cursor: Option<&str>,
    ) -> (Index, Option<String>) {
        let mut index = Index::default();
        let next = index.take(Page {
            entries,
            has_next,
            cursor: cursor.map(str::to_owned),
        });
        (index, next)
    }

    fn found(index: &Index, email: &str) -> Result<String, Code> {
        index
            .find(email)
            .map(|login| login.to_string())
            .map_err(|failure| failure.code())
    }

    #[test]
    fn the_whole_list() {
        let people = vec![
            entry(Some("dana"), &["Dana@example.com", "no-address"]),
            entry(None, &["dana@example.com", "new@example.com"]),
            entry(Some("a"), &["shared@example.com"]),
            entry(Some("b"), &["shared@example.com"]),
            entry(None, &["late@example.com"]),
            entry(Some("late"), &["late@example.com"]),
        ];
        let (index, next) = indexed(people, false, None);
        assert_eq!((next, index.truncated), (None, false));
        assert_eq!(found(&index, "DANA@example.com"), Ok("dana".into()));
        assert_eq!(found(&index, "late@example.com"), Ok("late".into()));
        assert_eq!(found(&index, "new@example.com"), Err(Code::Unsupported));
        assert_eq!(
            found(&index, "shared@example.com"),
            Err(Code::UserAmbiguous)
        );
        assert_eq!(found(&index, "no-address"), Err(Code::UserNotFound));
    }

    #[test]
    fn a_cut_list_denies_nobody() {
        let (index, next) = indexed(vec![entry(Some("dana"), &["dana@example.com"])], true, None);
        assert_eq!((next, index.truncated), (None, true));
        assert_eq!(found(&index, "dana@example.com"), Ok("dana".into()));
        assert_eq!(found(&index, "sam@example.com"), Err(Code::Unsupported));
        let many = (0..MAX_PEOPLE)
            .map(|n| entry(Some("x"), &[&format!("{n}@example.com")]))
            .collect();
        assert!(indexed(many, true, Some("c")).0.truncated);
        assert_eq!(indexed(vec![], true, Some("c")).1.as_deref(), Some("c"));
    }

    #[test]
    fn pages_are_read_strictly() {
        let page = json!({"nodes": [{"user": {"login": "dana"}, "samlIdentity": {"nameId": "d@e", "username": null, "emails": [{"value": "x@e"}]}, "scimIdentity": null}, null],
            "pageInfo": {"hasNextPage": false, "endCursor": null}});
        assert_eq!(
            identities(Json::new(&page)).unwrap().entries,
            [entry(Some("dana"), &["d@e", "x@e"])]
        );
        for bad in [
            json!({}),
            json!({"nodes": []}),
            json!({"nodes": [{"user": {}}], "pageInfo": {"hasNextPage": false}}),
            json!({"nodes": [], "pageInfo": {"hasNextPage": "no"}}),
        ] {
            assert!(identities(Json::new(&bad)).is_err(), "{bad}");
        }
    }
}
