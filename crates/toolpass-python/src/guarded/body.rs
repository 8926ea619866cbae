//! The body under its call's context, and the end of the call.

use std::sync::Arc;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpass_guard::call::{BodyEnd, Call, Permit};
use toolpass_guard::fence::FenceId;
use toolpass_guard::output::{self, Fencing, Output};

use super::opened::Untold;
use super::result::{
    collected, from_outside, kept_private, recorded, taken, untold, without_secrets,
};
use super::{Guarded, Opened, handles};
use crate::credential::injected;
use crate::errors;
use crate::fencing::{mint, warn};
use crate::redaction;
use crate::source::{OnThread, act_as_variable, call_variable, current_call};
use crate::unattributed::{self, Running};
use crate::value::type_name;

/// The context of a running body; put back by [`Entered::leave`].
pub(super) struct Entered {
    call: Py<PyAny>,
    /// Set only inside a block, which the body begins outside of.
    act_as: Option<Py<PyAny>>,
    /// Known to threads that begin in no call, where they may be its own.
    _running: Option<Running>,
}

/// How a body ended, and what it left.
pub(super) enum Ended<'py> {
    /// It raised.
    Raised(PyErr),
    /// It returned something that cannot be handed out.
    Rejected(PyErr),
    /// It returned.
    Returned(Bound<'py, PyAny>),
    /// It returned more than a session keeps; the error is ours and repeats nothing.
    Unkept(PyErr),
}

impl Entered {
    /// Make the call the current one, outside any block.
    pub(super) fn enter(py: Python<'_>, opened: &Opened) -> PyResult<Entered> {
        opened.body_begins(py)?;
        let call = call_variable().set(opened.context.bind(py).clone().into_any())?;
        let act_as = if act_as_variable().get(py)?.is_none() {
            None
        } else {
            Some(act_as_variable().set(py.None().into_bound(py))?)
        };
        Ok(Entered {
            call: call.unbind(),
            act_as: act_as.map(Bound::unbind),
            _running: Running::begin(py, &opened.context),
        })
    }

    /// Put back what was current before.
    pub(super) fn leave(self, py: Python<'_>, opened: &Opened) {
        // A coroutine that is closed in another context than it ran in cannot put anything back there, and need not.
        let _ = match self.act_as {
            Some(token) => act_as_variable().reset(token.into_bound(py)),
            None => left_outside(py),
        };
        let _ = call_variable().reset(self.call.into_bound(py));
        opened.body_is_over(py);
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
    entered.leave(py, opened);
    let _checks = unattributed::checks();
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
    let ended = match opened.ask_again(py, &ended) {
        Ok(()) => ended,
        Err(interrupt) => Ended::Raised(interrupt),
    };
    close(py, opened, call, ended)
}

/// End a call of which everything is asked that is to be asked again.
pub(super) fn close(
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
    if let Ended::Returned(value) = &ended
        && output::is_private(call)
    {
        kept_private(call, value);
    }
    if let Ended::Returned(value) = &ended {
        taken(call, value);
    }
    let (ended, fence) = match ended {
        Ended::Returned(value) => match output::of(call) {
            Output::Fenced => from_outside(opened, call, value),
            Output::Kept => match handles::keep(opened, call, value) {
                Ok(value) => (Ended::Returned(value), None),
                Err(error) => (Ended::Unkept(error), None),
            },
            Output::Plain => (Ended::Returned(value), None),
        },
        other => (other, None),
    };
    let outer = current_call(py).ok().flatten();
    let tell_outer = |fence: Option<FenceId>| {
        if let Some(outer) = &outer {
            outer.get().call.note_nested(call, fence);
        }
    };
    let end = match &ended {
        Ended::Returned(_) => BodyEnd::Returned,
        Ended::Raised(error) => BodyEnd::Raised(type_name(error.value(py))),
        Ended::Rejected(error) | Ended::Unkept(error) => {
            BodyEnd::ResultRejected(type_name(error.value(py)))
        }
    };
    // What its caller will be shown of it: made before the event, which counts what was done to it.
    let raised = match &ended {
        Ended::Raised(error) | Ended::Rejected(error)
            if error.is_instance_of::<PyException>(py) && call.refusal().is_none() =>
        {
            Some(shown_raised(py, opened, error))
        }
        Ended::Raised(_) | Ended::Rejected(_) | Ended::Returned(_) | Ended::Unkept(_) => None,
    };
    let refusal = opened.end(py, &end)?;
    match (ended, refusal) {
        (Ended::Raised(error) | Ended::Rejected(error), _)
            if !error.is_instance_of::<PyException>(py) =>
        {
            Err(error)
        }
        (Ended::Returned(_) | Ended::Unkept(_), Some(refusal)) => opened.answer(py, &refusal, None),
        (Ended::Unkept(error), None) => Err(error),
        (Ended::Raised(error) | Ended::Rejected(error), Some(refusal)) => {
            let cause = if errors::is_refusal(py, &error) {
                error.cause(py)
            } else {
                Some(error)
            };
            let tells = |cause: &PyErr| {
                !output::is_untrusted(call)
                    && !redaction::chain_mentions(py, cause, &call.secrets())
            };
            opened.answer(py, &refusal, cause.filter(tells))
        }
        (Ended::Returned(value), None) => {
            tell_outer(fence);
            Ok(value.unbind())
        }
        (Ended::Raised(error) | Ended::Rejected(error), None) => {
            let (shown, fence) = raised.unwrap_or_else(|| shown_raised(py, opened, &error));
            tell_outer(fence);
            Err(shown)
        }
    }
}

/// What the caller is shown of an exception, and the id of its fence.
fn shown_raised(py: Python<'_>, opened: &Opened, error: &PyErr) -> (PyErr, Option<FenceId>) {
    let call = &opened.call;
    let shown = hide_secrets(py, call, error.clone_ref(py));
    if errors::is_refusal(py, &shown) && output::of(call) == Output::Kept {
        return (errors::without_reason(py, &shown), None);
    }
    if errors::is_refusal(py, &shown) || !output::is_untrusted(call) {
        return (shown, None);
    }
    from_outside_raised(py, opened, &shown, error)
}

/// An exception of an untrusted tool: its texts are recorded, and what is shown of it is fenced. Answers the id of the fence.
fn from_outside_raised(
    py: Python<'_>,
    opened: &Opened,
    shown: &PyErr,
    original: &PyErr,
) -> (PyErr, Option<FenceId>) {
    let call = &opened.call;
    let (message, all) = texts_of_raised(py, shown);
    if let Ok(all) = &all {
        taken(call, all);
    }
    let is_recorded = all.and_then(|all| recorded(opened, call, &all)).is_ok();
    if output::of(call) == Output::Kept {
        let message = output::withheld(&type_name(original.value(py)));
        let error = errors::tool_error(py, &call.tool.name, &message, original);
        return (error, None);
    }
    // What could not be recorded is not shown.
    let message = if is_recorded {
        message
    } else {
        type_name(original.value(py))
    };
    match mint(py).map(|id| Fencing::of(call, id)) {
        Ok(Some(fencing)) => {
            let fenced = fencing.error(&message);
            warn(py, &call.tool.name, fenced.frames, fenced.forged);
            let error = errors::tool_error(py, &call.tool.name, &fenced.block, original);
            (error, Some(fencing.id()))
        }
        Ok(None) if is_recorded => (shown.clone_ref(py), None),
        Ok(None) => (
            errors::tool_error(py, &call.tool.name, &message, original),
            None,
        ),
        Err(failed) => (failed, None),
    }
}

/// What is shown of an exception, and every text in it.
fn texts_of_raised<'py>(py: Python<'py>, shown: &PyErr) -> (String, PyResult<Bound<'py, PyAny>>) {
    let value = shown.value(py);
    let message = if errors::is_tool_error(value) {
        text_of(py, shown)
    } else {
        message_of(py, shown)
    };
    let members = ["args", "__notes__"]
        .iter()
        .filter_map(|name| value.getattr(*name).ok());
    let texts = members.chain([PyString::new(py, &message).into_any()]);
    let all = PyList::new(py, texts.collect::<Vec<_>>());
    (message, all.map(Bound::into_any))
}

/// What the body of an async tool brought from outside, recorded: what the session's store is to be told before anybody gets it.
/// Errors: what cannot be looked at, which is not handed out.
pub(super) fn untold_of(
    py: Python<'_>,
    call: &Call,
    ended: &Ended<'_>,
) -> PyResult<Option<Untold>> {
    let kept = call
        .session
        .as_ref()
        .is_some_and(|session| session.place().is_some());
    if !kept || !output::is_untrusted(call) {
        return Ok(None);
    }
    call.hide(&injected());
    match ended {
        Ended::Returned(value) => {
            let (clean, _) = redaction::redacted(value, &call.secrets())?;
            untold(call, &clean)
        }
        Ended::Raised(error) if error.is_instance_of::<PyException>(py) => {
            let shown = hide_secrets(py, call, error.clone_ref(py));
            untold(call, &texts_of_raised(py, &shown).1?)
        }
        Ended::Raised(_) | Ended::Rejected(_) | Ended::Unkept(_) => Ok(None),
    }
}

/// What an exception says.
fn text_of(py: Python<'_>, error: &PyErr) -> String {
    error
        .value(py)
        .str()
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What an exception says, after its type.
fn message_of(py: Python<'_>, error: &PyErr) -> String {
    format!("{}: {}", type_name(error.value(py)), text_of(py, error))
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
    output::redacted(call, 1);
    let message = message_of(py, &error);
    errors::tool_error(py, &call.tool.name, &secrets.redact(&message), &error)
}
