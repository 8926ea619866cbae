//! A Python object as the guard looks at it: in place, nothing copied but what a check asks for.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString,
    PyTuple,
};
use toolpass_guard::budget::{Budget, TooLarge};
use toolpass_guard::value::{ClassId, Value, View};

use crate::texts;

/// What a class id of a hint stands for.
pub(crate) enum Class {
    /// Instances of this class.
    Instances(Py<PyAny>),
    /// Whatever equals this value and is of the same type.
    Member(Py<PyAny>),
    /// Texts that match this pattern in full.
    Pattern(Py<PyAny>),
}

/// An object, and the classes that hints name.
#[derive(Clone)]
pub(crate) struct PyValue<'a, 'py> {
    pub(crate) object: Bound<'py, PyAny>,
    pub(crate) classes: &'a [Class],
}

impl<'a, 'py> PyValue<'a, 'py> {
    fn wrap(&self, object: Bound<'py, PyAny>) -> PyValue<'a, 'py> {
        PyValue {
            object,
            classes: self.classes,
        }
    }

    fn items<I: Iterator<Item = Bound<'py, PyAny>>>(&self, items: I) -> Vec<PyValue<'a, 'py>> {
        items.map(|item| self.wrap(item)).collect()
    }

    fn pairs(
        &self,
        mapping: &Bound<'py, PyAny>,
    ) -> Option<Vec<(PyValue<'a, 'py>, PyValue<'a, 'py>)>> {
        if let Ok(dict) = mapping.cast::<PyDict>() {
            return Some(
                dict.iter()
                    .map(|(key, value)| (self.wrap(key), self.wrap(value)))
                    .collect(),
            );
        }
        let items = mapping.cast::<PyMapping>().ok()?.items().ok()?;
        items
            .iter()
            .map(|pair| {
                pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()
                    .ok()
            })
            .map(|pair| {
                let (key, value) = pair?;
                Some((self.wrap(key), self.wrap(value)))
            })
            .collect()
    }
}

impl Value for PyValue<'_, '_> {
    fn view(&self) -> View<'_, Self> {
        let object = &self.object;
        if let Ok(text) = object.cast::<PyString>() {
            return View::Text(text.to_string_lossy());
        }
        if object.is_none() {
            return View::None;
        }
        if let Ok(truth) = object.cast::<PyBool>() {
            return View::Bool(truth.is_true());
        }
        if object.is_instance_of::<PyInt>() {
            // Python writes no number of more than 4300 digits in decimal.
            let digits = object
                .str()
                .or_else(|_| object.call_method1("__format__", ("#x",))?.str());
            return digits.map_or(View::Other, |digits| {
                View::Int(Cow::Owned(digits.to_string_lossy().into_owned()))
            });
        }
        if let Ok(float) = object.cast::<PyFloat>() {
            return View::Float(float.value());
        }
        if let Ok(list) = object.cast::<PyList>() {
            return View::List(self.items(list.iter()));
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return View::Tuple(self.items(tuple.iter()));
        }
        if let Ok(set) = object.cast::<PySet>() {
            return View::Set(self.items(set.iter()));
        }
        if let Ok(set) = object.cast::<PyFrozenSet>() {
            return View::FrozenSet(self.items(set.iter()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return View::Bytes(Cow::Borrowed(bytes.as_bytes()));
        }
        self.pairs(object).map_or(View::Other, View::Mapping)
    }

    fn type_name(&self) -> String {
        type_name(&self.object)
    }

    fn is_instance(&self, class: ClassId) -> bool {
        let py = self.object.py();
        match self.classes.get(class.0) {
            Some(Class::Instances(class)) => {
                self.object.is_instance(class.bind(py)).unwrap_or(false)
            }
            Some(Class::Member(_) | Class::Pattern(_)) | None => false,
        }
    }

    fn is_member(&self, member: ClassId) -> bool {
        let py = self.object.py();
        match self.classes.get(member.0) {
            Some(Class::Member(member)) => {
                let member = member.bind(py);
                self.object.get_type().is(member.get_type())
                    && self.object.eq(member).unwrap_or(false)
            }
            Some(Class::Instances(_) | Class::Pattern(_)) | None => false,
        }
    }

    fn shown(&self, max_chars: usize) -> String {
        let shown = self
            .object
            .repr()
            .map(|text| text.to_string_lossy().into_owned());
        let shown = shown.unwrap_or_else(|_| format!("<{}>", self.type_name()));
        if shown.chars().count() <= max_chars {
            shown
        } else {
            shown.chars().take(max_chars).chain(['…']).collect()
        }
    }

    fn texts(&self, budget: &mut Budget, found: &mut Vec<String>) -> Result<(), TooLarge> {
        texts::collect(&self.object, budget, found)
    }
}

/// The name of an object's class.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(
        |_| "object".into(),
        |name| name.to_string_lossy().into_owned(),
    )
}
