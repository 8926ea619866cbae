//! The way to a server: what `Toolpass.remote` is given, and what the environment says where it is given nothing.
//!
//! INVARIANT: the key is in no message and no `repr`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolpass_client::address;
use toolpass_client::remote::{Remote, RemoteSettings};
use toolpass_core::secret::Secret as Core;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::url::Url;

use super::Behind;
use crate::secrets::Secret;

/// The way to a server.
#[derive(Clone)]
pub(crate) struct Server {
    settings: RemoteSettings,
    /// A client for sessions, whose connections never cross a fork.
    sessions: Arc<Remote>,
}

impl Server {
    /// Read the arguments of `Toolpass.remote`.
    /// Errors: `ValueError` and `TypeError`, naming the argument or the variable.
    pub(super) fn of(
        py: Python<'_>,
        url: Option<&Bound<'_, PyAny>>,
        api_key: Option<&Bound<'_, PyAny>>,
        timeout: f64,
        ca_file: Option<&Path>,
    ) -> PyResult<Server> {
        let settings = RemoteSettings {
            url: url_of(py, url)?,
            key: key_of(py, api_key)?,
            timeout: timeout_of(timeout)?,
            ca_pem: ca_file.map(read_certificates).transpose()?,
            environment: ProxyEnvironment::from_env(),
        };
        let sessions = Remote::new(settings.clone(), super::clock())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Server {
            settings,
            sessions: Arc::new(sessions),
        })
    }

    /// The server that the environment names.
    /// Errors: `ValueError` when it names none.
    pub(crate) fn of_environment(py: Python<'_>) -> PyResult<Server> {
        if variable(py, URL)?.is_none() {
            return Err(PyValueError::new_err("TOOLPASS_URL is not set"));
        }
        Server::of(py, None, None, 10.0, None)
    }

    /// The engine behind it. No network is touched.
    pub(super) fn behind(&self) -> PyResult<Behind> {
        Behind::server(&self.settings).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The address and the key.
    pub(crate) fn shown(&self) -> (String, String) {
        let key = String::from_utf8_lossy(self.settings.key.expose());
        (address::shown(&self.settings.url), key.into_owned())
    }

    /// The server as a store of sessions.
    pub(crate) fn sessions(&self) -> toolpass_store::server::Server {
        toolpass_store::server::Server::new(Arc::clone(&self.sessions))
    }

    /// The address.
    pub(crate) fn url(&self) -> &Url {
        &self.settings.url
    }

    /// The key.
    pub(crate) fn key(&self) -> &Core {
        &self.settings.key
    }

    /// Certificates that are trusted instead of the system's.
    pub(crate) fn ca_pem(&self) -> Option<&[u8]> {
        self.settings.ca_pem.as_deref()
    }
}

fn url_of(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Url> {
    let (name, text) = match given {
        Some(given) => ("url", Some(text("url", given)?)),
        None => (URL, variable(py, URL)?),
    };
    let text = text.unwrap_or_else(|| DEFAULT_URL.to_owned());
    address::server(&text).map_err(|error| PyValueError::new_err(format!("`{name}`: {error}")))
}

/// The key, read once: a text, or `toolpass.env(...)` and `toolpass.file(...)`.
fn key_of(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Core> {
    let (name, key) = match given {
        Some(given) => match given.cast::<Secret>() {
            Ok(secret) => {
                let read = toolpass_http::secrets::read(&secret.get().0);
                let read =
                    read.map_err(|error| PyValueError::new_err(format!("`api_key`: {error}")));
                ("api_key", Some(read?))
            }
            Err(_) => ("api_key", Some(Core::new(text("api_key", given)?))),
        },
        None => (API_KEY, variable(py, API_KEY)?.map(Core::new)),
    };
    let key = key.filter(|key| !key.expose().trim_ascii().is_empty());
    let Some(key) = key else {
        return Err(PyValueError::new_err(
            "expected `api_key`, or the environment variable TOOLPASS_API_KEY: a server answers nobody without a key",
        ));
    };
    let fits = key.expose().trim_ascii();
    if fits.iter().any(|byte| !byte.is_ascii_graphic()) {
        return Err(PyValueError::new_err(format!(
            "`{name}`: expected printable ASCII without spaces"
        )));
    }
    Ok(Core::new(fits))
}

fn timeout_of(seconds: f64) -> PyResult<Duration> {
    let read = Duration::try_from_secs_f64(seconds).ok();
    read.filter(|time| !time.is_zero() && *time <= LONGEST)
        .ok_or_else(|| {
            PyValueError::new_err("`timeout`: expected a number of seconds above 0 and up to 3600")
        })
}

fn read_certificates(path: &Path) -> PyResult<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| PyValueError::new_err(format!("`ca_file`: it cannot be read: {error}")))
}

fn text(name: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    match given.cast::<PyString>() {
        Ok(text) => Ok(text.to_string_lossy().into_owned()),
        Err(_) => Err(PyTypeError::new_err(format!(
            "expected `{name}` to be a text"
        ))),
    }
}

/// A variable of the environment as Python has it; nothing when it is empty.
fn variable(py: Python<'_>, name: &str) -> PyResult<Option<String>> {
    let environment = py.import("os")?.getattr("environ")?;
    let value: Option<String> = environment.call_method1("get", (name,))?.extract()?;
    Ok(value.filter(|value| !value.is_empty()))
}

const LONGEST: Duration = Duration::from_secs(3600);
const DEFAULT_URL: &str = "http://localhost:8080";
const API_KEY: &str = "TOOLPASS_API_KEY";
const URL: &str = "TOOLPASS_URL";
