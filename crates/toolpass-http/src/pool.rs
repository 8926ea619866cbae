//! Connections kept open between requests.
//!
//! Separate because reuse must never cross a boundary: the key is everything that decided how a connection was made. A
//! connection is put back only after its answer was read whole, and never crosses a fork.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use toolpass_core::clock::Monotonic;

use crate::url::Scheme;

/// One open connection.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// What a connection was made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) scheme: Scheme,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Host and port of the proxy.
    pub(crate) proxy: Option<(Scheme, String, u16)>,
    /// Whether its address was judged as one learned from an answer.
    pub(crate) learned: bool,
}

/// The idle connections of one transport.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Mutex<Idle>>);

#[derive(Default)]
struct Idle {
    process: u32,
    by_key: HashMap<Key, Vec<(Monotonic, Sender)>>,
}

impl Pool {
    /// An open connection, the youngest first.
    pub(crate) fn take(&self, key: &Key, now: Monotonic) -> Option<Sender> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.forget_other_process();
        let list = idle.by_key.get_mut(key)?;
        while let Some((since, sender)) = list.pop() {
            if sender.is_ready() && !sender.is_closed() && now.since(since) < MAX_IDLE {
                return Some(sender);
            }
        }
        idle.by_key.remove(key);
        None
    }

    /// Keep a connection whose answer was read. One that is not quiet yet is waited for a moment, beside the caller.
    pub(crate) async fn give(&self, key: Key, mut sender: Sender, now: Monotonic) {
        let ready = poll_fn(|cx| Poll::Ready(sender.poll_ready(cx))).await;
        match ready {
            Poll::Ready(Ok(())) => self.keep(key, sender, now),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                let pool = self.clone();
                tokio::spawn(async move {
                    if let Ok(Ok(())) = tokio::time::timeout(SETTLE, sender.ready()).await {
                        pool.keep(key, sender, now);
                    }
                });
            }
        }
    }

    fn keep(&self, key: Key, sender: Sender, now: Monotonic) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.forget_other_process();
        let list = idle.by_key.entry(key).or_default();
        list.retain(|(since, sender)| !sender.is_closed() && now.since(*since) < MAX_IDLE);
        if list.len() < MAX_IDLE_PER_KEY {
            list.push((now, sender));
        }
    }
}

impl Idle {
    /// After a fork the sockets belong to the parent; two processes in one TLS stream would corrupt it.
    fn forget_other_process(&mut self) {
        let process = std::process::id();
        if self.process != process {
            self.process = process;
            self.by_key.clear();
        }
    }
}

const MAX_IDLE: Duration = Duration::from_secs(90);
const MAX_IDLE_PER_KEY: usize = 10;
const SETTLE: Duration = Duration::from_secs(5);
