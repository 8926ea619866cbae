//! What a tool's recorded entitlements list: step 2b of a call and rules 2, 3 and 5 of a request.
//!
//! | module | is |
//! |---|---|
//! | [`model`], [`pattern`], [`host`] | what the file says |
//! | [`read`], [`write`], [`edit`] | the file as a tree, and as text |
//! | [`arguments`], [`record`], `templating` | from a call to entries |
//! | [`enforce`] | holding calls and requests to them |
//! | [`merge`], [`diff`], [`review`] | for those who keep the file |
//!
//! All of it is pure; reading YAML, locking and replacing the file are for whoever may touch files. No toolkit can be given
//! entitlements yet, so nothing is listed and nothing is missing: the two functions here are the places of the order where
//! they will be asked.

pub mod arguments;
pub mod diff;
pub mod edit;
pub mod enforce;
pub mod host;
pub mod merge;
pub mod model;
pub mod pattern;
pub mod read;
pub mod record;
pub mod review;
mod templating;
#[cfg(test)]
pub(crate) mod testing;
pub mod write;

use crate::refusal::Refusal;
use crate::tool::Tool;

/// Step 2b: whether the tool's entitlements fit what it declares.
pub(crate) fn of_call(_tool: &Tool) -> Result<(), Refusal> {
    Ok(())
}

/// Rule 5: whether the tool's entitlements cover an action on a resource.
pub(crate) fn of_request(_tool: &Tool, _action: &str, _resource: &str) -> Result<(), Refusal> {
    Ok(())
}
