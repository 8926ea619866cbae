//! Whether a value mentions a secret anywhere, looked for within a budget and in each part once.

use std::collections::HashSet;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString,
    PyTuple,
};
use toolpass_guard::budget::{Budget, TooLarge};
use toolpass_guard::redact::Secrets;

/// A search through values of one result.
pub(super) struct Search<'s, 'py> {
    secrets: &'s Secrets,
    budget: Budget,
    seen: HashSet<usize>,
    /// What was made on the way, kept so that no later object gets the same address.
    made: Vec<Bound<'py, PyAny>>,
    chain: HashSet<usize>,
}

impl<'s, 'py> Search<'s, 'py> {
    pub(super) fn new(secrets: &'s Secrets) -> Search<'s, 'py> {
        Search {
            secrets,
            budget: Budget::of_result(),
            seen: HashSet::new(),
            made: Vec::new(),
            chain: HashSet::new(),
        }
    }

    /// Whether an exception was not met before in its chain.
    pub(super) fn is_new(&mut self, exception: &Bound<'py, PyAny>) -> bool {
        self.chain.insert(exception.as_ptr().addr())
    }

    /// Whether a value, or anything in it, mentions a secret.
    /// Errors: [`TooLarge`].
    pub(super) fn finds(&mut self, value: &Bound<'py, PyAny>) -> Result<bool, TooLarge> {
        let mut pending = vec![value.clone()];
        while let Some(value) = pending.pop() {
            if self.finds_here(&value, &mut pending)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Look at one value; what it holds is appended to `pending`.
    fn finds_here(
        &mut self,
        value: &Bound<'py, PyAny>,
        pending: &mut Vec<Bound<'py, PyAny>>,
    ) -> Result<bool, TooLarge> {
        if let Ok(text) = value.cast::<PyString>() {
            return self.finds_text(&text.to_string_lossy());
        }
        if is_number(value) {
            self.budget.take(0)?;
            return Ok(false);
        }
        if !self.seen.insert(value.as_ptr().addr()) {
            return Ok(false);
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return self.finds_text(&String::from_utf8_lossy(bytes.as_bytes()));
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return self.finds_text(&String::from_utf8_lossy(&bytes.to_vec()));
        }
        self.budget.take(0)?;
        if let Ok(dict) = value.cast::<PyDict>() {
            pending.extend(dict.iter().flat_map(|(key, item)| [key, item]));
        } else if let Ok(list) = value.cast::<PyList>() {
            pending.extend(list.iter());
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            pending.extend(tuple.iter());
        } else if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
            pending.extend(value.try_iter().into_iter().flatten().flatten());
        } else {
            return self.finds_in_object(value, pending);
        }
        Ok(false)
    }

    /// How an object shows itself, its attributes and its slots. A dataclass that shows its fields is not asked to: it would show a
    /// shared part again and again.
    fn finds_in_object(
        &mut self,
        value: &Bound<'py, PyAny>,
        pending: &mut Vec<Bound<'py, PyAny>>,
    ) -> Result<bool, TooLarge> {
        let fields = fields(value);
        if let Some(fields) = &fields {
            pending.extend(fields.iter().map(|(_, field)| field.clone()));
        }
        if let Ok(members) = value.getattr("__dict__") {
            if let Ok(dict) = members.cast::<PyDict>() {
                pending.extend(dict.iter().map(|(_, member)| member));
            }
            self.made.push(members);
        }
        pending.extend(slots(value));
        let shows_fields = fields.is_some()
            && value
                .getattr("__dataclass_params__")
                .and_then(|params| params.getattr("repr")?.is_truthy())
                .unwrap_or(false);
        if !shows_fields && self.finds_shown(value.repr())? {
            return Ok(true);
        }
        if has_own_text(value) {
            self.finds_shown(value.str())
        } else {
            Ok(false)
        }
    }

    fn finds_shown(&mut self, shown: PyResult<Bound<'_, PyString>>) -> Result<bool, TooLarge> {
        shown.map_or(Ok(false), |text| self.finds_text(&text.to_string_lossy()))
    }

    fn finds_text(&mut self, text: &str) -> Result<bool, TooLarge> {
        self.budget.take(text.len())?;
        Ok(self.secrets.mentioned_in(text))
    }
}

/// The fields of a dataclass's instance.
pub(crate) fn fields<'py>(
    value: &Bound<'py, PyAny>,
) -> Option<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
    let declared = value.get_type().getattr("__dataclass_fields__").ok()?;
    let names = declared
        .try_iter()
        .ok()?
        .filter_map(|name| name.ok()?.cast_into::<PyString>().ok());
    Some(
        names
            .filter_map(|name| value.getattr(&name).ok().map(|field| (name, field)))
            .collect(),
    )
}

/// What stands in the slots of an object.
fn slots<'py>(value: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
    let mut found = Vec::new();
    for class in value.get_type().mro() {
        let Ok(declared) = class
            .getattr("__dict__")
            .and_then(|members| members.get_item("__slots__"))
        else {
            continue;
        };
        let names = if declared.is_instance_of::<PyString>() {
            vec![declared]
        } else {
            declared
                .try_iter()
                .into_iter()
                .flatten()
                .flatten()
                .collect()
        };
        let owner = class
            .getattr("__name__")
            .and_then(|name| name.extract::<String>())
            .unwrap_or_default();
        for name in names
            .iter()
            .filter_map(|name| name.extract::<String>().ok())
        {
            // Python writes the class into a name that begins with two underscores.
            let mangled = if name.starts_with("__") && !name.ends_with("__") {
                format!("_{}{name}", owner.trim_start_matches('_'))
            } else {
                name
            };
            found.extend(value.getattr(mangled));
        }
    }
    found
}

/// A value without text.
pub(crate) fn is_number(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
}

/// Whether the class has a text besides its representation.
fn has_own_text(value: &Bound<'_, PyAny>) -> bool {
    let inherited = value.py().get_type::<PyAny>().getattr("__str__");
    match (value.get_type().getattr("__str__"), inherited) {
        (Ok(own), Ok(inherited)) => !own.is(&inherited),
        _ => true,
    }
}
