//! `reads_private=` and `sends_out=`: who may read what a tool reads, who would read what it sends, and asking the application.
//!
//! What an answer means is the guard's. A callable that raises, or answers anything but texts in an iterable, has named nobody it
//! could be held to: the guard is told in words what was wrong, and refuses.

use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString};
use toolpass_guard::privacy::{self, MAX_NAMED};
use toolpass_guard::tool::{Audience, Readers};

use crate::call::CallContext;
use crate::declare::maybe_value;
use crate::host::{Callables, close_awaitable, is_async};
use crate::value::type_name;

/// Names, or what is wrong with an answer that holds none.
type Named = Result<Vec<String>, String>;

/// What `reads_private=` was given: whether anything is private, and who may read it besides the person.
/// Errors: `TypeError`, `ValueError`.
pub(crate) fn readers(
    given: &Bound<'_, PyDict>,
    callables: &mut Callables,
) -> PyResult<(bool, Readers)> {
    let Some(value) = maybe_value(given, "reads_private")? else {
        return Ok((false, Readers::Nobody));
    };
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok((flag.is_true(), Readers::Nobody));
    }
    if value.is_callable() {
        callables.readers = Some(asked("reads_private", &value)?);
        return Ok((true, Readers::Asked));
    }
    let wrong = || {
        PyTypeError::new_err(
            "expected `reads_private` to be True, False, an iterable of texts (who may read it), or a callable of the call that answers one",
        )
    };
    let names = texts(&value)?.map_err(|_| wrong())?;
    if names.is_empty() {
        return Err(PyValueError::new_err(
            "expected `reads_private` to name at least one reader; True is for what only the session's user may read",
        ));
    }
    privacy::check(&names).map_err(|invalid| {
        PyValueError::new_err(format!(
            "expected `reads_private` to name readers, but {invalid}"
        ))
    })?;
    Ok((true, Readers::These(names)))
}

/// What `sends_out=` was given: whether anything is sent out, and who says to whom.
/// Errors: `TypeError`.
pub(crate) fn audience(
    given: &Bound<'_, PyDict>,
    callables: &mut Callables,
) -> PyResult<(bool, Audience)> {
    let Some(value) = maybe_value(given, "sends_out")? else {
        return Ok((false, Audience::Anyone));
    };
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok((flag.is_true(), Audience::Anyone));
    }
    if !value.is_callable() {
        return Err(PyTypeError::new_err(
            "expected `sends_out` to be True, False, or a callable of the call that answers who would read what is sent",
        ));
    }
    callables.audience = Some(asked("sends_out", &value)?);
    Ok((true, Audience::Asked))
}

fn asked(setting: &str, callable: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    if is_async(callable)? {
        return Err(PyTypeError::new_err(format!(
            "expected `{setting}` to be an ordinary function, not an async one"
        )));
    }
    Ok(callable.clone().unbind())
}

/// What a callable names for a call, or what is wrong with its answer, and what it raised.
/// Errors: what is no `Exception`.
pub(crate) fn ask(
    py: Python<'_>,
    callable: Option<&Py<PyAny>>,
    context: &Py<CallContext>,
) -> PyResult<(Named, Option<PyErr>)> {
    let Some(callable) = callable else {
        return Ok((Err("is not there".into()), None));
    };
    let answered = callable
        .bind(py)
        .call1((context.clone_ref(py),))
        .and_then(|answer| texts(&answer));
    match answered {
        Ok(names) => Ok((names, None)),
        Err(error) if error.is_instance_of::<PyException>(py) => {
            let said = format!("raised {}", type_name(error.value(py)));
            Ok((Err(said), Some(error)))
        }
        Err(error) => Err(error),
    }
}

/// The texts of an iterable; inside, what is wrong with anything else.
/// Errors: what the iterable raised.
fn texts(value: &Bound<'_, PyAny>) -> PyResult<Named> {
    let expected = |what: &str| {
        Ok(Err(format!(
            "answered {what}; expected an iterable of texts"
        )))
    };
    if close_awaitable(value)? {
        return expected("something to be awaited");
    }
    let is_one = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    if is_one || !value.hasattr("__iter__")? {
        return expected(&format!("one {}", type_name(value)));
    }
    let mut names = Vec::new();
    for item in value.try_iter()? {
        let item = item?;
        if names.len() > MAX_NAMED {
            break; // the guard says that these are too many
        }
        match item.extract::<String>() {
            Ok(name) => names.push(name),
            Err(_) => return expected(&format!("an iterable with a {} in it", type_name(&item))),
        }
    }
    Ok(Ok(names))
}
