//! The credential, and the site's cloud id, under which scoped credentials call.
//!
//! INVARIANT: a failure in here is about our credential and never reads as an answer to the call that needed it: every error leaves with a
//! code of its own. What the token service says in words is never shown.
//! Source: support.atlassian.com "Create OAuth 2.0 credential for service accounts", "401 Unauthorized error when service account accesses
//! Jira or Confluence API", developer.atlassian.com "Basic auth for REST APIs"; read 2026-12-01.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Value, json};
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::auth::{self, Authorize, Basic, Bearer, TokenBearer};
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::path::PathBuilder;
use toolpass_http::secrets;
use toolpass_http::token::{Fetched, TokenSource};
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::{Auth, Config, is_cloud_id};

/// How requests prove who toolpass is.
/// Errors: an address that cannot be used.
pub fn authorize(config: &Config, parts: &Parts) -> Result<Arc<dyn Authorize>, ConnectError> {
    let basic = |username: &str, token: &SecretRef| {
        Arc::new(Basic::new(username, auth::read_at_use(token.clone())))
    };
    Ok(match &config.auth {
        Auth::Basic { username, token } => basic(username, token),
        Auth::Scoped {
            username: Some(username),
            token,
        } => basic(username, token),
        Auth::Scoped {
            username: None,
            token,
        } => Arc::new(Bearer::from_ref(token.clone())),
        Auth::OAuthClient { client_id, secret } => {
            let client = parts.client(&config.token_endpoint)?;
            let (client_id, secret) = (client_id.clone(), secret.clone());
            Arc::new(TokenBearer::new(TokenSource::new(Arc::new(move |ctx| {
                let (client, client_id, secret) =
                    (client.clone(), client_id.clone(), secret.clone());
                async move { fetch(&ctx, &client, &client_id, &secret).await }.boxed()
            }))))
        }
    })
}

/// The site's cloud id. Asked without a credential.
/// Errors: an answer that has none.
pub async fn cloud_id(ctx: &Context, site: &Client) -> Result<String, Error> {
    let answer = site.get(["_edge", "tenant_info"]).send(ctx).await?.json()?;
    let id = Json::new(&answer).required("cloudId")?.string()?;
    match is_cloud_id(id) {
        true => Ok(id.to_owned()),
        false => Err(Error::malformed("the site's cloud id has another form")),
    }
}

async fn fetch(
    ctx: &Context,
    client: &Client,
    client_id: &str,
    secret: &SecretRef,
) -> Result<Fetched, Error> {
    let secret = secrets::read(secret)?;
    let secret = std::str::from_utf8(secret.expose())
        .map_err(|_| Error::coded(Code::CredentialRejected, "the client secret is no text"))?;
    let body = json!({
        "grant_type": "client_credentials",
        "client_id": client_id,
        "client_secret": secret,
        "audience": "api.atlassian.com",
    });
    let request = client.post(PathBuilder::new()).json(&body);
    // A second token does no harm, so it may be asked for again.
    let response = request.idempotent().accept_4xx().send(ctx).await?;
    let answer = match response.status {
        429 => {
            return Err(Error::coded(
                Code::UpstreamRateLimited,
                "Atlassian limits how often tokens are asked for",
            ));
        }
        400 | 401 | 403 => return Err(rejected()),
        status if status >= 400 => {
            return Err(Error::coded(
                Code::UpstreamError,
                format!("Atlassian's token service answered {status}"),
            ));
        }
        _ => response.json()?,
    };
    let json = Json::new(&answer);
    if json.member("error")?.is_some() {
        return Err(rejected());
    }
    let token = json.required("access_token")?.string()?;
    if token.is_empty() {
        return Err(Error::malformed("Atlassian gave an empty token"));
    }
    Ok(Fetched {
        secret: Secret::new(token),
        life: json.member("expires_in")?.and_then(life),
    })
}

/// A life in seconds, as a number or its digits; anything else is not known.
fn life(json: Json<'_>) -> Option<Duration> {
    let seconds = match json.value() {
        Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        other => other.as_u64(),
    };
    seconds.map(Duration::from_secs)
}

fn rejected() -> Error {
    Error::coded(
        Code::CredentialRejected,
        "Atlassian does not accept the OAuth client: revoked, mistyped, or without access to this site",
    )
}
