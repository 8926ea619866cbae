//! A declared tool: its calls, sync in one native call, async in two.
//!
//! The order of what happens is the guard's; this file only finds out what it asks for, runs the body under the call's
//! context, and hands the finished call to its sink.

mod bind;
mod body;
mod step;

use std::sync::Arc;

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpass_guard::arguments::Argument;
use toolpass_guard::authorization::AuthorizerAnswer;
use toolpass_guard::call::{BodyEnd, Call, Finished};
use toolpass_guard::pipeline::{Admission, Begin, Next, begin};
use toolpass_guard::refusal::Refusal;
use toolpass_guard::tool::Tool;

use crate::call::CallContext;
use crate::declare::{Declared, declare};
use crate::engine::Asker;
use crate::errors;
use crate::host::{Callables, PyHost, close_awaitable};
use crate::permission::Permission;
use crate::source::{current_call, current_session};
use crate::toolkit::{State, ToolkitCore, ensure_hooks};
use crate::value::{Class, PyValue, type_name};

pub(crate) use step::Step;

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
}

enum Authorizer {
    /// A callable of the application.
    Callable(Py<PyAny>),
    /// An engine.
    Engine(Arc<Asker>),
    /// Nobody is asked before the body.
    None,
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
        let Declared { tool, callables, classes, defaults } = declare(given, parameters)?;
        let authorizer = match given.get_item("authorize")?.filter(|value| !value.is_none()) {
            None => Authorizer::None,
            Some(value) => match value.cast::<Permission>() {
                Ok(permission) => Authorizer::Engine(Arc::clone(&permission.get().engine)),
                Err(_) => Authorizer::Callable(value.unbind()),
            },
        };
        let names = tool.parameters.iter().map(|parameter| PyString::intern(py, &parameter.name).unbind()).collect();
        Ok(Guarded { tool: Arc::new(tool), callables, toolkit, owner, spec, function, names, classes, defaults, authorizer })
    }

    /// Run an ordinary function: checks, body, event.
    fn call(slf: &Bound<'_, Self>, args: &Bound<'_, PyTuple>, kwargs: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
        let this = slf.get();
        let py = slf.py();
        let opened = this.open(slf, args, kwargs)?;
        match opened.drive_now(this, py)? {
            Driven::Refused(finished) => this.answer_refusal(py, &opened.state, finished),
            Driven::Run(permit, credential) => body::run(slf, &opened, permit.enter(), credential, (args, kwargs)),
        }
    }

    /// Begin a call of an async function: a step that is ready, or that must be awaited first.
    fn enter(slf: &Bound<'_, Self>, args: &Bound<'_, PyTuple>, kwargs: &Bound<'_, PyDict>) -> PyResult<Step> {
        let opened = slf.get().open(slf, args, kwargs)?;
        Step::advance(slf, opened)
    }
}

/// A call that began, and what its driver needs besides.
pub(crate) struct Opened {
    pub(crate) state: Arc<State>,
    pub(crate) call: Arc<Call>,
    /// What authorizers and credential sources are given, and what `current_call()` answers.
    pub(crate) context: Py<CallContext>,
    admission: std::sync::Mutex<Option<Admission>>,
}

/// How far a call came.
pub(crate) enum Driven {
    /// It is refused.
    Refused(Finished),
    /// Its body may run, with this credential.
    Run(toolpass_guard::call::Permit, Option<Py<PyAny>>),
}

impl Guarded {
    /// The toolkit's settings now.
    pub(crate) fn state(&self, py: Python<'_>) -> Arc<State> {
        self.toolkit.bind(py).get().state()
    }

    /// Steps 1 to 3, which need nobody.
    fn open(&self, slf: &Bound<'_, Self>, args: &Bound<'_, PyTuple>, kwargs: &Bound<'_, PyDict>) -> PyResult<Opened> {
        let py = slf.py();
        let state = self.state(py);
        let unhooked = if self.tool.wants_hook(&state.settings) { ensure_hooks(py)? } else { None };
        let session = current_session(py, state.session.as_ref());
        let bound = bind::bind(self, args, kwargs);
        let arguments = PyDict::new(py);
        for argument in bound.iter().flatten() {
            if let Some(name) = self.names.get(argument.parameter) {
                arguments.set_item(name, &argument.value.object)?;
            }
        }
        let (session, crash) = match session {
            Ok(session) => (session, None),
            Err(error) if error.is_instance_of::<PyException>(py) => (None, Some(error)),
            Err(error) => return Err(error),
        };
        let bound: Result<&[Argument<PyValue<'_, '_>>], String> = bound.as_deref().map_err(Clone::clone);
        let mut host = PyHost::new(py, &self.callables);
        let mut admission = begin(
            Begin {
                settings: Arc::clone(&state.settings),
                tool: Arc::clone(&self.tool),
                session,
                arguments: bound,
                parent: current_call(py)?.map(|outer| outer.get().call.id().to_owned()),
                now: Asker::now(),
                wall: Asker::wall(),
                unhooked,
            },
            &mut host,
        );
        if let Some(error) = crash {
            admission.crashed(&type_name(error.value(py)));
        }
        let call = Arc::clone(admission.call());
        if let Some(interrupt) = host.interrupt() {
            drop(admission);
            state.emit(py, call.finish(&BodyEnd::Cancelled, Asker::now()).event);
            return Err(interrupt);
        }
        let context = CallContext { call: Arc::clone(&call), guarded: slf.clone().unbind(), arguments: arguments.unbind() };
        Ok(Opened { state, call, context: Py::new(py, context)?, admission: std::sync::Mutex::new(Some(admission)) })
    }

    /// A refused call: its event, and what its caller gets.
    pub(crate) fn answer_refusal(&self, py: Python<'_>, state: &State, finished: Finished) -> PyResult<Py<PyAny>> {
        let refusal = finished.refusal.clone().unwrap_or_else(|| {
            Refusal::of_call(toolpass_core::codes::RefusalCode::CheckError, &self.tool.name, "the call was refused")
        });
        state.emit(py, finished.event);
        let error = errors::refused(py, &refusal);
        match &state.on_refuse {
            Some(on_refuse) => on_refuse.call1(py, (error.into_value(py),)),
            None => Err(error),
        }
    }

    /// Read what the tool's own authorizer answered: an `AuthDecision`, or exactly `True` or `False`.
    pub(crate) fn read_authorizer(answer: PyResult<Bound<'_, PyAny>>) -> PyResult<AuthorizerAnswer> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                return Python::attach(|py| {
                    if error.is_instance_of::<PyException>(py) { Ok(AuthorizerAnswer::Raised(type_name(error.value(py)))) } else { Err(error) }
                });
            }
        };
        if let Ok(truth) = answer.cast_exact::<pyo3::types::PyBool>() {
            return Ok(AuthorizerAnswer::Decided { allowed: truth.is_true(), reason: String::new(), code: String::new() });
        }
        if close_awaitable(&answer)? {
            return Ok(AuthorizerAnswer::Odd);
        }
        let member = |name: &str| answer.getattr(name).ok();
        let allowed = member("allowed").and_then(|value| value.cast_exact::<pyo3::types::PyBool>().map(|truth| truth.is_true()).ok());
        let text = |name: &str| member(name).and_then(|value| value.extract::<String>().ok()).unwrap_or_default();
        Ok(match allowed {
            Some(allowed) => AuthorizerAnswer::Decided { allowed, reason: text("reason"), code: text("code") },
            None => AuthorizerAnswer::Odd,
        })
    }
}

impl Opened {
    /// Find out, waiting where it must be, everything the guard asks for.
    fn drive_now(&self, guarded: &Guarded, py: Python<'_>) -> PyResult<Driven> {
        let mut credential = None;
        loop {
            let Some(admission) = self.take() else { return Err(PyTypeError::new_err("this call was begun already")) };
            let (rest, next) = admission.next();
            match (rest, next) {
                (_, Next::Run(permit)) => return Ok(Driven::Run(permit, credential)),
                (_, Next::Refuse(refusal)) => return Ok(Driven::Refused(self.call.refuse(refusal, Asker::now()))),
                (Some(mut rest), Next::Ask(question)) => {
                    let asker = guarded.asker()?;
                    let decision = asker.ask(py, &question).inspect_err(|_| self.cancel(py))?;
                    rest.answer_decision(&decision, Asker::now());
                    self.put(rest);
                }
                (Some(mut rest), Next::CallAuthorizer) => {
                    let answer = guarded.call_authorizer(py, &self.context);
                    rest.answer_authorizer(&Guarded::read_authorizer(answer).inspect_err(|_| self.cancel(py))?);
                    self.put(rest);
                }
                (Some(mut rest), Next::FetchCredential(name)) => {
                    let fetched = self.fetch_credential(py, &name);
                    credential = self.take_credential(py, &mut rest, fetched)?;
                    self.put(rest);
                }
                (None, Next::Ask(_) | Next::CallAuthorizer | Next::FetchCredential(_)) => {
                    return Err(PyTypeError::new_err("a call asked after its end"));
                }
            }
        }
    }

    /// The named credential of the toolkit's source: a mapping's member, or what a callable answers.
    pub(crate) fn fetch_credential<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let source = self.state.credentials.as_ref().ok_or_else(|| PyTypeError::new_err("no credentials are configured"))?;
        let source = source.bind(py);
        if source.hasattr("__getitem__")? { source.get_item(name) } else { source.call1((name, self.context.clone_ref(py))) }
    }

    /// Keep a fetched credential, or its failure.
    pub(crate) fn take_credential(
        &self,
        py: Python<'_>,
        admission: &mut Admission,
        fetched: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        let value = fetched.and_then(|value| {
            if close_awaitable(&value)? { Err(PyTypeError::new_err("the credential can only be awaited")) } else { crate::secrets::revealed(py, value) }
        });
        match value {
            Ok(value) => {
                self.call.hide(body::secrets_of(&value));
                admission.answer_credential(Ok(()));
                Ok(Some(value.unbind()))
            }
            Err(error) if error.is_instance_of::<PyException>(py) => {
                admission.answer_credential(Err(type_name(error.value(py))));
                Ok(None)
            }
            Err(error) => {
                self.cancel(py);
                Err(error)
            }
        }
    }

    /// The call was given up before its body: what it took is given back.
    pub(crate) fn cancel(&self, py: Python<'_>) {
        drop(self.take());
        self.state.emit(py, self.call.finish(&BodyEnd::Cancelled, Asker::now()).event);
    }

    pub(crate) fn take(&self) -> Option<Admission> {
        self.admission.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }

    pub(crate) fn put(&self, admission: Admission) {
        *self.admission.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(admission);
    }
}

impl Guarded {
    pub(crate) fn asker(&self) -> PyResult<&Asker> {
        match &self.authorizer {
            Authorizer::Engine(asker) => Ok(asker),
            Authorizer::Callable(_) | Authorizer::None => Err(PyTypeError::new_err("this tool asks no engine before its body")),
        }
    }

    pub(crate) fn call_authorizer<'py>(&self, py: Python<'py>, context: &Py<CallContext>) -> PyResult<Bound<'py, PyAny>> {
        self.authorizer_callable(py)?.call1((context.clone_ref(py),))
    }

    pub(crate) fn authorizer_callable<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        match &self.authorizer {
            Authorizer::Callable(callable) => Ok(callable.bind(py)),
            Authorizer::Engine(_) | Authorizer::None => Err(PyTypeError::new_err("this tool has no authorizer of its own")),
        }
    }
}
