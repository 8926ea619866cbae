//! The one tokio runtime of the process: started on first use, two workers, begun anew after a fork.
//!
//! A forked child has the parent's memory and none of its threads, so its copy of the runtime can neither be used nor shut
//! down: it is forgotten.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: Mutex<Option<Arc<Runtime>>> = Mutex::new(None);

/// How often this process's line of ancestors has forked: what was built under another number must be built anew.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The runtime.
/// Errors: `RuntimeError` when the system gives no threads.
pub(crate) fn runtime() -> PyResult<Arc<Runtime>> {
    let mut slot = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*slot {
        return Ok(Arc::clone(runtime));
    }
    let built = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("toolpass")
        .enable_all()
        .build();
    let runtime = Arc::new(built.map_err(|error| {
        PyRuntimeError::new_err(format!("toolpass could not start its threads: {error}"))
    })?);
    *slot = Some(Arc::clone(&runtime));
    Ok(runtime)
}

/// The number of the present process.
pub(crate) fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// How long a wait lasts before the interpreter may raise what a signal asks for.
const SIGNALS: Duration = Duration::from_millis(50);

/// Wait for a future, the interpreter's lock let go. A signal ends the wait and drops the future.
/// Errors: that of [`runtime`], and what a signal's handler raises.
pub(crate) fn wait<F: Future + Send>(py: Python<'_>, future: F) -> PyResult<F::Output>
where
    F::Output: Send,
{
    let runtime = runtime()?;
    let mut future = std::pin::pin!(future);
    loop {
        let slice = py.detach(|| {
            runtime.block_on(async { tokio::time::timeout(SIGNALS, &mut future).await })
        });
        match slice {
            Ok(output) => return Ok(output),
            Err(_elapsed) => py.check_signals()?,
        }
    }
}

/// Do work that takes as long as the text it looks at: with the interpreter's lock let go when that is big. Letting go of it for
/// little would cost more than it gives.
pub(crate) fn by_size<T: Send>(
    py: Python<'_>,
    text_len: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if text_len > BIG {
        py.detach(work)
    } else {
        work()
    }
}

/// From how many bytes on others run meanwhile: looking at them takes as long as a few thousand steps of the interpreter.
const BIG: usize = 16 * 1024;

/// Called in a child right after a fork.
#[pyfunction]
pub(crate) fn after_fork() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
    crate::reports::after_fork();
    // Another thread may have held the lock when the process forked; then the child never gets it and keeps an empty slot
    // only if it can be had.
    if let Ok(mut slot) = RUNTIME.try_lock() {
        std::mem::forget(slot.take());
    }
}
