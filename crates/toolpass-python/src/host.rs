//! The application's callables, as the guard may call them: validators, predicates, compiled patterns.
//!
//! An exception of a predicate is "no"; of a validator it is a refusal. What is no `Exception` (an interrupt) is kept and
//! raised once the guard has given back what it took.

use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use toolpass_guard::scope::{AskText, Host, PredicateId, Verdict};

use crate::source::Quiet;
use crate::value::{PyValue, type_name};

/// A scope rule of the host.
pub(crate) enum Predicate {
    /// Called with the value; true is in scope.
    Callable(Py<PyAny>),
    /// A compiled pattern, which texts must match in full.
    Pattern(Py<PyAny>),
}

/// The callables of one tool.
#[derive(Default)]
pub(crate) struct Callables {
    /// By parameter.
    pub(crate) validators: Vec<Option<Py<PyAny>>>,
    /// By [`PredicateId`].
    pub(crate) predicates: Vec<Predicate>,
    /// Who may read what the tool reads.
    pub(crate) readers: Option<Py<PyAny>>,
    /// Who would read what the tool sends.
    pub(crate) audience: Option<Py<PyAny>>,
}

/// The callables during one check.
pub(crate) struct PyHost<'a, 'py> {
    py: Python<'py>,
    callables: &'a Callables,
    interrupt: Option<PyErr>,
}

impl<'a, 'py> PyHost<'a, 'py> {
    pub(crate) fn new(py: Python<'py>, callables: &'a Callables) -> PyHost<'a, 'py> {
        PyHost {
            py,
            callables,
            interrupt: None,
        }
    }

    /// What a callable raised that no check may swallow.
    pub(crate) fn interrupt(self) -> Option<PyErr> {
        self.interrupt
    }

    fn keep_interrupt(&mut self, error: PyErr) {
        if !error.is_instance_of::<PyException>(self.py) {
            self.interrupt.get_or_insert(error);
        }
    }
}

impl<'py> Host<PyValue<'_, 'py>> for PyHost<'_, 'py> {
    fn validate(&mut self, index: usize, value: &PyValue<'_, 'py>) -> Verdict {
        let Some(Some(validator)) = self.callables.validators.get(index) else {
            return Verdict::Reject(None);
        };
        match truth(self.py, validator, &value.object) {
            Ok(true) => Verdict::Accept,
            Ok(false) => Verdict::Reject(None),
            Err(error) => {
                let shown = error.is_instance_of::<PyValueError>(self.py)
                    || error.is_instance_of::<PyTypeError>(self.py);
                let text = if shown {
                    error
                        .value(self.py)
                        .str()
                        .map(|text| text.to_string_lossy().into_owned())
                        .ok()
                } else {
                    None
                };
                let said = text.unwrap_or_else(|| {
                    format!("its validator raised {}", type_name(error.value(self.py)))
                });
                self.keep_interrupt(error);
                Verdict::Reject(Some(said))
            }
        }
    }

    fn holds(&mut self, predicate: PredicateId, value: &PyValue<'_, 'py>) -> bool {
        let held = self
            .callables
            .predicates
            .get(predicate.0)
            .map(|predicate| predicate.holds(self.py, &value.object));
        match held {
            Some(Ok(held)) => held,
            Some(Err(error)) => {
                self.keep_interrupt(error);
                false
            }
            None => false,
        }
    }
}

impl AskText for PyHost<'_, '_> {
    fn holds_text(&self, predicate: PredicateId, text: &str) -> bool {
        self.callables.holds_text_in(self.py, predicate, text)
    }
}

/// At a request: what a predicate sends is not the body's.
impl AskText for Callables {
    fn holds_text(&self, predicate: PredicateId, text: &str) -> bool {
        Python::attach(|py| {
            let quiet = Quiet::default();
            quiet.begin(py).is_ok() && self.holds_text_in(py, predicate, text)
        })
    }
}

impl Callables {
    /// Whether arguments are put to any.
    pub(crate) fn are_some(&self) -> bool {
        !self.predicates.is_empty() || self.validators.iter().any(Option::is_some)
    }

    fn holds_text_in(&self, py: Python<'_>, predicate: PredicateId, text: &str) -> bool {
        let value = PyString::new(py, text).into_any();
        self.predicates
            .get(predicate.0)
            .is_some_and(|predicate| predicate.holds(py, &value).unwrap_or(false))
    }
}

impl Predicate {
    fn holds(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match self {
            Predicate::Callable(callable) => truth(py, callable, value),
            Predicate::Pattern(pattern) if value.is_instance_of::<PyString>() => Ok(!pattern
                .bind(py)
                .call_method1(pyo3::intern!(py, "fullmatch"), (value,))?
                .is_none()),
            Predicate::Pattern(_) => Ok(false),
        }
    }
}

/// Call and read the answer's truth; an answer that can only be awaited is closed and is no answer.
fn truth(py: Python<'_>, callable: &Py<PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let answer = callable.bind(py).call1((value,))?;
    if close_awaitable(&answer)? {
        return Ok(false);
    }
    answer.is_truthy()
}

/// Whether an object can only be awaited; a coroutine is closed, so that nobody warns that it never was.
pub(crate) fn close_awaitable(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    // What most values are; a look-up that fails makes an exception, which costs more than all the rest.
    if object.is_none()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyDict>()
    {
        return Ok(false);
    }
    if !object.get_type().hasattr(pyo3::intern!(py, "__await__"))? {
        return Ok(false);
    }
    if object.hasattr(pyo3::intern!(py, "close"))? {
        object.call_method0(pyo3::intern!(py, "close"))?;
    }
    Ok(true)
}

/// Whether calling an object answers a coroutine.
pub(crate) fn is_async(callable: &Bound<'_, PyAny>) -> PyResult<bool> {
    callable
        .py()
        .import("toolpass._context")?
        .call_method1("is_async", (callable,))?
        .is_truthy()
}
