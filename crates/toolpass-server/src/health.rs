//! Probes: does the process answer, is it ready for more.

use futures_util::future::{BoxFuture, FutureExt, ready};
use http::StatusCode;
use serde::Serialize;

use crate::exchange::Asked;
use crate::reply::Reply;

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

/// `/healthz`, `/livez`: the process answers.
pub(crate) fn process(_: Asked) -> BoxFuture<'static, Reply> {
    ready(Reply::json(StatusCode::OK, &Status { status: "ok" })).boxed()
}
