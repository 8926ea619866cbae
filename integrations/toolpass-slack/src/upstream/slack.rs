//! Asking one workspace: its Web API, our token, pages, and look-ups that checks share.
//!
//! Every answer leaves here as an [`Answer`]: what its absence means to a rule, the rule says; what it means about our token or Slack's
//! health is settled here. Every call is a GET with arguments in the query: Slack takes any method, and a read is a GET in evidence.
//! Source: docs.slack.dev "Web API", "Pagination", "Rate limits"; read 2026-11-30.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::response::Response;
use toolpass_http::secrets;
use toolpass_integration::answers::Answer;
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_integration::turns::{Turns, several};

use super::failure;
use super::read::{Call, Read};
use super::records::MORE;
use crate::config::Config;
use crate::resource::TeamId;

/// One workspace, asked with one token. Cheap to clone.
#[derive(Clone)]
pub struct Slack(Arc<Inner>);

struct Inner {
    client: Client,
    team: Option<TeamId>,
    turns: Turns,
    shared: FillCache<Read, Answer>,
}

/// What a method answered: its body, and the scopes of the token.
pub struct Answered {
    /// The body, or what it means.
    pub answer: Answer,
    /// The header `X-OAuth-Scopes`.
    pub scopes: Option<String>,
}

impl Slack {
    /// The workspace of `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: &Config, parts: &Parts) -> Result<Slack, ConnectError> {
        let credential = config.credential.clone();
        let token = Bearer::new(Arc::new(move || bot_token(&credential)));
        Ok(Slack(Arc::new(Inner {
            client: parts.client(&config.api)?.with_auth(Arc::new(token)),
            team: config.team.clone(),
            turns: Turns::new("Slack"),
            shared: FillCache::new(CacheOptions::named("slack people")),
        })))
    }

    /// Make several reads, a few at a time.
    pub async fn read_all(&self, ctx: &Context, reads: Vec<Read>) -> Vec<(Read, Answer)> {
        several(reads, |read| async move { self.read(ctx, &read).await }).await
    }

    /// Make one read, or share one that another check made.
    pub async fn read(&self, ctx: &Context, read: &Read) -> Answer {
        let call = read.call();
        let Some(life) = call.life else {
            return self.ask(ctx, call).await;
        };
        let slack = self.clone();
        let fill = move |ctx: Context| async move { slack.fill(&ctx, call, life).await };
        match self.0.shared.get(ctx, read, fill).await {
            Ok(answer) => answer,
            Err(failure) => Answer::Failed(failure),
        }
    }

    /// What a method answers. `query` without the workspace, which is added.
    /// Errors: with their meaning about our token.
    pub async fn method(
        &self,
        ctx: &Context,
        method: &str,
        query: &[(&str, String)],
    ) -> Result<Answered, Error> {
        let _turn = self.0.turns.turn(ctx).await?;
        let mut request = self.0.client.get([method]);
        for (name, value) in query {
            request = request.query(name, value);
        }
        if let Some(team) = &self.0.team {
            request = request.query("team_id", team.as_str());
        }
        let response = request.send(ctx).await.map_err(failure::meaning)?;
        Ok(Answered {
            answer: said(&response)?,
            scopes: header(&response, "x-oauth-scopes"),
        })
    }

    async fn fill(
        self,
        ctx: &Context,
        call: Call,
        life: Duration,
    ) -> Result<Fill<Answer>, Failure> {
        match self.ask(ctx, call).await {
            Answer::Failed(failure) => Err(failure),
            // Who is not there may come to be; a scope may be added.
            unsaid @ (Answer::Forbidden | Answer::Missing { .. } | Answer::Moved) => {
                Ok(Fill::Pass(unsaid))
            }
            record @ Answer::Body(_) => Ok(Fill::Store(record, life)),
        }
    }

    async fn ask(&self, ctx: &Context, call: Call) -> Answer {
        let answered = match call.list {
            Some((name, pages)) => self.list(ctx, &call, name, pages).await,
            None => self
                .method(ctx, call.method, &call.query)
                .await
                .map(|answered| answered.answer),
        };
        answered.unwrap_or_else(|error| Answer::Failed(error.into()))
    }

    /// The pages of a list as one, at most `pages` of them; [`MORE`] beside it when there are more.
    pub async fn list(
        &self,
        ctx: &Context,
        call: &Call,
        name: &'static str,
        pages: usize,
    ) -> Result<Answer, Error> {
        let (mut items, mut cursor) = (Vec::new(), None);
        for _ in 0..pages {
            let mut query = call.query.clone();
            query.extend(cursor.map(|cursor| ("cursor", cursor)));
            let body = match self.method(ctx, call.method, &query).await?.answer {
                Answer::Body(body) => body,
                other @ (Answer::Failed(_)
                | Answer::Forbidden
                | Answer::Missing { .. }
                | Answer::Moved) => {
                    return Ok(other);
                }
            };
            let page = Json::new(&body).required(name)?.array()?;
            items.extend(page.map(|item| item.value().clone()));
            cursor = next_cursor(Json::new(&body))?;
            if cursor.is_none() {
                break;
            }
        }
        let mut whole = Map::from_iter([(name.to_owned(), Value::Array(items))]);
        if cursor.is_some() {
            whole.insert(MORE.to_owned(), Value::Bool(true));
        }
        Ok(Answer::Body(Value::Object(whole)))
    }
}

/// The token, which must be a bot's: a user token reads with that user's eyes.
fn bot_token(credential: &SecretRef) -> Result<Secret, Error> {
    let token = secrets::read(credential)?;
    if token.expose().starts_with(BOT) {
        Ok(token)
    } else {
        Err(Error::coded(
            Code::CredentialRejected,
            "`credential` is no bot token of an internal app",
        ))
    }
}

/// An answer's body by what it says of itself.
fn said(response: &Response) -> Result<Answer, Error> {
    let body = response.json()?;
    let json = Json::new(&body);
    if json.required("ok")?.bool()? {
        return Ok(Answer::Body(body));
    }
    let error = json
        .member("error")?
        .map(|error| error.string())
        .transpose()?;
    Ok(failure::refusal(error.unwrap_or_default()))
}

fn next_cursor(json: Json<'_>) -> Result<Option<String>, Error> {
    let Some(metadata) = json.member("response_metadata")? else {
        return Ok(None);
    };
    let cursor = metadata.member("next_cursor")?;
    let cursor = cursor.map(|cursor| cursor.string()).transpose()?;
    Ok(cursor
        .filter(|cursor| !cursor.is_empty())
        .map(str::to_owned))
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers.get(name)?.to_str().ok()?;
    Some(value.to_owned())
}

/// How a bot token begins.
const BOT: &[u8] = b"xoxb-";
