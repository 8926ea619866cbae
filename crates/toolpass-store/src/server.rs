//! Sessions kept by a toolpass server: operations as JSON to `/v1/sessions/{id}`.
//!
//! Which database the server keeps them in is its own affair. A long list of fingerprints goes in parts; remembering in parts only ever
//! knows more, and what is known is asked part by part. INVARIANT: an answer that is not wholly understood is none.

use std::sync::Arc;

use toolpass_client::remote::Remote;
use toolpass_guard::session::stored::{Answer, Operation, Outcome, Place};

use crate::asked::{bytes_of, hex};
use crate::backend::{Backend, Doing, StoreError};
use crate::wire;

/// A server as a store.
pub struct Server(Arc<Remote>);

impl Server {
    /// The server that is reached so.
    pub fn new(remote: Arc<Remote>) -> Server {
        Server(remote)
    }

    async fn one(&self, place: &Place, operation: &Operation) -> Result<Answer, StoreError> {
        let request = wire::request(operation, &place.person);
        let body = serde_json::to_vec(&request).map_err(|_| StoreError::Damaged)?;
        let answered = self.0.session(&place.session, body).await;
        let text = answered.map_err(|_| StoreError::Unreachable)?;
        wire::answer(&text).ok_or(StoreError::Damaged)
    }

    async fn known(&self, place: &Place, prints: &[u64]) -> Result<Answer, StoreError> {
        let (mut outside, mut trusted) = (Vec::new(), Vec::new());
        let mut last = None;
        for part in prints.chunks(PART) {
            let mut answer = self.one(place, &Operation::Matches(part.to_vec())).await?;
            let Outcome::Known {
                outside: more,
                trusted: own,
            } = &mut answer.outcome
            else {
                return Err(StoreError::Damaged);
            };
            outside.append(more);
            trusted.append(own);
            last = Some(answer);
        }
        let mut answer = match last {
            Some(answer) => answer,
            None => self.one(place, &Operation::Matches(Vec::new())).await?,
        };
        answer.outcome = Outcome::Known { outside, trusted };
        Ok(answer)
    }
}

impl Backend for Server {
    fn apply<'a>(&'a self, place: &'a Place, operation: &'a Operation) -> Doing<'a, Answer> {
        Box::pin(async move {
            match operation {
                Operation::Matches(prints) if prints.len() > PART => {
                    self.known(place, prints).await
                }
                Operation::Record {
                    of,
                    prints,
                    capacity,
                } if prints.len() > PART => {
                    let mut answer = Err(StoreError::Damaged);
                    for part in prints.chunks(PART) {
                        let part = Operation::Record {
                            of: *of,
                            prints: part.to_vec(),
                            capacity: *capacity,
                        };
                        answer = Ok(self.one(place, &part).await?);
                    }
                    answer
                }
                Operation::Get
                | Operation::Mark(_)
                | Operation::Matches(_)
                | Operation::Record { .. }
                | Operation::Release(_)
                | Operation::Reserve { .. } => self.one(place, operation).await,
            }
        })
    }

    fn secret<'a>(&'a self, fresh: [u8; 32]) -> Doing<'a, [u8; 32]> {
        Box::pin(async move {
            let body = serde_json::json!({"op": "secret", "fresh": hex(&fresh)}).to_string();
            let answered = self.0.session(SECRET, body.into_bytes()).await;
            let text = answered.map_err(|_| StoreError::Unreachable)?;
            let kept: Kept = serde_json::from_str(&text).map_err(|_| StoreError::Damaged)?;
            bytes_of(&kept.secret).ok_or(StoreError::Damaged)
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    secret: String,
}

/// The name that no session has, under which the secret is asked for.
const SECRET: &str = "secret";
/// How many fingerprints go at once.
const PART: usize = 20_000;
