//! A Rust future as something Python can await: an asyncio future of the running loop, fulfilled from our runtime.
//!
//! Our own sixty lines and not `pyo3-async-runtimes`, whose runtime cannot be begun anew after a fork.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tokio::task::AbortHandle;

use crate::runtime::runtime;

static GET_RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Start `future` on the runtime and answer an asyncio future of the running loop; `finish` makes the value or the exception
/// of what it came to. Cancelling the asyncio future aborts the task.
/// Errors: `RuntimeError` when no loop runs in this thread.
pub(crate) fn awaitable<'py, F, D>(
    py: Python<'py>,
    future: F,
    finish: D,
) -> PyResult<Bound<'py, PyAny>>
where
    F: Future + Send + 'static,
    F::Output: Send,
    D: for<'a> FnOnce(Python<'a>, F::Output) -> PyResult<Py<PyAny>> + Send + 'static,
{
    let event_loop = GET_RUNNING_LOOP
        .import(py, "asyncio", "get_running_loop")?
        .call0()?;
    let waiting = event_loop.call_method0("create_future")?;
    let (target, handle) = (waiting.clone().unbind(), event_loop.unbind());
    let task = runtime()?.spawn(async move {
        let output = future.await;
        Python::attach(|py| {
            let deliver = Deliver {
                target,
                outcome: Mutex::new(Some(finish(py, output))),
            };
            // The loop may be closed by now; then nobody waits for the answer any more.
            if let Err(error) = handle.call_method1(py, "call_soon_threadsafe", (deliver,)) {
                drop(error);
            }
        });
    });
    waiting.call_method1("add_done_callback", (Abort(task.abort_handle()),))?;
    Ok(waiting)
}

/// Something to await that is there already.
pub(crate) fn ready<'py>(
    py: Python<'py>,
    outcome: PyResult<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(py, Ready(Mutex::new(Some(outcome))))?.into_any())
}

/// Called by the loop, in its own thread.
#[pyclass(frozen, module = "toolpass._native")]
struct Deliver {
    target: Py<PyAny>,
    outcome: Mutex<Option<PyResult<Py<PyAny>>>>,
}

#[pymethods]
impl Deliver {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let outcome = self
            .outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if self.target.call_method0(py, "done")?.extract::<bool>(py)? {
            return Ok(());
        }
        match outcome {
            Some(Ok(value)) => self.target.call_method1(py, "set_result", (value,))?,
            Some(Err(error)) => {
                self.target
                    .call_method1(py, "set_exception", (error.into_value(py),))?
            }
            None => self.target.call_method0(py, "cancel")?,
        };
        Ok(())
    }
}

/// An awaitable whose outcome is known.
#[pyclass(frozen, module = "toolpass._native")]
struct Ready(Mutex<Option<PyResult<Py<PyAny>>>>);

#[pymethods]
impl Ready {
    fn __await__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<Py<PyAny>>> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(Ok(value)) => Err(PyStopIteration::new_err((value,))),
            Some(Err(error)) => Err(error),
            None => Err(PyRuntimeError::new_err("this was awaited already")),
        }
    }
}

/// Called when the awaited future is done, also when it was cancelled.
#[pyclass(frozen, module = "toolpass._native")]
struct Abort(AbortHandle);

#[pymethods]
impl Abort {
    fn __call__(&self, _done: &Bound<'_, PyAny>) {
        self.0.abort();
    }
}
