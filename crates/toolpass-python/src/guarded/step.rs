//! A call of an async tool between its awaits: what to await, what to do with the answer, and the body's end.
//!
//! The face drives it in one small loop (`toolpass._tool`); nothing is decided there.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use toolpass_guard::call::Call;
use toolpass_guard::pipeline::{Admission, Next};

use super::{Guarded, Opened, body};
use crate::decision::of_foreign;
use crate::engine::{Answer, Asker};

/// A call of an async tool, at one point.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Step {
    guarded: Py<Guarded>,
    opened: Arc<Opened>,
    stage: Mutex<Stage>,
}

enum Stage {
    /// Its body is over, or it was taken up elsewhere.
    Done,
    /// It is refused, and `on_refuse` gave an answer.
    Answered(Py<PyAny>),
    /// Its body may run.
    Ready { call: Arc<Call>, entered: body::Entered, credential: Option<Py<PyAny>> },
    /// Something must be awaited first.
    Waiting { admission: Admission, asked: Asked, awaitable: Py<PyAny>, credential: Option<Py<PyAny>> },
}

enum Asked {
    Authorizer,
    Credential,
    Decision,
}

#[pymethods]
impl Step {
    /// What to await before `resume`; `None` when nothing is.
    #[getter]
    fn awaitable(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &*self.stage() {
            Stage::Waiting { awaitable, .. } => Some(awaitable.clone_ref(py)),
            Stage::Answered(_) | Stage::Done | Stage::Ready { .. } => None,
        }
    }

    /// Whether the call was refused and `on_refuse` answered: then `value` is the result.
    #[getter]
    fn answered(&self) -> bool {
        matches!(&*self.stage(), Stage::Answered(_))
    }

    /// What `on_refuse` answered.
    #[getter]
    fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &*self.stage() {
            Stage::Answered(value) => Some(value.clone_ref(py)),
            Stage::Done | Stage::Ready { .. } | Stage::Waiting { .. } => None,
        }
    }

    /// The keyword arguments the body is called with.
    fn keywords<'py>(&self, py: Python<'py>, kwargs: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        match &*self.stage() {
            Stage::Ready { credential: Some(credential), .. } => body::with_credential(py, kwargs, credential.clone_ref(py)),
            Stage::Answered(_) | Stage::Done | Stage::Ready { .. } | Stage::Waiting { .. } => Ok(kwargs.clone()),
        }
    }

    /// Go on with what was awaited.
    fn resume(&self, py: Python<'_>, answer: &Bound<'_, PyAny>) -> PyResult<Step> {
        self.go_on(py, Ok(answer.clone()))
    }

    /// Go on although the awaited raised; what is no `Exception` ends the call as cancelled and is raised again.
    fn fail(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<Step> {
        let error = PyErr::from_value(error.clone());
        if !error.is_instance_of::<PyException>(py) {
            *self.stage() = Stage::Done;
            self.opened.cancel(py);
            return Err(error);
        }
        self.go_on(py, Err(error))
    }

    /// The body returned: what the caller gets.
    fn returned(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let value = body::collected_async(value);
        let call = self.leave(py)?;
        let outcome = match value {
            Ok(value) => body::finish_returned(py, &self.opened, &call, &value),
            Err(error) => (Err(error), None),
        };
        body::conclude(self.guarded.get(), py, &self.opened, &call, outcome)
    }

    /// The body raised: what the caller gets, or the exception to raise.
    fn raised(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let call = self.leave(py)?;
        body::conclude(self.guarded.get(), py, &self.opened, &call, (Err(PyErr::from_value(error.clone())), Some(())))
    }
}

impl Step {
    /// Go as far as possible without awaiting.
    pub(crate) fn advance(guarded: &Bound<'_, Guarded>, opened: Opened) -> PyResult<Step> {
        let admission = opened.take().ok_or_else(|| PyTypeError::new_err("this call was begun already"))?;
        let step = Step { guarded: guarded.clone().unbind(), opened: Arc::new(opened), stage: Mutex::new(Stage::Done) };
        step.run(guarded.py(), admission, None)
    }

    fn run(self, py: Python<'_>, admission: Admission, mut credential: Option<Py<PyAny>>) -> PyResult<Step> {
        let mut admission = admission;
        loop {
            let (rest, next) = admission.next();
            let (rest, asked, awaitable) = match (rest, next) {
                (_, Next::Run(permit)) => {
                    let call = permit.enter();
                    let entered = body::Entered::enter(py, &self.opened)?;
                    return Ok(self.at(Stage::Ready { call, entered, credential }));
                }
                (_, Next::Refuse(refusal)) => {
                    let finished = self.opened.call.refuse(refusal, Asker::now());
                    let value = self.guarded.get().answer_refusal(py, &self.opened.state, finished)?;
                    return Ok(self.at(Stage::Answered(value)));
                }
                (Some(mut rest), Next::Ask(question)) => match self.guarded.get().asker()?.ask_soon(py, &question)? {
                    Answer::Now(decision) => {
                        rest.answer_decision(&decision, Asker::now());
                        admission = rest;
                        continue;
                    }
                    Answer::Later(awaitable) => (rest, Asked::Decision, awaitable),
                },
                (Some(rest), Next::CallAuthorizer) => (rest, Asked::Authorizer, self.start_authorizer(py)?),
                (Some(mut rest), Next::FetchCredential(name)) => match self.start_credential(py, &name) {
                    Ok(Some(awaitable)) => (rest, Asked::Credential, awaitable),
                    Ok(None) => {
                        let fetched = self.opened.fetch_credential(py, &name);
                        credential = self.opened.take_credential(py, &mut rest, fetched)?;
                        admission = rest;
                        continue;
                    }
                    Err(error) => {
                        credential = self.opened.take_credential(py, &mut rest, Err(error))?;
                        admission = rest;
                        continue;
                    }
                },
                (None, Next::Ask(_) | Next::CallAuthorizer | Next::FetchCredential(_)) => {
                    return Err(PyTypeError::new_err("a call asked after its end"));
                }
            };
            return Ok(self.at(Stage::Waiting { admission: rest, asked, awaitable: awaitable.unbind(), credential }));
        }
    }

    fn go_on(&self, py: Python<'_>, answer: PyResult<Bound<'_, PyAny>>) -> PyResult<Step> {
        let Stage::Waiting { mut admission, asked, credential, .. } = std::mem::replace(&mut *self.stage(), Stage::Done) else {
            return Err(PyTypeError::new_err("this call waits for nothing"));
        };
        let mut credential = credential;
        match asked {
            Asked::Authorizer => admission.answer_authorizer(&Guarded::read_authorizer(answer)?),
            Asked::Credential => credential = self.opened.take_credential(py, &mut admission, answer)?,
            Asked::Decision => match answer {
                Ok(answer) => admission.answer_decision(&of_foreign(&answer), Asker::now()),
                Err(error) => admission.answer_decision(&Asker::crashed(py, &error), Asker::now()),
            },
        }
        let next = Step { guarded: self.guarded.clone_ref(py), opened: Arc::clone(&self.opened), stage: Mutex::new(Stage::Done) };
        next.run(py, admission, credential)
    }

    /// An async authorizer's awaitable, or an ordinary one in a worker thread under a copy of the context.
    fn start_authorizer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        in_thread_or_awaited(self.guarded.get().authorizer_callable(py)?, (self.opened.context.clone_ref(py),).into_pyobject(py)?)
    }

    /// A callable source's awaitable; `None` for a mapping, which is looked up at once.
    fn start_credential<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(source) = self.opened.state.credentials.as_ref() else { return Ok(None) };
        let source = source.bind(py);
        if source.hasattr("__getitem__")? {
            return Ok(None);
        }
        in_thread_or_awaited(source, (name, self.opened.context.clone_ref(py)).into_pyobject(py)?).map(Some)
    }

    /// The body is over: put the context back.
    fn leave(&self, py: Python<'_>) -> PyResult<Arc<Call>> {
        match std::mem::replace(&mut *self.stage(), Stage::Done) {
            Stage::Ready { call, entered, .. } => {
                entered.leave(py);
                Ok(call)
            }
            Stage::Answered(_) | Stage::Done | Stage::Waiting { .. } => Err(PyTypeError::new_err("this call's body does not run")),
        }
    }

    fn at(self, stage: Stage) -> Step {
        *self.stage() = stage;
        self
    }

    fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Call an async function for its awaitable; run an ordinary one in a worker thread.
fn in_thread_or_awaited<'py>(callable: &Bound<'py, PyAny>, arguments: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    static START: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    START.import(callable.py(), "toolpass._context", "start_callable")?.call1((callable, arguments))
}
