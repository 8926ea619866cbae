//! The decisions that are kept, and what hands them out.
//!
//! Identical questions asked at the same time are one check. Allow and deny are stored, unknown never.

use std::cell::RefCell;

use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::decision::Decision;
use toolpass_core::evidence::{Evidence, UpstreamCall};
use toolpass_core::question::{Freshness, Question};
use toolpass_http::budget::Context;
use toolpass_integration::cache::{FillCache, Origin};
use tracing::Instrument;

use crate::caller::Caller;
use crate::engine::{Engine, Wired};
use crate::key::{self, Key};
use crate::options::CallerGroups;
use crate::outcome;
use crate::pipeline;
use crate::validate::Valid;

/// The cache of decisions.
pub(crate) type Decisions = FillCache<Key, Decision>;

/// The stored decision of a question asked at `asked`, which is `now` on the wall, when it takes one.
///
/// The question need not be validated: what is stored was, and its key holds every text of it as it was given.
pub(crate) fn stored(
    engine: &Engine,
    question: &Question,
    caller: &Caller,
    asked: Monotonic,
    now: Wall,
) -> Option<Decision> {
    if question.freshness.fresh {
        return None;
    }
    let wired = engine.wired(&question.connection)?;
    let kept = with_key(wired, question, caller, |key| {
        engine.decisions.peek(key, question.freshness, asked)
    })??;
    let (calls, truncated) = kept.evidence();
    let upstream = calls
        .iter()
        .map(|call| UpstreamCall {
            cached: true,
            shared: false,
            ..call.clone()
        })
        .collect();
    let mut decision = kept.value().clone();
    decision.cached = true;
    decision.as_of = Some(Wall(now.0.saturating_sub(asked.since(kept.read()))));
    decision.evidence = Evidence {
        upstream,
        truncated,
    };
    Some(decision)
}

/// The owned key of a question as it is, under the conditions of [`stored`].
pub(crate) fn key_of(wired: &Wired, question: &Question, caller: &Caller) -> Option<Key> {
    with_key(wired, question, caller, |key| Key::from(key))
}

/// The decision of a valid question: stored, of an identical check in flight, or found out now.
pub(crate) async fn answer(
    engine: &Engine,
    ctx: &Context,
    question: &Question,
    valid: Valid,
) -> Decision {
    let mut key = Vec::with_capacity(256);
    let groups = valid.person.groups.as_slice().iter().map(String::as_str);
    key::decision(&mut key, valid.wired.index, question, groups);
    let key = Key::from(key);
    let span = tracing::debug_span!(
        "check",
        connection = valid.wired.id,
        integration = valid.wired.integration.name(),
        action = valid.action.as_str(),
        resource = valid.resource.as_str(),
        fresh = question.freshness.fresh,
    );
    let fill = move |ctx| pipeline::ask(valid, ctx).instrument(span);
    let got = engine.decisions.fetch(ctx, &key, fill).await;
    let mut decision = match got {
        Ok(got) => {
            if got.origin == Origin::Shared {
                let waited = ctx.now().since(ctx.began());
                ctx.steps()
                    .add("another's check", waited, || "joined".to_owned());
            }
            let mut decision = got.value;
            decision.cached = got.origin == Origin::Cached;
            decision.as_of = Some(wall_of(engine.clock.as_ref(), got.read));
            decision
        }
        Err(failure) => outcome::failed(&failure),
    };
    decision.evidence = ctx.recorder().take();
    decision
}

/// A question's freshness as a value that can be compared.
pub(crate) fn freshness_key(freshness: Freshness) -> (bool, Option<std::time::Duration>) {
    (freshness.fresh, freshness.max_age)
}

/// What a waiting duplicate of a question is answered: the same, marked as another's work.
pub(crate) fn shared(decision: &Decision) -> Decision {
    let mut shared = decision.clone();
    for call in &mut shared.evidence.upstream {
        call.shared = !call.cached;
    }
    shared
}

/// Look at the key of a question that was not validated; `None` when only validation can tell what its groups come to.
fn with_key<T>(
    wired: &Wired,
    question: &Question,
    caller: &Caller,
    act: impl FnOnce(&[u8]) -> T,
) -> Option<T> {
    let sent = &question.groups;
    let policy = caller.groups_at(wired.caller_groups);
    let plain = policy == CallerGroups::Accept && sent.len() <= MAX_GROUPS;
    if !plain && !sent.is_empty() {
        return None;
    }
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        if sent.is_sorted_by(|a, b| a < b) {
            key::decision(
                buffer,
                wired.index,
                question,
                sent.iter().map(String::as_str),
            );
        } else {
            let mut sorted: Vec<&str> = sent.iter().map(String::as_str).collect();
            sorted.sort_unstable();
            sorted.dedup();
            key::decision(buffer, wired.index, question, sorted.into_iter());
        }
        let done = act(buffer);
        // A malformed question may be of any length; its memory is not kept.
        buffer.shrink_to(KEPT_BUFFER_BYTES);
        Some(done)
    })
}

/// The wall time of a monotonic one, by how long ago it was.
fn wall_of(clock: &dyn Clock, at: Monotonic) -> Wall {
    Wall(clock.wall().0.saturating_sub(clock.monotonic().since(at)))
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// More than validation accepts are left to it.
const MAX_GROUPS: usize = 200;
const KEPT_BUFFER_BYTES: usize = 16 * 1024;
