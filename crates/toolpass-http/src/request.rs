//! One request, built step by step; what is wrong with it is said when it is sent.
//!
//! Separate from the client so that building is plain data. Addresses come from typed segments and sorted pairs only.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::Value;

use crate::budget::Context;
use crate::client::Client;
use crate::error::{Error, Kind};
use crate::path::{PathBuilder, form_encoded};
use crate::response::Response;
use crate::transport::Outgoing;
use crate::url::Url;

/// A request of one client. Building it sends nothing.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request {
    client: Client,
    method: Method,
    target: Target,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
    idempotent: bool,
    harmless: bool,
    accepted: Accepted,
    learned: bool,
    problem: Option<Error>,
}

#[derive(Clone, Debug)]
enum Target {
    Absolute(Url),
    Relative(PathBuilder),
}

/// Which error statuses are answers to the caller.
#[derive(Clone, Debug)]
enum Accepted {
    All,
    All4xx,
    These(Vec<u16>),
}

/// A request whose parts are known to fit.
pub(crate) struct Prepared {
    pub(crate) out: Outgoing,
    pub(crate) idempotent: bool,
    accepted: Accepted,
}

impl Request {
    /// Add a pair to the query. Pairs are sent sorted by name; those of one name in the order given.
    pub fn query(mut self, name: &str, value: &str) -> Request {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Send JSON.
    pub fn json(self, body: &Value) -> Request {
        self.body("application/json", body.to_string())
    }

    /// Send a form, in the order given.
    pub fn form(self, pairs: &[(&str, &str)]) -> Request {
        self.body(
            "application/x-www-form-urlencoded",
            form_encoded(pairs.iter().copied()),
        )
    }

    /// Send bytes as they are.
    pub fn body(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Request {
        self.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        self.body = body.into();
        self
    }

    /// Set a header, in place of the client's.
    pub fn header(mut self, name: &str, value: &str) -> Request {
        match (HeaderName::try_from(name), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            _ => {
                self.problem = Some(Error::new(
                    Kind::Request,
                    format!("the header `{name}` cannot be sent"),
                ))
            }
        }
        self
    }

    /// What to accept instead of JSON.
    pub fn accept(mut self, media_type: &'static str) -> Request {
        self.headers
            .insert(ACCEPT, HeaderValue::from_static(media_type));
        self
    }

    /// It may be repeated, whatever its method: a read by POST, or a POST whose repetition does no harm.
    pub fn idempotent(mut self) -> Request {
        self.idempotent = true;
        self
    }

    /// It must not be repeated, whatever its method.
    pub fn once(mut self) -> Request {
        self.idempotent = false;
        self
    }

    /// It is sent again when a kept connection turns out to be dead, whatever its method; that alone is no repetition to anybody
    /// who answers.
    pub fn harmless(mut self) -> Request {
        self.harmless = true;
        self
    }

    /// These error statuses are answers.
    pub fn accept_status(mut self, statuses: &[u16]) -> Request {
        self.accepted = Accepted::These(statuses.to_vec());
        self
    }

    /// Every 4xx is an answer.
    pub fn accept_4xx(mut self) -> Request {
        self.accepted = Accepted::All4xx;
        self
    }

    /// Every status is an answer.
    pub fn accept_all(mut self) -> Request {
        self.accepted = Accepted::All;
        self
    }

    /// The same request to another address, as a next page has it.
    pub fn to(mut self, url: Url) -> Request {
        self.target = Target::Absolute(url);
        self.query = Vec::new();
        self
    }

    /// Send it: at most three times, and once more with a new credential.
    /// Errors: what was wrong with its parts; what the exchange failed with; a status of 400 or above that is not accepted.
    pub async fn send(self, ctx: &Context) -> Result<Response, Error> {
        let client = self.client.clone();
        client.send(ctx, &self.prepare()?).await
    }

    pub(crate) fn relative(client: Client, method: Method, path: PathBuilder) -> Request {
        Request::with(client, method, Target::Relative(path))
    }

    pub(crate) fn absolute(client: Client, method: Method, url: Url) -> Request {
        Request::with(client, method, Target::Absolute(url))
    }

    pub(crate) fn learned(mut self) -> Request {
        self.learned = true;
        self
    }

    fn with(client: Client, method: Method, target: Target) -> Request {
        let headers = client.default_headers().clone();
        let idempotent = matches!(method, Method::GET | Method::HEAD | Method::OPTIONS);
        Request {
            client,
            method,
            target,
            query: Vec::new(),
            headers,
            body: Bytes::new(),
            idempotent,
            harmless: false,
            accepted: Accepted::These(Vec::new()),
            learned: false,
            problem: None,
        }
    }

    fn prepare(self) -> Result<Prepared, Error> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let (url, given) = match self.target {
            Target::Absolute(url) => {
                let given = url.query().map(str::to_owned);
                (url, given)
            }
            Target::Relative(path) => {
                let base = self.client.base();
                let base = base.ok_or_else(|| {
                    Error::new(
                        Kind::Request,
                        "a relative path was asked of a client without a base address",
                    )
                })?;
                let path = format!("{}{}", base.path().trim_end_matches('/'), path.build()?);
                (
                    base.with_path_and_query(if path.is_empty() { "/".into() } else { path }, None),
                    None,
                )
            }
        };
        let mut query = self.query;
        query.sort_by(|(one, _), (other, _)| one.cmp(other));
        let added = form_encoded(
            query
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
        let query = match (given, added.is_empty()) {
            (given, true) => given,
            (Some(given), false) if !given.is_empty() => Some(format!("{given}&{added}")),
            (_, false) => Some(added),
        };
        let url = url.with_path_and_query(url.path().to_owned(), query);
        let out = Outgoing {
            method: self.method,
            url,
            headers: self.headers,
            body: self.body,
            learned: self.learned,
            harmless: self.harmless,
        };
        Ok(Prepared {
            out,
            idempotent: self.idempotent,
            accepted: self.accepted,
        })
    }
}

impl Prepared {
    pub(crate) fn url(&self) -> &Url {
        &self.out.url
    }

    pub(crate) fn accepts(&self, status: u16) -> bool {
        match &self.accepted {
            Accepted::All => true,
            Accepted::All4xx => (400..500).contains(&status),
            Accepted::These(statuses) => statuses.contains(&status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Transport, TransportSettings};

    fn client(base: &str) -> Client {
        Client::new(
            Transport::new(TransportSettings::default()).unwrap(),
            Url::parse(base).unwrap(),
        )
    }

    #[test]
    fn addresses() {
        let check = |request: Request, expected: &str| {
            let prepared = request
                .prepare()
                .map(|prepared| prepared.url().path_and_query());
            assert_eq!(prepared.unwrap_or_else(|error| error.to_string()), expected);
        };
        let api = client("https://h/api/v3/");
        check(api.get(["repos", "a/b"]), "/api/v3/repos/a%2Fb");
        check(api.get(PathBuilder::new()), "/api/v3");
        check(client("https://h").get(PathBuilder::new()), "/");
        check(
            api.get(["x"])
                .query("b", "2 3")
                .query("a", "1")
                .query("b", "1"),
            "/api/v3/x?a=1&b=2+3&b=1",
        );
        check(
            api.absolute(Method::GET, Url::parse("https://h/t?x=1").unwrap())
                .query("a", "1"),
            "/t?x=1&a=1",
        );
        check(
            api.get(["repos", ".."]),
            "a path segment is empty, `.` or `..`, which would ask another endpoint",
        );
        check(
            api.get(["x"]).header("bad name", "v"),
            "the header `bad name` cannot be sent",
        );
        let none = Client::without_base(Transport::new(TransportSettings::default()).unwrap());
        check(
            none.get(["x"]),
            "a relative path was asked of a client without a base address",
        );
    }

    #[test]
    fn reads_are_idempotent_unless_said_otherwise() {
        let api = client("https://h");
        assert!(api.get(["x"]).prepare().unwrap().idempotent);
        assert!(!api.post(["x"]).prepare().unwrap().idempotent);
        assert!(api.post(["x"]).idempotent().prepare().unwrap().idempotent);
        assert!(!api.get(["x"]).once().prepare().unwrap().idempotent);
        let accepts = |request: Request, status| request.prepare().unwrap().accepts(status);
        assert!(accepts(api.get(["x"]).accept_status(&[404]), 404));
        assert!(!accepts(api.get(["x"]).accept_status(&[404]), 403));
        assert!(accepts(api.get(["x"]).accept_4xx(), 451));
        assert!(!accepts(api.get(["x"]).accept_4xx(), 500));
    }
}
