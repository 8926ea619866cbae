//! `session_store`, `session_secret` and `session_idle`, as they are given.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use toolpass_core::secret::{Secret as Core, SecretRef};
use toolpass_guard::session::stored::StoreId;

use super::foreign::METHODS;
use super::{Keeper, Kind, Native};
use crate::engine::{Server, Toolpass};
use crate::secrets::Secret;

/// Every store that is in use: toolkits of one store share it.
static KEEPERS: Mutex<Vec<Weak<Keeper>>> = Mutex::new(Vec::new());

/// Stores of applications' own, which keep their numbers for good.
static FOREIGN: Mutex<Vec<Py<PyAny>>> = Mutex::new(Vec::new());

/// The store of a toolkit; none for `"memory"`.
/// Errors: `ValueError`, `TypeError`, naming the setting.
pub(crate) fn of_settings(
    store: Option<&Bound<'_, PyAny>>,
    secret: Option<&Bound<'_, PyAny>>,
    idle: Option<&Bound<'_, PyAny>>,
    asked: Option<&Py<Toolpass>>,
) -> PyResult<Option<Arc<Keeper>>> {
    let secret = secret.map(shared_secret).transpose()?;
    let idle = idle.map_or(Ok(DAY), duration)?;
    let Some(store) = store else {
        return Ok(None);
    };
    let Some(kind) = kind(store, secret.is_some(), asked)? else {
        return Ok(None);
    };
    let id = number(store.py(), &kind, secret.as_ref());
    let mut keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    keepers.retain(|keeper| keeper.strong_count() > 0);
    let mut known = keepers.iter().filter_map(Weak::upgrade);
    if let Some(known) = known.find(|keeper| keeper.id == id && keeper.idle == idle) {
        return Ok(Some(known));
    }
    let keeper = Arc::new(Keeper {
        id,
        kind,
        secret,
        idle,
    });
    keepers.push(Arc::downgrade(&keeper));
    Ok(Some(keeper))
}

fn kind(
    store: &Bound<'_, PyAny>,
    has_secret: bool,
    asked: Option<&Py<Toolpass>>,
) -> PyResult<Option<Kind>> {
    let text = if let Ok(reference) = store.cast::<Secret>() {
        read("session_store", &reference.get().0)?
    } else if let Ok(text) = store.extract::<&str>() {
        if text.contains("://") && text.contains('@') {
            return Err(PyValueError::new_err(
                "expected a `session_store` with a login as `toolpass.env(...)` or `toolpass.file(...)`, so that it is in no program",
            ));
        }
        Core::new(text)
    } else {
        return foreign(store, has_secret).map(Some);
    };
    let built = |native| Ok(Some(Kind::Native(native, Mutex::new(None))));
    let shown = String::from_utf8_lossy(text.expose()).into_owned();
    match shown.split_once(':') {
        None if shown == "memory" => Ok(None),
        None if shown == "server" => {
            let server = match asked.and_then(|asked| asked.get().way()) {
                Some(way) => way.clone(),
                None => Server::of_environment(store.py()).map_err(|error| {
                    PyValueError::new_err(format!(
                        "`session_store=\"server\"` needs `permissions=Toolpass.remote(...)`, or TOOLPASS_URL and TOOLPASS_API_KEY: {error}"
                    ))
                })?,
            };
            built(Native::Server(Box::new(server)))
        }
        Some(("sqlite", path)) if !path.is_empty() => built(Native::Sqlite(PathBuf::from(path))),
        Some(("valkey" | "valkeys" | "redis" | "rediss", rest)) if rest.starts_with("//") => {
            built(Native::Valkey(text))
        }
        Some(("postgresql" | "postgres", rest)) if rest.starts_with("//") => {
            built(Native::Postgres(text))
        }
        // A URL may hold a password, and is not shown.
        _ => Err(PyValueError::new_err(format!(
            "expected `session_store` to be {FORMS}"
        ))),
    }
}

fn foreign(store: &Bound<'_, PyAny>, has_secret: bool) -> PyResult<Kind> {
    let has = |method: &str| store.getattr(method).is_ok_and(|found| found.is_callable());
    if !METHODS.into_iter().all(has) {
        return Err(PyTypeError::new_err(format!(
            "expected `session_store` to be {FORMS}, or an object with the methods {}",
            METHODS.join(", ")
        )));
    }
    if !has_secret {
        return Err(PyValueError::new_err(
            "expected `session_secret` as well: a `session_store` of your own keeps none",
        ));
    }
    Ok(Kind::Foreign(store.clone().unbind()))
}

/// The number of a store: the same for what is the same store under the same secret.
fn number(py: Python<'_>, kind: &Kind, secret: Option<&Core>) -> StoreId {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    let mut part = |bytes: &[u8]| {
        context.update(&(bytes.len() as u64).to_le_bytes());
        context.update(bytes);
    };
    match kind {
        Kind::Foreign(store) => {
            let mut known = FOREIGN.lock().unwrap_or_else(PoisonError::into_inner);
            let found = known.iter().position(|known| known.is(store));
            let place = found.unwrap_or_else(|| {
                known.push(store.clone_ref(py));
                known.len() - 1
            });
            part(&place.to_le_bytes());
        }
        Kind::Native(Native::Postgres(url) | Native::Valkey(url), _) => part(url.expose()),
        Kind::Native(Native::Server(server), _) => part(server.shown().0.as_bytes()),
        Kind::Native(Native::Sqlite(path), _) => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            part(whole.as_os_str().as_encoded_bytes());
        }
    }
    part(secret.map_or(&[][..], Core::expose));
    let digest = context.finish();
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(digest.as_ref()) {
        *to = *from;
    }
    StoreId(u64::from_le_bytes(first))
}

fn shared_secret(given: &Bound<'_, PyAny>) -> PyResult<Core> {
    let reference = given.cast::<Secret>().map_err(|_| {
        PyTypeError::new_err(
            "expected `session_secret` to be `toolpass.env(...)` or `toolpass.file(...)`",
        )
    })?;
    let secret = read("session_secret", &reference.get().0)?;
    if secret.expose().len() < MIN_SECRET {
        return Err(PyValueError::new_err(format!(
            "expected `session_secret` to have at least {MIN_SECRET} bytes"
        )));
    }
    Ok(secret)
}

fn read(setting: &str, reference: &SecretRef) -> PyResult<Core> {
    toolpass_http::secrets::read(reference)
        .map_err(|error| PyValueError::new_err(format!("`{setting}`: {error}")))
}

/// A `timedelta`, or a number of seconds.
fn duration(given: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds = given
        .extract::<f64>()
        .ok()
        .filter(|_| !given.is_instance_of::<PyBool>());
    let read = match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => given.extract::<Duration>().ok(),
    };
    read.filter(|idle| *idle >= Duration::from_secs(1) && *idle <= DAY * 366)
        .ok_or_else(|| {
            PyValueError::new_err(
                "expected `session_idle` to be a `timedelta` or a number of seconds, from one second to a year",
            )
        })
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const MIN_SECRET: usize = 16;

const FORMS: &str = "\"memory\", \"server\", \"sqlite:PATH\", or a valkey:// or postgresql:// URL, best as `toolpass.env(...)`";
