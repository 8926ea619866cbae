//! Many questions at once, as Python gives them: mappings of names to values, or tuples.
//!
//! A value that makes no question is that item's answer, as in one check. A wrong type is the programmer's mistake and raises,
//! naming the item.

use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpass_core::decision::Decision as Core;
use toolpass_core::question::Question;
use toolpass_engine::engine::TooMany;

use super::questions;
use crate::decision::Decision;

/// Read the items of `check_many`.
/// Errors: `TypeError` for what is no list of items, or an item of wrong types.
pub(super) fn read(items: &Bound<'_, PyAny>) -> PyResult<Vec<Question>> {
    let wrong = || {
        PyTypeError::new_err(
            "expected a list of items, each a mapping or a tuple of user, connection, action and resource",
        )
    };
    if items.is_instance_of::<PyString>() || items.is_instance_of::<PyDict>() {
        return Err(wrong());
    }
    let items = items.try_iter().map_err(|_| wrong())?;
    items
        .enumerate()
        .map(|(index, item)| one(&item?).map_err(|error| of_item(&error, index)))
        .collect()
}

/// How long is waited for a batch, at most `timeout` seconds.
/// Errors: `TypeError` for what is no number above zero.
pub(super) fn patience(timeout: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = timeout else {
        return Ok(None);
    };
    let read = Duration::try_from_secs_f64(seconds).ok();
    match read.filter(|time| !time.is_zero()) {
        Some(time) => Ok(Some(time)),
        None => Err(PyTypeError::new_err(
            "expected `timeout` to be a number of seconds above 0",
        )),
    }
}

/// The answers as a list.
/// Errors: `ValueError` when there were too many questions.
pub(super) fn answers(py: Python<'_>, answers: Result<Vec<Core>, TooMany>) -> PyResult<Py<PyAny>> {
    let answers = answers.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let list = PyList::new(py, answers.into_iter().map(Decision))?;
    Ok(list.into_any().unbind())
}

fn one(item: &Bound<'_, PyAny>) -> PyResult<Question> {
    let py = item.py();
    if let Ok(tuple) = item.cast::<PyTuple>() {
        return questions::read(tuple, None);
    }
    if let Ok(mapping) = item.cast::<PyDict>() {
        return questions::read(&PyTuple::empty(py), Some(mapping));
    }
    Err(PyTypeError::new_err("expected a mapping or a tuple"))
}

fn of_item(error: &PyErr, index: usize) -> PyErr {
    let text = Python::attach(|py| error.value(py).to_string());
    PyTypeError::new_err(format!("item {index}: {text}"))
}
