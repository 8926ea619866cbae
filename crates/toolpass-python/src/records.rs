//! The texts of a Python value by record: what stands together in one mapping, dataclass or model.
//!
//! Separate from [`crate::texts`], which needs no structure. A list in a record belongs to it, and so does a mapping in it
//! (who a file is shared with); a mapping in a list is a record of its own, and so is every row of a mapping of mappings.
//! Names of fields are no texts.

use std::collections::HashSet;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};
use toolpass_guard::budget::{Budget, TooLarge};

use crate::redaction::{fields, is_number};

/// Every text in `value`, by record. A lone surrogate is read as U+FFFD.
/// Errors: [`TooLarge`].
pub(crate) fn collect(value: &Bound<'_, PyAny>) -> Result<Vec<Vec<String>>, TooLarge> {
    let mut walk = Walk {
        budget: Budget::of_result(),
        seen: HashSet::new(),
        kept: Vec::new(),
        pending: vec![(value.clone(), None)],
        records: Vec::new(),
    };
    while let Some((value, record)) = walk.pending.pop() {
        walk.look_at(value, record)?;
    }
    Ok(walk.records)
}

struct Walk<'py> {
    budget: Budget,
    /// By address, each kept so that no later object gets its address.
    seen: HashSet<usize>,
    kept: Vec<Bound<'py, PyAny>>,
    /// What is looked at next, with the record it belongs to.
    pending: Vec<(Bound<'py, PyAny>, Option<usize>)>,
    records: Vec<Vec<String>>,
}

/// What a value is made of.
enum Parts<'py> {
    Items(Vec<Bound<'py, PyAny>>),
    /// Keys are texts as well.
    Mapping(Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>),
    Fields(Vec<Bound<'py, PyAny>>),
    None,
}

impl<'py> Walk<'py> {
    fn look_at(&mut self, value: Bound<'py, PyAny>, record: Option<usize>) -> Result<(), TooLarge> {
        if is_number(&value) {
            return self.budget.take(0);
        }
        if let Ok(text) = value.cast::<PyString>() {
            return self.add(text.to_string_lossy().into_owned(), record);
        }
        self.budget.take(0)?;
        if !self.seen.insert(value.as_ptr().addr()) {
            return Ok(());
        }
        self.kept.push(value.clone());
        match parts(&value) {
            Parts::Items(items) => {
                // A mapping in a list is a record of its own.
                let of = |item: &Bound<'py, PyAny>| record.filter(|_| !has_fields(item));
                let items: Vec<_> = items.into_iter().map(|item| (of(&item), item)).collect();
                self.pending
                    .extend(items.into_iter().rev().map(|(of, item)| (item, of)));
            }
            Parts::Fields(fields) => {
                let record = self.record(record);
                self.pending
                    .extend(fields.into_iter().map(|field| (field, Some(record))));
            }
            Parts::Mapping(pairs) => {
                let is_table = !pairs.is_empty() && pairs.iter().all(|(_, item)| has_fields(item));
                let whole = self.record(record);
                for (key, item) in pairs {
                    let record = if is_table { self.record(None) } else { whole };
                    self.pending
                        .extend([(item, Some(record)), (key, Some(record))]);
                }
            }
            Parts::None => {
                if let Ok(text) = value.str() {
                    self.add(text.to_string_lossy().into_owned(), record)?;
                }
            }
        }
        Ok(())
    }

    /// The record a part belongs to: a new one unless it is in one.
    fn record(&mut self, within: Option<usize>) -> usize {
        within.unwrap_or_else(|| {
            self.records.push(Vec::new());
            self.records.len() - 1
        })
    }

    fn add(&mut self, text: String, record: Option<usize>) -> Result<(), TooLarge> {
        self.budget.take(text.len())?;
        let record = self.record(record);
        if let Some(texts) = self.records.get_mut(record) {
            texts.push(text);
        }
        Ok(())
    }
}

fn parts<'py>(value: &Bound<'py, PyAny>) -> Parts<'py> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return Parts::Mapping(dict.iter().collect());
    }
    if let Ok(list) = value.cast::<PyList>() {
        return Parts::Items(list.iter().collect());
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return Parts::Items(tuple.iter().collect());
    }
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        let items = value.try_iter().map(|items| items.flatten().collect());
        return items.map_or(Parts::None, Parts::Items);
    }
    if let Some(fields) = fields(value) {
        return Parts::Fields(fields.into_iter().map(|(_, field)| field).collect());
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let pairs = mapping.items().map(|items| {
            items
                .iter()
                .filter_map(|pair| pair.extract().ok())
                .collect()
        });
        return pairs.map_or(Parts::None, Parts::Mapping);
    }
    match value.call_method0("model_dump") {
        Ok(dump) => match dump.cast::<PyDict>() {
            Ok(dump) => Parts::Fields(dump.values().iter().collect()),
            Err(_) => Parts::Items(vec![dump]),
        },
        Err(_) => Parts::None,
    }
}

/// Whether a value is a record by itself.
fn has_fields(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyDict>()
        || fields(value).is_some()
        || value.cast::<PyMapping>().is_ok()
        || value.hasattr("model_dump").unwrap_or(false)
}
