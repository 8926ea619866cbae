//! Where a host of no connection leads, asked of the resolver for the guard.

use std::net::IpAddr;
use std::sync::Arc;

use pyo3::prelude::*;
use toolpass_guard::settings::KnownSystems;
use toolpass_local::addresses::{locate, located};

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
    state: &Arc<State>,
    host: String,
    port: u16,
) -> PyResult<Vec<IpAddr>> {
    match located(&state.looked, &*clock(), &host) {
        Some(addresses) => Ok(addresses),
        None => runtime::wait(py, find(Arc::clone(state), host, port)),
    }
}

/// The same without blocking the loop.
pub(crate) fn soon<'py>(
    py: Python<'py>,
    state: &Arc<State>,
    host: String,
    port: u16,
) -> PyResult<Located<'py>> {
    match located(&state.looked, &*clock(), &host) {
        Some(addresses) => Ok(Located::Now(addresses)),
        None => {
            let finish =
                |py: Python<'_>, addresses: Vec<IpAddr>| Ok(addresses.into_pyobject(py)?.unbind());
            awaitable(py, find(Arc::clone(state), host, port), finish).map(Located::Later)
        }
    }
}

async fn find(state: Arc<State>, host: String, port: u16) -> Vec<IpAddr> {
    match &state.settings.systems {
        KnownSystems::Known(systems) => {
            locate(systems, &state.looked, &*clock(), &host, port).await
        }
        KnownSystems::NeverTold => Vec::new(),
    }
}
