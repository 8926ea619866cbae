//! The secret of a tool: where it comes from, and what of it must not get out.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};
use toolpass_core::secret::Secret;
use toolpass_guard::redact::injected::Injected;
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

/// Every secret that a body of this process was given.
static INJECTED: LazyLock<Injected> = LazyLock::new(Injected::default);

/// Every secret that a body was given so far.
pub(crate) fn injected() -> Secrets {
    INJECTED.all()
}

/// What of a credential is redacted.
#[derive(Clone)]
pub(crate) struct Hidden {
    found: Arc<[Secret]>,
    /// Whether a secret is too short to be told from ordinary words, and is left alone.
    pub(crate) too_short: bool,
}

impl Hidden {
    /// Every secret that a body was given so far, and from now on this one's.
    pub(crate) fn injected(&self) -> Secrets {
        INJECTED.add(self.found.iter())
    }
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
            Err(PyTypeError::new_err(
                "expected `credentials` to be a mapping from names to secrets, or a callable of name and call",
            ))
        }
    }

    /// The named credential, now.
    pub(crate) fn fetch<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        context: &Py<CallContext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Source::Callable(source) => source.bind(py).call1((name, context.clone_ref(py))),
            Source::Mapping(source) => source.bind(py).get_item(name),
        }
    }
}

/// What was hidden of the last credential that was a text: most tools get the same one at every call.
#[derive(Default)]
pub(crate) struct Remembered(Mutex<Option<(Py<PyString>, Hidden)>>);

impl Remembered {
    /// [`hidden`], or what it was for the same text.
    pub(crate) fn hidden(&self, credential: &Bound<'_, PyAny>, fields: &[String]) -> Hidden {
        let Ok(text) = credential.cast_exact::<PyString>() else {
            return hidden(credential, fields);
        };
        if let Some((known, hidden)) = self.lock().as_ref()
            && is_same(known.bind(text.py()), text)
        {
            return hidden.clone();
        }
        let hidden = hidden(credential, fields);
        let before = self.lock().replace((text.clone().unbind(), hidden.clone()));
        drop(before);
        hidden
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Py<PyString>, Hidden)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_same(one: &Bound<'_, PyString>, other: &Bound<'_, PyString>) -> bool {
    one.is(other) || matches!((one.to_str(), other.to_str()), (Ok(one), Ok(other)) if one == other)
}

/// The secrets in a credential: a text, bytes, or what a container holds. Of a mapping only what stands under one of `fields`, or
/// under a key of a secret; all of it when no key is one. Of a pair the second, since the first is the user's name.
fn hidden(credential: &Bound<'_, PyAny>, fields: &[String]) -> Hidden {
    let is_secret = |key: &str| {
        if fields.is_empty() {
            is_secret_key(key)
        } else {
            fields.iter().any(|field| field == key)
        }
    };
    let mut found = Vec::new();
    collect(credential, &is_secret, MAX_LEVELS, &mut found);
    if found.is_empty() {
        collect(credential, &|_| true, MAX_LEVELS, &mut found);
    }
    let too_short = found.iter().any(|secret| secret.expose().len() < MIN_BYTES);
    Hidden {
        found: found.into(),
        too_short,
    }
}

fn collect(
    value: &Bound<'_, PyAny>,
    is_secret: &dyn Fn(&str) -> bool,
    levels: usize,
    found: &mut Vec<Secret>,
) {
    if let Ok(text) = value.cast::<PyString>() {
        found.push(Secret::new(text.to_string_lossy().into_owned()));
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        found.push(Secret::new(bytes.as_bytes()));
    } else if levels == 0 {
        // Nothing that deep is looked at.
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        for (key, item) in members(mapping) {
            if is_secret(&key) {
                collect(&item, &|_| true, levels - 1, found);
            } else if !item.is_instance_of::<PyString>() && !item.is_instance_of::<PyBytes>() {
                collect(&item, is_secret, levels - 1, found);
            }
        }
    } else {
        for item in secret_items(value) {
            collect(&item, is_secret, levels - 1, found);
        }
    }
}

fn members<'py>(mapping: &Bound<'py, PyMapping>) -> Vec<(String, Bound<'py, PyAny>)> {
    let pairs = mapping
        .items()
        .map(|items| items.iter().collect())
        .unwrap_or_else(|_| Vec::new());
    let pairs = pairs.iter().filter_map(|pair| {
        pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()
            .ok()
    });
    pairs
        .map(|(key, item)| {
            (
                key.str()
                    .map(|key| key.to_string_lossy().into_owned())
                    .unwrap_or_default(),
                item,
            )
        })
        .collect()
}

fn secret_items<'py>(value: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
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
    if is_container {
        value.try_iter().into_iter().flatten().flatten().collect()
    } else {
        Vec::new()
    }
}
