//! `toolpass.env`, `toolpass.file`, `toolpass.literal`: references to secrets, which show nothing.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use toolpass_core::secret::{Secret as Core, SecretRef};

/// A reference to a secret. Prints as `[REDACTED]`, cannot be pickled.
#[pyclass(frozen, weakref, module = "toolpass")]
pub(crate) struct Secret(pub(crate) SecretRef);

#[pymethods]
impl Secret {
    /// `env:NAME`, `file:PATH` or `literal`.
    #[pyo3(name = "ref")]
    fn reference(&self) -> String {
        self.0.shown()
    }

    fn __repr__(&self) -> &'static str {
        "[REDACTED]"
    }

    fn __str__(&self) -> &'static str {
        "[REDACTED]"
    }

    fn __format__(&self, _spec: &str) -> &'static str {
        "[REDACTED]"
    }

    fn __reduce__(&self) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err("a secret cannot be pickled"))
    }
}

/// A secret in an environment variable, read at every use.
#[pyfunction]
pub(crate) fn env(name: &str) -> PyResult<Secret> {
    parse(&format!("env:{name}"))
}

/// A secret in a file, read at every use.
#[pyfunction]
pub(crate) fn file(path: std::path::PathBuf) -> PyResult<Secret> {
    parse(&format!("file:{}", path.display()))
}

/// A secret in memory.
#[pyfunction]
pub(crate) fn literal(value: &Bound<'_, PyAny>) -> PyResult<Secret> {
    let bytes = value
        .extract::<&str>()
        .map(|text| text.as_bytes().to_vec())
        .or_else(|_| value.extract::<Vec<u8>>());
    let bytes =
        bytes.map_err(|_| PyTypeError::new_err("expected the secret as a text or bytes"))?;
    if bytes.is_empty() {
        return Err(PyValueError::new_err("expected a secret that is not empty"));
    }
    Ok(Secret(SecretRef::Literal(Core::new(bytes))))
}

fn parse(text: &str) -> PyResult<Secret> {
    SecretRef::parse(text)
        .map(Secret)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A credential as a body gets it: one of our references is read, anything else is as it is.
/// Errors: why the reference cannot be read, in the words of the command.
pub(crate) fn revealed<'py>(
    py: Python<'py>,
    value: Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, String> {
    let Ok(secret) = value.cast::<Secret>() else {
        return Ok(value);
    };
    let read = toolpass_http::secrets::read(&secret.get().0).map_err(|error| error.to_string())?;
    match read.expose_str() {
        Some(text) => Ok(pyo3::types::PyString::new(py, text).into_any()),
        None => Ok(pyo3::types::PyBytes::new(py, read.expose()).into_any()),
    }
}
