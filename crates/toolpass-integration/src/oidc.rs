//! The keys of a connection that takes groups from the user's own ID token, and what they say.
//!
//! Here and not in a vendor, because the systems that grant by group share them. A vendor lists the five keys among its own and
//! calls [`check`]; fetching keys, verifying tokens and handing the groups over is the engine's.

use crate::fields::{Key, Settings};

/// Who signs the tokens.
pub const ISSUER: Key = Key::url(
    "oidc_issuer",
    "the provider whose ID tokens name a user's groups, when the caller sent none",
);
/// For whom they are signed.
pub const AUDIENCE: Key = Key::text(
    "oidc_audience",
    "the audience an ID token must have; required with `oidc_issuer`",
);
/// What the provider's certificate is verified with.
pub const CA_FILE: Key = Key::file(
    "oidc_ca_file",
    "a PEM file of the certificates to trust for the provider, instead of the connection's own",
);
/// Which claim is the user.
pub const EMAIL_CLAIM: Key =
    Key::text("oidc_email_claim", "the claim that holds the user's e-mail")
        .default("email")
        .checked(claim);
/// Which claim is the groups.
pub const GROUPS_CLAIM: Key = Key::text(
    "oidc_groups_claim",
    "the claim that lists the user's groups",
)
.default("groups")
.checked(claim);

/// What the keys say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oidc {
    /// The provider's address, without a `/` at its end.
    pub issuer: String,
    /// The audience.
    pub audience: String,
    /// The claim of the groups.
    pub groups_claim: String,
    /// The claim of the e-mail.
    pub email_claim: String,
    /// The file of certificates for the provider.
    pub ca_file: Option<String>,
}

/// What the keys of a connection say; `None` when it takes no groups from tokens.
pub fn read(settings: &Settings) -> Option<Oidc> {
    let text = |key: &Key| settings.text(key.name).or(key.default).map(str::to_owned);
    let issuer = settings.text(ISSUER.name)?.trim_end_matches('/');
    Some(Oidc {
        issuer: issuer.to_owned(),
        audience: text(&AUDIENCE)?,
        groups_claim: text(&GROUPS_CLAIM)?,
        email_claim: text(&EMAIL_CLAIM)?,
        ca_file: text(&CA_FILE),
    })
}

/// What no single key can say, for an integration's own check.
pub fn check(settings: &Settings) -> Vec<(&'static str, String)> {
    if settings.has(ISSUER.name) {
        let lacks = !settings.has(AUDIENCE.name);
        let problem = (ISSUER.name, "it needs `oidc_audience` beside it".to_owned());
        return lacks.then_some(problem).into_iter().collect();
    }
    [AUDIENCE, CA_FILE, EMAIL_CLAIM, GROUPS_CLAIM]
        .iter()
        .filter(|key| {
            settings
                .text(key.name)
                .is_some_and(|text| Some(text) != key.default)
        })
        .map(|key| (key.name, "it needs `oidc_issuer` beside it".to_owned()))
        .collect()
}

fn claim(text: &str) -> Result<(), String> {
    if text.is_empty() || text.contains(char::is_whitespace) {
        Err("expected the name of a claim, without white space".into())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Value;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        let value =
            |(key, text): &(&str, &str)| ((*key).to_owned(), Value::Text((*text).to_owned()));
        Settings::new(pairs.iter().map(value).collect())
    }

    #[test]
    fn what_the_keys_say() {
        let found = read(&settings(&[
            ("oidc_issuer", "https://idp/x/"),
            ("oidc_audience", "a"),
        ]))
        .unwrap();
        assert_eq!(
            (found.issuer.as_str(), found.groups_claim.as_str()),
            ("https://idp/x", "groups")
        );
        assert_eq!((found.email_claim.as_str(), found.ca_file), ("email", None));
        assert_eq!(read(&settings(&[])), None);
    }

    #[test]
    fn they_belong_together() {
        let named = |pairs: &[(&str, &str)]| {
            check(&settings(pairs))
                .iter()
                .map(|(key, _)| *key)
                .collect::<Vec<_>>()
        };
        assert_eq!(named(&[("oidc_issuer", "https://idp")]), ["oidc_issuer"]);
        assert!(named(&[("oidc_issuer", "https://idp"), ("oidc_audience", "a")]).is_empty());
        assert!(
            named(&[
                ("oidc_groups_claim", "groups"),
                ("oidc_email_claim", "email")
            ])
            .is_empty()
        );
        let strays = [
            ("oidc_audience", "a"),
            ("oidc_email_claim", "upn"),
            ("oidc_groups_claim", "roles"),
        ];
        assert_eq!(
            named(&strays),
            ["oidc_audience", "oidc_email_claim", "oidc_groups_claim"]
        );
        for bad in ["", "a b", "\u{3000}"] {
            assert!(claim(bad).is_err(), "{bad:?}");
        }
    }
}
