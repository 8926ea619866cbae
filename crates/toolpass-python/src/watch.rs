//! `toolpass.Watch`: an open live page of a toolkit, and the toolkit's list of open pages.
//!
//! The pages of a toolkit stand beside its settings, so replacing those leaves them open. While none is open, a call costs one
//! look at a number. INVARIANT: a forked child neither records into its parent's pages nor takes a lock of theirs, which
//! another thread may have held when the process forked.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokio::task::JoinHandle;
use toolpass_guard::audit::AuditEvent;
use toolpass_guard::call::{BodyEnd, Call};
use toolpass_page::listen;
use toolpass_page::page::Page;
use toolpass_page::row::Row;
use toolpass_page::serve::serve;
use toolpass_page::token::{NoRandomness, Token};
use toolpass_page::window::InFlight;

use crate::audit::time_text;
use crate::engine::Asker;
use crate::runtime::{generation, runtime, wait};
use crate::toolkit::ToolkitCore;

/// The open pages of a toolkit.
#[derive(Default)]
pub(crate) struct Pages {
    open: AtomicUsize,
    /// The process they were opened in.
    process: AtomicU64,
    list: RwLock<Vec<Arc<Page>>>,
}

impl Pages {
    /// Whether anybody watches.
    pub(crate) fn are_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
            && self.process.load(Ordering::Acquire) == generation()
    }

    /// Show a finished call.
    pub(crate) fn complete(&self, event: &AuditEvent) {
        if self.are_open() {
            let row = row_of(event);
            for page in self.list() {
                page.complete(row.clone());
            }
        }
    }

    /// Show a call that begins; dropping what is answered ends it, if nothing else has.
    pub(crate) fn begin(self: &Arc<Self>, call: &Arc<Call>) -> Option<Watched> {
        if !self.are_open() {
            return None;
        }
        for page in self.list() {
            page.begin(call.id(), Arc::new(Running(Arc::clone(call))));
        }
        Some(Watched {
            pages: Arc::clone(self),
            call: Arc::clone(call),
        })
    }

    fn add(&self, page: Arc<Page>) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        if self.process.swap(generation(), Ordering::AcqRel) != generation() {
            list.clear(); // those of the parent
        }
        list.push(page);
        self.open.store(list.len(), Ordering::Release);
    }

    fn remove(&self, page: &Arc<Page>) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        list.retain(|open| !Arc::ptr_eq(open, page));
        self.open.store(list.len(), Ordering::Release);
    }

    fn list(&self) -> Vec<Arc<Page>> {
        self.list
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A call that a page shows as running.
pub(crate) struct Watched {
    pages: Arc<Pages>,
    call: Arc<Call>,
}

impl Drop for Watched {
    /// A call that is let go of without an event, as an async one whose task is thrown away, was given up.
    fn drop(&mut self) {
        if !self.pages.are_open() {
            return;
        }
        let still = self.pages.list();
        let mut still = still
            .iter()
            .filter(|page| page.runs(self.call.id()))
            .peekable();
        if still.peek().is_some() {
            let row = row_of(&self.call.finish(&BodyEnd::Cancelled, Asker::now()).event);
            still.for_each(|page| page.complete(row.clone()));
        }
    }
}

struct Running(Arc<Call>);

impl InFlight for Running {
    fn progress(&self) -> usize {
        self.0.requests()
    }

    fn row(&self) -> Row {
        row_of(&self.0.started(Asker::now()))
    }
}

fn row_of(event: &AuditEvent) -> Row {
    Row::of(event, time_text)
}

/// An open live page. Closed by `close` or at the end of a `with` block.
#[pyclass(frozen, weakref, module = "toolpass")]
pub(crate) struct Watch {
    pages: Arc<Pages>,
    page: Arc<Page>,
    process: u64,
    /// The toolkit it shows.
    #[pyo3(get)]
    toolkit: Py<PyAny>,
    /// Its address, which is a secret: who knows it sees the page.
    #[pyo3(get)]
    url: String,
    server: Mutex<Option<JoinHandle<()>>>,
}

#[pymethods]
impl Watch {
    /// Open a page of a toolkit.
    ///
    /// Args:
    ///     toolkit: The toolkit; several pages of one may be open.
    ///     listen: `HOST:PORT` on this machine; port 0 is any free one.
    ///     keep: How many calls it keeps.
    ///
    /// Raises:
    ///     OSError: The port is taken.
    ///     TypeError: `toolkit` is none.
    ///     ValueError: `listen` is not on this machine, or `keep` is no positive number.
    #[new]
    #[pyo3(signature = (toolkit, *, listen = "127.0.0.1:0", keep = 1000))]
    fn new(toolkit: Bound<'_, PyAny>, listen: &str, keep: i64) -> PyResult<Watch> {
        let core = toolkit
            .getattr("_core")
            .ok()
            .and_then(|core| core.cast_into::<ToolkitCore>().ok())
            .ok_or_else(|| PyTypeError::new_err("expected `toolkit` to be a Toolkit"))?;
        let keep = usize::try_from(keep)
            .ok()
            .filter(|keep| *keep > 0)
            .ok_or_else(|| PyValueError::new_err("expected `keep` to be at least 1"))?;
        let address =
            listen::parse(listen).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (token, page) = (
            Arc::new(Token::new().map_err(no_randomness)?),
            Arc::new(Page::new(keep, phrase).map_err(no_randomness)?),
        );
        let listener = bind(address)?;
        let url = format!("http://{}/t/{}/", listener.local_addr()?, token.reveal());
        let served = Arc::clone(&page);
        let server = runtime()?.spawn(async move {
            // A listener that the runtime does not take leaves a page that nobody can open.
            if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                serve(listener, served, token).await;
            }
        });
        let pages = Arc::clone(core.get().pages());
        pages.add(Arc::clone(&page));
        Ok(Watch {
            pages,
            page,
            process: generation(),
            toolkit: toolkit.unbind(),
            url,
            server: Mutex::new(Some(server)),
        })
    }

    /// The calls it shows.
    ///
    /// Args:
    ///     since: Only those past this number.
    ///
    /// Returns:
    ///     The calls as dictionaries, with their number `seq`, oldest first, and the last number. Calls that run come last,
    ///     with the outcome `started` and the numbers that come next, until they end.
    ///
    /// Raises:
    ///     RuntimeError: In a forked child of the process that opened it.
    #[pyo3(signature = (since = 0))]
    fn events<'py>(&self, py: Python<'py>, since: i64) -> PyResult<(Bound<'py, PyAny>, u64)> {
        if self.process != generation() {
            return Err(PyRuntimeError::new_err(
                "this page belongs to the process that opened it; open one in this process",
            ));
        }
        let since = u64::try_from(since).unwrap_or(0);
        let (rows, last) = py.detach(|| self.page.rows(since));
        let rows = py.import("json")?.call_method1("loads", (rows,))?;
        Ok((rows, last))
    }

    /// Stop the server and record nothing from now on. May be called again.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.process != generation() {
            return Ok(()); // the parent's, which goes on
        }
        self.pages.remove(&self.page);
        py.detach(|| self.page.close());
        let server = self
            .server
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match server {
            // Whether it ended well or was torn down, it serves no more.
            Some(server) => wait(py, server).map(drop),
            None => Ok(()),
        }
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        let state = if self.page.is_closed() {
            "closed"
        } else {
            "open"
        };
        format!("<toolpass.Watch {state}>")
    }
}

fn bind(address: SocketAddr) -> PyResult<std::net::TcpListener> {
    let bound = std::net::TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    bound.map_err(|error| match error.raw_os_error() {
        Some(number) => {
            PyOSError::new_err((number, format!("cannot listen on {address}: {error}")))
        }
        None => PyOSError::new_err(format!("cannot listen on {address}: {error}")),
    })
}

fn no_randomness(error: NoRandomness) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// The catalogue's phrase of an action written `integration:action`.
fn phrase(action: &str) -> Option<&'static str> {
    let (system, name) = action.split_once(':')?;
    let integration = toolpass_registry::find(system)?;
    let mut known = integration.actions().iter();
    known.find(|spec| spec.name == name).map(|spec| spec.phrase)
}
