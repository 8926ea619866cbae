//! The body under its call's context, and the end of the call.

use std::sync::Arc;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use toolpass_guard::call::{BodyEnd, Call, Permit};

use super::result::{collected, without_secrets};
use super::{Guarded, Opened};
use crate::credential::injected;
use crate::errors;
use crate::redaction;
use crate::source::{OnThread, act_as_variable, call_variable};
use crate::value::type_name;

/// The context of a running body; put back by [`Entered::leave`].
pub(super) struct Entered {
    call: Py<PyAny>,
    /// Set only inside a block, which the body begins outside of.
    act_as: Option<Py<PyAny>>,
}

/// How a body ended, and what it left.
pub(super) enum Ended<'py> {
    /// It raised.
    Raised(PyErr),
    /// It returned something that cannot be handed out.
    Rejected(PyErr),
    /// It returned.
    Returned(Bound<'py, PyAny>),
}

impl Entered {
    /// Make the call the current one, outside any block.
    pub(super) fn enter(py: Python<'_>, opened: &Opened) -> PyResult<Entered> {
        let call = call_variable().set(opened.context.bind(py).clone().into_any())?;
        let act_as = if act_as_variable().get(py)?.is_none() {
            None
        } else {
            Some(act_as_variable().set(py.None().into_bound(py))?)
        };
        Ok(Entered {
            call: call.unbind(),
            act_as: act_as.map(Bound::unbind),
        })
    }

    /// Put back what was current before.
    pub(super) fn leave(self, py: Python<'_>) {
        // A coroutine that is closed in another context than it ran in cannot put anything back there, and need not.
        let _ = match self.act_as {
            Some(token) => act_as_variable().reset(token.into_bound(py)),
            None => left_outside(py),
        };
        let _ = call_variable().reset(self.call.into_bound(py));
    }
}

/// A block that a body left open is not its caller's.
fn left_outside(py: Python<'_>) -> PyResult<()> {
    if act_as_variable().get(py)?.is_none() {
        Ok(())
    } else {
        act_as_variable().set(py.None().into_bound(py)).map(drop)
    }
}

/// Run an ordinary body.
pub(super) fn run(
    slf: &Bound<'_, Guarded>,
    opened: &Opened,
    permit: Permit,
    credential: Option<Py<PyAny>>,
    (args, kwargs): (&Bound<'_, PyTuple>, &Bound<'_, PyDict>),
) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let entered = Entered::enter(py, opened)?;
    let call = permit.enter();
    let function = slf.get().function.bind(py);
    let on_thread = OnThread::body(&opened.context, py);
    let result = match credential {
        None => function.call(args, Some(kwargs)),
        Some(credential) => with_credential(kwargs, credential)
            .and_then(|kwargs| function.call(args, Some(&kwargs))),
    };
    let ended = match result {
        Ok(value) => collected(value),
        Err(error) => Ended::Raised(error),
    };
    drop(on_thread);
    entered.leave(py);
    conclude(py, opened, &call, ended)
}

/// The keyword arguments with the credential.
pub(super) fn with_credential<'py>(
    kwargs: &Bound<'py, PyDict>,
    credential: Py<PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let kwargs = kwargs.copy()?;
    kwargs.set_item(pyo3::intern!(kwargs.py(), "credential"), credential)?;
    Ok(kwargs)
}

/// End the call: its event, and what its caller gets. The first refusal at a request wins over whatever the body did, save an
/// interrupt or a cancellation, which goes on.
pub(super) fn conclude(
    py: Python<'_>,
    opened: &Opened,
    call: &Arc<Call>,
    ended: Ended<'_>,
) -> PyResult<Py<PyAny>> {
    call.hide(&injected());
    let ended = match ended {
        Ended::Returned(value) => without_secrets(call, value),
        other => other,
    };
    let end = match &ended {
        Ended::Returned(_) => BodyEnd::Returned,
        Ended::Raised(error) => BodyEnd::Raised(type_name(error.value(py))),
        Ended::Rejected(error) => BodyEnd::ResultRejected(type_name(error.value(py))),
    };
    let refusal = opened.end(py, &end)?;
    match (ended, refusal) {
        (Ended::Raised(error) | Ended::Rejected(error), _)
            if !error.is_instance_of::<PyException>(py) =>
        {
            Err(error)
        }
        (Ended::Returned(_), Some(refusal)) => opened.answer(py, &refusal, None),
        (Ended::Raised(error) | Ended::Rejected(error), Some(refusal)) => {
            let tells = !errors::is_refusal(py, &error)
                && !redaction::chain_mentions(py, &error, &call.secrets());
            opened.answer(py, &refusal, Some(error).filter(|_| tells))
        }
        (Ended::Returned(value), None) => Ok(value.unbind()),
        (Ended::Raised(error) | Ended::Rejected(error), None) => Err(hide_secrets(py, call, error)),
    }
}

/// An exception that mentions a secret becomes a `ToolError` that does not. A refusal of a nested tool only loses the
/// exceptions behind it, unless its own words mention one.
fn hide_secrets(py: Python<'_>, call: &Call, error: PyErr) -> PyErr {
    let secrets = call.secrets();
    if secrets.is_empty() || !redaction::chain_mentions(py, &error, &secrets) {
        return error;
    }
    if errors::is_refusal(py, &error) {
        error.set_cause(py, None);
        error.set_context(py, None);
        if !redaction::chain_mentions(py, &error, &secrets) {
            return error;
        }
    }
    let text = error
        .value(py)
        .str()
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default();
    let message = format!("{}: {}", type_name(error.value(py)), text);
    errors::tool_error(py, &call.tool.name, &secrets.redact(&message), &error)
}
