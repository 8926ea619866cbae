//! The native module `toolpass._native`: converts, drives, decides nothing.
//!
//! Python declares tools, carries contexts and hooks libraries; every check runs in `toolpass-guard` and every answer comes
//! from `toolpass-engine`. This crate stands between: it reads Python values in place, drives the guard's state machines for
//! sync and async bodies, and lets go of the interpreter's lock while it waits for anything.
//! INVARIANT: no callable of the application runs under a lock of ours; an unexpected error on the way becomes a refusal.

mod asgi;
mod audit;
mod audit_file;
mod authorizer;
mod bridge;
mod call;
mod credential;
mod decision;
mod declare;
mod disclosure;
mod engine;
mod entitlements;
mod errors;
mod extract;
mod fencing;
mod guarded;
mod hints;
mod host;
mod keeper;
mod limits;
mod locate;
mod log;
mod observe;
mod outgoing;
mod outside;
mod permission;
mod records;
mod redaction;
mod reports;
mod runtime;
mod secrets;
mod session;
mod source;
mod texts;
mod toolkit;
mod unattributed;
mod value;
mod watch;

use pyo3::prelude::*;

/// Everything the Python face imports.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("APART", source::apart_variable().object(module.py())?)?;
    module.add("CALL", source::call_variable().object(module.py())?)?;
    module.add("SESSION", source::session_variable().object(module.py())?)?;
    module.add("ACT_AS", source::act_as_variable().object(module.py())?)?;
    module.add("GROUPS_HEADER", toolpass_guard::header::GROUPS_HEADER)?;
    module.add("KEY_HEADER", toolpass_guard::header::KEY_HEADER)?;
    module.add("SESSION_HEADER", toolpass_guard::header::SESSION_HEADER)?;
    module.add("TOKEN_HEADER", toolpass_guard::header::TOKEN_HEADER)?;
    module.add("USER_HEADER", toolpass_guard::header::USER_HEADER)?;
    module.add_class::<asgi::HeaderSessions>()?;
    module.add_class::<audit::AuditEvent>()?;
    module.add_class::<audit::ObservedAction>()?;
    module.add_class::<audit_file::AuditFile>()?;
    module.add_class::<authorizer::AuthDecision>()?;
    module.add_class::<call::CallContext>()?;
    module.add_class::<decision::Decision>()?;
    module.add_class::<engine::Toolpass>()?;
    module.add_class::<fencing::Fenced>()?;
    module.add_class::<entitlements::ActionRecorder>()?;
    module.add_class::<entitlements::Entitlement>()?;
    module.add_class::<entitlements::Entitlements>()?;
    module.add_class::<entitlements::ToolEntitlements>()?;
    module.add_class::<guarded::Closing>()?;
    module.add_class::<guarded::Guarded>()?;
    module.add_class::<guarded::Step>()?;
    module.add_class::<observe::Observing>()?;
    module.add_class::<observe::Permit>()?;
    module.add_class::<outgoing::OutgoingRequest>()?;
    module.add_class::<permission::Permission>()?;
    module.add_class::<secrets::Secret>()?;
    module.add_class::<session::ActiveSession>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<toolkit::ToolkitCore>()?;
    module.add_class::<unattributed::NoCall>()?;
    module.add_class::<watch::Watch>()?;
    module.add_function(wrap_pyfunction!(audit_file::audit_file, module)?)?;
    module.add("FENCE_START", toolpass_guard::fence::FENCE_START)?;
    module.add("FENCE_END", toolpass_guard::fence::FENCE_END)?;
    module.add_function(wrap_pyfunction!(extract::apart, module)?)?;
    module.add_function(wrap_pyfunction!(extract::endorsed, module)?)?;
    module.add_function(wrap_pyfunction!(extract::kept, module)?)?;
    module.add_function(wrap_pyfunction!(fencing::fence, module)?)?;
    module.add_function(wrap_pyfunction!(fencing::neutralize, module)?)?;
    module.add_function(wrap_pyfunction!(outgoing::absolute_target, module)?)?;
    module.add_function(wrap_pyfunction!(permission::fill_resource, module)?)?;
    module.add_function(wrap_pyfunction!(permission::log_time, module)?)?;
    module.add_function(wrap_pyfunction!(reports::finish_reports, module)?)?;
    module.add_function(wrap_pyfunction!(runtime::after_fork, module)?)?;
    module.add_function(wrap_pyfunction!(secrets::env, module)?)?;
    module.add_function(wrap_pyfunction!(secrets::file, module)?)?;
    module.add_function(wrap_pyfunction!(secrets::literal, module)?)?;
    module.add_function(wrap_pyfunction!(source::call_of_thread, module)?)?;
    module.add_function(wrap_pyfunction!(unattributed::adopter, module)?)?;
    module.add_function(wrap_pyfunction!(unattributed::no_call, module)?)?;
    Ok(())
}
