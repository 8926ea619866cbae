//! The head of a request to the page's server: read whole, then judged by rules in one order.
//!
//! Written on `httparse` and not on an HTTP server: the rules are about the raw framing of a request, which a server answers
//! on its own terms before a handler sees it. Bodies are never read, and a connection carries one request, so no part of
//! one can be taken for the next.
//!
//! The order: the host, because a page of another site that was made to point here (DNS rebinding) gets to know nothing;
//! then the framing of a body; then the secret path; then the method; then what is asked for.

use crate::token::Token;

/// The longest head, in bytes.
pub const MAX_HEAD: usize = 16 * 1024;

/// How many headers are read.
const MAX_HEADERS: usize = 100;

/// The longest body a request may announce. It is not read.
const MAX_BODY: u64 = 64 * 1024;

/// What the bytes so far are.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    /// No HTTP/1 request.
    Malformed,
    /// The head goes on.
    Partial,
    /// More than is read of a head.
    TooLong,
    /// A head.
    Whole(Head),
}

/// What the rules look at.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    method: String,
    target: String,
    hosts: Vec<Vec<u8>>,
    lengths: Vec<Vec<u8>>,
    is_chunked: bool,
    last_message: Option<String>,
}

/// What a request is for, or why it gets nothing.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// A file of the page, by its name.
    Asset(String),
    /// Its body is framed in a way that is not followed.
    BadBody,
    /// The rows past a number.
    Events(u64),
    /// Its host is another one than this machine.
    ForeignHost,
    /// Nothing is there.
    NotFound,
    /// The rows as they come, for one who saw this message last.
    Stream(Option<String>),
    /// Another method than GET.
    WrongMethod,
}

/// Read a head.
pub fn read(bytes: &[u8]) -> Reading {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) if bytes.len() >= MAX_HEAD => return Reading::TooLong,
        Ok(httparse::Status::Partial) => return Reading::Partial,
        Err(httparse::Error::TooManyHeaders) => return Reading::TooLong,
        Err(_) => return Reading::Malformed,
    }
    let values = |name: &str| -> Vec<Vec<u8>> {
        let named = request
            .headers
            .iter()
            .filter(|header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| header.value.to_vec()).collect()
    };
    Reading::Whole(Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        hosts: values("host"),
        lengths: values("content-length"),
        is_chunked: !values("transfer-encoding").is_empty(),
        last_message: values("last-event-id")
            .pop()
            .and_then(|value| String::from_utf8(value).ok()),
    })
}

impl Head {
    /// What it is for, by the rules in their order.
    pub fn asked(&self, token: &Token) -> Asked {
        if !self.is_for_this_machine() {
            return Asked::ForeignHost;
        }
        if !self.is_framed_plainly() {
            return Asked::BadBody;
        }
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let under = path
            .strip_prefix("/t/")
            .and_then(|rest| rest.split_once('/'));
        let Some((_, name)) = under.filter(|(given, _)| token.is(given.as_bytes())) else {
            return Asked::NotFound;
        };
        if self.method != "GET" {
            return Asked::WrongMethod;
        }
        match name {
            "events" => Asked::Events(since(query)),
            "events/stream" => Asked::Stream(self.last_message.clone()),
            name => Asked::Asset(name.to_owned()),
        }
    }

    fn is_for_this_machine(&self) -> bool {
        let [host] = self.hosts.as_slice() else {
            return false;
        };
        let Ok(host) = std::str::from_utf8(host) else {
            return false;
        };
        LOCAL_HOSTS.iter().any(|local| {
            let rest = host
                .get(..local.len())
                .filter(|start| start.eq_ignore_ascii_case(local))
                .and_then(|_| host.get(local.len()..));
            rest.is_some_and(is_port)
        })
    }

    /// No body, or one of a single plain length within the bound.
    fn is_framed_plainly(&self) -> bool {
        if self.is_chunked {
            return false;
        }
        match self.lengths.as_slice() {
            [] => true,
            [length] => {
                let digits = length.iter().all(u8::is_ascii_digit) && length.len() <= 10;
                digits
                    && std::str::from_utf8(length)
                        .ok()
                        .and_then(|text| text.parse().ok())
                        .is_some_and(|length: u64| length <= MAX_BODY)
            }
            [..] => false,
        }
    }
}

/// What may follow a host: nothing, or a port.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|port| port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The last `since` of a query; what is no number is 0.
fn since(query: &str) -> u64 {
    let mut values = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("since="));
    values
        .next_back()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// Names of this machine in a `Host` header, before its port.
const LOCAL_HOSTS: &[&str] = &["127.0.0.1", "localhost", "[::1]", "::1"];
