//! The context variables, and what is current: session, call, block.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use toolpass_guard::session::Session as GuardSession;
use toolpass_guard::settings::ActAs;

use crate::call::CallContext;
use crate::session::Session;

static CALL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static SESSION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static ACT_AS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The variable of the running call; `None` outside one.
pub(crate) fn call_variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    variable(py, &CALL, "toolpass_call")
}

/// The variable of the current session; `None` when there is none.
pub(crate) fn session_variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    variable(py, &SESSION, "toolpass_session")
}

/// The variable of the innermost `as_user()` or `as_agent()` block: `"user"`, `"agent"` or `None`.
pub(crate) fn act_as_variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    variable(py, &ACT_AS, "toolpass_act_as")
}

/// The running call.
pub(crate) fn current_call<'py>(py: Python<'py>) -> PyResult<Option<Bound<'py, CallContext>>> {
    let current = call_variable(py)?.call_method0(pyo3::intern!(py, "get"))?;
    Ok(current.cast_into::<CallContext>().ok())
}

/// The innermost block.
pub(crate) fn current_block(py: Python<'_>) -> PyResult<Option<ActAs>> {
    let current = act_as_variable(py)?.call_method0(pyo3::intern!(py, "get"))?;
    if current.is_none() {
        return Ok(None);
    }
    Ok(Some(if current.extract::<&str>()? == "agent" { ActAs::Agent } else { ActAs::User }))
}

/// The current session, from the toolkit's own source or the session variable. Anything but a session is none.
pub(crate) fn current_session(py: Python<'_>, source: Option<&Py<PyAny>>) -> PyResult<Option<GuardSession>> {
    let found = match source {
        None => session_variable(py)?.call_method0(pyo3::intern!(py, "get"))?,
        Some(source) => {
            let source = source.bind(py);
            if source.is_callable() { source.call0()? } else { source.call_method1(pyo3::intern!(py, "get"), (py.None(),))? }
        }
    };
    Ok(found.cast::<Session>().ok().map(|session| session.get().inner().clone()))
}

fn variable<'py>(py: Python<'py>, slot: &'static PyOnceLock<Py<PyAny>>, name: &str) -> PyResult<&'py Bound<'py, PyAny>> {
    let made = slot.get_or_try_init(py, || {
        let kwargs = pyo3::types::PyDict::new(py);
        kwargs.set_item("default", py.None())?;
        py.import("contextvars")?.getattr("ContextVar")?.call((name,), Some(&kwargs)).map(Bound::unbind)
    })?;
    Ok(made.bind(py))
}
