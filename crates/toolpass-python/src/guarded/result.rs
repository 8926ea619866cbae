//! What a body returned, made whole and cleaned before anybody gets it.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyList, PyString};
use toolpass_guard::budget::Budget;
use toolpass_guard::call::Call;
use toolpass_guard::fence::FenceId;
use toolpass_guard::fence::structured::{Unfenced, fence_structured};
use toolpass_guard::output::{self, Fencing, Output};
use toolpass_guard::session::stored::{Answer, Operation};

use super::Opened;
use super::body::Ended;
use super::opened::Untold;
use crate::fencing;
use crate::host::close_awaitable;
use crate::records;
use crate::redaction;
use crate::runtime;
use crate::texts;
use crate::value::PyValue;

/// What a body returned, made whole while its requests are still looked at: an iterator becomes a list.
pub(super) fn collected(value: Bound<'_, PyAny>) -> Ended<'_> {
    if is_plain(&value) {
        return Ended::Returned(value);
    }
    match whole(&value) {
        Ok(None) => Ended::Returned(value),
        Ok(Some(list)) => Ended::Returned(list),
        Err(error) => Ended::Rejected(error),
    }
}

/// The value without the call's secrets.
pub(super) fn without_secrets<'py>(call: &Call, value: Bound<'py, PyAny>) -> Ended<'py> {
    let secrets = call.secrets();
    if secrets.is_empty() {
        return Ended::Returned(value);
    }
    match redaction::redacted(&value, &secrets) {
        Ok((clean, replaced)) => {
            output::redacted(call, replaced);
            Ended::Returned(clean)
        }
        Err(error) => Ended::Rejected(error),
    }
}

/// What the body returned as outside text: recorded, then fenced. Answers the id of the fence, if there is one.
pub(super) fn from_outside<'py>(
    opened: &Opened,
    call: &Call,
    value: Bound<'py, PyAny>,
) -> (Ended<'py>, Option<FenceId>) {
    match recorded(opened, call, &value).and_then(|()| fenced(call, value)) {
        Ok((value, id)) => (Ended::Returned(value), id),
        Err(error) => (Ended::Rejected(error), None),
    }
}

/// Record every text in a value, and tell the session's store unless that was done.
/// Errors: `ValueError` for more than is looked at, `RuntimeError` for a store that does not answer.
pub(super) fn recorded(opened: &Opened, call: &Call, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let untold = untold(call, value)?;
    opened.tell_store(value.py(), untold)
}

/// Record every text in a value. Answers what the session's store is to be told, if there is one.
/// Errors: `ValueError` for more than is looked at.
pub(super) fn untold(call: &Call, value: &Bound<'_, PyAny>) -> PyResult<Option<Untold>> {
    let mut found = Vec::new();
    texts::collect(value, &mut Budget::of_result(), &mut found)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    if found.is_empty() {
        return Ok(None);
    }
    let text_len = found.iter().map(String::len).sum();
    let untold = runtime::by_size(value.py(), text_len, || output::record(call, &found));
    Ok(untold.map(|(place, operation)| (place, Arc::new(operation))))
}

/// Whether the store took what it was told.
pub(super) fn accepted(
    operation: &Operation,
    answered: Result<Answer, String>,
) -> Result<(), String> {
    match answered {
        Ok(answer) if answer.answers(operation) => Ok(()),
        Ok(_) => Err("it answered something else".into()),
        Err(why) => Err(why),
    }
}

/// Remember the texts of private data. They only make a later reason clearer, so what cannot be looked at is left.
pub(super) fn kept_private(call: &Call, value: &Bound<'_, PyAny>) {
    let mut found = Vec::new();
    if texts::collect(value, &mut Budget::of_result(), &mut found).is_ok() && !found.is_empty() {
        value.py().detach(|| output::record_private(call, &found));
    }
}

/// Tell the session what values a call gave back, when it asks who named one.
pub(super) fn taken(call: &Call, value: &Bound<'_, PyAny>) {
    // What stays in the session has talked nobody into anything.
    if !output::asks_who_named(call) || output::of(call) == Output::Kept {
        return;
    }
    let found = records::collect(value).ok();
    value.py().detach(|| output::take(call, found.as_deref()));
}

fn fenced<'py>(
    call: &Call,
    value: Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Option<FenceId>)> {
    let py = value.py();
    if !output::is_fenced(call) {
        return Ok((value, None)); // no block needs an id
    }
    let Some(fencing) = Fencing::of(call, fencing::mint(py)?) else {
        return Ok((value, None));
    };
    let source = &call.tool.name;
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_string_lossy();
        let Some(fenced) = runtime::by_size(py, text.len(), || fencing.text(&text)) else {
            return Ok((value, None));
        };
        fencing::warn(py, source, fenced.frames, fenced.forged);
        let block = PyString::new(py, &fenced.block).into_any();
        return Ok((block, Some(fencing.id())));
    }
    let Some(parts) = fencing.parts() else {
        return Ok((value, None));
    };
    let value = PyValue {
        object: value,
        classes: &[],
    };
    match fence_structured(value, &parts, &fencing.about()) {
        Ok(fenced) => {
            fencing::warn(py, source, fenced.frames, fenced.forged);
            fencing.count(fenced.blocks);
            let id = (fenced.blocks > 0).then(|| fencing.id());
            Ok((fenced.value.object, id))
        }
        Err(Unfenced::Host(error)) => Err(error),
        Err(error @ (Unfenced::TooDeep | Unfenced::TooLarge(_))) => {
            Err(PyValueError::new_err(error.to_string()))
        }
    }
}

/// The items of an iterator as a list; nothing for what is whole already.
/// Errors: `TypeError` for what must be awaited, `ValueError` for more than is looked at, and what the iterator raises.
fn whole<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if close_awaitable(value)? {
        return Err(PyTypeError::new_err(
            "a tool returned something that must be awaited; declare it with `async def`",
        ));
    }
    if value.get_type().hasattr(pyo3::intern!(py, "__anext__"))? {
        return Err(PyTypeError::new_err(
            "a tool returned an async iterator; collect it into a list",
        ));
    }
    let Ok(items) = value.cast::<PyIterator>() else {
        return Ok(None);
    };
    // A page of an answer that fetches the next one: neither a list of its pages nor safe to hand on. A list that is an iterator
    // too is a list.
    let is_list = value.is_instance_of::<PyList>();
    if !is_list && value.get_type().hasattr(pyo3::intern!(py, "__getitem__"))? {
        let name = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a tool returned a `{name}`, which asks for more while it is read; return what it holds, such as its `data`"
        )));
    }
    let list = PyList::empty(py);
    let mut budget = Budget::of_result();
    for item in items {
        let item = item?;
        budget
            .take(text_len(&item))
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        list.append(item)?;
    }
    Ok(Some(list.into_any()))
}

fn text_len(item: &Bound<'_, PyAny>) -> usize {
    if item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>() {
        item.len().unwrap_or(0)
    } else {
        0
    }
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
