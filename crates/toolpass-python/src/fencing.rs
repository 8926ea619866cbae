//! Fences in Python: what the application fences itself, and values of outside text rebuilt with fences in them.

use std::num::NonZeroUsize;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};
use toolpass_guard::fence::structured::{Data, Rebuild};
use toolpass_guard::fence::{self as guard, About, FenceId, MAX_LABEL, Mode};

use crate::redaction::fields;
use crate::source::current_call;
use crate::toolkit::{audit_logger, one_of};
use crate::value::PyValue;

/// A text between markers.
#[pyclass(frozen, eq, hash, module = "toolpass")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Fenced {
    /// The block.
    #[pyo3(get)]
    block: String,
    /// How much in it imitates somebody's frame.
    #[pyo3(get)]
    frames: usize,
    /// How many forged boundaries were replaced.
    #[pyo3(get)]
    forged: usize,
}

#[pymethods]
impl Fenced {
    fn __repr__(&self) -> String {
        format!(
            "Fenced(frames={}, forged={}, block=<{} bytes>)",
            self.frames,
            self.forged,
            self.block.len()
        )
    }

    fn __str__(&self) -> &str {
        &self.block
    }
}

/// Put outside text between markers, so that a model can tell it from what the application says. A tool that returns the block
/// is not fenced again.
#[pyfunction]
#[pyo3(signature = (payload, *, label="", source="", mode="plain"), text_signature = None)]
pub(crate) fn fence(
    payload: &Bound<'_, PyAny>,
    label: &str,
    source: &str,
    mode: &str,
) -> PyResult<Fenced> {
    let py = payload.py();
    let text = payload
        .cast::<PyString>()
        .map_err(|_| PyTypeError::new_err("expected `payload` to be a text"))?;
    let mode = one_of("mode", Some(PyString::new(py, mode).as_any()), MODES)?;
    let id = mint(py)?;
    let fenced = guard::fence(
        &text.to_string_lossy(),
        &About {
            label,
            mode,
            ..About::new(source, id)
        },
    );
    if let Some(context) = current_call(py)? {
        context.get().call.note_minted(id);
    }
    warn(py, source, fenced.frames, fenced.forged);
    Ok(Fenced {
        block: fenced.block,
        frames: fenced.frames,
        forged: fenced.forged,
    })
}

/// Outside text made fit to stand in a line of one's own: no tags, no controls, at most `limit` characters.
#[pyfunction]
#[pyo3(signature = (text, limit=None), text_signature = None)]
pub(crate) fn neutralize(text: &Bound<'_, PyString>, limit: Option<usize>) -> PyResult<String> {
    let limit = limit.map_or(Some(MAX_LABEL), NonZeroUsize::new);
    let limit = limit.ok_or_else(|| PyValueError::new_err("expected `limit` to be at least 1"))?;
    Ok(guard::neutralize(&text.to_string_lossy(), limit))
}

/// A new id, from the system's randomness.
pub(crate) fn mint(py: Python<'_>) -> PyResult<FenceId> {
    random(py).map(FenceId::from_bytes)
}

/// Bytes nobody can guess.
pub(crate) fn random<const N: usize>(py: Python<'_>) -> PyResult<[u8; N]> {
    static URANDOM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let bytes = URANDOM.import(py, "os", "urandom")?.call1((N,))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().try_into()?)
}

/// Say that outside text imitates boundaries; never the text itself.
pub(crate) fn warn(py: Python<'_>, source: &str, frames: usize, forged: usize) {
    if frames == 0 && forged == 0 {
        return;
    }
    let text = "untrusted text from %r: %d imitated frames, %d forged boundaries";
    // A warning that cannot be given changes nothing about the text.
    let _ = audit_logger(py)
        .and_then(|logger| logger.call_method1("warning", (text, source, frames, forged)));
}

const MODES: &[(&str, Mode)] = &[
    ("plain", Mode::Plain),
    ("base64", Mode::Base64),
    ("datamark", Mode::Datamark),
];

impl<'a, 'py> PyValue<'a, 'py> {
    fn made(&self, object: Bound<'py, PyAny>) -> PyValue<'a, 'py> {
        PyValue {
            object,
            classes: self.classes,
        }
    }

    fn objects(items: Vec<PyValue<'a, 'py>>) -> Vec<Bound<'py, PyAny>> {
        items.into_iter().map(|item| item.object).collect()
    }
}

impl Rebuild for PyValue<'_, '_> {
    type Error = PyErr;

    fn data(&self) -> PyResult<Data<Self>> {
        if let Some(fields) = fields(&self.object) {
            let members = fields
                .into_iter()
                .map(|(name, field)| (self.made(name.into_any()), self.made(field)));
            return Ok(Data::Members(members.collect()));
        }
        if let Ok(dump) = self.object.call_method0("model_dump")
            && let Ok(members) = dump.cast::<PyMapping>()
        {
            let members = members.items()?;
            let members = members.iter().map(|pair| {
                let (key, item) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                Ok((self.made(key), self.made(item)))
            });
            return members.collect::<PyResult<_>>().map(Data::Members);
        }
        Ok(Data::Text(
            self.object.str()?.to_string_lossy().into_owned(),
        ))
    }

    fn text(&self, text: String) -> PyResult<Self> {
        Ok(self.made(PyString::new(self.object.py(), &text).into_any()))
    }

    fn list(&self, items: Vec<Self>) -> PyResult<Self> {
        let list = PyList::new(self.object.py(), Self::objects(items))?;
        Ok(self.made(list.into_any()))
    }

    fn with_items(&self, items: Vec<Self>) -> PyResult<Self> {
        let py = self.object.py();
        let items = Self::objects(items);
        let made = if self.object.is_instance_of::<PyTuple>() {
            let tuple = PyTuple::new(py, items)?;
            match self.object.get_type().getattr("_make") {
                Ok(make) => make.call1((tuple,))?, // a named tuple keeps its type
                Err(_) => tuple.into_any(),
            }
        } else if self.object.is_instance_of::<PyFrozenSet>() {
            PyFrozenSet::new(py, items)?.into_any()
        } else if self.object.is_instance_of::<PySet>() {
            PySet::new(py, items)?.into_any()
        } else {
            PyList::new(py, items)?.into_any()
        };
        Ok(self.made(made))
    }

    fn mapping(&self, members: Vec<(Self, Self)>) -> PyResult<Self> {
        let dict = PyDict::new(self.object.py());
        for (key, item) in members {
            dict.set_item(key.object, item.object)?;
        }
        Ok(self.made(dict.into_any()))
    }
}
