//! `toolpass.AuditEvent` and `toolpass.ObservedAction`: one record a call, one a request, read-only.

use std::time::Duration;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use toolpass_core::clock::Wall;
use toolpass_core::codes::RefusalCode;
use toolpass_core::effect::Effect;
use toolpass_guard::audit::{self as guard, CallOutcome};

/// One request of a body, as understood.
#[pyclass(frozen, weakref, eq, module = "toolpass")]
#[derive(Clone, PartialEq)]
pub(crate) struct ObservedAction(guard::ObservedAction);

impl ObservedAction {
    pub(crate) fn new(inner: guard::ObservedAction) -> ObservedAction {
        ObservedAction(inner)
    }

    pub(crate) fn inner(&self) -> &guard::ObservedAction {
        &self.0
    }
}

#[pymethods]
impl ObservedAction {
    #[getter]
    fn time(&self) -> Option<String> {
        self.0.time.map(time_text)
    }
    #[getter]
    fn duration_ms(&self) -> f64 {
        milliseconds(self.0.duration_us)
    }
    #[getter]
    fn method(&self) -> &str {
        &self.0.method
    }
    #[getter]
    fn host(&self) -> &str {
        &self.0.host
    }
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }
    #[getter]
    fn effect(&self) -> Option<&'static str> {
        self.0.effect.map(Effect::as_str)
    }
    #[getter]
    fn outcome(&self) -> &'static str {
        if self.0.allowed { "allowed" } else { "refused" }
    }
    #[getter]
    fn connection(&self) -> Option<&str> {
        self.0.connection.as_deref()
    }
    #[getter]
    fn integration(&self) -> Option<&str> {
        self.0.integration.as_deref()
    }
    #[getter]
    fn action(&self) -> Option<&str> {
        self.0.action.as_deref()
    }
    #[getter]
    fn resource(&self) -> Option<&str> {
        self.0.resource.as_deref()
    }
    #[getter]
    fn as_agent(&self) -> bool {
        self.0.as_agent
    }
    #[getter]
    fn sends_out(&self) -> bool {
        self.0.sends_out
    }
    #[getter]
    fn untrusted_output(&self) -> bool {
        self.0.untrusted_output
    }
    #[getter]
    fn sensitive(&self) -> bool {
        self.0.sensitive
    }
    #[getter]
    fn code(&self) -> Option<&'static str> {
        self.0.code.map(RefusalCode::as_str)
    }
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }
    #[getter]
    fn note(&self) -> Option<&'static str> {
        self.0.note.map(guard::Note::as_str)
    }

    /// The members that have a value.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.0.to_json(time_text))
    }

    /// Pickling goes through the JSON form.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((
            py.get_type::<ObservedAction>().getattr("_from_dict")?,
            (self.to_dict(py)?,),
        ))
    }

    #[staticmethod]
    #[pyo3(name = "_from_dict")]
    fn from_dict(members: &Bound<'_, PyDict>) -> PyResult<ObservedAction> {
        let text = |key: &str| member::<String>(members, key);
        let flag = |key: &str| -> PyResult<bool> { Ok(members.get_item(key)?.is_some()) };
        Ok(ObservedAction(guard::ObservedAction {
            time: text("time")?.as_deref().map(time_of).transpose()?,
            duration_us: member::<f64>(members, "duration_ms")?.map_or(0, microseconds),
            method: text("method")?.unwrap_or_default(),
            host: text("host")?.unwrap_or_default(),
            path: text("path")?.unwrap_or_default(),
            effect: text("effect")?.as_deref().and_then(Effect::parse),
            allowed: text("outcome")?.as_deref() == Some("allowed"),
            connection: text("connection")?,
            integration: text("integration")?,
            action: text("action")?,
            resource: text("resource")?,
            as_agent: flag("as_agent")?,
            sends_out: flag("sends_out")?,
            untrusted_output: flag("untrusted_output")?,
            sensitive: flag("sensitive")?,
            code: text("code")?.as_deref().and_then(RefusalCode::parse),
            reason: text("reason")?,
            note: text("note")?.as_deref().and_then(guard::Note::parse),
        }))
    }

    fn __repr__(&self) -> String {
        format!("ObservedAction({})", self.0.to_json(time_text))
    }
}

/// One call, when it is over.
#[pyclass(frozen, weakref, module = "toolpass")]
pub(crate) struct AuditEvent(guard::AuditEvent);

impl AuditEvent {
    pub(crate) fn new(inner: guard::AuditEvent) -> AuditEvent {
        AuditEvent(inner)
    }

    /// One line of JSON of at most so many bytes.
    pub(crate) fn to_json_within(&self, max: usize) -> String {
        self.0.to_json_within(max, time_text)
    }
}

#[pymethods]
impl AuditEvent {
    #[getter]
    fn v(&self) -> u8 {
        guard::VERSION
    }
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }
    #[getter]
    fn parent(&self) -> Option<&str> {
        self.0.parent.as_deref()
    }
    #[getter]
    fn time(&self) -> String {
        time_text(self.0.time)
    }
    #[getter]
    fn tool(&self) -> &str {
        &self.0.tool
    }
    #[getter]
    fn effect(&self) -> Option<&'static str> {
        self.0.effect.map(Effect::as_str)
    }
    #[getter]
    fn outcome(&self) -> &'static str {
        self.0.outcome.as_str()
    }
    #[getter]
    fn code(&self) -> Option<&'static str> {
        self.0.code.map(RefusalCode::as_str)
    }
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }
    #[getter]
    fn session(&self) -> Option<&str> {
        self.0.session.as_deref()
    }
    #[getter]
    fn user(&self) -> Option<&str> {
        self.0.user.as_deref()
    }
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0
            .arguments
            .as_deref()
            .map(|json| loads(py, json))
            .transpose()
    }
    #[getter]
    fn authorization(&self) -> Option<&str> {
        self.0.authorization.as_deref()
    }
    #[getter]
    fn entitled(&self) -> Option<bool> {
        self.0.entitled
    }
    #[getter]
    fn duration_ms(&self) -> f64 {
        milliseconds(self.0.duration_us)
    }
    #[getter]
    fn redacted(&self) -> u64 {
        self.0.counts.redacted
    }
    #[getter]
    fn fenced(&self) -> u64 {
        self.0.counts.fenced
    }
    #[getter]
    fn tainted(&self) -> u64 {
        self.0.counts.tainted
    }
    #[getter]
    fn revoked_during_call(&self) -> Option<bool> {
        self.0.revoked_during_call
    }
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.actions.iter().cloned().map(ObservedAction))
    }

    /// The members that have a value.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json())
    }

    /// One line of JSON.
    pub(crate) fn to_json(&self) -> String {
        self.0.to_json(time_text)
    }

    /// Pickling goes through the JSON form.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((
            py.get_type::<AuditEvent>().getattr("_from_dict")?,
            (self.to_dict(py)?,),
        ))
    }

    #[staticmethod]
    #[pyo3(name = "_from_dict")]
    fn from_dict(members: &Bound<'_, PyDict>) -> PyResult<AuditEvent> {
        let text = |key: &str| member::<String>(members, key);
        let count = |key: &str| -> PyResult<u64> { Ok(member(members, key)?.unwrap_or_default()) };
        let known = |key: &str, value: &str| {
            PyValueError::new_err(format!("an audit event cannot have the {key} {value:?}"))
        };
        let outcome = text("outcome")?.unwrap_or_default();
        let arguments = members.get_item("arguments")?;
        let actions: Vec<Bound<'_, PyDict>> = member(members, "actions")?.unwrap_or_default();
        Ok(AuditEvent(guard::AuditEvent {
            id: text("id")?.unwrap_or_default(),
            parent: text("parent")?,
            time: time_of(&text("time")?.unwrap_or_default())?,
            tool: text("tool")?.unwrap_or_default(),
            effect: text("effect")?.as_deref().and_then(Effect::parse),
            outcome: CallOutcome::parse(&outcome).ok_or_else(|| known("outcome", &outcome))?,
            code: text("code")?.as_deref().and_then(RefusalCode::parse),
            reason: text("reason")?,
            session: text("session")?,
            user: text("user")?,
            arguments: arguments.map(|value| dumps(&value)).transpose()?,
            authorization: text("authorization")?,
            entitled: member(members, "entitled")?,
            duration_us: member::<f64>(members, "duration_ms")?.map_or(0, microseconds),
            counts: guard::Counts {
                redacted: count("redacted")?,
                fenced: count("fenced")?,
                tainted: count("tainted")?,
            },
            revoked_during_call: member(members, "revoked_during_call")?,
            actions: actions
                .iter()
                .map(|action| Ok(ObservedAction::from_dict(action)?.0))
                .collect::<PyResult<_>>()?,
        }))
    }

    fn __repr__(&self) -> String {
        format!("AuditEvent({})", self.to_json())
    }
}

/// UTC, ISO 8601, milliseconds.
pub(crate) fn time_text(time: Wall) -> String {
    let milliseconds = i64::try_from(time.0.as_millis()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(milliseconds)
        .map(|time| format!("{time:.3}"))
        .unwrap_or_default()
}

/// What [`time_text`] wrote.
/// Errors: `ValueError` for anything else.
fn time_of(text: &str) -> PyResult<Wall> {
    let read: Result<jiff::Timestamp, _> = text.parse();
    let since = read
        .ok()
        .and_then(|time| u64::try_from(time.as_millisecond()).ok());
    since
        .map(|since| Wall(Duration::from_millis(since)))
        .ok_or_else(|| PyValueError::new_err("expected `time` to be a time of ISO 8601"))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a duration in microseconds fits a float's 53 bits for 285 years"
)]
fn milliseconds(duration_us: u64) -> f64 {
    duration_us as f64 / 1000.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast of a float saturates, which is right for a duration"
)]
fn microseconds(duration_ms: f64) -> u64 {
    (duration_ms * 1000.0).round() as u64
}

fn member<'py, T: FromPyObjectOwned<'py>>(
    members: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<Option<T>> {
    match members.get_item(key)? {
        Some(value) => value.extract().map(Some).map_err(Into::into),
        None => Ok(None),
    }
}

fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value
        .py()
        .import("json")?
        .call_method1("dumps", (value,))?
        .extract()
}

fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
