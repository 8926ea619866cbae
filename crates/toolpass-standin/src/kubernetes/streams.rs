//! Logs, and streams by WebSocket: what a container says, once, and the end.
//!
//! Source: RFC 6455; kubernetes.io "Kubernetes API Concepts"; k8s.io/apimachinery `remotecommand` (channels); read 2026-12-01.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::call::Call;
use super::standin::status;
use crate::message::{Received, Reply};

/// The answer of a part of a pod that is no object; `None` for others.
pub(super) fn answer(call: &Call, request: &Received) -> Option<Reply> {
    if call.resource != "pods" || !call.group.is_empty() {
        return None;
    }
    match call.part.as_str() {
        "log" => Some(text("the shop is open\n")),
        "proxy" => Some(text("proxied\n")),
        "attach" | "exec" | "portforward" => Some(stream(request)),
        _ => None,
    }
}

fn stream(request: &Received) -> Reply {
    let Some(key) = request.header("sec-websocket-key") else {
        return status(400, "BadRequest", "Upgrade request required");
    };
    let accepted = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, accepted.as_bytes());
    let mut reply = Reply::empty(101)
        .with_header("connection", "Upgrade")
        .with_header("upgrade", "websocket")
        .with_header("sec-websocket-accept", STANDARD.encode(digest.as_ref()));
    if let Some(protocols) = request.header("sec-websocket-protocol") {
        let first = protocols.split(',').next().unwrap_or_default().trim();
        reply = reply.with_header("sec-websocket-protocol", first);
    }
    let end = br#"{"metadata":{},"status":"Success"}"#;
    let frames = [
        frame(1, b"the shop is open\n"),
        frame(3, end),
        vec![0x88, 2, 3, 0xe8],
    ]
    .concat();
    reply.upgraded = Some(Bytes::from(frames));
    reply
}

/// A binary frame of one channel.
fn frame(channel: u8, data: &[u8]) -> Vec<u8> {
    let length = u8::try_from(data.len() + 1).unwrap_or(u8::MAX);
    let mut frame = vec![0x82, length, channel];
    frame.extend_from_slice(data);
    frame
}

fn text(body: &'static str) -> Reply {
    let mut reply = Reply::json(200, &Value::Null);
    reply.headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
    reply.body = Bytes::from_static(body.as_bytes());
    reply
}
