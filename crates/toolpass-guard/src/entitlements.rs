//! What a tool's recorded entitlements list: step 2b of a call and rule 5 of a request.
//!
//! Recording comes with its own issue. No toolkit can be given entitlements yet, so nothing is listed and nothing is
//! missing; these are the two places of the order where they will be asked.

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
