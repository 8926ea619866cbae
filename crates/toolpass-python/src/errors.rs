//! The exceptions of the face, raised from here. Their classes are Python, in `toolpass._errors`, so that they pickle and
//! print like any other.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use toolpass_core::secret::Secret;
use toolpass_guard::call::Call;
use toolpass_guard::output;
use toolpass_guard::redact::Secrets;
use toolpass_guard::refusal::Refusal;

use crate::audit::ObservedAction;
use crate::redaction;
use crate::toolkit::audit_logger;
use crate::value::type_name;

static TOOL_REFUSED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static ACTION_REFUSED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TOOL_ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static PERMISSION_DENIED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The exception of a refusal: `ActionRefused` when a request was refused, `ToolRefused` otherwise.
pub(crate) fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let made = match &refusal.action {
        Some(action) => TOOL_CLASS.action(py).and_then(|class| {
            let action = ObservedAction::new((**action).clone());
            class.call1((
                &refusal.tool,
                refusal.code.as_str(),
                &refusal.reason,
                action,
            ))
        }),
        None => TOOL_CLASS
            .refused(py)
            .and_then(|class| class.call1((&refusal.tool, refusal.code.as_str(), &refusal.reason))),
    };
    made.map_or_else(|error| error, PyErr::from_value)
}

/// [`refused`], with the exception that led to it.
pub(crate) fn refused_because(py: Python<'_>, refusal: &Refusal, cause: Option<PyErr>) -> PyErr {
    let refused = refused(py, refusal);
    if cause.is_some() {
        refused.set_cause(py, cause);
    }
    refused
}

/// An exception of the application that a call is refused for: logged, and kept to be the refusal's cause, unless it mentions a
/// secret.
pub(crate) fn kept(py: Python<'_>, call: &Call, who: &str, error: PyErr) -> Option<PyErr> {
    let token = call.session.as_ref().and_then(|session| session.token());
    let token = token.map(|token| Secret::new(token.expose()));
    let secrets = call.secrets().and(&Secrets::new(&token));
    let tells = !redaction::chain_mentions(py, &error, &secrets);
    let kwargs = PyDict::new(py);
    // A logger that raises changes nothing about the refusal.
    let _ = audit_logger(py).and_then(|logger| {
        if tells {
            kwargs.set_item("exc_info", error.value(py))?;
        }
        let type_name = type_name(error.value(py));
        let said = ("%s: %s raised %s", &call.tool.name, who, type_name);
        logger.call_method("error", said, Some(&kwargs))
    });
    Some(error).filter(|_| tells)
}

/// `ToolError(tool, message, original)`.
pub(crate) fn tool_error(py: Python<'_>, tool: &str, message: &str, original: &PyErr) -> PyErr {
    let made = TOOL_ERROR
        .import(py, "toolpass._errors", "ToolError")
        .and_then(|class| class.call1((tool, message, original.value(py))));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `PermissionDenied(decision, user, connection, action, resource)`.
pub(crate) fn permission_denied<'py>(
    py: Python<'py>,
    decision: Bound<'py, PyAny>,
    asked: (&str, &str, &str, &str),
) -> PyErr {
    let (user, connection, action, resource) = asked;
    let class = PERMISSION_DENIED.import(py, "toolpass._errors", "PermissionDenied");
    let made = class.and_then(|class| class.call1((decision, user, connection, action, resource)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A nested tool's refusal without what it says, which may be made of outside text.
pub(crate) fn without_reason(py: Python<'_>, error: &PyErr) -> PyErr {
    let value = error.value(py);
    let made = TOOL_CLASS.refused(py).and_then(|class| {
        let (tool, code) = (value.getattr("tool")?, value.getattr("code")?);
        class.call1((tool, code, output::nested_reason()))
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Whether an exception is a refusal of ours, of this call or a nested one.
pub(crate) fn is_refusal(py: Python<'_>, error: &PyErr) -> bool {
    TOOL_CLASS
        .refused(py)
        .is_ok_and(|class| error.is_instance(py, class))
}

/// Whether an exception is a `ToolError` of ours.
pub(crate) fn is_tool_error(error: &Bound<'_, PyAny>) -> bool {
    TOOL_ERROR
        .import(error.py(), "toolpass._errors", "ToolError")
        .is_ok_and(|class| error.is_instance(class).unwrap_or(false))
}

struct ToolClasses;

static TOOL_CLASS: ToolClasses = ToolClasses;

impl ToolClasses {
    fn refused<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        TOOL_REFUSED.import(py, "toolpass._errors", "ToolRefused")
    }

    fn action<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        ACTION_REFUSED.import(py, "toolpass._errors", "ActionRefused")
    }
}
