//! How many calls of one connection, and of one check, are under way at once.
//!
//! Separate because every vendor owes its system the same restraint, and a check that waits for its turn too long ends in the same
//! way everywhere.

use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::{Semaphore, SemaphorePermit};
use toolpass_core::codes::Code;
use toolpass_http::budget::Context;
use toolpass_http::error::Error;

use crate::answers::Answer;

/// The turns of one connection's calls.
#[derive(Debug)]
pub struct Turns {
    under_way: Semaphore,
    system: &'static str,
}

impl Turns {
    /// A few calls at once to a system of this name.
    pub fn new(system: &'static str) -> Turns {
        Turns {
            under_way: Semaphore::new(PER_CONNECTION),
            system,
        }
    }

    /// Wait until few enough calls of this connection are under way.
    /// Errors: `upstream_timeout` when the check's time is spent before that.
    pub async fn turn(&self, ctx: &Context) -> Result<SemaphorePermit<'_>, Error> {
        let turn = ctx.within(self.under_way.acquire()).await;
        turn.and_then(Result::ok).ok_or_else(|| {
            let system = self.system;
            Error::coded(
                Code::UpstreamTimeout,
                format!("the check's time was spent while other checks were asking {system}"),
            )
        })
    }
}

/// Make several reads of one check, a few at a time, in no order.
pub async fn several<R, F: Future<Output = Answer>>(
    reads: Vec<R>,
    read: impl Fn(R) -> F,
) -> Vec<(R, Answer)>
where
    R: Clone,
{
    let one = |wanted: R| {
        let answer = read(wanted.clone());
        async move { (wanted, answer.await) }
    };
    stream::iter(reads)
        .map(one)
        .buffer_unordered(PER_CHECK)
        .collect()
        .await
}

/// Calls of one check under way at once.
const PER_CHECK: usize = 3;
/// Calls of one connection under way at once.
const PER_CONNECTION: usize = 8;
