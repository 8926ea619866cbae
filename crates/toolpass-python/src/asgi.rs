//! The sessions of an application's own server: which one a request gets, and those kept from request to request.
//!
//! Separate from `toolpass._asgi`, which speaks the protocol of the server: for whom a request is, `toolpass_guard::header`
//! says.
//! INVARIANT: no session is made or dropped while the lock around the remembered ones is held.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use toolpass_core::secret::{Secret as Core, SecretRef};
use toolpass_guard::header::remembered::Remembered;
use toolpass_guard::header::tombstones::Tombstones;
use toolpass_guard::header::{self, Arrived, Conversation, Entry, Person};
use toolpass_guard::session::{Memory, Session as Inner};

use crate::engine::Asker;
use crate::fencing::random;
use crate::secrets::Secret;
use crate::session::Session;

/// The sessions that headers name.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct HeaderSessions {
    key: Option<SecretRef>,
    kept: Mutex<Remembered<Py<Session>>>,
    forgotten: Mutex<Tombstones>,
}

/// What `enter` answers.
#[derive(IntoPyObject)]
pub(crate) enum Entered {
    Session(Py<Session>),
    Refused((u16, &'static str)),
}

#[pymethods]
impl HeaderSessions {
    #[new]
    #[pyo3(signature = (key=None))]
    fn new(key: Option<&Bound<'_, PyAny>>) -> PyResult<HeaderSessions> {
        Ok(HeaderSessions {
            key: key.map(shared_key).transpose()?,
            kept: Mutex::new(Remembered::new()),
            forgotten: Mutex::default(),
        })
    }

    /// The session of a request, `None` for nobody's, or the status and reason of its refusal.
    /// Raises `ValueError` when the key cannot be read: the request must not go on then.
    fn enter(
        &self,
        py: Python<'_>,
        client: Option<&str>,
        method: Option<&str>,
        headers: Vec<(Vec<u8>, Vec<u8>)>,
    ) -> PyResult<Option<Entered>> {
        let pairs: Vec<(&[u8], &[u8])> = headers
            .iter()
            .map(|(name, value)| (name.as_slice(), value.as_slice()))
            .collect();
        let arrived = Arrived {
            client,
            method,
            headers: &pairs,
        };
        let key = self.key.as_ref().map(read_key).transpose()?;
        match header::read(&arrived, key.as_ref()) {
            Err(refused) => Ok(Some(Entered::Refused((refused.status, refused.reason)))),
            Ok(Entry::Nobody) => Ok(None),
            Ok(Entry::Person(person)) => {
                self.session_of(py, person).map(Entered::Session).map(Some)
            }
        }
    }
}

impl HeaderSessions {
    fn session_of(&self, py: Python<'_>, person: Person) -> PyResult<Py<Session>> {
        let Some(conversation) = person.conversation.clone() else {
            return made(py, person);
        };
        let token = person.token.clone();
        let ends = person.ends;
        let session = match self.find(py, &conversation) {
            Some(session) => session,
            None if ends => return made(py, person),
            None => self.remember(py, &conversation, made(py, person)?),
        };
        if let Some(token) = token {
            session.get().inner().replace_token(token);
        }
        if ends {
            // Bound to a name, so that it is dropped after the lock is let go of.
            let forgotten = self.kept().remove(&conversation);
            drop(forgotten);
        }
        Ok(session)
    }

    fn find(&self, py: Python<'_>, conversation: &Conversation) -> Option<Py<Session>> {
        self.kept()
            .find(conversation)
            .map(|session| session.clone_ref(py))
    }

    /// Remember a session, unless another request of the conversation was first: that one's is answered then.
    fn remember(
        &self,
        py: Python<'_>,
        conversation: &Conversation,
        made: Py<Session>,
    ) -> Py<Session> {
        let mut kept = self.kept();
        if let Some(first) = kept.find(conversation) {
            let first = first.clone_ref(py);
            drop(kept);
            return first;
        }
        // Under the lock, so that no other request of the conversation gets it before.
        let marks = self.forgotten().take(conversation, Asker::now());
        made.get().inner().revive(marks);
        let forgotten = kept.insert(conversation.clone(), made.clone_ref(py));
        if let Some((conversation, session)) = &forgotten
            && session.get().inner().place().is_none()
        {
            let marks = session.get().inner().marks();
            self.forgotten()
                .leave(conversation.clone(), marks, Asker::now());
        }
        drop(kept);
        drop(forgotten);
        made
    }

    fn forgotten(&self) -> MutexGuard<'_, Tombstones> {
        self.forgotten
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Remembered<Py<Session>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new session. It has the id that the caller gave the conversation, if any; an id of the protocol's is not shown.
fn made(py: Python<'_>, person: Person) -> PyResult<Py<Session>> {
    let conversation = person.conversation.as_ref();
    let id = conversation.and_then(Conversation::given_id);
    let inner = Inner::new(
        &person.user,
        person.groups,
        person.token,
        id.map(str::to_owned),
        Memory::new(random(py)?),
    );
    let inner = inner.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let inner = match conversation {
        Some(conversation) => inner.of_conversation(conversation.stored_name()),
        None => inner,
    };
    Py::new(py, Session::of(inner))
}

/// The key as it is given: a text, or a reference that is read at every request. One that can match nothing is an error.
/// Errors: `TypeError`, `ValueError`.
fn shared_key(given: &Bound<'_, PyAny>) -> PyResult<SecretRef> {
    let key = if let Ok(secret) = given.cast::<Secret>() {
        secret.get().0.clone()
    } else if let Ok(text) = given.extract::<&str>() {
        SecretRef::Literal(Core::new(text))
    } else {
        return Err(PyTypeError::new_err(
            "expected `key` to be a text, `toolpass.env(...)` or `toolpass.file(...)`",
        ));
    };
    read_key(&key)?;
    Ok(key)
}

fn read_key(key: &SecretRef) -> PyResult<Core> {
    let read = toolpass_http::secrets::read(key)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let bytes = read.expose();
    if bytes.is_empty() || bytes.trim_ascii().len() != bytes.len() {
        return Err(PyValueError::new_err(
            "expected `key` to be a text that is not blank and has no spaces around it",
        ));
    }
    Ok(read)
}
