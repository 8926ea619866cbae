//! A declared tool: its calls, sync in one native call, async in two.
//!
//! The order of what happens is the guard's; this file only finds out what it asks for, runs the body under the call's
//! context, and hands the finished call to its sink.

mod again;
mod bind;
mod body;
pub(crate) mod handles;
mod opened;
mod result;
mod step;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpass_guard::tool::Tool;

use crate::authorizer::Authorizer;
use crate::credential::Remembered;
use crate::declare::{Declared, declare};
use crate::entitlements;
use crate::host::Callables;
use crate::toolkit::{State, ToolkitCore, audit_logger};
use crate::unattributed;
use crate::value::Class;

pub(crate) use again::Closing;
pub(crate) use opened::Opened;
pub(crate) use step::Step;

use opened::Driven;

/// A declared tool.
#[pyclass(frozen, weakref, module = "toolpass._native")]
pub(crate) struct Guarded {
    pub(crate) tool: Arc<Tool>,
    pub(crate) callables: Callables,
    toolkit: Py<ToolkitCore>,
    /// The face's `Toolkit`.
    #[pyo3(get)]
    owner: Py<PyAny>,
    /// The face's `ToolSpec`.
    #[pyo3(get)]
    spec: Py<PyAny>,
    function: Py<PyAny>,
    names: Vec<Py<PyString>>,
    classes: Vec<Class>,
    defaults: Vec<Option<Py<PyAny>>>,
    authorizer: Authorizer,
    /// Keys of a mapping credential that hold secrets.
    secret_fields: Vec<String>,
    /// Whether the first position is the receiver of a method, which is no argument.
    receiver: bool,
    remembered: Remembered,
    warned_of_short_secret: AtomicBool,
    warned_of_no_entry: AtomicBool,
}

#[pymethods]
impl Guarded {
    #[new]
    fn new(
        toolkit: Py<ToolkitCore>,
        owner: Py<PyAny>,
        spec: Py<PyAny>,
        function: Py<PyAny>,
        given: &Bound<'_, PyDict>,
        parameters: &Bound<'_, PyList>,
    ) -> PyResult<Guarded> {
        let py = given.py();
        let Declared {
            tool,
            callables,
            classes,
            defaults,
            secret_fields,
            receiver,
        } = declare(given, parameters)?;
        let authorizer = Authorizer::of(
            given
                .get_item("authorize")?
                .filter(|value| !value.is_none()),
        );
        let names = tool
            .parameters
            .iter()
            .map(|parameter| PyString::intern(py, &parameter.name).unbind())
            .collect();
        Ok(Guarded {
            tool: Arc::new(tool),
            callables,
            toolkit,
            owner,
            spec,
            function,
            names,
            classes,
            defaults,
            authorizer,
            secret_fields,
            receiver,
            remembered: Remembered::default(),
            warned_of_short_secret: AtomicBool::new(false),
            warned_of_no_entry: AtomicBool::new(false),
        })
    }

    /// Whether its arguments are compared with outside text.
    #[getter]
    fn check_untrusted(&self) -> bool {
        self.tool.checks_reads()
    }

    /// Run an ordinary function: checks, body, event.
    fn call(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Py<PyAny>> {
        let checks = unattributed::checks();
        let opened = Opened::open(slf, args, kwargs)?;
        match opened.drive(slf.get(), slf.py())? {
            Driven::Refused(refusal) => opened.refuse(slf.py(), refusal),
            Driven::Run(permit, credential) => {
                drop(checks);
                let (args, kwargs) = opened.given(args, kwargs);
                body::run(slf, &opened, permit, credential, (&args, &kwargs))
            }
        }
    }

    /// Begin a call of an async function: a step that is ready, or that must be awaited first.
    fn enter(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Step> {
        Step::begin(slf, Opened::open(slf, args, kwargs)?)
    }
}

impl Guarded {
    /// The toolkit's settings now.
    pub(crate) fn state(&self, py: Python<'_>) -> Arc<State> {
        self.toolkit.bind(py).get().state()
    }

    /// The arguments of a call by name, defaults applied.
    /// Errors: what does not fit the parameters.
    pub(crate) fn arguments<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let arguments = PyDict::new(args.py());
        for argument in bind::bind(self, args, kwargs).iter().flatten() {
            if let Some(name) = self.names.get(argument.parameter) {
                arguments.set_item(name, &argument.value.object)?;
            }
        }
        Ok(arguments)
    }

    /// Say once that the file of entitlements holds this tool to nothing.
    fn warn_of_no_entry(&self, py: Python<'_>) {
        if !self.warned_of_no_entry.swap(true, Ordering::Relaxed) {
            let tool = &self.tool.name;
            let text = "the file of entitlements does not list this tool, so it is held to nothing";
            entitlements::warn(py, &format!("{tool}: {text}"));
        }
    }

    /// Say once a toolkit that a write left without anybody asked.
    pub(crate) fn warn_of_unasked_write(&self, py: Python<'_>) {
        self.toolkit
            .get()
            .warn_of_unasked_write(py, &self.tool.name);
    }

    /// Say once that a secret cannot be redacted.
    fn warn_of_short_secret(&self, py: Python<'_>, name: &str) {
        if self.warned_of_short_secret.swap(true, Ordering::Relaxed) {
            return;
        }
        let text =
            "%s: the credential %r holds a secret of fewer than 8 bytes, which is not redacted";
        // A warning that cannot be given changes nothing about the call.
        let _ = audit_logger(py)
            .and_then(|logger| logger.call_method1("warning", (text, &self.tool.name, name)));
    }
}
