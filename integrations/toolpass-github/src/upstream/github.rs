//! Asking one GitHub: its two APIs, our credential, and how many calls are under way at once.
//!
//! Every answer leaves here as an [`Answer`]: what a status means to a rule, the rule says; what it means about our credential or
//! GitHub's health is settled here.
//! Source: docs.github.com "Best practices for using the REST API", "API versions"; read 2026-11-30.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{HeaderName, HeaderValue, header};
use serde_json::{Value, json};
use toolpass_core::clock::Wall;
use toolpass_http::auth::{Authorize, Bearer, TokenBearer};
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::paging::{self, Flow};
use toolpass_http::path::PathBuilder;
use toolpass_http::request::Request;
use toolpass_http::response::Response;
use toolpass_integration::answers::Answer;
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_integration::turns::{Turns, several};

use super::app::App;
use super::failure::{self, Asker};
use super::graphql;
use super::read::{Call, Read};
use crate::config::{Config, Credential};
use crate::resource::Login;

/// One GitHub, asked with one credential. Cheap to clone.
#[derive(Clone)]
pub struct Github(Arc<Inner>);

struct Inner {
    rest: Client,
    graphql: Client,
    organization: Login,
    app: Option<Arc<App>>,
    turns: Turns,
    /// When the token ends, in seconds since 1970; 0 when GitHub has not said.
    token_ends: AtomicU64,
}

impl Github {
    /// The GitHub of `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: &Config, parts: &Parts) -> Result<Github, ConnectError> {
        let rest = with_headers(parts.client(&config.site.rest)?);
        let graphql = with_headers(parts.client(&config.site.graphql)?);
        let (auth, app): (Arc<dyn Authorize>, _) = match &config.credential {
            Credential::App {
                app_id,
                installation_id,
                key,
            } => {
                let app = Arc::new(App::new(
                    rest.clone(),
                    config.organization.clone(),
                    app_id.clone(),
                    *installation_id,
                    key.clone(),
                ));
                (Arc::new(TokenBearer::new(app.tokens())), Some(app))
            }
            Credential::Token(token) => (Arc::new(Bearer::from_ref(token.clone())), None),
        };
        Ok(Github(Arc::new(Inner {
            rest: rest.with_auth(Arc::clone(&auth)),
            graphql: graphql.with_auth(auth),
            organization: config.organization.clone(),
            app,
            turns: Turns::new("GitHub"),
            token_ends: AtomicU64::new(0),
        })))
    }

    /// The App, when it is one that asks.
    pub fn app(&self) -> Option<&Arc<App>> {
        self.0.app.as_ref()
    }

    /// When the token ends, as GitHub said last.
    pub fn token_ends(&self) -> Option<Wall> {
        match self.0.token_ends.load(Ordering::Relaxed) {
            0 => None,
            seconds => Some(Wall(Duration::from_secs(seconds))),
        }
    }

    /// Remember when the token ends; nothing for one that does not.
    pub fn note_token_end(&self, at: Option<Wall>) {
        let seconds = at.map_or(0, |at| at.0.as_secs().max(1));
        self.0.token_ends.store(seconds, Ordering::Relaxed);
    }

    /// Who asks.
    pub fn asker(&self) -> Asker {
        if self.0.app.is_some() {
            Asker::App
        } else {
            Asker::Token
        }
    }

    /// The organization.
    pub fn organization(&self) -> &Login {
        &self.0.organization
    }

    /// Make several reads, a few at a time.
    pub async fn read_all(&self, ctx: &Context, reads: Vec<Read>) -> Vec<(Read, Answer)> {
        several(reads, |read| async move { self.read(ctx, &read).await }).await
    }

    /// Make one read.
    pub async fn read(&self, ctx: &Context, read: &Read) -> Answer {
        let answer = match read.call(&self.0.organization) {
            Call::List(path, query) => self.list(ctx, path, &query).await,
            Call::Node(id) => self
                .query(ctx, graphql::NODE, json!({ "id": id }))
                .await
                .map(node),
            Call::One(path, query) => {
                let request = query
                    .iter()
                    .fold(self.0.rest.get(path), |request, (name, value)| {
                        request.query(name, value)
                    });
                self.one(ctx, request).await
            }
        };
        match answer {
            Ok(answer) => answer,
            Err(error) if failure::is_forbidden(&error) => Answer::Forbidden,
            Err(error) => Answer::Failed(failure::meaning(error, self.asker()).into()),
        }
    }

    /// The answer to a GET of the REST API, 404 included.
    /// Errors: with their meaning about our credential.
    pub async fn get(
        &self,
        ctx: &Context,
        path: impl Into<PathBuilder>,
    ) -> Result<Response, Failure> {
        let request = self.0.rest.get(path).accept_status(&[404]);
        self.send(ctx, request)
            .await
            .map_err(|error| failure::meaning(error, self.asker()).into())
    }

    /// The `data` of a GraphQL query.
    /// Errors: with their meaning about our credential.
    pub async fn query(
        &self,
        ctx: &Context,
        document: &str,
        variables: Value,
    ) -> Result<Value, Error> {
        let request = self
            .0
            .graphql
            .post(PathBuilder::new())
            .json(&json!({ "query": document, "variables": variables }))
            .idempotent();
        let response = self
            .send(ctx, request)
            .await
            .map_err(|error| failure::meaning(error, self.asker()))?;
        graphql::data(&response, self.asker())
    }

    async fn one(&self, ctx: &Context, request: Request) -> Result<Answer, Error> {
        let response = self.send(ctx, request.accept_status(&[404])).await?;
        match refused(&response) {
            Some(answer) => Ok(answer),
            None => Ok(Answer::Body(response.json()?)),
        }
    }

    async fn list(
        &self,
        ctx: &Context,
        path: PathBuilder,
        query: &[(&str, String)],
    ) -> Result<Answer, Error> {
        let _turn = self.0.turns.turn(ctx).await?;
        let first = query
            .iter()
            .fold(self.0.rest.get(path), |request, (name, value)| {
                request.query(name, value)
            })
            .accept_status(&[404]);
        let (mut items, mut instead) = (Vec::new(), None);
        paging::paginate_links(ctx, first, |response| {
            instead = refused(response);
            if instead.is_some() {
                return Ok(Flow::Stop);
            }
            match response.json()? {
                Value::Array(page) => items.extend(page),
                _ => return Err(Error::malformed("GitHub's answer is no list")),
            }
            Ok(Flow::More)
        })
        .await?;
        Ok(instead.unwrap_or(Answer::Body(Value::Array(items))))
    }

    async fn send(&self, ctx: &Context, request: Request) -> Result<Response, Error> {
        let _turn = self.0.turns.turn(ctx).await?;
        request.send(ctx).await
    }
}

fn with_headers(client: Client) -> Client {
    client
        .with_header(
            header::ACCEPT,
            HeaderValue::from_static("application/vnd.github+json"),
        )
        .with_header(
            HeaderName::from_static("x-github-api-version"),
            HeaderValue::from_static(API_VERSION),
        )
}

/// An answer without a record.
fn refused(response: &Response) -> Option<Answer> {
    match response.status {
        300..=399 => Some(Answer::Moved),
        404 => Some(Answer::Missing {
            message: message(response),
        }),
        _ => None,
    }
}

/// What GitHub says is missing; empty when it does not say.
fn message(response: &Response) -> String {
    let Ok(body) = response.json() else {
        return String::new();
    };
    let message = Json::new(&body).member("message").ok().flatten();
    message
        .and_then(|message| message.string().ok())
        .unwrap_or_default()
        .to_owned()
}

fn node(data: Value) -> Answer {
    match data.get("node") {
        Some(Value::Null) | None => Answer::Missing {
            message: String::new(),
        },
        Some(node) => Answer::Body(node.clone()),
    }
}

/// The version of the REST API whose records `records` reads.
const API_VERSION: &str = "2022-11-28";
