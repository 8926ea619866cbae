//! `toolpass.Decision`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use pyo3::prelude::*;
use toolpass_core::clock::Wall;
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision as Core;

use crate::value::type_name;

/// A pickled decision: code, text, and the rest.
type Parts = (String, String, Rest);

/// Status, identity, id, when it was read, whether it was cached, when to ask again.
type Rest = (u16, String, String, Option<Duration>, bool, Option<u64>);

/// The answer to one question.
#[pyclass(frozen, weakref, module = "toolpass")]
#[derive(Clone)]
pub(crate) struct Decision(pub(crate) Core);

#[pymethods]
impl Decision {
    /// `"allow"`, `"deny"` or `"unknown"`.
    #[getter]
    fn decision(&self) -> &'static str {
        self.0.outcome().as_str()
    }

    /// `"code: text"`, or the code alone.
    #[getter]
    fn reason(&self) -> String {
        self.0.reason()
    }

    /// The HTTP status a server would have used.
    #[getter]
    fn status(&self) -> u16 {
        self.0.status
    }

    /// The account the user resolved to; empty when none was.
    #[getter]
    fn identity(&self) -> &str {
        &self.0.identity
    }

    /// Whether the answer is allow.
    #[getter]
    fn allowed(&self) -> bool {
        self.0.outcome() == Outcome::Allow
    }

    /// The code.
    #[getter]
    fn code(&self) -> &'static str {
        self.0.code().as_str()
    }

    /// The decision log's id of it.
    #[getter]
    fn id(&self) -> Option<&str> {
        Some(self.0.id.as_str()).filter(|id| !id.is_empty())
    }

    /// Start of the oldest read it rests on, in seconds since the epoch.
    #[getter]
    fn as_of(&self) -> Option<f64> {
        self.0.as_of.map(|wall| wall.0.as_secs_f64())
    }

    /// Whether it came from the decision cache.
    #[getter]
    fn cached(&self) -> bool {
        self.0.cached
    }

    /// When asking again is worth it.
    #[getter]
    fn retry_after_ms(&self) -> Option<u64> {
        self.0.retry_after_ms
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Decision>()
            .is_ok_and(|other| self.key() == other.get().key())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.key().hash(&mut hasher);
        hasher.finish()
    }

    /// Pickling goes through what can be read of it; evidence stays behind.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let as_of = self.0.as_of.map(|wall| wall.0);
        let (code, text) = (self.code().to_owned(), self.0.text().to_owned());
        let rest = (
            self.0.status,
            self.0.identity.clone(),
            self.0.id.clone(),
            as_of,
            self.0.cached,
            self.0.retry_after_ms,
        );
        Ok((
            py.get_type::<Decision>().getattr("_of_parts")?,
            (code, text, rest),
        ))
    }

    #[staticmethod]
    #[pyo3(name = "_of_parts")]
    fn of_parts(code: &str, text: &str, rest: Rest) -> Decision {
        let (status, identity, id, as_of, cached, retry_after_ms) = rest;
        let code = Code::parse(code).unwrap_or(Code::Unsupported);
        let mut decision = Core::new(code, text);
        decision.status = status;
        decision.identity = identity;
        decision.id = id;
        decision.as_of = as_of.map(Wall);
        decision.cached = cached;
        decision.retry_after_ms = retry_after_ms;
        Decision(decision)
    }

    fn __repr__(&self) -> String {
        format!(
            "Decision(decision={:?}, reason={:?}, status={})",
            self.decision(),
            self.0.reason(),
            self.0.status
        )
    }
}

impl Decision {
    /// A decision as a Python object.
    pub(crate) fn object(py: Python<'_>, decision: Core) -> PyResult<Py<PyAny>> {
        Ok(Bound::new(py, Decision(decision))?.into_any().unbind())
    }

    fn key(&self) -> (Code, &str, u16) {
        (self.0.code(), self.0.text(), self.0.status)
    }
}

/// Read the answer of an engine that is not ours: `decision`, and `code` or `reason`. Only `"allow"` allows; anything odd is
/// unknown.
pub(crate) fn of_foreign(answer: &Bound<'_, PyAny>) -> Core {
    if let Ok(native) = answer.cast::<Decision>() {
        return native.get().0.clone();
    }
    let text = |name: &str| {
        answer
            .getattr(name)
            .ok()
            .and_then(|value| value.extract::<String>().ok())
    };
    let reason = text("reason").unwrap_or_default();
    let code = text("code").or_else(|| reason.split(':').next().map(|code| code.trim().to_owned()));
    let said = code.as_deref().and_then(Code::parse);
    let rest = reason
        .split_once(':')
        .filter(|_| said.is_some())
        .map_or(reason.as_str(), |(_, rest)| rest.trim());
    match text("decision").as_deref() {
        Some("allow") => Core::allow(rest),
        Some("deny") => Core::new(
            said.filter(|code| code.outcome() == Outcome::Deny)
                .unwrap_or(Code::Denied),
            rest,
        ),
        Some("unknown") => Core::unknown(said.unwrap_or(Code::Unsupported), rest),
        Some(_) | None if said.is_some_and(|code| code.outcome() == Outcome::Unknown) => {
            Core::unknown(said.unwrap_or(Code::Unsupported), rest)
        }
        Some(_) | None => Core::unknown(
            Code::Unsupported,
            format!(
                "the engine answered {}, where a `Decision`, or an object whose `decision` is \"allow\", \"deny\" or \"unknown\", is accepted",
                type_name(answer)
            ),
        ),
    }
}
