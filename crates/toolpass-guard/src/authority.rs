//! What the handoffs so far left of a session's powers: step 1b of a call and rule 0' of a request.
//!
//! Handoffs come with their own issue. A session cannot be attenuated yet, so there is nothing that could be exceeded; these
//! are the two places of the order where it will be asked.

use toolpass_core::codes::RefusalCode;

use crate::session::Session;

/// Step 1b: whether the session's authority covers the tool.
pub(crate) fn of_call(_session: &Session, _tool: &str) -> Result<(), (RefusalCode, String)> {
    Ok(())
}

/// Rule 0': whether the session's authority still holds.
pub(crate) fn of_request(_session: &Session, _tool: &str) -> Result<(), (RefusalCode, String)> {
    Ok(())
}
