//! The GitHub App: a short assertion signed with its key, its installation, and the token minted for that.
//!
//! INVARIANT: a failure in here is about our credential and never reads as an answer to the call that needed the token: every error
//! leaves with a code of its own and without a status.
//! Source: docs.github.com "Generating a JSON Web Token (JWT) for a GitHub App", REST "Get an organization installation for the
//! authenticated app", "Create an installation access token for an app"; read 2026-11-30.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolpass_core::clock::Wall;
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::auth::{AuthHeader, Authorize};
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::jwt::{Algorithm, Claims, Header, KeyRef};
use toolpass_http::token::{Fetched, TokenSource};

use super::failure::{self, Asker};
use crate::resource::Login;

/// An App and its one installation.
pub struct App {
    client: Client,
    organization: Login,
    configured: Option<u64>,
    /// Found by the organization; forgotten when GitHub does not know it any more.
    discovered: Mutex<Option<u64>>,
}

/// An installation, as the probe looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installation {
    /// Its number.
    pub id: u64,
    /// Level by permission, in alphabetical order.
    pub permissions: Vec<(String, String)>,
}

impl App {
    /// An App that signs with `key`; `client` is of the REST API, without a credential.
    pub fn new(
        client: Client,
        organization: Login,
        app_id: String,
        installation: Option<u64>,
        key: SecretRef,
    ) -> App {
        let assertion = Arc::new(Assertion {
            app_id,
            key: KeyRef::new(key),
        });
        App {
            client: client.with_auth(assertion),
            organization,
            configured: installation,
            discovered: Mutex::new(None),
        }
    }

    /// Its tokens.
    pub fn tokens(self: &Arc<App>) -> TokenSource {
        let app = Arc::clone(self);
        TokenSource::new(Arc::new(move |ctx| {
            let app = Arc::clone(&app);
            async move { app.mint(&ctx).await }.boxed()
        }))
    }

    /// Its name in addresses.
    pub async fn slug(&self, ctx: &Context) -> Result<String, Error> {
        let answer = self
            .client
            .get(["app"])
            .send(ctx)
            .await
            .map_err(own)?
            .json()?;
        Ok(Json::new(&answer).required("slug")?.string()?.to_owned())
    }

    /// Its installation in the organization.
    /// Errors: `credential_rejected` when it is not installed there.
    pub async fn installation(&self, ctx: &Context) -> Result<Installation, Error> {
        let request = self
            .client
            .get(["orgs", self.organization.as_str(), "installation"]);
        let answer = request
            .send(ctx)
            .await
            .map_err(|error| self.not_installed(error))?
            .json()?;
        let json = Json::new(&answer);
        let mut permissions = Vec::new();
        if let Some(given) = json.member("permissions")? {
            for (name, level) in given.members()? {
                permissions.push((name.to_owned(), level.string()?.to_owned()));
            }
        }
        permissions.sort();
        Ok(Installation {
            id: number(json.required("id")?)?,
            permissions,
        })
    }

    /// The installation given in the configuration.
    pub fn configured(&self) -> Option<u64> {
        self.configured
    }

    async fn mint(&self, ctx: &Context) -> Result<Fetched, Error> {
        let id = self.installation_id(ctx).await?;
        let request = self
            .client
            .post(["app", "installations", &id.to_string(), "access_tokens"]);
        // A second token does no harm, so it may be asked for again.
        let sent = request.json(&json!({})).idempotent().send(ctx).await;
        let answer = sent
            .map_err(|error| {
                if error.status() == Some(404) {
                    *self
                        .discovered
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = None;
                }
                self.not_installed(error)
            })?
            .json()?;
        let json = Json::new(&answer);
        let token = json.required("token")?.string()?;
        if token.is_empty() {
            return Err(Error::malformed("GitHub minted an empty token"));
        }
        Ok(Fetched {
            secret: Secret::new(token),
            life: Some(life(json, ctx.wall())?),
        })
    }

    async fn installation_id(&self, ctx: &Context) -> Result<u64, Error> {
        let known = self.configured.or(*self
            .discovered
            .lock()
            .unwrap_or_else(PoisonError::into_inner));
        if let Some(id) = known {
            return Ok(id);
        }
        let id = self.installation(ctx).await?.id;
        *self
            .discovered
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(id);
        Ok(id)
    }

    fn not_installed(&self, error: Error) -> Error {
        match error.status() {
            Some(404) => error.recoded(
                Code::CredentialRejected,
                format!("the App is not installed in `{}`, or `app_id` or `installation_id` is another one's", self.organization),
            ),
            _ => own(error),
        }
    }
}

/// A failure of a call made with the assertion, without the status it came with.
fn own(error: Error) -> Error {
    match error.status() {
        Some(401) => error.recoded(Code::CredentialRejected, "GitHub does not accept the App's assertion: `app_id` and `credential` do not belong together, or the clock is off"),
        Some(_) => {
            let error = failure::meaning(error, Asker::App);
            error.recoded(error.code(), error.to_string())
        }
        None => error,
    }
}

/// How long a token lives; an hour when its expiry cannot be read.
fn life(json: Json<'_>, now: Wall) -> Result<Duration, Error> {
    let expires = json
        .member("expires_at")?
        .map(|expires| expires.string())
        .transpose()?;
    let expires = expires
        .and_then(|text| text.parse::<jiff::Timestamp>().ok())
        .and_then(|at| u64::try_from(at.as_second()).ok());
    Ok(expires.map_or(HOUR, |at| Duration::from_secs(at).saturating_sub(now.0)))
}

/// A number, which GitHub's servers write as one, and some as text.
fn number(json: Json<'_>) -> Result<u64, Error> {
    match json.value() {
        Value::String(text) => text
            .parse()
            .map_err(|_| Error::malformed("the answer's installation id is no number")),
        _ => json.uint(),
    }
}

/// Signs what proves that we are the App: valid for ten minutes at most, begun a minute ago for clocks that are behind.
struct Assertion {
    app_id: String,
    key: KeyRef,
}

impl Authorize for Assertion {
    fn authorize<'a>(&'a self, ctx: &'a Context) -> BoxFuture<'a, Result<AuthHeader, Error>> {
        let now = ctx.wall().0;
        let claims = Claims {
            issuer: Some(self.app_id.clone()),
            issued_at: Some(Wall(now.saturating_sub(Duration::from_secs(60)))),
            expires: Some(Wall(now.saturating_add(Duration::from_secs(540)))),
            ..Claims::default()
        };
        async move {
            AuthHeader::bearer(&self.key.key()?.assertion(
                Algorithm::Rs256,
                &Header::default(),
                &claims,
            )?)
        }
        .boxed()
    }
}

const HOUR: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives() {
        let now = Wall(Duration::from_secs(1_893_456_000)); // 2030-01-01T00:00:00Z
        for (answer, seconds) in [
            (json!({"expires_at": "2030-01-01T01:00:00Z"}), 3600),
            (json!({"expires_at": "2030-01-01T00:00:30Z"}), 30),
            (json!({"expires_at": "2029-12-31T00:00:00Z"}), 0),
            (json!({"expires_at": "soon"}), 3600),
            (json!({}), 3600),
        ] {
            assert_eq!(
                life(Json::new(&answer), now).unwrap(),
                Duration::from_secs(seconds),
                "{answer}"
            );
        }
        assert_eq!(number(Json::new(&json!("4242"))).unwrap(), 4242);
        assert!(number(Json::new(&json!("4242x"))).is_err());
    }
}
