//! After the body: asking again whether the person may do what was destructive, waiting for the answers or awaiting them.
//!
//! What is asked, and what an answer means, is the guard's (`toolpass_guard::again`). Whatever goes wrong here is no answer: the
//! body is over, and the call ends as it would have.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_guard::again::{Again, AnsweredBy};
use toolpass_guard::call::Call;
use toolpass_guard::session::stored::Operation;

use super::body::{self, Ended};
use super::result::accepted;
use super::{Guarded, Opened};
use crate::decision::of_foreign;
use crate::engine::{Answer, Asker};
use crate::keeper::FromStore;
use crate::source::Quiet;
use crate::unattributed::Awaited;
use crate::value::type_name;

/// A call of an async tool whose body is over and whose questions are still asked.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Closing {
    opened: Arc<Opened>,
    awaitable: Py<PyAny>,
    rest: Mutex<Option<(Rest, Awaited)>>,
}

struct Rest {
    call: Arc<Call>,
    left: Left,
    to_ask: Vec<Again>,
    /// What the session's store is being told.
    telling: Option<Arc<Operation>>,
    /// Whether it was told, or need not be.
    told: bool,
}

/// How the body ended, while nobody holds the interpreter.
enum Left {
    Raised(PyErr),
    Rejected(PyErr),
    Returned(Py<PyAny>),
    Unkept(PyErr),
}

impl Opened {
    /// Ask everything again, waiting.
    /// Errors: what interrupted it.
    pub(super) fn ask_again(&self, py: Python<'_>, ended: &Ended<'_>) -> PyResult<()> {
        let quiet = Quiet::default();
        for again in self.to_ask_again(py, ended) {
            quiet.begin_in_body(py)?;
            let answered = match self.engine_of(py, again.by) {
                Some(engine) => engine.ask(py, &again.question).map(|said| said.decision),
                None => Ok(nobody()),
            };
            self.take_again(py, answered)?;
        }
        Ok(())
    }

    /// What is to be asked, if somebody is told and the call was not interrupted.
    fn to_ask_again(&self, py: Python<'_>, ended: &Ended<'_>) -> Vec<Again> {
        let interrupted = match ended {
            Ended::Raised(error) | Ended::Rejected(error) | Ended::Unkept(error) => {
                !error.is_instance_of::<PyException>(py)
            }
            Ended::Returned(_) => false,
        };
        if interrupted || !self.heard {
            Vec::new()
        } else {
            self.call.to_ask_again()
        }
    }

    /// Errors: what is no `Exception`.
    fn take_again(&self, py: Python<'_>, answered: PyResult<Decision>) -> PyResult<()> {
        match answered {
            Ok(decision) => self.call.answer_again(&decision),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                self.call.answer_again(&Asker::crashed(py, error).decision);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn note_told(&self, told: Result<(), String>) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
    }

    /// Begin to tell the session's store what the body brought from outside; nothing when it need not be told.
    fn start_telling<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        ended: &Ended<'_>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Arc<Operation>)>> {
        let Some((place, operation)) = body::untold_of(py, call, ended)? else {
            return Ok(None);
        };
        let awaitable = self.keeper()?.apply_soon(py, &place, &operation)?;
        Ok(Some((awaitable, operation)))
    }

    fn engine_of<'s>(&'s self, py: Python<'s>, by: AnsweredBy) -> Option<&'s Asker> {
        match by {
            AnsweredBy::Tool => {
                let guarded: &Guarded = self.context.bind(py).get().guarded.bind(py).get();
                guarded.authorizer.engine().ok()
            }
            AnsweredBy::Toolkit => self.state.engine.as_ref(),
        }
    }
}

#[pymethods]
impl Closing {
    /// What to await.
    #[getter]
    fn awaitable(&self, py: Python<'_>) -> Py<PyAny> {
        self.awaitable.clone_ref(py)
    }

    /// Go on with what was awaited: what the caller gets, or another `Closing`.
    fn resume(&self, py: Python<'_>, answer: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.go_on(py, Ok(answer.clone()))
    }

    /// Go on although the awaited raised. What is no `Exception` ends the call and is raised again.
    fn fail(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.go_on(py, Err(PyErr::from_value(error.clone())))
    }
}

impl Closing {
    /// The body is over: what the caller gets, or something to await before.
    pub(super) fn begin(
        py: Python<'_>,
        opened: &Arc<Opened>,
        call: Arc<Call>,
        ended: Ended<'_>,
    ) -> PyResult<Py<PyAny>> {
        let to_ask = opened.to_ask_again(py, &ended);
        if to_ask.is_empty() && opened.state.keeper.is_none() {
            return body::close(py, opened, &call, ended);
        }
        let rest = Rest {
            call,
            left: Left::of(ended),
            to_ask,
            telling: None,
            told: false,
        };
        Closing::advance(py, opened, rest)
    }

    fn go_on(&self, py: Python<'_>, answered: PyResult<Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let rest = self
            .rest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let (mut rest, awaited) =
            rest.ok_or_else(|| PyTypeError::new_err("this call is closed already"))?;
        awaited.end(py);
        let taken = match rest.telling.take() {
            Some(operation) => FromStore::answer(py, answered)
                .map(|answered| self.opened.note_told(accepted(&operation, answered))),
            None => {
                let decision = answered.map(|answer| of_foreign(&answer));
                self.opened.take_again(py, decision)
            }
        };
        if let Err(interrupt) = taken {
            rest.left = Left::Raised(interrupt);
            rest.to_ask.clear();
        }
        Closing::advance(py, &self.opened, rest)
    }

    fn advance(py: Python<'_>, opened: &Arc<Opened>, mut rest: Rest) -> PyResult<Py<PyAny>> {
        while let Some(again) = rest.to_ask.pop() {
            let asked = match opened.engine_of(py, again.by) {
                Some(engine) => engine.ask_soon(py, &again.question),
                None => Ok(Answer::Now(nobody())),
            };
            let answered = match asked {
                Ok(Answer::Now(decision)) => Ok(decision),
                Ok(Answer::Later(awaitable)) => {
                    let closing = Closing {
                        opened: Arc::clone(opened),
                        awaitable: awaitable.unbind(),
                        rest: Mutex::new(Some((rest, Awaited::begin(py)?))),
                    };
                    return Ok(Bound::new(py, closing)?.into_any().unbind());
                }
                Err(error) => Err(error),
            };
            if let Err(interrupt) = opened.take_again(py, answered) {
                rest.left = Left::Raised(interrupt);
                break;
            }
        }
        let ended = rest.left.bound(py);
        if !rest.told {
            rest.told = true;
            match opened.start_telling(py, &rest.call, &ended) {
                Ok(None) => {}
                Ok(Some((awaitable, operation))) => {
                    rest.left = Left::of(ended);
                    rest.telling = Some(operation);
                    let closing = Closing {
                        opened: Arc::clone(opened),
                        awaitable: awaitable.unbind(),
                        rest: Mutex::new(Some((rest, Awaited::begin(py)?))),
                    };
                    return Ok(Bound::new(py, closing)?.into_any().unbind());
                }
                Err(error) if error.is_instance_of::<PyException>(py) => {
                    opened.note_told(Err(type_name(error.value(py))));
                }
                Err(interrupt) => {
                    return body::close(py, opened, &rest.call, Ended::Raised(interrupt));
                }
            }
        }
        body::close(py, opened, &rest.call, ended)
    }
}

impl Left {
    fn of(ended: Ended<'_>) -> Left {
        match ended {
            Ended::Raised(error) => Left::Raised(error),
            Ended::Rejected(error) => Left::Rejected(error),
            Ended::Returned(value) => Left::Returned(value.unbind()),
            Ended::Unkept(error) => Left::Unkept(error),
        }
    }

    fn bound(self, py: Python<'_>) -> Ended<'_> {
        match self {
            Left::Raised(error) => Ended::Raised(error),
            Left::Rejected(error) => Ended::Rejected(error),
            Left::Returned(value) => Ended::Returned(value.into_bound(py)),
            Left::Unkept(error) => Ended::Unkept(error),
        }
    }
}

fn nobody() -> Decision {
    Decision::unknown(Code::NotConfigured, "no engine is set up to ask")
}
