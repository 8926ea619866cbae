//! `toolpass.permission_check(...)`: an authorizer that asks an engine, with a resource filled from the arguments.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use toolpass_core::codes::{Code, RefusalCode, refusal_of};
use toolpass_core::decision::Decision as Core;
use toolpass_core::question::{Freshness, Question as Asked};
use toolpass_core::template::{Filled, Template};
use toolpass_guard::entitlements::arguments;
use toolpass_guard::tool::Permission as Question;

use crate::authorizer::AuthDecision;
use crate::call::CallContext;
use crate::decision::Decision;
use crate::engine::Asker;
use crate::errors;
use crate::value::PyValue;

/// An authorizer that asks an engine.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Permission {
    pub(crate) engine: Arc<Asker>,
    connection: String,
    action: String,
    resource: Template,
    fresh: bool,
}

impl Permission {
    /// The question, as the guard asks it.
    pub(crate) fn question(&self) -> Question {
        Question {
            connection: self.connection.clone(),
            action: self.action.clone(),
            resource: self.resource.clone(),
            fresh: self.fresh,
        }
    }
}

#[pymethods]
impl Permission {
    #[new]
    #[pyo3(signature = (tp, connection, action, resource, *, fresh=false))]
    fn new(
        tp: &Bound<'_, PyAny>,
        connection: String,
        action: String,
        resource: &str,
        fresh: bool,
    ) -> PyResult<Permission> {
        if tp.is_instance_of::<PyType>() {
            return Err(PyTypeError::new_err(format!(
                "expected an engine, not the class {}; make one of it",
                tp.getattr("__name__")?
            )));
        }
        if !tp.getattr("check").is_ok_and(|check| check.is_callable()) {
            return Err(PyTypeError::new_err(
                "expected an engine: an object with a callable `check`",
            ));
        }
        let resource =
            Template::parse(resource).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Permission {
            engine: Arc::new(Asker::of(tp)),
            connection,
            action,
            resource,
            fresh,
        })
    }

    /// The arguments the resource is filled from.
    #[getter]
    fn __toolpass_fields__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.resource.fields())
    }

    /// Ask for a call, waiting for the answer: so that an authorizer of one's own may ask this one too.
    fn __call__(&self, py: Python<'_>, call: &Bound<'_, CallContext>) -> PyResult<AuthDecision> {
        let Some(session) = &call.get().call.session else {
            return Ok(AuthDecision::refused(
                RefusalCode::AuthorizationError,
                "there is no session to ask for".into(),
            ));
        };
        let arguments = call.get().arguments(py)?;
        let resource = match self
            .resource
            .fill(|name| filled(&arguments.get_item(name).ok()?))
        {
            Ok(resource) => resource,
            Err(unfilled) => {
                return Ok(AuthDecision::refused(
                    RefusalCode::InvalidArguments,
                    unfilled.to_string(),
                ));
            }
        };
        let question = Asked {
            user: session.user().into(),
            groups: session.groups().unwrap_or_default().to_vec(),
            token: session.token(),
            connection: self.connection.clone(),
            action: self.action.clone(),
            resource: resource.as_str().into(),
            freshness: Freshness {
                fresh: self.fresh,
                max_age: None,
            },
            ..Asked::default()
        };
        let said = self.engine.ask(py, &question)?;
        if let Some(error) = said.raised {
            errors::kept(py, &call.get().call, "the engine", error);
        }
        let decision = said.decision;
        let Asked {
            action,
            connection,
            resource,
            ..
        } = &question;
        let said = format!(
            "{}: {action} on {resource} in {connection}: {}",
            decision.outcome().as_str(),
            decision.reason()
        );
        Ok(match refusal_of(decision.code()) {
            None => AuthDecision::allowed(said),
            Some(code) => AuthDecision::refused(code, said),
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "permission_check(connection={:?}, action={:?}, resource={:?})",
            self.connection,
            self.action,
            self.resource.as_str()
        )
    }
}

/// The resource of a permission, filled from named values: its text, or the `Decision` that says why it cannot be.
#[pyfunction]
pub(crate) fn fill_resource(
    py: Python<'_>,
    permission: &Permission,
    values: &Bound<'_, PyDict>,
) -> PyResult<Py<PyAny>> {
    let value_of = |name: &str| filled(&values.get_item(name).ok().flatten()?);
    match permission.resource.fill(value_of) {
        Ok(resource) => Ok(PyString::new(py, resource.as_str()).into_any().unbind()),
        Err(unfilled) => {
            let mut decision = Core::unknown(Code::InvalidRequest, unfilled.to_string());
            decision.status = 400;
            Decision::object(py, decision)
        }
    }
}

/// The present moment in ISO 8601 with milliseconds.
#[pyfunction]
pub(crate) fn log_time() -> String {
    crate::audit::time_text(Asker::wall())
}

/// A value for a field, by the guard's one rule of what may fill a template.
fn filled(value: &Bound<'_, PyAny>) -> Option<Filled<'static>> {
    arguments::filled(&PyValue {
        object: value.clone(),
        classes: &[],
    })
}
