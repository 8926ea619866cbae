//! E-mail → account: what the search returned is compared with what was asked, since it also finds names.
//!
//! An account that hides its e-mail is never taken for a match, nor for a miss. An empty result is believed only of a credential that may
//! browse users: to any other Jira answers 200 and an empty list.
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "User search", "Permissions" ("Get my permissions"); support.atlassian.com
//! "Profile visibility"; read 2026-12-01.

use toolpass_core::codes::Code;
use toolpass_core::user::User;
use toolpass_http::budget::Context;
use toolpass_http::json::Json;
use toolpass_integration::connection::Identity;
use toolpass_integration::failure::Failure;

use crate::config::Config;
use crate::upstream::records::people::{self, Candidate};
use crate::upstream::site::Site;

/// Finds accounts on one site.
pub struct Identities {
    site: Site,
    missing_user_denies: bool,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Exactly one account shows the e-mail.
    One(Candidate),
    /// More than one does.
    Several,
    /// None does, but one hides its own.
    Hidden,
    /// There were more than are read.
    TooMany,
    /// None.
    Nobody,
}

impl Identities {
    /// Accounts of the site.
    pub fn new(config: &Config, site: &Site) -> Identities {
        Identities {
            site: site.clone(),
            missing_user_denies: config.missing_user_denies,
        }
    }

    /// The account of a user.
    /// Errors: `user_not_found`, `user_ambiguous`, `unsupported`, and what the search failed with.
    pub async fn find(&self, ctx: &Context, user: &User) -> Result<Identity, Failure> {
        let email = user.as_str().trim();
        if email.is_empty() {
            return Err(Failure::invalid("expected an e-mail"));
        }
        let mut found = self.search(ctx, email).await?;
        if found == Found::Nobody {
            self.confirm(ctx).await?;
            // The search may have been made by a token that had just run out, and the confirmation by a new one.
            found = self.search(ctx, email).await?;
        }
        match found {
            Found::One(account) => identity(account),
            Found::Several => Err(Failure::new(
                Code::UserAmbiguous,
                "more than one account of this site shows the e-mail",
            )),
            Found::Hidden => Err(Failure::unsupported(
                "an account that was found hides its e-mail, so it cannot be told whose it is",
            )),
            Found::TooMany => Err(Failure::unsupported(
                "more accounts answer to the e-mail than are read",
            )),
            Found::Nobody => Err(match self.missing_user_denies {
                true => Failure::new(
                    Code::UserNotFound,
                    "no account of this site shows the e-mail",
                ),
                false => Failure::unsupported(
                    "no account of this site shows the e-mail; one may hide it (`missing_user: unknown`)",
                ),
            }),
        }
    }

    async fn search(&self, ctx: &Context, email: &str) -> Result<Found, Failure> {
        let (mut candidates, mut is_cut) = (Vec::new(), true);
        for page in 0..MAX_PAGES {
            let start = (page * PAGE).to_string();
            let query = [
                ("query", email),
                ("startAt", start.as_str()),
                ("maxResults", "50"),
            ];
            let path = ["rest", "api", "3", "user", "search"];
            let answer = self.site.get(ctx, &path, &query).await?;
            let found = people::candidates(Json::new(&answer))?;
            is_cut = found.len() >= PAGE;
            candidates.extend(found);
            if !is_cut {
                break;
            }
        }
        Ok(judged(email, candidates, is_cut))
    }

    /// Whether our credential may browse users at all: otherwise every search is empty.
    async fn confirm(&self, ctx: &Context) -> Result<(), Failure> {
        let query = [("permissions", "USER_PICKER")];
        let answer = self
            .site
            .get(ctx, &["rest", "api", "3", "mypermissions"], &query);
        let held = people::own_permissions(Json::new(&answer.await?))?;
        if !held.iter().any(|key| key == "USER_PICKER") {
            return Err(Failure::new(
                Code::CredentialRejected,
                "our credential may not browse users, so an empty search says nothing; grant it Browse users and groups",
            ));
        }
        Ok(())
    }
}

/// Judge all candidates of a search; `is_cut` when there were more than were read.
pub fn judged(email: &str, candidates: Vec<Candidate>, is_cut: bool) -> Found {
    let people = candidates.into_iter().filter(|account| {
        account.kind.as_deref() == Some("atlassian") && account.active == Some(true)
    });
    let (mut matching, mut hidden) = (Vec::<Candidate>::new(), false);
    for account in people {
        match account.email.as_deref().unwrap_or_default() {
            "" => hidden = true,
            // The pages may overlap when accounts come and go.
            shown
                if is_same(shown, email)
                    && !matching
                        .iter()
                        .any(|known| known.account == account.account) =>
            {
                matching.push(account);
            }
            _ => {}
        }
    }
    match (matching.len(), is_cut, hidden) {
        (1, _, _) => matching.pop().map_or(Found::Nobody, Found::One),
        (0, true, _) => Found::TooMany,
        (0, false, true) => Found::Hidden,
        (0, false, false) => Found::Nobody,
        (_, _, _) => Found::Several,
    }
}

/// Letter by letter without regard to case, of the same length: no letter stands for two.
fn is_same(shown: &str, email: &str) -> bool {
    let fold = |letter: char| {
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(only), None) => only,
            (_, _) => letter,
        }
    };
    shown.len() == email.len() && shown.chars().map(fold).eq(email.chars().map(fold))
}

fn identity(account: Candidate) -> Result<Identity, Failure> {
    let id = account
        .account
        .filter(|id| is_account_id(id))
        .ok_or_else(|| {
            Failure::new(Code::UpstreamError, "an account of Jira's has no usable id")
        })?;
    Ok(Identity {
        display: account.display.unwrap_or_else(|| id.clone()),
        id,
        ..Identity::default()
    })
}

/// 1 to 128 letters, digits, `:` and `-`, as Atlassian documents ids of accounts; some are older and hold `_`.
pub fn is_account_id(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b":-_".contains(&b);
    (1..=128).contains(&text.len()) && text.bytes().all(fits)
}

const PAGE: usize = 50;
const MAX_PAGES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str, email: &str) -> Candidate {
        Candidate {
            account: Some(id.into()),
            kind: Some("atlassian".into()),
            active: Some(true),
            email: Some(email.into()).filter(|email: &String| !email.is_empty()),
            display: None,
        }
    }

    #[test]
    fn only_a_shown_address_is_a_match() {
        let judge = |list: &[(&str, &str)], is_cut| {
            let list = list.iter().map(|(id, email)| account(id, email)).collect();
            judged("dana@example.com", list, is_cut)
        };
        let dana = ("1", "DANA@example.com");
        assert_eq!(
            judge(&[dana], false),
            Found::One(account("1", "DANA@example.com"))
        );
        assert!(matches!(
            judge(&[dana, ("2", ""), ("3", "sam@example.com")], true),
            Found::One(_)
        ));
        assert!(
            matches!(judge(&[dana, dana], false), Found::One(_)),
            "one account twice"
        );
        assert_eq!(
            judge(&[dana, ("2", "dana@example.com")], false),
            Found::Several
        );
        assert_eq!(judge(&[("2", "")], false), Found::Hidden);
        assert_eq!(judge(&[("2", "")], true), Found::TooMany);
        assert_eq!(judge(&[("3", "dana@example.co")], false), Found::Nobody);
        let mut other = account("1", "dana@example.com");
        other.display = Some("dana@example.com".into());
        other.email = Some("mallory@example.com".into());
        assert_eq!(
            judged("dana@example.com", vec![other], false),
            Found::Nobody,
            "a name is no address"
        );
        for changed in [
            Candidate {
                kind: Some("app".into()),
                ..account("1", "dana@example.com")
            },
            Candidate {
                kind: None,
                ..account("1", "dana@example.com")
            },
            Candidate {
                active: Some(false),
                ..account("1", "dana@example.com")
            },
            Candidate {
                active: None,
                ..account("1", "dana@example.com")
            },
        ] {
            assert_eq!(
                judged("dana@example.com", vec![changed], false),
                Found::Nobody
            );
        }
        assert!(!is_same(
            "dana@example.com\u{0130}",
            "dana@example.comi\u{0307}"
        ));
        assert!(is_same("Ünal@e", "ünal@e") && !is_same("dan@e", "dana@e"));
    }
}
