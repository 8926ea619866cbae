//! `/dashboard/events/stream`: runs as they come, as server-sent events.
//!
//! A stream ends when the server stops, when its key is no longer accepted, and after a while in any case: whoever reads it asks
//! again and goes on where it was. Runs that another server of the same database keeps are looked for every second.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, StreamBody};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;
use toolpass_core::codes::Code;
use toolpass_page::reply::{STILL_THERE, message};

use super::query::{Query, Wanted};
use super::rows::{MOST, Rows};
use super::{invalid, safe, shelf, still_opens, told, turned_away};
use crate::exchange::Asked;
use crate::reply::{Form, Reply};

/// One reader.
struct Reader {
    asked: Asked,
    query: Query,
    news: watch::Receiver<()>,
    /// What it knows; `None` when it knows nothing.
    since: Option<u64>,
    until: Instant,
    silent_since: Instant,
    /// Given back when nobody reads any more.
    _place: OwnedSemaphorePermit,
}

/// Answer `/dashboard/events/stream`.
pub(crate) fn news(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        if let Some(reply) = turned_away(&asked) {
            return reply;
        }
        let query = match Query::read(asked.head.uri.query()) {
            Ok(query) => query,
            Err(text) => return safe(invalid(&text)),
        };
        let Ok(place) = Arc::clone(&asked.app.streams).try_acquire_owned() else {
            let (status, code) = (StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded);
            let reply = Reply::wrong(Form::Coded, status, code, "too many watch already");
            return safe(reply.with(RETRY_AFTER, HeaderValue::from_static("1")));
        };
        let known = last_message(&asked.head.headers, shelf(&asked).store.epoch());
        let since = known.or(match query.wanted {
            Wanted::Since(since) => Some(since),
            Wanted::Newest(_) => None,
        });
        let reader = Reader {
            news: shelf(&asked).subscribe(),
            since,
            until: Instant::now() + LONGEST,
            silent_since: Instant::now(),
            _place: place,
            asked,
            query,
        };
        let frames = stream::unfold(reader, |mut reader| async move {
            let text = reader.next().await?;
            Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), reader))
        });
        let mut response =
            Response::new(Either::Right(UnsyncBoxBody::new(StreamBody::new(frames))));
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream; charset=utf-8"),
        );
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // A proxy in front passes each message on at once.
        headers.insert(
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        );
        safe(Reply { response })
    }
    .boxed()
}

/// The number in the id of the message a reader saw last, when it is of this epoch.
fn last_message(headers: &HeaderMap, epoch: &str) -> Option<u64> {
    let id = headers.get("last-event-id")?.to_str().ok()?;
    id.strip_prefix(epoch)?.strip_prefix('.')?.parse().ok()
}

impl Reader {
    /// The next bytes; `None` at the end. A store that does not answer ends the stream too.
    async fn next(&mut self) -> Option<String> {
        loop {
            let now = Instant::now();
            if now >= self.until || self.asked.app.draining.load(Ordering::Acquire) {
                return None;
            }
            self.news.borrow_and_update();
            let said = match self.message().await? {
                Some(text) => Some(text),
                None => (now.duration_since(self.silent_since) >= SILENCE)
                    .then(|| STILL_THERE.to_owned()),
            };
            if let Some(said) = said {
                self.silent_since = now;
                return still_opens(&self.asked).then_some(said);
            }
            tokio::select! {
                changed = self.news.changed() => changed.ok()?,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// What is new, if anything. The first message is made in any case.
    async fn message(&mut self) -> Option<Option<String>> {
        let store = &shelf(&self.asked).store;
        let (rows, next) = match self.since {
            None => {
                let next = store.last().await.ok()?;
                let rows = Rows::newest(&self.asked, &self.query, u64::MAX, MOST);
                let rows = rows.await.ok()?;
                let next = rows.last.map_or(next, |last| last.max(next));
                (rows, next)
            }
            Some(since) => {
                let rows = Rows::past(&self.asked, &self.query, since).await.ok()?;
                let Some(next) = rows.last else {
                    return Some(None);
                };
                (rows, next)
            }
        };
        self.since = Some(next);
        if rows.rows.is_empty() && rows.last.is_some() {
            return Some(None);
        }
        let id = format!("{}.{next}", store.epoch());
        let live = self.asked.app.present.get();
        Some(Some(message(&id, &told(&self.asked, &live, rows, next))))
    }
}

/// How long a stream goes on.
const LONGEST: Duration = Duration::from_secs(300);
/// How often other servers' runs are looked for.
const LOOK: Duration = Duration::from_secs(1);
/// How long a stream says nothing.
const SILENCE: Duration = Duration::from_secs(15);
