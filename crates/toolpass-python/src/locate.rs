//! Where a host of no connection leads, asked of the resolver for the guard.

use std::net::IpAddr;
use std::sync::Arc;

use pyo3::prelude::*;
use toolpass_local::addresses::{Looked, locate, located};
use toolpass_wire::observe::Systems;

use crate::bridge::awaitable;
use crate::engine::clock;
use crate::runtime;
use crate::toolkit::State;

/// Addresses now, or something to await for them.
pub(crate) enum Located<'py> {
    /// An awaitable of a list of addresses.
    Later(Bound<'py, PyAny>),
    /// Now.
    Now(Vec<IpAddr>),
}

/// The addresses of a host, waiting for them with the interpreter's lock let go.
pub(crate) fn now(
    py: Python<'_>,
    place: (&Arc<State>, Option<&Arc<Systems>>),
    host: String,
    port: u16,
) -> PyResult<Vec<IpAddr>> {
    let Some((systems, looked)) = known(place)? else {
        return Ok(Vec::new());
    };
    match located(&looked, &*clock(), &host) {
        Some(addresses) => Ok(addresses),
        None => runtime::wait(py, find(systems, looked, host, port)),
    }
}

/// The same without blocking the loop.
pub(crate) fn soon<'py>(
    py: Python<'py>,
    place: (&Arc<State>, Option<&Arc<Systems>>),
    host: String,
    port: u16,
) -> PyResult<Located<'py>> {
    let Some((systems, looked)) = known(place)? else {
        return Ok(Located::Now(Vec::new()));
    };
    match located(&looked, &*clock(), &host) {
        Some(addresses) => Ok(Located::Now(addresses)),
        None => {
            let finish =
                |py: Python<'_>, addresses: Vec<IpAddr>| Ok(addresses.into_pyobject(py)?.unbind());
            awaitable(py, find(systems, looked, host, port), finish).map(Located::Later)
        }
    }
}

/// The systems of a request, and until when their addresses are known: as its server told them, or as the toolkit has them.
fn known(
    (state, systems): (&Arc<State>, Option<&Arc<Systems>>),
) -> PyResult<Option<(Arc<Systems>, Arc<Looked>)>> {
    let Some(systems) = systems else {
        return Ok(None);
    };
    let of_server = match &state.engine {
        Some(engine) if state.is_served() => engine.looked(systems)?,
        Some(_) | None => None,
    };
    let looked = of_server.unwrap_or_else(|| Arc::clone(&state.looked));
    Ok(Some((Arc::clone(systems), looked)))
}

async fn find(systems: Arc<Systems>, looked: Arc<Looked>, host: String, port: u16) -> Vec<IpAddr> {
    locate(&systems, &looked, &*clock(), &host, port).await
}
