//! Values of the session behind handles: put into a call's arguments, and kept when a body returns.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple,
};
use toolpass_guard::arguments::Argument;
use toolpass_guard::budget::Budget;
use toolpass_guard::call::Call;
use toolpass_guard::handle::{self, Kept, Kind};
use toolpass_guard::output;
use toolpass_guard::session::Session;
use toolpass_guard::tool::ParameterKind;

use super::opened::Untold;
use super::{Guarded, Opened};
use crate::runtime;
use crate::texts;
use crate::value::PyValue;

/// What a body is called with.
pub(super) type Given<'py> = (Bound<'py, PyTuple>, Bound<'py, PyDict>);

/// Put the values that handles stand for in the place of the bound arguments. Answers what the body is called with, when that
/// is not what the call was given.
/// Errors: a handle that stands for nothing, for the model.
pub(super) fn substitute<'py>(
    guarded: &Guarded,
    session: &Session,
    bound: &mut [Argument<PyValue<'_, 'py>>],
    (args, kwargs): (&Bound<'py, PyTuple>, &Bound<'py, PyDict>),
) -> Result<Option<Given<'py>>, String> {
    let py = args.py();
    let resolved = handle::resolve(&guarded.tool, session, bound)?;
    if resolved.is_empty() {
        return Ok(None);
    }
    let mut positions: Vec<Bound<'py, PyAny>> = args.iter().collect();
    let kwargs = kwargs.copy().map_err(|error| error.to_string())?;
    for one in resolved {
        let value = object(py, &one.value).ok_or_else(handle::names_nothing)?;
        let Some(argument) = bound.get_mut(one.place) else {
            continue;
        };
        put(guarded, argument.parameter, &value, &mut positions, &kwargs)?;
        argument.value.object = value;
        argument.handle = Some(one.handle);
    }
    let args = PyTuple::new(py, positions).map_err(|error| error.to_string())?;
    Ok(Some((args, kwargs)))
}

/// Put a value where the body will get the parameter from.
fn put<'py>(
    guarded: &Guarded,
    parameter: usize,
    value: &Bound<'py, PyAny>,
    positions: &mut [Bound<'py, PyAny>],
    kwargs: &Bound<'py, PyDict>,
) -> Result<(), String> {
    let declared = guarded.tool.parameters.get(parameter);
    let by_name = declared
        .filter(|declared| declared.kind != ParameterKind::PositionalOnly)
        .filter(|declared| kwargs.contains(&declared.name).unwrap_or(false));
    if let Some(declared) = by_name {
        return kwargs
            .set_item(&declared.name, value)
            .map_err(|error| error.to_string());
    }
    let place = parameter + usize::from(guarded.receiver);
    let slot = positions.get_mut(place);
    *slot.ok_or_else(handle::names_nothing)? = value.clone();
    Ok(())
}

/// Keep what a body returned. Answers what the model is given; `None` says nothing and is handed out.
/// Errors: `ValueError` for more than is looked at or kept.
pub(super) fn keep<'py>(
    opened: &Opened,
    call: &Call,
    value: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match &call.session {
        Some(session) if !value.is_none() && call.refusal().is_none() => {
            let py = value.py();
            let (said, texts, untold) = kept_in(session, &call.tool.name, value)?;
            opened.tell_store(py, untold)?;
            output::recorded(call, texts);
            Ok(said)
        }
        Some(_) | None => Ok(value),
    }
}

/// Record every text in a value and keep it behind a handle. Answers what the model is given, how many texts there are, and what
/// the session's store is to be told before.
/// Errors: `ValueError` for more than is looked at or kept.
pub(crate) fn kept_in<'py>(
    session: &Session,
    tool: &str,
    value: Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, usize, Option<Untold>)> {
    let py = value.py();
    let large = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
    let mut found = Vec::new();
    texts::collect(&value, &mut Budget::of_result(), &mut found).map_err(|error| large(&error))?;
    let bytes = size_of(&value, &found);
    if bytes > handle::MAX_BYTES {
        return Err(large(&handle::TooLarge));
    }
    let text_len = found.iter().map(String::len).sum();
    let untold = runtime::by_size(py, text_len, || session.record(&found));
    let untold = untold.and_then(|untold| Some((session.place()?.clone(), Arc::new(untold))));
    let kind = kind_of(&value);
    let value: Kept = Arc::new(value.unbind());
    let (said, dropped) = session
        .keep(tool, kind, bytes, value, runtime::generation())
        .map_err(|error| large(&error))?;
    drop(dropped);
    Ok((PyString::new(py, &said).into_any(), found.len(), untold))
}

/// The object that a kept value is.
pub(crate) fn object<'py>(py: Python<'py>, kept: &Kept) -> Option<Bound<'py, PyAny>> {
    kept.downcast_ref::<Py<PyAny>>()
        .map(|object| object.bind(py).clone())
}

fn kind_of(value: &Bound<'_, PyAny>) -> Kind {
    let len = || value.len().unwrap_or_default();
    if value.is_instance_of::<PyString>() {
        Kind::Text(len())
    } else if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        Kind::Bytes(len())
    } else if value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>()
    {
        Kind::List(len())
    } else if value.is_instance_of::<PyDict>() || value.cast::<PyMapping>().is_ok() {
        Kind::Mapping(len())
    } else {
        Kind::Object
    }
}

/// About how many bytes a value of these texts is; what Python says of it when that is more. A value that raises when it is asked
/// has not said anything.
fn size_of(value: &Bound<'_, PyAny>, texts: &[String]) -> usize {
    static GETSIZEOF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let own = GETSIZEOF
        .import(value.py(), "sys", "getsizeof")
        .and_then(|size_of| size_of.call1((value, 0))?.extract::<usize>());
    let of_texts: usize = texts.iter().map(|text| text.len() + OF_AN_OBJECT).sum();
    own.unwrap_or_default().max(of_texts)
}

/// What Python needs beside a text.
const OF_AN_OBJECT: usize = 64;
