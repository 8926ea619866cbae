//! Any other host: takes everything without a credential and says what it took.
//!
//! For unknown hosts and exfiltration: what reached it is in the journal. `/redirect?status=307&to=URL` redirects; a body sent to it
//! is in the journal as well.

use serde_json::{Value, json};

use crate::error::Error;
use crate::message::{Received, Reply, authorization_kind};
use crate::server::{Running, System, Transport, start};

/// The stand-in of a host nobody configured.
pub struct EchoStandin;

impl EchoStandin {
    /// Serve on a free port of 127.0.0.1. Errors: see [`start`].
    pub fn start(transport: &Transport) -> Result<Running, Error> {
        start(Box::new(EchoStandin), transport, "")
    }
}

impl System for EchoStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        path
    }

    fn answer(&self, request: &Received) -> Reply {
        if request.path == "/redirect" {
            return redirect(request);
        }
        Reply::json(
            200,
            &json!({
                "method": request.method,
                "path": request.path,
                "query": request.query,
                "authorization": authorization_kind(&request.headers),
                "body": String::from_utf8_lossy(&request.body),
            }),
        )
    }

    fn state(&self) -> Value {
        json!({})
    }

    fn patch(&self, _patch: &Value) -> Result<(), Error> {
        Err(Error::World("this stand-in has no world".to_owned()))
    }

    fn reset(&self) {}

    fn command(&self, _name: &str, _arguments: &Value) -> Option<Result<Value, Error>> {
        None
    }
}

fn redirect(request: &Received) -> Reply {
    let status = request
        .query_value("status")
        .and_then(|text| text.parse().ok())
        .unwrap_or(302);
    let target = request.query_value("to").unwrap_or_default();
    let redirects = matches!(status, 301 | 302 | 303 | 307 | 308);
    if !redirects || target.is_empty() || target.contains(['\r', '\n']) {
        return Reply::json(
            400,
            &json!({"message": "expected status=301|302|303|307|308 and to=URL"}),
        );
    }
    Reply::empty(status).with_header("location", target)
}
