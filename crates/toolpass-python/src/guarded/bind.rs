//! The arguments of a call bound to the tool's parameters, defaults applied.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use toolpass_guard::arguments::Argument;
use toolpass_guard::tool::ParameterKind;

use super::Guarded;
use crate::value::PyValue;

/// Bind. The original is called with the very arguments that were given; this is what the checks look at.
/// Errors: what does not fit, naming parameters only.
pub(super) fn bind<'a, 'py>(
    guarded: &'a Guarded,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> Result<Vec<Argument<PyValue<'a, 'py>>>, String> {
    let py = args.py();
    let mut bound = Vec::with_capacity(guarded.tool.parameters.len());
    let mut positions = args.iter();
    if guarded.receiver && positions.next().is_none() {
        return Err("it is a method, and the object it is called on is missing".into());
    }
    let mut named = 0;
    let mut rest_of_names = None;
    for (index, parameter) in guarded.tool.parameters.iter().enumerate() {
        let by_position = match parameter.kind {
            ParameterKind::PositionalOnly | ParameterKind::Either => positions.next(),
            ParameterKind::Positions => {
                let rest =
                    PyTuple::new(py, positions.by_ref()).map_err(|error| error.to_string())?;
                bound.push(argument(guarded, index, rest.into_any(), false));
                continue;
            }
            ParameterKind::Names => {
                rest_of_names = Some(index);
                continue;
            }
            ParameterKind::NameOnly => None,
        };
        let by_name = match parameter.kind {
            ParameterKind::PositionalOnly => None,
            ParameterKind::Either
            | ParameterKind::NameOnly
            | ParameterKind::Names
            | ParameterKind::Positions => {
                name_of(guarded, index).and_then(|name| kwargs.get_item(name).ok().flatten())
            }
        };
        named += usize::from(by_name.is_some());
        match (by_position, by_name) {
            (Some(_), Some(_)) => return Err(format!("`{}` is given twice", parameter.name)),
            (Some(value), None) | (None, Some(value)) => {
                bound.push(argument(guarded, index, value, false))
            }
            (None, None) => match guarded.defaults.get(index) {
                Some(Some(default)) => {
                    bound.push(argument(guarded, index, default.bind(py).clone(), true))
                }
                Some(None) | None => return Err(format!("`{}` is missing", parameter.name)),
            },
        }
    }
    if positions.next().is_some() {
        return Err("too many arguments are given by position".into());
    }
    if kwargs.len() > named {
        let strangers = strangers(guarded, kwargs);
        match (
            rest_of_names,
            guarded.tool.credential.is_some()
                && strangers.iter().any(|(name, _)| name == "credential"),
        ) {
            (Some(index), false) => {
                let rest = PyDict::new(py);
                for (name, value) in &strangers {
                    rest.set_item(name, value)
                        .map_err(|error| error.to_string())?;
                }
                bound.push(argument(guarded, index, rest.into_any(), false));
            }
            _ => {
                return Err(format!(
                    "`{}` is no parameter of the tool",
                    strangers.first().map_or("?", |(name, _)| name)
                ));
            }
        }
    } else if let Some(index) = rest_of_names {
        bound.push(argument(guarded, index, PyDict::new(py).into_any(), false));
    }
    Ok(bound)
}

fn argument<'a, 'py>(
    guarded: &'a Guarded,
    parameter: usize,
    object: Bound<'py, PyAny>,
    is_default: bool,
) -> Argument<PyValue<'a, 'py>> {
    Argument {
        parameter,
        value: PyValue {
            object,
            classes: &guarded.classes,
        },
        is_default,
        handle: None,
    }
}

fn name_of(guarded: &Guarded, index: usize) -> Option<&Py<PyString>> {
    guarded.names.get(index)
}

/// The names no parameter takes.
fn strangers<'py>(
    guarded: &Guarded,
    kwargs: &Bound<'py, PyDict>,
) -> Vec<(String, Bound<'py, PyAny>)> {
    let takes = |name: &str| {
        guarded.tool.parameters.iter().any(|parameter| {
            parameter.name == name
                && matches!(
                    parameter.kind,
                    ParameterKind::Either | ParameterKind::NameOnly
                )
        })
    };
    kwargs
        .iter()
        .map(|(name, value)| {
            (
                name.extract::<String>().unwrap_or_else(|_| "?".into()),
                value,
            )
        })
        .filter(|(name, _)| !takes(name))
        .collect()
}
