//! What is asked of the API server: one review a question, and the few objects that say which further questions there are.
//!
//! A review is a POST that stores nothing, so it is repeated like a read. What a status means about our token is settled here; a missing
//! object is the rules' to judge.
//! Source: k8s.io/api `authorization/v1/types.go`; kubernetes.io "Authorization"; read 2026-12-01.

use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use toolpass_core::codes::Code;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::error::Error;
use toolpass_http::path::PathBuilder;
use toolpass_integration::answers::Answer;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::Config;
use crate::facts::Selectors;
use crate::identity::Subject;
use crate::resource::Asked;

/// One thing to be asked or read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// An object.
    Object(Stored),
    /// Whether somebody may do something.
    Review(Box<Review>),
}

/// Whether somebody may do something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Review {
    /// Who.
    pub subject: Subject,
    /// What.
    pub asked: Asked,
    /// What narrows the collection.
    pub selectors: Selectors,
}

/// Where an object is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stored {
    /// Its API group; empty is the core group.
    pub group: String,
    /// The version of its API.
    pub version: String,
    /// Its plural.
    pub resource: String,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl Stored {
    fn segments(&self) -> Vec<&str> {
        let mut segments = match self.group.as_str() {
            "" => vec!["api", self.version.as_str()],
            group => vec!["apis", group, self.version.as_str()],
        };
        if let Some(namespace) = &self.namespace
            && self.resource != "namespaces"
        {
            segments.extend(["namespaces", namespace]);
        }
        segments.extend([self.resource.as_str(), self.name.as_str()]);
        segments
    }
}

/// As cases name it.
impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Read::Object(stored) => write!(f, "/{}", stored.segments().join("/")),
            Read::Review(review) => review.asked.fmt(f),
        }
    }
}

/// The body of a review.
pub fn review_body(review: &Review) -> Value {
    let mut spec = Map::new();
    spec.insert("user".to_owned(), json!(review.subject.user));
    if !review.subject.groups.is_empty() {
        spec.insert("groups".to_owned(), json!(review.subject.groups));
    }
    match &review.asked {
        Asked::Path { verb, path } => {
            spec.insert(
                "nonResourceAttributes".to_owned(),
                json!({"path": path, "verb": verb}),
            );
        }
        Asked::Object(object) => {
            let namespace = object.namespace.as_deref().unwrap_or_default();
            let texts = [
                ("namespace", namespace),
                ("verb", &object.verb),
                ("group", &object.kind.group),
                ("resource", &object.kind.resource),
                ("subresource", &object.kind.subresource),
                ("name", &object.name),
            ];
            let mut attributes: Map<String, Value> = texts
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(name, text)| (name.to_owned(), json!(text)))
                .collect();
            let selectors = [
                ("fieldSelector", &review.selectors.field),
                ("labelSelector", &review.selectors.label),
            ];
            for (name, selector) in selectors {
                if let Some(selector) = selector {
                    attributes.insert(name.to_owned(), json!({"rawSelector": selector}));
                }
            }
            spec.insert("resourceAttributes".to_owned(), Value::Object(attributes));
        }
    }
    json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": spec,
    })
}

/// One API server, asked with our token. Cheap to clone.
#[derive(Clone)]
pub struct Cluster(Client);

impl Cluster {
    /// The API server of `config`. Makes no call.
    /// Errors: an address that cannot be used.
    pub fn new(config: &Config, parts: &Parts) -> Result<Cluster, ConnectError> {
        let auth = Arc::new(Bearer::from_ref(config.credential.clone()));
        Ok(Cluster(parts.client(&config.url)?.with_auth(auth)))
    }

    /// Make several reads at once.
    pub async fn read_all(&self, ctx: &Context, reads: Vec<Read>) -> Vec<(Read, Answer)> {
        let one = |read: Read| async move {
            let answer = self.read(ctx, &read).await;
            (read, answer)
        };
        join_all(reads.into_iter().map(one)).await
    }

    async fn read(&self, ctx: &Context, read: &Read) -> Answer {
        let answer = match read {
            Read::Review(review) => self.review(ctx, review).await.map(Answer::Body),
            Read::Object(stored) => self.object(ctx, stored).await,
        };
        answer.unwrap_or_else(|error| Answer::Failed(error.into()))
    }

    /// The answer to a review.
    /// Errors: with their meaning about our token.
    pub async fn review(&self, ctx: &Context, review: &Review) -> Result<Value, Error> {
        self.create(ctx, "subjectaccessreviews", &review_body(review))
            .await
    }

    /// What our own token may do in a namespace.
    /// Errors: with their meaning about our token.
    pub async fn own_rules(&self, ctx: &Context, namespace: &str) -> Result<Value, Error> {
        let body = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        });
        self.create(ctx, "selfsubjectrulesreviews", &body).await
    }

    async fn create(&self, ctx: &Context, resource: &str, body: &Value) -> Result<Value, Error> {
        let path = ["apis", "authorization.k8s.io", "v1", resource];
        let request = self
            .0
            .post(PathBuilder::new().segments(path))
            .json(body)
            .idempotent();
        let response = request
            .send(ctx)
            .await
            .map_err(|error| meaning(error, &format!("create {resource}.authorization.k8s.io")))?;
        response.json()
    }

    async fn object(&self, ctx: &Context, stored: &Stored) -> Result<Answer, Error> {
        let request = self
            .0
            .get(PathBuilder::new().segments(stored.segments()))
            .accept_status(&[403, 404]);
        let response = request
            .send(ctx)
            .await
            .map_err(|error| meaning(error, "get an object"))?;
        Ok(match response.status {
            403 => Answer::Forbidden,
            404 => Answer::Missing {
                message: String::new(),
            },
            _ => Answer::Body(response.json()?),
        })
    }
}

/// Give a refused call its meaning.
fn meaning(error: Error, right: &str) -> Error {
    match error.status() {
        Some(401) => error.recoded(
            Code::CredentialRejected,
            "the API server does not accept the token: expired, revoked or mistyped",
        ),
        Some(403) => error.recoded(
            Code::CredentialRejected,
            format!("the token may not {right}"),
        ),
        _ => error,
    }
}
