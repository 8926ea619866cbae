//! `toolpass.Session`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use toolpass_core::effect::Effect;
use toolpass_core::user::Token;
use toolpass_guard::session::caps::Key;
use toolpass_guard::session::{Memory, Session as Inner};

use crate::fencing::random;
use crate::source::session_variable;

/// One person's run of an assistant: who, and what it has seen and spent.
#[pyclass(frozen, weakref, module = "toolpass")]
pub(crate) struct Session(Inner);

impl Session {
    pub(crate) fn of(inner: Inner) -> Session {
        Session(inner)
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (user, *, groups=None, token=None, id=None, ngram=6, untrusted_capacity=1_000_000))]
    fn new(
        py: Python<'_>,
        user: &Bound<'_, PyAny>,
        groups: Option<&Bound<'_, PyAny>>,
        token: Option<&Bound<'_, PyAny>>,
        id: Option<&str>,
        ngram: i64,
        untrusted_capacity: i64,
    ) -> PyResult<Session> {
        let user: &str = user.extract().map_err(|_| {
            PyValueError::new_err(
                "expected `user` to be a text naming the person the agent works for",
            )
        })?;
        let token = match token {
            None => None,
            Some(token) => {
                let text: &str = token
                    .extract()
                    .map_err(|_| PyValueError::new_err("expected `token` to be a text"))?;
                Token::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))?
            }
        };
        let groups = groups.map(texts).transpose()?;
        let memory = Memory {
            ngram: usize::try_from(ngram).unwrap_or_default(),
            capacity: usize::try_from(untrusted_capacity).unwrap_or_default(),
            ..Memory::new(random(py)?)
        };
        let made = Inner::new(user, groups, token, id.map(str::to_owned), memory);
        made.map(Session)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The person, as given.
    #[getter]
    fn user(&self) -> &str {
        self.0.user()
    }

    /// The person's groups; `None` when none were given.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.0
            .groups()
            .map(|groups| PyTuple::new(py, groups))
            .transpose()
    }

    /// The person's own login token.
    #[getter]
    fn token(&self) -> Option<String> {
        self.0
            .token()
            .map(|token| String::from_utf8_lossy(token.expose()).into_owned())
    }

    /// The session's id.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// Whether outside text was seen. Never goes back.
    #[getter]
    fn saw_untrusted(&self) -> bool {
        self.0.saw_untrusted()
    }

    /// Whether private data was read. Never goes back.
    #[getter]
    fn read_private(&self) -> bool {
        self.0.read_private()
    }

    /// How often `tool:<name>` or `effect:<effect>` was counted.
    fn count(&self, key: &str) -> PyResult<u32> {
        let parsed = match key.split_once(':') {
            Some(("tool", name)) => Some(Key::Tool(name.into())),
            Some(("effect", effect)) => Effect::parse(effect).map(Key::Effect),
            Some(_) | None => None,
        };
        parsed.map(|key| self.0.count(&key)).ok_or_else(|| {
            PyValueError::new_err("expected `tool:<name>` or `effect:<read|write|destructive>`")
        })
    }

    /// Trust what the person wrote: it is never held against a call, and from now on it counts who named a value.
    fn trust(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = text
            .cast::<PyString>()
            .map_err(|_| PyTypeError::new_err("expected `text` to be a text"))?
            .to_string_lossy()
            .into_owned();
        py.detach(|| self.0.trust(&text));
        Ok(())
    }

    /// A function that runs for this session wherever it is called, such as in a thread: in a copy of the context of now.
    fn bind<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let face = slf.py().import("toolpass._context")?;
        face.call_method1("bind", (slf, function))
    }

    /// What an extractor of the application makes of a kept value, as far as its type leaves no room for a message.
    #[pyo3(signature = (handle, schema, *, with_))]
    fn extract<'py>(
        slf: &Bound<'py, Self>,
        handle: &Bound<'py, PyAny>,
        schema: &Bound<'py, PyAny>,
        with_: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let face = slf.py().import("toolpass._extract")?;
        face.call_method1("extract", (slf, handle, schema, with_))
    }

    /// The same with an extractor that is awaited.
    #[pyo3(signature = (handle, schema, *, with_))]
    fn aextract<'py>(
        slf: &Bound<'py, Self>,
        handle: &Bound<'py, PyAny>,
        schema: &Bound<'py, PyAny>,
        with_: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let face = slf.py().import("toolpass._extract")?;
        face.call_method1("aextract", (slf, handle, schema, with_))
    }

    /// Make this the current session for the block.
    fn active(slf: Bound<'_, Self>) -> ActiveSession {
        ActiveSession {
            session: slf.unbind(),
            tokens: std::sync::Mutex::new(Vec::new()),
        }
    }

    fn __enter__(&self) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err(
            "a Session is made current with `.active()`: `with session.active():`",
        ))
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) -> PyResult<bool> {
        Ok(false)
    }

    fn __repr__(&self) -> String {
        format!("Session(user={:?}, id={:?})", self.0.user(), self.0.id())
    }

    fn __reduce__(&self) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err(
            "a Session belongs to its process and cannot be pickled",
        ))
    }
}

/// What `Session.active()` answers: a context manager that nests and restores the session before it.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct ActiveSession {
    session: Py<Session>,
    tokens: std::sync::Mutex<Vec<Py<PyAny>>>,
}

#[pymethods]
impl ActiveSession {
    fn __enter__(&self, py: Python<'_>) -> PyResult<Py<Session>> {
        let token = session_variable().set(self.session.bind(py).clone().into_any())?;
        self.tokens
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(token.unbind());
        Ok(self.session.clone_ref(py))
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<bool> {
        let token = self
            .tokens
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .pop();
        if let Some(token) = token {
            session_variable().reset(token.into_bound(py))?;
        }
        Ok(false)
    }
}

/// A sequence of texts. A bare text is refused: its letters would be taken for groups.
/// Errors: `ValueError`.
fn texts(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let wrong =
        || PyValueError::new_err("expected `groups` to be a sequence of texts, not a single text");
    if given.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    given
        .try_iter()
        .map_err(|_| wrong())?
        .map(|item| item?.extract::<String>().map_err(|_| wrong()))
        .collect()
}
