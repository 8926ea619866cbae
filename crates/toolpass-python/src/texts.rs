//! Every text in a Python value, in order: what is recorded of a result and compared in an argument.
//!
//! One walk for both, within a budget and each part once, however often and along however many ways it is reached.

use std::collections::HashSet;

use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple,
};
use toolpass_guard::budget::{Budget, TooLarge};

use crate::redaction::{fields, is_number};

/// Add every text in `value` to `found`, keys of mappings included. A lone surrogate is read as U+FFFD.
/// Errors: [`TooLarge`].
pub(crate) fn collect<'py>(
    value: &Bound<'py, PyAny>,
    budget: &mut Budget,
    found: &mut Vec<String>,
) -> Result<(), TooLarge> {
    let mut walk = Walk {
        seen: HashSet::new(),
        kept: Vec::new(),
        pending: vec![value.clone()],
    };
    while let Some(value) = walk.pending.pop() {
        if is_number(&value) {
            budget.take(0)?;
            continue;
        }
        match walk.text_of(value) {
            Some(text) => {
                budget.take(text.len())?;
                found.push(text);
            }
            None => budget.take(0)?,
        }
    }
    Ok(())
}

struct Walk<'py> {
    /// By address, each kept so that no later object gets its address.
    seen: HashSet<usize>,
    kept: Vec<Bound<'py, PyAny>>,
    /// The next one is the last.
    pending: Vec<Bound<'py, PyAny>>,
}

impl<'py> Walk<'py> {
    /// The text that a value is; nothing for one whose parts are looked at next.
    fn text_of(&mut self, value: Bound<'py, PyAny>) -> Option<String> {
        if let Ok(text) = value.cast::<PyString>() {
            return Some(text.to_string_lossy().into_owned());
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Some(String::from_utf8_lossy(bytes.as_bytes()).into_owned());
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Some(String::from_utf8_lossy(&bytes.to_vec()).into_owned());
        }
        if !self.seen.insert(value.as_ptr().addr()) {
            return None;
        }
        self.kept.push(value.clone());
        match parts(&value) {
            Some(mut parts) => {
                parts.reverse();
                self.pending.extend(parts);
                None
            }
            None => value
                .str()
                .ok()
                .map(|text| text.to_string_lossy().into_owned()),
        }
    }
}

/// What a container, a dataclass or a model holds; nothing for any other object.
fn parts<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return Some(dict.iter().flat_map(|(key, item)| [key, item]).collect());
    }
    if let Ok(list) = value.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return Some(tuple.iter().collect());
    }
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        return Some(value.try_iter().ok()?.flatten().collect());
    }
    if let Some(fields) = fields(value) {
        return Some(fields.into_iter().map(|(_, field)| field).collect());
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return Some(mapping.items().ok()?.iter().collect());
    }
    value.call_method0("model_dump").ok().map(|dump| vec![dump])
}
