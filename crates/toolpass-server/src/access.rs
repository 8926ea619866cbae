//! API keys: who asks, and what a key may ask about.
//!
//! A key's value is read from its reference for every request, so a rotated file counts without a restart, and two keys at
//! once make a rotation without a gap.
//! INVARIANT: an empty key, one that cannot be read, and a header given twice authorise nobody. All keys are compared, each in
//! constant time, whichever matches.

use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use toolpass_config::server::{ApiKeyConfig, CallerGroups, Scope};
use toolpass_core::glob::Glob;
use toolpass_core::secret::SecretRef;
use toolpass_core::user::User;
use toolpass_http::secrets;

use crate::load::Rate;

/// One key, and what it may do.
#[derive(Debug)]
pub(crate) struct ApiKey {
    /// What it is called in logs.
    pub(crate) name: String,
    /// What to do with groups its holder sends.
    pub(crate) caller_groups: CallerGroups,
    /// How often it may ask.
    pub(crate) rate: Option<Rate>,
    secret: Option<SecretRef>,
    certificate: Option<String>,
    scopes: Vec<Scope>,
    connections: Vec<Glob>,
    users: Vec<Glob>,
}

/// Every key there is.
#[derive(Debug, Default)]
pub(crate) struct Keys(Vec<Arc<ApiKey>>);

/// Why nobody is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// No `Authorization` header.
    #[error("no API key; send it as `Authorization: Bearer <key>`")]
    Missing,
    /// Several of them.
    #[error("the Authorization header is given more than once")]
    Repeated,
    /// Another scheme, an unknown key, or one that cannot be read.
    #[error("the API key is not accepted")]
    Wrong,
}

impl ApiKey {
    /// A key as configured.
    pub(crate) fn new(config: &ApiKeyConfig) -> ApiKey {
        ApiKey {
            name: config.name.clone(),
            caller_groups: config.caller_groups,
            rate: config.rate_limit.map(Rate::new),
            secret: config.key.clone(),
            certificate: config.certificate.clone(),
            scopes: config.scopes.clone(),
            connections: config.connections.clone(),
            users: config.users.clone(),
        }
    }

    /// Whether it may do this.
    pub(crate) fn has(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    /// Whether it may see the same as another key.
    pub(crate) fn sees_as(&self, other: &ApiKey) -> bool {
        self.users == other.users && self.connections == other.connections
    }

    /// Whether it may ask about this connection.
    pub(crate) fn covers_connection(&self, id: &str) -> bool {
        covers(&self.connections, id)
    }

    /// Whether it may ask about this user, however the e-mail is spelt.
    pub(crate) fn covers_user(&self, email: &str) -> bool {
        if self.users.is_empty() {
            return true;
        }
        User::parse(email).is_ok_and(|user| covers(&self.users, &user.canonical()))
    }
}

impl Keys {
    /// The keys of a configuration.
    pub(crate) fn new(configured: &[ApiKeyConfig]) -> Keys {
        Keys(
            configured
                .iter()
                .map(|key| Arc::new(ApiKey::new(key)))
                .collect(),
        )
    }

    /// Read every key now, so that a server without a usable one does not start.
    /// Errors: the first that cannot be read.
    pub(crate) fn read(&self) -> Result<(), secrets::SecretError> {
        let mut references = self.0.iter().filter_map(|key| key.secret.as_ref());
        references.try_for_each(|reference| secrets::read(reference).map(drop))
    }

    /// The key of these headers; without any, of the names in the client's verified certificate.
    /// Errors: [`Refused`].
    pub(crate) fn of(
        &self,
        headers: &HeaderMap,
        certificate: &[String],
    ) -> Result<&Arc<ApiKey>, Refused> {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let Some(header) = given.next() else {
            let shown = |key: &&Arc<ApiKey>| {
                let name = key.certificate.as_ref();
                name.is_some_and(|name| certificate.contains(name))
            };
            return self.0.iter().find(shown).ok_or(Refused::Missing);
        };
        if given.next().is_some() {
            return Err(Refused::Repeated);
        }
        let shown = bearer(header.as_bytes()).ok_or(Refused::Wrong)?;
        let mut found = None;
        for (key, secret) in self
            .0
            .iter()
            .filter_map(|key| Some((key, key.secret.as_ref()?)))
        {
            match secrets::read(secret) {
                Ok(secret) if secret.matches(shown) => found = Some(key),
                Ok(_) => {}
                Err(error) => {
                    let error = error.to_string();
                    tracing::error!(key = key.name, error, "an API key cannot be read");
                }
            }
        }
        found.ok_or(Refused::Wrong)
    }
}

/// The value after `Bearer`, in any case, trimmed; `None` when it is empty or of another scheme.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, value) = header.split_at_checked(SCHEME.len())?;
    let separated = value.first().is_some_and(|b| matches!(b, b' ' | b'\t'));
    let value = value.trim_ascii();
    (scheme.eq_ignore_ascii_case(SCHEME) && separated && !value.is_empty()).then_some(value)
}

fn covers(globs: &[Glob], text: &str) -> bool {
    globs.is_empty() || globs.iter().any(|glob| glob.matches(text))
}

const SCHEME: &[u8] = b"Bearer";

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use toolpass_core::secret::Secret;

    use super::*;

    fn key(name: &str, value: &str) -> ApiKeyConfig {
        ApiKeyConfig {
            name: name.into(),
            key: Some(SecretRef::Literal(Secret::new(value))),
            certificate: None,
            scopes: vec![Scope::Check],
            connections: Vec::new(),
            users: Vec::new(),
            caller_groups: CallerGroups::Accept,
            rate_limit: None,
        }
    }

    fn asked(keys: &Keys, values: &[&[u8]]) -> Result<String, Refused> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        }
        keys.of(&headers, &[]).map(|key| key.name.clone())
    }

    #[test]
    fn who_is_let_in() {
        let unset = ApiKeyConfig {
            key: Some(SecretRef::Env("TOOLPASS_TEST_SURELY_UNSET".into())),
            ..key("unset", "")
        };
        let keys = Keys::new(&[key("old", "k1"), unset, key("empty", ""), key("new", "k2")]);
        type Case<'a> = (&'a [&'a [u8]], Result<&'a str, Refused>);
        let cases: &[Case<'_>] = &[
            (&[b"Bearer k1"], Ok("old")),
            (&[b"bearer k2"], Ok("new")),
            (&[b"BEARER \t k2 \t"], Ok("new")),
            (&[], Err(Refused::Missing)),
            (&[b"Bearer k1", b"Bearer k1"], Err(Refused::Repeated)),
            (&[b"Bearer"], Err(Refused::Wrong)),
            (&[b"Bearer "], Err(Refused::Wrong)),
            (&[b"Bearerk1"], Err(Refused::Wrong)),
            (&[b"Basic k1"], Err(Refused::Wrong)),
            (&[b"Bearer k"], Err(Refused::Wrong)),
            (&[b"Bearer k11"], Err(Refused::Wrong)),
            (&[b"Bearer K1"], Err(Refused::Wrong)),
            (&[b"Bearer k1, Bearer k2"], Err(Refused::Wrong)),
            (&[b"k1"], Err(Refused::Wrong)),
            (&[b"Bearer \xff"], Err(Refused::Wrong)),
        ];
        for (values, expected) in cases {
            assert_eq!(
                asked(&keys, values),
                expected.map(str::to_owned),
                "{values:?}"
            );
        }
    }

    #[test]
    fn a_certificate_stands_for_a_key_when_none_is_shown() {
        let by_name = ApiKeyConfig {
            key: None,
            certificate: Some("ops.acme.com".into()),
            ..key("ops", "")
        };
        let keys = Keys::new(&[key("one", "k1"), by_name]);
        let shown = ["x.acme.com".to_owned(), "ops.acme.com".to_owned()];
        let found = |headers: &HeaderMap, names: &[String]| {
            keys.of(headers, names).map(|key| key.name.clone())
        };
        let mut headers = HeaderMap::new();
        assert_eq!(found(&headers, &shown).as_deref(), Ok("ops"));
        assert_eq!(found(&headers, &shown[..1]), Err(Refused::Missing));
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer wrong"));
        assert_eq!(found(&headers, &shown), Err(Refused::Wrong));
    }

    #[test]
    fn limits_hold_for_every_spelling() {
        let limited = ApiKey::new(&ApiKeyConfig {
            connections: vec![Glob::compile("gh-*").unwrap()],
            users: vec![Glob::compile("*@acme.com").unwrap()],
            ..key("limited", "k")
        });
        for (email, covered) in [
            ("dana@acme.com", true),
            ("Dana@ACME.com", true),
            ("dana@acme.com.evil.example", false),
            ("dana@evil.example", false),
            ("x@evil.example@acme.com", false),
            ("", false),
        ] {
            assert_eq!(limited.covers_user(email), covered, "{email:?}");
        }
        assert!(limited.covers_connection("gh-one") && !limited.covers_connection("gl-one"));
        assert!(limited.has(Scope::Check) && !limited.has(Scope::Admin));
    }
}
