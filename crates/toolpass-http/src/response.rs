//! An answer that was read whole, and the strict ways to look into it.
//!
//! Separate because what an answer may be taken for is decided here: a redirect or a login page is never a body.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, Method};
use serde_json::Value;
use toolpass_core::quoted::Quoted;

use crate::error::Error;
use crate::request::Prepared;
use crate::transport::Received;
use crate::url::Url;
use crate::{json, paging};

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, at most 10 MiB.
    pub body: Bytes,
    method: Method,
    url: Url,
    base: Option<Url>,
}

impl Response {
    /// The address it came from.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The body as JSON. An answer that does not name its type is read too.
    /// Errors: a redirect, another type than JSON, and all of [`json::parse`].
    pub fn json(&self) -> Result<Value, Error> {
        let read = self.must_be_json().and_then(|()| json::parse(&self.body));
        read.map_err(|error| error.of_request(&self.method, &self.url))
    }

    /// The next page, as a `Link` header names it.
    /// Errors: as [`paging::next_page`].
    pub fn link_next(&self) -> Result<Option<Url>, Error> {
        let origin = self.url.with_path_and_query("/".into(), None);
        paging::next_page(
            &self.headers,
            &self.url,
            self.base.as_ref().unwrap_or(&origin),
        )
    }

    pub(crate) fn new(prepared: &Prepared, base: Option<&Url>, received: Received) -> Response {
        let Received {
            status,
            headers,
            body,
        } = received;
        Response {
            status,
            headers,
            body,
            method: prepared.out.method.clone(),
            url: prepared.url().clone(),
            base: base.cloned(),
        }
    }

    fn must_be_json(&self) -> Result<(), Error> {
        if (300..400).contains(&self.status) {
            return Err(Error::malformed(format!(
                "redirected to {}, expected JSON",
                self.redirect_host()
            )));
        }
        let Some(given) = self.headers.get(CONTENT_TYPE) else {
            return Ok(());
        };
        let given = given.to_str().unwrap_or("an unreadable type");
        let essence = given
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match essence.as_str() {
            "application/json" | "text/json" => Ok(()),
            other if other.starts_with("application/") && other.ends_with("+json") => Ok(()),
            "text/html" | "application/xhtml+xml" => Err(Error::malformed(
                "answered with HTML, expected JSON; a login page or a proxy may stand before the API",
            )),
            other => Err(Error::malformed(format!(
                "answered with {}, expected JSON",
                Quoted::new(other)
            ))),
        }
    }

    fn redirect_host(&self) -> String {
        let location = self
            .headers
            .get(LOCATION)
            .and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        target.map_or_else(
            || "an address that cannot be read".into(),
            |url| url.authority(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let url = Url::parse("https://h/api/x?q=secret").unwrap();
        Response {
            status,
            headers,
            body: Bytes::from(body.to_owned()),
            method: Method::GET,
            url,
            base: None,
        }
    }

    #[test]
    fn only_json_is_read_as_json() {
        let check = |status, headers: &[(&str, &str)], body, expected: &str| {
            let found = response(status, headers, body)
                .json()
                .map(|value| value.to_string())
                .unwrap_or_else(|error| error.to_string());
            assert_eq!(found, expected);
        };
        let json = [("content-type", "application/json; charset=utf-8")];
        check(200, &json, "{\"a\":1}", "{\"a\":1}");
        check(
            200,
            &[("content-type", "application/scim+JSON")],
            "[]",
            "[]",
        );
        check(200, &[], "[]", "[]");
        check(
            200,
            &json,
            "",
            "GET https://h/api/x: the answer is empty, expected JSON",
        );
        check(
            200,
            &[("content-type", "text/html; charset=utf-8")],
            "<html>",
            "GET https://h/api/x: answered with HTML, expected JSON; a login page or a proxy may stand before the API",
        );
        check(
            200,
            &[("content-type", "text/plain")],
            "{}",
            "GET https://h/api/x: answered with \"text/plain\", expected JSON",
        );
        check(
            302,
            &[
                ("location", "https://login.example.com/sso?state=secret"),
                ("content-type", "application/json"),
            ],
            "{}",
            "GET https://h/api/x: redirected to login.example.com, expected JSON",
        );
        check(
            304,
            &[],
            "",
            "GET https://h/api/x: redirected to an address that cannot be read, expected JSON",
        );
    }
}
