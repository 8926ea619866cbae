//! What has no call: requests and threads, in a process where a toolkit says that everything belongs to some call.
//!
//! A toolkit with `unattributed` is remembered here, as are the bodies of its calls while they run. What becomes of a request is
//! decided by the guard. Where no toolkit says so, nothing is remembered and everything is answered by one look at a flag.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use toolpass_guard::unattributed::{From, Judged, judge};

use crate::call::CallContext;
use crate::credential::injected;
use crate::engine::Asker;
use crate::errors;
use crate::observe::{Permit, read};
use crate::source::{self, OnThread, Quiet, call_variable};
use crate::toolkit::State;

/// A toolkit's settings, as they are now.
pub(crate) type Current = Arc<RwLock<Arc<State>>>;

static DECLARED: AtomicBool = AtomicBool::new(false);
static TOOLKITS: Mutex<Vec<Weak<RwLock<Arc<State>>>>> = Mutex::new(Vec::new());
static RUNNING: Mutex<Vec<(u64, Py<CallContext>)>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Who answers for a request that no call is known for.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct NoCall(From);

/// A body that runs until this is dropped.
pub(crate) struct Running(u64);

/// A toolkit says that everything belongs to some call.
pub(crate) fn declare(toolkit: &Current) {
    let mut toolkits = locked(&TOOLKITS);
    toolkits.retain(|known| known.strong_count() > 0);
    if !toolkits
        .iter()
        .any(|known| known.as_ptr() == Arc::as_ptr(toolkit))
    {
        toolkits.push(Arc::downgrade(toolkit));
    }
    DECLARED.store(true, Ordering::Release);
}

impl Running {
    /// A body begins. Nothing where its toolkit does not say that everything belongs to some call.
    pub(crate) fn begin(py: Python<'_>, context: &Py<CallContext>) -> Option<Running> {
        let this = context.get();
        if !this.call.hooked || this.call.settings.unattributed.is_none() {
            return None;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        locked(&RUNNING).push((number, context.clone_ref(py)));
        Some(Running(number))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = locked(&RUNNING);
        let place = running.iter().position(|(number, _)| *number == self.0);
        let ended = place.map(|place| running.swap_remove(place));
        drop(running); // what is dropped next may run code of the application
        drop(ended);
    }
}

#[pymethods]
impl NoCall {
    /// Its requests are looked at.
    #[getter]
    fn hooked(&self) -> bool {
        true
    }

    /// Whether a request may leave. Raises when it may not.
    #[pyo3(signature = (*parts))]
    fn observe(&self, parts: &Bound<'_, PyTuple>) -> PyResult<Permit> {
        let py = parts.py();
        let request = read(parts)?;
        let secrets = injected();
        let (quiet, mut refusal) = (Quiet::default(), None);
        for state in declared() {
            let systems = state.systems(py)?;
            let known = (&*state.settings, systems.as_deref());
            match judge(known, &request, self.0, &secrets, Asker::wall()) {
                Judged::Passed => {}
                Judged::Noted(event) => {
                    quiet.begin(py)?; // what the sink sends is not judged
                    state.emit(py, *event)?;
                }
                Judged::Refused(reason, event) => {
                    quiet.begin(py)?;
                    state.emit(py, *event)?;
                    refusal.get_or_insert(reason);
                }
            }
        }
        match refusal {
            None => Ok(Permit::of_no_call(&request)),
            Some(refusal) => Err(errors::refused(py, &refusal)),
        }
    }

    /// The same, for hooks that await: nobody is asked.
    #[pyo3(signature = (*parts))]
    fn observe_async(&self, parts: &Bound<'_, PyTuple>) -> PyResult<Permit> {
        self.observe(parts)
    }

    /// Whether bytes may leave that are one whole request: none is read in this short way.
    fn ask_whole(
        &self,
        _connection: &Bound<'_, PyAny>,
        _data: &Bound<'_, PyAny>,
    ) -> Option<Permit> {
        None
    }

    /// Whether an upper layer was given leave for this very request: each layer is answered on its own.
    #[pyo3(signature = (*_parts))]
    fn admits(&self, _parts: &Bound<'_, PyTuple>) -> bool {
        false
    }
}

/// Checks of an ordinary tool's call run on this thread until this is dropped: what they send is no lost request.
pub(crate) fn checks() -> Option<OnThread> {
    DECLARED.load(Ordering::Acquire).then(OnThread::check)
}

/// What is awaited for an async tool's checks, until [`Awaited::end`]: what that sends is no lost request.
pub(crate) struct Awaited(Option<Py<PyAny>>);

impl Awaited {
    /// Somebody is awaited from here on, in this context.
    pub(crate) fn begin(py: Python<'_>) -> PyResult<Awaited> {
        let variable = call_variable();
        if !DECLARED.load(Ordering::Acquire) || !variable.get(py)?.is_none() {
            return Ok(Awaited(None));
        }
        let token = variable.set(py.None().into_bound(py))?;
        Ok(Awaited(Some(token.unbind())))
    }

    /// It was answered.
    pub(crate) fn end(self, py: Python<'_>) {
        if let Some(token) = self.0 {
            // What is closed in another context than it was begun in cannot put anything back there, and need not.
            let _ = call_variable().reset(token.into_bound(py));
        }
    }
}

/// Who answers for a request that no call is known for; nobody where no toolkit says that everything belongs to some call.
#[pyfunction]
pub(crate) fn no_call() -> Option<NoCall> {
    let is_nobodys = DECLARED.load(Ordering::Acquire) && !source::is_checking();
    (is_nobodys && !declared().is_empty()).then_some(NoCall(From::Anywhere))
}

/// Whose a thread is that begins in no call: the one body's that runs, or nobody's where several do.
#[pyfunction]
pub(crate) fn adopter(py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
    if !DECLARED.load(Ordering::Acquire) || source::is_checking() {
        return Ok(None);
    }
    let only = match locked(&RUNNING).as_slice() {
        [] => return Ok(None),
        [(_, only)] => Some(only.clone_ref(py)),
        _ => None,
    };
    Ok(Some(match only {
        Some(call) => call.into_any(),
        None => Py::new(py, NoCall(From::Several))?.into_any(),
    }))
}

/// The settings of every toolkit that says that everything belongs to some call.
fn declared() -> Vec<Arc<State>> {
    let toolkits: Vec<Current> = locked(&TOOLKITS).iter().filter_map(Weak::upgrade).collect();
    let states = toolkits
        .iter()
        .map(|toolkit| Arc::clone(&toolkit.read().unwrap_or_else(PoisonError::into_inner)));
    states
        .filter(|state| state.settings.unattributed.is_some())
        .collect()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
