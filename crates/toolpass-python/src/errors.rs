//! The exceptions of the face, raised from here. Their classes are Python, in `toolpass._errors`, so that they pickle and
//! print like any other.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use toolpass_guard::refusal::Refusal;

use crate::audit::ObservedAction;

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
