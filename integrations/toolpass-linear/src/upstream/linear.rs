//! Asking one workspace: its API, our credential, and how many calls are under way at once.
//!
//! Every answer leaves here as an [`Answer`]: what an absent record means to a rule, the rule says; what an error means about our
//! credential or Linear's health is settled in `failure`.
//! Source: linear.app/developers "Rate limiting" (a leaky bucket per credential), "Pagination"; read 2026-12-01.

use std::sync::Arc;

use serde_json::{Value, json};
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::path::PathBuilder;
use toolpass_http::response::Response;
use toolpass_integration::answers::Answer;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_integration::turns::{Turns, several};

use super::failure;
use super::read::{MEMBERSHIPS, Read};
use crate::config::Config;

/// One workspace, asked with one credential. Cheap to clone.
#[derive(Clone)]
pub struct Linear(Arc<Inner>);

struct Inner {
    client: Client,
    turns: Turns,
}

impl Linear {
    /// The workspace of `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: &Config, parts: &Parts) -> Result<Linear, ConnectError> {
        let client = parts
            .client(&config.url)?
            .with_auth(Arc::new(config.header()));
        Ok(Linear(Arc::new(Inner {
            client,
            turns: Turns::new("Linear"),
        })))
    }

    /// Make several reads, a few at a time.
    pub async fn read_all(&self, ctx: &Context, reads: Vec<Read>) -> Vec<(Read, Answer)> {
        several(reads, |read| async move { self.read(ctx, &read).await }).await
    }

    /// Make one read.
    pub async fn read(&self, ctx: &Context, read: &Read) -> Answer {
        let found = async {
            let Some(data) = self.query(ctx, read.document(), read.variables()).await? else {
                return Ok(None);
            };
            let found = data.get("found").filter(|found| !found.is_null()).cloned();
            match (read, found) {
                (Read::User(_), Some(user)) => self.all_memberships(ctx, user).await.map(Some),
                (_, found) => Ok(found),
            }
        };
        match found.await {
            Ok(Some(record)) => Answer::Body(record),
            Ok(None) => Answer::Missing {
                message: String::new(),
            },
            Err(error) => Answer::Failed(Error::into(error)),
        }
    }

    /// The `data` of a query; `None` when what it asks for is not there.
    /// Errors: with their meaning about our credential.
    pub async fn query(
        &self,
        ctx: &Context,
        document: &str,
        variables: Value,
    ) -> Result<Option<Value>, Error> {
        let _turn = self.0.turns.turn(ctx).await?;
        let mut response = self.ask(ctx, document, &variables).await?;
        if failure::is_passing(&response) {
            response = self.ask(ctx, document, &variables).await?;
        }
        failure::data(&response)
    }

    async fn ask(
        &self,
        ctx: &Context,
        document: &str,
        variables: &Value,
    ) -> Result<Response, Error> {
        let request = self
            .0
            .client
            .post(PathBuilder::new())
            .json(&json!({ "query": document, "variables": variables }))
            .idempotent()
            .accept_status(&[400]);
        request.send(ctx).await.map_err(failure::of_status)
    }

    /// Somebody's record with all memberships in its one page.
    /// Errors: as [`Linear::query`]; `upstream_error` for more pages than there can be, or pages of somebody else.
    pub async fn all_memberships(&self, ctx: &Context, mut person: Value) -> Result<Value, Error> {
        let json = Json::new(&person);
        let id = json.required("id")?.string()?.to_owned();
        let mut page = json.required("teamMemberships")?.value().clone();
        let mut nodes = Vec::new();
        for _ in 0..MAX_PAGES {
            let json = Json::new(&page);
            nodes.extend(
                json.required("nodes")?
                    .array()?
                    .map(|node| node.value().clone()),
            );
            let info = json.required("pageInfo")?;
            if !info.required("hasNextPage")?.bool()? {
                if let Some(members) = person.as_object_mut() {
                    members.insert("teamMemberships".to_owned(), json!({ "nodes": nodes }));
                }
                return Ok(person);
            }
            let after = info.required("endCursor")?.string()?;
            let variables = json!({ "id": id, "after": after });
            let data = self.query(ctx, MEMBERSHIPS, variables).await?;
            let gone = || Error::malformed("an account of Linear's went away while it was read");
            let data = data.ok_or_else(gone)?;
            let found = Json::new(&data).required("found")?;
            if found.required("id")?.string()? != id {
                return Err(gone());
            }
            let next = found.required("teamMemberships")?.value().clone();
            page = next;
        }
        Err(Error::malformed(
            "an account of Linear's has more memberships than are read",
        ))
    }
}

/// Pages of memberships, a hundred each.
const MAX_PAGES: usize = 50;
