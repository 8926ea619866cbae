//! One request as it was read, and one answer to give: all a system sees of HTTP.
//!
//! Apart from the server so that systems are plain functions from a request to an answer, without sockets or async.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// One request, its body read to the end.
pub struct Received {
    /// Upper case.
    pub method: String,
    /// As sent, escapes kept, without the query.
    pub path: String,
    /// Without the `?`.
    pub query: Option<String>,
    /// All header fields.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// Scheme and authority as the client named them, such as `https://localhost:4433`: links in answers start with it.
    pub origin: String,
}

/// One answer.
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Header fields beside those the server adds.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
    /// Which credential the system found, by name and never by value: for the journal.
    pub credential: Option<String>,
    /// Given by no endpoint of its own but by the answer for all others: for the journal.
    pub fallback: bool,
    /// What is sent on after a status 101, in the protocol that was agreed on; then the connection ends.
    pub upgraded: Option<Bytes>,
}

/// How a request authorised itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorizationKind {
    /// `Authorization: Basic`.
    Basic,
    /// `Authorization: Bearer`.
    Bearer,
    /// No such header.
    None,
    /// Anything else.
    Other,
    /// `Authorization: token`, GitHub's older form.
    Token,
}

impl Received {
    /// The first value of a query parameter, decoded.
    pub fn query_value(&self, name: &str) -> Option<String> {
        let query = self.query.as_deref()?;
        query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key) == name).then(|| decode(value))
        })
    }

    /// A header field's value, when it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The secret of the `Authorization` header: what follows the scheme, or a Basic password.
    pub fn credential(&self) -> Option<String> {
        let value = self.header("authorization")?;
        let (scheme, secret) = value.split_once(' ')?;
        let secret = secret.trim();
        if !scheme.eq_ignore_ascii_case("basic") {
            return Some(secret.to_owned());
        }
        let pair = String::from_utf8(STANDARD.decode(secret).ok()?).ok()?;
        pair.split_once(':')
            .map(|(_, password)| password.to_owned())
    }
}

impl Reply {
    /// An answer with a JSON body.
    pub fn json(status: u16, body: &Value) -> Reply {
        Reply {
            status,
            headers: vec![(
                "content-type".to_owned(),
                "application/json; charset=utf-8".to_owned(),
            )],
            body: Bytes::from(body.to_string()),
            credential: None,
            fallback: false,
            upgraded: None,
        }
    }

    /// An answer without a body.
    pub fn empty(status: u16) -> Reply {
        Reply {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
            credential: None,
            fallback: false,
            upgraded: None,
        }
    }

    /// The same with one more header field.
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Reply {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// How the header fields authorise a request.
pub fn authorization_kind(headers: &HeaderMap) -> AuthorizationKind {
    let Some(value) = headers.get("authorization") else {
        return AuthorizationKind::None;
    };
    let text = value.to_str().unwrap_or_default();
    let scheme = text
        .split(' ')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match scheme.as_str() {
        "basic" => AuthorizationKind::Basic,
        "bearer" => AuthorizationKind::Bearer,
        "token" => AuthorizationKind::Token,
        _ => AuthorizationKind::Other,
    }
}

/// A path's segments, each decoded after the split, so an encoded slash stays inside its segment.
pub fn segments(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|part| !part.is_empty())
        .map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
        .collect()
}

/// Put a member into a JSON object; anything else stays as it is.
pub fn set(body: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = body {
        members.insert(name.to_owned(), value);
    }
}

/// A query part: `+` is a space, then percent escapes.
pub(crate) fn decode(part: &str) -> String {
    percent_decode_str(&part.replace('+', " "))
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_slash_stays_in_its_segment() {
        assert_eq!(
            segments("/repos/acme/shop/branches/feature%2Fx"),
            ["repos", "acme", "shop", "branches", "feature/x"]
        );
    }

    #[test]
    fn a_query_value_is_decoded_once() {
        let request = Received {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            query: Some("a=1&email=dana%2Btest%40example.com&b=x+y".to_owned()),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            origin: String::new(),
        };
        assert_eq!(
            request.query_value("email").as_deref(),
            Some("dana+test@example.com")
        );
        assert_eq!(request.query_value("b").as_deref(), Some("x y"));
        assert_eq!(request.query_value("c"), None);
    }
}
