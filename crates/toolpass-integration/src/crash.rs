//! Catching a crash inside an integration, without its message.
//!
//! Separate because a panic's message may hold upstream data, and the standard panic hook prints it. Work that runs under
//! [`caught`] is marked while it is polled; for marked work a hook of ours keeps the place and drops the message, and every
//! other panic goes to the hook that was there before.
//!
//! INVARIANT: what leaves this file about a crash is a file, a line and a column.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Once;
use std::task::{Context, Poll};

use toolpass_core::codes::Code;

use crate::failure::Failure;

/// Where work crashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    location: String,
}

impl Crash {
    /// `file:line:column`.
    pub fn location(&self) -> &str {
        &self.location
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "crashed at {}", self.location)
    }
}

impl std::error::Error for Crash {}

impl From<Crash> for Failure {
    fn from(_: Crash) -> Failure {
        Failure::new(Code::UpstreamError, "the integration crashed")
    }
}

/// Run `work`; a panic in it becomes a [`Crash`]. Who calls this logs the crash, once.
pub async fn caught<F: Future>(work: F) -> Result<F::Output, Crash> {
    install();
    Caught(pin!(work)).await
}

struct Caught<'a, F>(Pin<&'a mut F>);

impl<F: Future> Future for Caught<'_, F> {
    type Output = Result<F::Output, Crash>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outer = MARKED.replace(true);
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)));
        MARKED.set(outer);
        match polled {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(Crash {
                location: LOCATION.take(),
            })),
        }
    }
}

/// Put our hook before the one that is there, once per process.
fn install() {
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if MARKED.get() {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                LOCATION.replace(place);
            } else {
                previous(info);
            }
        }));
    });
}

static INSTALLED: Once = Once::new();

thread_local! {
    static MARKED: Cell<bool> = const { Cell::new(false) };
    static LOCATION: RefCell<String> = const { RefCell::new(String::new()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_crash_keeps_its_place_and_not_its_message() {
        let crash = caught(async {
            tokio::task::yield_now().await;
            panic!("hunter2");
        })
        .await
        .unwrap_err();
        assert!(crash.location().contains("crash.rs:"), "{crash}");
        assert!(!format!("{crash} {crash:?} {}", Failure::from(crash.clone())).contains("hunter2"));
    }

    #[tokio::test]
    async fn what_does_not_crash_is_handed_on() {
        assert_eq!(caught(async { 7 }).await, Ok(7));
        assert!(!MARKED.get());
    }
}
