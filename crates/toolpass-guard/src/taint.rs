//! Outside text in what goes out: step 5 of a call and rule 10 of a request.
//!
//! Recording outside text comes with its own issue. A session only knows *that* it saw outside text, not which, so there is
//! nothing to compare with yet; these are the two places of the order where it will be compared.

pub mod distinctive;
mod escapes;
pub mod gate;
pub mod key;
mod normal;
#[cfg(test)]
mod properties;
pub mod record;
mod shingles;
pub mod store;
mod tokens;
mod views;

use toolpass_wire::request::WireRequest;

use crate::refusal::Refusal;
use crate::session::Session;
use crate::tool::Tool;

/// Step 5: whether the arguments repeat outside text.
pub(crate) fn of_call(_session: &Session, _tool: &Tool) -> Result<(), Refusal> {
    Ok(())
}

/// Rule 10: whether a request repeats outside text.
pub(crate) fn of_request(
    _session: &Session,
    _tool: &Tool,
    _request: &WireRequest,
) -> Result<(), Refusal> {
    Ok(())
}
