//! The body under its call's context, what it returns or raises, and the end of the call.

use std::sync::Arc;

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyList, PyMapping, PyString, PyTuple};
use toolpass_core::secret::Secret;
use toolpass_guard::call::{BodyEnd, Call};
use toolpass_guard::redact::Secrets;

use super::{Guarded, Opened};
use crate::engine::Asker;
use crate::errors;
use crate::host::close_awaitable;
use crate::redaction;
use crate::source::{act_as_variable, call_variable};
use crate::value::type_name;

/// The context of a running body; put back by [`Entered::leave`].
pub(super) struct Entered {
    call: Py<PyAny>,
    act_as: Py<PyAny>,
}

impl Entered {
    /// Make the call the current one, outside any block.
    pub(super) fn enter(py: Python<'_>, opened: &Opened) -> PyResult<Entered> {
        let call = call_variable(py)?.call_method1(pyo3::intern!(py, "set"), (opened.context.clone_ref(py),))?;
        let act_as = act_as_variable(py)?.call_method1(pyo3::intern!(py, "set"), (py.None(),))?;
        Ok(Entered { call: call.unbind(), act_as: act_as.unbind() })
    }

    /// Put back what was current before. A context other than the one it was set in keeps what it has.
    pub(super) fn leave(self, py: Python<'_>) {
        for (variable, token) in [(act_as_variable(py), self.act_as), (call_variable(py), self.call)] {
            if let Ok(variable) = variable
                && let Err(error) = variable.call_method1(pyo3::intern!(py, "reset"), (token,))
            {
                drop(error);
            }
        }
    }
}

/// Run an ordinary body.
pub(super) fn run(
    slf: &Bound<'_, Guarded>,
    opened: &Opened,
    call: Arc<Call>,
    credential: Option<Py<PyAny>>,
    (args, kwargs): (&Bound<'_, PyTuple>, &Bound<'_, PyDict>),
) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let entered = Entered::enter(py, opened)?;
    let result = match credential {
        None => slf.get().function.bind(py).call(args, Some(kwargs)),
        Some(credential) => with_credential(py, kwargs, credential).and_then(|kwargs| slf.get().function.bind(py).call(args, Some(&kwargs))),
    };
    let result = result.map(|value| collected(&value));
    entered.leave(py);
    let outcome = match result {
        Ok(Ok(value)) => finish_returned(py, opened, &call, &value),
        Ok(Err(error)) => (Err(error), None),
        Err(error) => (Err(error), Some(())),
    };
    conclude(slf.get(), py, opened, &call, outcome)
}

/// The keyword arguments with the credential.
pub(super) fn with_credential<'py>(py: Python<'py>, kwargs: &Bound<'py, PyDict>, credential: Py<PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let kwargs = kwargs.copy()?;
    kwargs.set_item(pyo3::intern!(py, "credential"), credential)?;
    Ok(kwargs)
}

/// What may be handed out of a returned value: redacted. Nothing in the second place: the result was rejected.
pub(super) fn finish_returned<'py>(
    py: Python<'py>,
    _opened: &Opened,
    call: &Call,
    value: &Bound<'py, PyAny>,
) -> (PyResult<Bound<'py, PyAny>>, Option<()>) {
    let secrets = call.secrets();
    if secrets.is_empty() {
        return (Ok(value.clone()), Some(()));
    }
    match redaction::redacted(py, value, &secrets) {
        Ok(clean) => (Ok(clean), Some(())),
        Err(error) => (Err(error), None),
    }
}

/// End the call: its event, and what its caller gets. The first refusal at a request wins over whatever the body did.
pub(super) fn conclude(
    guarded: &Guarded,
    py: Python<'_>,
    opened: &Opened,
    call: &Arc<Call>,
    (outcome, from_body): (PyResult<Bound<'_, PyAny>>, Option<()>),
) -> PyResult<Py<PyAny>> {
    let end = match (&outcome, from_body) {
        (Ok(_), _) => BodyEnd::Returned,
        (Err(error), Some(())) => BodyEnd::Raised(type_name(error.value(py))),
        (Err(error), None) => BodyEnd::ResultRejected(type_name(error.value(py))),
    };
    let finished = call.finish(&end, Asker::now());
    if finished.refusal.is_some() {
        let raised_from = outcome.err().filter(|error| !errors::is_refusal(py, error));
        return guarded.answer_refusal(py, &opened.state, finished).map_err(|refused| {
            if raised_from.is_some() {
                refused.set_cause(py, raised_from);
            }
            refused
        });
    }
    if opened.state.wants_events(py) {
        opened.state.emit(py, finished.event);
    }
    outcome.map(Bound::unbind).map_err(|error| hide_secrets(py, call, error))
}

/// The secrets in a credential: a text or bytes, or what a mapping or sequence holds, up to 5 levels.
pub(super) fn secrets_of(value: &Bound<'_, PyAny>) -> Secrets {
    let mut found = Vec::new();
    collect(value, 5, &mut found);
    Secrets::new(&found)
}

fn collect(value: &Bound<'_, PyAny>, levels: usize, found: &mut Vec<Secret>) {
    if let Ok(text) = value.cast::<PyString>() {
        found.push(Secret::new(text.to_string_lossy().into_owned()));
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        found.push(Secret::new(bytes.as_bytes()));
    } else if levels > 0 {
        let items = match value.cast::<PyMapping>() {
            Ok(mapping) => mapping.values().ok().map(Bound::into_any),
            Err(_) if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() => Some(value.clone()),
            Err(_) => None,
        };
        for item in items.iter().filter_map(|items| items.try_iter().ok()).flatten().flatten() {
            collect(&item, levels - 1, found);
        }
    }
}

/// What a body returned, made whole while its requests are still looked at: an iterator becomes a list.
fn collected<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if is_plain(value) {
        return Ok(value.clone());
    }
    if close_awaitable(value)? {
        return Err(PyTypeError::new_err("an ordinary tool returned something that must be awaited; declare it with `async def`"));
    }
    if value.get_type().hasattr(pyo3::intern!(value.py(), "__anext__"))? {
        return Err(PyTypeError::new_err("a tool returned an async iterator; collect it into a list"));
    }
    if value.is_instance_of::<PyIterator>() {
        return Ok(value.py().get_type::<PyList>().call1((value,))?);
    }
    Ok(value.clone())
}

/// What an async body returned, made whole.
pub(super) fn collected_async<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    collected(value)
}

fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
}

/// An exception that mentions a secret becomes a `ToolError` that does not.
fn hide_secrets(py: Python<'_>, call: &Call, error: PyErr) -> PyErr {
    let secrets = call.secrets();
    if secrets.is_empty() || !error.is_instance_of::<PyException>(py) || errors::is_refusal(py, &error) {
        return error;
    }
    let shown = |object: PyResult<Bound<'_, PyString>>| object.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    let text = shown(error.value(py).str());
    let arguments = error.value(py).getattr("args").map(|args| shown(args.repr())).unwrap_or_default();
    if !redaction::chain_mentions(py, &error, &secrets) && !secrets.mentioned_in(&text) && !secrets.mentioned_in(&arguments) {
        return error;
    }
    let message = format!("{}: {}", type_name(error.value(py)), secrets.redact(&text));
    errors::tool_error(py, &call.tool.name, &message, &error)
}
