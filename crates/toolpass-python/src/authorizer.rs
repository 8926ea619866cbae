//! Who is asked before a body, and what may be answered.
//!
//! Only an [`AuthDecision`], `True` or `False` are answers. Anything else, however true, is none: an engine's own decision
//! would let "could not find out" pass for "may not".

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use toolpass_core::codes::RefusalCode;
use toolpass_guard::authorization::AuthorizerAnswer;

use crate::call::CallContext;
use crate::engine::Asker;
use crate::host::close_awaitable;
use crate::permission::Permission;
use crate::value::type_name;

/// What an authorizer answers.
#[pyclass(frozen, eq, module = "toolpass")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct AuthDecision {
    /// Whether the call may go on.
    #[pyo3(get)]
    allowed: bool,
    /// Why, for the audit event and the model.
    #[pyo3(get)]
    reason: String,
    /// A refusal code it may name.
    #[pyo3(get)]
    code: String,
}

impl AuthDecision {
    /// Yes.
    pub(crate) fn allowed(reason: String) -> AuthDecision {
        AuthDecision {
            allowed: true,
            reason,
            code: String::new(),
        }
    }

    /// No, or no answer.
    pub(crate) fn refused(code: RefusalCode, reason: String) -> AuthDecision {
        AuthDecision {
            allowed: false,
            reason,
            code: code.as_str().into(),
        }
    }
}

#[pymethods]
impl AuthDecision {
    #[new]
    #[pyo3(signature = (allowed, reason=String::new(), code=String::new()), text_signature = "(allowed, reason='', code='')")]
    fn new(allowed: bool, reason: String, code: String) -> AuthDecision {
        AuthDecision {
            allowed,
            reason,
            code,
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__(&self) -> (bool, &str, &str) {
        (self.allowed, &self.reason, &self.code)
    }

    fn __repr__(&self) -> String {
        let allowed = if self.allowed { "True" } else { "False" };
        format!(
            "AuthDecision(allowed={allowed}, reason={:?}, code={:?})",
            self.reason, self.code
        )
    }
}

/// Who is asked before the body of one tool.
pub(crate) enum Authorizer {
    /// A callable of the application.
    Callable(Py<PyAny>),
    /// An engine.
    Engine(Arc<Asker>),
    /// Nobody.
    None,
}

impl Authorizer {
    /// What `tool(authorize=...)` was given.
    pub(crate) fn of(given: Option<Bound<'_, PyAny>>) -> Authorizer {
        match given {
            None => Authorizer::None,
            Some(value) => match value.cast::<Permission>() {
                Ok(permission) => Authorizer::Engine(Arc::clone(&permission.get().engine)),
                Err(_) => Authorizer::Callable(value.unbind()),
            },
        }
    }

    /// The engine.
    /// Errors: `TypeError` when there is none.
    pub(crate) fn engine(&self) -> PyResult<&Asker> {
        match self {
            Authorizer::Engine(asker) => Ok(asker),
            Authorizer::Callable(_) | Authorizer::None => Err(PyTypeError::new_err(
                "this tool asks no engine before its body",
            )),
        }
    }

    /// The callable.
    /// Errors: `TypeError` when there is none.
    pub(crate) fn callable<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        match self {
            Authorizer::Callable(callable) => Ok(callable.bind(py)),
            Authorizer::Engine(_) | Authorizer::None => Err(PyTypeError::new_err(
                "this tool has no authorizer of its own",
            )),
        }
    }

    /// Call the callable.
    /// Errors: what it raised.
    pub(crate) fn ask<'py>(
        &self,
        py: Python<'py>,
        context: &Py<CallContext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.callable(py)?.call1((context.clone_ref(py),))
    }
}

/// Read what a callable answered.
/// Errors: what is no `Exception`.
pub(crate) fn read(
    py: Python<'_>,
    answer: PyResult<Bound<'_, PyAny>>,
) -> PyResult<AuthorizerAnswer> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) if error.is_instance_of::<PyException>(py) => {
            return Ok(AuthorizerAnswer::Raised(type_name(error.value(py))));
        }
        Err(error) => return Err(error),
    };
    if let Ok(decision) = answer.cast::<AuthDecision>() {
        let AuthDecision {
            allowed,
            reason,
            code,
        } = decision.get().clone();
        return Ok(AuthorizerAnswer::Decided {
            allowed,
            reason,
            code,
        });
    }
    if let Ok(truth) = answer.cast_exact::<PyBool>() {
        return Ok(AuthorizerAnswer::Decided {
            allowed: truth.is_true(),
            reason: String::new(),
            code: String::new(),
        });
    }
    // Closed or not, it is no answer.
    close_awaitable(&answer).map(drop).or_else(|error| {
        if error.is_instance_of::<PyException>(py) {
            Ok(())
        } else {
            Err(error)
        }
    })?;
    Ok(AuthorizerAnswer::Odd(type_name(&answer)))
}
