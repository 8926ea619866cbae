//! A value that mentions a secret, built again without it.

use std::borrow::Cow;
use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple};
use toolpass_core::secret::REDACTED;
use toolpass_guard::redact::Secrets;

use super::mentions::{Search, fields};

/// How deep a value is followed; below that a mention blanks the whole.
const MAX_LEVELS: usize = 20;

/// The value, built again without the secrets, and in how many texts they were replaced.
pub(super) fn rebuilt<'py>(
    value: &Bound<'py, PyAny>,
    secrets: &Secrets,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let mut rebuild = Rebuild {
        secrets,
        done: HashMap::new(),
        replaced: 0,
    };
    let clean = rebuild.walk(value, MAX_LEVELS)?;
    Ok((clean, rebuild.replaced))
}

struct Rebuild<'s, 'py> {
    secrets: &'s Secrets,
    /// By address: the original, kept so that no later object gets its address, and what became of it.
    done: HashMap<usize, (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    /// In how many texts secrets were replaced.
    replaced: usize,
}

impl<'py> Rebuild<'_, 'py> {
    fn walk(&mut self, value: &Bound<'py, PyAny>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(self.text(text));
        }
        if let Some((_, done)) = self.done.get(&value.as_ptr().addr()) {
            return Ok(done.clone());
        }
        if levels == 0 {
            return Ok(if self.mentioned(value) {
                self.blank(py)
            } else {
                value.clone()
            });
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            let text = String::from_utf8_lossy(bytes.as_bytes());
            return Ok(if self.secrets.mentioned_in(&text) {
                PyBytes::new(py, self.redact(&text).as_bytes()).into_any()
            } else {
                value.clone()
            });
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            let owned = bytes.to_vec();
            let text = String::from_utf8_lossy(&owned);
            return Ok(if self.secrets.mentioned_in(&text) {
                PyByteArray::new(py, self.redact(&text).as_bytes()).into_any()
            } else {
                value.clone()
            });
        }
        let clean = self.container(value, levels - 1)?;
        let clean = match clean {
            Some(clean) => clean,
            None => self.object(value, levels - 1)?,
        };
        self.keep(value, &clean);
        Ok(clean)
    }

    /// A container's items, each cleaned; nothing for what is no container.
    fn container(
        &mut self,
        value: &Bound<'py, PyAny>,
        levels: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = value.py();
        if let Ok(dict) = value.cast::<PyDict>() {
            let clean = PyDict::new(py);
            self.keep(value, clean.as_any()); // a dict may hold itself
            for (key, item) in dict.iter() {
                clean.set_item(self.walk(&key, levels)?, self.walk(&item, levels)?)?;
            }
            return Ok(Some(clean.into_any()));
        }
        if let Ok(list) = value.cast::<PyList>() {
            let clean = PyList::empty(py);
            self.keep(value, clean.as_any()); // so may a list
            for item in list.iter() {
                clean.append(self.walk(&item, levels)?)?;
            }
            return Ok(Some(clean.into_any()));
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            let items = tuple
                .iter()
                .map(|item| self.walk(&item, levels))
                .collect::<PyResult<Vec<_>>>()?;
            let items = PyTuple::new(py, items)?;
            return match value.get_type().getattr("_make") {
                Ok(make) => make.call1((items,)).map(Some), // a named tuple keeps its type
                Err(_) => Ok(Some(items.into_any())),
            };
        }
        let frozen = value.is_instance_of::<PyFrozenSet>();
        if frozen || value.is_instance_of::<PySet>() {
            let items = value
                .try_iter()?
                .map(|item| self.walk(&item?, levels))
                .collect::<PyResult<Vec<_>>>()?;
            let clean = if frozen {
                PyFrozenSet::new(py, items).map(Bound::into_any)
            } else {
                PySet::new(py, items).map(Bound::into_any)
            };
            // What was hashable may have become a dict.
            return Ok(Some(clean.unwrap_or_else(|_| self.blank(py))));
        }
        Ok(None)
    }

    /// An object: untouched when it mentions nothing, else its fields rebuilt, else its dump, else its text, else nothing of it.
    fn object(&mut self, value: &Bound<'py, PyAny>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        if !self.mentioned(value) {
            return Ok(value.clone());
        }
        if let Some(clean) = self.dataclass(value, levels)? {
            return Ok(clean);
        }
        if let Ok(dump) = value.call_method0("model_dump") {
            let clean = self.walk(&dump, levels)?;
            if !self.mentioned(&clean) {
                return Ok(clean);
            }
        }
        let text = value.str()?;
        let clean = self.text(&text);
        Ok(if self.mentioned(&clean) {
            self.blank(value.py())
        } else {
            clean
        })
    }

    /// A copy of a dataclass's instance with its fields cleaned, if that leaves no mention.
    fn dataclass(
        &mut self,
        value: &Bound<'py, PyAny>,
        levels: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = value.py();
        let Some(fields) = fields(value) else {
            return Ok(None);
        };
        let Ok(copy) = py.import("copy")?.call_method1("copy", (value,)) else {
            return Ok(None);
        };
        for (name, field) in fields {
            let clean = self.walk(&field, levels)?;
            // Past a frozen class's own `__setattr__`: the copy is nobody's yet.
            if py
                .get_type::<PyAny>()
                .call_method1("__setattr__", (&copy, name, clean))
                .is_err()
            {
                return Ok(None);
            }
        }
        Ok(Some(copy).filter(|copy| !self.mentioned(copy)))
    }

    fn mentioned(&self, value: &Bound<'py, PyAny>) -> bool {
        Search::new(self.secrets).finds(value).unwrap_or(true)
    }

    fn text(&mut self, text: &Bound<'py, PyString>) -> Bound<'py, PyAny> {
        let shown = text.to_string_lossy();
        if self.secrets.mentioned_in(&shown) {
            PyString::new(text.py(), &self.redact(&shown)).into_any()
        } else {
            text.clone().into_any()
        }
    }

    fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.replaced += 1;
        self.secrets.redact(text)
    }

    /// What stands for a value of which nothing can be shown.
    fn blank(&mut self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.replaced += 1;
        PyString::new(py, REDACTED).into_any()
    }

    fn keep(&mut self, value: &Bound<'py, PyAny>, clean: &Bound<'py, PyAny>) {
        self.done
            .insert(value.as_ptr().addr(), (value.clone(), clean.clone()));
    }
}
