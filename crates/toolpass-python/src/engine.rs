//! `toolpass.Toolpass`: the engine in this process or behind a server, and how any engine is asked.

mod asker;
mod batch;
mod behind;
mod questions;
mod server;
mod settings;

use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use toolpass_config::config::Config;
use toolpass_config::load;
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision as Core;
use toolpass_core::question::Question;
use toolpass_engine::engine::Engine;
use toolpass_guard::settings::KnownSystems;
use toolpass_local::Which;
use toolpass_wire::observe::Systems;

use crate::bridge::{awaitable, ready};
use crate::decision::Decision;
use crate::errors;
use crate::log::Log;
use crate::runtime;

pub(crate) use asker::{
    Answer, Asker, Endpoints, Found, Lookup, Named, Said, Seen, Told, clock, said_many,
};
pub(crate) use behind::Behind;
pub(crate) use server::Server;
pub(crate) use settings::systems;

/// What becomes of an answered question.
type Finish = for<'a> fn(Python<'a>, &Question, Core) -> PyResult<Py<PyAny>>;

/// Answers questions: may this user do this action on this resource.
#[pyclass(frozen, weakref, module = "toolpass")]
pub(crate) struct Toolpass {
    made_of: MadeOf,
    log: Log,
    engine: Mutex<(u64, Behind)>,
}

/// What an engine is made of, again after a fork.
enum MadeOf {
    /// A configuration.
    Config(Box<Config>, Arc<Systems>),
    /// The way to a server.
    Server(Box<Server>),
}

impl Toolpass {
    /// The engine of this process: built anew in a forked child, whose copy of the old one has no threads.
    pub(crate) fn engine(&self) -> PyResult<Behind> {
        let generation = runtime::generation();
        let mut slot = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.0 != generation {
            let built = match &self.made_of {
                MadeOf::Config(config, _) => Behind::Here(Arc::new(build(config)?)),
                MadeOf::Server(server) => server.behind()?,
            };
            // The old engine's connections belong to threads that this process does not have.
            std::mem::forget(std::mem::replace(&mut slot.1, built));
            slot.0 = generation;
        }
        Ok(slot.1.clone())
    }

    /// Which host is which connection.
    pub(crate) fn systems(&self) -> KnownSystems {
        match &self.made_of {
            MadeOf::Config(_, systems) => KnownSystems::Known(Arc::clone(systems)),
            MadeOf::Server(_) => KnownSystems::Served,
        }
    }

    /// The way to its server; none for an engine in this process.
    pub(crate) fn way(&self) -> Option<&Server> {
        match &self.made_of {
            MadeOf::Config(..) => None,
            MadeOf::Server(server) => Some(server),
        }
    }

    /// The engine in this process.
    /// Errors: `TypeError` for one behind a server, naming what was wanted.
    fn here(&self, what: &str) -> PyResult<Arc<Engine>> {
        match self.engine()? {
            Behind::Here(engine) => Ok(engine),
            Behind::There(_) => Err(PyTypeError::new_err(format!(
                "`{what}` is for an engine in this process; ask the server's operator, or `toolpass {what}` there"
            ))),
        }
    }

    /// Ask, from the caches if they have it, else waiting with the interpreter's lock let go.
    pub(crate) fn ask(&self, py: Python<'_>, question: &Question) -> PyResult<Core> {
        let engine = self.engine()?;
        if let Some(decision) = engine.try_cached(question) {
            return Ok(decision);
        }
        self.wait(py, engine.check(question))
    }

    /// Wait for the engine, the interpreter's lock let go; its records are logged.
    pub(crate) fn wait<F>(&self, py: Python<'_>, future: F) -> PyResult<F::Output>
    where
        F: Future + Send,
        F::Output: Send,
    {
        let outcome = runtime::wait(py, self.log.over(py, future));
        self.log.drain(py);
        outcome
    }

    /// The same as something to await.
    pub(crate) fn awaitable<'py, F, D>(
        &self,
        py: Python<'py>,
        future: F,
        finish: D,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        F: Future + Send + 'static,
        F::Output: Send,
        D: for<'a> FnOnce(Python<'a>, F::Output) -> PyResult<Py<PyAny>> + Send + 'static,
    {
        let log = self.log.clone_ref(py);
        let finish = move |py: Python<'_>, output| {
            log.drain(py);
            finish(py, output)
        };
        awaitable(py, self.log.over(py, future), finish)
    }

    /// Ask without blocking the loop; `finish` makes the value or the exception.
    fn ask_soon<'py>(
        &self,
        py: Python<'py>,
        question: Question,
        finish: Finish,
    ) -> PyResult<Bound<'py, PyAny>> {
        let engine = self.engine()?;
        if let Some(decision) = engine.try_cached(&question) {
            return ready(py, finish(py, &question, decision));
        }
        let asked = async move {
            let decision = engine.check(&question).await;
            (question, decision)
        };
        self.awaitable(py, asked, move |py, (question, decision)| {
            finish(py, &question, decision)
        })
    }

    fn of(py: Python<'_>, config: Config, logger: Option<&Bound<'_, PyAny>>) -> PyResult<Toolpass> {
        let log = Log::to(py, logger)?;
        let engine = Arc::new(build(&config)?);
        let systems = Arc::new(
            toolpass_local::systems(&config)
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
        );
        Ok(Toolpass {
            made_of: MadeOf::Config(Box::new(config), systems),
            log,
            engine: Mutex::new((runtime::generation(), Behind::Here(engine))),
        })
    }
}

#[pymethods]
impl Toolpass {
    #[new]
    #[pyo3(signature = (connections=None, *, decision_cache_seconds=None, identity_cache_seconds=None, decision_log=None, logger=None))]
    fn new(
        connections: Option<&Bound<'_, PyAny>>,
        decision_cache_seconds: Option<&Bound<'_, PyAny>>,
        identity_cache_seconds: Option<&Bound<'_, PyAny>>,
        decision_log: Option<String>,
        logger: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Toolpass> {
        let Some(connections) = connections else {
            return Err(PyTypeError::new_err(
                "expected connections: `Toolpass(connections=[...])`, `Toolpass.from_config(path)`, or a server's: `Toolpass.remote(url)`",
            ));
        };
        let text = |value: Option<&Bound<'_, PyAny>>| value.map(settings::scalar_text).transpose();
        let options = load::CodeOptions {
            decision_cache_seconds: text(decision_cache_seconds)?,
            decision_log,
            identity_cache_seconds: text(identity_cache_seconds)?,
        };
        let config = load::from_values(
            settings::connections(connections)?,
            options,
            toolpass_registry::all(),
        );
        Toolpass::of(
            connections.py(),
            config.map_err(|errors| PyValueError::new_err(errors.to_string()))?,
            logger,
        )
    }

    /// An engine of a configuration file.
    #[classmethod]
    #[pyo3(signature = (path, *, logger=None))]
    fn from_config(
        class: &Bound<'_, PyType>,
        path: PathBuf,
        logger: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Toolpass> {
        let config = load::load_file(&path, toolpass_registry::all());
        Toolpass::of(
            class.py(),
            config.map_err(|errors| PyValueError::new_err(errors.to_string()))?,
            logger,
        )
    }

    /// An engine behind a server.
    #[classmethod]
    #[pyo3(signature = (url=None, api_key=None, timeout=10.0, *, ca_file=None, logger=None))]
    fn remote(
        class: &Bound<'_, PyType>,
        url: Option<&Bound<'_, PyAny>>,
        api_key: Option<&Bound<'_, PyAny>>,
        timeout: f64,
        ca_file: Option<PathBuf>,
        logger: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Toolpass> {
        let py = class.py();
        let server = Server::of(py, url, api_key, timeout, ca_file.as_deref())?;
        let engine = server.behind()?;
        Ok(Toolpass {
            made_of: MadeOf::Server(Box::new(server)),
            log: Log::to(py, logger)?,
            engine: Mutex::new((runtime::generation(), engine)),
        })
    }

    /// Whether the engine runs in this process.
    #[getter]
    fn local(&self) -> bool {
        self.way().is_none()
    }

    /// The address and the key of the server; none for an engine in this process.
    #[getter]
    fn server(&self) -> Option<(String, String)> {
        let (address, key) = self.way()?.shown();
        Some((address, key))
    }

    /// Ask a question. Answers a `Decision`; a failed look-up is `unknown`, never an exception.
    #[pyo3(signature = (*args, **kwargs))]
    fn check(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Decision> {
        let question = questions::read(args, kwargs)?;
        Ok(Decision(self.ask(py, &question)?))
    }

    /// Whether the answer is allow.
    #[pyo3(signature = (*args, **kwargs))]
    fn allowed(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        let question = questions::read(args, kwargs)?;
        Ok(self.ask(py, &question)?.outcome() == Outcome::Allow)
    }

    /// The decision when it is allow; otherwise raises `PermissionDenied`.
    #[pyo3(signature = (*args, **kwargs))]
    fn require(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let question = questions::read(args, kwargs)?;
        let decision = self.ask(py, &question)?;
        required(py, &question, decision)
    }

    /// `check` as an awaitable; the loop is never blocked.
    #[pyo3(signature = (*args, **kwargs))]
    fn acheck<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask_soon(py, questions::read(args, kwargs)?, |py, _, decision| {
            Decision::object(py, decision)
        })
    }

    /// `require` as an awaitable; the loop is never blocked.
    #[pyo3(signature = (*args, **kwargs))]
    fn arequire<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask_soon(py, questions::read(args, kwargs)?, required)
    }

    /// Ask many questions at once: `Decision`s in the order of the items, which are mappings or tuples. At most 100.
    #[pyo3(signature = (items, *, timeout=None))]
    fn check_many(
        &self,
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let (questions, patience) = (batch::read(items)?, batch::patience(timeout)?);
        let engine = self.engine()?;
        let decisions = self.wait(py, engine.check_many(&questions, patience))?;
        batch::answers(py, decisions)
    }

    /// `check_many` as an awaitable; the loop is never blocked.
    #[pyo3(signature = (items, *, timeout=None))]
    fn acheck_many<'py>(
        &self,
        py: Python<'py>,
        items: &Bound<'py, PyAny>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (questions, patience) = (batch::read(items)?, batch::patience(timeout)?);
        let engine = self.engine()?;
        let asked = async move { engine.check_many(&questions, patience).await };
        self.awaitable(py, asked, batch::answers)
    }

    /// Verify every connection's credential: `(id, ok, summary or error)`, one each.
    #[pyo3(signature = (connections=None))]
    fn probe(
        &self,
        py: Python<'_>,
        connections: Option<Vec<String>>,
    ) -> PyResult<Vec<(String, bool, String)>> {
        let engine = self.here("probe")?;
        let reports = self.wait(py, engine.probe(connections.as_deref()))?;
        Ok(reports
            .into_iter()
            .map(|report| (report.id.clone(), report.ok(), report.text()))
            .collect())
    }

    /// The connections' ids, those that others reference first.
    fn connections(&self) -> PyResult<Vec<String>> {
        Ok(self
            .here("connections")?
            .connections()
            .into_iter()
            .map(str::to_owned)
            .collect())
    }

    /// Forget what is known of a connection, of a user, or of all.
    #[pyo3(signature = (connection=None, user=None))]
    fn invalidate(&self, connection: Option<&str>, user: Option<&str>) -> PyResult<()> {
        self.here("invalidate")?.invalidate(connection, user);
        Ok(())
    }

    fn __repr__(&self) -> String {
        let config = match &self.made_of {
            MadeOf::Config(config, _) => config,
            MadeOf::Server(server) => {
                return format!("Toolpass(remote, url={:?})", server.shown().0);
            }
        };
        let ids: Vec<&str> = config
            .connections
            .iter()
            .map(|connection| connection.id.as_str())
            .collect();
        format!("Toolpass(in-process, connections={ids:?})")
    }
}

/// The engine, when it is one behind a server.
pub(crate) fn behind_server(engine: &Bound<'_, PyAny>) -> Option<Py<Toolpass>> {
    let toolpass = engine.cast::<Toolpass>().ok()?;
    toolpass.get().way()?;
    Some(toolpass.clone().unbind())
}

/// The decision when it is allow, else `PermissionDenied`.
fn required(py: Python<'_>, question: &Question, decision: Core) -> PyResult<Py<PyAny>> {
    let allowed = decision.outcome() == Outcome::Allow;
    let decision = Decision::object(py, decision)?;
    if allowed {
        return Ok(decision);
    }
    let asked = (
        question.user.as_str(),
        question.connection.as_str(),
        question.action.as_str(),
        question.resource.as_str(),
    );
    Err(errors::permission_denied(
        py,
        decision.into_bound(py),
        asked,
    ))
}

fn build(config: &Config) -> PyResult<Engine> {
    let built = toolpass_local::engine(config, Which::All, "in-process", asker::clock());
    built.map_err(|error| PyValueError::new_err(error.to_string()))
}
