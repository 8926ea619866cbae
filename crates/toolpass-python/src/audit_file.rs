//! `toolpass.audit_file`: a sink that writes events into a file whose lines are bound by hashes.

use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use toolpass_audit::chain::{Chain, Flush};
use toolpass_audit::error::Error;
use toolpass_audit::line::MAX_BYTES;

use crate::audit::AuditEvent;

/// A sink that writes each event as a line of a file. Made by `audit_file`.
#[pyclass(frozen, weakref, module = "toolpass._native")]
pub(crate) struct AuditFile {
    chain: Chain,
    path: PathBuf,
}

#[pymethods]
impl AuditFile {
    /// Write an event, without the interpreter's lock; one that is too long for a line is cut. Answers the line's hash.
    fn __call__(&self, py: Python<'_>, event: &Bound<'_, AuditEvent>) -> PyResult<String> {
        let event = event.get();
        py.detach(|| self.chain.append(&event.to_json_within(MAX_BYTES)))
            .map(|hash| hash.to_string())
            .map_err(raised)
    }

    fn __repr__(&self) -> String {
        format!("audit_file({:?})", self.path.display().to_string())
    }
}

/// A sink for `audit=` that writes each event as a line of a file, bound to the line before it by a hash.
///
/// Args:
///     path: The file; made when it is not there, readable for its owner alone. Several processes may write it, and it may
///         be moved away while they do.
///     after: The file it continues when it must be made, moved away while nobody wrote.
///     durable: Whether each line is on the disk before the call goes on, or with the operating system alone.
///
/// Returns:
///     The sink. Called with an event, it answers the hash of the line, which may be noted elsewhere.
///
/// Raises:
///     OSError: The file cannot be written.
///     ValueError: The file holds something else.
#[pyfunction]
#[pyo3(signature = (path, *, after=None, durable=false))]
pub(crate) fn audit_file(
    py: Python<'_>,
    path: PathBuf,
    after: Option<PathBuf>,
    durable: bool,
) -> PyResult<AuditFile> {
    let flush = if durable { Flush::Disk } else { Flush::System };
    let opened = py.detach(|| match &after {
        Some(previous) => Chain::open_after(&path, previous, flush),
        None => Chain::open(&path, flush),
    });
    let chain = opened.map_err(raised)?;
    Ok(AuditFile { chain, path })
}

fn raised(error: Error) -> PyErr {
    match &error {
        Error::NotAChain { .. } | Error::NotAnEvent { .. } => {
            PyValueError::new_err(error.to_string())
        }
        Error::Unusable { file, source } => match source.raw_os_error() {
            Some(number) => PyOSError::new_err((number, source.to_string(), file.clone())),
            None => PyOSError::new_err(error.to_string()),
        },
    }
}
