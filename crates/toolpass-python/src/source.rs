//! The context variables, and what is current: session, call, block.
//!
//! A body may leave its context for one that has never heard of a call: `Context().run`, an `asyncio.Runner` made before. So the
//! bodies of ordinary functions are noted by thread as well.

use std::cell::{Cell, OnceCell, RefCell};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use toolpass_guard::settings::ActAs;

use crate::call::CallContext;
use crate::session::Session;

static CALL: Variable = Variable::new("toolpass_call");
static SESSION: Variable = Variable::new("toolpass_session");
static ACT_AS: Variable = Variable::new("toolpass_act_as");
static APART: Variable = Variable::new("toolpass_apart");

/// A context variable whose default is `None`, and its bound methods: they are needed at every call.
pub(crate) struct Variable {
    name: &'static str,
    object: PyOnceLock<Py<PyAny>>,
    get: PyOnceLock<Py<PyAny>>,
    set: PyOnceLock<Py<PyAny>>,
    reset: PyOnceLock<Py<PyAny>>,
}

impl Variable {
    const fn new(name: &'static str) -> Variable {
        let empty = PyOnceLock::new;
        Variable {
            name,
            object: empty(),
            get: empty(),
            set: empty(),
            reset: empty(),
        }
    }

    /// The `contextvars.ContextVar`.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let made = self.object.get_or_try_init(py, || {
            let kwargs = pyo3::types::PyDict::new(py);
            kwargs.set_item("default", py.None())?;
            py.import("contextvars")?
                .getattr("ContextVar")?
                .call((self.name,), Some(&kwargs))
                .map(Bound::unbind)
        })?;
        Ok(made.bind(py))
    }

    /// Its value in the current context.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.method(py, &self.get, "get")?.call0()
    }

    /// Give it a value; answers the token to put the one before back.
    pub(crate) fn set<'py>(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.method(value.py(), &self.set, "set")?.call1((value,))
    }

    /// Put back the value from before `token`.
    /// Errors: `ValueError` in another context than the one the token is of.
    pub(crate) fn reset(&self, token: Bound<'_, PyAny>) -> PyResult<()> {
        self.method(token.py(), &self.reset, "reset")?
            .call1((token,))
            .map(drop)
    }

    fn method<'a, 'py>(
        &'a self,
        py: Python<'py>,
        slot: &'a PyOnceLock<Py<PyAny>>,
        name: &str,
    ) -> PyResult<&'a Bound<'py, PyAny>> {
        let made =
            slot.get_or_try_init(py, || self.object(py)?.getattr(name).map(Bound::unbind))?;
        Ok(made.bind(py))
    }
}

/// The variable of the running call; `None` outside one.
pub(crate) fn call_variable() -> &'static Variable {
    &CALL
}

/// The variable of the current session; `None` when there is none.
pub(crate) fn session_variable() -> &'static Variable {
    &SESSION
}

/// The variable of the innermost `as_user()` or `as_agent()` block: `"user"`, `"agent"` or `None`.
pub(crate) fn act_as_variable() -> &'static Variable {
    &ACT_AS
}

/// The variable that says that an extractor runs here, for which there is no session at all.
pub(crate) fn apart_variable() -> &'static Variable {
    &APART
}

/// The running call.
pub(crate) fn current_call(py: Python<'_>) -> PyResult<Option<Bound<'_, CallContext>>> {
    Ok(CALL.get(py)?.cast_into::<CallContext>().ok())
}

thread_local! {
    /// The calls of the ordinary functions whose bodies run on this thread, innermost last; nothing where a check runs.
    static BODIES: RefCell<Vec<(u64, Option<Py<CallContext>>)>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A body, or a check, that runs on this thread until this is dropped.
pub(crate) struct OnThread(u64);

impl OnThread {
    /// A body begins.
    pub(crate) fn body(call: &Py<CallContext>, py: Python<'_>) -> OnThread {
        OnThread::begin(Some(call.clone_ref(py)))
    }

    /// A check begins: what it sends is not the body's.
    pub(crate) fn check() -> OnThread {
        OnThread::begin(None)
    }

    fn begin(call: Option<Py<CallContext>>) -> OnThread {
        let number = NEXT.replace(NEXT.get().wrapping_add(1));
        BODIES.with_borrow_mut(|bodies| bodies.push((number, call)));
        OnThread(number)
    }
}

impl Drop for OnThread {
    fn drop(&mut self) {
        // Greenlets end in any order.
        let ended = BODIES.with_borrow_mut(|bodies| {
            bodies
                .iter()
                .rposition(|(number, _)| *number == self.0)
                .map(|at| bodies.remove(at))
        });
        drop(ended);
    }
}

/// While somebody is asked, no call is current: what answers (an engine in Python, a look-up) may send requests, which are not the
/// body's. Begun only once somebody is asked, for what is known already needs nobody.
#[derive(Default)]
pub(crate) struct Quiet<'py>(OnceCell<(Bound<'py, PyAny>, OnThread)>);

impl<'py> Quiet<'py> {
    /// Somebody is asked from here on, for a call that may be made in the body of another.
    pub(crate) fn begin_in_body(&self, py: Python<'py>) -> PyResult<()> {
        if current_call(py)?.is_some() || call_of_thread(py).is_some() {
            self.begin(py)?;
        }
        Ok(())
    }

    /// Somebody is asked from here on.
    pub(crate) fn begin(&self, py: Python<'py>) -> PyResult<()> {
        if self.0.get().is_none() {
            let token = CALL.set(py.None().into_bound(py))?;
            let _ = self.0.set((token, OnThread::check()));
        }
        Ok(())
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        if let Some((token, _)) = self.0.take() {
            // It is of this context, so that it can be put back.
            let _ = CALL.reset(token);
        }
    }
}

/// The call of the ordinary function whose body runs on this thread, for contexts that have never heard of a call.
#[pyfunction]
pub(crate) fn call_of_thread(py: Python<'_>) -> Option<Py<CallContext>> {
    BODIES.with_borrow(|bodies| bodies.last()?.1.as_ref().map(|call| call.clone_ref(py)))
}

/// Whether a check runs on this thread, whose requests are nobody's.
pub(crate) fn is_checking() -> bool {
    BODIES.with_borrow(|bodies| bodies.last().is_some_and(|(_, call)| call.is_none()))
}

/// The innermost block.
pub(crate) fn current_block(py: Python<'_>) -> PyResult<Option<ActAs>> {
    let current = ACT_AS.get(py)?;
    if current.is_none() {
        return Ok(None);
    }
    Ok(Some(if current.extract::<&str>()? == "agent" {
        ActAs::Agent
    } else {
        ActAs::User
    }))
}

/// The current session, from the toolkit's own source or the session variable. Anything but a session is none.
/// Errors: what the source raises.
pub(crate) fn current_session<'py>(
    py: Python<'py>,
    source: Option<&Py<PyAny>>,
) -> PyResult<Option<Bound<'py, Session>>> {
    let found = match source {
        None => SESSION.get(py)?,
        // A source of the application's own knows nothing of an extractor.
        Some(_) if !APART.get(py)?.is_none() => return Ok(None),
        Some(source) => {
            let source = source.bind(py);
            if source.is_callable() {
                let quiet = Quiet::default();
                quiet.begin_in_body(py)?;
                source.call0()?
            } else {
                source.call_method1(pyo3::intern!(py, "get"), (py.None(),))?
            }
        }
    };
    Ok(found.cast_into::<Session>().ok())
}
