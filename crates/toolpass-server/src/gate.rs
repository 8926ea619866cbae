//! What stands between a client's bytes and hyper: stricter framing, and time limits.
//!
//! hyper reads some requests more kindly than a server may whose answers allow things: equal `Content-Length` headers, one
//! beside `Transfer-Encoding`, spaces after a chunk's size. The gate lets only bytes pass that have one reading. For a head
//! it does not let pass it hands on one without a body and leaves word ([`Talk::fault`]), so that such a request too is
//! answered and logged where all are.
//!
//! INVARIANT: after a request whose body cannot be read, nothing is read as a request.

pub(crate) mod chunks;
pub(crate) mod head;

use std::future::Future;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep};

use chunks::Chunks;
use head::{Fault, Framing, Judged};

/// How long a client may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// From the first byte of a head to its end.
    pub(crate) head: Duration,
    /// From the first byte of a request to the last of its body.
    pub(crate) request: Duration,
    /// Between an answer and the next request.
    pub(crate) idle: Duration,
}

impl Patience {
    /// The limits of the HTTP interface.
    pub(crate) const DEFAULT: Patience = Patience {
        head: Duration::from_secs(5),
        request: Duration::from_secs(15),
        idle: Duration::from_secs(15),
    };
}

/// What the gate and whoever answers tell each other about one connection.
#[derive(Debug)]
pub(crate) struct Talk {
    /// The one request that is at fault, counted from 0, and why. There is none after it.
    fault: OnceLock<(usize, Fault)>,
    /// Requests that are being answered.
    answering: AtomicUsize,
    /// When the last answer was sent.
    answered: Mutex<Instant>,
    /// The client will send nothing more.
    gone: Notify,
}

/// That a request is being answered, until this is dropped.
#[derive(Debug)]
pub(crate) struct Answering(Arc<Talk>);

impl Talk {
    pub(crate) fn new() -> Arc<Talk> {
        Arc::new(Talk {
            fault: OnceLock::new(),
            answering: AtomicUsize::new(0),
            answered: Mutex::new(Instant::now()),
            gone: Notify::new(),
        })
    }

    /// What is wrong with the request of this number.
    pub(crate) fn fault(&self, number: usize) -> Option<Fault> {
        let (faulty, fault) = self.fault.get()?;
        (*faulty == number).then_some(*fault)
    }

    /// Why the body of the last request is broken.
    pub(crate) fn broken(&self) -> Option<&'static str> {
        match self.fault.get()? {
            (_, Fault::Body(why)) => Some(why),
            (_, Fault::Head | Fault::TooLarge) => None,
        }
    }

    /// Begin to answer.
    pub(crate) fn answering(self: &Arc<Talk>) -> Answering {
        self.answering.fetch_add(1, Ordering::AcqRel);
        Answering(Arc::clone(self))
    }

    /// Ends when the client has gone while it was being answered.
    pub(crate) async fn gone(&self) {
        self.gone.notified().await;
    }

    /// Ends when nothing was answered for so long.
    pub(crate) async fn idle(&self, patience: Duration) {
        loop {
            let until = if self.is_answering() {
                Instant::now() + patience
            } else {
                self.answered() + patience
            };
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }

    fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Acquire) > 0
    }

    fn answered(&self) -> Instant {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        *self
            .0
            .answered
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A client's stream, read through the rules.
pub(crate) struct Gate<S> {
    stream: S,
    talk: Arc<Talk>,
    patience: Patience,
    /// Read and not yet judged.
    raw: BytesMut,
    /// How much of `raw` was looked at for the end of a head.
    looked: usize,
    /// Judged, and to be handed on.
    passed: Bytes,
    phase: Phase,
    /// The number of the request whose head comes next.
    number: usize,
    /// When the first byte of the present request came.
    began: Option<Instant>,
    ended: bool,
    closing: Closing,
    timer: Pin<Box<Sleep>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Head,
    Length(u64),
    Chunked(Chunks),
    /// Nothing more is handed on.
    Shut,
}

/// How far the end of a connection is.
#[derive(Clone, Copy, Debug)]
enum Closing {
    Not,
    /// Our side is closed; the client has until then to close theirs, and may send so many bytes.
    Ours {
        until: Instant,
        left: usize,
    },
}

impl<S> Gate<S> {
    pub(crate) fn new(stream: S, talk: Arc<Talk>, patience: Patience) -> Gate<S> {
        Gate {
            stream,
            talk,
            patience,
            raw: BytesMut::new(),
            looked: 0,
            passed: Bytes::new(),
            phase: Phase::Head,
            number: 0,
            began: None,
            ended: false,
            closing: Closing::Not,
            timer: Box::pin(tokio::time::sleep(patience.idle)),
        }
    }

    /// Judge what was read. Whether there is something to hand on.
    /// Errors: the body is broken.
    fn judge(&mut self) -> io::Result<bool> {
        match self.phase {
            Phase::Head => Ok(self.judge_head()),
            Phase::Length(left) => {
                let here =
                    usize::try_from(left).map_or(self.raw.len(), |left| left.min(self.raw.len()));
                self.passed = self.raw.split_to(here).freeze();
                self.phase = Phase::Length(left.saturating_sub(here as u64));
                if self.phase == Phase::Length(0) {
                    self.next();
                }
                Ok(here > 0)
            }
            Phase::Chunked(mut chunks) => {
                let Ok(here) = chunks.follow(&self.raw) else {
                    return Err(self.broken("a chunk of the body is malformed"));
                };
                self.passed = self.raw.split_to(here).freeze();
                self.phase = Phase::Chunked(chunks);
                if chunks == Chunks::Done {
                    self.next();
                }
                Ok(here > 0)
            }
            Phase::Shut => Ok(false),
        }
    }

    fn judge_head(&mut self) -> bool {
        while self.looked == 0 && self.raw.starts_with(b"\r\n") {
            self.raw.advance(2);
        }
        let Some(end) = head::end(&self.raw, self.looked) else {
            self.looked = self.raw.len();
            if self.raw.len() <= head::MAX_HEAD_BYTES {
                return false;
            }
            let instead = head::substitute(&self.raw);
            return self.hand_on_instead(Fault::TooLarge, instead);
        };
        let head = self.raw.split_to(end).freeze();
        self.looked = 0;
        match head::judge(&head) {
            Judged::Fine(framing) => {
                self.passed = head;
                match framing {
                    Framing::Length(0) => self.next(),
                    Framing::Length(length) => self.phase = Phase::Length(length),
                    Framing::Chunked => self.phase = Phase::Chunked(Chunks::START),
                }
                true
            }
            Judged::Faulty(fault, instead) => self.hand_on_instead(fault, instead),
        }
    }

    fn hand_on_instead(&mut self, fault: Fault, instead: Vec<u8>) -> bool {
        // Set once: nothing is judged after it.
        let _ = self.talk.fault.set((self.number, fault));
        self.passed = instead.into();
        self.phase = Phase::Shut;
        self.raw.clear();
        true
    }

    /// The request is whole; another head may follow.
    fn next(&mut self) {
        self.phase = Phase::Head;
        self.number += 1;
        self.began = None;
        self.looked = 0;
    }

    fn broken(&mut self, why: &'static str) -> io::Error {
        let _ = self.talk.fault.set((self.number, Fault::Body(why)));
        self.phase = Phase::Shut;
        io::Error::new(io::ErrorKind::InvalidData, why)
    }

    /// When the client must have sent more; `None` while it is being answered and owes nothing.
    fn deadline(&self) -> Option<Instant> {
        match (self.phase, self.began) {
            (Phase::Shut, _) => None,
            (Phase::Head, Some(began)) => Some(began + self.patience.head),
            (Phase::Length(_) | Phase::Chunked(_), Some(began)) => {
                Some(began + self.patience.request)
            }
            (_, None) if self.talk.is_answering() => None,
            (_, None) => Some(self.talk.answered() + self.patience.idle),
        }
    }

    /// Wait on until the deadline; ready when it is past.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let now = Instant::now();
            let deadline = self.deadline();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Poll::Ready(());
            }
            let wake = deadline.unwrap_or(now + self.patience.idle);
            // A timer that rings too early costs less than one that is set at every read.
            if self.timer.is_elapsed() || self.timer.deadline() > wake {
                self.timer.as_mut().reset(wake);
            }
            ready!(self.timer.as_mut().poll(cx));
        }
    }
}

impl<S: AsyncRead + Unpin> Gate<S> {
    /// What the end of the client's side means here.
    fn at_end(&mut self) -> Poll<io::Result<()>> {
        match self.phase {
            Phase::Head if self.talk.is_answering() => {
                self.talk.gone.notify_waiters();
                self.talk.gone.notify_one();
                Poll::Pending
            }
            Phase::Shut => Poll::Pending,
            Phase::Head => Poll::Ready(Ok(())),
            Phase::Length(_) | Phase::Chunked(_) => {
                Poll::Ready(Err(self.broken("the body ends too early")))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.passed.is_empty() {
                let count = this.passed.len().min(out.remaining());
                out.put_slice(&this.passed.split_to(count));
                return Poll::Ready(Ok(()));
            }
            if !this.raw.is_empty() && this.began.is_none() {
                this.began = Some(Instant::now());
            }
            if this.judge()? {
                continue;
            }
            if this.phase == Phase::Shut || this.ended {
                return this.at_end();
            }
            let read = read_into(Pin::new(&mut this.stream), cx, &mut this.raw);
            match read {
                Poll::Ready(Ok(0)) => this.ended = true,
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    ready!(this.poll_deadline(cx));
                    this.phase = match this.phase {
                        Phase::Head => Phase::Head,
                        Phase::Length(_) | Phase::Chunked(_) | Phase::Shut => {
                            let _ = this.broken("the body did not come in time");
                            Phase::Shut
                        }
                    };
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
        }
    }
}

/// Read what is there to the end of a buffer. Idle connections so hold no room for what may come.
fn read_into<S: AsyncRead>(
    stream: Pin<&mut S>,
    cx: &mut Context<'_>,
    buffer: &mut BytesMut,
) -> Poll<io::Result<usize>> {
    let mut chunk = [MaybeUninit::uninit(); READ_BYTES];
    let mut read = ReadBuf::uninit(&mut chunk);
    ready!(stream.poll_read(cx, &mut read))?;
    buffer.extend_from_slice(read.filled());
    Poll::Ready(Ok(read.filled().len()))
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    /// Close so that what was sent arrives: a socket closed with unread bytes in it takes the answer with it.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match this.closing {
                Closing::Not => {
                    ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
                    if this.ended {
                        return Poll::Ready(Ok(()));
                    }
                    let until = Instant::now() + CLOSE_PATIENCE;
                    this.timer.as_mut().reset(until);
                    this.closing = Closing::Ours {
                        until,
                        left: MAX_DRAINED_BYTES,
                    };
                }
                Closing::Ours { until, left } => {
                    this.raw.clear();
                    match read_into(Pin::new(&mut this.stream), cx, &mut this.raw) {
                        Poll::Ready(Ok(count @ 1..)) if left > count => {
                            this.closing = Closing::Ours {
                                until,
                                left: left - count,
                            };
                        }
                        Poll::Ready(_) => return Poll::Ready(Ok(())),
                        // Whoever does not close their side in time is not waited for.
                        Poll::Pending => return this.timer.as_mut().poll(cx).map(Ok),
                    }
                }
            }
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

const CLOSE_PATIENCE: Duration = Duration::from_secs(1);
const MAX_DRAINED_BYTES: usize = 4 << 20;
const READ_BYTES: usize = 8 * 1024;

#[cfg(test)]
mod tests;
