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

use super::handles::Given;
use super::opened::asked_too_late;
use super::result::collected;
use super::{Closing, Guarded, Opened, body};
use crate::credential::Source;
use crate::decision::of_foreign;
use crate::engine::{Answer, Asker, Endpoints, said_many};
use crate::keeper::FromStore;
use crate::unattributed::Awaited;

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
    Ready {
        call: Arc<Call>,
        entered: body::Entered,
        credential: Option<Py<PyAny>>,
    },
    /// Something must be awaited first.
    Waiting {
        admission: Admission,
        asked: Asked,
        awaitable: Py<PyAny>,
        awaited: Awaited,
        credential: Option<Py<PyAny>>,
    },
}

enum Asked {
    Authorizer,
    Credential,
    Decision,
    Endpoints,
    Entitled,
    Place,
    Session,
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

    /// The positions and keywords the body is called with.
    fn arguments<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Given<'py>> {
        let (args, kwargs) = self.opened.given(args, kwargs);
        match &*self.stage() {
            Stage::Ready {
                credential: Some(credential),
                ..
            } => {
                let kwargs = body::with_credential(&kwargs, credential.clone_ref(args.py()))?;
                Ok((args, kwargs))
            }
            Stage::Answered(_) | Stage::Done | Stage::Ready { .. } | Stage::Waiting { .. } => {
                Ok((args, kwargs))
            }
        }
    }

    /// Go on with what was awaited.
    fn resume(&self, py: Python<'_>, answer: &Bound<'_, PyAny>) -> PyResult<Step> {
        self.go_on(py, Ok(answer.clone()))
    }

    /// Go on although the awaited raised; what is no `Exception` ends the call as cancelled and is raised again.
    fn fail(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<Step> {
        let error = PyErr::from_value(error.clone());
        if error.is_instance_of::<PyException>(py) {
            return self.go_on(py, Err(error));
        }
        // Dropping the admission gives back what the call took.
        if let Stage::Waiting { awaited, .. } = std::mem::replace(&mut *self.stage(), Stage::Done) {
            awaited.end(py);
        }
        Err(self.opened.cancelled(py, error))
    }

    /// The body returned: what the caller gets, or a `Closing` to be awaited first.
    fn returned(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let ended = collected(value.clone());
        let call = self.leave(py)?;
        Closing::begin(py, &self.opened, call, ended)
    }

    /// The body raised: what the caller gets, the exception to raise, or a `Closing` to be awaited first.
    fn raised(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let call = self.leave(py)?;
        let ended = body::Ended::Raised(PyErr::from_value(error.clone()));
        Closing::begin(py, &self.opened, call, ended)
    }
}

impl Step {
    /// Go as far as possible without awaiting.
    pub(super) fn begin(guarded: &Bound<'_, Guarded>, opened: Opened) -> PyResult<Step> {
        let admission = opened.take()?;
        let step = Step {
            guarded: guarded.clone().unbind(),
            opened: Arc::new(opened),
            stage: Mutex::new(Stage::Done),
        };
        step.run(guarded.py(), admission, None)
    }

    fn run(
        self,
        py: Python<'_>,
        admission: Admission,
        mut credential: Option<Py<PyAny>>,
    ) -> PyResult<Step> {
        let mut admission = admission;
        loop {
            let (rest, next) = self.opened.next(py, admission);
            let (rest, asked, awaitable) = match (rest, next) {
                (_, Next::Run(permit)) => {
                    let entered = body::Entered::enter(py, &self.opened)?;
                    let call = permit.enter();
                    return Ok(self.at(Stage::Ready {
                        call,
                        entered,
                        credential,
                    }));
                }
                (_, Next::Refuse(refusal)) => {
                    let value = self.opened.refuse(py, refusal)?;
                    return Ok(self.at(Stage::Answered(value)));
                }
                (Some(mut rest), Next::Ask(question)) => {
                    let authorizer = &self.guarded.get().authorizer;
                    let asked = authorizer
                        .engine()
                        .and_then(|engine| engine.ask_soon(py, &question));
                    match asked {
                        Ok(Answer::Now(decision)) => {
                            rest.answer_decision(&decision, Asker::now());
                            admission = rest;
                            continue;
                        }
                        Ok(Answer::Later(awaitable)) => (rest, Asked::Decision, awaitable),
                        Err(error) => {
                            admission = self.opened.not_answered(py, rest, error)?;
                            continue;
                        }
                    }
                }
                (Some(mut rest), Next::AskEntitled(questions)) => {
                    let engine = self.opened.engine();
                    match engine.and_then(|engine| engine.ask_many_soon(py, &questions)) {
                        Ok(Answer::Now(decisions)) => {
                            rest.answer_entitled(&decisions, Asker::now());
                            admission = rest;
                            continue;
                        }
                        Ok(Answer::Later(awaitable)) => (rest, Asked::Entitled, awaitable),
                        Err(error) => {
                            admission = self.opened.not_answered(py, rest, error)?;
                            continue;
                        }
                    }
                }
                (Some(rest), Next::CallAuthorizer) => match self.start_authorizer(py) {
                    Ok(awaitable) => (rest, Asked::Authorizer, awaitable),
                    Err(error) => {
                        admission = self.opened.not_answered(py, rest, error)?;
                        continue;
                    }
                },
                (Some(rest), Next::FetchCredential(name)) => match self.start_credential(py, &name)
                {
                    Ok(Some(awaitable)) => (rest, Asked::Credential, awaitable),
                    answered => {
                        let fetched =
                            answered.and_then(|_| self.opened.fetch_credential(py, &name));
                        admission = self.opened.take_credential(
                            self.guarded.get(),
                            rest,
                            fetched,
                            &mut credential,
                        )?;
                        continue;
                    }
                },
                (Some(rest), next @ (Next::FindAudience | Next::FindReaders)) => {
                    admission = self
                        .opened
                        .take_names(py, self.guarded.get(), rest, &next)?;
                    continue;
                }
                (Some(rest), Next::Audit) => {
                    admission = self.opened.announce(py, rest)?;
                    continue;
                }
                (Some(rest), Next::Endpoints) => {
                    let engine = self.opened.engine();
                    match engine.and_then(|engine| engine.endpoints_soon(py)) {
                        Ok(Answer::Later(awaitable)) => (rest, Asked::Endpoints, awaitable),
                        Ok(Answer::Now(told)) => {
                            admission = self.opened.take_endpoints(py, rest, Ok(told))?;
                            continue;
                        }
                        Err(error) => {
                            admission = self.opened.not_answered(py, rest, error)?;
                            continue;
                        }
                    }
                }
                (Some(rest), Next::Place(session)) => {
                    let keeper = self.opened.keeper();
                    match keeper.and_then(|keeper| keeper.place_soon(py, &session)) {
                        Ok(awaitable) => (rest, Asked::Place, awaitable),
                        Err(error) => {
                            admission = self.opened.not_answered(py, rest, error)?;
                            continue;
                        }
                    }
                }
                (Some(rest), Next::Session(place, operation)) => {
                    let keeper = self.opened.keeper();
                    match keeper.and_then(|keeper| keeper.apply_soon(py, &place, &operation)) {
                        Ok(awaitable) => (rest, Asked::Session, awaitable),
                        Err(error) => {
                            admission = self.opened.not_answered(py, rest, error)?;
                            continue;
                        }
                    }
                }
                (None, _) => {
                    return Err(asked_too_late());
                }
            };
            return Ok(self.at(Stage::Waiting {
                admission: rest,
                asked,
                awaitable: awaitable.unbind(),
                awaited: Awaited::begin(py)?,
                credential,
            }));
        }
    }

    fn go_on(&self, py: Python<'_>, answer: PyResult<Bound<'_, PyAny>>) -> PyResult<Step> {
        let Stage::Waiting {
            admission,
            asked,
            credential,
            awaited,
            ..
        } = std::mem::replace(&mut *self.stage(), Stage::Done)
        else {
            return Err(PyTypeError::new_err("this call waits for nothing"));
        };
        awaited.end(py);
        let (mut admission, mut credential) = (admission, credential);
        match asked {
            Asked::Authorizer => admission = self.opened.take_authorizer(py, admission, answer)?,
            Asked::Credential => {
                admission = self.opened.take_credential(
                    self.guarded.get(),
                    admission,
                    answer,
                    &mut credential,
                )?
            }
            Asked::Decision => {
                let said = match answer {
                    Ok(answer) => of_foreign(&answer).into(),
                    Err(error) => Asker::crashed(py, error),
                };
                admission = self.opened.take_decision(py, admission, Ok(said))?;
            }
            Asked::Endpoints => {
                let told = answer.and_then(|told| Endpoints::read(&told));
                admission = self.opened.take_endpoints(py, admission, told)?;
            }
            Asked::Entitled => {
                let said = answer.and_then(|answers| said_many(&answers));
                admission = self.opened.take_entitled(py, admission, said)?;
            }
            Asked::Place => {
                let place = FromStore::place(py, answer);
                admission = self.opened.take_place(py, admission, place)?;
            }
            Asked::Session => {
                let answered = FromStore::answer(py, answer);
                admission = self.opened.take_session(py, admission, answered)?;
            }
        }
        let next = Step {
            guarded: self.guarded.clone_ref(py),
            opened: Arc::clone(&self.opened),
            stage: Mutex::new(Stage::Done),
        };
        next.run(py, admission, credential)
    }

    /// An async authorizer's awaitable, or an ordinary one in a worker thread under a copy of the context.
    fn start_authorizer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let callable = self.guarded.get().authorizer.callable(py)?;
        start(
            callable,
            (self.opened.context.clone_ref(py),).into_pyobject(py)?,
        )
    }

    /// A callable source's awaitable; `None` for a mapping, which is looked up at once.
    fn start_credential<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.opened.state.credentials {
            Some(Source::Callable(source)) => start(
                source.bind(py),
                (name, self.opened.context.clone_ref(py)).into_pyobject(py)?,
            )
            .map(Some),
            Some(Source::Mapping(_)) | None => Ok(None),
        }
    }

    /// The body is over: put the context back.
    fn leave(&self, py: Python<'_>) -> PyResult<Arc<Call>> {
        match std::mem::replace(&mut *self.stage(), Stage::Done) {
            Stage::Ready { call, entered, .. } => {
                entered.leave(py, &self.opened);
                Ok(call)
            }
            Stage::Answered(_) | Stage::Done | Stage::Waiting { .. } => {
                Err(PyTypeError::new_err("this call's body does not run"))
            }
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

/// An awaitable of what a callable answers: its own when it is async, else a worker thread's.
fn start<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    static START: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    START
        .import(callable.py(), "toolpass._context", "start_callable")?
        .call1((callable, arguments))
}
