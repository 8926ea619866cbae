//! The secret of a tool: where it comes from, and what of it must not get out.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};
use toolpass_core::secret::Secret;
use toolpass_guard::redact::{MIN_BYTES, Secrets, is_secret_key};

use crate::call::CallContext;

/// How deep a credential is followed.
const MAX_LEVELS: usize = 5;

/// A toolkit's `credentials`.
pub(crate) enum Source {
    /// Called with the name and the call.
    Callable(Py<PyAny>),
    /// Looked up by name.
    Mapping(Py<PyAny>),
}

/// What of a credential is redacted.
pub(crate) struct Hidden {
    /// The texts.
    pub(crate) secrets: Secrets,
    /// Whether a secret is too short to be told from ordinary words, and is left alone.
    pub(crate) too_short: bool,
}

impl Source {
    /// What a toolkit was given.
    /// Errors: `TypeError` for what is neither a mapping nor a callable.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Source> {
        if given.cast::<PyMapping>().is_ok() {
            Ok(Source::Mapping(given.clone().unbind()))
        } else if given.is_callable() {
            Ok(Source::Callable(given.clone().unbind()))
        } else {
            Err(PyTypeError::new_err("expected `credentials` to be a mapping from names to secrets, or a callable of name and call"))
        }
    }

    /// The named credential, now.
    pub(crate) fn fetch<'py>(&self, py: Python<'py>, name: &str, context: &Py<CallContext>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Source::Callable(source) => source.bind(py).call1((name, context.clone_ref(py))),
            Source::Mapping(source) => source.bind(py).get_item(name),
        }
    }
}

/// The secrets in a credential: a text, bytes, or what a container holds. Under a mapping's keys only what `fields` names or a
/// key of a secret holds, all of it when no key is one; of a pair the second, since the first is the user's name.
pub(crate) fn hidden(credential: &Bound<'_, PyAny>, fields: &[String]) -> Hidden {
    let mut found = Vec::new();
    collect(credential, fields, MAX_LEVELS, &mut found);
    let too_short = found.iter().any(|secret| secret.expose().len() < MIN_BYTES);
    Hidden { secrets: Secrets::new(&found), too_short }
}

fn collect(value: &Bound<'_, PyAny>, fields: &[String], levels: usize, found: &mut Vec<Secret>) {
    if let Ok(text) = value.cast::<PyString>() {
        found.push(Secret::new(text.to_string_lossy().into_owned()));
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        found.push(Secret::new(bytes.as_bytes()));
    } else if levels > 0 {
        for item in secret_items(value, fields) {
            collect(&item, fields, levels - 1, found);
        }
    }
}

fn secret_items<'py>(value: &Bound<'py, PyAny>, fields: &[String]) -> Vec<Bound<'py, PyAny>> {
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return secret_members(mapping, fields);
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && let [first, second] = pair.iter().collect::<Vec<_>>().as_slice()
        && first.is_instance_of::<PyString>()
    {
        return vec![second.clone()];
    }
    let is_container = value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>();
    if is_container { value.try_iter().into_iter().flatten().flatten().collect() } else { Vec::new() }
}

fn secret_members<'py>(mapping: &Bound<'py, PyMapping>, fields: &[String]) -> Vec<Bound<'py, PyAny>> {
    let Ok(items) = mapping.items() else { return Vec::new() };
    let pairs: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> = items.iter().filter_map(|pair| pair.extract().ok()).collect();
    let is_secret = |key: &Bound<'_, PyAny>| {
        let key = key.str().map(|key| key.to_string_lossy().into_owned()).unwrap_or_default();
        if fields.is_empty() { is_secret_key(&key) } else { fields.contains(&key) }
    };
    let named = pairs.iter().any(|(key, _)| is_secret(key));
    // A container under any key may hold a secret of its own.
    let kept = pairs.into_iter().filter(|(key, value)| !named || is_secret(key) || value.cast::<PyMapping>().is_ok());
    kept.map(|(_, value)| value).collect()
}
