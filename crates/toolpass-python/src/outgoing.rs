//! A request on its way through `http.client`: its bytes until it is whole, and the question whether it may leave.
//!
//! Separate from `observe` because a connection is asked where it leads, and bytes are read; from then on all is the same. What is
//! out of the ordinary (a proxy, an absolute target, bytes that are no request) is put to the guard by the hook itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyModule, PyString};
use toolpass_wire::body::limits::Limits;
use toolpass_wire::http1::{Outgoing, absolute};
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

use crate::call::CallContext;
use crate::observe::{Permit, ask_now};

/// One request, read from the bytes a client hands over for sending.
#[pyclass(frozen, subclass, module = "toolpass._native")]
pub(crate) struct OutgoingRequest(Mutex<Outgoing>);

#[pymethods]
impl OutgoingRequest {
    #[new]
    #[pyo3(signature = (*_args))]
    fn new(_args: &Bound<'_, PyAny>) -> OutgoingRequest {
        OutgoingRequest(Mutex::default())
    }

    /// Take what belongs to this request from the front of `data`; answers how many bytes that was.
    fn feed(&self, data: &[u8]) -> usize {
        self.lock().feed(data)
    }

    /// The permit of a request that is read and goes to the connection's own host; `None`, and nobody was asked, for any other.
    /// Errors: as of `CallContext.observe`.
    fn ask(
        &self,
        call: &Bound<'_, PyAny>,
        connection: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Permit>> {
        let Ok(call) = call.cast::<CallContext>() else {
            return Ok(None); // nobody's
        };
        let Some(leads) = Leads::of(call, connection)? else {
            return Ok(None);
        };
        let request = plain(&leads, &self.lock());
        ask_plain(call, request)
    }

    /// The method.
    #[getter]
    fn method<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock().method())
    }

    /// The target.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock().target())
    }

    /// Names and values in order.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let outgoing = self.lock();
        let pairs = outgoing
            .headers()
            .map(|(name, value)| (PyBytes::new(py, name), PyBytes::new(py, value)));
        PyList::new(py, pairs)
    }

    /// What was read of the body, up to the limit.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock().body())
    }

    /// Whether all header lines are known.
    #[getter]
    fn headed(&self) -> bool {
        self.lock().is_headed()
    }

    /// Whether its end was reached.
    #[getter]
    fn whole(&self) -> bool {
        self.lock().is_whole()
    }

    /// Whether it cannot be read as one request.
    #[getter]
    fn broken(&self) -> bool {
        self.lock().is_broken()
    }

    /// Whether there is a body that is not all in `body`.
    #[getter]
    fn unread(&self) -> bool {
        self.lock().is_unread()
    }

    /// Whether nothing is to be waited for any more: it is whole, broken, or longer than is kept.
    #[getter]
    fn ready(&self) -> bool {
        let outgoing = self.lock();
        outgoing.is_whole() || outgoing.is_broken() || outgoing.is_over_limit()
    }
}

impl OutgoingRequest {
    fn lock(&self) -> MutexGuard<'_, Outgoing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of bytes that are one whole request to the connection's own host; `None`, and nobody was asked, for any others.
/// Errors: as of `CallContext.observe`.
pub(crate) fn ask_whole(
    call: &Bound<'_, CallContext>,
    connection: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
) -> PyResult<Option<Permit>> {
    let (mut outgoing, data) = (Outgoing::default(), data.as_bytes());
    if outgoing.feed(data) != data.len() || !outgoing.is_whole() {
        return Ok(None);
    }
    match Leads::of(call, connection)? {
        Some(leads) => ask_plain(call, plain(&leads, &outgoing)),
        None => Ok(None),
    }
}

/// Scheme, host, port and path of an absolute target, as a forwarding proxy is given it.
#[pyfunction]
pub(crate) fn absolute_target<'py>(
    py: Python<'py>,
    target: &[u8],
) -> (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    u16,
    Bound<'py, PyBytes>,
) {
    let read = absolute(target);
    let bytes = |text: &[u8]| PyBytes::new(py, text);
    (
        bytes(&read.scheme),
        bytes(&read.host),
        read.port,
        bytes(&read.target),
    )
}

fn ask_plain(
    call: &Bound<'_, CallContext>,
    request: Option<WireRequest>,
) -> PyResult<Option<Permit>> {
    match request {
        None => Ok(None),
        Some(request) => {
            let permit = ask_now(call, Ok(request))?;
            permit.release(); // nothing below looks at it again
            Ok(Some(permit))
        }
    }
}

/// Where a connection leads.
struct Leads<'py> {
    is_tls: bool,
    host: Bound<'py, PyString>,
    port: Option<u16>,
}

impl<'py> Leads<'py> {
    /// Of a connection to its own host, while no upper hook holds a permit that may be for what it sends.
    fn of(
        call: &Bound<'_, CallContext>,
        connection: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Leads<'py>>> {
        let py = connection.py();
        let tunnel = connection.getattr(pyo3::intern!(py, "_tunnel_host"))?;
        if tunnel.is_truthy()? || call.get().call.holds_permits() {
            return Ok(None);
        }
        let host = connection.getattr(pyo3::intern!(py, "host"))?;
        let Ok(host) = host.cast_into::<PyString>() else {
            return Ok(None);
        };
        Ok(Some(Leads {
            is_tls: is_tls(connection)?,
            host,
            port: connection.getattr(pyo3::intern!(py, "port"))?.extract()?,
        }))
    }
}

/// The request, where its bytes say all there is to know of it.
fn plain(leads: &Leads<'_>, outgoing: &Outgoing) -> Option<WireRequest> {
    let is_read = outgoing.is_headed() && !outgoing.is_broken();
    let (method, target) = (ascii(outgoing.method())?, ascii(outgoing.target())?);
    if !is_read || !target.starts_with('/') || method == "CONNECT" {
        return None;
    }
    let headers = outgoing
        .headers()
        .map(|(name, value)| Some((ascii(name)?, value)));
    let host = leads.host.to_string_lossy();
    let raw = RawRequest {
        scheme: if leads.is_tls { "https" } else { "http" },
        host: &host,
        port: leads.port,
        method,
        target,
        headers: headers.collect::<Option<_>>()?,
        body: match outgoing.body() {
            _ if outgoing.is_unread() => RawBody::Unread,
            [] => RawBody::None,
            bytes => RawBody::Bytes(bytes),
        },
    };
    Some(WireRequest::read(raw, &Limits::default()))
}

fn ascii(text: &[u8]) -> Option<&str> {
    std::str::from_utf8(text)
        .ok()
        .filter(|text| text.is_ascii())
}

fn is_tls(connection: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = connection.py();
    let default_port = connection.getattr_opt(pyo3::intern!(py, "default_port"))?;
    if default_port.is_some_and(|port| port.extract::<u16>().is_ok_and(|port| port == 443)) {
        return Ok(true);
    }
    let socket = connection.getattr_opt(pyo3::intern!(py, "sock"))?;
    let Some(socket) = socket.filter(|socket| !socket.is_none()) else {
        return Ok(false);
    };
    static SYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let sys = SYS.get_or_try_init(py, || py.import("sys").map(Bound::unbind))?;
    let modules = sys.bind(py).getattr(pyo3::intern!(py, "modules"))?;
    let Some(ssl) = modules
        .cast::<PyDict>()?
        .get_item(pyo3::intern!(py, "ssl"))?
    else {
        return Ok(false);
    };
    socket.is_instance(&ssl.getattr(pyo3::intern!(py, "SSLSocket"))?)
}
