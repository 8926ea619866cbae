//! The store that keeps a toolkit's sessions: which it is, and how it is asked: waiting with the interpreter's lock let go, or
//! awaited.
//!
//! What is asked and what an answer means is the guard's; what a store does, that of `toolpass_store`. Whatever goes wrong here is a
//! store that did not answer.

mod foreign;
mod settings;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use toolpass_core::secret::Secret;
use toolpass_guard::session::Session;
use toolpass_guard::session::stored::{Answer, Operation, Place, StoreId};
use toolpass_store::postgres::PostgresDatabase;
use toolpass_store::sqlite::SqliteFile;
use toolpass_store::valkey::Valkey;
use toolpass_store::{Backend, Sessions, StoreError, Who};

use crate::bridge::{awaitable, ready};
use crate::engine::{Server, clock};
use crate::runtime;
use crate::value::type_name;

pub(crate) use settings::of_settings;

/// A store.
pub(crate) struct Keeper {
    id: StoreId,
    kind: Kind,
    secret: Option<Secret>,
    idle: Duration,
}

enum Kind {
    /// An object of the application's own.
    Foreign(Py<PyAny>),
    /// One of ours, built on first use, and anew after a fork.
    Native(Native, Built),
}

/// What was built, and in which process.
type Built = Mutex<Option<(u64, Arc<Sessions>)>>;

enum Native {
    Postgres(Secret),
    Server(Box<Server>),
    Sqlite(PathBuf),
    Valkey(Secret),
}

/// What a store answered, as an awaited value.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct FromStore(Said);

enum Said {
    Answer(Result<Answer, String>),
    Place(Result<Place, String>),
}

impl Keeper {
    pub(crate) fn id(&self) -> StoreId {
        self.id
    }

    /// Where it keeps a session, waiting for it. Errors: what interrupts the wait.
    pub(crate) fn place(
        &self,
        py: Python<'_>,
        session: &Session,
    ) -> PyResult<Result<Place, String>> {
        match &self.kind {
            Kind::Foreign(_) => Ok(self.own_place(session)),
            Kind::Native(native, built) => {
                let (sessions, session) = (self.sessions(native, built), session.clone());
                runtime::wait(py, async move { find(&sessions, &session).await })
            }
        }
    }

    /// The same without blocking the loop: an awaitable of a [`FromStore`].
    pub(crate) fn place_soon<'py>(
        &self,
        py: Python<'py>,
        session: &Session,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.kind {
            Kind::Foreign(_) => ready(
                py,
                FromStore::object(py, Said::Place(self.own_place(session))),
            ),
            Kind::Native(native, built) => {
                let (sessions, session) = (self.sessions(native, built), session.clone());
                awaitable(
                    py,
                    async move { find(&sessions, &session).await },
                    |py, place| FromStore::object(py, Said::Place(place)),
                )
            }
        }
    }

    /// Apply an operation, waiting for the answer. Errors: what interrupts the wait.
    pub(crate) fn apply(
        &self,
        py: Python<'_>,
        place: &Place,
        operation: &Arc<Operation>,
    ) -> PyResult<Result<Answer, String>> {
        match &self.kind {
            Kind::Foreign(store) => match foreign::call(store.bind(py), place, operation) {
                Err(error) if !error.is_instance_of::<PyException>(py) => Err(error),
                answered => Ok(answered.map_err(|error| type_name(error.value(py)))),
            },
            Kind::Native(native, built) => {
                let sessions = self.sessions(native, built);
                let (place, operation) = (place.clone(), Arc::clone(operation));
                runtime::wait(py, async move {
                    sessions.apply(&place, &operation).await.map_err(said)
                })
            }
        }
    }

    /// The same without blocking the loop.
    pub(crate) fn apply_soon<'py>(
        &self,
        py: Python<'py>,
        place: &Place,
        operation: &Arc<Operation>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.kind {
            Kind::Foreign(store) => foreign::start(store.bind(py), place, operation),
            Kind::Native(native, built) => {
                let sessions = self.sessions(native, built);
                let (place, operation) = (place.clone(), Arc::clone(operation));
                awaitable(
                    py,
                    async move { sessions.apply(&place, &operation).await.map_err(said) },
                    |py, answer| FromStore::object(py, Said::Answer(answer)),
                )
            }
        }
    }

    /// Give back, without anybody waiting, what a call that was given up took. What cannot be given back now, or not by a store of
    /// the application's own, the next call of the session gives back.
    pub(crate) fn give_back(&self, session: &Session) {
        let (Kind::Native(native, built), Some(owed), Some(place)) =
            (&self.kind, session.owed(), session.place())
        else {
            return;
        };
        let sessions = self.sessions(native, built);
        let (place, session) = (place.clone(), session.clone());
        if let Ok(runtime) = runtime::runtime() {
            runtime.spawn(async move {
                if let Ok(answer) = sessions.apply(&place, &owed).await {
                    session.learn(&owed, &answer);
                }
            });
        }
    }

    fn own_place(&self, session: &Session) -> Result<Place, String> {
        let secret = self.secret.as_ref().ok_or("there is no `session_secret`")?;
        Ok(toolpass_store::place(
            self.id,
            secret.expose(),
            &who(session, &session.person()),
        ))
    }

    fn sessions(&self, native: &Native, built: &Built) -> Arc<Sessions> {
        let mut built = built.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = runtime::generation();
        if let Some((of, sessions)) = &*built
            && *of == generation
        {
            return Arc::clone(sessions);
        }
        let backend: Arc<dyn Backend> = match native {
            Native::Postgres(url) => Arc::new(PostgresDatabase::new(url.clone(), self.idle)),
            Native::Server(server) => Arc::new(server.sessions()),
            Native::Sqlite(path) => Arc::new(SqliteFile::new(path, clock(), self.idle)),
            Native::Valkey(url) => Arc::new(Valkey::new(url.clone(), self.idle)),
        };
        let secret = self.secret.as_ref().map(|secret| secret.expose().to_vec());
        let sessions = Arc::new(Sessions::new(self.id, backend, secret));
        // What the parent process built is of threads that this one does not have.
        std::mem::forget(built.replace((generation, Arc::clone(&sessions))));
        sessions
    }
}

impl FromStore {
    fn object(py: Python<'_>, said: Said) -> PyResult<Py<PyAny>> {
        Ok(Bound::new(py, FromStore(said))?.into_any().unbind())
    }

    /// What was awaited, as a place. Errors: what is no `Exception`.
    pub(crate) fn place(
        py: Python<'_>,
        awaited: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<Result<Place, String>> {
        match awaited {
            Ok(value) => Ok(
                match value.cast::<FromStore>().map(|value| &value.get().0) {
                    Ok(Said::Place(place)) => place.clone(),
                    Ok(Said::Answer(_)) | Err(_) => Err("no place".into()),
                },
            ),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                Ok(Err(type_name(error.value(py))))
            }
            Err(error) => Err(error),
        }
    }

    /// What was awaited, as an answer, also of a store of the application's own. Errors: what is no `Exception`.
    pub(crate) fn answer(
        py: Python<'_>,
        awaited: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<Result<Answer, String>> {
        match awaited {
            Ok(value) => Ok(
                match value.cast::<FromStore>().map(|value| &value.get().0) {
                    Ok(Said::Answer(answer)) => answer.clone(),
                    Ok(Said::Place(_)) => Err("no answer".into()),
                    Err(_) => foreign::read(&value).map_err(|error| type_name(error.value(py))),
                },
            ),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                Ok(Err(type_name(error.value(py))))
            }
            Err(error) => Err(error),
        }
    }
}

async fn find(sessions: &Sessions, session: &Session) -> Result<Place, String> {
    let person = session.person();
    sessions.place(&who(session, &person)).await.map_err(said)
}

fn who<'s>(session: &'s Session, person: &'s str) -> Who<'s> {
    Who {
        user: person,
        groups: session.groups(),
        conversation: session.conversation(),
    }
}

fn said(error: StoreError) -> String {
    error.to_string()
}
