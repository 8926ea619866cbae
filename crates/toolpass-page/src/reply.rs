//! Answers of the page's server: a status, the headers that all have, and a body.
//!
//! INVARIANT: every answer closes its connection and says so; every answer has the safety headers.

use std::fmt::Write;

use crate::assets;

/// The headers of every answer.
pub const SAFETY: &[(&str, &str)] = &[
    // The page shows what just happened; no copy of it is left behind.
    ("Cache-Control", "no-store"),
    // A script is a script and a text a text, whatever it looks like.
    ("X-Content-Type-Options", "nosniff"),
    // No other page may frame it and lay something over it.
    ("X-Frame-Options", "DENY"),
    // No page of another origin may take its files in.
    ("Cross-Origin-Resource-Policy", "same-origin"),
    // Its address is a secret.
    ("Referrer-Policy", "no-referrer"),
];

/// The policy of the page: its own script, style and answers, nothing else, and nothing inline.
pub const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The type of an answer with events.
pub const JSON: &str = "application/json; charset=utf-8";

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    status: &'static str,
    kind: &'static str,
    body: String,
    more: &'static [(&'static str, &'static str)],
}

impl Reply {
    /// A refusal: its status and a word on it.
    pub fn refused(status: &'static str) -> Reply {
        let words = status.split_once(' ').map_or(status, |(_, words)| words);
        Reply {
            status,
            kind: "text/plain; charset=utf-8",
            body: format!("{words}\n"),
            more: &[],
        }
    }

    /// The method is another than GET.
    pub fn wrong_method() -> Reply {
        Reply {
            more: &[("Allow", "GET")],
            ..Reply::refused("405 Method Not Allowed")
        }
    }

    /// A file of the page.
    pub fn asset(asset: &assets::Asset) -> Reply {
        Reply {
            status: "200 OK",
            kind: asset.kind,
            body: asset.body.to_owned(),
            more: if asset.kind == assets::HTML {
                &[("Content-Security-Policy", CONTENT_POLICY)]
            } else {
                &[]
            },
        }
    }

    /// Events.
    pub fn events(json: String) -> Reply {
        Reply {
            status: "200 OK",
            kind: JSON,
            body: json,
            more: &[],
        }
    }

    /// The bytes on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut head = start(self.status, self.kind);
        for (name, value) in self.more {
            // Writing to a String cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Content-Length: {}\r\n\r\n", self.body.len());
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(self.body.as_bytes());
        bytes
    }
}

/// The head of a stream, whose body goes on until the connection ends.
pub fn stream_head() -> String {
    format!(
        "{}\r\n",
        start("200 OK", "text/event-stream; charset=utf-8")
    )
}

/// One message of a stream. JSON on one line holds no line end.
pub fn message(id: &str, json: &str) -> String {
    format!("id: {id}\ndata: {json}\n\n")
}

/// What keeps a stream that has nothing to say alive.
pub const STILL_THERE: &str = ": still there\n\n";

fn start(status: &str, kind: &str) -> String {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n");
    for (name, value) in SAFETY {
        // Writing to a String cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head
}
