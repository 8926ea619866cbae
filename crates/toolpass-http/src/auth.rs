//! How a request proves who toolpass is: one header, made anew for every attempt.
//!
//! Separate from the client because what is sent differs per vendor and nothing else about a request does.
//!
//! INVARIANT: a header's value is marked sensitive, so no `Debug` shows it; what is done to get it leaves no evidence.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};

use crate::budget::Context;
use crate::error::Error;
use crate::secrets;
use crate::token::TokenSource;

/// The header one attempt sends.
#[derive(Clone, Debug)]
pub struct AuthHeader {
    name: HeaderName,
    value: HeaderValue,
    generation: Option<u64>,
}

/// Makes the header of each attempt.
pub trait Authorize: Send + Sync {
    /// The header for one attempt.
    fn authorize<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<AuthHeader, Error>>;

    /// The system answered 401 to `used`: do not use it again.
    fn invalidate(&self, _used: &AuthHeader) {}

    /// Whether another attempt would send something else after [`Authorize::invalidate`].
    fn refreshable(&self) -> bool {
        false
    }
}

/// Where a secret comes from at each attempt.
pub type ReadSecret = Arc<dyn Fn() -> Result<Secret, Error> + Send + Sync>;

/// `Authorization: Bearer`, the token read at every attempt.
#[derive(Clone)]
pub struct Bearer(ReadSecret);

/// `Authorization: Basic`, user and password read at every attempt.
#[derive(Clone)]
pub struct Basic {
    user: String,
    password: ReadSecret,
}

/// A header of the vendor's own, its value read at every attempt.
#[derive(Clone)]
pub struct HeaderSecret {
    name: HeaderName,
    value: ReadSecret,
}

/// `Authorization: Bearer` with a cached token that is fetched anew when the system refuses it.
#[derive(Clone)]
pub struct TokenBearer(TokenSource);

impl AuthHeader {
    /// `Authorization: Bearer SECRET`.
    /// Errors: `credential_rejected` when the secret cannot stand in a header.
    pub fn bearer(secret: &Secret) -> Result<AuthHeader, Error> {
        AuthHeader::of(
            AUTHORIZATION,
            &Secret::new([b"Bearer ", secret.expose()].concat()),
        )
    }

    /// `Authorization: Basic`, of `user:password`.
    /// Errors: as [`AuthHeader::bearer`].
    pub fn basic(user: &str, password: &Secret) -> Result<AuthHeader, Error> {
        let pair = Secret::new([user.as_bytes(), b":", password.expose()].concat());
        AuthHeader::of(
            AUTHORIZATION,
            &Secret::new(format!("Basic {}", STANDARD.encode(pair.expose()))),
        )
    }

    /// Any header.
    /// Errors: as [`AuthHeader::bearer`].
    pub fn of(name: HeaderName, value: &Secret) -> Result<AuthHeader, Error> {
        let value = HeaderValue::from_bytes(value.expose());
        let mut value = value.map_err(|_| {
            Error::coded(
                Code::CredentialRejected,
                "the credential holds a line break or control character, so it cannot be sent",
            )
        })?;
        value.set_sensitive(true);
        Ok(AuthHeader {
            name,
            value,
            generation: None,
        })
    }

    /// The same, made of the token with this number.
    pub fn with_generation(self, generation: u64) -> AuthHeader {
        AuthHeader {
            generation: Some(generation),
            ..self
        }
    }

    /// Its name.
    pub fn name(&self) -> &HeaderName {
        &self.name
    }

    /// Its value, marked sensitive.
    pub fn value(&self) -> &HeaderValue {
        &self.value
    }

    /// The number of the token it was made of.
    pub fn generation(&self) -> Option<u64> {
        self.generation
    }
}

/// A secret as its reference names it, for [`Bearer::new`] and its kin.
pub fn read_at_use(reference: SecretRef) -> ReadSecret {
    Arc::new(move || Ok(secrets::read(&reference)?))
}

impl Bearer {
    /// A token given by a function.
    pub fn new(read: ReadSecret) -> Bearer {
        Bearer(read)
    }

    /// A token kept where `reference` says.
    pub fn from_ref(reference: SecretRef) -> Bearer {
        Bearer(read_at_use(reference))
    }
}

impl Authorize for Bearer {
    fn authorize<'a>(&'a self, _ctx: &'a Context) -> BoxFuture<'a, Result<AuthHeader, Error>> {
        Box::pin(async { AuthHeader::bearer(&(self.0)()?) })
    }
}

impl Basic {
    /// A user name and where its password comes from.
    pub fn new(user: impl Into<String>, password: ReadSecret) -> Basic {
        Basic {
            user: user.into(),
            password,
        }
    }
}

impl Authorize for Basic {
    fn authorize<'a>(&'a self, _ctx: &'a Context) -> BoxFuture<'a, Result<AuthHeader, Error>> {
        Box::pin(async { AuthHeader::basic(&self.user, &(self.password)()?) })
    }
}

impl HeaderSecret {
    /// A header's name and where its value comes from.
    pub fn new(name: HeaderName, value: ReadSecret) -> HeaderSecret {
        HeaderSecret { name, value }
    }
}

impl Authorize for HeaderSecret {
    fn authorize<'a>(&'a self, _ctx: &'a Context) -> BoxFuture<'a, Result<AuthHeader, Error>> {
        Box::pin(async { AuthHeader::of(self.name.clone(), &(self.value)()?) })
    }
}

impl TokenBearer {
    /// The tokens of `source`.
    pub fn new(source: TokenSource) -> TokenBearer {
        TokenBearer(source)
    }
}

impl Authorize for TokenBearer {
    fn authorize<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<AuthHeader, Error>> {
        Box::pin(async {
            let held = self.0.token(ctx).await?;
            Ok(AuthHeader::bearer(held.secret())?.with_generation(held.generation()))
        })
    }

    fn invalidate(&self, used: &AuthHeader) {
        match used.generation {
            // Only the one that was refused: another caller may have fetched a new one meanwhile.
            Some(generation) => self.0.invalidate_generation(generation),
            None => self.0.invalidate(),
        }
    }

    fn refreshable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_sensitive_and_refuse_line_breaks() {
        let header = AuthHeader::bearer(&Secret::new("tok-123")).unwrap();
        assert_eq!(header.value().as_bytes(), b"Bearer tok-123");
        assert!(!format!("{header:?}").contains("tok-123"));
        assert_eq!(
            AuthHeader::basic("u", &Secret::new("p"))
                .unwrap()
                .value()
                .as_bytes(),
            b"Basic dTpw"
        );
        let error = AuthHeader::bearer(&Secret::new("tok\r\nX: y")).unwrap_err();
        assert_eq!(error.code(), Code::CredentialRejected);
        assert!(!error.to_string().contains("tok"));
    }
}
