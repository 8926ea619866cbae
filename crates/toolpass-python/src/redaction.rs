//! Secrets of a call taken out of whatever its body returns or raises.
//!
//! Containers are rebuilt only where they mention a secret; an object that does not is returned as it is. What is neither a
//! container nor rebuildable becomes its redacted text.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple};
use toolpass_core::secret::REDACTED;
use toolpass_guard::redact::Secrets;

/// How deep a value is followed; below that a mention blanks the whole.
const MAX_LEVELS: usize = 20;

/// How far a chain of exceptions is followed.
const MAX_CHAIN: usize = 20;

/// The value without the secrets.
pub(crate) fn redacted<'py>(py: Python<'py>, value: &Bound<'py, PyAny>, secrets: &Secrets) -> PyResult<Bound<'py, PyAny>> {
    walk(py, value, secrets, MAX_LEVELS)
}

/// Whether an exception, its causes, contexts and notes mention a secret.
pub(crate) fn chain_mentions(py: Python<'_>, error: &PyErr, secrets: &Secrets) -> bool {
    let mut pending = vec![error.value(py).clone().into_any()];
    let mut seen = 0;
    while let Some(exception) = pending.pop() {
        seen += 1;
        if seen > MAX_CHAIN {
            return true;
        }
        let shown = |object: PyResult<Bound<'_, PyString>>| object.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
        let members = ["args", "__notes__", "__dict__"].map(|name| exception.getattr(name).map(|member| shown(member.repr())).unwrap_or_default());
        if members.iter().chain([&shown(exception.str())]).any(|text| secrets.mentioned_in(text)) {
            return true;
        }
        let linked = ["__cause__", "__context__"].map(|name| exception.getattr(name).ok().filter(|linked| !linked.is_none()));
        pending.extend(linked.into_iter().flatten());
    }
    false
}

fn walk<'py>(py: Python<'py>, value: &Bound<'py, PyAny>, secrets: &Secrets, levels: usize) -> PyResult<Bound<'py, PyAny>> {
    if levels == 0 {
        return Ok(if mentioned(value, secrets) { PyString::new(py, REDACTED).into_any() } else { value.clone() });
    }
    let inner = |item: &Bound<'py, PyAny>| walk(py, item, secrets, levels - 1);
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(redact_text(py, text, secrets));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        let text = String::from_utf8_lossy(bytes.as_bytes());
        return Ok(if secrets.mentioned_in(&text) { PyBytes::new(py, secrets.redact(&text).as_bytes()).into_any() } else { value.clone() });
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        let owned = bytes.to_vec();
        let text = String::from_utf8_lossy(&owned);
        return Ok(if secrets.mentioned_in(&text) { PyByteArray::new(py, secrets.redact(&text).as_bytes()).into_any() } else { value.clone() });
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let clean = PyDict::new(py);
        for (key, item) in dict.iter() {
            clean.set_item(inner(&key)?, inner(&item)?)?;
        }
        return Ok(clean.into_any());
    }
    if let Ok(list) = value.cast::<PyList>() {
        let items = list.iter().map(|item| inner(&item)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, items)?.into_any());
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        let items = tuple.iter().map(|item| inner(&item)).collect::<PyResult<Vec<_>>>()?;
        let make = value.get_type().getattr("_make").ok();
        let items = PyTuple::new(py, items)?;
        return match make {
            Some(make) => make.call1((items,)),
            None => Ok(items.into_any()),
        };
    }
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        let items = value.try_iter()?.map(|item| inner(&item?)).collect::<PyResult<Vec<_>>>()?;
        return value.get_type().call1((PyList::new(py, items)?,));
    }
    redact_object(py, value, secrets, levels)
}

/// Anything else: untouched when it mentions nothing, else its fields rebuilt, else its text, else nothing of it.
fn redact_object<'py>(py: Python<'py>, value: &Bound<'py, PyAny>, secrets: &Secrets, levels: usize) -> PyResult<Bound<'py, PyAny>> {
    if !mentioned(value, secrets) {
        return Ok(value.clone());
    }
    if let Some(members) = members_of(py, value) {
        let clean = walk(py, &members, secrets, levels - 1)?;
        if let Ok(rebuilt) = rebuilt(value, &clean)
            && !mentioned(&rebuilt, secrets)
        {
            return Ok(rebuilt);
        }
        return Ok(clean);
    }
    let text = value.str()?;
    let clean = redact_text(py, &text, secrets);
    Ok(if mentioned(&clean, secrets) { PyString::new(py, REDACTED).into_any() } else { clean })
}

/// The members of a dataclass or a pydantic model.
fn members_of<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if value.hasattr("__dataclass_fields__").unwrap_or(false) {
        let fields = PyDict::new(py);
        for name in value.getattr("__dataclass_fields__").ok()?.try_iter().ok()? {
            let name = name.ok()?.cast_into::<PyString>().ok()?;
            fields.set_item(&name, value.getattr(&name).ok()?).ok()?;
        }
        return Some(fields.into_any());
    }
    value.call_method0("model_dump").ok()
}

fn rebuilt<'py>(value: &Bound<'py, PyAny>, members: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("dataclasses")?.getattr("replace")?.call((value,), Some(members.cast::<PyDict>()?))
}

/// Whether an object's text, representation or members mention a secret.
fn mentioned(value: &Bound<'_, PyAny>, secrets: &Secrets) -> bool {
    let shown = |object: PyResult<Bound<'_, PyString>>| object.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    let members = value.getattr("__dict__").map(|members| shown(members.repr())).unwrap_or_default();
    [shown(value.repr()), shown(value.str()), members].iter().any(|text| secrets.mentioned_in(text))
}

fn redact_text<'py>(py: Python<'py>, text: &Bound<'py, PyString>, secrets: &Secrets) -> Bound<'py, PyAny> {
    let shown = text.to_string_lossy();
    if secrets.mentioned_in(&shown) { PyString::new(py, &secrets.redact(&shown)).into_any() } else { text.clone().into_any() }
}
