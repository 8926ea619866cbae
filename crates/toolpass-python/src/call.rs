//! `toolpass.Call` and the running call's context, as Python code sees them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyMappingProxy, PyTuple};
use toolpass_core::effect::Effect;
use toolpass_guard::call::Call as Inner;
use toolpass_guard::entitlements::enforce::Standing;
use toolpass_guard::process::Process;
use toolpass_guard::settings::ActAs;

use crate::audit::ObservedAction;
use crate::entitlements::ToolEntitlements;
use crate::errors;
use crate::guarded::Guarded;
use crate::observe;
use crate::outgoing;
use crate::session::Session;
use crate::toolkit::State;

/// What `current_call()` answers: the running call.
#[pyclass(frozen, weakref, module = "toolpass._native")]
pub(crate) struct CallContext {
    pub(crate) call: Arc<Inner>,
    pub(crate) guarded: Py<Guarded>,
    /// The toolkit when the call began: its engine is the one whose connections the guard attributes requests to.
    pub(crate) state: Arc<State>,
    session: Option<Py<Session>>,
    given: (Py<PyTuple>, Py<PyDict>),
    /// By name, made when somebody asks.
    arguments: PyOnceLock<Py<PyMappingProxy>>,
}

impl CallContext {
    pub(crate) fn new(
        call: &Arc<Inner>,
        guarded: &Bound<'_, Guarded>,
        state: &Arc<State>,
        session: Option<Bound<'_, Session>>,
        (args, kwargs): (&Bound<'_, PyTuple>, &Bound<'_, PyDict>),
    ) -> CallContext {
        CallContext {
            call: Arc::clone(call),
            guarded: guarded.clone().unbind(),
            state: Arc::clone(state),
            session: session.map(Bound::unbind),
            given: (args.clone().unbind(), kwargs.clone().unbind()),
            arguments: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl CallContext {
    /// The tool's name.
    #[getter]
    pub(crate) fn tool(&self) -> &str {
        &self.call.tool.name
    }

    /// The declared effect, else the recorded one.
    #[getter]
    fn effect(&self) -> Option<&'static str> {
        self.call.effect.map(Effect::as_str)
    }

    /// The session it runs for.
    #[getter]
    fn session(&self, py: Python<'_>) -> Option<Py<Session>> {
        self.session.as_ref().map(|session| session.clone_ref(py))
    }

    /// The arguments by name, defaults applied; read-only.
    #[getter]
    pub(crate) fn arguments<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyMappingProxy>> {
        let made = self.arguments.get_or_try_init(py, || {
            let (args, kwargs) = &self.given;
            let arguments = self
                .guarded
                .get()
                .arguments(args.bind(py), kwargs.bind(py))?;
            PyResult::Ok(PyMappingProxy::new(py, arguments.as_mapping()).unbind())
        })?;
        Ok(made.bind(py))
    }

    /// The call itself, as authorizers are given it.
    #[getter]
    fn call(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The tool's specification.
    #[getter]
    fn spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.guarded.bind(py).getattr("spec")
    }

    /// The toolkit.
    #[getter]
    fn toolkit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.guarded.bind(py).getattr("owner")
    }

    /// The requests so far.
    #[getter]
    fn observed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(
            py,
            self.call.observed().into_iter().map(ObservedAction::new),
        )
    }

    /// What the file of entitlements says of the tool, when one was given and lists it.
    #[getter]
    fn entitlements(&self) -> Option<ToolEntitlements> {
        match self.call.standing() {
            Standing::Held(entry) => Some(ToolEntitlements::of(&self.call.tool.name, entry)),
            Standing::NoFile | Standing::Unlisted => None,
        }
    }

    /// Whether nothing passes that no connection or table knows.
    #[getter]
    fn strict(&self) -> bool {
        self.call.settings.strict
    }

    /// Whose authority a request outside a block has.
    #[getter]
    fn act_as(&self) -> &'static str {
        match self.call.settings.act_as {
            ActAs::Agent => "agent",
            ActAs::User => "user",
        }
    }

    /// The exception of the first refused request, if any.
    #[getter]
    fn refusal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.call.refusal().map(|refusal| {
            errors::refused(py, &refusal)
                .into_value(py)
                .into_bound(py)
                .into_any()
        })
    }

    /// Whether its requests are looked at.
    #[getter]
    fn hooked(&self) -> bool {
        self.call.hooked
    }

    /// Ask whether a request may leave, waiting for the answer. Raises when it may not.
    #[pyo3(signature = (*parts))]
    fn observe(slf: &Bound<'_, Self>, parts: &Bound<'_, PyTuple>) -> PyResult<observe::Permit> {
        observe::observe(slf, parts)
    }

    /// The permit of bytes that are one whole request to the connection's own host; `None`, and nobody was asked, for others.
    fn ask_whole(
        slf: &Bound<'_, Self>,
        connection: &Bound<'_, PyAny>,
        data: &Bound<'_, PyBytes>,
    ) -> PyResult<Option<observe::Permit>> {
        outgoing::ask_whole(slf, connection, data)
    }

    /// The same without waiting: a `Permit`, or an `Observing` to be awaited and resumed.
    #[pyo3(signature = (*parts))]
    fn observe_async<'py>(
        slf: &Bound<'py, Self>,
        parts: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        observe::observe_soon(slf, parts)
    }

    /// Whether an upper layer was just given leave for this very request; uses it up.
    #[pyo3(signature = (*parts))]
    fn admits(&self, parts: &Bound<'_, PyTuple>) -> PyResult<bool> {
        observe::admits(self, parts)
    }

    /// Ask whether a process may begin: the interpreter's word for the way, and the program, if one is named. Raises when it may not.
    #[pyo3(signature = (event, program = None))]
    fn process_begins(&self, py: Python<'_>, event: &str, program: Option<&str>) -> PyResult<()> {
        observe::process_begins(self, py, Process { event, program })
    }

    /// Refuse the call because a library it uses cannot be looked at. Always raises.
    fn library_unhooked(&self, py: Python<'_>, library: &str) -> PyResult<()> {
        Err(errors::refused(py, &self.call.library_unhooked(library)))
    }
}
