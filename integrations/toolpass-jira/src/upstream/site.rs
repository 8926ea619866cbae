//! Asking one site: where it is reached, our credential, and how many calls are under way at once.
//!
//! Every answer leaves here as an [`Answer`]: what a status means to a rule, the rule says; what it means about our credential or Jira's
//! health is settled here.
//! Source: developer.atlassian.com "Rate limiting", "Permissions" (statuses of "Get bulk permissions"); read 2026-12-01.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OnceCell;
use toolpass_core::codes::Code;
use toolpass_http::auth::Authorize;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::path::PathBuilder;
use toolpass_http::request::Request;
use toolpass_http::response::Response;
use toolpass_integration::answers::Answer;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_integration::turns::{Turns, several};

use super::auth;
use super::read::{Call, Read};
use crate::config::{Auth, Config};

/// One site, asked with one credential. Cheap to clone.
#[derive(Clone)]
pub struct Site(Arc<Inner>);

struct Inner {
    parts: Parts,
    /// The site itself, without our credential.
    face: Client,
    auth: Arc<dyn Authorize>,
    /// Where scoped credentials call, once the cloud id is known.
    gateway: Option<String>,
    cloud_id: Option<String>,
    client: OnceCell<Client>,
    turns: Turns,
    /// The listings that are the same for every check: permission keys, fields.
    listings: FillCache<Read, Value>,
}

impl Site {
    /// The site of `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: &Config, parts: &Parts) -> Result<Site, ConnectError> {
        let gateway = match &config.auth {
            Auth::Basic { .. } => None,
            Auth::OAuthClient { .. } | Auth::Scoped { .. } => Some(config.gateway.clone()),
        };
        Ok(Site(Arc::new(Inner {
            face: parts.client(&config.url)?,
            auth: auth::authorize(config, parts)?,
            parts: parts.clone(),
            gateway,
            cloud_id: config.cloud_id.clone(),
            client: OnceCell::new(),
            turns: Turns::new("Jira"),
            listings: FillCache::new(
                CacheOptions::named("jira listings").fresh_max_age(LISTING_LIFE),
            ),
        })))
    }

    /// Make several reads, a few at a time.
    pub async fn read_all(&self, ctx: &Context, reads: Vec<Read>) -> Vec<(Read, Answer)> {
        several(reads, |read| async move { self.read(ctx, &read).await }).await
    }

    /// Make one read.
    pub async fn read(&self, ctx: &Context, read: &Read) -> Answer {
        if !matches!(read, Read::Catalogue | Read::Fields) {
            return self.ask(ctx, read).await;
        }
        let (site, wanted) = (self.clone(), read.clone());
        let fill = |ctx: Context| async move {
            match site.ask(&ctx, &wanted).await {
                Answer::Body(listing) => Ok(Fill::Store(listing, LISTING_LIFE)),
                Answer::Failed(failure) => Err(failure),
                Answer::Forbidden | Answer::Missing { .. } | Answer::Moved => Err(Failure::new(
                    Code::CredentialRejected,
                    "Jira refuses our credential a listing that every account sees",
                )),
            }
        };
        match self.0.listings.get(ctx, read, fill).await {
            Ok(listing) => Answer::Body(listing),
            Err(failure) => Answer::Failed(failure),
        }
    }

    /// A GET, its answer read as JSON.
    /// Errors: with their meaning about our credential.
    pub async fn get(
        &self,
        ctx: &Context,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Value, Failure> {
        let client = self.client(ctx).await?;
        let path = PathBuilder::new().segments(path.iter().copied());
        let request = query
            .iter()
            .fold(client.get(path), |request, (name, value)| {
                request.query(name, value)
            });
        let answer = self.send(ctx, request).await;
        Ok(answer.map_err(meaning)?.json()?)
    }

    async fn ask(&self, ctx: &Context, read: &Read) -> Answer {
        let client = match self.client(ctx).await {
            Ok(client) => client,
            // Nothing was asked yet, so no status of this is an answer.
            Err(failure) => return Answer::Failed(failure),
        };
        let answer = match read.call() {
            Call::One(path, query) => {
                let request = query
                    .iter()
                    .fold(client.get(path), |request, (name, value)| {
                        request.query(name, value)
                    });
                self.one(ctx, request.accept_status(&[404])).await
            }
            Call::Pages(path) => self.pages(ctx, &client, &path).await,
            Call::Post(path, body) => {
                let request = client.post(path).json(&body).idempotent();
                self.one(ctx, request.accept_status(&[400])).await
            }
        };
        match answer {
            Ok(answer) => answer,
            Err(error) if error.status() == Some(403) => Answer::Forbidden,
            Err(error) => Answer::Failed(meaning(error).into()),
        }
    }

    async fn one(&self, ctx: &Context, request: Request) -> Result<Answer, Error> {
        let response = self.send(ctx, request).await?;
        match refused(&response) {
            Some(answer) => Ok(answer),
            None => Ok(Answer::Body(response.json()?)),
        }
    }

    /// Every page of a list of `values`, as one array.
    async fn pages(
        &self,
        ctx: &Context,
        client: &Client,
        path: &PathBuilder,
    ) -> Result<Answer, Error> {
        let mut items = Vec::new();
        for _ in 0..MAX_PAGES {
            let request = client
                .get(path.clone())
                .query("startAt", &items.len().to_string())
                .query("maxResults", "50")
                .accept_status(&[404]);
            let response = self.send(ctx, request).await?;
            if let Some(answer) = refused(&response) {
                return Ok(answer);
            }
            let page = response.json()?;
            let json = Json::new(&page);
            let values = json.required("values")?.array()?;
            let found = values.len();
            items.extend(values.map(|value| value.value().clone()));
            if json.required("isLast")?.bool()? {
                return Ok(Answer::Body(Value::Array(items)));
            }
            if found == 0 {
                return Err(Error::malformed(
                    "a page of Jira's is empty and not the last",
                ));
            }
        }
        Ok(Answer::Failed(Failure::unsupported(
            "Jira's list is longer than what is read for one check",
        )))
    }

    /// The client, its address known.
    async fn client(&self, ctx: &Context) -> Result<Client, Failure> {
        let connect = || async {
            let base = match &self.0.gateway {
                None => return Ok(self.0.face.clone().with_auth(Arc::clone(&self.0.auth))),
                Some(gateway) => match &self.0.cloud_id {
                    Some(cloud_id) => format!("{gateway}/ex/jira/{cloud_id}"),
                    None => {
                        let found = auth::cloud_id(ctx, &self.0.face).await;
                        format!("{gateway}/ex/jira/{}", found.map_err(untold)?)
                    }
                },
            };
            let client = self.0.parts.client(&base);
            let client = client.map_err(|error| Error::malformed(error.to_string()))?;
            Ok::<_, Error>(client.with_auth(Arc::clone(&self.0.auth)))
        };
        Ok(self.0.client.get_or_try_init(connect).await?.clone())
    }

    async fn send(&self, ctx: &Context, request: Request) -> Result<Response, Error> {
        let _turn = self.0.turns.turn(ctx).await?;
        request.send(ctx).await
    }
}

/// An answer without a record.
fn refused(response: &Response) -> Option<Answer> {
    match response.status {
        300..=399 => Some(Answer::Moved),
        400 => Some(Answer::Failed(Failure::unsupported(
            "Jira does not evaluate this: a key or account it does not know, or too much at once",
        ))),
        404 => Some(Answer::Missing {
            message: String::new(),
        }),
        _ => None,
    }
}

/// The site does not say its cloud id. Whatever the status, it is no answer to the call that needed it.
fn untold(error: Error) -> Error {
    let code = match error.status() {
        Some(401 | 403 | 404) => Code::CredentialRejected,
        _ => error.code(),
    };
    error.recoded(
        code,
        format!("the site does not tell its cloud id, which `cloud_id` can give: {error}"),
    )
}

/// What a failed call means.
fn meaning(error: Error) -> Error {
    match error.status() {
        Some(401) => error.recoded(
            Code::CredentialRejected,
            "Jira does not accept our credential: revoked, expired, mistyped, or of another site",
        ),
        Some(403) => error.recoded(
            Code::CredentialRejected,
            "Jira refuses our credential this read; it needs Administer Jira, Browse users and groups, and Browse projects",
        ),
        Some(429) => error.recoded(
            Code::UpstreamRateLimited,
            "Jira limits how often our credential may ask",
        ),
        _ => error,
    }
}

/// How long the listings that are the same for every check are good for.
const LISTING_LIFE: Duration = Duration::from_secs(3600);
/// Pages of one list: 50 items each.
const MAX_PAGES: usize = 10;
