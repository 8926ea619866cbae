//! The arguments of `check` and its kin, read strictly: wrong types are the programmer's mistake, never a question.

use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};
use toolpass_core::question::{Facts, Freshness, Question};
use toolpass_core::user::Token;

const POSITIONS: [&str; 5] = ["user", "connection", "action", "resource", "groups"];

/// Read `(user, connection, action, resource, groups=None, *, fresh=False, max_age=None, token=None)`.
/// Errors: `TypeError`, naming the argument.
pub(super) fn read(
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Question> {
    if args.len() > POSITIONS.len() {
        return Err(PyTypeError::new_err(
            "expected at most user, connection, action, resource and groups by position; `fresh` and `token` are given by name",
        ));
    }
    let mut question = Question {
        facts: Facts::new(),
        ..Question::default()
    };
    let mut seen = Vec::with_capacity(8);
    for (name, value) in POSITIONS.iter().zip(args.iter()) {
        seen.push((*name).to_owned());
        set(&mut question, name, &value)?;
    }
    for (name, value) in kwargs.into_iter().flat_map(|kwargs| kwargs.iter()) {
        let name: String = name.extract()?;
        if seen.contains(&name) {
            return Err(PyTypeError::new_err(format!("`{name}` is given twice")));
        }
        set(&mut question, &name, &value)?;
        seen.push(name);
    }
    match POSITIONS
        .iter()
        .take(4)
        .find(|name| !seen.iter().any(|seen| seen == *name))
    {
        Some(missing) => Err(PyTypeError::new_err(format!("`{missing}` is missing"))),
        None => Ok(question),
    }
}

fn set(question: &mut Question, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "user" => question.user = text(name, value)?,
        "connection" => question.connection = text(name, value)?,
        "action" => question.action = text(name, value)?,
        "resource" => question.resource = text(name, value)?,
        "groups" => question.groups = groups(value)?,
        "token" => question.token = token(value)?,
        "facts" => question.facts = facts(value)?,
        "fresh" => {
            question.freshness = Freshness {
                fresh: flag(name, value)?,
                ..question.freshness
            }
        }
        "max_age" => {
            question.freshness = Freshness {
                max_age: age(value)?,
                ..question.freshness
            }
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "`{other}` is no argument of a check"
            )));
        }
    }
    Ok(())
}

fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_string_lossy().into_owned()),
        Err(_) => Err(PyTypeError::new_err(format!(
            "expected `{name}` to be a text"
        ))),
    }
}

fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("expected `{name}` to be True or False")))
}

/// What an observed request said besides its resource.
fn facts(value: &Bound<'_, PyAny>) -> PyResult<Facts> {
    if value.is_none() {
        return Ok(Facts::new());
    }
    value
        .extract()
        .map_err(|_| PyTypeError::new_err("expected `facts` to be a dict of texts"))
}

fn groups(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if value.is_none() {
        return Ok(Vec::new());
    }
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(
            "expected `groups` to be a sequence of texts; `fresh` is given by name: `fresh=True`",
        ));
    }
    let wrong = || PyTypeError::new_err("expected `groups` to be a sequence of texts");
    if value.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    value
        .try_iter()
        .map_err(|_| wrong())?
        .map(|group| text("groups", &group?).map_err(|_| wrong()))
        .collect()
}

/// A token that cannot be one is asked about all the same: the engine answers `invalid_request`.
fn token(value: &Bound<'_, PyAny>) -> PyResult<Option<Token>> {
    if value.is_none() {
        return Ok(None);
    }
    let text = text("token", value)?;
    Token::parse(&text).map_err(|error| PyTypeError::new_err(format!("`token`: {error}")))
}

fn age(value: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    if value.is_none() {
        return Ok(None);
    }
    let wrong =
        || PyTypeError::new_err("expected `max_age` to be a number of seconds of at least 0");
    let seconds: f64 = value.extract().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds)
        .map(Some)
        .map_err(|_| wrong())
}
