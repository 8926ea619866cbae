//! A store of the application's own: an object with a method for each operation, ordinary or async.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use toolpass_guard::session::stored::{Answer, Operation, Place};
use toolpass_store::wire;

use crate::host::close_awaitable;
use crate::source::Quiet;

/// The methods such an object has.
pub(super) const METHODS: [&str; 6] = ["get", "mark", "matches", "record", "release", "reserve"];

/// Call the operation's method and read what it answers. Errors: what it raises; an answer that is none, or must be awaited.
pub(super) fn call(
    store: &Bound<'_, PyAny>,
    place: &Place,
    operation: &Operation,
) -> PyResult<Answer> {
    let (method, arguments, keywords) = asked(store, place, operation)?;
    let quiet = Quiet::default();
    quiet.begin_in_body(store.py())?;
    let answer = method.call(arguments, Some(&keywords))?;
    if close_awaitable(&answer)? {
        return Err(PyTypeError::new_err(
            "the session store is async, and the tool is not",
        ));
    }
    read(&answer)
}

/// An awaitable of what the operation's method answers.
pub(super) fn start<'py>(
    store: &Bound<'py, PyAny>,
    place: &Place,
    operation: &Operation,
) -> PyResult<Bound<'py, PyAny>> {
    let (method, arguments, keywords) = asked(store, place, operation)?;
    store
        .py()
        .import("toolpass._context")?
        .getattr("start_callable")?
        .call1((method, arguments, keywords))
}

/// Errors: an answer that is not wholly understood.
pub(super) fn read(answer: &Bound<'_, PyAny>) -> PyResult<Answer> {
    let json = answer.py().import("json")?;
    let text: String = json.call_method1("dumps", (answer,))?.extract()?;
    wire::answer(&text)
        .ok_or_else(|| PyValueError::new_err("the session store answered something else"))
}

type Asked<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>, Bound<'py, PyDict>);

/// The operation's method, and what it is called with: the name of the session, and the operation's own arguments by name.
fn asked<'py>(
    store: &Bound<'py, PyAny>,
    place: &Place,
    operation: &Operation,
) -> PyResult<Asked<'py>> {
    let py = store.py();
    let text = serde_json::to_string(&wire::request(operation, &place.person))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let json = py.import("json")?;
    let keywords: Bound<'py, PyDict> = json.call_method1("loads", (text,))?.cast_into()?;
    let name: String = keywords.call_method1("pop", ("op",))?.extract()?;
    let arguments = PyTuple::new(py, [&*place.session])?;
    Ok((store.getattr(name.as_str())?, arguments, keywords))
}
