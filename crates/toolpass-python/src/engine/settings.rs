//! Connections given in code, and the systems a toolkit attributes requests to.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};
use toolpass_config::load::CodeInput;
use toolpass_guard::settings::KnownSystems;
use toolpass_integration::fields::{CodeValue, Lookup, LookupAnswer, Settings, Value};
use toolpass_wire::observe::Systems;

use super::Toolpass;
use crate::secrets::Secret;

/// Connections as mappings with exactly the file's keys.
/// Errors: `TypeError` for what is no mapping.
pub(super) fn connections(given: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<(String, CodeInput)>>> {
    let wrong = || {
        PyTypeError::new_err("expected `connections` to be a list of mappings from keys to values")
    };
    if given.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    given
        .try_iter()
        .map_err(|_| wrong())?
        .map(|connection| members(&connection?).map_err(|_| wrong()))
        .collect()
}

fn members(connection: &Bound<'_, PyAny>) -> PyResult<Vec<(String, CodeInput)>> {
    let items = connection.call_method0("items")?;
    items
        .try_iter()?
        .map(|pair| {
            let (key, value): (String, Bound<'_, PyAny>) = pair?.extract()?;
            Ok((key, input(&value)?))
        })
        .collect()
}

fn input(value: &Bound<'_, PyAny>) -> PyResult<CodeInput> {
    if value.is_none() {
        return Ok(CodeInput::Null);
    }
    if let Ok(secret) = value.cast::<Secret>() {
        return Ok(CodeInput::Secret(secret.get().0.clone()));
    }
    if let Ok(text) = scalar_text(value) {
        return Ok(CodeInput::Text(text));
    }
    Ok(CodeInput::Code(CodeValue::Lookup(Arc::new(Callable(
        value.clone().unbind(),
    )))))
}

/// A scalar as the text a file would hold.
/// Errors: `TypeError` for what is no scalar.
pub(super) fn scalar_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(truth.is_true().to_string());
    }
    if value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
    {
        return Ok(value.str()?.to_string_lossy().into_owned());
    }
    Err(PyTypeError::new_err(
        "expected a text, a number, True or False",
    ))
}

/// The systems of a toolkit: of `connections` when given, else of an engine in this process, else those that its server tells. An
/// engine of another kind tells none, so nobody knows which hosts are its connections'.
/// Errors: `TypeError` for an engine without `check`; `ValueError` for a connection without id or integration.
pub(crate) fn systems(
    _py: Python<'_>,
    engine: Option<&Bound<'_, PyAny>>,
    connections: Option<&Bound<'_, PyAny>>,
) -> PyResult<KnownSystems> {
    if let Some(engine) = engine
        && engine.is_instance_of::<PyType>()
    {
        return Err(PyTypeError::new_err(format!(
            "expected `permissions` to be an engine, not the class {}; make one of it",
            engine.getattr("__name__")?
        )));
    }
    if let Some(engine) = engine
        && !engine
            .getattr("check")
            .is_ok_and(|check| check.is_callable())
    {
        return Err(PyTypeError::new_err(
            "expected `permissions` to be an engine: an object with a callable `check`",
        ));
    }
    if let Some(connections) = connections {
        return Ok(KnownSystems::Known(Arc::new(described(connections)?)));
    }
    match engine.map(|engine| engine.cast::<Toolpass>()) {
        Some(Ok(native)) => Ok(native.get().systems()),
        Some(Err(_)) => Ok(KnownSystems::NeverTold),
        None => Ok(KnownSystems::Known(Arc::new(Systems::new(Vec::new())))),
    }
}

/// Systems described by hand, for an engine that runs elsewhere: `id`, `integration`, and what says where it is reached.
fn described(given: &Bound<'_, PyAny>) -> PyResult<Systems> {
    let mut systems = Vec::new();
    for one in given.try_iter()? {
        let id = one?.get_item("id");
        if id.is_ok_and(|id| !id.is_instance_of::<PyString>()) {
            return Err(PyValueError::new_err(
                "expected the `id` of every one of `connections` to be a text",
            ));
        }
    }
    for members in connections(given)? {
        let text = |key: &str| {
            members.iter().find_map(|(name, value)| match value {
                CodeInput::Text(text) if name == key => Some(text.clone()),
                _ => None,
            })
        };
        let wrong = |what: &str| {
            PyValueError::new_err(format!(
                "expected every one of `connections` to have {what}"
            ))
        };
        let id = text("id").ok_or_else(|| wrong("an `id`"))?;
        let name = text("integration").ok_or_else(|| wrong("an `integration`"))?;
        let integration = toolpass_registry::find(&name).ok_or_else(|| {
            let known: Vec<&str> = toolpass_registry::all()
                .iter()
                .map(|known| known.name())
                .collect();
            PyValueError::new_err(format!(
                "connection `{id}`: there is no integration `{name}`; known are {}",
                known.join(", ")
            ))
        })?;
        if integration.routes().is_none() {
            continue;
        }
        let defaults = integration
            .keys()
            .iter()
            .filter_map(|key| Some((key.name.to_owned(), Value::Text(key.default?.to_owned()))));
        let mut values: BTreeMap<String, Value> = defaults.collect();
        values.extend(members.iter().filter_map(|(key, value)| match value {
            CodeInput::Text(text) => Some((key.clone(), Value::Text(text.clone()))),
            CodeInput::Code(_) | CodeInput::Null | CodeInput::Secret(_) => None,
        }));
        let settings = Settings::new(values);
        let system = toolpass_local::system(&id, integration, &settings);
        let mut system =
            system.map_err(|error| PyValueError::new_err(format!("connection `{id}`: {error}")))?;
        if system.endpoints.is_empty() {
            return Err(PyValueError::new_err(format!(
                "connection `{id}`: expected settings that say where it is reached, such as `url` with `https://`"
            )));
        }
        system.private = settings.flag("private", false);
        system.strict_reads = settings.flag("strict_reads", false);
        systems.push(system);
    }
    Ok(Systems::new(systems))
}

/// A callable of the application as a look-up: `callable(text) -> text or None`, sync or async.
struct Callable(Py<PyAny>);

impl Lookup for Callable {
    fn lookup<'a>(&'a self, text: &'a str) -> BoxFuture<'a, LookupAnswer> {
        let callable = Python::attach(|py| self.0.clone_ref(py));
        let text = text.to_owned();
        async move {
            // The callable may take its time: not on a worker that moves everyone's bytes.
            let called = tokio::task::spawn_blocking(move || {
                Python::attach(|py| answer(callable.bind(py), &text))
            });
            called.await.unwrap_or(LookupAnswer::Failed)
        }
        .boxed()
    }
}

/// Call it; an awaitable answer is run to its end on a loop of its own.
fn answer(callable: &Bound<'_, PyAny>, text: &str) -> LookupAnswer {
    let py = callable.py();
    let called = callable.call1((text,)).and_then(|value| {
        if value.get_type().hasattr("__await__")? {
            py.import("toolpass._context")?
                .call_method1("run_awaitable", (value,))
        } else {
            Ok(value)
        }
    });
    match called {
        Ok(value) if value.is_none() => LookupAnswer::Nothing,
        Ok(value) => value
            .extract::<String>()
            .map_or(LookupAnswer::Failed, LookupAnswer::Text),
        Err(_) => LookupAnswer::Failed,
    }
}
