//! Who answers a guard's questions: our engine in this process, or any object with a `check`.

use std::sync::{Arc, LazyLock};

use pyo3::exceptions::{PyBaseException, PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision as Core;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::{Resource, Visibility};
use toolpass_engine::engine::TooMany;
use toolpass_http::clock::SystemClock;
use toolpass_local::addresses::Looked;
use toolpass_wire::observe::{Served, Systems};
use toolpass_wire::request::WireRequest;

use super::{Behind, Toolpass};
use crate::bridge::ready;
use crate::decision::{Decision, of_foreign};
use crate::runtime;
use crate::value::type_name;

/// An engine.
pub(crate) enum Asker {
    /// Any object with a callable `check`.
    Foreign(Py<PyAny>),
    /// The engine in this process.
    Native(Py<Toolpass>),
}

/// A decision, and what an engine raised instead of one.
pub(crate) struct Said {
    pub(crate) decision: Core,
    pub(crate) raised: Option<PyErr>,
}

impl From<Core> for Said {
    fn from(decision: Core) -> Said {
        Said {
            decision,
            raised: None,
        }
    }
}

/// An answer now, or something to await for it.
pub(crate) enum Answer<'py, D = Core> {
    /// Now.
    Now(D),
    /// An awaitable of a `Decision`, or of a list of them.
    Later(Bound<'py, PyAny>),
}

/// A pointer to be looked up.
pub(crate) struct Lookup {
    pub(crate) connection: String,
    pub(crate) freshness: Freshness,
    pub(crate) pointer: Pointer,
}

/// Where a pointer leads, as an awaited value.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Found(pub(crate) Result<Option<Resource>, Core>);

/// Who can read a resource, as an awaited value.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Seen(pub(crate) Result<Option<Visibility>, Core>);

/// What a server told of its connections.
pub(crate) type Told = Result<Arc<Systems>, Core>;

/// A server that told nothing yet.
type Untold<'s> = (&'s Toolpass, Arc<toolpass_local::served::Served>);

/// What a server told, as an awaited value.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Endpoints(pub(crate) Told);

impl Endpoints {
    /// What was awaited.
    /// Errors: `TypeError` for anything else.
    pub(crate) fn read(awaited: &Bound<'_, PyAny>) -> PyResult<Told> {
        Ok(awaited.cast::<Endpoints>()?.get().0.clone())
    }
}

/// What a request is, as an awaited value.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Named(pub(crate) Result<Served, Core>);

impl Named {
    fn object(py: Python<'_>, answer: Result<Served, Core>) -> PyResult<Py<PyAny>> {
        Ok(Bound::new(py, Named(answer))?.into_any().unbind())
    }
}

impl Seen {
    fn object(py: Python<'_>, answer: Result<Option<Visibility>, Core>) -> PyResult<Py<PyAny>> {
        Ok(Bound::new(py, Seen(answer))?.into_any().unbind())
    }
}

impl Found {
    fn object(py: Python<'_>, answer: Result<Option<Resource>, Core>) -> PyResult<Py<PyAny>> {
        Ok(Bound::new(py, Found(answer))?.into_any().unbind())
    }
}

static CLOCK: LazyLock<Arc<SystemClock>> = LazyLock::new(|| Arc::new(SystemClock));

/// The clock of this process.
pub(crate) fn clock() -> Arc<dyn Clock> {
    CLOCK.clone()
}

impl Asker {
    /// The engine behind a Python object.
    pub(crate) fn of(engine: &Bound<'_, PyAny>) -> Asker {
        match engine.cast::<Toolpass>() {
            Ok(native) => Asker::Native(native.clone().unbind()),
            Err(_) => Asker::Foreign(engine.clone().unbind()),
        }
    }

    /// The present moment.
    pub(crate) fn now() -> Monotonic {
        CLOCK.monotonic()
    }

    /// The present moment, for audit events.
    pub(crate) fn wall() -> Wall {
        CLOCK.wall()
    }

    /// What the engine in this process answers without anybody being asked.
    pub(crate) fn known(&self, question: &Question) -> PyResult<Option<Core>> {
        match self {
            Asker::Native(engine) => Ok(engine.get().engine()?.try_cached(question)),
            Asker::Foreign(_) => Ok(None),
        }
    }

    /// Ask, waiting for the answer. An engine that raises has not answered; what is no `Exception` is raised.
    pub(crate) fn ask(&self, py: Python<'_>, question: &Question) -> PyResult<Said> {
        match self {
            Asker::Native(engine) => engine.get().ask(py, question).map(Said::from),
            Asker::Foreign(engine) if !takes_facts(engine.bind(py), "check", question) => {
                Ok(cannot_be_told().into())
            }
            Asker::Foreign(engine) => match call(engine.bind(py), "check", question) {
                Ok(answer) => Ok(of_foreign(&answer).into()),
                Err(error) if error.is_instance_of::<PyException>(py) => {
                    Ok(Asker::crashed(py, error))
                }
                Err(error) => Err(error),
            },
        }
    }

    /// Ask several questions at once, waiting for all answers. An engine of the application's is asked one after the other, up to
    /// the first that is no allow.
    pub(crate) fn ask_many(&self, py: Python<'_>, questions: &[Question]) -> PyResult<Vec<Said>> {
        if let Asker::Native(engine) = self {
            let toolpass = engine.get();
            let engine = toolpass.engine()?;
            let decisions = match engine.try_cached_many(questions) {
                Some(decisions) => decisions,
                None => toolpass
                    .wait(py, engine.check_many(questions, None))?
                    .map_err(|error| PyValueError::new_err(error.to_string()))?,
            };
            return Ok(decisions.into_iter().map(Said::from).collect());
        }
        let mut all = Vec::with_capacity(questions.len());
        for question in questions {
            let said = self.ask(py, question)?;
            let is_allow = said.decision.outcome() == Outcome::Allow;
            all.push(said);
            if !is_allow {
                break;
            }
        }
        Ok(all)
    }

    /// Ask several questions at once without blocking the loop: an awaitable of a list of answers, and of exceptions in the place
    /// of answers, see [`said_many`].
    pub(crate) fn ask_many_soon<'py>(
        &self,
        py: Python<'py>,
        questions: &Arc<[Question]>,
    ) -> PyResult<Answer<'py, Vec<Core>>> {
        match self {
            Asker::Native(engine) => {
                let toolpass = engine.get();
                let engine = toolpass.engine()?;
                if let Some(decisions) = engine.try_cached_many(questions) {
                    return Ok(Answer::Now(decisions));
                }
                let questions = Arc::clone(questions);
                let asked = async move { engine.check_many(&questions, None).await };
                let finish = |py: Python<'_>, answered: Result<Vec<Core>, TooMany>| {
                    let decisions =
                        answered.map_err(|error| PyValueError::new_err(error.to_string()))?;
                    let objects = decisions
                        .into_iter()
                        .map(|decision| Decision::object(py, decision));
                    Ok(PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)?
                        .into_any()
                        .unbind())
                };
                toolpass.awaitable(py, asked, finish).map(Answer::Later)
            }
            Asker::Foreign(engine) => {
                let asked = questions
                    .iter()
                    .map(|question| parts(py, question))
                    .collect::<PyResult<Vec<_>>>()?;
                py.import("toolpass._context")?
                    .call_method1("ask_all", (engine.bind(py), asked))
                    .map(Answer::Later)
            }
        }
    }

    /// Ask without blocking the loop.
    pub(crate) fn ask_soon<'py>(
        &self,
        py: Python<'py>,
        question: &Question,
    ) -> PyResult<Answer<'py>> {
        match self {
            Asker::Native(engine) => {
                let toolpass = engine.get();
                let engine = toolpass.engine()?;
                if let Some(decision) = engine.try_cached(question) {
                    return Ok(Answer::Now(decision));
                }
                let question = question.clone();
                toolpass
                    .awaitable(
                        py,
                        async move { engine.check(&question).await },
                        Decision::object,
                    )
                    .map(Answer::Later)
            }
            Asker::Foreign(engine) => {
                let engine = engine.bind(py);
                let method = if engine.hasattr("acheck")? {
                    "acheck"
                } else {
                    "check"
                };
                if !takes_facts(engine, method, question) {
                    return Ok(Answer::Now(cannot_be_told()));
                }
                let start = if method == "acheck" {
                    "start_awaitable"
                } else {
                    "start_callable"
                };
                let (arguments, keywords) = parts(py, question)?;
                let start = py.import("toolpass._context")?.getattr(start)?;
                start
                    .call1((engine.getattr(method)?, arguments, keywords))
                    .map(Answer::Later)
            }
        }
    }

    /// Look up where a pointer leads, waiting for it.
    pub(crate) fn resolve(
        &self,
        py: Python<'_>,
        lookup: Lookup,
    ) -> PyResult<Result<Option<Resource>, Core>> {
        match self {
            Asker::Native(engine) => {
                let toolpass = engine.get();
                let engine = toolpass.engine()?;
                toolpass.wait(py, async move {
                    engine
                        .resolve(&lookup.connection, &lookup.pointer, lookup.freshness)
                        .await
                })
            }
            Asker::Foreign(_) => Ok(Err(cannot_resolve())),
        }
    }

    /// The same without blocking the loop: an awaitable of a [`Found`].
    pub(crate) fn resolve_soon<'py>(
        &self,
        py: Python<'py>,
        lookup: Lookup,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Asker::Native(engine) => {
                let toolpass = engine.get();
                let engine = toolpass.engine()?;
                toolpass.awaitable(
                    py,
                    async move {
                        engine
                            .resolve(&lookup.connection, &lookup.pointer, lookup.freshness)
                            .await
                    },
                    Found::object,
                )
            }
            Asker::Foreign(_) => ready(py, Found::object(py, Err(cannot_resolve()))),
        }
    }

    /// Find out who can read a resource, waiting for it.
    pub(crate) fn see(
        &self,
        py: Python<'_>,
        connection: String,
        resource: Resource,
    ) -> PyResult<Result<Option<Visibility>, Core>> {
        match self {
            Asker::Native(engine) => {
                let toolpass = engine.get();
                let engine = toolpass.engine()?;
                toolpass.wait(py, async move {
                    engine.visibility(&connection, &resource).await
                })
            }
            Asker::Foreign(_) => Ok(Err(cannot_resolve())),
        }
    }

    /// The same without blocking the loop: an awaitable of a [`Seen`].
    pub(crate) fn see_soon<'py>(
        &self,
        py: Python<'py>,
        connection: String,
        resource: Resource,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Asker::Native(engine) => {
                let toolpass = engine.get();
                let engine = toolpass.engine()?;
                toolpass.awaitable(
                    py,
                    async move { engine.visibility(&connection, &resource).await },
                    Seen::object,
                )
            }
            Asker::Foreign(_) => ready(py, Seen::object(py, Err(cannot_resolve()))),
        }
    }

    /// The systems that the server told, waiting for them when it was not asked yet.
    pub(crate) fn endpoints(&self, py: Python<'_>) -> PyResult<Told> {
        match self.told(py)? {
            Ok(systems) => Ok(Ok(systems)),
            Err(Some((toolpass, served))) => toolpass.wait(py, async move { served.told().await }),
            Err(None) => Ok(Err(tells_none())),
        }
    }

    /// The same without blocking the loop: an awaitable of a [`Endpoints`].
    pub(crate) fn endpoints_soon<'py>(&self, py: Python<'py>) -> PyResult<Answer<'py, Told>> {
        match self.told(py)? {
            Ok(systems) => Ok(Answer::Now(Ok(systems))),
            Err(Some((toolpass, served))) => toolpass
                .awaitable(py, async move { served.told().await }, |py, told| {
                    Ok(Bound::new(py, Endpoints(told))?.into_any().unbind())
                })
                .map(Answer::Later),
            Err(None) => Ok(Answer::Now(Err(tells_none()))),
        }
    }

    /// The systems that are known; asked for again, without anybody waiting, when it is time. Else whom to ask.
    fn told<'s>(&'s self, py: Python<'s>) -> PyResult<Result<Arc<Systems>, Option<Untold<'s>>>> {
        let Asker::Native(engine) = self else {
            return Ok(Err(None));
        };
        let toolpass = engine.bind(py).get();
        let Behind::There(served) = toolpass.engine()? else {
            return Ok(Err(None));
        };
        let Some(systems) = served.systems() else {
            return Ok(Err(Some((toolpass, served))));
        };
        if served.is_due() {
            runtime::runtime()?.spawn(async move { served.refresh().await });
        }
        Ok(Ok(systems))
    }

    /// Have a request named by the server, waiting for it.
    pub(crate) fn observe(
        &self,
        py: Python<'_>,
        request: Arc<WireRequest>,
        systems: Arc<Systems>,
    ) -> PyResult<Result<Served, Core>> {
        match self.server()? {
            Some((toolpass, served)) => toolpass.get().wait(py, async move {
                served.remote().observe(&request, &systems).await
            }),
            None => Ok(Err(tells_none())),
        }
    }

    /// The same without blocking the loop: an awaitable of a [`Named`].
    pub(crate) fn observe_soon<'py>(
        &self,
        py: Python<'py>,
        request: Arc<WireRequest>,
        systems: Arc<Systems>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.server()? {
            Some((toolpass, served)) => toolpass.get().awaitable(
                py,
                async move { served.remote().observe(&request, &systems).await },
                Named::object,
            ),
            None => ready(py, Named::object(py, Err(tells_none()))),
        }
    }

    /// Until when the addresses of these systems are known; nothing where they are the toolkit's own.
    pub(crate) fn looked(&self, systems: &Arc<Systems>) -> PyResult<Option<Arc<Looked>>> {
        Ok(self.server()?.map(|(_, served)| served.looked(systems)))
    }

    fn server(&self) -> PyResult<Option<(&Py<Toolpass>, Arc<toolpass_local::served::Served>)>> {
        let Asker::Native(engine) = self else {
            return Ok(None);
        };
        match engine.get().engine()? {
            Behind::There(served) => Ok(Some((engine, served))),
            Behind::Here(_) => Ok(None),
        }
    }

    /// What an engine that raised has answered: nothing.
    pub(crate) fn crashed(py: Python<'_>, error: PyErr) -> Said {
        let decision = Core::unknown(
            Code::UpstreamError,
            format!("the engine raised {}", type_name(error.value(py))),
        );
        Said {
            decision,
            raised: Some(error),
        }
    }
}

/// Why nothing is told by an engine that is no server's.
fn tells_none() -> Core {
    Core::unknown(Code::NotConfigured, "this engine tells of no connections")
}

/// What was awaited of [`Asker::ask_many_soon`].
/// Errors: what was raised that is no `Exception`.
pub(crate) fn said_many(answers: &Bound<'_, PyAny>) -> PyResult<Vec<Said>> {
    let py = answers.py();
    let said = |answer: PyResult<Bound<'_, PyAny>>| {
        let answer = answer?;
        if !answer.is_instance_of::<PyBaseException>() {
            return Ok(of_foreign(&answer).into());
        }
        let error = PyErr::from_value(answer);
        if error.is_instance_of::<PyException>(py) {
            Ok(Asker::crashed(py, error))
        } else {
            Err(error)
        }
    };
    answers.try_iter()?.map(said).collect()
}

fn cannot_resolve() -> Core {
    Core::unknown(Code::NotConfigured, "this engine looks nothing up by id")
}

fn cannot_be_told() -> Core {
    Core::unknown(
        Code::NotConfigured,
        "the request says more than its resource, and this engine's `check` takes no `facts=`",
    )
}

/// Whether an engine can be told all of a question. One that cannot would decide a weaker one.
fn takes_facts(engine: &Bound<'_, PyAny>, method: &str, question: &Question) -> bool {
    question.facts.is_empty() || accepts_facts(engine, method).unwrap_or(false)
}

fn accepts_facts(engine: &Bound<'_, PyAny>, method: &str) -> PyResult<bool> {
    let inspect = engine.py().import("inspect")?;
    let signature = inspect.call_method1("signature", (engine.getattr(method)?,))?;
    let any_name = inspect.getattr("Parameter")?.getattr("VAR_KEYWORD")?;
    for pair in signature
        .getattr("parameters")?
        .call_method0("items")?
        .try_iter()?
    {
        let (name, parameter): (String, Bound<'_, PyAny>) = pair?.extract()?;
        if name == "facts" || parameter.getattr("kind")?.eq(&any_name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn call<'py>(
    engine: &Bound<'py, PyAny>,
    method: &str,
    question: &Question,
) -> PyResult<Bound<'py, PyAny>> {
    let (arguments, keywords) = parts(engine.py(), question)?;
    engine.call_method(method, arguments, Some(&keywords))
}

type Positional<'py> = Bound<'py, pyo3::types::PyTuple>;

fn parts<'py>(
    py: Python<'py>,
    question: &Question,
) -> PyResult<(Positional<'py>, Bound<'py, PyDict>)> {
    let keywords = PyDict::new(py);
    keywords.set_item("fresh", question.freshness.fresh)?;
    if let Some(token) = &question.token {
        keywords.set_item("token", String::from_utf8_lossy(token.expose()))?;
    }
    if !question.facts.is_empty() {
        keywords.set_item("facts", &question.facts)?;
    }
    let groups = (!question.groups.is_empty()).then(|| question.groups.clone());
    let arguments = (
        &question.user,
        &question.connection,
        &question.action,
        &question.resource,
        groups,
    )
        .into_pyobject(py)?;
    Ok((arguments, keywords))
}
